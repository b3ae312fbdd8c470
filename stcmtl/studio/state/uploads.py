"""Uploaded files as tasks that never leave their session."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from hashlib import sha256

from stcmtl.data.taskset import TaskSet
from stcmtl.io.encode_like import Reading as KnownReading
from stcmtl.io.limits import Limits, ReadError
from stcmtl.io.preview import Preview, preview
from stcmtl.io.reading import read
from stcmtl.phrases import counted
from stcmtl.studio.state.choices import DataChoice
from stcmtl.studio.state.loading import Loaded, split

MIB = 2**20
# What one visitor of a shared server may ask of it.
LIMITS = Limits(bytes_on_disk=200 * MIB, bytes_unpacked=400 * MIB, rows=2_000_000, cells=20_000_000)
Sources = tuple[tuple[str, bytes], ...]

# Sentences of the readers speak of arguments: here these are controls, and limits are fixed.
SPOKEN = (
    (r",? or pass limits=\S+ to allow it", ""),
    (r"Pass (?:task|target)='\.\.\.', one of", "Choose below one of"),
    (r"Pass task='\.\.\.'", "Name it 'tasks' in the file"),
    (r"; or target=\[.*?\] if every target", "; or choose the wide layout if every target"),
    (r"Name them, one per task: target=\[.*?\]", "Choose them below, one per task"),
    (r"pass missing='median'", "choose to fill them with the median"),
    (r"pass task_type='classification'", "choose classification"),
)


@dataclass(frozen=True)
class Reading:
    """How an upload is to be read; what is None is guessed."""

    task: str | None = None
    targets: tuple[str, ...] = ()
    layout: str | None = None
    task_type: str | None = None
    missing: str = "error"


@dataclass(frozen=True, eq=False)
class Upload:
    """Files as they came, and a first look at them or why there is none."""

    sources: Sources
    digest: str
    look: Preview | None
    fault: str | None

    @property
    def name(self) -> str:
        names = [name for name, _ in self.sources]
        return names[0] if len(names) == 1 else counted(len(names), "file")


@dataclass(frozen=True, eq=False)
class Understood:
    """Tasks read from an upload, before rows are kept aside for testing."""

    upload: Upload
    reading: Reading
    data: TaskSet
    account: tuple[str, ...]
    known: KnownReading  # what a further file is to be read like


def looked_at(sources: Sources) -> Upload:
    digest = sha256()
    for name, content in sources:
        digest.update(repr((name, len(content))).encode() + content)
    try:
        return Upload(sources, digest.hexdigest(), preview(list(sources), limits=LIMITS), None)
    except ReadError as error:
        return Upload(sources, digest.hexdigest(), None, spoken(error))


def understood(upload: Upload, reading: Reading) -> Understood:
    """Tasks of an upload; a ValueError says in one sentence why there are none."""
    try:
        data, account = read(
            list(upload.sources),
            task=reading.task,
            target=target_argument(reading),
            layout=reading.layout,
            task_type=reading.task_type,
            missing=reading.missing,
            limits=LIMITS,
        )
    except ReadError as error:
        raise ValueError(spoken(error)) from None
    known = KnownReading.of(data, account)
    return Understood(upload, reading, data, tuple(str(account).splitlines()), known)


def target_argument(reading: Reading) -> str | list[str] | None:
    if reading.layout == "wide" or len(reading.targets) > 1:
        return list(reading.targets) or None
    return reading.targets[0] if reading.targets else None


def divided(found: Understood, choice: DataChoice) -> Loaded:
    """The tasks with test rows kept aside, or without any and a sentence that says why."""
    account = found.account
    try:
        loaded = split(choice, found.upload.name, found.data, private=True)
    except ValueError as error:
        loaded = Loaded(choice, found.upload.name, found.data, None, private=True)
        account = (*account, f"No rows were kept for testing: {error}")
    key = "upload", found.upload.digest, found.reading, choice.held_out, choice.split
    return replace(loaded, key=key, account=account)


def spoken(error: ReadError) -> str:
    sentence = str(error)
    for pattern, words in SPOKEN:
        sentence = re.sub(pattern, words, sentence)
    return sentence
