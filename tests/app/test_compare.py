"""Compare: methods one after the other, and what comes out of them."""

import json
import re
from collections.abc import Generator, Iterator
from functools import cache
from io import StringIO
from threading import Event
from typing import Any

import numpy as np
import pandas as pd
import pytest

from stcmtl import metrics
from stcmtl.baselines.registry import REGISTRY, Method, expect_seconds, work_in
from stcmtl.evaluation import comparison, verdicts
from stcmtl.evaluation.comparison import Outcome, compare
from stcmtl.figures.plots.comparison import with_spread
from stcmtl.phrases import duration
from stcmtl.studio.state.choices import ONE_SCALE
from stcmtl.studio.state.store import Store
from stcmtl.studio.widgets import compare as compare_page
from stcmtl.studio.work.comparing import Settings, repeats
from tests.app.states import CLASSIFIED, DATA, FITTED, Visit, data_of, numbers, sentences, trace

PICKED = ["STCMTL refined", "LASSO", "Pooled"]
K = 3


@cache
def outcomes_of(state: str, method: str, repetitions: int = 2) -> list[Outcome]:
    return compare(method, repeats(data_of(state)), repetitions, K)


def with_results(state: str, repetitions: int = 2) -> Visit:
    """The page with outcomes of the picked methods in hand."""
    app = Visit("compare", state)
    app.session_state["compare.methods"] = PICKED
    app.session.compared = {
        method: (
            Settings(method, K if REGISTRY[method].needs_clusters else None, 0, "auto"),
            outcomes_of(state, method)[:repetitions],
        )
        for method in PICKED
    }
    app.run()
    return app


def run(app: Visit, methods: list[str], repetitions: int = 1) -> None:
    app.button_group[1].set_value(methods)
    app.number_input(key="compare.repetitions").set_value(repetitions).run()
    app.button(key="compare.run").click().run(timeout=180)


def errors(state: str) -> dict[str, float]:
    return {m: float(np.mean([o.error for o in outcomes_of(state, m)])) for m in PICKED}


def test_seconds_have_their_spread_and_their_star_too() -> None:
    """Digits that the table would choose by itself must not cover those of the style."""
    table = with_results(FITTED).dataframe[0]
    assert "seconds" in table.value.columns
    assert "seconds" not in json.loads(table.proto.columns)


def test_with_tasks_it_offers_the_quick_methods_and_says_how_long() -> None:
    app = Visit("compare", DATA)
    assert app.headline == "Compare"
    _, pills, _ = app.button_group
    assert list(pills.options) == list(REGISTRY)
    assert pills.value[:2] == ["STCMTL automatic", "LASSO"]
    assert "STCMTL paper" not in pills.value
    train = data_of(DATA).train
    seconds = 3 * sum(
        expect_seconds(m, train.X.shape, len(train), "regression") for m in pills.value
    )
    assert f"About {duration(seconds)} in all" in sentences(app.caption)
    assert "new rows and noise for the same clusters" in sentences(app.markdown)
    abilities = app.table[0].value
    assert abilities.loc["STCMTL automatic", "Overlapping clusters"] == "✓ yes"
    assert abilities.loc["LASSO", "Clusters"] == "–"


def test_a_long_method_says_so(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(REGISTRY, "CMTL", Method(500.0, (), "Long."))
    app = Visit("compare", DATA)
    assert "CMTL" not in app.button_group[1].value
    app.button_group[1].set_value(["LASSO", "CMTL"]).run()
    minutes = 3 * 500 * work_in(18 * 60, 30, 18) / 60
    assert f"CMTL alone takes about {minutes:.0f} minutes." in sentences(app.caption)


@pytest.mark.usefixtures("patient")
@pytest.mark.parametrize("state", [FITTED, CLASSIFIED])
def test_a_run_gives_what_direct_fits_give(state: str) -> None:
    app = Visit("compare", state)
    run(app, ["LASSO", "STCMTL refined"], 2)
    assert app.session.trials == {}
    shown = app.dataframe[0].value
    (name,) = (column for column in shown if column.startswith("test "))
    assert name == ("test error rate" if state == CLASSIFIED else "test RMSE")
    assert ("MCC" in shown) == (state == FITTED)
    for method in ("LASSO", "STCMTL refined"):
        assert shown.loc[method, name] == pytest.approx(errors(state)[method])
    # the first repetition is on the rows in hand
    data, W = data_of(state), app.session.compared["LASSO"][1][0].coef
    if data.truth is not None:
        first = app.session.compared["LASSO"][1][0]
        assert first.ree == pytest.approx(metrics.ree(data.truth.W, W))


@pytest.mark.usefixtures("patient")
def test_features_are_on_the_scale_that_the_fit_has_them_on() -> None:
    app = with_results(FITTED, repetitions=1)
    app.session.fit_choice = app.session.fit_choice.with_values(scale=ONE_SCALE)
    app.run()
    assert "since STCMTL refined, LASSO and Pooled ran" in sentences(app.warning)
    run(app, ["LASSO"], 1)
    (found,) = app.session.compared["LASSO"][1]
    (direct,) = compare("LASSO", repeats(data_of(FITTED)), 1, K, standardize=True)
    np.testing.assert_array_equal(found.coef, direct.coef)
    assert not np.array_equal(found.coef, outcomes_of(FITTED, "LASSO")[0].coef)


@pytest.mark.parametrize("state", [FITTED, CLASSIFIED])
def test_the_results_are_told_and_drawn(state: str) -> None:
    app = with_results(state)
    error = "error rate" if state == CLASSIFIED else "RMSE"
    found = {method: outcomes_of(state, method) for method in PICKED}
    assert app.headline == verdicts.headline(found, error)
    assert all(remark in sentences(app.markdown) for remark in verdicts.remarks(found, error))
    bars, maps = app.figures
    mean = errors(state)
    np.testing.assert_allclose(numbers(bars["data"][0]["x"]), sorted(mean.values()))
    spread = {m: np.std([o.error for o in found[m]], ddof=1) for m in PICKED}
    expected = [spread[m] for m in sorted(PICKED, key=mean.__getitem__)]
    np.testing.assert_allclose(numbers(bars["data"][0]["error_x"]["array"]), expected)
    drawn = numbers(trace(maps, "LASSO")["z"])
    assert np.isin(drawn, [1, 3]).sum() == np.count_nonzero(found["LASSO"][0].coef)
    names = [t["name"] for t in maps["data"] if t["type"] == "heatmap"]
    assert names == (PICKED if state == CLASSIFIED else ["Truth", *PICKED])


def test_another_measure_is_drawn() -> None:
    app = with_results(FITTED)
    app.button_group[3].set_value("MCC").run()
    mcc = [np.mean([o.mcc for o in outcomes_of(FITTED, m)]) for m in PICKED]
    bars = app.figures[0]["data"][0]
    np.testing.assert_allclose(numbers(bars["x"]), sorted(mcc, reverse=True))


def test_the_best_of_each_column_has_a_mark_that_needs_no_colour() -> None:
    found = comparison.table({m: outcomes_of(FITTED, m) for m in PICKED})
    named = compare_page.measures(data_of(FITTED))
    html = compare_page.marked(found, named).to_html()
    texts = re.findall(r"<td[^>]*>([^<]*)</td>", html)
    columns = ["method", *named]
    cells = pd.DataFrame(np.reshape(texts, (len(PICKED), len(columns))), PICKED, columns)
    assert list(cells["method"]) == list(PICKED)
    for name, own in named.items():
        best = found[own].idxmax() if own == "mcc" else found[own].idxmin()
        assert [m for m in PICKED if cells.loc[m, name].startswith("★")] == [best]
        said = with_spread(found.loc[best, own], found.loc[best, f"{own} sd"])
        assert cells.loc[best, name] == f"★ {said}"


def test_the_download_holds_means_and_spreads() -> None:
    found = comparison.table({m: outcomes_of(FITTED, m) for m in PICKED})
    told = compare_page.numbers(found, compare_page.measures(data_of(FITTED)))
    assert list(told.columns[:3]) == ["repetitions", "test RMSE", "test RMSE, sd"]
    again = pd.read_csv(StringIO(told.to_csv()), index_col=0)
    np.testing.assert_allclose(again["MCC, sd"], found["mcc sd"])


def test_one_repetition_has_no_spread_and_says_so() -> None:
    app = with_results(FITTED, repetitions=1)
    assert "on these rows" in app.headline
    assert "only further repetitions can tell" in sentences(app.markdown)
    assert not app.figures[0]["data"][0]["error_x"]["visible"]


def test_another_k_marks_only_what_depends_on_it() -> None:
    app = with_results(FITTED)
    assert not app.warning
    app.session.fit_choice = app.session.fit_choice.with_values(k=2)
    app.run()
    assert app.warning[0].value == "K, the seed or the scale has changed since STCMTL refined ran."


def test_only_picked_methods_are_shown() -> None:
    app = with_results(FITTED)
    app.button_group[1].set_value(["LASSO", "Pooled", "CMTL"]).run()
    assert list(app.dataframe[0].value["method"]) == ["LASSO", "Pooled"]


def test_with_no_method_picked_there_is_nothing_to_run() -> None:
    app = with_results(FITTED)
    app.button_group[1].set_value([]).run()
    assert app.button(key="compare.run").disabled
    assert not app.dataframe
    assert not app.table


@pytest.mark.usefixtures("patient")
def test_known_repetitions_are_not_computed_again(monkeypatch: pytest.MonkeyPatch) -> None:
    app = Visit("compare", DATA)
    kept = Store(10**8)
    monkeypatch.setattr("stcmtl.studio.state.session.shared_store", lambda: kept)
    run(app, ["LASSO"], 1)
    (first,) = app.session.compared["LASSO"][1]
    run(app, ["LASSO"], 2)
    both = app.session.compared["LASSO"][1]
    assert both[0] is first
    assert both[1].error == pytest.approx(outcomes_of(DATA, "LASSO")[1].error)
    assert "Known already" in sentences(app.caption)
    monkeypatch.setattr("stcmtl.studio.work.comparing.compare_steps", None)  # none is started
    app.button(key="compare.run").click().run()
    assert app.session.compared["LASSO"][1] == both


@pytest.mark.usefixtures("hasty")
def test_each_method_is_cancelled_alone(monkeypatch: pytest.MonkeyPatch) -> None:

    def endless(*args: Any, **options: Any) -> Iterator[comparison.Step]:
        while True:
            yield comparison.Step(2, 5, "cross-validation", 0.3)

    monkeypatch.setattr("stcmtl.studio.work.comparing.compare_steps", endless)
    monkeypatch.setattr("stcmtl.studio.state.session.shared_store", lambda: Store(10**6))
    app = Visit("compare", DATA)
    run(app, ["LASSO", "Pooled"])
    first, second = (app.session.trials[m][1] for m in ("LASSO", "Pooled"))
    while not first.steps:
        first.wait(0.01)
    monkeypatch.setattr(compare_page, "current", lambda: app.session)
    assert compare_page.condition(first) == "repetition 2 of 5, cross-validation"
    assert compare_page.condition(second) == "waits for its turn"
    app.button(key="compare.cancel.LASSO").click().run()
    assert list(app.session.trials) == ["Pooled"]
    assert first.cancelled
    while not second.steps:
        second.wait(0.01)
    app.button(key="compare.cancel.Pooled").click().run()
    assert second.cancelled
    assert app.session.trials == {}


@pytest.mark.usefixtures("hasty")
def test_a_method_may_join_those_that_run(monkeypatch: pytest.MonkeyPatch) -> None:
    go_on = Event()

    def held_up(method: str, *args: Any, **options: Any) -> Generator[comparison.Step, None, list]:
        while not go_on.wait(0.01):
            yield comparison.Step(1, 1, "cross-validation", 0.3)
        return outcomes_of(DATA, method, 1)

    monkeypatch.setattr("stcmtl.studio.work.comparing.compare_steps", held_up)
    monkeypatch.setattr("stcmtl.studio.state.session.shared_store", lambda: Store(10**6))
    app = Visit("compare", DATA)
    run(app, ["LASSO"])
    first = app.session.trials["LASSO"]
    run(app, ["LASSO", "Pooled"])
    assert list(app.session.trials) == ["LASSO", "Pooled"]
    assert app.session.trials["LASSO"] is first
    go_on.set()
    assert app.session.trials["Pooled"][1].wait(60)
    app.run()
    assert list(app.session.compared) == ["LASSO", "Pooled"]


@pytest.mark.usefixtures("patient")
def test_a_method_that_fails_says_why_and_keeps_the_last_result() -> None:
    app = with_results(FITTED)
    app.session.fit_choice = app.session.fit_choice.with_values(k=19)
    app.run()
    app.button(key="compare.run").click().run(timeout=120)
    assert sentences(app.error).startswith("STCMTL refined: n_clusters is 19")
    assert "STCMTL refined" in list(app.dataframe[0].value["method"])


def test_other_tasks_leave_nothing_behind() -> None:
    app = with_results(FITTED)
    assert app.session.compared
    app.go("home")
    app.button(key=next(b.key for b in app.button if b.key.startswith("preset"))).click().run()
    assert app.session.compared == {}


@pytest.mark.usefixtures("patient")
def test_an_automatic_model_is_compared_at_the_k_the_data_speak_for() -> None:
    app = Visit("compare", DATA)
    app.session.set_fit(model="automatic", k=9)
    app.run()
    assert "fit.k" not in [control.key for control in app.number_input]
    run(app, ["STCMTL refined", "LASSO"], 1)
    (found,) = app.session.compared["STCMTL refined"][1]
    assert found.n_clusters == K  # which is the true one, and not nine
    (direct,) = compare("STCMTL refined", repeats(data_of(DATA)), 1, K)
    np.testing.assert_array_equal(found.coef, direct.coef)
    assert not app.session.compare_faults


def test_one_method_alone_makes_no_headline() -> None:
    app = with_results(FITTED)
    app.session.compared = {"LASSO": app.session.compared["LASSO"]}
    app.run()
    assert app.headline == "Compare"
    assert "not help" not in sentences(app.markdown)
    assert (len(app.dataframe), len(app.table)) == (1, 1)
