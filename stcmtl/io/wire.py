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
from stcmtl.io.formats.columnar import WIDE
from stcmtl.io.limits import Limits, ReadError
from stcmtl.io.parsing import How, Parsed, Sheet, Table
from stcmtl.io.sources import File

LENGTH = 8  # bytes that say how long the JSON of a request is
ALIGNED = 64  # bytes, at a multiple of which an array begins
BLOCK = 2**20


def write_request(files: list[File], how: How, limits: Limits, handle: BinaryIO) -> None:
    header = {
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
    frames = [table.frame for table in parsed.tables]
    for frame in (*frames, *(sheet.frame for sheet in parsed.sheets.values())):
        table = make_table(frame)
        with pa.ipc.new_stream(handle, table.schema) as stream:
            stream.write_table(table)
    items = [item for value in parsed.arrays.values() for item in list_items(value)]
    places = []
    for item in items:
        handle.write(bytes(-handle.tell() % ALIGNED))
        places.append(handle.tell())
        handle.write(item.tobytes(order=find_order(item)))
    handle.flush()
    case = parsed.case.found()
    case["advice"] = [encode_text(text) for text in case["advice"]]
    return {
        "files": parsed.files,
        "format": parsed.format,
        "name": parsed.case.name,
        "case": case,
        "tables": [omit(table, "frame", "columns") for table in parsed.tables],
        "sheets": {
            title: omit(sheet, "frame", "fault")
            | {"fault": sheet.fault and encode_error(sheet.fault)}
            for title, sheet in parsed.sheets.items()
        },
        "arrays": {
            name: value.names if isinstance(value, Cells) else None
            for name, value in parsed.arrays.items()
        },
        "counts": [len(list_items(value)) for value in parsed.arrays.values()],
        "items": [
            (item.dtype.str, item.shape, find_order(item), place)
            for item, place in zip(items, places, strict=True)
        ],
    }


def read_parsed(answer: dict[str, Any], buffer: Any, limits: Limits) -> Parsed:
    """The way back; numbers stay where they are in the buffer."""
    source = pa.BufferReader(buffer)
    tables = tuple(Table(frame=read_frame(source), **rest) for rest in answer["tables"])
    sheets = {
        title: Sheet(**rest | {"frame": read_frame(source), "fault": fault and decode_error(fault)})
        for title, rest in answer["sheets"].items()
        for fault in [rest["fault"]]
    }
    items = (
        np.frombuffer(buffer, dtype, math.prod(shape), place).reshape(shape, order=order)
        for dtype, shape, order, place in answer["items"]
    )
    arrays: dict[str, Value] = {}
    for (name, names), count in zip(answer["arrays"].items(), answer["counts"], strict=True):
        own = [next(items) for _ in range(count)]
        arrays[name] = own[0] if names is None else Cells(own, tuple(names))
    found = answer["case"]
    found["encoded"] = {name: tuple(to) for name, to in found["encoded"].items()}
    found["advice"] = [decode_text(text) for text in found["advice"]]
    case = Case(answer["name"], limits, **found)
    return Parsed(tuple(answer["files"]), answer["format"], case, tables, arrays, sheets)


def omit(record: Any, *names: str) -> dict[str, Any]:
    return {name: value for name, value in vars(record).items() if name not in names}


def list_items(value: Value) -> list[NDArray[Any]]:
    return value.items if isinstance(value, Cells) else [value]


def find_order(item: NDArray[Any]) -> Literal["C", "F"]:
    """As MATLAB and some NumPy files keep it, so that both ways of reading give the same."""
    return "F" if item.flags.f_contiguous and not item.flags.c_contiguous else "C"


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
