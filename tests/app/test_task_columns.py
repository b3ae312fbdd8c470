"""Columns of tasks: colours, picks and the test on Memberships; none of it where there are none."""

from dataclasses import replace
from functools import cache

import numpy as np
import pandas as pd
import pytest

from stcmtl.report import report_html
from stcmtl.studio.work.fits import Fitted
from tests.app.states import DATA, FITTED, Visit, fit_of, numbers, sentences, trace


@cache
def with_columns() -> Fitted:
    """A region that goes with the clusters, and a size that does not."""
    result = fit_of(FITTED)
    model = result.model
    columns = pd.DataFrame(
        {
            "region": np.array(["north", "south", "west"])[model.labels_],
            "size": np.random.default_rng(0).permutation(18) + 1.5,
        },
        index=model.task_names_,
    )
    train = replace(result.data.train, task_columns=columns)
    return replace(result, data=replace(result.data, train=train))


@pytest.fixture
def app() -> Visit:
    return Visit("memberships", DATA).show(with_columns())


def test_a_column_colours_the_tasks(app: Visit) -> None:
    app.selectbox[0].set_value("region").run()
    simplex, bars = app.figures
    found = trace(simplex, "tasks")
    tasks, colours = numbers(found["customdata"]), np.array(found["marker"]["color"])
    labels = with_columns().model.labels_[tasks]
    assert len(set(colours)) == 3
    assert all(len(set(colours[labels == k])) == 1 for k in range(3))
    legend = {t["name"]: t["marker"]["color"] for t in simplex["data"] if t.get("showlegend")}
    assert set(legend) == {"north", "south", "west"}
    assert trace(bars, "cluster 1")["marker"]["color"].startswith("#")
    app.go("similarity").run()  # a page that was just opened has its widgets afresh here
    assert app.selectbox[0].value == "region"
    assert any(t["name"] == "north" for t in app.figures[0]["data"])


def test_numbers_have_a_scale(app: Visit) -> None:
    app.selectbox[0].set_value("size").run()
    found = trace(app.figures[0], "tasks")
    assert len(set(found["marker"]["color"])) == 18


def test_tasks_are_picked_by_a_value(app: Visit) -> None:
    app.multiselect[0].set_value(["south"]).run()
    app.button(key="columns.pick").click().run()
    assert app.session.picked == frozenset(np.flatnonzero(with_columns().model.labels_ == 1))
    app.selectbox(key="columns.name").set_value("size").run()
    app.slider[0].set_range(1.5, 4.0).run()
    app.button(key="columns.pick").click().run()
    size = with_columns().data.train.task_columns["size"]
    assert app.session.picked == frozenset(np.flatnonzero(size <= 4.0))


def test_it_is_said_which_goes_with_the_clusters(app: Visit) -> None:
    assert "region (p < 0.001) goes with the clusters; size does not." in sentences(app.markdown)
    table = app.dataframe[0].value
    assert table["column"].tolist() == ["region", "size"]
    assert table["explained"].iloc[0] > 0.8


def test_without_columns_there_is_nothing_of_it() -> None:
    app = Visit("memberships", FITTED)
    assert not app.selectbox
    assert len(app.dataframe) == 1


def test_the_overview_and_the_report_tell_the_column_that_goes_with_the_clusters() -> None:
    result = with_columns()
    said = "Column of the tasks: region (p < 0.001) goes with the clusters."
    assert said in sentences(Visit("overview", DATA).show(result).markdown)
    html = report_html(result.model, result.data.train)
    assert said.replace("<", "&lt;") in html
    plain = fit_of(FITTED)
    assert "Column of the tasks" not in sentences(Visit("overview", FITTED).markdown)
    assert "Column of the tasks" not in report_html(plain.model, plain.data.train)
