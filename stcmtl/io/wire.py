"""What crosses between the process that reads uploads and ours: JSON and Arrow, never pickle.

A request is the length of some JSON, the JSON (names, sizes, settings), then the files' bytes. An
answer is JSON too; cells stand beside it, as a stream of Arrow's IPC format per table, then the
bytes of arrays.
"""

import datetime
import json
import math
from dataclasses import asdict
from typing import Any, BinaryIO, Literal

import numpy as np
import pandas as pd
import pyarrow as pa
from numpy.typing import NDArray

from stcmtl.errors import Setting, Text, Worded
from stcmtl.io.account import Case
from stcmtl.io.arrays import Cells, Value
from stcmtl.io.formats.typed import WIDE
from stcmtl.io.limits import Limits, ReadError
from stcmtl.io.parsing import How, Parsed, Table
from stcmtl.io.sources import File

LENGTH = 8  # bytes that say how long the JSON of a request is
ALIGNED = 64  # bytes, at a multiple of which an array begins
BLOCK = 2**20


def write_request(
    parser: str, files: list[File], how: How, limits: Limits, handle: BinaryIO
) -> None:
    header = {
        "parser": parser,
        "files": [(file.name, file.size, file.beside) for file in files],
        "how": asdict(how),
        "limits": asdict(limits),
    }
    text = json.dumps(header, default=list).encode()
    handle.write(len(text).to_bytes(LENGTH, "little") + text)
    for file in files:
        with file.open() as content:
            while block := content.read(BLOCK):
                handle.write(block)
    handle.flush()


def read_header(handle: BinaryIO) -> dict[str, Any]:
    handle.seek(0)
    length = int.from_bytes(handle.read(LENGTH), "little")
    header: dict[str, Any] = json.loads(handle.read(length))
    return header


def read_request(header: dict[str, Any], handle: BinaryIO) -> tuple[list[File], How, Limits]:
    files = [
        File(name, data=handle.read(size), beside=beside) for name, size, beside in header["files"]
    ]
    how = header["how"]
    marks = how["missing_marks"]  # JSON has lists alone
    how |= {"missing_marks": marks and tuple(marks), "texts": frozenset(how["texts"])}
    return files, How(**how), Limits(**header["limits"])


def write_parsed(parsed: Parsed, handle: BinaryIO) -> dict[str, Any]:
    """Cells and arrays to a file; what is left, for the answer."""
    case = parsed.case.found()
    case["advice"] = [encode_text(text) for text in case["advice"]]
    answer = {
        "files": parsed.files,
        "format": parsed.format,
        "name": parsed.case.name,
        "case": case,
        "tables": [write_table(table, handle) for table in parsed.tables],
        "sheets": {title: write_table(sheet, handle) for title, sheet in parsed.sheets.items()},
        "arrays": {
            name: [write_array(item, handle) for item in list_items(value)]
            for name, value in parsed.arrays.items()
        },
        "cells": {n: cells.names for n, cells in parsed.arrays.items() if isinstance(cells, Cells)},
    }
    handle.flush()
    return answer


def read_parsed(answer: dict[str, Any], buffer: Any, limits: Limits) -> Parsed:
    """The way back; numbers stay where they are in the buffer."""
    source = pa.BufferReader(buffer)
    tables = tuple(read_table(rest, source) for rest in answer["tables"])
    sheets = {title: read_table(rest, source) for title, rest in answer["sheets"].items()}
    arrays: dict[str, Value] = {}
    for name, items in answer["arrays"].items():
        own = [
            np.frombuffer(buffer, dtype, math.prod(shape), place).reshape(shape, order=order)
            for dtype, shape, order, place in items
        ]
        names = answer["cells"].get(name)
        arrays[name] = own[0] if names is None else Cells(own, tuple(names))
    found = answer["case"]
    found["encoded"] = {name: tuple(to) for name, to in found["encoded"].items()}
    found["advice"] = [decode_text(text) for text in found["advice"]]
    case = Case(answer["name"], limits, **found)
    return Parsed(tuple(answer["files"]), answer["format"], case, tables, arrays, sheets)


def list_items(value: Value) -> list[NDArray[Any]]:
    return value.items if isinstance(value, Cells) else [value]


def write_array(item: NDArray[Any], handle: BinaryIO) -> tuple[Any, ...]:
    """In the order that MATLAB and some NumPy files keep it, so that both ways give the same."""
    order: Literal["C", "F"]
    order = "F" if item.flags.f_contiguous and not item.flags.c_contiguous else "C"
    handle.write(bytes(-handle.tell() % ALIGNED))
    place = handle.tell()
    handle.write(item.tobytes(order=order))
    return item.dtype.str, item.shape, order, place


def write_table(table: Table, handle: BinaryIO) -> dict[str, Any]:
    cells = make_table(table.frame)
    with pa.ipc.new_stream(handle, cells.schema) as stream:
        stream.write_table(cells)
    rest = {name: v for name, v in vars(table).items() if name not in ("frame", "columns")}
    return rest | {"fault": table.fault and encode_error(table.fault)}


def read_table(rest: dict[str, Any], source: pa.BufferReader) -> Table:
    fault = rest["fault"] and decode_error(rest["fault"])
    return Table(**rest | {"frame": read_frame(source), "fault": fault})


def make_table(frame: pd.DataFrame) -> pa.Table:
    """Numbers with their NaN as they are, which need no copy on the way back."""
    columns = {place: encode_column(column) for place, (_, column) in enumerate(frame.items())}
    mixed = [place for place, dtype in enumerate(frame.dtypes) if is_mixed(dtype)]
    names = {"names": json.dumps(list(frame.columns)), "mixed": json.dumps(mixed)}
    return pa.table({str(place): array for place, array in columns.items()}, metadata=names)


def encode_column(column: pd.Series) -> pa.Array:
    if column.dtype.kind in "iuf":
        return pa.array(column.to_numpy(), from_pandas=False)
    if not is_mixed(column.dtype):
        return pa.Array.from_pandas(column)
    texts = [None if cell is None else json.dumps(cell, default=encode_cell) for cell in column]
    return pa.array(texts, pa.large_string())


def is_mixed(dtype: Any) -> bool:
    return isinstance(dtype, np.dtype) and dtype.kind == "O"


def encode_cell(cell: Any) -> dict[str, Any]:
    """What JSON has no way to write."""
    if isinstance(cell, datetime.timedelta):
        return {"timedelta": cell // datetime.timedelta(microseconds=1)}
    return {type(cell).__name__: cell.isoformat()}


def decode_cell(parts: dict[str, Any]) -> Any:
    ((kind, value),) = parts.items()
    if kind == "timedelta":
        return datetime.timedelta(microseconds=value)
    return getattr(datetime, kind).fromisoformat(value)


def read_frame(source: pa.BufferReader) -> pd.DataFrame:
    table = pa.ipc.open_stream(source).read_all()
    table.validate(full=True)  # it comes from a process in which anything may have gone wrong
    frame = table.to_pandas(split_blocks=table.num_columns < WIDE)
    for place in json.loads(table.schema.metadata[b"mixed"]):
        cells = [
            None if text is None else json.loads(text, object_hook=decode_cell)
            for text in table.column(place).to_pylist()
        ]
        frame.isetitem(place, pd.Series(cells, dtype=object))
    frame.columns = pd.Index(json.loads(table.schema.metadata[b"names"]), dtype="str")
    return frame


def encode_error(error: Worded) -> dict[str, Any]:
    parts = {"what": error.what, "where": error.where, "remedy": error.remedy}
    return {name: encode_text(text) for name, text in parts.items()}


def decode_error(parts: dict[str, Any]) -> ReadError:
    texts = {name: decode_text(text) for name, text in parts.items()}
    return ReadError(texts.pop("what"), **texts)


def encode_text(text: Text) -> Any:
    """Settings stay settings, so that whoever shows the sentence brings the words."""
    if isinstance(text, tuple):
        return [encode_text(part) for part in text]
    return asdict(text) if isinstance(text, Setting) else text


def decode_text(text: Any) -> Any:
    if isinstance(text, list):
        return tuple(decode_text(part) for part in text)
    return Setting(**text) if isinstance(text, dict) else text
