"""Results and tasks to files: CSV, Parquet or Excel tables, and ``.npz`` for tasks.

A file takes its place when it is whole. The tables are data frames first, so a notebook and a file
show the same. In CSV and Excel no text can act as a formula: a cell that begins with ``=``, ``+``,
``-``, ``@``, their wide forms, a tab or a line break may be taken for one, so it gets a leading
apostrophe. So does one that has apostrophes before such a sign: ``plain_text`` is the exact inverse
of ``safe_text``.
"""

import csv
import os
import re
import shutil
from collections.abc import Iterable, Iterator
from contextlib import ExitStack, contextmanager
from io import BytesIO
from itertools import chain
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, TextIO

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from stcmtl.data.taskset import TaskSet
from stcmtl.errors import InputError, Setting
from stcmtl.phrases import quote

TABLE_ENDINGS = (".csv", ".parquet", ".xlsx")
TASK_ENDINGS = (*TABLE_ENDINGS, ".npz")
EXCEL_ROWS, EXCEL_COLUMNS = 1_048_576, 16_384
# What no Excel file may hold: control characters but tab and line breaks.
NOT_IN_EXCEL = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f]")
FORMULA = re.compile(r"'*[=+\-@\t\r\n＝＋－＠]")
WORKBOOK = "results.xlsx"

Target = str | os.PathLike[str]


@contextmanager
def replace_when_whole(path: Target) -> Iterator[Path]:
    """A path to write to, in a folder beside; at the end the file takes its place at once.

    After an error, Ctrl-C or on a full disk the old file stays as it was. What a link points to is
    replaced, not the link; what is no ordinary file, such as a pipe, is written to directly.
    """
    target = Path(os.path.realpath(path))
    if target.exists() and not target.is_file():
        yield target
        return
    try:
        if target.exists():
            target.open("ab").close()  # one may rename over a file that one may not write to
        folder = TemporaryDirectory(prefix=".stcmtl-", dir=target.parent)
    except OSError as error:
        raise type(error)(error.errno, error.strerror, str(path)) from None
    with folder:
        beside = Path(folder.name) / target.name
        yield beside
        if target.exists():
            shutil.copymode(target, beside)
        beside.replace(target)


def write_tables(tables: dict[str, pd.DataFrame], folder: Target, format: str) -> list[Path]:
    """Write tables by name into a folder, and return the files.

    ``format`` is "csv" or "parquet" for a file per table, or "xlsx" for one workbook with a
    sheet per table.
    """
    if f".{format}" not in TABLE_ENDINGS:
        raise InputError(
            f"is {format!r}", where=Setting("format"), remedy="use 'csv', 'parquet' or 'xlsx'"
        )
    target = Path(folder)
    target.mkdir(parents=True, exist_ok=True)
    paths = [target / name for name in name_tables(tables, format)]
    with ExitStack() as whole:  # all of them, or none
        beside = [whole.enter_context(replace_when_whole(path)) for path in paths]
        if format == "xlsx":
            write_workbook(tables, *beside)
        else:
            for table, path in zip(tables.values(), beside, strict=True):
                write_table(table, path)
    return paths


def name_tables(names: Iterable[str], format: str) -> list[str]:
    return [WORKBOOK] if format == "xlsx" else [f"{name}.{format}" for name in names]


def write_table(table: pd.DataFrame, path: Target) -> None:
    """Write one table as the ending of the path says: .csv, .parquet or .xlsx.

    >>> writers.write_table(writers.memberships_table(model), "shares.csv")
    >>> from pathlib import Path
    >>> Path("shares.csv").read_text().splitlines()[0]
    '"task","cluster 1","cluster 2","cluster 3"'
    """
    ending = check_ending(path, TABLE_ENDINGS)
    with replace_when_whole(path) as beside:
        if ending == ".csv":
            write_csv(table, beside)
        elif ending == ".xlsx":
            write_workbook({"table": table}, beside)
        else:
            write_parquet(table, beside)


def check_ending(path: Target, endings: tuple[str, ...]) -> str:
    """The ending in lower case; one that is not among them is refused."""
    ending = Path(path).suffix.lower()
    if ending not in endings:
        what = f"ends in {ending!r}" if ending else "has no ending"
        raise InputError(what, where=Path(path).name, remedy=f"use {', '.join(endings)}")
    return ending


def write_csv(table: pd.DataFrame, path: Path | TextIO) -> None:
    """Every text in quotes, without which a lone carriage return in one would end the line."""
    options: dict[str, Any] = {"quoting": csv.QUOTE_NONNUMERIC, "lineterminator": "\n"}
    safe_frame(table).to_csv(path, index=False, encoding="utf-8", **options)


def write_parquet(table: pd.DataFrame, path: Path) -> None:
    """Parquet knows text from formulas, so cells stay as they are."""
    try:
        with needs_library(path):
            table.to_parquet(path, index=False)
    except InputError:
        raise
    except (TypeError, ValueError) as error:  # labels of several kinds, names used twice
        reason = str(error).splitlines()[0].rstrip(".")
        what = f"cannot be Parquet ({reason})"
        raise InputError(what, where=path.name, remedy="use CSV") from error


@contextmanager
def needs_library(path: Path) -> Iterator[None]:
    try:
        yield
    except ImportError as error:
        what, remedy = "needs a library that is not installed", "install stcmtl[files], or use CSV"
        raise InputError(what, where=path.name, remedy=remedy) from error


def write_workbook(tables: dict[str, pd.DataFrame], path: Path) -> None:
    """A sheet per table; made in memory, as openpyxl would show where a full disk stopped it."""
    sheets = {name: safe_frame(table) for name, table in tables.items()}
    for name, sheet in sheets.items():
        check_sheet(sheet, name)
    book = BytesIO()
    with needs_library(path), pd.ExcelWriter(book, engine="openpyxl") as writer:
        for name, sheet in sheets.items():
            sheet.to_excel(writer, sheet_name=name, index=False)
            keep_all_digits(writer.sheets[name])
    path.write_bytes(book.getvalue())


def keep_all_digits(sheet: Any) -> None:
    """Numbers as Python spells them: openpyxl would write 16 digits, of the 17 that some need."""
    for cell in chain.from_iterable(sheet.iter_rows()):
        if isinstance(cell.value, float):
            cell.value, cell.data_type = repr(float(cell.value)), "n"


def check_sheet(sheet: pd.DataFrame, name: str) -> None:
    if len(sheet) >= EXCEL_ROWS or sheet.shape[1] > EXCEL_COLUMNS:
        rows, columns = sheet.shape
        what = f"has {rows} rows and {columns} columns, more than an Excel sheet holds"
        raise InputError(what, where=f"The table {name}", remedy="use CSV or Parquet")
    cells = [column for _, column in sheet.items() if not pd.api.types.is_numeric_dtype(column)]
    for text in chain(sheet.columns, *cells):
        if isinstance(text, str) and NOT_IN_EXCEL.search(text):
            what = f"Excel cannot hold the text {quote(text)}"
            raise InputError(what, remedy="use CSV or Parquet")


def write_tasks(data: TaskSet, path: Target) -> None:
    """Write a TaskSet: a table of ``task``, ``target`` and features, or ``.npz`` of arrays.

    The table is .csv, .parquet or .xlsx. The ``.npz`` holds ``X``, ``y``, ``tasks``,
    ``feature_names`` and ``task_type``. The truth of a simulation is not written.

    >>> writers.write_tasks(train, "tasks.csv")
    >>> from stcmtl import read
    >>> len(read("tasks.csv")[0])
    12
    """
    if check_ending(path, TASK_ENDINGS) != ".npz":
        write_table(data.to_frame(), path)
        return
    arrays: dict[str, Any] = {
        "X": data.X,
        "y": plain_array(data.y, "target"),
        "tasks": plain_array(data.tasks, "task"),
        "feature_names": np.array(data.feature_names, dtype=str),
        "task_type": np.array(data.task_type),
    }
    write_arrays(arrays, path)


def write_text(text: str, path: Target, errors: str = "strict") -> None:
    with replace_when_whole(path) as beside:
        beside.write_text(text, encoding="utf-8", errors=errors, newline="\n")


def write_arrays(arrays: dict[str, Any], path: Target) -> None:
    # given a name, numpy would change the ending .NPZ
    with replace_when_whole(path) as beside, beside.open("wb") as stream:
        np.savez_compressed(stream, **arrays)


def plain_array(values: NDArray[Any], noun: str) -> NDArray[Any]:
    """Objects and variable-length text as plain text, without which numpy would pickle them."""
    if values.dtype.kind not in "OT":
        return values
    if not all(isinstance(value, str) for value in values):
        what = f"The {noun} labels are of several kinds"
        raise InputError(what, remedy="make them all text for .npz")
    return values.astype(str)


def safe_text(value: Any) -> Any:
    """A text made safe; anything else, numbers above all, as it is."""
    return f"'{value}" if isinstance(value, str) and FORMULA.match(value) else value


def plain_text(value: Any) -> Any:
    """What ``safe_text`` was given."""
    escaped = isinstance(value, str) and value.startswith("'") and FORMULA.match(value)
    return value[1:] if escaped else value


def safe_frame(frame: pd.DataFrame) -> pd.DataFrame:
    copy = frame.copy()
    for i, dtype in enumerate(frame.dtypes):
        if not pd.api.types.is_numeric_dtype(dtype):
            copy.isetitem(i, frame.iloc[:, i].astype(object).map(safe_text))
    copy.columns = pd.Index([safe_text(name) for name in frame.columns])
    return copy


def plain_cells(frame: pd.DataFrame) -> pd.DataFrame:
    """The way back for the cells of a frame that was read, which is changed."""
    for i, dtype in enumerate(frame.dtypes):
        if pd.api.types.is_object_dtype(dtype) or pd.api.types.is_string_dtype(dtype):
            column = frame.iloc[:, i]
            if any(plain_text(level) is not level for level in column.unique()):
                frame.isetitem(i, column.map(plain_text))
    return frame
