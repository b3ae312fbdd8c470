"""What a reader understood of a file, as fields and as sentences, and the read while it goes on."""

from collections.abc import Callable, Sequence
from copy import deepcopy
from dataclasses import dataclass, field, replace
from typing import Any, Self

from stcmtl.errors import Setting, Text, name_in_python, put
from stcmtl.io.limits import Limits, ReadError, fault
from stcmtl.io.sources import File
from stcmtl.phrases import counted
from stcmtl.phrases import quote as quote
from stcmtl.phrases import shorten as shorten

LONGEST_LISTED = 40  # characters of a name among others

Doubt = tuple[str | Setting, ...]


@dataclass(frozen=True)
class Fault:
    """Why cells cannot be told, with a gap for where they are: a column, or the target."""

    before: str
    after: str = ""
    remedy: Text = ""

    def at(self, place: str) -> str:
        return f"{self.before} {place}{self.after}"


@dataclass(frozen=True, eq=False)
class Column:
    """What one column is, and what becomes of it.

    ``kind`` is one of number, yes/no, date, time, span, text, identifier, free text, constant,
    empty. ``notation`` says how its cells were written, for a further file; ``doubt`` what they
    could also have meant; ``fault`` why they cannot be used, raised where they are. ``said`` are
    remarks for the account.
    """

    name: str
    kind: str
    example: str = ""
    missing: int = 0
    becomes: str = ""
    notation: dict[str, Any] = field(default_factory=dict)
    doubt: Doubt = ()
    fault: Fault | None = None
    said: tuple[str, ...] = ()


@dataclass(frozen=True)
class Account:
    """How ``read`` understood a file; ``str()`` of it is the text to show to a person.

    Attributes
    ----------
    rows_per_task : rows by task
    dropped : how many of what was left out
    encoded : for a column, the levels (or the unit) it was turned into
    classes : the two labels, the positive one last; empty for a regression
    guessed, notes, advice : sentences. Advice may name arguments, and ``lines`` puts those into
        other words for people who do not write Python.
    understood : the arguments of ``read`` (task, target, weight, layout) for another file like it;
        ``each_label`` is among them if every label became a task against the rest
    alternatives : other columns that could have named the tasks, with what they would have given
        ("2 tasks of 400 to 1,200 rows")
    task_columns : columns with one value per task, such as the region of a store
    columns : for each column, what it is, how it was written and what became of it

    >>> from stcmtl import read
    >>> text = b"shop,x,y\\nA,1,2\\nA,2,3\\nB,1,1\\nB,4,2\\n"
    >>> data, account = read(("tiny.csv", text), task="shop")
    >>> account.tasks, account.features, account.guessed
    (2, ('x',), ("the target is column 'y', by its name",))
    """

    files: tuple[str, ...]
    format: str
    layout: str
    tasks: int
    rows_per_task: dict[Any, int]
    features: tuple[str, ...]
    target_type: str
    classes: tuple[Any, ...] = ()
    dropped: dict[str, int] = field(default_factory=dict)
    encoded: dict[str, tuple[str, ...]] = field(default_factory=dict)
    guessed: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()
    advice: tuple[Text, ...] = ()
    understood: dict[str, Any] = field(default_factory=dict)
    alternatives: dict[str, str] = field(default_factory=dict)
    task_columns: dict[str, dict[Any, Any]] = field(default_factory=dict)
    columns: tuple[Column, ...] = ()

    @property
    def rows(self) -> int:
        return sum(self.rows_per_task.values())

    def __str__(self) -> str:
        return "\n".join(self.lines())

    def lines(self, words: Callable[[Setting], str] = name_in_python) -> list[str]:
        """A sentence per line, with our settings in the words of the reader."""
        few, most = min(self.rows_per_task.values()), max(self.rows_per_task.values())
        each = f"{few:,}" if few == most else f"{few:,} to {most:,}"
        what = shorten(self.files[0]) if len(self.files) == 1 else f"{len(self.files):,} files"
        lines = [
            f"Read {what} as {self.format}, {self.layout}.",
            f"{counted(self.tasks, 'task')}, {counted(self.rows, 'row')} ({each} per task), "
            f"{counted(len(self.features), 'feature')}; the target is for {self.target_type}.",
        ]
        if self.classes:
            first, second = (shorten(repr(label)) for label in self.classes)
            lines.append(f"The labels are {first} and {second}; {second} is the positive one.")
        lines += [f"{what}." for what in describe_dropped(self.dropped)]
        lines += [f"Encoded {quote(name)}: {list_names(to)}." for name, to in self.encoded.items()]
        lines += [f"Guessed: {guess}." for guess in self.guessed]
        lines += [f"{note}." for note in self.notes]
        lines += [f"{put(text, words)}." for text in self.advice]
        return lines


NOT_TOLD = ("name", "limits", "left_out")  # what an account does not hold of a case


@dataclass
class Case:
    """One read while it goes on: what is read, how large it may be, and what was found so far."""

    name: str
    limits: Limits
    dropped: dict[str, int] = field(default_factory=dict)
    encoded: dict[str, tuple[str, ...]] = field(default_factory=dict)
    guessed: list[str] = field(default_factory=list)
    alternatives: dict[str, str] = field(default_factory=dict)
    task_columns: dict[str, dict[Any, Any]] = field(default_factory=dict)
    notes: list[str] = field(default_factory=list)
    advice: list[Text] = field(default_factory=list)
    left_out: dict[str, str] = field(default_factory=dict)  # columns, and why

    @classmethod
    def of_files(cls, files: Sequence[File], limits: Limits) -> Self:
        name = files[0].name if len(files) == 1 else f"The list of {len(files):,} files"
        return cls(name, limits)

    def found(self) -> dict[str, Any]:
        """All that was found, as an account has it."""
        found = {name: value for name, value in vars(self).items() if name not in NOT_TOLD}
        return {name: tuple(v) if isinstance(v, list) else v for name, v in found.items()}

    def leave_out(self, column: str, why: str) -> None:
        self.left_out[column] = why.removeprefix("which ")
        self.dropped[f"column {quote(column)}, {why}"] = 1

    def fault(self, what: Text, remedy: Text = "") -> ReadError:
        return fault(self.name, what, remedy)

    def memory_fault(self) -> ReadError:
        return self.fault("needs more memory than there is", "read a smaller part of it")

    def question(self, what: Text, remedy: Text = "") -> ReadError:
        """As ``fault``, of a clause with a subject of its own."""
        return fault(f"{self.name}:", what, remedy)

    def check(self, **sizes: int) -> None:
        self.limits.check(self.name, **sizes)

    def check_shape(self, rows: int, columns: int) -> None:
        self.limits.check_shape(self.name, rows, columns)

    def of(self, name: str) -> Self:
        """The same case under another name: what is found is found for both."""
        return replace(self, name=name)

    def copy(self) -> Self:
        """A case that goes on from what was found so far, and leaves this one as it is."""
        return deepcopy(self)

    def aside(self, name: str) -> Self:
        """A case of its own, of which nothing is told."""
        return type(self)(name, self.limits)


def describe_dropped(dropped: dict[str, int]) -> list[str]:
    return [f"Left out: {what} ({number:,})" for what, number in dropped.items()]


def list_names(names: Sequence[str], most: int = 6) -> str:
    more = f" and {len(names) - most} more" if len(names) > most else ""
    return (
        ", ".join(" ".join(shorten(name, LONGEST_LISTED).split()) for name in names[:most]) + more
    )
