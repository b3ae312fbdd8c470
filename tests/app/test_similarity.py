"""Similarity: S before and after the fit, and the purity of every task."""

import numpy as np
import pytest

from tests.app.states import CLASSIFIED, FITTED, Visit, fit_of, numbers, trace


@pytest.mark.parametrize("state", [FITTED, CLASSIFIED])
def test_after_and_before_the_fit(state: str) -> None:
    app, model = Visit("similarity", state), fit_of(state).model
    for W in (model.coef_, model.single_task_coef_):
        blocks, purity = app.figures
        order = blocks["layout"]["meta"]["tasks across"]
        drawn = numbers(blocks["data"][0]["z"]).reshape(18, 18)
        np.testing.assert_allclose(drawn, (W @ W.T)[np.ix_(order, order)], rtol=1e-4, atol=1e-6)
        scores = numbers(purity["data"][0]["y"])
        assert len(scores) == 18
        assert (np.diff(scores) <= 0).all()
        app.button_group[0].set_value("before the fit").run()


def test_a_column_carries_its_task() -> None:
    blocks = Visit("similarity", FITTED).figures[0]
    names = [str(name) for name in fit_of(FITTED).model.task_names_]
    carried = trace(blocks, "clicked")["customdata"]
    assert [names[i] for i in carried] == [x.split(",")[0] for x in blocks["data"][0]["x"]]


def test_the_headline_says_how_clear_the_blocks_are() -> None:
    model = fit_of(FITTED).model
    S, labels, pure = np.abs(model.similarity_), model.labels_, model.pure_
    pairs = [(i, j) for i in range(18) for j in range(18) if i != j and pure[i] and pure[j]]
    within = np.mean([S[i, j] for i, j in pairs if labels[i] == labels[j]])
    between = np.mean([S[i, j] for i, j in pairs if labels[i] != labels[j]])
    expected = f"3 blocks: within a cluster tasks are {within / between:.2g} times as alike"
    assert Visit("similarity", FITTED).headline.startswith(expected)


def test_one_cluster_is_one_block() -> None:
    one = fit_of(FITTED, k=1)
    assert Visit("similarity", FITTED).show(one).headline.startswith("One block")


def test_picked_tasks_stand_out_in_both_figures() -> None:
    app = Visit("similarity", FITTED)
    app.session.picked = frozenset({0, 7})
    blocks, purity = app.run().figures
    tasks = numbers(purity["data"][0]["customdata"])
    bright = numbers(purity["data"][0]["marker"]["opacity"]) == 1.0
    assert set(tasks[bright]) == {0, 7}
    spans = {s["yref"] for s in blocks["layout"]["shapes"] if s.get("fillcolor") is not None}
    assert {"y domain", "y"} <= spans
