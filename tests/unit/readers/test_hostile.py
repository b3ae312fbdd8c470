"""Hostile and broken files end in one sentence, soon, and in little memory."""

from __future__ import annotations

import io
import pickle
import struct
import tracemalloc
import zipfile
import zlib
from collections.abc import Callable
from pathlib import Path
from time import perf_counter
from typing import Any

import h5py
import numpy as np
import openpyxl
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from scipy.io import savemat

from benchmarks.layouts import (
    csv_bytes,
    excel_bytes,
    frame_of,
    malsar,
    mat_bytes,
    npz_bytes,
    parquet_bytes,
    school_like,
    v73_bytes,
    zip_bytes,
)
from stcmtl import Limits, ReadError, read

MIB = 2**20
SMALL = Limits(bytes_unpacked=32 * MIB, cells=10**6, columns=1000)
LONG = frame_of(school_like())


def zip_bomb() -> bytes:
    return zip_bytes({f"{n}.csv": b"0" * (16 * MIB) for n in range(4)})


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
    inner = struct.pack("<II", 14, 64 * MIB) + b"\0" * (64 * MIB)
    packed = zlib.compress(inner)
    return mat_bytes(X=np.eye(2))[:128] + struct.pack("<II", 15, len(packed)) + packed


def mat4_cut_short() -> bytes:
    buffer = io.BytesIO()
    savemat(buffer, {"X": np.eye(30)}, format="4")
    return buffer.getvalue()[:500]


def mat_lying_tag() -> bytes:
    return mat_bytes(X=np.eye(2))[:128] + struct.pack("<II", 14, 2**32 - 8)


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
    item.id.write_direct_chunk((0, 0), zlib.compress(b"\0" * (200 * MIB)))


def hdf5_external(root: Any) -> None:
    root["X"] = h5py.ExternalLink("/etc/passwd", "/")


def hdf5_external_storage(root: Any) -> None:
    root.create_dataset("X", shape=(10,), dtype="u1", external=[("/etc/passwd", 0, 10)])


def hdf5_cycle(root: Any) -> None:
    group = root.create_group("g")
    for n in range(200):
        group[f"g{n}"] = group
    root["X"] = np.eye(2)


def hdf5_text(root: Any) -> None:
    root.create_dataset("X", data=["a", "b"], dtype=h5py.string_dtype())


def excel_padded() -> bytes:
    """Every row has one cell, in the last column there is."""
    rows = "".join(f'<row r="{n}"><c r="XFD{n}"><v>1</v></c></row>' for n in range(1, 9001))
    return with_sheet(f"<sheetData>{rows}</sheetData>")


def with_sheet(content: str) -> bytes:
    book = excel_bytes(LONG)
    name = "xl/worksheets/sheet1.xml"
    space = "http://schemas.openxmlformats.org/spreadsheetml/2006/main"
    with zipfile.ZipFile(io.BytesIO(book)) as archive:
        members = {info.filename: archive.read(info) for info in archive.infolist()}
    members[name] = f'<worksheet xmlns="{space}">{content}</worksheet>'.encode()
    return zip_bytes(members)


def excel_bomb() -> bytes:
    return with_sheet("<sheetData>" + "<row/>" * (4 * MIB) + "</sheetData>")


def excel_laughs() -> bytes:
    levels = "".join(f'<!ENTITY e{n} "{f"&e{n - 1};" * 10}">' for n in range(1, 12))
    book = excel_bytes(LONG)
    with zipfile.ZipFile(io.BytesIO(book)) as archive:
        members = {info.filename: archive.read(info) for info in archive.infolist()}
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
    table = pa.table({"task": ["a" * (64 * MIB), "b"], "y": [1.0, 2.0]})
    buffer = io.BytesIO()
    pq.write_table(table, buffer, compression="zstd", use_dictionary=False)
    return buffer.getvalue()


def parquet_wide() -> bytes:
    buffer = io.BytesIO()
    pq.write_table(pa.table({f"x{n}": [1.0] for n in range(2_000)}), buffer)
    return buffer.getvalue()


def gzip_bomb() -> bytes:
    packer = zlib.compressobj(wbits=31)
    return packer.compress(b"1,2\n" * (16 * MIB)) + packer.flush()


def text(content: str, encoding: str = "utf-8") -> Callable[[], bytes]:
    return lambda: content.encode(encoding)


ACCENTS = "task,y,é\na,1,2\n".encode() + "b,2,é\n".encode("latin-1") + b"b,3,4\n" * 20

CASES: dict[str, tuple[str, Callable[[], bytes], str]] = {
    "zip bomb": ("a.zip", zip_bomb, "bytes once unpacked"),
    "zip that lies about its size": ("a.zip", lying_zip, "damaged"),
    "zip that overlaps": ("a.zip", overlapping_zip, "bytes once unpacked"),
    "zip of too many": ("a.zip", many_members, "files inside"),
    "zip that climbs": ("a.zip", lambda: zip_bytes({"../a.csv": b"x"}), "leads out of"),
    "zip from the root": ("a.zip", lambda: zip_bytes({"/etc/a.csv": b"x"}), "leads out of"),
    "zip from a drive": ("a.zip", lambda: zip_bytes({"C:\\a.csv": b"x"}), "leads out of"),
    "zip in a zip": ("a.zip", lambda: zip_bytes({"b.zip": zip_bytes({"a": b"x"})}), "unpack that"),
    "zip of nothing": ("a.zip", lambda: zip_bytes({"folder/": b""}), "no files"),
    "zip with an empty table": ("a.zip", lambda: zip_bytes({"a.csv": b"", "b.csv": b"x"}), "empty"),
    "zip cut short": ("a.zip", lambda: zip_bytes({"a.csv": b"x" * 999})[:60], "cut short"),
    "gzip bomb": ("a.csv.gz", gzip_bomb, "raise bytes_unpacked .* if you trust it"),
    "npz that lies": ("a.npz", lying_npz, "declares"),
    "npz of no rows but very wide": ("a.npz", npz_of_nothing(f"(0, {2**62})"), "damaged"),
    "npz of no columns but very long": ("a.npz", npz_of_nothing(f"({2**62}, 0)"), "damaged"),
    "npz of no rows": ("a.npz", npz_of_nothing("(0, 3)"), r"nothing in its array 'X' \(0 x 3\)"),
    "npz of objects": ("a.npz", npz_with_objects, "never loaded"),
    "npz with code for a header": ("a.npz", npz_with_code, "damaged"),
    "npz with a deep header": ("a.npz", npz_deep_header, "damaged"),
    "npz bomb": ("a.npz", lambda: npz_bytes(X=np.zeros(8 * MIB)), "bytes once unpacked"),
    "mat bomb": ("a.mat", mat_bomb, "bytes once unpacked"),
    "mat with a lying tag": ("a.mat", mat_lying_tag, "damaged"),
    "mat of very many cells": ("a.mat", mat_many_cells, "bytes once unpacked"),
    "mat v4 cut short": ("a.mat", mat4_cut_short, "damaged"),
    "mat cut short": ("a.mat", lambda: malsar(school_like())[:900], "damaged"),
    "mat header only": ("a.mat", lambda: malsar(school_like())[:128], "no arrays"),
    "mat half a header": ("a.mat", lambda: malsar(school_like())[:50], "damaged"),
    "v7.3 of a huge shape": ("a.mat", lambda: hdf5(hdf5_huge), "bytes once unpacked"),
    "v7.3 chunk bomb": ("a.mat", lambda: hdf5(hdf5_chunk_bomb), "damaged"),
    "v7.3 link to a file": ("a.mat", lambda: hdf5(hdf5_external), "not followed"),
    "v7.3 data in a file": ("a.mat", lambda: hdf5(hdf5_external_storage), "another file"),
    "v7.3 groups in a ring": ("a.mat", lambda: hdf5(hdf5_cycle), "nested too deeply"),
    "v7.3 of text": ("a.mat", lambda: hdf5(hdf5_text), "neither numbers"),
    "v7.3 cut short": ("a.mat", lambda: v73_bytes(X=np.eye(9))[:700], "damaged"),
    "Excel padded to the last column": ("a.xlsx", excel_padded, "columns"),
    "Excel bomb": ("a.xlsx", excel_bomb, "times its size"),
    "Excel of a billion laughs": ("a.xlsx", excel_laughs, "damaged"),
    "Excel without rows": ("a.xlsx", empty_workbook, "no sheet"),
    "Excel cut short": ("a.xlsx", lambda: excel_bytes(LONG)[:2000], "cut short"),
    "Excel of old": ("a.xls", lambda: b"\xd0\xcf\x11\xe0" + b"\0" * 600, "save it as .xlsx"),
    "web page as .xls": ("a.xls", text("<html><table><tr><td>1</td></tr></table>"), "web page"),
    "web page after a mark": ("a.xls", text("\ufeff\n <!DOCTYPE html><p>", "utf-8"), "web page"),
    "Parquet bomb": ("a.parquet", parquet_bomb, "bytes once unpacked"),
    "Parquet of many columns": ("a.parquet", parquet_wide, "columns"),
    "Parquet cut short": ("a.parquet", lambda: parquet_bytes(LONG)[:300], "damaged"),
    "a million columns": ("a.csv", text(",".join(f"x{n}" for n in range(10**6)) + "\n"), "columns"),
    "a million cells in a row": ("a.csv", text("a,b\n" + "1," * 10**6 + "\n"), "columns"),
    "no line end": ("a.csv", text("x" * (40 * MIB)), "one row a line"),
    "one cell without end": ("a.csv", text('a,b\n"' + "x" * MIB), "too long to be one"),
    "a quote left open": ("a.csv", text('task,y,x\na,1,"2\nb,2,3\n'), "never closed"),
    "columns of the same name": ("a.csv", text("task,y,x,x\na,1,2,3\n"), "named 'x'"),
    "mixed encodings": ("a.csv", lambda: ACCENTS, "mixes encodings"),
    "zero bytes": ("a.csv", lambda: b"a,b\n1,\0\0\n", "zero bytes"),
    "an uneven line": ("a.csv", text("task,y,x\na,1,2\na,1,2,3,4\n"), "in line 3"),
    "UTF-32": ("a.csv", text("age,y\n1,2\n", "utf-32"), "UTF-32: save it as UTF-8"),
    "a header alone": ("a.csv", text("task,y,x\n"), "no rows"),
    "blank lines alone": ("a.csv", text("\n\n  \n"), "blank lines"),
    "nothing": ("a.csv", text(""), "is empty"),
    "a PDF": ("a.csv", text("%PDF-1.7"), "PDF"),
    "a bare array": ("a.npz", lambda: npy("{'descr': '<f8'}"), "numpy.savez"),
    "a pickle as .npz": ("a.npz", lambda: pickle.dumps([1.0], protocol=2), "never loaded"),
    "R's own": ("a.mat", lambda: b"RDX3\nX\n", "R's own"),
}


@pytest.mark.parametrize("case", CASES)
def test_hostile_file_ends_in_a_sentence(
    case: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    name, make, words = CASES[case]
    data = make()
    monkeypatch.chdir(tmp_path)
    tracemalloc.start()
    start = perf_counter()
    with pytest.raises(ReadError, match=words) as caught:
        read((name, data), limits=SMALL)
    seconds, peak = perf_counter() - start, tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    sentence = str(caught.value)
    assert "\n" not in sentence
    assert sentence.endswith(".")
    assert len(sentence) < 300
    assert seconds < 5.0
    # Python's own allocations and NumPy's: the unpacked limit, and copies of the file itself.
    assert peak < SMALL.bytes_unpacked + 6 * len(data) + 32 * MIB
    assert not list(tmp_path.iterdir()), "nothing is written"


def test_sheet_of_far_cells_is_refused_within_the_usual_limits() -> None:
    with pytest.raises(ReadError, match="nearly all of them empty"):
        read(("a.xlsx", excel_padded()))


def test_upload_of_unknown_size_names_no_size() -> None:
    with pytest.raises(ReadError, match=r"^a\.csv has more than 9 bytes on disk, the limit"):
        read(("a.csv", io.BytesIO(csv_bytes(LONG))), limits=Limits(bytes_on_disk=9))


def test_same_from_a_path(tmp_path: Path) -> None:
    path = tmp_path / "bomb.zip"
    path.write_bytes(zip_bomb())
    with pytest.raises(ReadError, match=r"bomb\.zip has 67,108,864 bytes once unpacked"):
        read(path, limits=SMALL)


@pytest.mark.parametrize(
    ("limit", "words"),
    [
        ({"bytes_on_disk": 100}, "bytes on disk"),
        ({"rows": 10}, "rows"),
        ({"columns": 3}, "columns"),
        ({"cells": 50}, "cells"),
        ({"tasks": 2}, "tasks"),
    ],
)
def test_limit_is_named_with_its_remedy(limit: dict[str, int], words: str) -> None:
    with pytest.raises(ReadError, match=words) as caught:
        read(("a.csv", csv_bytes(LONG)), limits=Limits(**limit))
    assert f"limits=Limits({next(iter(limit))}=" in str(caught.value)


@pytest.mark.parametrize(
    ("source", "words"),
    [
        ("nowhere.csv", "not there"),
        ("/dev/null", "regular file"),
        (".", "folder"),
        ("a\0b", "not there|no path"),
        ([], "list is empty"),
        (3, "no source"),
    ],
)
def test_no_file(source: Any, words: str) -> None:
    with pytest.raises(ReadError, match=words):
        read(source)


def test_limits_are_whole_numbers() -> None:
    with pytest.raises(ValueError, match="rows=0"):
        Limits(rows=0)
