"""How large a file may be, and the one error that every fault of a file ends in."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, fields

from stcmtl.errors import InputError, Setting, Text, name_in_python
from stcmtl.phrases import shorten as shorten

MIB = 2**20
GIB = 2**30

# What the fields of the limits count, where their names do not say it.
UNITS = {"bytes_on_disk": "bytes on disk", "bytes_unpacked": "bytes once unpacked"}
UNITS |= {"cells": "cells (rows x columns)", "members": "files inside"}
UNITS |= {"texts": "columns of text"}


class ReadError(InputError):
    """A file that cannot be read: one sentence that names it and what to do.

    Names in it come from the file, so anything that would not print becomes a question mark.

    >>> from stcmtl import ReadError, read
    >>> try:
    ...     read(("empty.csv", b""))
    ... except ReadError as error:
    ...     print(error)
    empty.csv is empty: export or download it again.
    """

    def sentence(self, words: Callable[[Setting], str] = name_in_python) -> str:
        return "".join(char if char.isprintable() else "?" for char in super().sentence(words))


def fault(file: str, what: Text, remedy: Text = "") -> ReadError:
    """``<file> <what>: <remedy>.``, to be raised."""
    return ReadError(what, where=shorten(file), remedy=remedy)


def damage_fault(file: str) -> ReadError:
    return fault(file, "is damaged or cut short", "export or download it again")


@contextmanager
def library_faults(file: str) -> Iterator[None]:
    """Whatever a library raises on a damaged file, as the one error of files."""
    try:
        yield
    except (ReadError, MemoryError):
        raise
    except Exception as error:
        raise damage_fault(file) from error


@dataclass(frozen=True)
class Limits:
    """How much ``read`` takes, set to what a laptop reads without trouble; raise a field for more.

    Attributes
    ----------
    bytes_on_disk : all files of one call together
    bytes_unpacked : what comes out of archives and compressed blocks
    rows, tasks : of one call
    columns : of all sheets and all tables whose columns differ, together
    texts : columns whose cells have to be looked at one by one
    cells : rows x columns of the features
    members : files in an archive
    seconds, memory : processor time, and bytes, of the process that parses uploads

    >>> from stcmtl import Limits
    >>> Limits(rows=1000).rows
    1000
    """

    bytes_on_disk: int = GIB
    bytes_unpacked: int = GIB
    rows: int = 5_000_000
    columns: int = 50_000
    texts: int = 10_000
    cells: int = 100_000_000
    members: int = 10_000
    tasks: int = 10_000
    seconds: int = 60
    memory: int = 3 * GIB

    def __post_init__(self) -> None:
        for field in fields(self):
            value = getattr(self, field.name)
            if isinstance(value, bool) or not isinstance(value, int) or value < 1:
                what = f"Limits({field.name}={value!r})"
                raise InputError(what, remedy="give a whole number above 0")

    def check(self, name: str, **sizes: int) -> None:
        """Refuse what exceeds a limit, in a sentence that names the file and the limit."""
        for field, size in sizes.items():
            limit = getattr(self, field)
            if size > limit:
                what = f"has {size:,} {UNITS.get(field, field)}, more than the limit of {limit:,}"
                allow = Setting(f"limits.{field}", size, ", or pass {} to allow it")
                raise fault(name, what, ("read a smaller part", allow))

    def check_so_far(self, name: str, field: str, size: int) -> None:
        """As ``check`` of a size that is still growing, and so no limit to name."""
        limit = getattr(self, field)
        if size > limit:
            clause = f", or raise {field} in {{}} if you trust it"
            remedy = "read a smaller part", Setting(f"limits.{field}", "...", clause)
            what = f"has more than {limit:,} {UNITS.get(field, field)}, the limit"
            raise fault(name, what, remedy)

    def check_shape(self, name: str, rows: int, columns: int) -> None:
        self.check(name, rows=rows, columns=columns, cells=rows * columns)


class Budget:
    """Counts bytes as they are unpacked, before they are."""

    def __init__(self, name: str, limits: Limits) -> None:
        self.name, self.limits, self.spent = name, limits, 0

    def spend(self, n_bytes: int) -> None:
        self.spent += n_bytes
        self.limits.check_so_far(self.name, "bytes_unpacked", self.spent)
