"""Uploaded files as tasks that never leave their session."""

from __future__ import annotations

from dataclasses import dataclass, replace
from hashlib import sha256

from stcmtl.data.taskset import TaskSet
from stcmtl.io.encode_like import Reading as KnownReading
from stcmtl.io.limits import Limits, ReadError
from stcmtl.io.preview import Preview, preview
from stcmtl.io.reading import read
from stcmtl.phrases import counted
from stcmtl.studio.state.choices import UPLOAD, DataChoice
from stcmtl.studio.state.loading import Loaded, split
from stcmtl.studio.state.session import current
from stcmtl.studio.words.sentences import word_error

MIB = 2**20
# What one visitor of a shared server may ask of it.
LIMITS = Limits(bytes_on_disk=200 * MIB, bytes_unpacked=400 * MIB, rows=2_000_000, cells=20_000_000)
Sources = tuple[tuple[str, bytes], ...]


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
class UploadedTasks:
    """Tasks read from an upload, before rows are kept aside for testing."""

    upload: Upload
    reading: Reading
    data: TaskSet
    account: tuple[str, ...]
    known: KnownReading  # what a further file is to be read like


def look_at(sources: Sources) -> Upload:
    digest = sha256()
    for name, content in sources:
        digest.update(repr((name, len(content))).encode() + content)
    try:
        return Upload(sources, digest.hexdigest(), preview(list(sources), limits=LIMITS), None)
    except ReadError as error:
        return Upload(sources, digest.hexdigest(), None, word_error(error))


def read_upload(upload: Upload, reading: Reading) -> UploadedTasks:
    """Tasks of an upload; a ValueError says in one sentence why there are none."""
    data, account = read(
        list(upload.sources),
        task=reading.task,
        target=target_argument(reading),
        layout=reading.layout,
        task_type=reading.task_type,
        missing=reading.missing,
        limits=LIMITS,
    )
    known = KnownReading.of(data, account)
    return UploadedTasks(upload, reading, data, tuple(str(account).splitlines()), known)


def target_argument(reading: Reading) -> str | list[str] | None:
    if reading.layout == "wide" or len(reading.targets) > 1:
        return list(reading.targets) or None
    return reading.targets[0] if reading.targets else None


def divide(found: UploadedTasks, choice: DataChoice) -> Loaded:
    """The tasks with test rows kept aside, or without any and a sentence that says why."""
    account = found.account
    try:
        loaded = split(choice, found.upload.name, found.data, private=True)
    except ValueError as error:
        loaded = Loaded(choice, found.upload.name, found.data, None, private=True)
        account = (*account, f"No rows were kept for testing: {word_error(error)}")
    key = "upload", found.upload.digest, found.reading, choice.held_out, choice.split
    return replace(loaded, key=key, account=account)


def open_upload(upload: Upload, reading: Reading) -> bool:
    """Tasks of an upload, read unless that was tried before; whether they are now in hand."""
    session = current()
    if session.upload_tried == (upload.digest, reading):
        return False
    session.upload_tried, session.data_error = (upload.digest, reading), None
    try:
        session.uploaded = read_upload(upload, reading)
    except ValueError as error:
        session.data_error = UPLOAD, word_error(error)
        return False
    divide_again(session.data_choice.with_values(source=UPLOAD))
    return True


def forget_try() -> None:
    """Read the upload again, as it is set."""
    current().upload_tried = None


def divide_again(choice: DataChoice) -> None:
    """Keep other rows aside for testing."""
    session = current()
    if choice.source == UPLOAD and session.uploaded is not None:
        session.open_data(choice, divide(session.uploaded, choice))
    else:
        session.try_data(choice)
