"""Uploaded files as tasks that never leave their session: parsed once, interpreted as chosen."""

from collections.abc import Hashable
from dataclasses import dataclass, replace
from hashlib import sha256
from typing import NamedTuple

from stcmtl.data.taskset import TaskSet
from stcmtl.io.account import Account
from stcmtl.io.bounded import parse_bounded
from stcmtl.io.encode_like import Reading as KnownReading
from stcmtl.io.limits import Limits, ReadError
from stcmtl.io.parsing import HOW, How, Parsed
from stcmtl.io.read_like import FurtherRows
from stcmtl.io.reading import Opened, open_parsed
from stcmtl.io.sources import list_files
from stcmtl.io.tables import Asked
from stcmtl.phrases import counted
from stcmtl.studio.state.choices import CHOSEN, UPLOAD, DataChoice
from stcmtl.studio.state.loading import Loaded, split
from stcmtl.studio.state.session import Session, current
from stcmtl.studio.words.sentences import word_error, word_setting

MIB = 2**20
# What one visitor of a shared server may ask of it: about ten seconds of its processor.
LIMITS = Limits(
    bytes_on_disk=200 * MIB, bytes_unpacked=400 * MIB, rows=2_000_000, columns=20_000, texts=2_000,
    cells=20_000_000, members=2_000,
)  # fmt: skip
INTERPRETED = ("dates", "missing_marks", "sheet")  # from memory; all else takes the files again
Sources = tuple[tuple[str, bytes], ...]


@dataclass(frozen=True)
class Reading:
    """What is to be taken of an upload; what is None is guessed."""

    task: str | None = None
    targets: tuple[str, ...] = ()
    layout: str | None = None
    task_type: str | None = None
    missing: str = "error"
    features: tuple[str, ...] | None = None

    @property
    def asked(self) -> Asked:
        several = self.layout == "wide" or len(self.targets) > 1
        target = list(self.targets) if several else next(iter(self.targets), None)
        return Asked(
            self.task, target or None, self.layout, self.task_type, self.missing, self.features
        )


@dataclass(eq=False)
class Upload:
    """Files as they came, what they hold, and what was said of it.

    ``fault`` is why they cannot be read in the way ``how`` says; ``opened`` is then what they were
    before. ``ticked`` are the columns to use where the reader does not choose them.
    """

    sources: Sources
    digest: str
    how: How = HOW
    tried: How | None = None
    parsed_as: How = HOW
    parsed: Parsed | None = None
    opened: Opened | None = None
    fault: ValueError | None = None
    ticked: frozenset[str] | None = None
    n_ticks: int = 0
    further: tuple[Hashable, FurtherRows | ReadError] | None = None  # for a fit, rows of new tasks

    @property
    def name(self) -> str:
        names = [name for name, _ in self.sources]
        return names[0] if len(names) == 1 else counted(len(names), "file")

    def open(self) -> None:
        """As ``how`` says; as long as the files are not written so, what was read before stays."""
        self.tried, self.fault = self.how, None
        alike = {name: getattr(self.how, name) for name in INTERPRETED}
        try:
            if self.parsed is None or replace(self.parsed_as, **alike) != self.how:
                self.parsed = parse_bounded(list_files([*self.sources], LIMITS), self.how, LIMITS)
                self.parsed_as = self.how
            self.opened = open_parsed(self.parsed, self.how)
        except ValueError as error:
            self.fault = error

    def tick(self, columns: frozenset[str] | None) -> None:
        """Use these columns and no others, or those that the reader chooses."""
        self.ticked, self.n_ticks = columns, self.n_ticks + 1


@dataclass(frozen=True, eq=False)
class UploadedTasks:
    """Tasks read from an upload, before rows are kept aside for testing."""

    upload: Upload
    reading: Reading
    data: TaskSet
    account: Account
    known: KnownReading  # what a further file is to be read like


class UploadKey(NamedTuple):
    """What tells uploaded tasks apart: the files, and all that was said of them."""

    digest: str
    how: How
    reading: Reading
    held_out: float
    split: int


def make_upload(sources: Sources) -> Upload:
    digest = sha256()
    for name, content in sources:
        digest.update(repr((name, len(content))).encode())
        digest.update(content)  # without a copy
    return Upload(sources, digest.hexdigest())


def read_upload(upload: Upload, reading: Reading) -> UploadedTasks:
    """Tasks of an upload; a ValueError says in one sentence why there are none."""
    opened = upload.opened
    assert opened is not None
    guess = opened.guess
    if reading.features is None and (reading.task, reading.targets) == (guess.task, guess.targets):
        # told by nobody, so that the account says what was guessed
        reading = replace(reading, task=None, targets=(), layout=None)
    data, account = opened.take(reading.asked)
    return UploadedTasks(upload, reading, data, account, KnownReading.of(data, account))


def divide(found: UploadedTasks, choice: DataChoice) -> Loaded:
    """The tasks with test rows kept aside, or without any and a sentence that says why."""
    account = tuple(found.account.lines(word_setting))
    upload = found.upload
    try:
        loaded = split(choice, upload.name, found.data, private=True)
    except ValueError as error:
        loaded = Loaded(choice, upload.name, found.data, None, private=True)
        account = (*account, f"No rows were kept for testing: {word_error(error)}")
    key = UploadKey(upload.digest, upload.how, found.reading, choice.held_out, choice.split)
    return replace(loaded, key=key, account=account, known=found.known)


def open_upload(upload: Upload, reading: Reading) -> bool:
    """Tasks of an upload, read unless that was tried before; whether they are now in hand.

    It is marked as tried last, and what was tried before is no longer: Streamlit may end a run at
    any of its calls and begin another one, which may want something else.
    """
    session = current()
    trial = upload.digest, upload.how, reading
    if session.upload_tried == trial:
        return False
    session.upload_tried, session.data_error, last = None, None, session.uploaded
    try:
        found = read_upload(upload, reading)
    except ValueError as error:
        session.data_error, session.upload_tried = (UPLOAD, error), trial
        return False
    if last is None or last.upload.digest != upload.digest:
        session.set_fit(model=CHOSEN)  # nobody knows yet how many clusters there are
    take_in_hand(session, session.data_choice.with_values(source=UPLOAD), found)
    session.upload_tried = trial
    return True


def take_in_hand(session: Session, choice: DataChoice, found: UploadedTasks) -> None:
    session.open_data(choice, divide(found, choice))
    session.uploaded = found


def forget_try() -> None:
    """Read the upload again, as it is set."""
    current().upload_tried = None


def divide_again(choice: DataChoice) -> None:
    """Keep other rows aside for testing."""
    session = current()
    if choice.source == UPLOAD and session.uploaded is not None:
        take_in_hand(session, choice, session.uploaded)
    else:
        session.try_data(choice)
