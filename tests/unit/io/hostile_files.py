"""Files that mean harm, or are broken: bombs, lies, loops and links."""

import io
import struct
import zipfile
import zlib
from collections.abc import Callable
from itertools import pairwise
from typing import Any

import h5py
import numpy as np
import openpyxl
import pyarrow as pa
import pyarrow.parquet as pq
from scipy.io import savemat

from benchmarks.layouts import (
    excel_bytes,
    frame_of,
    mat_bytes,
    school_like,
    zip_bytes,
)

MIB = 2**20
LONG = frame_of(school_like())


def zip_bomb() -> bytes:
    return zip_bytes({f"{n}.csv": b"0" * (4 * MIB) for n in range(4)})


def lying_zip() -> bytes:
    """The directory declares ten bytes where 16 MiB come out."""
    honest = zip_bytes({"a.csv": b"0" * (16 * MIB)})
    size = struct.pack("<I", 16 * MIB)
    return honest.replace(size, struct.pack("<I", 10))


def overlapping_zip() -> bytes:
    """Many directory entries that all point at the same packed megabytes."""
    honest = zip_bytes({"a.csv": b"0" * (16 * MIB)})
    start = honest.index(b"PK\x01\x02")
    end = honest.index(b"PK\x05\x06")
    entries = b"".join(honest[start:end].replace(b"a.csv", b"%05d" % n) for n in range(500))
    tail = struct.pack("<4s4H2IH", b"PK\x05\x06", 0, 0, 500, 500, len(entries), start, 0)
    return honest[:start] + entries + tail


def many_members() -> bytes:
    return zip_bytes({f"{n}.csv": b"x" for n in range(11_000)})


def npy(header: str, body: bytes = b"") -> bytes:
    padded = header.encode() + b"\n"
    return b"\x93NUMPY\x01\x00" + struct.pack("<H", len(padded)) + padded + body


def lying_npz() -> bytes:
    header = "{'descr': '<f8', 'fortran_order': False, 'shape': (1000000000000, 1000)}"
    return zip_bytes({"X.npy": npy(header, b"\0" * 80)})


def npz_of_nothing(shape: str) -> Callable[[], bytes]:
    header = f"{{'descr': '<f8', 'fortran_order': False, 'shape': {shape}}}"
    return lambda: zip_bytes({"X.npy": npy(header)})


def npz_with_objects() -> bytes:
    buffer = io.BytesIO()
    np.savez(buffer, X=np.array([{}, []], dtype=object))
    return buffer.getvalue()


def npz_with_code() -> bytes:
    return zip_bytes({"X.npy": npy("__import__('os').system('touch hostile')")})


def npz_deep_header() -> bytes:
    return zip_bytes({"X.npy": npy("(" * 5000 + ")" * 5000)})


def mat_bomb() -> bytes:
    inner = struct.pack("<II", 14, 16 * MIB) + b"\0" * (16 * MIB)
    packed = zlib.compress(inner)
    return mat_bytes(X=np.eye(2))[:128] + struct.pack("<II", 15, len(packed)) + packed


def mat4_cut_short() -> bytes:
    buffer = io.BytesIO()
    savemat(buffer, {"X": np.eye(30)}, format="4")
    return buffer.getvalue()[:500]


def mat_lying_tag() -> bytes:
    return mat_bytes(X=np.eye(2))[:128] + struct.pack("<II", 14, 2**32 - 8)


def mat_of_no_type() -> bytes:
    """Numbers of an unknown type, which SciPy looks up beyond the end of a table: it may crash."""
    honest = mat_bytes(X=np.ones((30, 30)))
    tag = struct.pack("<II", 9, 7200)
    assert tag in honest
    return honest.replace(tag, struct.pack("<II", 60_000, 7200))


def mat_many_cells() -> bytes:
    empties = struct.pack("<II", 14, 0) * 200_000
    flags = struct.pack("<IIII", 6, 8, 1, 0)
    dims = struct.pack("<IIii", 5, 8, 1, 200_000)
    body = flags + dims + struct.pack("<II", 1, 0) + empties
    return mat_bytes(X=np.eye(2))[:128] + struct.pack("<II", 14, len(body)) + body


def hdf5(fill: Callable[[Any], None]) -> bytes:
    buffer = io.BytesIO()
    with h5py.File(buffer, "w") as root:
        fill(root)
    return buffer.getvalue()


def hdf5_huge(root: Any) -> None:
    root.create_dataset("X", shape=(10**7, 10**5), dtype="f8", chunks=(100, 100))


def hdf5_chunk_bomb(root: Any) -> None:
    """A chunk that inflates to a thousand times what its shape allows."""
    item = root.create_dataset("X", shape=(10, 10), dtype="f8", chunks=(10, 10), compression=9)
    item.id.write_direct_chunk((0, 0), zlib.compress(b"\0" * (40 * MIB)))


def hdf5_external(root: Any) -> None:
    root["X"] = h5py.ExternalLink("/etc/passwd", "/")


def hdf5_external_storage(root: Any) -> None:
    root.create_dataset("X", shape=(10,), dtype="u1", external=[("/etc/passwd", 0, 10)])


def hdf5_cycle(root: Any) -> None:
    group = root.create_group("g")
    for n in range(200):
        group[f"g{n}"] = group
    root["X"] = np.eye(2)


def hdf5_maze(root: Any) -> None:
    """Every group leads to every other: very many ways, and none of them ends."""
    groups = [root.create_group(f"g{n}") for n in range(30)]
    for group in groups:
        for n, other in enumerate(groups):
            group[f"to{n}"] = other


def hdf5_shared(root: Any) -> None:
    """Ways to a group that double with every level, of which there are few."""
    groups = [root.create_group(f"{n}") for n in range(5)]
    for above, below in pairwise(groups):
        for n in range(300):
            above[f"way {n}"] = below
    root["X"] = np.eye(2)


def hdf5_many_references(root: Any) -> None:
    """Very many cells, all of which are one array."""
    root["one"] = np.ones((3, 3))
    cells = root.create_dataset("X", (300_000,), dtype=h5py.ref_dtype)
    cells[...] = root["one"].ref


def hdf5_text(root: Any) -> None:
    root.create_dataset("X", data=["a", "b"], dtype=h5py.string_dtype())


def excel_padded() -> bytes:
    """Every row has one cell, in the last column there is."""
    rows = "".join(f'<row r="{n}"><c r="XFD{n}"><v>1</v></c></row>' for n in range(1, 9001))
    return with_sheet(f"<sheetData>{rows}</sheetData>")


def with_sheet(content: str) -> bytes:
    members = unpack(excel_bytes(LONG))
    name = "xl/worksheets/sheet1.xml"
    space = "http://schemas.openxmlformats.org/spreadsheetml/2006/main"
    members[name] = f'<worksheet xmlns="{space}">{content}</worksheet>'.encode()
    return zip_bytes(members)


def excel_of_wide_sheets(count: int, columns: int) -> bytes:
    book = openpyxl.Workbook()
    for _ in range(count):
        book.create_sheet().append([f"x{d}" for d in range(columns)])
    buffer = io.BytesIO()
    book.save(buffer)
    return buffer.getvalue()


def excel_bomb() -> bytes:
    return with_sheet("<sheetData>" + "<row/>" * MIB + "</sheetData>")


def excel_of_bombs() -> bytes:
    """A hundred sheets of blank rows, each below the size at which a part is looked at alone."""
    return with_sheets(100, "<row/>" * (MIB // 8))


def excel_of_sheets() -> bytes:
    return with_sheets(2000, '<row r="1"><c r="A1"><v>1</v></c></row>')


def with_sheets(count: int, rows: str) -> bytes:
    """Sheets by many names that are all the same part of the file."""
    members = unpack(with_sheet(f"<sheetData>{rows}</sheetData>"))
    one = b'<sheet name="Sheet1" sheetId="1" state="visible" r:id="rId1" />'
    book = members["xl/workbook.xml"]
    assert one in book
    many = [one.replace(b"Sheet1", b"s%d" % n).replace(b'"1"', b'"%d"' % n) for n in range(count)]
    members["xl/workbook.xml"] = book.replace(one, b"".join(many))
    return zip_bytes(members)


def unpack(data: bytes) -> dict[str, bytes]:
    with zipfile.ZipFile(io.BytesIO(data)) as archive:
        return {info.filename: archive.read(info) for info in archive.infolist()}


def excel_laughs() -> bytes:
    levels = "".join(f'<!ENTITY e{n} "{f"&e{n - 1};" * 10}">' for n in range(1, 12))
    members = unpack(excel_bytes(LONG))
    members["xl/worksheets/sheet1.xml"] = (
        f'<!DOCTYPE w [<!ENTITY e0 "ha">{levels}]><worksheet xmlns="http://schemas.openxmlformats.'
        'org/spreadsheetml/2006/main"><sheetData><row r="1"><c r="A1" t="str"><v>&e11;</v></c>'
        "</row></sheetData></worksheet>"
    ).encode()
    return zip_bytes(members)


def empty_workbook() -> bytes:
    buffer = io.BytesIO()
    openpyxl.Workbook().save(buffer)
    return buffer.getvalue()


def parquet_bomb() -> bytes:
    """A megabyte of pages that unpack to far more, by their own headers."""
    table = pa.table({"task": ["a" * (16 * MIB), "b"], "y": [1.0, 2.0]})
    buffer = io.BytesIO()
    pq.write_table(table, buffer, compression="zstd", use_dictionary=False)
    return buffer.getvalue()


def parquet_wide() -> bytes:
    buffer = io.BytesIO()
    pq.write_table(pa.table({f"x{n}": [1.0] for n in range(2_000)}), buffer)
    return buffer.getvalue()


def gzip_bomb() -> bytes:
    packer = zlib.compressobj(wbits=31)
    return packer.compress(b"1,2\n" * (4 * MIB)) + packer.flush()
