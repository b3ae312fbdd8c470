"""Whole files with odd contents: any arrays under known names, any cells under any header."""

import io
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from benchmarks.layouts import csv_bytes, excel_bytes, mat_bytes, npz_bytes, parquet_bytes
from benchmarks.mutations import outcome
from stcmtl import ReadError, read
from stcmtl.io.cells.columns import list_whole_numbers
from stcmtl.io.formats import frames

FEW = settings(max_examples=25, deadline=5000, suppress_health_check=list(HealthCheck))
FINE = ("read", "sentence")

DTYPES = ("f8", ">f4", "f2", "i8", "u8", "i1", "?", "<U2", ">U1", "S2")
SHAPES = ((), (0,), (1,), (6,), (6, 1), (1, 6), (6, 2), (2, 6), (6, 6), (3, 2), (3, 2, 2), (0, 3))
KEYS = ("X", "y", "tasks", "X_train", "X_test", "y_train", "y_test", "arr_0", "arr_1", "x1", "Y1")
FREE = ("task_type", "task_names", "feature_names", "a_train_input", "a_train_output")


def filled(dtype: str, shape: tuple[int, ...], seed: int) -> np.ndarray:
    numbers = np.random.default_rng(seed).integers(0, 3, shape)
    return np.asarray(numbers).astype(dtype)


arrays = st.builds(filled, st.sampled_from(DTYPES), st.sampled_from(SHAPES), st.integers(0, 9))
bundles = st.dictionaries(st.sampled_from(KEYS + FREE), arrays, min_size=1, max_size=5)
usual = st.fixed_dictionaries({"X": arrays, "y": arrays}, optional={"tasks": arrays})


@FEW
@given(st.one_of(bundles, usual))
def test_any_arrays(values: dict[str, np.ndarray]) -> None:
    assert outcome("a.npz", npz_bytes(**values)) in FINE
    plain = {name: value for name, value in values.items() if value.dtype.kind != "S"}
    assert outcome("a.mat", mat_bytes(**plain)) in FINE


cells = st.one_of(
    st.sampled_from(["", " ", "NA", "1", "01", "1,5", "1.000,5", "1,000.5", "x", "'=x", "=x", "#"]),
    st.sampled_from(
        ["2024-02-30", "2024-01-31", "12 %", "True", "1e999", "-", '"', "a\nb", "sep=;"]
    ),
    st.integers(-3, 3).map(str),
)
names = st.one_of(st.sampled_from(["task", "y", "x", "y1", "y2", "", "id", "1", "column 2"]), cells)


@st.composite
def tables(draw: Any) -> list[list[str]]:
    width = draw(st.integers(1, 4))
    header = draw(st.lists(names, min_size=width, max_size=width))
    rows = st.lists(st.lists(cells, min_size=width, max_size=width), max_size=6)
    return [header, *draw(rows)]


@FEW
@given(tables(), st.sampled_from([",", ";", "\t", " "]), st.booleans())
def test_any_cells(table: list[list[str]], delimiter: str, quoted: bool) -> None:
    buffer = io.StringIO()
    frame = pd.DataFrame(table)
    frame.to_csv(buffer, index=False, header=False, sep=delimiter, quoting=int(quoted))
    assert outcome("a.csv", buffer.getvalue().encode()) in FINE
    assert outcome("a.xlsx", excel_bytes(frame)) in FINE
    if len(table) > 1 and len(set(table[0])) == len(table[0]):
        named = pd.DataFrame(table[1:], columns=table[0])
        assert outcome("a.parquet", parquet_bytes(named)) in FINE


@pytest.mark.parametrize("end", ["\n", "\r\n", "\x0b", "\u2028"])
def test_a_line_end_within_a_number(end: str) -> None:
    """Around it, it is a blank; between digits it is told, as a blank would be."""
    rows = "".join(f"{task},{n},{n}.5\n" for task in "ab" for n in range(5))
    files = [f'task,y,x\n{rows}b,5,"{cell}"\n'.encode() for cell in (f"7{end}", f"7{end}8")]
    data, _ = read(("a.csv", files[0]), task="task", target="y")
    assert data.X[:, 0].tolist() == [*2 * [0.5, 1.5, 2.5, 3.5, 4.5], 7.0]
    with pytest.raises(ReadError, match="numbers in column 'x' but also '7 8'"):
        read(("a.csv", files[1]), task="task", target="y")


@pytest.mark.parametrize("write", [csv_bytes, parquet_bytes, excel_bytes])
def test_long_texts_in_all_are_bounded(
    write: Callable[[pd.DataFrame], bytes], monkeypatch: pytest.MonkeyPatch
) -> None:
    """They name nothing, and would come back from the child as large as the file is."""
    keys = {"task": list("abab") * 5, "y": np.arange(20) / 7, "x": np.arange(20) % 7}
    ending = {csv_bytes: "csv", parquet_bytes: "parquet", excel_bytes: "xlsx"}[write]
    monkeypatch.setattr(frames, "MOST_LETTERS", 20 * 600)
    for letters, fine in ((600, True), (500, True), (601, False)):
        given = f"a.{ending}", write(pd.DataFrame(keys | {"remarks": ["r" * letters] * 20}))
        if fine:
            data, _ = read(given, task="task", target="y", features=["x"])
            assert data.feature_names == ("x",)
        else:
            with pytest.raises(ReadError, match=r"long texts of 12,020 letters .* 'remarks'"):
                read(given, task="task", target="y", features=["x"])


def test_whole_numbers_that_no_machine_integer_holds(tmp_path: Path) -> None:
    """They wrapped around to -9.2e18."""
    large = [10**22 + i * 10**20 for i in range(40)]
    rows = [{"task": f"t{i % 5}", "y": y, "x": i % 7} for i, y in enumerate(large)]
    path = tmp_path / "large.json"
    path.write_text(json.dumps(rows))
    tasks, _ = read(path, task="task", target="y")
    np.testing.assert_allclose(np.sort(tasks.y), np.array(large, dtype=float))


def test_whole_numbers_of_one_hash_take_no_longer() -> None:
    """Multiples of a prime that Python hashes by: sixty thousand took twenty seconds."""
    values = [(2**61 - 1) * i for i in range(3000)]
    codes, levels = list_whole_numbers(pd.Series([*values, None, *values[:3]], dtype=object))
    assert levels == values
    assert codes.tolist() == [*range(3000), -1, 0, 1, 2]
