"""New tasks: where they land, and what is predicted for them."""

import re

import numpy as np
import pandas as pd
import pytest

from stcmtl.data.taskset import TaskSet
from stcmtl.figures.pieces.simplex import corners
from stcmtl.progress import drain
from stcmtl.studio.state.choices import FitChoice
from stcmtl.studio.widgets.new_tasks import true_order
from stcmtl.studio.work import fits
from tests.app.states import CLASSIFIED, FITTED, Visit, data_of, fit_of, numbers, sentences, trace


def rows_of(state: str, task: int, n_rows: int, name: str = "fresh") -> pd.DataFrame:
    """Test rows of a fitted task, under another name."""
    test = data_of(state).test
    assert isinstance(test, TaskSet)
    frame = test.to_frame()
    own = frame[frame["task"] == test.task_names[task]].head(n_rows)
    return own.assign(task=name)


def uploading(state: str) -> Visit:
    app = Visit("new_tasks", state)
    app.get("button_group")[0].set_value("Upload tasks").run()
    return app


def with_fitted_upload(frame: pd.DataFrame) -> Visit:
    """The page for a fit of an uploaded table."""
    app = Visit("data", tab="upload").upload("data.files", frame)
    app.show(drain(fits.fit_steps(app.session.data, FitChoice(k=1))))
    return app.go("new_tasks")


def test_a_drawn_task_lands_near_its_true_place() -> None:
    app = Visit("new_tasks", FITTED)
    app.number_input(key="new.n_rows").set_value(300).run()
    figure = app.figures[0]
    star, true = trace(figure, "new tasks"), trace(figure, "true places of new tasks")
    middle = corners(3)[:2].mean(axis=0)
    np.testing.assert_allclose([*numbers(true["x"]), *numbers(true["y"])], middle, atol=1e-9)
    np.testing.assert_allclose([*numbers(star["x"]), *numbers(star["y"])], middle, atol=0.2)
    table = app.dataframe[0].value
    assert table["fits"].tolist() == [True]
    assert table["loss"][0] < table["loss alone"][0]
    assert app.headline.startswith("New task: ")
    assert app.title[0].value.startswith(
        r"New task\: "
    )  # escaped once, as a reader sees nothing of


def test_a_pure_draw_is_told_from_a_mixed_one() -> None:
    app = Visit("new_tasks", FITTED)
    app.number_input(key="new.weight.0").set_value(0.0)
    app.number_input(key="new.n_rows").set_value(300).run()
    table = app.dataframe[0].value
    assert table["best alone"].tolist() == [2]
    assert table["cluster 2"][0] > 0.9


def test_a_task_unlike_all_clusters_is_flagged() -> None:
    app = Visit("new_tasks", FITTED)
    app.toggle(key="new.stranger").set_value(True).run()
    assert app.headline == "New task: no mixture of the clusters fits"
    assert "beyond chance" in sentences(app.warning)
    assert not [t for t in app.figures[0]["data"] if t["name"] == "true places of new tasks"]


def test_a_true_cluster_that_was_not_found_is_named() -> None:
    app = Visit("new_tasks", FITTED).show(fit_of(FITTED, k=2))
    labels = [box.label for box in app.number_input if box.key.startswith("new.weight")]
    assert len(labels) == 3
    assert [label for label in labels if re.fullmatch(r"True cluster [123] \(not found\)", label)]


def test_no_weight_at_all_is_said() -> None:
    app = Visit("new_tasks", FITTED)
    for k in (0, 1):
        app.number_input(key=f"new.weight.{k}").set_value(0.0)
    app.run()
    assert sentences(app.error) == "Give at least one cluster a weight."


@pytest.mark.parametrize("state", [FITTED, CLASSIFIED])
def test_rows_of_a_known_task_land_where_it_is(state: str) -> None:
    app = uploading(state)
    model = fit_of(state).model
    app.upload("new.tasks", rows_of(state, 2, 20))
    table = app.dataframe[0].value
    assert table["task"].tolist() == ["fresh"]
    assert table["best alone"].tolist() == [model.labels_[2] + 1]
    frame = rows_of(state, 2, 20)
    found = model.assign(frame.iloc[:, 2:].to_numpy(), frame["target"], frame["task"])
    shares = table[["cluster 1", "cluster 2", "cluster 3"]].to_numpy()
    np.testing.assert_allclose(shares, found.memberships)


def test_without_a_truth_the_test_rows_of_a_task_stand_in() -> None:
    app = Visit("new_tasks", CLASSIFIED)
    model, test = fit_of(CLASSIFIED).model, data_of(CLASSIFIED).test
    assert test is not None
    name = str(model.task_names_[4])
    app.selectbox(key="new.test_task").set_value(name).run()
    own = test.tasks == name
    found = model.assign(test.X[own], test.y[own], test.tasks[own])
    star = trace(app.figures[0], "new tasks")
    place = found.memberships @ corners(3)
    np.testing.assert_allclose([*numbers(star["x"]), *numbers(star["y"])], place[0])
    assert app.dataframe[0].value["task"].tolist() == [f"{name}, test rows"]


def test_new_rows_of_new_and_known_tasks_are_predicted() -> None:
    app = uploading(CLASSIFIED)
    model = fit_of(CLASSIFIED).model
    app.upload("new.tasks", rows_of(CLASSIFIED, 0, 20))
    known = str(model.task_names_[5])
    both = pd.concat([rows_of(CLASSIFIED, 0, 4), rows_of(CLASSIFIED, 5, 3, known)])
    app.upload("new.rows", both.drop(columns="target"), "rows.csv")
    table = app.dataframe[1].value
    assert table["task"].tolist() == ["fresh"] * 4 + [known] * 3
    X = both.iloc[:, 2:].to_numpy()
    assert table["prediction"].tolist()[4:] == model.predict(X[4:], [known] * 3).tolist()
    odds = model.predict_proba(X[4:], [known] * 3)[:, 1]
    np.testing.assert_allclose(table["probability of 1.0"][4:], odds)


def test_rows_without_a_task_column_are_of_the_task_one_chooses() -> None:
    app = Visit("new_tasks", FITTED)
    frame = rows_of(FITTED, 7, 3).drop(columns=["task", "target"])
    app.upload("new.rows", frame)
    model = fit_of(FITTED).model
    assert app.selectbox(key="new.of_task").value == "New task"
    name = str(model.task_names_[7])
    app.selectbox(key="new.of_task").set_value(name).run()
    expected = model.predict(frame.to_numpy(), [name] * 3)
    np.testing.assert_allclose(app.dataframe[1].value["prediction"], expected)


@pytest.mark.parametrize(
    ("change", "sentence"),
    [
        ({"drop": "x3"}, " lacks the feature 'x3' that the model was fitted on"),
        ({"drop": "target"}, " has no target"),
        ({"rows": 1}, "Task 'fresh' has one row"),
    ],
)
def test_what_is_wrong_with_a_file_is_said(change: dict[str, object], sentence: str) -> None:
    app = uploading(CLASSIFIED)
    frame = rows_of(CLASSIFIED, 0, int(str(change.get("rows", 20))))
    app.upload("new.tasks", frame.drop(columns=[c for c in [change.get("drop")] if c]))
    assert sentence in sentences(app.error)


def test_holes_in_a_further_file_are_filled_as_in_the_first_one() -> None:
    rng = np.random.default_rng(0)
    frame = pd.DataFrame({"school": np.repeat(list("abcd"), 15), "age": rng.normal(size=60)})
    frame["score"] = frame["age"] + 0.1 * rng.normal(size=60)
    app = with_fitted_upload(frame)
    rows = frame.iloc[[0, 20]].drop(columns="score").assign(age=[0.5, np.nan])
    app.upload("new.rows", rows, "rows.csv")
    assert "rows has missing values in column 'age' (1)" in sentences(app.error)
    (fill,) = (button for button in app.button if button.label == "Fill with medians")
    fill.click().run()
    assert not app.error
    median = frame["age"].median()  # of all rows, those kept for testing too
    expected = app.session.fitted.model.predict(np.array([[0.5], [median]]), ["a", "b"])
    np.testing.assert_allclose(app.dataframe[-1].value["prediction"], expected)


def test_rows_are_read_like_the_upload_that_was_fitted() -> None:
    """Texts become the indicators they were, and the task column keeps its odd name."""
    rng = np.random.default_rng(0)
    frame = pd.DataFrame({"tribe": np.repeat(list("abcd"), 15), "sex": list("fmm") * 20})
    frame["age"] = rng.normal(size=60)
    frame["score"] = frame["age"] + (frame["sex"] == "f") + 0.1 * rng.normal(size=60)
    app = with_fitted_upload(frame)
    rows = frame.drop(columns="score").iloc[[0, 1, 20]]
    app.upload("new.rows", rows, "rows.csv")
    X = np.column_stack([rows["sex"] == "f", rows["sex"] == "m", rows["age"]]).astype(float)
    assert app.session.data.train.feature_names == ("sex=f", "sex=m", "age")
    table = app.dataframe[-1].value
    assert table["task"].tolist() == ["a", "a", "b"]
    expected = app.session.fitted.model.predict(X, ["a", "a", "b"])
    np.testing.assert_allclose(table["prediction"], expected)


def test_an_unknown_task_is_not_predicted() -> None:
    app = Visit("new_tasks", FITTED)
    app.upload("new.rows", rows_of(FITTED, 0, 3, "nobody").drop(columns="target"))
    assert "nobody: no such task in the fit" in sentences(app.error)


def test_true_clusters_are_matched_to_the_fitted_ones() -> None:
    result = fit_of(FITTED)
    assert result.data.truth is not None
    aligned = result.data.truth.V[true_order(result)]
    pure = result.data.truth.pure
    np.testing.assert_array_equal(
        aligned.argmax(axis=0)[pure], result.model.memberships_.argmax(axis=1)[pure]
    )


def test_three_rows_are_too_few_to_tell() -> None:
    app = Visit("new_tasks", FITTED)
    app.number_input(key="new.n_rows").set_value(3).run()
    assert "too few rows to tell, as 3 rows may be of a task with" in app.headline.replace("\\", "")
    said = sentences(app.markdown)
    assert "So few rows fit many places" in said
    assert "% less" not in said
    table = app.dataframe[0].value
    assert (table["cluster 1, to"] - table["cluster 1, from"])[0] > 0.5
    assert trace(app.figures[0], "region")["fill"] == "toself"


def test_many_rows_have_an_interval_around_the_place() -> None:
    app = Visit("new_tasks", FITTED)
    app.number_input(key="new.n_rows").set_value(300).run()
    table = app.dataframe[0].value
    shares = sorted(((table[f"cluster {k}"][0], k) for k in (1, 2, 3)), reverse=True)
    assert "too few" not in app.headline
    for share, k in shares:
        low, high = table[f"cluster {k}, from"][0], table[f"cluster {k}, to"][0]
        assert low <= share <= high < low + 0.3
        if share > 0.01:
            words = f"cluster {k} ({low:.0%} to {high:.0%})"
            assert words in app.headline.replace("\\", "")
