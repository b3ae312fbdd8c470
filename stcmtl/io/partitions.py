"""Tables in parts, none of which needs to be in memory with another: what a source is made of.

A part is a function without arguments that gives a table, each time it is called, here or in
another process. One of a Dask collection has the ``part`` itself too, for its cluster to make.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple

import pandas as pd

from stcmtl.errors import InputError, Setting, require
from stcmtl.io.limits import library_faults
from stcmtl.phrases import listed, quote


class Columns(NamedTuple):
    """What the columns of every part are."""

    task: str
    target: str | None
    features: list[str]

    def pick(self, table: Any) -> pd.DataFrame:
        """These columns of a table, which may be one of Arrow or Polars."""
        frame = as_frame(table)
        wanted = [self.task, *([] if self.target is None else [self.target]), *self.features]
        missing = [name for name in wanted if name not in frame.columns]
        if missing:
            remedy = f"every one needs the columns {listed(wanted)}"
            what = f"has no column {quote(missing[0])}"
            raise InputError(what, where="A partition", remedy=remedy)
        return frame[wanted]


class ParquetPart:
    """One file."""

    def __init__(self, path: Path) -> None:
        self.path = path

    def __call__(self) -> pd.DataFrame:
        require("pyarrow", "Reading Parquet", extra="files")
        with library_faults(self.path.name):
            return pd.read_parquet(self.path)


class DaskPart:
    """One partition of a Dask data frame, whose columns are known before it is made.

    A shuffle gives its rows in another order whenever it is made, and folds go by order: so rows
    are in that of their index.
    """

    def __init__(self, part: Any, columns: list[str]) -> None:
        self.part, self.columns = part.sort_index(kind="stable"), columns

    def __call__(self) -> pd.DataFrame:
        frame: pd.DataFrame = self.part.compute()
        return frame


class MadeAnew:
    """Tables that a function goes through again whenever it is called."""

    def __init__(self, make: Callable[[], Iterable[Any]]) -> None:
        self.make = make

    def __iter__(self) -> Iterator[Callable[[], Any]]:
        return (partial(give, table) for table in self.make())


Parts = Iterable[Callable[[], Any]]


def list_parts(source: Any) -> Parts:
    """Of a folder of Parquet files, a Dask data frame, a list of tables or a function."""
    if isinstance(source, (str, os.PathLike)):
        path = Path(source)
        files = sorted(path.glob("*.parquet")) if path.is_dir() else [path]
        if not files or not files[0].is_file():
            what = "has no Parquet files in it" if path.is_dir() else "does not exist"
            raise InputError(what, where=str(source), remedy="give a folder of *.parquet files")
        return [ParquetPart(file) for file in files]
    if hasattr(source, "to_delayed"):
        return [DaskPart(part, list(source.columns)) for part in source.to_delayed()]
    if callable(source):
        return MadeAnew(source)
    if (
        isinstance(source, pd.DataFrame)
        or not isinstance(source, Iterable)
        or iter(source) is source
    ):
        raise InputError(
            f"is a {type(source).__name__}, and is read more than once",
            where=Setting("source"),
            remedy="pass a folder of Parquet files, a Dask data frame, a list of tables, or a "
            "function that returns the tables one after the other",
        )
    return [table if callable(table) else partial(give, table) for table in source]


def give(table: Any) -> Any:
    return table


def as_frame(table: Any) -> pd.DataFrame:
    if hasattr(table, "to_pandas"):
        table = table.to_pandas()
    if not isinstance(table, pd.DataFrame):
        what = f"is a {type(table).__name__}"
        raise InputError(what, where="A partition", remedy="give data frames")
    return table


def find_columns(parts: Parts, task: str, target: str | None, features: Any = None) -> Columns:
    """Features are all others, if not given."""
    first = next(iter(parts), None)
    if first is None:
        raise InputError("has no tables", where=Setting("source"))
    if features is None:
        known = getattr(first, "columns", None)
        others = as_frame(first()).columns if known is None else known
        features = [name for name in others if name not in (task, target)]
    elif isinstance(features, str):
        features = [features]
    return Columns(task, target, list(features))
