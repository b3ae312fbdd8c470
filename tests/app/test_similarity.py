"""Similarity: S before and after the fit, and the purity of every task."""

import numpy as np
import pytest

from tests.app.states import CLASSIFIED, FITTED, Visit, fit_of, numbers, trace


@pytest.mark.parametrize("state", [FITTED, CLASSIFIED])
def test_before_and_after_the_fit_side_by_side(state: str) -> None:
    app, model = Visit("similarity", state), fit_of(state).model
    for as_cosine in (True, False):
        *pair, purity = app.figures
        for blocks, W in zip(pair, (model.single_task_coef_, model.coef_), strict=True):
            order = blocks["layout"]["meta"]["tasks across"]
            drawn = numbers(blocks["data"][0]["z"]).reshape(18, 18)
            length = np.linalg.norm(W, axis=1) if as_cosine else np.ones(18)
            expected = (W @ W.T) / np.outer(length, length)
            np.testing.assert_allclose(drawn, expected[np.ix_(order, order)], rtol=1e-4, atol=1e-6)
        assert (
            pair[0]["layout"]["meta"]["tasks across"] == pair[1]["layout"]["meta"]["tasks across"]
        )
        assert pair[0]["data"][0]["zmax"] == pair[1]["data"][0]["zmax"]
        scores = numbers(purity["data"][0]["y"])
        assert len(scores) == 18
        assert (np.diff(scores) <= 0).all()
        app.button_group(key="similarity.measure").set_value("S = W'W").run()
    app.button_group(key="similarity.when").set_value("after the fit").run()
    (after, _) = app.figures
    assert after["layout"]["title"]["text"].startswith("After the fit: ")


def test_a_column_carries_its_task() -> None:
    blocks = Visit("similarity", FITTED).figures[0]
    names = [str(name) for name in fit_of(FITTED).model.task_names_]
    carried = trace(blocks, "clicked")["customdata"]
    assert [names[i] for i in carried] == [x.split(",")[0] for x in blocks["data"][0]["x"]]


def test_the_headline_is_of_the_weakest_block_before_the_fit() -> None:
    model = fit_of(FITTED).model
    W, labels = model.single_task_coef_[model.pure_], model.labels_[model.pure_]
    W = W / np.linalg.norm(W, axis=1, keepdims=True)
    gaps = {}
    for k in range(3):
        own = W[labels == k]
        pairs = (own @ own.T)[~np.eye(len(own), dtype=bool)]
        across = max(float((own @ W[labels == other].T).mean()) for other in range(3) if other != k)
        gaps[k] = f"tasks are alike by {pairs.mean():.2f} in cluster {k + 1} and by {across:.2f}"
    said = Visit("similarity", FITTED).headline
    assert said.startswith("3 blocks before the fit: where they stand out least, ")
    assert any(words in said for words in gaps.values())


def test_one_cluster_is_one_block() -> None:
    one = fit_of(FITTED, k=1)
    assert Visit("similarity", FITTED).show(one).headline.startswith("One block")


def test_picked_tasks_stand_out_in_both_figures() -> None:
    app = Visit("similarity", FITTED)
    app.session.picked = frozenset({0, 7})
    blocks, _, purity = app.run().figures
    tasks = numbers(purity["data"][0]["customdata"])
    bright = numbers(purity["data"][0]["marker"]["opacity"]) == 1.0
    assert set(tasks[bright]) == {0, 7}
    spans = {s["yref"] for s in blocks["layout"]["shapes"] if s.get("fillcolor") is not None}
    assert {"y domain", "y"} <= spans
