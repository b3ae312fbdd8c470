"""More files that mean harm: each makes a small file stand for very much work, memory or text."""

from __future__ import annotations

import gzip
import io
import json
import struct
from collections.abc import Callable
from typing import Any

import h5py
import numpy as np
import pyarrow as pa
from openpyxl.utils import get_column_letter
from scipy.io import savemat
from scipy.sparse import csc_array

from benchmarks.layouts import excel_bytes, frame_of, npz_bytes, school_like, stata_bytes, zip_bytes
from tests.unit.io.hostile_files import MIB, hdf5, unpack, with_sheets

SCHOOLS = frame_of(school_like())
FLAT = "task,y,x\n"


def feather_bomb() -> bytes:
    """Zeros, of which very many take little once they are packed."""
    table = pa.table({f"x{n}": np.zeros(MIB) for n in range(100)})
    buffer = io.BytesIO()
    options = pa.ipc.IpcWriteOptions(compression="zstd")
    with pa.ipc.new_file(buffer, table.schema, options=options) as writer:
        writer.write_table(table)
    return buffer.getvalue()


def feather_of_one_text() -> bytes:
    """A long text that every row shares by its number in a dictionary."""
    codes = pa.array(np.zeros(2 * MIB, dtype="i4"))
    shared = pa.DictionaryArray.from_arrays(codes, pa.array(["x" * MIB]))
    buffer = io.BytesIO()
    table = pa.table({"task": shared, "y": np.arange(2.0 * MIB)})
    options = pa.ipc.IpcWriteOptions(compression="zstd")
    with pa.ipc.new_file(buffer, table.schema, options=options) as writer:
        writer.write_table(table)
    return buffer.getvalue()


def many_styles() -> bytes:
    """A small sheet, in a workbook that declares very many formats of cells."""
    members = unpack(excel_bytes(SCHOOLS))
    one = '<xf numFmtId="0" fontId="0" fillId="0" borderId="0"/>'
    space = "http://schemas.openxmlformats.org/spreadsheetml/2006/main"
    members["xl/styles.xml"] = (
        f'<styleSheet xmlns="{space}"><cellXfs>{one * 400_000}</cellXfs></styleSheet>'.encode()
    )
    return zip_bytes(members)


def many_names() -> bytes:
    """Names for ranges of cells, which no reader of a table asks for."""
    members = unpack(excel_bytes(SCHOOLS))
    names = "".join(
        f'<definedName name="n{n}">Sheet1!$A${n}</definedName>' for n in range(1, 200_000)
    )
    book = members["xl/workbook.xml"].decode()
    end = "<definedNames/>" if "<definedNames/>" in book else "</sheets>"
    assert end in book
    whole = f"<definedNames>{names}</definedNames>"
    members["xl/workbook.xml"] = book.replace(
        end, whole if end == "<definedNames/>" else end + whole
    ).encode()
    return zip_bytes(members)


def far_rows(sheets: int, number: int = 2**20) -> bytes:
    """Sheets of one cell in the last row there is: all rows above are to be made."""
    row = f'<row r="{number}"><c r="A{number}"><v>1</v></c></row>'
    members = unpack(with_sheets(1, row))
    path, book = "xl/worksheets/sheet1.xml", members["xl/workbook.xml"]
    links = members["xl/_rels/workbook.xml.rels"]
    one = b'<sheet name="s0" sheetId="0" state="visible" r:id="rId1" />'
    assert one in book
    tags = [one.replace(b"s0", b"s%d" % n).replace(b"rId1", b"far%d" % n) for n in range(sheets)]
    members["xl/workbook.xml"] = book.replace(one, b"".join(tags))
    kind = b"http://schemas.openxmlformats.org/officeDocument/2006/relationships/worksheet"
    more = b"".join(
        b'<Relationship Id="far%d" Type="%s" Target="worksheets/far%d.xml"/>' % (n, kind, n)
        for n in range(sheets)
    )
    members["xl/_rels/workbook.xml.rels"] = links.replace(
        b"</Relationships>", more + b"</Relationships>"
    )
    kinds = members["[Content_Types].xml"]
    content = b"application/vnd.openxmlformats-officedocument.spreadsheetml.worksheet+xml"
    parts = b"".join(
        b'<Override PartName="/xl/worksheets/far%d.xml" ContentType="%s"/>' % (n, content)
        for n in range(sheets)
    )
    members["[Content_Types].xml"] = kinds.replace(b"</Types>", parts + b"</Types>")
    return zip_bytes(members | {f"xl/worksheets/far{n}.xml": members[path] for n in range(sheets)})


def merged_all_over(columns: int = 2000, rows: int = 20_000) -> bytes:
    """Every column of many merged down to the last row, again and again."""
    members = unpack(excel_bytes(SCHOOLS))
    letters = [get_column_letter(n) for n in range(1, columns + 1)]
    spans = "".join(f'<mergeCell ref="{at}1:{at}1048576"/>' for at in letters * 10)
    path = "xl/worksheets/sheet1.xml"
    cells = "".join(f'<c r="{at}1"><v>1</v></c>' for at in letters)
    rows = "".join(f'<row r="{n}"><c r="A{n}"><v>1</v></c></row>' for n in range(2, rows))
    space = "http://schemas.openxmlformats.org/spreadsheetml/2006/main"
    members[path] = (
        f'<worksheet xmlns="{space}"><sheetData><row r="1">{cells}</row>{rows}</sheetData>'
        f"<mergeCells>{spans}</mergeCells></worksheet>"
    ).encode()
    return zip_bytes(members)


def nested_structs() -> bytes:
    value: Any = np.eye(2)
    for _ in range(300):
        value = {"s": value}
    buffer = io.BytesIO()
    savemat(buffer, {"X": value})
    return buffer.getvalue()


def deep_structs(levels: int = 100_000) -> bytes:
    """Cells within cells by hand: the library calls itself for each."""
    header = io.BytesIO()
    savemat(header, {"X": np.eye(2)})
    flags = struct.pack("<IIII", 6, 8, 1, 0) + struct.pack("<IIii", 5, 8, 1, 1)
    flags += struct.pack("<II", 1, 0)
    total, parts = levels * (8 + len(flags)), []
    for _ in range(levels):
        total -= 8
        parts.append(struct.pack("<II", 14, total) + flags)
        total -= len(flags)
    return header.getvalue()[:128] + b"".join(parts)


def sparse_beyond() -> bytes:
    """A sparse matrix whose rows lie far outside of it."""
    buffer = io.BytesIO()
    savemat(buffer, {"X": csc_array(np.eye(40)), "Y": np.ones((40, 1))})
    rows = np.arange(40, dtype="<i4").tobytes()
    assert rows in buffer.getvalue()
    return buffer.getvalue().replace(rows, np.full(40, 2**30, "<i4").tobytes(), 1)


def sparse_of_nothing() -> bytes:
    """No number at all, in a shape of ten thousand million."""
    buffer = io.BytesIO()
    savemat(buffer, {"X": csc_array((10**5, 10**5))})
    return buffer.getvalue()


def one_number_chunks(side: int = 6000) -> Callable[[Any], None]:
    """A chunk for each number, none of which is there."""
    return lambda root: root.create_dataset("X", (side, side), "f8", chunks=(1, 1))


def many_axes(root: Any) -> None:
    root.create_dataset("X", shape=(1,) * 32, dtype="f8")


def groups_as_cells(root: Any) -> None:
    """References that lead to a group, which leads back to them."""
    cells = root.create_dataset("X", (50,), dtype=h5py.ref_dtype)
    root.create_group("loop")
    root["loop"]["up"] = root
    cells[...] = root["loop"].ref


def long_name(root: Any) -> None:
    root["\u202e<b>" + "n" * 60_000] = np.array(["a", "b"], dtype="S1")


def undecoded_name(root: Any) -> None:
    """Bytes that are no UTF-8, as the name of a task."""
    for parent in ("X", "Y"):
        for name in (b"\xff\xfe", b"b"):
            group = root.require_group(parent).id
            h5py.h5d.create(group, name, h5py.h5t.NATIVE_DOUBLE, h5py.h5s.create_simple((9, 1)))


def nested_types(root: Any) -> None:
    """A record within a record within a record."""
    kind = np.dtype("f8")
    for _ in range(200):
        kind = np.dtype([("r", kind)])
    root.create_dataset("X", shape=(2,), dtype=kind)


def many_gzips() -> bytes:
    """Packed again and again with nothing in it, and at the end a line."""
    return gzip.compress(b"") * 2 * MIB + gzip.compress(FLAT.encode())


def bytes_of_r(body: bytes) -> bytes:
    return gzip.compress(b"X\n" + struct.pack(">iii", 3, 0x040000, 0x030500)
                         + struct.pack(">i", 5) + b"UTF-8" + body)  # fmt: skip


def r_bomb() -> bytes:
    """A vector of zeros, packed to a thousandth."""
    n = 60 * MIB
    return bytes_of_r(struct.pack(">ii", 14, n) + bytes(8 * n))


def r_counts() -> bytes:
    """From one to very many, which R keeps as two numbers."""

    def text(name: bytes) -> bytes:
        return struct.pack(">ii", 1, 0x00040009) + struct.pack(">i", len(name)) + name

    info = struct.pack(">i", 2) + text(b"compact_intseq")
    info += struct.pack(">i", 2) + text(b"base")
    info += struct.pack(">i", 2) + struct.pack(">iii", 13, 1, 13) + struct.pack(">i", 254)
    state = struct.pack(">ii", 14, 3) + struct.pack(">ddd", 1e12, 1.0, 1.0)
    return bytes_of_r(struct.pack(">i", 238) + info + state + struct.pack(">i", 254))


def r_deep() -> bytes:
    """Lists within lists, each of one."""
    return bytes_of_r(struct.pack(">ii", 19, 1) * 200_000 + struct.pack(">i", 254))


def stata_of_many_rows() -> bytes:
    """A header that promises two thousand million rows."""
    data = stata_bytes(SCHOOLS)
    at = data.index(b"<N>") + 3 if b"<N>" in data else 6
    return data[:at] + struct.pack("<I", 2**31 - 1) + data[at + 4 :]


def json_of(content: Any) -> Callable[[], bytes]:
    return lambda: json.dumps(content).encode()


def rows_of(**cells: Any) -> list[dict[str, Any]]:
    return [{"task": "ab"[n % 2], "y": n, "x": n / 3, **cells} for n in range(40)]


def csv_of(cell: str, rows: int = 2000) -> Callable[[], bytes]:
    lines = "".join(f"{'ab'[n % 2]},{n},{cell}\n" for n in range(rows))
    return lambda: (FLAT + lines).encode("utf-8", "surrogatepass")


def npz_of(text: str) -> Callable[[], bytes]:
    tasks = np.repeat(np.array([text, "b"]), 20)
    return lambda: npz_bytes(X=np.eye(40), y=np.arange(40.0), tasks=tasks)


def v73_of(text: str) -> Callable[[], bytes]:
    """Names as MATLAB keeps them: letters of 16 bits, of which two may be one."""
    names = np.array([list((text + "b" * 9).encode("utf-16-le", "surrogatepass")[:8])] * 40, "u1")
    letters = names.view("<u2").T

    def fill(root: Any) -> None:
        root["X"], root["y"], root["tasks"] = np.eye(40)[:, :3], np.arange(40.0), letters
        root["tasks"].attrs["MATLAB_class"] = np.bytes_("char")

    return lambda: hdf5(fill)


FILES: dict[str, tuple[str, Callable[[], bytes]]] = {
    "feather bomb": ("a.feather", feather_bomb),
    "feather of one long text": ("a.feather", feather_of_one_text),
    "workbook of many styles": ("a.xlsx", many_styles),
    "workbook of many names": ("a.xlsx", many_names),
    "workbook of last rows": ("a.xlsx", lambda: far_rows(300)),
    "workbook merged all over": ("a.xlsx", merged_all_over),
    "mat of nested structs": ("a.mat", nested_structs),
    "mat of very deep cells": ("a.mat", deep_structs),
    "mat of sparse rows beyond": ("a.mat", sparse_beyond),
    "mat of sparse nothing": ("a.mat", sparse_of_nothing),
    "v7.3 of one-number chunks": ("a.mat", lambda: hdf5(one_number_chunks())),
    "v7.3 of many axes": ("a.mat", lambda: hdf5(many_axes)),
    "v7.3 cells that are groups": ("a.mat", lambda: hdf5(groups_as_cells)),
    "v7.3 of a long name": ("a.mat", lambda: hdf5(long_name)),
    "v7.3 of an undecoded name": ("a.mat", lambda: hdf5(undecoded_name)),
    "v7.3 of nested types": ("a.mat", lambda: hdf5(nested_types)),
    "gzip of many parts": ("a.csv.gz", many_gzips),
    "R bomb": ("a.rds", r_bomb),
    "R counts without end": ("a.rds", r_counts),
    "R lists in lists": ("a.rds", r_deep),
    "Stata of very many rows": ("a.dta", stata_of_many_rows),
    "JSON of half letters": ("a.json", json_of(rows_of(**{"\ud800": "\udfff"}))),
    "JSON of half letters in cells": ("a.json", json_of(rows_of(z="\udfff"))),
    "JSON of very large numbers": ("a.json", json_of(rows_of(z=10**4000))),
    "JSON of numbers beyond floats": ("a.json", json_of(rows_of(z=10**400))),
    "npz of half letters": ("a.npz", npz_of("\ud800")),
    "v7.3 of half letters": ("a.mat", v73_of("\ud83d")),
    "v7.3 of letters in two halves": ("a.mat", v73_of("\U0001f600")),
    "CSV of very long numbers": ("a.csv", csv_of("9" * 5000)),
    "CSV of signs and digits": ("a.csv", csv_of("1." * 2000)),
    "CSV of dates that go on": ("a.csv", csv_of("1/1/" * 1000 + "21")),
    "CSV of half letters": ("a.csv", csv_of("\ud800")),
    "CSV of other line ends": ("a.csv", lambda: FLAT.replace("\n", "\x85").encode() * 1000),
    "CSV of quotes": ("a.csv", lambda: FLAT.encode() + b'""' * 4 * MIB),
    "CSV of exponents": ("a.csv", csv_of("1e999999999")),
}  # fmt: skip
