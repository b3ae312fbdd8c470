"""Tables that say what the model says, in files that other programs read, with no live formulas."""

import warnings
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import openpyxl
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from stcmtl import STCMTLClassifier, STCMTLRegressor, TaskSet, simulate
from stcmtl.evaluation import tables
from stcmtl.io import write as writers
from stcmtl.io.write import plain_text, safe_frame, safe_text
from stcmtl.writers import write_results
from tests.unit.cases import together
from tests.unit.plain import plain_model

T, D, K = 8, 15, 2
CLUSTERS = ["cluster_coefficients", "cluster_standard_errors"]
TABLES = ["memberships", "coefficients", *CLUSTERS, "tasks"]
DANGEROUS = ["=1+1", "+1", "-north", "@sum", "\ttab", "\rreturn", "\nline", "'=quoted", "＝1+1"]
HARMLESS = ["north", "a=b", "", " =1", "'tis", "3-4"]


@cache
def data(kind: str = "regression") -> TaskSet:
    return simulate(n_tasks=T, n_features=D, n_clusters=K, n_train=20, task_type=kind).train


@cache
def fitted(kind: str = "regression") -> Any:
    model = STCMTLRegressor if kind == "regression" else STCMTLClassifier
    rows = data(kind)
    return plain_model(model, K, random_state=0).fit(rows.X, rows.y, rows.tasks)


def read(path: Path) -> pd.DataFrame:
    if path.suffix == ".csv":
        with warnings.catch_warnings():  # newer releases of pandas read exactly unasked
            warnings.simplefilter("ignore")
            return pd.read_csv(path, float_precision="round_trip", keep_default_na=False)
    return pd.read_parquet(path) if path.suffix == ".parquet" else pd.read_excel(path)


# Files


@pytest.mark.parametrize("format", ["csv", "parquet"])
def test_results_read_back_to_the_last_bit(tmp_path: Path, format: str) -> None:
    files = writers.write_tables(
        tables.result_tables(fitted(), data()), tmp_path / "new" / "folder", format
    )
    assert [file.name for file in files] == [f"{name}.{format}" for name in TABLES]
    found = dict(zip(TABLES, map(read, files), strict=True))
    assert np.array_equal(found["coefficients"].iloc[:, 2:], fitted().coef_)
    assert np.array_equal(found["memberships"].iloc[:, 1:], fitted().memberships_)
    assert np.array_equal(found["cluster_coefficients"].iloc[:, 1:], fitted().cluster_coef_)
    assert found["tasks"]["pure"].dtype == bool
    assert found["tasks"]["rows"].tolist() == [20] * T


def test_a_workbook_has_a_sheet_per_table(tmp_path: Path) -> None:
    (file,) = write_results(fitted(), tmp_path, "xlsx", data())
    sheets = pd.read_excel(file, sheet_name=None)
    assert list(sheets) == TABLES
    assert sheets["coefficients"].iloc[:, 2:].to_numpy() == pytest.approx(fitted().coef_, abs=1e-14)
    assert sheets["tasks"]["pure"].tolist() == fitted().pure_.tolist()


def test_an_unknown_format_is_refused_before_anything_is_written(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="format is 'pdf': use 'csv', 'parquet' or 'xlsx'"):
        write_results(fitted(), tmp_path / "new", "pdf")
    assert not (tmp_path / "new").exists()
    with pytest.raises(ValueError, match=r"table\.doc ends in '\.doc': use \.csv"):
        writers.write_table(pd.DataFrame(), tmp_path / "table.doc")


# Files take their place when they are whole


def break_off(path: Path) -> None:
    with writers.replace_when_whole(path) as beside:
        beside.write_text("half")
        raise KeyboardInterrupt


def test_a_file_that_breaks_off_leaves_the_old_one(tmp_path: Path) -> None:
    path = tmp_path / "table.csv"
    path.write_text("old")
    with pytest.raises(KeyboardInterrupt):
        break_off(path)
    assert path.read_text() == "old"
    assert list(tmp_path.iterdir()) == [path]


def test_all_tables_are_written_or_none(tmp_path: Path) -> None:
    good, bad = pd.DataFrame({"task": ["a"]}), pd.DataFrame({"task": [1, "a"]})
    with pytest.raises(ValueError, match=r"^bad\.parquet cannot be Parquet"):
        writers.write_tables({"good": good, "bad": bad}, tmp_path, "parquet")
    assert not list(tmp_path.iterdir())


def test_links_and_modes_stay(tmp_path: Path) -> None:
    path, link = tmp_path / "table.csv", tmp_path / "link.csv"
    path.touch()
    path.chmod(0o640)
    link.symlink_to(path)
    writers.write_text("new", link)
    assert link.is_symlink()
    assert (path.read_text(), path.stat().st_mode & 0o777) == ("new", 0o640)


def test_what_is_no_file_is_written_to(tmp_path: Path) -> None:
    writers.write_text("nowhere", "/dev/null")
    assert Path("/dev/null").is_char_device()
    with pytest.raises(FileNotFoundError, match=r"no/table\.csv"):
        writers.write_table(pd.DataFrame({"a": [1]}), tmp_path / "no" / "table.csv")


# Formulas


@together("text", DANGEROUS)
def test_a_formula_gets_an_apostrophe(text: str) -> None:
    assert safe_text(text) == f"'{text}"


@together("value", [*HARMLESS, -1, -1.5, None, True, np.float64(-2)])
def test_other_cells_stay_as_they_are(value: Any) -> None:
    assert safe_text(value) is value


@given(st.text(alphabet="'=+-@＝＠\t\r\nab", max_size=6))
def test_safe_text_is_never_a_formula_and_has_an_inverse(text: str) -> None:
    assert not safe_text(text).startswith(tuple("=+-@＝＠\t\r\n"))
    assert plain_text(safe_text(text)) == text


def test_numbers_stay_numbers_and_headers_are_safe_too() -> None:
    frame = pd.DataFrame({"=head": DANGEROUS, "n": -np.arange(9), "x": -np.arange(9.0)})
    safe = safe_frame(frame)
    assert list(safe.columns) == ["'=head", "n", "x"]
    assert safe["'=head"].tolist() == [f"'{text}" for text in DANGEROUS]
    assert safe["n"].tolist() == frame["n"].tolist()
    assert safe.dtypes[["n", "x"]].tolist() == frame.dtypes[["n", "x"]].tolist()
    assert frame.columns[0] == "=head"


def test_categories_are_made_safe_and_names_used_twice_survive() -> None:
    frame = pd.DataFrame({"a": pd.Categorical(["=1", "x"]), "b": [1, 2]})
    frame.columns = ["a", "a"]
    assert safe_frame(frame).to_numpy().tolist() == [["'=1", 1], ["x", 2]]


@pytest.mark.parametrize("ending", [".csv", ".xlsx"])
def test_no_formula_reaches_a_spreadsheet(tmp_path: Path, ending: str) -> None:
    rows = data()
    tasks = np.array([*DANGEROUS])[np.unique(rows.tasks, return_inverse=True)[1]]
    frame = pd.DataFrame(rows.X, columns=["=cmd|' /C calc'!A0", *(f"x{d}" for d in range(1, D))])
    model = plain_model(STCMTLRegressor, K, random_state=0).fit(frame, rows.y, tasks)
    path = tmp_path / f"table{ending}"
    writers.write_table(tables.coefficients_table(model), path)
    table = read(path)
    assert table.columns[2] == "'=cmd|' /C calc'!A0"
    assert all(text.startswith("'") for text in table["task"])
    assert table["x1"].dtype == float
    if ending == ".xlsx":
        cells = [cell for row in openpyxl.load_workbook(path).active for cell in row]
        assert not [cell for cell in cells if cell.data_type == "f"]


def test_parquet_keeps_text_as_it_is(tmp_path: Path) -> None:
    frame = pd.DataFrame({"task": DANGEROUS})
    writers.write_table(frame, tmp_path / "table.parquet")
    assert read(tmp_path / "table.parquet")["task"].tolist() == DANGEROUS


def test_what_a_format_cannot_hold_is_a_sentence(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match=r"Excel cannot hold the text 'a\\x01'"):
        writers.write_table(pd.DataFrame({"task": ["a\x01"]}), tmp_path / "t.xlsx")
    wide = pd.DataFrame(np.zeros((1, 16_385)))
    with pytest.raises(ValueError, match="16385 columns, more than an Excel sheet holds"):
        writers.write_table(wide, tmp_path / "t.xlsx")
    mixed = pd.DataFrame({"task": [1, "a"]})
    with pytest.raises(ValueError, match=r"^t\.parquet cannot be Parquet \(.*\): use CSV\.$"):
        writers.write_table(mixed, tmp_path / "t.parquet")
    assert not list(tmp_path.iterdir())


# Tasks


@pytest.mark.parametrize(
    "names", [np.array(["a", "=b"]), np.array([1, 2]), np.array(["a", "b"], "O")]
)
def test_tasks_as_arrays(tmp_path: Path, names: Any) -> None:
    labels = np.array(["no", "yes"])
    data = TaskSet(
        np.random.default_rng(0).normal(size=(40, 2)),
        np.tile(labels, 20),
        np.repeat(names, 20),
        feature_names=("age", "size"),
        task_type="classification",
    )
    path = tmp_path / "tasks.npz"
    writers.write_tasks(data, path)
    with np.load(path, allow_pickle=False) as archive:
        assert archive["X"].tobytes() == data.X.tobytes()
        assert archive["y"].tolist() == data.y.tolist()
        assert archive["tasks"].tolist() == data.tasks.tolist()
        assert archive["tasks"].dtype.kind in "iU"
        assert archive["feature_names"].tolist() == ["age", "size"]
        assert str(archive["task_type"]) == "classification"


def test_labels_of_several_kinds_are_no_array(tmp_path: Path) -> None:
    tasks = np.array([1, "two"], dtype=object)
    with pytest.raises(ValueError, match="task labels are of several kinds"):
        writers.write_tasks(TaskSet(np.ones((2, 1)), [1, 2], tasks), tmp_path / "t.npz")
    assert not list(tmp_path.iterdir())
