"""Data: three ways to tasks, and what one sees of them."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from stcmtl import datasets
from stcmtl.figures import task_colours
from stcmtl.studio.state.choices import UPLOAD, DataChoice
from tests.app.states import (
    CLASSIFIED,
    DATA,
    EMPTY,
    FITTED,
    Visit,
    data_of,
    fit_of,
    numbers,
    sentences,
    trace,
)


def schools(n_rows: int = 12) -> pd.DataFrame:
    rng = np.random.default_rng(0)
    names = np.repeat(["north", "south", "west"], n_rows)
    frame = pd.DataFrame({"school": names, "age": rng.normal(size=len(names)).round(3)})
    return frame.assign(hours=rng.normal(size=len(names)).round(3), score=np.arange(len(names)))


def uploaded(frame: pd.DataFrame) -> Visit:
    return Visit("data", tab="upload").upload("data.files", frame)


def test_without_tasks_it_offers_to_make_some() -> None:
    app = Visit("data", EMPTY)
    assert app.headline == "Simulate tasks, open an example or upload a file"
    assert app.figures == []
    app.button(key="data.simulate").click().run()
    assert app.session.data.key == DataChoice(source="simulated")
    assert app.headline.startswith("60 tasks with 100 rows each")


@pytest.mark.parametrize("state", [DATA, FITTED])
def test_rows_and_targets_of_every_task(state: str) -> None:
    app = Visit("data", state)
    train = data_of(state).train
    assert app.headline.startswith("18 tasks with 60 rows each, 1,080 in all; 30 features")
    rows, targets = app.figures
    assert set(numbers(trace(rows, "to fit")["y"])) == {60}
    assert set(numbers(trace(rows, "for testing")["y"])) == {20}
    medians = trace(targets, "median")
    order = numbers(medians["customdata"])
    expected = [np.median(train.y[train.tasks == train.task_names[i]]) for i in order]
    np.testing.assert_allclose(numbers(medians["y"]), expected)
    assert (np.diff(expected) >= 0).all()


def test_tasks_have_the_colours_of_the_fit() -> None:
    before, after = (trace(Visit("data", state).figures[1], "median") for state in (DATA, FITTED))
    assert len(set(before["marker"]["color"])) == 1
    mixed = task_colours(fit_of(FITTED).model.memberships_.T)
    assert after["marker"]["color"] == [mixed[i] for i in numbers(after["customdata"])]


def test_two_labels_are_shown_as_shares() -> None:
    app = Visit("data", CLASSIFIED)
    train = data_of(CLASSIFIED).train
    share = trace(app.figures[1], "share")
    first = numbers(share["customdata"])[0]
    own = train.y[train.tasks == train.task_names[first]]
    assert numbers(share["y"])[0] == (own == 1).mean() == min(numbers(share["y"]))
    assert "share of 1.0" in app.dataframe[0].value.columns


@pytest.mark.parametrize(
    ("field", "value", "sentence"),
    [
        ("features", 20, "5 clusters need at least 30 features"),
        ("mixed", 60, "At most 55 of 60 tasks can be mixed"),
        ("tasks", 4, "5 clusters need a pure task each"),
        ("features", 1000, None),
    ],
)
def test_what_cannot_be_simulated_is_said_and_not_run(
    field: str, value: int, sentence: str | None
) -> None:
    app = Visit("data")
    app.number_input(key=f"DataChoice.{field}").set_value(value).run()
    assert app.button(key="data.simulate").disabled == (sentence is not None)
    assert (sentence or "") in sentences(app.error)
    assert len(app.error) == (sentence is not None)


def test_too_large_a_simulation_is_refused() -> None:
    app = Visit("data")
    for field in ("features", "rows", "test_rows"):
        app.number_input(key=f"DataChoice.{field}").set_value(500)
    app.run()
    assert "30 million cells" in sentences(app.error)
    assert app.button(key="data.simulate").disabled


def test_controls_keep_what_was_set_over_another_page() -> None:
    app = Visit("data")
    app.number_input(key="DataChoice.tasks").set_value(33).run()
    app.switch_page("pages/home.py").run()
    app.switch_page("pages/data.py").run()
    assert app.number_input(key="DataChoice.tasks").value == 33


def test_an_example_and_its_split() -> None:
    app = Visit("data", tab="examples")
    app.button(key="data.gapminder").click().run()
    assert app.headline.startswith("142 tasks with 9 rows each")
    assert len(numbers(trace(app.figures[1], "median")["y"])) == 142
    app.number_input(key="DataChoice.held_out").set_value(0.5).run()
    assert app.headline.startswith("142 tasks with 6 rows each")
    assert app.session.data_choice.held_out == 0.5


def test_a_missing_file_is_asked_for_and_the_tasks_in_hand_stay(
    monkeypatch: pytest.MonkeyPatch, tmp_path: object
) -> None:
    monkeypatch.setenv("STCMTL_DATA", str(tmp_path))
    app = Visit("data", DATA, tab="examples")
    app.button(key="data.school").click().run()
    assert "School was not found: put school.mat in" in sentences(app.warning)
    assert app.session.data is data_of(DATA)


def test_an_upload_is_read_at_once_and_accounted_for() -> None:
    frame = schools()
    app = uploaded(frame)
    loaded = app.session.data
    assert loaded.private
    assert loaded.train.task_names.tolist() == ["north", "south", "west"]
    assert loaded.train.n_rows.tolist() == [9, 9, 9]
    assert loaded.test.n_rows.tolist() == [3, 3, 3]
    assert set(loaded.train.y) | set(loaded.test.y) == set(frame["score"])
    assert "the task is column 'school'" in sentences(app.success)
    assert app.selectbox[0].value == "school"
    assert app.selectbox[1].value == "score"
    pd.testing.assert_frame_equal(app.dataframe[0].value, frame.head(8), check_dtype=False)
    assert app.query_params == {}


def test_pickers_correct_what_was_guessed() -> None:
    app = uploaded(schools())
    app.selectbox[1].set_value("hours").run()
    loaded = app.session.data
    assert loaded.train.feature_names == ("age", "score")
    assert app.headline.startswith("3 tasks with 9 rows each")


def test_what_pickers_say_outlives_a_change_of_page() -> None:
    app = uploaded(schools())
    app.selectbox[1].set_value("hours").run()
    before = app.session.data
    app.switch_page("pages/home.py").run()
    app.switch_page("pages/data.py").run()
    assert app.selectbox[1].value == "hours"
    assert app.session.data is before


def test_an_upload_can_be_opened_again_after_other_tasks() -> None:
    app = uploaded(schools())
    key = app.session.data.key
    app.switch_page("pages/home.py").run()
    app.session.data = data_of(DATA)
    app.switch_page("pages/data.py").run()
    assert app.session.data is data_of(DATA)
    app.button(key="data.again").click().run()
    assert app.session.data.key == key


def test_a_broken_upload_is_one_sentence_and_the_last_good_data_stays() -> None:
    app = Visit("data", DATA, tab="upload")
    app.upload("data.files", schools().drop(columns="school"))
    (error,) = app.error
    said = sentences([error])
    assert said.startswith("a.csv: which column names the task? Choose below one of age, hours")
    assert app.session.data is data_of(DATA)
    assert len(app.figures) == 2


def test_a_broken_file_among_others_can_be_taken_out() -> None:
    app = Visit("data", tab="upload")
    good = ("good.csv", schools().to_csv(index=False).encode(), "text/csv")
    app.file_uploader(key="data.files").set_value([("broken.npz", b"PK", "x"), good]).run()
    assert "broken.npz" in app.error[0].value
    assert "take out with ×" in sentences(app.caption)
    app.file_uploader(key="data.files").set_value(good).run()
    assert not app.error
    assert "take out" not in sentences(app.caption)
    assert len(app.session.data.train) == 3


def test_missing_cells_are_refused_then_filled() -> None:
    frame = schools()
    frame.loc[3, "age"] = np.nan
    app = uploaded(frame)
    assert "choose to fill them with the median" in sentences(app.error)
    assert app.session.data is None
    missing = next(w for w in app.get("button_group") if w.label == "Missing cells")
    missing.set_value("median").run()
    loaded = app.session.data
    values = np.concatenate([loaded.train.X[:, 0], loaded.test.X[:, 0]])
    assert np.isclose(values, frame["age"].median()).any()
    assert len(values) == len(frame)


def test_rows_too_few_to_split_are_all_kept_for_the_fit() -> None:
    frame = pd.concat([schools(), pd.DataFrame([["east", 0.1, 0.2, 5]], columns=schools().columns)])
    loaded = uploaded(frame).session.data
    assert loaded.test is None
    assert loaded.train.n_rows.tolist() == [1, 12, 12, 12]
    assert "Task east has one row" in loaded.account[-1]


def test_an_upload_split_otherwise_keeps_its_rows() -> None:
    app = uploaded(schools())
    app.number_input(key="DataChoice.held_out").set_value(0.5).run()
    loaded = app.session.data
    assert loaded.train.n_rows.tolist() == [6, 6, 6]
    assert app.session.data_choice.source == UPLOAD
    app.number_input(key="DataChoice.held_out").set_value(0.0).run()
    assert app.session.data.test is None


def test_templates_are_offered() -> None:
    buttons = Visit("data", tab="upload").get("download_button")
    assert [b.proto.label for b in buttons] == [
        "Long: a task column",
        "Wide: one target per task",
        "Zip: one file per task",
    ]


def test_gapminder_is_what_it_was() -> None:
    """The overview's numbers against the data set itself."""
    app = Visit("data", tab="examples")
    app.button(key="data.gapminder").click().run()
    table = app.dataframe[0].value
    data = datasets.load_gapminder()
    assert table["task"].tolist() == data.task_names.tolist()
    assert (table["rows to fit"] + table["rows to test"] == 12).all()
