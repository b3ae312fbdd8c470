"""Uploads are parsed in another process, with the same results; whatever happens to it, we live."""

import datetime
import io
import json
import os
import subprocess
import sys
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from decimal import Decimal
from itertools import chain
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

from benchmarks.layouts import LAYOUTS, clinics, csv_bytes, frame_of, npz_bytes, school_like
from stcmtl import Limits, ReadError, read
from stcmtl.errors import Setting
from stcmtl.io import bounded, wire
from stcmtl.io.account import Case
from stcmtl.io.arrays import Value
from stcmtl.io.formats.frames import settle_frame
from stcmtl.io.parsing import HOW, Parsed, Table
from stcmtl.io.reading import open_source
from stcmtl.io.sources import File
from stcmtl.io.wire import list_items
from tests.unit.cases import naming
from tests.unit.io.hostile_files import mat_of_no_type

NASTY = "nasty_parsers:misbehave"  # beside this file, whatever else is called tests
CSV = csv_bytes(frame_of(school_like()))
QUICK = Limits(seconds=1, memory=2**28)


@pytest.fixture(scope="module", autouse=True)
def nasty_server() -> Iterator[None]:
    """A server of its own, which misbehaves on files of some names."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("PYTHONPATH", str(Path(__file__).parent))
        patch.setattr(bounded, "PARSER", NASTY)
        patch.setattr(bounded, "SERVER", bounded.Server())
        yield
        bounded.SERVER.stop()


def parse_nastily(name: str, data: bytes = CSV, limits: Limits = QUICK) -> Parsed:
    return bounded.parse_bounded([File(name, data=data)], HOW, limits)


def assert_same(left: Parsed, right: Parsed) -> None:
    assert (left.files, left.format, left.case) == (right.files, right.format, right.case)
    assert list(left.sheets) == list(right.sheets)
    pairs = [(left.tables, right.tables), (left.sheets.values(), right.sheets.values())]
    for table, other in chain.from_iterable(zip(*pair, strict=True) for pair in pairs):
        told = [str({**vars(found), "frame": None}) for found in (table, other)]
        assert told[0] == told[1]
        pd.testing.assert_frame_equal(table.frame, other.frame, check_exact=True)
    assert list(left.arrays) == list(right.arrays)
    for value, other_value in zip(left.arrays.values(), right.arrays.values(), strict=True):
        assert_same_value(value, other_value)


def assert_same_value(value: Value, other: Value) -> None:
    assert type(value) is type(other)
    assert getattr(value, "names", None) == getattr(other, "names", None)
    for item, twin in zip(list_items(value), list_items(other), strict=True):
        assert (item.dtype, item.shape) == (twin.dtype, twin.shape)
        assert item.tobytes() == twin.tobytes()


def test_both_ways_give_the_same() -> None:
    for layout, write in LAYOUTS.items():
        source, _ = write(clinics())
        with naming(layout):
            assert_same(open_source(source, bounded=True).parsed, open_source(source).parsed)


def test_read_in_a_process_of_its_own_from_a_path(tmp_path: Path) -> None:
    path = tmp_path / "a.csv"
    path.write_bytes(CSV)
    data, account = read(path, bounded=True)
    assert data.X.tobytes() == school_like().X.tobytes()
    assert str(account) == str(read(path)[1])


def test_large_arrays_come_back_without_a_copy() -> None:
    X = np.random.default_rng(0).standard_normal((400, 6000))
    assert X.nbytes > bounded.MAPPED
    found = open_source(("a.npz", npz_bytes(X=X)), bounded=True).parsed.arrays["X"]
    assert isinstance(found, np.ndarray)
    assert found.tobytes() == X.tobytes()
    assert not found.flags.owndata


def test_a_sentence_keeps_its_settings() -> None:
    with pytest.raises(ReadError) as caught:
        read(("a.csv", CSV), limits=Limits(rows=10), bounded=True)
    assert isinstance(caught.value.remedy, tuple)
    assert isinstance(caught.value.remedy[-1], Setting)
    assert "limits=Limits(rows=" in str(caught.value)


ENDS = {
    "crash": "ended the process that did it",
    "abort": "ended the process that did it",
    "stumble": "ended the process that did it",
    "kill the server": "ended the process that did it",
    "sleep": "took more than 1 seconds",
    "spin": "took more than 1 seconds",
    "eat": "needs more memory than there is",
    "eat slowly": "needs more memory than there is",
}


@pytest.mark.parametrize("name", ENDS)
def test_what_ends_the_child_ends_one_upload(name: str, caplog: pytest.LogCaptureFixture) -> None:
    with pytest.raises(ReadError, match=ENDS[name]) as caught:
        parse_nastily(name)
    assert str(caught.value).startswith(f"{name} ")
    assert "\n" not in str(caught.value)
    if name == "stumble":
        assert "KeyError: 'a fault of ours'" in caplog.text
    assert len(parse_nastily("a.csv").tables[0].frame) == len(school_like().y)


def test_a_file_that_may_crash_its_library_ends_one_upload() -> None:
    with pytest.raises(ReadError, match=f"{ENDS['crash']}|damaged"):
        read(("a.mat", mat_of_no_type()), bounded=True)
    assert read(("a.csv", CSV), bounded=True)[1].tasks == len(school_like())


def test_a_child_writes_no_large_file_and_opens_few(tmp_path: Path) -> None:
    with pytest.raises(ReadError):
        parse_nastily("write", str(tmp_path / "large").encode())
    assert (tmp_path / "large").stat().st_size == 0
    with pytest.raises(ReadError):
        parse_nastily("open files")


def test_a_server_that_was_killed_is_replaced() -> None:
    parse_nastily("a.csv")
    running = bounded.SERVER.running
    assert running is not None
    running[0].kill()
    running[0].wait()
    assert parse_nastily("a.csv").format == "CSV"
    again = bounded.SERVER.running
    assert again is not None
    assert again[0].pid != running[0].pid


def test_many_at_once_from_threads_leave_nothing_behind() -> None:
    def ask(name: str) -> str:
        try:
            return parse_nastily(name).format
        except ReadError as error:
            return str(error)

    ask("a.csv")
    before = sorted(Path("/proc/self/fd").iterdir())
    names = ["a.csv", "crash", "a.csv", "eat"] * 5
    with ThreadPoolExecutor(8) as pool:
        answers = list(pool.map(ask, names))
    assert [answer == "CSV" for answer in answers] == [name == "a.csv" for name in names]
    assert sorted(Path("/proc/self/fd").iterdir()) == before
    running = bounded.SERVER.running
    assert running is not None
    threads = list(Path(f"/proc/{running[0].pid}/task").iterdir())
    assert len(threads) == 1, "which alone may fork without fear"
    children = threads[0] / "children"
    assert wait_for(lambda: children.read_text() == "")


def test_the_server_ends_with_us() -> None:
    code = """
from stcmtl.io import bounded, wire
from stcmtl.io.account import Case
print(bounded.SERVER.start()[0].pid, flush=True)
import os; os._exit(0)
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert wait_for(
        lambda: not Path(f"/proc/{int(done.stdout)}").exists() or is_zombie(done.stdout)
    )


def is_zombie(pid: str) -> bool:
    return Path(f"/proc/{int(pid)}/stat").read_text().rpartition(")")[2].split()[0] == "Z"


def wait_for(condition: Any, seconds: float = 20.0) -> bool:
    end = time.monotonic() + seconds
    while not condition():
        if time.monotonic() > end:
            return False
        time.sleep(0.05)
    return True


def test_a_fork_of_ours_has_a_server_of_its_own() -> None:
    parse_nastily("a.csv")
    running = bounded.SERVER.running
    assert running is not None
    if (pid := os.fork()) == 0:
        try:
            answer = parse_nastily("a.csv").format
            own = bounded.SERVER.running
            fine = answer == "CSV" and own is not None and own[0].pid != running[0].pid
            bounded.SERVER.stop()
        finally:
            os._exit(0 if fine else 1)
    assert os.waitpid(pid, 0)[1] == 0
    assert parse_nastily("a.csv").format == "CSV"
    assert running[0].poll() is None


def test_without_forks_every_file_has_its_process(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(bounded, "FORKS", False)
    source, _ = LAYOUTS["long Excel"](school_like())
    assert_same(open_source(source, bounded=True).parsed, open_source(source).parsed)
    for name in ("crash", "spin"):
        with pytest.raises(ReadError, match=ENDS[name]):
            parse_nastily(name)


def test_without_pyarrow_there_is_a_sentence(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("stcmtl.errors.find_spec", lambda name: None)
    with pytest.raises(ImportError, match=r"Reading uploads needs pyarrow"):
        read(("a.csv", CSV), bounded=True)


def test_cells_of_every_kind_come_back() -> None:
    day = datetime.datetime(2021, 3, 5, 8, 30)
    frame = pd.DataFrame(
        {
            "number": [1.5, np.nan, -0.0],
            "whole": pd.array([1, 2, 3], dtype="int16"),
            "large": np.array([1, 2, 2**64 - 1], dtype=np.uint64),
            "hole": [True, None, False],
            "text": ["1,050", None, " é "],
            "date": pd.to_datetime(["2021-03-05", None, "2021-03-06"]),
            "zone": pd.to_datetime(["2021-03-05 08:00+02:00"] * 3),
            "span": pd.to_timedelta([1, 2, None], unit="h"),
            "level": pd.Categorical(["a", "b", "a"]),
            "code": pd.Categorical([3, 1, 3]),
            "mixed": [day, "1,5", 2.5],
            "clock": [day.time(), None, day.time()],
            "spans": [datetime.timedelta(1), "x", datetime.date(2021, 3, 5)],
            "decimal": [Decimal("1.5"), None, Decimal("2")],
            "bytes": [b"a", b"b", None],
        }
    )
    settled = settle_frame(frame.copy(), Case("a", Limits()))
    kinds = ["float64", "int64", "uint64", "object", "str", "datetime64[us]", "datetime64[us]"]
    kinds += ["timedelta64[us]", "category", "int64", "object", "object", "object"]
    assert [str(dtype) for dtype in settled.dtypes] == [*kinds, "float64", "str"]
    parsed = Parsed(("a",), "CSV", Case("a", Limits()), (Table("a", settled),))
    stream = io.BytesIO()
    answer = json.loads(json.dumps(wire.write_parsed(parsed, stream)))
    assert_same(wire.read_parsed(answer, stream.getvalue(), Limits()), parsed)
    mixed = settled["mixed"].tolist()
    assert mixed == [day, "1,5", 2.5]
    assert settled["zone"][0].hour == 8
