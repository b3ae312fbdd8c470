"""Tables: searched, kept by cluster, picked, and taken along as files that are no formulas."""

import io
from types import SimpleNamespace

import numpy as np
import pandas as pd
import pytest

from stcmtl import load
from stcmtl.io.model_file import to_bytes
from stcmtl.studio.state import picks
from stcmtl.studio.widgets.controls import make_csv
from stcmtl.studio.widgets.files import make_excel
from stcmtl.studio.widgets.tables import NARROW, SHARE, make_room, round_numbers
from tests.app.states import FITTED, Visit, fit_of

NASTY = pd.DataFrame({"task": ["=1+1", "Zürich", "+x\x07"], "share": [0.1, 1 / 3, 1.0]})


def test_a_search_keeps_rows_that_have_the_text() -> None:
    app = Visit("memberships", FITTED)
    app.text_input(key="memberships.search").input("SK1").run()
    assert set(app.dataframe[0].value["task"]) == {f"task1{i}" for i in range(9)}
    app.text_input(key="memberships.search").input("nobody").run()
    assert not app.dataframe
    assert "No task has that in its name." in [c.value for c in app.caption]


def test_some_clusters_are_kept_and_their_rows_picked() -> None:
    app, model = Visit("memberships", FITTED), fit_of(FITTED).model
    (clusters,) = (g for g in app.button_group if g.key and "memberships.clusters" in g.key)
    clusters.set_value(["cluster 2"]).run()
    shown = app.dataframe[0].value
    own = np.flatnonzero(model.labels_ == 1)
    assert set(shown["task"]) == set(model.task_names_[own])
    assert set(shown["main cluster"]) == {"cluster 2"}


def test_rows_of_a_part_leave_other_picks_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    session = SimpleNamespace(picked=frozenset({1, 7}), kept_view={}, picks=0)
    monkeypatch.setattr(picks, "current", lambda: session)
    state = {"t.0": SimpleNamespace(selection=SimpleNamespace(rows=[2, 0]))}
    monkeypatch.setattr(picks.st, "session_state", state)
    picks.from_rows("t", [7, 8, 9])
    assert session.picked == {1, 7, 9}


def test_csv_has_a_byte_order_mark_and_no_formulas() -> None:
    content = make_csv(NASTY)
    assert content.startswith(b"\xef\xbb\xbf")
    back = pd.read_csv(io.BytesIO(content), encoding="utf-8-sig")
    assert back["task"].tolist() == ["'=1+1", "Zürich", "'+x\x07"]
    np.testing.assert_array_equal(back["share"], NASTY["share"])


def test_excel_has_texts_and_numbers_and_no_formulas() -> None:
    back = pd.read_excel(io.BytesIO(make_excel(NASTY)))
    assert back["task"].tolist() == ["'=1+1", "Zürich", "'+x\ufffd"]
    np.testing.assert_array_equal(back["share"], NASTY["share"])


def test_the_model_can_be_taken_along() -> None:
    result = fit_of(FITTED)
    again, test = load(io.BytesIO(to_bytes(result.model))), result.data.test
    expected = result.model.predict(test.X, test.tasks)
    np.testing.assert_array_equal(again.predict(test.X, test.tasks), expected)


@pytest.mark.parametrize("page", ["memberships", "coefficients", "outliers"])
def test_files_are_offered_beside_them(page: str) -> None:
    labels = [button.label for button in Visit(page, FITTED).get("download_button")]
    assert {"Numbers as CSV", "Numbers as Excel", "Model file", "Script"} <= set(labels)


def test_numbers_lose_no_digit_before_the_decimal_point() -> None:
    columns = {
        "share": [0.25, 0.5],
        "price": [-12345.6, 1.0],
        "none": [np.nan, np.inf],
        "n": [1, 2],
    }
    told = round_numbers(pd.DataFrame(columns))
    formats = {name: column["type_config"]["format"] for name, column in told.items()}
    assert formats == {"share": "%.3g", "price": "%.5g", "none": "%.3g"}


def test_a_wide_table_has_narrow_shares_and_fewer_columns_at_first_sight() -> None:
    few, many = ([f"cluster {k}" for k in range(1, K + 1)] for K in (2, 5))
    for shares, changed in (
        (few, {}),
        (many, dict.fromkeys(many, NARROW) | {"main cluster": None}),
    ):
        told = dict.fromkeys(shares, SHARE)
        columns = {"task": ["S1"], "main cluster": ["cluster 1"], "kind": ["mixed"]}
        frame = pd.DataFrame(columns | {name: [0.25] for name in [*shares, "error", "test error"]})
        assert make_room(frame, told, [["main cluster", "rows"], ["error"]]) == changed


def test_the_interval_of_a_new_task_waits_in_the_menu_where_there_are_many_clusters() -> None:
    app = Visit("new_tasks", FITTED)
    assert "cluster 1, from" in app.dataframe[0].value
    assert "More columns are in the menu of the table, and in its files." in [
        caption.value for caption in app.caption
    ]
