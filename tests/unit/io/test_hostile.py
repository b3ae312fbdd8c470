"""Hostile and broken files end in one sentence."""

import io
import pickle
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from benchmarks import odd_files
from benchmarks.layouts import (
    csv_bytes,
    excel_bytes,
    malsar,
    npz_bytes,
    parquet_bytes,
    school_like,
    v73_bytes,
    zip_bytes,
)
from benchmarks.mutations import Growth
from stcmtl import Limits, ReadError, read
from tests.unit.cases import together
from tests.unit.io import hostile_files as hostile
from tests.unit.io.hostile_files import LONG, MIB, hdf5, npy

SMALL = Limits(bytes_unpacked=8 * MIB, cells=10**6, columns=1000, texts=50)


def text(content: str, encoding: str = "utf-8") -> Callable[[], bytes]:
    return lambda: content.encode(encoding)


ACCENTS = "task,y,é\na,1,2\n".encode() + "b,2,é\n".encode("latin-1") + b"b,3,4\n" * 20

CASES: dict[str, tuple[str, Callable[[], bytes], str]] = {
    "zip bomb": ("a.zip", hostile.zip_bomb, "bytes once unpacked"),
    "zip that lies about its size": ("a.zip", hostile.lying_zip, "damaged"),
    "zip that overlaps": ("a.zip", hostile.overlapping_zip, "bytes once unpacked"),
    "zip of too many": ("a.zip", hostile.many_members, "files inside"),
    "zip that climbs": ("a.zip", lambda: zip_bytes({"../a.csv": b"x"}), "leads out of"),
    "zip from the root": ("a.zip", lambda: zip_bytes({"/etc/a.csv": b"x"}), "leads out of"),
    "zip from a drive": ("a.zip", lambda: zip_bytes({"C:\\a.csv": b"x"}), "leads out of"),
    "zip in a zip": ("a.zip", lambda: zip_bytes({"b.zip": zip_bytes({"a": b"x"})}), "unpack that"),
    "zip of nothing": ("a.zip", lambda: zip_bytes({"folder/": b""}), "no files"),
    "zip with an empty table": ("a.zip", lambda: zip_bytes({"a.csv": b"", "b.csv": b"x"}), "empty"),
    "zip cut short": ("a.zip", lambda: zip_bytes({"a.csv": b"x" * 999})[:60], "cut short"),
    "gzip bomb": ("a.csv.gz", hostile.gzip_bomb, "raise bytes_unpacked .* if you trust it"),
    "npz that lies": ("a.npz", hostile.lying_npz, "declares"),
    "npz of no rows but very wide": ("a.npz", hostile.npz_of_nothing(f"(0, {2**62})"), "damaged"),
    "npz of no columns but very long": (
        "a.npz",
        hostile.npz_of_nothing(f"({2**62}, 0)"),
        "damaged",
    ),
    "npz of no rows": (
        "a.npz",
        hostile.npz_of_nothing("(0, 3)"),
        r"nothing in its array 'X' \(0 x 3\)",
    ),
    "npz of objects": ("a.npz", hostile.npz_with_objects, "never loaded"),
    "npz with code for a header": ("a.npz", hostile.npz_with_code, "damaged"),
    "npz with a deep header": ("a.npz", hostile.npz_deep_header, "damaged"),
    "npz bomb": ("a.npz", lambda: npz_bytes(X=np.zeros(2 * MIB)), "bytes once unpacked"),
    "mat bomb": ("a.mat", hostile.mat_bomb, "damaged"),
    "mat with a lying tag": ("a.mat", hostile.mat_lying_tag, "damaged"),
    "mat of very many cells": ("a.mat", hostile.mat_many_cells, "bytes once unpacked"),
    "mat v4 cut short": ("a.mat", hostile.mat4_cut_short, "damaged"),
    "mat cut short": ("a.mat", lambda: malsar(school_like())[:900], "damaged"),
    "mat header only": ("a.mat", lambda: malsar(school_like())[:128], "no arrays"),
    "mat half a header": ("a.mat", lambda: malsar(school_like())[:50], "damaged"),
    "v7.3 of a huge shape": ("a.mat", lambda: hdf5(hostile.hdf5_huge), "bytes once unpacked"),
    "v7.3 chunk bomb": ("a.mat", lambda: hdf5(hostile.hdf5_chunk_bomb), "name the features"),
    "v7.3 link to a file": ("a.mat", lambda: hdf5(hostile.hdf5_external), "not followed"),
    "v7.3 data in a file": ("a.mat", lambda: hdf5(hostile.hdf5_external_storage), "another file"),
    "v7.3 groups in a ring": ("a.mat", lambda: hdf5(hostile.hdf5_cycle), "name the features"),
    "v7.3 groups in a maze": ("a.mat", lambda: hdf5(hostile.hdf5_maze), "nested too deeply"),
    "v7.3 groups that are shared": (
        "a.mat",
        lambda: hdf5(hostile.hdf5_shared),
        "name the features",
    ),
    "v7.3 of many references": (
        "a.mat",
        lambda: hdf5(hostile.hdf5_many_references),
        "300,000 cells, more than the limit",
    ),
    "v7.3 of text": ("a.mat", lambda: hdf5(hostile.hdf5_text), "neither numbers"),
    "v7.3 cut short": ("a.mat", lambda: v73_bytes(X=np.eye(9))[:700], "damaged"),
    "Excel of wide sheets": ("a.xlsx", lambda: hostile.excel_of_wide_sheets(4, 300), "columns"),
    "Excel padded to the last column": ("a.xlsx", hostile.excel_padded, "columns"),
    "Excel bomb": ("a.xlsx", hostile.excel_bomb, "times its size"),
    "Excel of a billion laughs": ("a.xlsx", hostile.excel_laughs, "damaged"),
    "Excel of many small bombs": ("a.xlsx", hostile.excel_of_bombs, "damaged"),
    "Excel of very many sheets": ("a.xlsx", hostile.excel_of_sheets, "2,000 sheets, more than"),
    "Excel without rows": ("a.xlsx", hostile.empty_workbook, "no sheet"),
    "Excel cut short": ("a.xlsx", lambda: excel_bytes(LONG)[:2000], "cut short"),
    "Excel of old": ("a.xls", lambda: b"\xd0\xcf\x11\xe0" + b"\0" * 600, "save it as .xlsx"),
    "web page as .xls": ("a.xls", text("<html><table><tr><td>1</td></tr></table>"), "web page"),
    "web page after a mark": ("a.xls", text("\ufeff\n <!DOCTYPE html><p>", "utf-8"), "web page"),
    "Parquet bomb": ("a.parquet", hostile.parquet_bomb, "bytes once unpacked"),
    "Parquet of many columns": ("a.parquet", hostile.parquet_wide, "columns"),
    "Parquet cut short": ("a.parquet", lambda: parquet_bytes(LONG)[:300], "damaged"),
    "very many columns of text": (
        "a.csv",
        text(",".join(f"x{n}" for n in range(60)) + "\n" + "a," * 59 + "b\n"),
        "60 columns of text, more than the limit of 50",
    ),
    "zip of tables of unlike columns": (
        "a.zip",
        lambda: zip_bytes(
            {f"{n}.csv": ",".join(f"x{n}{d}" for d in range(400)).encode() for n in range(3)}
        ),
        "1,200 columns, more than the limit",
    ),
    "a million columns": ("a.csv", text(",".join(f"x{n}" for n in range(10**6)) + "\n"), "columns"),
    "a million cells in a row": ("a.csv", text("a,b\n" + "1," * 10**6 + "\n"), "columns"),
    "no line end": ("a.csv", text("x" * (40 * MIB)), "one row per line"),
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
    "feather bomb": ("a.feather", odd_files.feather_bomb, "rows x columns"),
    "gzip of very many parts": ("a.csv.gz", odd_files.many_gzips, "in 2,097,153 parts, more"),
    "Excel merged all over": ("a.xlsx", odd_files.merged_all_over, "columns, more than"),
    "v7.3 of one-number chunks": (
        "a.mat",
        lambda: hdf5(odd_files.one_number_chunks(500)),
        "bytes once unpacked",
    ),
    "v7.3 of half letters": ("a.mat", odd_files.v73_of("\ud83d"), "damaged"),
    "npz of half letters": ("a.npz", odd_files.npz_of("\udfff"), "what is no letter"),
    "JSON of half letters": (
        "a.json",
        odd_files.json_of(odd_files.rows_of(z="\ud800")),
        "what is no letter in column 'z'",
    ),
    "JSON of names in half letters": (
        "a.json",
        odd_files.json_of(odd_files.rows_of(**{"\udfff": 1})),
        "what is no letter in column",
    ),
    "JSON of numbers beyond any": (
        "a.json",
        odd_files.json_of(odd_files.rows_of(z=-(10**400))),
        "40 infinite values in column 'z'",
    ),
    "R's own cut short": ("a.mat", lambda: b"RDX3\nX\n", "damaged"),
}


@pytest.mark.parametrize("case", CASES)
def test_hostile_file_ends_in_a_sentence(
    case: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    name, make, words = CASES[case]
    source = name, make()
    monkeypatch.chdir(tmp_path)
    with Growth() as growth, pytest.raises(ReadError, match=words) as caught:
        read(source, limits=SMALL, bounded=True)
    sentence = str(caught.value)
    assert "\n" not in sentence
    assert sentence.endswith(".")
    assert len(sentence) < 300
    assert not list(tmp_path.iterdir()), "nothing is written"
    assert growth.megabytes < 50


def test_sheet_of_far_cells_is_refused_within_the_usual_limits() -> None:
    with pytest.raises(ReadError, match="nearly all of them empty"):
        read(("a.xlsx", hostile.excel_padded()))


def test_rows_of_all_sheets_count_together() -> None:
    book = odd_files.far_rows(3, 1000)
    with pytest.raises(ReadError, match="2,501 rows, more than the limit of 2,500"):
        read(("a.xlsx", book), limits=Limits(rows=2500))


def test_cells_that_are_merged_count_in_every_row() -> None:
    book = odd_files.merged_all_over(columns=50, rows=1000)
    with pytest.raises(ReadError, match=r"20,0\d\d cells .* more than the limit of 20,000"):
        read(("a.xlsx", book), limits=Limits(cells=20_000))


def test_letters_of_matlab_that_take_two_halves() -> None:
    data, _ = read(("a.mat", odd_files.v73_of("\U0001f600")()))
    assert data.task_names == ("\U0001f600bb",)


def test_upload_of_unknown_size_names_no_size() -> None:
    with pytest.raises(ReadError, match=r"^a\.csv has more than 9 bytes on disk, the limit"):
        read(("a.csv", io.BytesIO(csv_bytes(LONG))), limits=Limits(bytes_on_disk=9))


def test_same_from_a_path(tmp_path: Path) -> None:
    path = tmp_path / "bomb.zip"
    path.write_bytes(hostile.zip_bomb())
    with pytest.raises(ReadError, match=r"bomb\.zip has 16,777,216 bytes once unpacked"):
        read(path, limits=SMALL)


@together(
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


@together(
    ("source", "words"),
    [
        ("nowhere.csv", "not there"),
        ("/dev/null", "regular file"),
        ([".", "a.csv"], "a folder, one of several"),
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
