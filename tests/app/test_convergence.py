"""Convergence: objective, movement, time and the replay come from the history."""

from __future__ import annotations

from dataclasses import replace
from itertools import pairwise

import numpy as np
import pytest

from stcmtl.studio import findings, fits
from tests.app.states import (
    CLASSIFIED,
    FITTED,
    THREE,
    data_of,
    drained,
    figures,
    fit_of,
    numbers,
    opened,
    title,
    trace,
)  # fmt: skip


@pytest.mark.parametrize("state", [FITTED, CLASSIFIED])
def test_every_figure_follows_the_history(state: str) -> None:
    app, history = opened("convergence", state), fit_of(state).model.history_
    replay, objective, changes, seconds = figures(app)
    drawn = np.concatenate([numbers(t["y"]) for t in objective["data"]])
    np.testing.assert_allclose(drawn, [s.objective for s in history])
    moved = [np.abs(b.V - a.V).max() for a, b in pairwise(history)]
    drawn = [np.nan if y is None else y for y in trace(changes, "memberships V")["y"]]
    np.testing.assert_allclose(drawn, np.where(np.array(moved) > 0, moved, np.nan))
    spent = sum(numbers(t["y"]).sum() for t in seconds["data"]) / 1000
    assert spent == pytest.approx(sum(sum(s.seconds.values()) for s in history))
    assert [frame["name"] for frame in replay["frames"]] == [str(s.iteration) for s in history]


def test_a_paper_fit_has_no_refinement_and_says_when_it_was_stopped() -> None:
    paper = drained(fits.fit_steps(data_of(FITTED), THREE.with_values(method="paper")))
    assert "refinement" not in findings.convergence(paper)
    assert findings.convergence(paper).startswith("Settled after")
    stopped = replace(paper, choice=paper.choice.with_values(iterations=paper.model.n_iter_))
    assert findings.convergence(stopped).startswith("Stopped at its limit")


def test_one_iteration_is_enough_for_the_page() -> None:
    one = drained(fits.fit_steps(data_of(FITTED), THREE.with_values(method="paper", iterations=1)))
    app = opened("convergence", FITTED)
    app.session_state["studio.fitted"] = one
    app.run()
    assert not app.exception
    assert title(app).startswith("Settled after 1 iteration")
    assert figures(app)[2]["layout"]["title"]["text"] == "One iteration: nothing to compare"
