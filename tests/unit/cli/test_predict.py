"""Predictions on files are the model's on the same rows, whatever the file looks like."""

import io
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

from stcmtl import STCMTLRegressor, load
from stcmtl.cli.parser import COMMANDS
from tests.unit.cli.small_files import COLOURS, error, pipe, run, run_json, school_frame, written
from tests.unit.plain import plain_model

Capture = pytest.CaptureFixture[str]


def new_rows(n: int = 4) -> pd.DataFrame:
    return school_frame(n, seed=9).drop(columns="score")


def expected(model: Any, frame: pd.DataFrame) -> Any:
    """By hand: coefficients times features, and the intercept."""
    indicators = {f"colour={c}": (frame["colour"] == c).astype(float) for c in COLOURS}
    X = frame[list("abcde")].assign(**indicators)[model.feature_names_in_].to_numpy()
    i = pd.Index(model.task_names_).get_indexer(frame["school"])
    return (X * model.coef_[i]).sum(axis=1) + model.intercept_[i]


def predict(capsys: Capture, model: Path, *arguments: str) -> dict[str, Any]:
    return run_json(capsys, "predict", str(model), *arguments)


def predicted(document: dict[str, Any]) -> list[Any]:
    return [row["prediction"] for row in document["predictions"]]


def test_written_predictions(school_model: Path, tmp_path: Path, capsys: Capture) -> None:
    frame = new_rows()
    file, out = written(frame, tmp_path / "new.csv"), tmp_path / "predictions.csv"
    code, said, err = run(capsys, "predict", str(school_model), file, "--out", str(out))
    assert (code, said, err) == (0, f"Wrote 24 predictions to {out}.\n", "")
    table = pd.read_csv(out)
    assert list(table.columns) == ["row", "task", "prediction"]
    assert table["row"].tolist() == list(range(1, 25))
    assert table["task"].tolist() == frame["school"].tolist()
    assert table["prediction"].to_numpy() == pytest.approx(expected(load(school_model), frame))


def test_standard_output_and_json_say_the_same(
    school_model: Path, tmp_path: Path, capsys: Capture
) -> None:
    file = written(new_rows(), tmp_path / "new.csv")
    code, out, err = run(capsys, "predict", str(school_model), file)
    assert (code, err) == (0, "")
    table = pd.read_csv(io.StringIO(out))
    document = predict(capsys, school_model, file)
    assert " ".join(document) == COMMANDS["predict"].keys
    pd.testing.assert_frame_equal(pd.DataFrame(document["predictions"]), table)
    assert (document["rows"], document["predicted"], document["unknown_tasks"]) == (24, 24, [])


def test_rows_through_standard_input(
    school_model: Path, tmp_path: Path, capsys: Capture, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = written(new_rows(), tmp_path / "new.csv")
    through = predict(capsys, school_model, pipe(monkeypatch, file))
    assert through == predict(capsys, school_model, file)


def in_another_order(frame: pd.DataFrame) -> pd.DataFrame:
    """With more columns, and with levels that are fewer than in the fit."""
    frame = frame[frame["colour"] != "blue"]
    return frame[frame.columns[::-1]].assign(note="x", weight=1.0)


@pytest.mark.parametrize(
    ("frame", "ending", "notes"),
    [
        (
            in_another_order(new_rows()),
            "parquet",
            ["2 columns 'note', 'weight' are no features of the model and not used"],
        ),
        (school_frame(3, seed=9), "csv", []),  # the target may be there
        (new_rows().iloc[[7]], "csv", []),  # one row
    ],
)
def test_columns_are_found_by_name(
    frame: pd.DataFrame,
    ending: str,
    notes: list[str],
    school_model: Path,
    tmp_path: Path,
    capsys: Capture,
) -> None:
    document = predict(capsys, school_model, written(frame, tmp_path / f"new.{ending}"))
    assert predicted(document) == pytest.approx(expected(load(school_model), frame))
    assert document["notes"] == notes


def test_another_name_for_the_task(school_model: Path, tmp_path: Path, capsys: Capture) -> None:
    frame = new_rows().rename(columns={"school": "place"})
    file = written(frame, tmp_path / "new.csv")
    assert "no column 'school'" in error(capsys, "predict", str(school_model), file)
    document = predict(capsys, school_model, file, "--task", "place")
    renamed = frame.rename(columns={"place": "school"})
    assert predicted(document) == pytest.approx(expected(load(school_model), renamed))


def test_tasks_never_seen(school_model: Path, tmp_path: Path, capsys: Capture) -> None:
    frame = new_rows(2)
    strange = frame["school"].isin(["up", "down"])
    frame["school"] = frame["school"].replace({"up": "left", "down": "right"})
    file = written(frame, tmp_path / "new.csv")
    code, out, err = run(capsys, "predict", str(school_model), file)
    assert code == 0
    assert err == (
        "Note: The model has not seen 'left', 'right' in the fit: "
        "the predictions of 4 rows are empty.\n"
    )
    table = pd.read_csv(io.StringIO(out))
    assert table["prediction"].isna().tolist() == strange.tolist()
    known = expected(load(school_model), frame[~strange])
    assert table.loc[~strange, "prediction"].to_numpy() == pytest.approx(known)
    document = predict(capsys, school_model, file)
    assert document["unknown_tasks"] == ["left", "right"]
    assert document["predicted"] == 8
    assert [row["prediction"] is None for row in document["predictions"]] == strange.tolist()


def test_no_task_is_known(school_model: Path, tmp_path: Path, capsys: Capture) -> None:
    file = written(new_rows().assign(school="left"), tmp_path / "new.csv")
    sentence = error(capsys, "predict", str(school_model), file)
    assert sentence.startswith("None of the tasks was seen in the fit: the model knows 'down',")


@pytest.mark.parametrize(
    ("change", "sentence"),
    [
        ({"colour": "purple"}, "new.csv has 'purple' in column 'colour', where the model was"),
        ({"a": "much"}, "new.csv has 'much' in column 'a', where the model was fitted on numbers"),
        ({"b": np.nan}, "new.csv has missing values in column 'b' (24): fill them, or pass --imp"),
        ({"c": np.inf}, "new.csv has 24 infinite values in column 'c': correct them."),
    ],
)
def test_cells_that_do_not_fit(
    school_model: Path, tmp_path: Path, capsys: Capture, change: dict[str, Any], sentence: str
) -> None:
    file = written(new_rows().assign(**change), tmp_path / "new.csv")
    assert sentence in error(capsys, "predict", str(school_model), file)


def test_missing_columns_are_named(school_model: Path, tmp_path: Path, capsys: Capture) -> None:
    file = written(new_rows().drop(columns=["b", "colour"]), tmp_path / "new.csv")
    assert error(capsys, "predict", str(school_model), file) == (
        "new.csv lacks the 4 features 'b', 'colour=blue', 'colour=green', 'colour=red' "
        "that the model was fitted on: add them."
    )


def test_holes_are_filled_with_what_the_fit_saw(
    school_model: Path, tmp_path: Path, capsys: Capture
) -> None:
    frame = new_rows()
    frame.loc[3, "a"] = np.nan
    file = written(frame, tmp_path / "new.csv")
    document = predict(capsys, school_model, file, "--impute", "median")
    frame.loc[3, "a"] = school_frame()["a"].median()
    assert predicted(document) == pytest.approx(expected(load(school_model), frame))


def test_probabilities(passing_model: Path, tmp_path: Path, capsys: Capture) -> None:
    frame = new_rows()
    out = tmp_path / "predictions.parquet"
    file = written(frame, tmp_path / "new.csv")
    assert run(capsys, "predict", str(passing_model), file, "--out", str(out))[0] == 0
    table = pd.read_parquet(out)
    assert list(table.columns) == [
        *("row", "task", "prediction", "probability of fail", "probability of pass")
    ]
    log_odds = expected(load(passing_model), frame)
    assert table["probability of pass"].to_numpy() == pytest.approx(1 / (1 + np.exp(-log_odds)))
    assert table["prediction"].tolist() == np.where(log_odds > 0, "pass", "fail").tolist()
    total = table["probability of fail"] + table["probability of pass"]
    assert total.to_numpy() == pytest.approx(np.ones(24))


def test_dates_count_from_the_same_day(tmp_path: Path, capsys: Capture) -> None:
    frame = school_frame().drop(columns="colour")
    frame["when"] = pd.Timestamp("2024-02-03 09:30") + pd.to_timedelta(np.arange(120) % 50, "D")
    file = written(frame, tmp_path / "schools.parquet")
    options = ["--task", "school", "--target", "score", "--clusters", "2", "--out", str(tmp_path)]
    assert run(capsys, "fit", file, *options)[0] == 0
    later = written(frame[30:34], tmp_path / "later.parquet")
    model = load(tmp_path / "model.stcmtl")
    document = predict(capsys, tmp_path / "model.stcmtl", later)
    X = frame[list("abcde")]
    turn = 2 * np.pi * (np.arange(120) % 50 + 33) / 366
    X = X.assign(**{"when: season (sine)": np.sin(turn), "when: season (cosine)": np.cos(turn)})
    X = X.assign(**{"when: days": np.arange(120) % 50 + 9.5 / 24})[30:34]
    assert predicted(document) == pytest.approx(model.predict(X, frame["school"][30:34]))


def test_wide_rows_are_predicted_for_every_task(tmp_path: Path, capsys: Capture) -> None:
    frame = school_frame()
    wide = frame[list("abcde")].rename(columns=lambda name: f"x{name}")
    for school in ("north", "south"):
        wide[school] = frame["score"].where(frame["school"] == school)
    file = written(wide, tmp_path / "wide.csv")
    options = ["--target", "north", "--target", "south", "--clusters", "1", "--out", str(tmp_path)]
    assert run(capsys, "fit", file, *options)[0] == 0
    model = load(tmp_path / "model.stcmtl")
    new = wide.drop(columns=["north", "south"])[:3]
    document = predict(capsys, tmp_path / "model.stcmtl", written(new, tmp_path / "new.csv"))
    table = pd.DataFrame(document["predictions"])
    assert table["row"].tolist() == [1, 1, 2, 2, 3, 3]
    assert table["task"].tolist() == ["north", "south"] * 3
    rows = new.iloc[[0, 0, 1, 1, 2, 2]]
    assert table["prediction"].to_numpy() == pytest.approx(model.predict(rows, table["task"]))


def test_a_model_from_python_and_arrays(tmp_path: Path, capsys: Capture) -> None:
    """Tasks are numbers in the model and text in the file; there are neither names nor y."""
    frame = school_frame()
    X, tasks = frame[list("abcde")].to_numpy(), pd.factorize(frame["school"])[0]
    model = plain_model(STCMTLRegressor, 2, random_state=0).fit(X, frame["score"], tasks)
    model.save(tmp_path / "mine.stcmtl")
    np.savez(tmp_path / "new.npz", X=X[:50], tasks=tasks[:50].astype(str))
    document = predict(capsys, tmp_path / "mine.stcmtl", str(tmp_path / "new.npz"))
    assert predicted(document) == pytest.approx(model.predict(X[:50], tasks[:50]))


def test_no_model(school_model: Path, tmp_path: Path, capsys: Capture) -> None:
    new = written(new_rows(), tmp_path / "new.csv")
    missing = str(tmp_path / "none.stcmtl")
    said = error(capsys, "predict", missing, new)
    assert said == f"{missing} cannot be opened: No such file or directory."
    assert "new.csv is damaged or is not a model" in error(capsys, "predict", new, new)


@pytest.mark.parametrize("understood", [{"limits": 1}, {"weight": ["a"]}, {"task": 3.0}])
def test_what_a_model_remembers_is_checked(
    understood: dict[str, object], school_model: Path, tmp_path: Path, capsys: Capture
) -> None:
    model = load(school_model)
    model.reading_ = {"understood": understood, "dates": {}, "medians": np.zeros(8)}
    model.save(tmp_path / "changed.stcmtl")
    new = written(new_rows(), tmp_path / "new.csv")
    said = error(capsys, "predict", str(tmp_path / "changed.stcmtl"), new)
    assert said == "changed.stcmtl is damaged in how its data was read: fit the model again."
