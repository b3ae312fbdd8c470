"""Files that mean harm, by the page's own path: each ends soon, in one sentence or in tasks.

    python benchmarks/nasties.py

Those of the unit tests, and larger ones: groups of HDF5 that share and circle, many sheets, many
members, wide tables, session files that lie. Some point at a file outside, which is watched.
"""

from __future__ import annotations

import argparse
import ctypes
import io
import json
import os
import stat
import sys
import tempfile
import zipfile
from collections.abc import Callable
from itertools import pairwise
from pathlib import Path
from time import perf_counter
from typing import Any

import h5py
import numpy as np
import pandas as pd

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT))  # so that it runs as a script
from benchmarks import odd_files
from benchmarks.by_page import a_session, outcome_on_page
from benchmarks.layouts import csv_bytes, npz_bytes, parquet_bytes, zip_bytes
from benchmarks.mutations import ENDED, FINE, MOST_GROWTH, NOTABLE, Growth
from tests.unit.io import hostile_files as hostile
from tests.unit.io.hostile_files import hdf5
from tests.unit.io.test_hostile import CASES

LONGEST_WAIT = 15.0  # seconds, on a machine with nothing else to do
IN_ACCESS, IN_OPEN, IN_NONBLOCK = 0x1, 0x20, 0o4000
SPACE = "http://schemas.openxmlformats.org/spreadsheetml/2006/main"
Nasty = tuple[str, Callable[[], bytes]]


def wide(columns: int, cell: object = 1.5, rows: int = 40) -> pd.DataFrame:
    frame = pd.DataFrame({f"x{d}": [cell] * rows for d in range(columns)})
    keys = pd.DataFrame({"task": list("abcd") * (rows // 4), "y": np.arange(rows) / 7})
    return pd.concat([keys, frame], axis=1)


def workbook(sheets: int, frame: pd.DataFrame) -> bytes:
    buffer = io.BytesIO()
    with pd.ExcelWriter(buffer, engine="openpyxl") as writer:
        for number in range(sheets):
            frame.to_excel(writer, sheet_name=f"s{number}", index=False)
    return buffer.getvalue()


def workbook_of_one_text() -> bytes:
    """A long text that very many cells share, and so is in the file once."""
    members = hostile.unpack(hostile.excel_bytes(hostile.LONG))
    cells = "".join(f'<row r="{n}"><c r="A{n}" t="s"><v>0</v></c></row>' for n in range(1, 50_000))
    members["xl/worksheets/sheet1.xml"] = (
        f'<worksheet xmlns="{SPACE}"><sheetData>{cells}</sheetData></worksheet>'.encode()
    )
    members["xl/sharedStrings.xml"] = (
        f'<sst xmlns="{SPACE}"><si><t>{"x" * 30_000}</t></si></sst>'.encode()
    )
    return zip_bytes(members)


def workbook_of_outside(path: Path) -> bytes:
    members = hostile.unpack(hostile.excel_bytes(hostile.LONG))
    members["xl/worksheets/sheet1.xml"] = (
        f'<!DOCTYPE w [<!ENTITY e SYSTEM "{path.as_uri()}">]><worksheet xmlns="{SPACE}">'
        '<sheetData><row r="1"><c r="A1" t="str"><v>&e;</v></c></row></sheetData></worksheet>'
    ).encode()
    return zip_bytes(members)


def zip_with_link(path: Path) -> bytes:
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w") as archive:
        link = zipfile.ZipInfo("tasks.csv")
        link.external_attr = (stat.S_IFLNK | 0o777) << 16
        archive.writestr(link, str(path))
    return buffer.getvalue()


def chain(root: Any) -> None:
    group = root
    for _ in range(300):
        group = group.create_group("g")


def shared_groups(root: Any) -> None:
    """Every level leads to the next by many names: ways double, groups do not."""
    groups = [root.create_group(f"level {n}") for n in range(30)]
    for above, below in pairwise(groups):
        for n in range(20):
            above[f"way {n}"] = below
    groups[-1]["X"] = np.eye(2)


def shared_dataset(root: Any) -> None:
    root["X"] = np.ones((500, 500))
    for n in range(1500):
        root[f"X{n}"] = root["X"]


def own_reference(root: Any) -> None:
    cells = root.create_dataset("X", (2,), dtype=h5py.ref_dtype)
    cells[...] = cells.ref


def soft_loop(root: Any) -> None:
    root["a"], root["b"] = h5py.SoftLink("/b"), h5py.SoftLink("/a")


def virtual(path: Path) -> Callable[[Any], None]:
    def fill(root: Any) -> None:
        layout = h5py.VirtualLayout((10,), "u1")
        layout[:] = h5py.VirtualSource(str(path), "X", (10,))
        root.create_virtual_dataset("X", layout)

    return fill


def session_with(**parts: bytes) -> bytes:
    """A session file of ours with members put in, or in the place of its own."""
    return zip_bytes(hostile.unpack(a_session()) | parts)


def session_saying(change: Callable[[dict[str, Any]], None]) -> bytes:
    document = json.loads(hostile.unpack(a_session())["session.json"])
    change(document)
    return session_with(**{"session.json": json.dumps(document).encode()})


def zeros(n_bytes: int) -> bytes:
    buffer = io.BytesIO()
    np.save(buffer, np.zeros(n_bytes // 8))
    return buffer.getvalue()


def sessions() -> dict[str, Nasty]:
    def content(value: Any) -> Callable[[], bytes]:
        return lambda: session_saying(lambda document: document["content"].update(junk=value))

    made: dict[str, Callable[[], bytes]] = {
        "unpacks to much": lambda: session_with(**{"arrays/999.npy": zeros(300 * 2**20)}),
        "of one array very often": content([{"array": 0}] * 200_000),
        "of very many values": content([[]] * 2_000_000),
        "nested without end": lambda: session_with(**{"session.json": b"[" * 10**6}),
        "of a text without end": lambda: session_with(**{"session.json": b" " * 70 * 2**20}),
        "of very many members": lambda: session_with(**{f"m{n}": b"" for n in range(60_000)}),
        "without its model": lambda: session_saying(lambda d: d.update(models=["other"])),
        "whose model is a list": lambda: session_with(**{"model.stcmtl": b"[]"}),
        "whose model is itself": lambda: session_with(**{"model.stcmtl": a_session()}),
        "that climbs": lambda: session_with(**{"../../outside": b"x"}),
        "cut short": lambda: a_session()[:-500],
        "of another kind": lambda: zip_bytes({"a.csv": b"task,y,x\n"}),
        "of tasks that are none": lambda: session_saying(lambda d: d.update(tasks={"train": 3})),
        "of a long name": lambda: session_saying(
            lambda d: d["content"]["fit"].update({"x" * 10_000: "y" * 10_000})
        ),
    }
    return {f"a session {name}": ("session.zip", make) for name, make in made.items()}


def tables(outside: Path) -> dict[str, Nasty]:
    small = csv_bytes(wide(3, rows=4))
    return {
        "CSV of 49,000 columns": ("a.csv", lambda: csv_bytes(wide(49_000))),
        "CSV of 19,000 columns": ("a.csv", lambda: csv_bytes(wide(19_000))),
        "CSV of 19,000 texts": ("a.csv", lambda: csv_bytes(wide(19_000, "red"))),
        "CSV of 1,900 texts": ("a.csv", lambda: csv_bytes(wide(1_900, "red"))),
        "CSV of 1,900 dates": ("a.csv", lambda: csv_bytes(wide(1_900, "2021-03-05"))),
        "CSV of 1,900 decimal commas": ("a.csv", lambda: csv_bytes(wide(1_900, "1,25"))),
        "CSV of long names": (
            "a.csv",
            lambda: csv_bytes(wide(20).rename(columns=lambda n: n + "n" * 10_000)),
        ),
        "CSV of long cells": ("a.csv", lambda: csv_bytes(wide(2, "c" * 90_000, rows=400))),
        "Parquet of 49,000 columns": ("a.parquet", lambda: parquet_bytes(wide(49_000, rows=4))),
        "Parquet of 19,000 columns": ("a.parquet", lambda: parquet_bytes(wide(19_000))),
        "JSON nested without end": ("a.json", lambda: b'{"a":' * 10**6),
        "JSON of 10^5 names": (
            "a.json",
            lambda: json.dumps([{f"x{n}": n for n in range(10**5)}]).encode(),
        ),
        "JSON of a long number": ("a.json", lambda: b"[" + b"1" * 10**7 + b"]"),
        "workbook of 900 sheets": ("a.xlsx", lambda: workbook(900, wide(3, rows=4))),
        "workbook of 1,200 sheets": ("a.xlsx", lambda: workbook(1_200, wide(1, rows=4))),
        "workbook of wide sheets": ("a.xlsx", lambda: workbook(6, wide(16_000, rows=4))),
        "workbook of one long text": ("a.xlsx", workbook_of_one_text),
        "workbook of a file outside": ("a.xlsx", lambda: workbook_of_outside(outside)),
        "zip of 9,000 tables": (
            "a.zip",
            lambda: zip_bytes({f"{n}.csv": small for n in range(9_000)}),
        ),
        "zip of 1,900 tables": (
            "a.zip",
            lambda: zip_bytes({f"{n}.csv": small for n in range(1_900)}),
        ),
        "zip of wide tables": (
            "a.zip",
            lambda: zip_bytes(
                {f"{n}.csv": csv_bytes(wide(900 + n, rows=4)) for n in range(200)}
            ),
        ),
        "zip of a link to outside": ("a.zip", lambda: zip_with_link(outside)),
        "npz of 9,000 arrays": (
            "a.npz",
            lambda: npz_bytes(**{f"X{n}": np.eye(3) for n in range(9_000)}),
        ),
        "name of a path": (f"../../..{outside}", lambda: b"task,y,x\na,1,2\n"),
        "v7.3 chain of groups": ("a.mat", lambda: hdf5(chain)),
        "v7.3 shared groups": ("a.mat", lambda: hdf5(shared_groups)),
        "v7.3 dataset of 1,500 names": ("a.mat", lambda: hdf5(shared_dataset)),
        "v7.3 reference to itself": ("a.mat", lambda: hdf5(own_reference)),
        "v7.3 links in a ring": ("a.mat", lambda: hdf5(soft_loop)),
        "v7.3 virtual": ("a.mat", lambda: hdf5(virtual(outside))),
        "v7.3 link outside": (
            "a.mat",
            lambda: hdf5(lambda root: root.update(X=h5py.ExternalLink(str(outside), "/X"))),
        ),
        "v7.3 data outside": (
            "a.mat",
            lambda: hdf5(
                lambda root: root.create_dataset("X", (9,), "u1", external=[(outside, 0, 9)])
            ),
        ),
    }  # fmt: skip


class Watch:
    """Whether anybody opened or read a file, by the kernel's own account."""

    def __init__(self, path: Path) -> None:
        libc = ctypes.CDLL(None, use_errno=True)
        self.events = libc.inotify_init1(IN_NONBLOCK)
        libc.inotify_add_watch(self.events, os.fsencode(path), IN_ACCESS | IN_OPEN)

    def touched(self) -> bool:
        try:
            return bool(os.read(self.events, 4096))
        except BlockingIOError:
            return False


def main() -> int:
    options = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    options.add_argument("--only", default="", help="files whose name has this text")
    options.add_argument("--busy", type=float, default=1.0, help="times slower, as it is busy")
    given = options.parse_args()
    longest, bad = given.busy * LONGEST_WAIT, 0
    with tempfile.TemporaryDirectory() as folder:
        outside = Path(folder) / "outside.h5"
        with h5py.File(outside, "w") as root:
            root["X"] = np.arange(10, dtype="u1")
        files: dict[str, Nasty] = {name: case[:2] for name, case in CASES.items()}
        files |= tables(outside) | sessions() | odd_files.FILES
        files = {name: file for name, file in files.items() if given.only in name}
        outcome_on_page("a.csv", csv_bytes(hostile.LONG))  # what is loaded once is no growth
        outcome_on_page("session.zip", a_session())
        waits, growths, reads = [], [], 0
        watch = Watch(outside)  # one for all: the kernel has few
        for label, (name, make) in files.items():
            data = make()
            watch.touched()  # by who made it, at most
            start = perf_counter()
            with Growth() as growth:
                result = outcome_on_page(name, data)
            wait, touched = perf_counter() - start, watch.touched()
            if result == "read":
                reads += 1
            else:
                growths.append(growth.megabytes)
            waits.append(wait)
            fine = result in FINE and wait <= longest and not touched
            fine = fine and (result == "read" or growth.megabytes <= MOST_GROWTH)
            bad += not fine
            if not fine or result == ENDED or wait > NOTABLE:
                print(f"{label}: {result}, {wait:.1f} s, +{growth.megabytes:.0f} MB", end="")
                print(", READ A FILE OUTSIDE" if touched else "", flush=True)
    print(f"{len(waits)} files: {reads} read as tasks, {len(waits) - reads} refused in a sentence")
    print(f"slowest {max(waits):.1f} s, most memory for one that was refused +", end="")
    print(f"{max(growths, default=0):.0f} MB, {bad} beyond a bound")
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())
