"""A further file is encoded as the first was: by name, with the same levels, days and labels."""

from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

from stcmtl import ReadError, TaskSet, read
from stcmtl.io.encode_like import Reading
from stcmtl.io.read_like import FurtherRows, read_rows_like, read_tasks_like

N = 24


def frame() -> pd.DataFrame:
    rng = np.random.default_rng(0)
    return pd.DataFrame(
        {
            "place": np.repeat(["a", "b"], N // 2),
            "kind=sort": np.array(["x=1", "y", "z"])[np.arange(N) % 3],
            "size": rng.normal(size=N),
            "when": pd.Timestamp("2020-03-01 06:00") + pd.to_timedelta(np.arange(N), "D"),
            "label": np.array(["no", "yes"])[np.arange(N) % 2],
            "value": rng.normal(size=N),
        }
    )


def learn(
    tmp_path: Path, table: pd.DataFrame, target: str = "value", **options: Any
) -> tuple[TaskSet, Reading]:
    """The first file, and how a further one is to be read."""
    table.to_parquet(tmp_path / "first.parquet")
    data, account = read(str(tmp_path / "first.parquet"), task="place", target=target, **options)
    return data, Reading.of(data, account)


def first(tmp_path: Path, target: str) -> tuple[TaskSet, Reading]:
    other = "label" if target == "value" else "value"
    return learn(tmp_path, frame().drop(columns=other), target)


def further(tmp_path: Path, table: pd.DataFrame) -> str:
    table.to_parquet(tmp_path / "further.parquet", index=False)
    return str(tmp_path / "further.parquet")


@pytest.mark.parametrize("rows", [slice(None), slice(5, 9), slice(20, 21)])
def test_rows_are_the_same_whatever_the_file(tmp_path: Path, rows: slice) -> None:
    data, reading = first(tmp_path, "value")
    names = ("kind=sort=x=1", "kind=sort=y", "kind=sort=z", "size")
    parts = ("when: season (sine)", "when: season (cosine)", "when: days")
    assert data.feature_names == (*names, *parts)
    table = frame()[["when", "size", "kind=sort", "place"]][rows]
    found = read_rows_like(further(tmp_path, table), reading)
    assert np.array_equal(found.X, data.X[rows])
    assert found.tasks is not None
    assert found.tasks.tolist() == data.tasks[rows].tolist()
    assert found.notes == ()


def test_days_are_counted_from_midnight(tmp_path: Path) -> None:
    data, reading = first(tmp_path, "value")
    assert reading.columns["when"] == {"kind": "date", "use": "parts", "first": "2020-03-01"}
    assert data.X[:, -1] == pytest.approx(np.arange(N) + 0.25)


def test_an_empty_column_of_dates(tmp_path: Path) -> None:
    frame().assign(when=pd.NaT).to_parquet(tmp_path / "first.parquet")
    data, account = read(str(tmp_path / "first.parquet"), task="place", target="value")
    assert "when" not in data.feature_names
    assert "Left out: column 'when', which is empty (1)." in str(account)


def test_targets_come_along(tmp_path: Path) -> None:
    data, reading = first(tmp_path, "value")
    table = frame().drop(columns="label")[::-1].reset_index(drop=True)
    table.loc[3, "value"] = np.nan
    again, account = read_tasks_like(further(tmp_path, table), reading)
    kept = np.delete(np.arange(N)[::-1], 3)
    assert np.array_equal(again.X, data.X[kept])
    assert np.array_equal(again.y, data.y[kept])
    assert again.feature_names == data.feature_names
    assert account.dropped == {"rows without a target": 1}


def test_labels_are_known(tmp_path: Path) -> None:
    _, reading = first(tmp_path, "label")
    assert reading.classes == ("no", "yes")
    only_yes = frame().drop(columns="value")[1::2]
    again, _ = read_tasks_like(further(tmp_path, only_yes), reading)
    assert again.y.tolist() == ["yes"] * (N // 2)
    assert again.task_type == "classification"
    with pytest.raises(ReadError, match="has 'maybe' in the target 'label', where the model knows"):
        read_tasks_like(further(tmp_path, only_yes.assign(label="maybe")), reading)


def test_labels_read_the_same_as_text_and_as_numbers(tmp_path: Path) -> None:
    _, reading = first(tmp_path, "label")
    reading = replace(reading, classes=(0, 1))
    table = frame().drop(columns="value").assign(label=np.array(["1.0", "0"])[np.arange(N) % 2])
    with pytest.raises(ReadError, match=r"has '1\.0' in the target"):
        read_tasks_like(further(tmp_path, table), reading)
    numbers = table.assign(label=np.array([1.0, 0.0])[np.arange(N) % 2])
    again, _ = read_tasks_like(further(tmp_path, numbers), reading)
    assert again.y.tolist() == [1, 0] * (N // 2)


def test_each_label_against_the_rest(tmp_path: Path) -> None:
    table = frame().assign(label=np.array(["p", "q", "r"])[np.arange(N) // 2 % 3])
    table = table.drop(columns="value")
    data, reading = learn(tmp_path, table, "label", task_type="classification")
    again, _ = read_tasks_like(further(tmp_path, table), reading)
    assert again.tasks.tolist() == data.tasks.tolist()
    assert np.array_equal(again.y, data.y)


def test_medians_are_those_of_the_first_file(tmp_path: Path) -> None:
    table = frame().drop(columns="label")
    table.loc[[2, 9, 11], "size"] = np.nan
    _, reading = learn(tmp_path, table, missing="median")
    middle = table["size"].median()
    later = table[:1].assign(size=np.nan)
    found = read_rows_like(further(tmp_path, later), reading, missing="median")
    assert found.X[0, reading.features.index("size")] == middle
    assert len(found.notes) == 1
    unknown = Reading(reading.features, columns=reading.columns)
    with pytest.raises(ReadError, match="fill them, as the model knows no medians"):
        read_rows_like(further(tmp_path, later), unknown, task="place", missing="median")


@pytest.mark.parametrize(
    ("change", "sentence"),
    [
        ({"kind=sort": None}, "has missing values in column 'kind=sort' .4.: fill them, or pass"),
        ({"when": "March"}, "has no dates in column 'when': save them as such"),
        ({"when": 7}, "has no dates in column 'when': save them as such"),
        ({"size": pd.Timestamp("2020-03-01")}, "in column 'size', where the model was fitted on"),
        ({"place": None}, "has 4 rows without a task in column 'place'"),
    ],
)
def test_what_does_not_fit(tmp_path: Path, change: dict[str, Any], sentence: str) -> None:
    _, reading = first(tmp_path, "value")
    table = frame().drop(columns=["label", "value"])[:4].assign(**change)
    with pytest.raises(ReadError, match=sentence):
        read_rows_like(further(tmp_path, table), reading)


def test_no_rows(tmp_path: Path) -> None:
    _, reading = first(tmp_path, "value")
    frame()[:0].to_csv(tmp_path / "none.csv", index=False)
    with pytest.raises(ReadError, match=r"none\.csv has a header but no rows"):
        read_rows_like(str(tmp_path / "none.csv"), reading)


def write_places(tmp_path: Path) -> list[str]:
    """One file per task."""
    files = []
    for name, part in frame().groupby("place"):
        files.append(str(tmp_path / f"{name}.csv"))
        part.drop(columns=["place", "label"]).to_csv(files[-1], index=False)
    return files


def test_one_file_per_task(tmp_path: Path) -> None:
    files = write_places(tmp_path)
    data, account = read(files, target="value")
    found = read_rows_like(files[::-1], Reading.of(data, account))
    assert found.tasks is not None
    assert found.tasks.tolist() == ["b"] * (N // 2) + ["a"] * (N // 2)
    order = np.r_[N // 2 : N, : N // 2]
    assert np.array_equal(found.X, data.X[order])


def test_the_task_is_guessed_among_what_is_no_feature(tmp_path: Path) -> None:
    _, reading = first(tmp_path, "value")
    unnamed = Reading(reading.features, columns=reading.columns)
    found = read_rows_like(further(tmp_path, frame().drop(columns=["label", "value"])), unnamed)
    assert found.tasks is not None
    assert found.tasks.tolist() == frame()["place"].tolist()
    assert found.notes == ("the task is column 'place', the first of repeated texts",)


def test_dates_as_text_count_from_the_same_day(tmp_path: Path) -> None:
    data, reading = first(tmp_path, "value")
    table = frame().drop(columns=["label", "value"])[5:9]
    table.to_csv(tmp_path / "later.csv", index=False)
    assert np.array_equal(read_rows_like(str(tmp_path / "later.csv"), reading).X, data.X[5:9])


def test_spans_of_time_are_days(tmp_path: Path) -> None:
    table = frame().drop(columns="label")
    table["when"] = pd.to_timedelta(np.arange(N) * 12, "h")
    _, reading = learn(tmp_path, table)
    found = read_rows_like(further(tmp_path, table[7:9]), reading)
    assert found.X[:, -1].tolist() == [3.5, 4.0]
    with pytest.raises(ReadError, match="has no spans of time in column 'when'"):
        read_rows_like(further(tmp_path, frame()[7:9]), reading)


def test_missing_texts_are_the_most_frequent_of_the_first_file(tmp_path: Path) -> None:
    table = frame().drop(columns="label")
    table.loc[:9, "kind=sort"] = "z"
    data, reading = learn(tmp_path, table)
    later = table[10:14].copy()
    later.iloc[[0, 2], later.columns.get_loc("kind=sort")] = None
    found = read_rows_like(further(tmp_path, later), reading, missing="median")
    expected = data.X[10:14].copy()
    expected[[0, 2], :3] = [0.0, 0.0, 1.0]
    assert np.array_equal(found.X, expected)
    assert found.notes[0].startswith("2 missing cells in 1 column were filled")


def test_numbers_among_texts_are_the_same_level(tmp_path: Path) -> None:
    """A column of texts that holds whole numbers and nothing else in the further file."""
    table = frame().drop(columns="label")
    table["kind=sort"] = np.array(["1", "2", "none", "few"])[np.arange(N) % 4]
    table.to_csv(tmp_path / "first.csv", index=False)
    data, account = read(str(tmp_path / "first.csv"), task="place", target="value")
    later = table[:2].assign(**{"kind=sort": [1.0, 2.0]})
    found = read_rows_like(further(tmp_path, later), Reading.of(data, account))
    assert np.array_equal(found.X, data.X[:2])


def test_one_further_file_is_one_task(tmp_path: Path) -> None:
    files = write_places(tmp_path)
    data, account = read(files, target="value")
    reading = Reading.of(data, account)
    found = read_rows_like(files[1], reading)
    assert found.tasks is not None
    assert found.tasks.tolist() == ["b"] * (N // 2)
    assert np.array_equal(found.X, data.X[N // 2 :])
    again, _ = read_tasks_like(files[1], reading)
    assert again.tasks.tolist() == found.tasks.tolist()
    assert np.array_equal(again.y, data.y[N // 2 :])


def test_parts_of_one_long_table(tmp_path: Path) -> None:
    data, reading = first(tmp_path, "value")
    files = []
    for number, part in enumerate((slice(0, 15), slice(15, None))):
        files.append(str(tmp_path / f"part {number}.csv"))
        frame().drop(columns="label")[part].to_csv(files[-1], index=False)
    found = read_rows_like(files, reading)
    assert found.tasks is not None
    assert found.tasks.tolist() == data.tasks.tolist()
    assert np.array_equal(found.X, data.X)


def test_labels_against_the_rest_when_two_are_left(tmp_path: Path) -> None:
    table = frame().assign(label=np.array(["p", "q", "r"])[np.arange(N) // 2 % 3])
    table = table.drop(columns="value")
    data, reading = learn(tmp_path, table, "label", task_type="classification")
    again, _ = read_tasks_like(further(tmp_path, table[table["label"] != "r"]), reading)
    assert again.task_names.tolist() == ["a: p", "a: q", "b: p", "b: q"]
    assert set(again.task_names) <= set(data.task_names)


def test_the_index_of_a_data_frame_is_no_feature(tmp_path: Path) -> None:
    table = frame().drop(columns="label").sample(frac=1.0, random_state=0)
    table.to_parquet(tmp_path / "first.parquet")  # and its index, as it is no range
    kept, account = read(str(tmp_path / "first.parquet"), task="place", target="value")
    assert not any("index" in name for name in kept.feature_names)
    left_out = "column '__index_level_0__', which is the index of a data frame"
    assert account.dropped == {left_out: 1}


def test_arrays_after_a_table(tmp_path: Path) -> None:
    """The columns that were named in a table are y and tasks in a file of arrays."""
    data, reading = first(tmp_path, "value")
    names = np.array(data.feature_names)
    file = tmp_path / "later.npz"
    np.savez(file, X=data.X[5:9], y=data.y[5:9], tasks=data.tasks[5:9], feature_names=names)
    plain = Reading(reading.features, understood=reading.understood)
    again, _ = read_tasks_like(str(file), plain)
    assert np.array_equal(again.X, data.X[5:9])
    assert np.array_equal(again.y, data.y[5:9])
    assert again.tasks.tolist() == data.tasks[5:9].tolist()


def read_further(cells: list[float]) -> FurtherRows:
    """Rows of a model that was fitted on whole numbers from 1,000 to 91,000."""
    header = "task,area,share,y"
    fitted = [f"{'ab'[k % 2]},{1000 + 1000 * k},0.{k:02d},{k}" for k in range(91)]
    data, account = read(("a.csv", "\n".join([header, *fitted]).encode()))
    rows = [f"a,{cell},0.25,1" for cell in cells]
    new = "n.csv", "\n".join([header, *rows]).encode()
    return read_rows_like(new, Reading.of(data, account))


def test_thousandths_of_what_was_fitted_are_refused() -> None:
    with pytest.raises(ReadError, match=r"has 43\.113 in column 'area'.* pass thousands='\.'"):
        read_further([43.113, 17.5, 88.001])
    assert read_further([43113, 17500]).notes == ()


def test_what_is_far_from_the_fit_is_told() -> None:
    said = "Column 'area' has -999999 (1 row), where the model was fitted on 1000 to 91000"
    assert said in read_further([43113, -999999]).notes
