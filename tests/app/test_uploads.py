"""Uploads: parsed once, read as the controls say at once, and never lost."""

import io
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

from stcmtl.io import bounded
from stcmtl.io.bounded import parse_bounded
from stcmtl.io.parsing import Parsed
from stcmtl.io.sources import File
from stcmtl.studio.state import uploads
from stcmtl.studio.state.choices import ONE_SCALE, UPLOAD
from tests.app.states import DATA, Visit, data_of, sentences


def schools(n_rows: int = 12) -> pd.DataFrame:
    """Three schools; the target is last, and named so."""
    rng = np.random.default_rng(0)
    names = np.repeat(["north", "south", "west"], n_rows)
    numbers = {name: rng.normal(size=len(names)).round(3) for name in ("age", "hours", "score")}
    return pd.DataFrame({"school": names, **numbers})


def crossed() -> pd.DataFrame:
    """Two texts without a telling name, either of which could make the tasks."""
    rng = np.random.default_rng(0)
    frame = pd.DataFrame({"u": np.tile(list("abcdef"), 40), "v": np.repeat(list("ghijkl"), 40)})
    frame = frame.sample(frac=1, random_state=0, ignore_index=True)
    return frame.assign(x=rng.normal(size=240).round(3), y=rng.normal(size=240).round(3))


def uploaded(frame: pd.DataFrame) -> Visit:
    return Visit("data", tab="upload").upload("data.files", frame)


def control(app: Visit, label: str) -> Any:
    """The picker with this label."""
    kinds = (app.selectbox, app.button_group, app.text_input, app.multiselect)
    (found,) = (widget for kind in kinds for widget in kind if widget.label == label)
    return found


def understood(app: Visit) -> pd.DataFrame:
    """The table of columns."""
    return app.data_editor[0].value.set_index("column")


def press(app: Visit, label: str) -> None:
    (button,) = (button for button in app.button if button.label == label)
    button.click().run()


def tick(app: Visit, **columns: bool) -> None:
    editor = app.data_editor[0]
    places = {column: place for place, column in enumerate(editor.value["column"])}
    edits = {places[column]: {"use": value} for column, value in columns.items()}
    app.session_state[editor.key] = {"edited_rows": edits, "added_rows": [], "deleted_rows": []}
    app.run()


@pytest.fixture
def parsed(monkeypatch: pytest.MonkeyPatch) -> list[Any]:
    """What was handed to be parsed."""
    files: list[Any] = []
    parse = uploads.parse_bounded
    monkeypatch.setattr(uploads, "parse_bounded", lambda *a: files.append(a) or parse(*a))
    return files


def test_an_upload_is_read_at_once_and_accounted_for() -> None:
    frame = schools()
    app = uploaded(frame)
    loaded = app.session.data
    assert loaded.private
    assert loaded.train.task_names.tolist() == ["north", "south", "west"]
    assert loaded.train.n_rows.tolist() == [9, 9, 9]
    assert loaded.test.n_rows.tolist() == [3, 3, 3]
    assert {*loaded.train.y, *loaded.test.y} == {*frame["score"]}
    assert "the task is column 'school'" in sentences(app.success)
    assert control(app, "Task column").value == "school"
    assert control(app, "Task column").options[0] == "school: 3 tasks of 12 rows"
    assert control(app, "Target column").value == "score"
    (rows,) = (table for table in app.dataframe if "hours" in table.value)
    pd.testing.assert_frame_equal(rows.value, frame.head(8), check_dtype=False)
    assert app.query_params == {}


def test_files_are_parsed_once_whatever_is_picked(parsed: list[Any]) -> None:
    app = uploaded(schools())
    control(app, "Target column").set_value("hours").run()
    control(app, "Task column").set_value("school").run()
    control(app, "Missing cells").set_value("median").run()
    control(app, "Marks of missing values").set_value("-999").run()
    tick(app, age=False)
    app.go("home")
    app.go("data")
    assert len(parsed) == 1
    control(app, "Decimal sign").set_value("comma").run()  # cells were taken for numbers
    assert len(parsed) == 2


def test_pickers_correct_what_was_guessed_and_outlive_a_change_of_page() -> None:
    app = uploaded(schools())
    control(app, "Target column").set_value("hours").run()
    loaded = app.session.data
    assert loaded.train.feature_names == ("age", "score")
    assert app.headline.startswith("3 tasks with 9 rows each")
    app.go("home")
    app.go("data")
    assert control(app, "Target column").value == "hours"
    assert app.session.data is loaded


def test_two_close_candidates_are_a_question() -> None:
    app = uploaded(crossed())
    assert app.session.data is None
    assert "Which column makes the tasks?" in sentences(app.markdown)
    asked = [button.label for button in app.button if ": 6 tasks" in button.label]
    assert asked == ["u: 6 tasks of 40 rows", "v: 6 tasks of 40 rows"]
    press(app, "v: 6 tasks of 40 rows")
    assert app.session.data.train.task_names.tolist() == list("ghijkl")
    assert "Which column makes the tasks?" not in sentences(app.markdown)
    control(app, "Task column").set_value("u").run()
    assert app.session.data.train.task_names.tolist() == list("abcdef")


def test_a_file_in_which_nothing_names_a_task_is_a_question_and_the_last_good_data_stays() -> None:
    app = Visit("data", DATA, tab="upload")
    app.upload("data.files", schools().drop(columns="school"))
    assert "None of them looks like it" in sentences(app.markdown)
    assert app.session.data is data_of(DATA)
    assert len(app.figures) == 2


def test_features_are_taken_in_and_out() -> None:
    app = uploaded(schools())
    assert understood(app)["use"].to_dict() == {
        "school": False, "age": True, "hours": True, "score": False,
    }  # fmt: skip
    tick(app, age=False)
    assert app.session.data.train.feature_names == ("hours",)
    tick(app, age=True, hours=False)
    assert app.session.data.train.feature_names == ("age",)
    press(app, "Use all")
    assert app.session.data.train.feature_names == ("age", "hours")
    press(app, "Use none")
    assert "has no column left for features" in sentences(app.error)
    assert app.session.data.train.feature_names == ("age", "hours")  # the last good ones
    press(app, "As proposed")
    assert not app.error
    assert app.session.data.train.feature_names == ("age", "hours")


def test_the_table_says_what_each_column_is_and_becomes() -> None:
    frame = schools().assign(sex=list("fmm") * 12, code=[f"c{i:03d}" for i in range(36)])
    frame.loc[3:4, "sex"] = None
    app = uploaded(frame)
    waiting = understood(app)  # for an answer to the missing values
    assert waiting.loc["sex", ["kind", "missing", "use"]].tolist() == ["text", 2, True]
    assert waiting["what becomes of it"][["school", "score"]].tolist() == ["the task", "the target"]
    press(app, "Fill with medians")
    table = understood(app)
    assert table["kind"].to_dict() == {
        "school": "text", "age": "number", "hours": "number", "score": "number", "sex": "text",
        "code": "identifier",
    }  # fmt: skip
    assert table["what becomes of it"].to_dict() == {
        "school": "the task", "age": "as it is", "hours": "as it is", "score": "the target",
        "sex": "f, m", "code": "left out: a different text in every row",
    }  # fmt: skip
    assert table["use"][["age", "hours", "sex"]].all()
    assert not table["use"][["school", "score", "code"]].any()
    assert table.loc["age", "example"] == str(frame["age"][0])


def test_a_question_about_dates_has_a_button_per_answer() -> None:
    app = uploaded(schools().assign(day=[f"0{1 + i % 9}/0{1 + i % 8}/2021" for i in range(36)]))
    assert "nothing tells which is the day and the month: choose day first" in sentences(app.error)
    press(app, "Dates begin with: the month")
    assert not app.error
    assert control(app, "Dates begin with").value == "the month"
    assert "day: days" in app.session.data.train.feature_names
    control(app, "Dates become").set_value("nothing: left out").run()
    assert app.session.data.train.feature_names == ("age", "hours")


def test_a_doubt_stands_apart_with_a_button_that_settles_it() -> None:
    frame = schools()
    frame.loc[[5, 17], "hours"] = -999
    app = uploaded(frame)
    assert "-999 (2 rows) is far from the rest" in sentences(app.warning)
    assert "-999" not in sentences(app.success)
    press(app, "-999 means missing")
    assert "missing values in column 'hours' (2)" in sentences(app.error)
    press(app, "Fill with medians")
    assert not app.error
    assert not app.warning
    assert app.session.data.train.X.min() > -10


def test_another_sheet_is_taken_from_memory(parsed: list[Any]) -> None:
    book = io.BytesIO()
    with pd.ExcelWriter(book) as writer:
        schools().to_excel(writer, sheet_name="marks", index=False)
        schools().rename(columns={"age": "years"}).to_excel(writer, sheet_name="old", index=False)
    app = Visit("data", tab="upload")
    app.file_uploader(key="data.files").set_value(("a.xlsx", book.getvalue(), "")).run()
    assert app.session.data.train.feature_names == ("age", "hours")
    assert control(app, "Sheet").options == ["as guessed", "marks", "old"]
    control(app, "Sheet").set_value("old").run()
    assert app.session.data.train.feature_names == ("years", "hours")
    assert len(parsed) == 1


def test_columns_are_searched_by_part_of_a_name() -> None:
    app = uploaded(schools())
    control(app, "Search").set_value("OU").run()
    assert list(understood(app).index) == ["hours"]
    tick(app, hours=False)
    control(app, "Search").set_value("").run()
    assert app.session.data.train.feature_names == ("age",)
    assert not understood(app).loc["hours", "use"]


def test_missing_cells_are_refused_with_a_button_that_fills_them() -> None:
    frame = schools()
    frame.loc[3, "age"] = np.nan
    app = uploaded(frame)
    assert "missing values in column 'age' (1)" in sentences(app.error)
    assert app.session.data is None
    press(app, "Fill with medians")
    assert not app.error
    assert control(app, "Missing cells").value == "median"
    loaded = app.session.data
    values = np.concatenate([loaded.train.X[:, 0], loaded.test.X[:, 0]])
    assert np.isclose(values, frame["age"].median()).any()
    assert len(values) == len(frame)


def test_one_task_is_a_warning_that_says_what_to_do() -> None:
    app = uploaded(schools().query("school == 'north'"))
    assert not app.success
    assert "one task has no clusters: choose below if another column" in sentences(app.warning)
    assert len(app.session.data.train) == 1


@pytest.mark.parametrize(
    ("factor", "why"), [(1e4, "put on one scale: their spreads differ"), (1.0, "taken as they are")]
)
def test_what_becomes_of_units_is_said_and_can_be_changed(factor: float, why: str) -> None:
    frame = schools()
    app = uploaded(frame.assign(age=frame["age"] * factor))
    assert f"Features will be {why}" in sentences(app.caption)
    control(app, "Features").set_value(ONE_SCALE).run()
    assert app.session.fit_choice.scale == ONE_SCALE
    assert "Features will be" not in sentences(app.caption)
    app.go("home")
    app.go("data")
    assert control(app, "Features").value == ONE_SCALE


def test_an_upload_can_be_opened_again_after_other_tasks() -> None:
    app = uploaded(schools())
    key = app.session.data.key
    app.go("home")
    app.session.data = data_of(DATA)
    app.go("data")
    assert app.session.data is data_of(DATA)
    app.button(key="data.again").click().run()
    assert app.session.data.key == key


def test_a_file_that_ends_the_process_that_reads_it_is_one_sentence_and_the_next_one_works(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """By a server of its own, which misbehaves on files of some names."""

    def parse(files: list[File], *how: Any) -> Parsed:
        named = [replace(file, name=file.name.removesuffix(".txt")) for file in files]
        return parse_bounded(named, *how)

    monkeypatch.setenv("PYTHONPATH", str(Path(__file__).parents[1] / "unit" / "io"))
    monkeypatch.setattr(bounded, "PARSER", "nasty_parsers:misbehave")
    monkeypatch.setattr(bounded, "SERVER", server := bounded.Server())
    monkeypatch.setattr(uploads, "parse_bounded", parse)
    app = Visit("data", DATA, tab="upload").upload("data.files", schools(), "crash.txt")
    assert sentences(app.error).startswith("crash could not be read: reading it ended the process")
    assert app.session.data is data_of(DATA)
    app.upload("data.files", schools(), "a.csv")
    server.stop()
    assert not app.error
    assert len(app.session.data.train) == 3


def test_a_broken_file_among_others_can_be_taken_out() -> None:
    app = Visit("data", tab="upload")
    good = ("good.csv", schools().to_csv(index=False).encode(), "text/csv")
    app.file_uploader(key="data.files").set_value([("broken.npz", b"PK", "x"), good]).run()
    assert "broken.npz" in sentences(app.error)
    assert "take out with ×" in sentences(app.caption)
    app.file_uploader(key="data.files").set_value(good).run()
    assert not app.error
    assert "take out" not in sentences(app.caption)
    assert len(app.session.data.train) == 3


def test_rows_too_few_to_split_are_all_kept_for_the_fit() -> None:
    frame = pd.concat([schools(), pd.DataFrame([["east", 0.1, 0.2, 5]], columns=schools().columns)])
    loaded = uploaded(frame).session.data
    assert loaded.test is None
    assert loaded.train.n_rows.tolist() == [1, 12, 12, 12]
    assert "Task east has one row" in loaded.account[-1]


def test_an_upload_split_otherwise_keeps_its_rows() -> None:
    app = uploaded(schools())
    app.number_input(key="DataChoice.held_out").set_value(0.5).run()
    assert app.session.data.train.n_rows.tolist() == [6, 6, 6]
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


def test_targets_in_different_units_are_told_before_the_fit() -> None:
    frame = schools()
    assert "may be lost" not in sentences(uploaded(frame).warning)
    frame.loc[frame["school"] == "west", "score"] *= 1e4
    said = sentences(uploaded(frame).warning)
    assert said.startswith("The target of task 'west' varies")
    assert "may be lost beside large ones" in said
