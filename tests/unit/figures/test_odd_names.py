"""Names with signs of markup are drawn letter by letter: made safe once, and not twice."""

import inspect
from typing import Any

import numpy as np
import pytest

from stcmtl import figures
from tests.unit.kinds import model_of, tasks_of

MODEL, DATA = model_of("simplex"), tasks_of("simplex")
V, U, W = MODEL.memberships_.T, MODEL.cluster_coef_.T, MODEL.coef_.T
(K, T), D = V.shape, len(U)
S, NEW = W.T @ W, V[:, :2]
NAMES = {
    "task_names": [f"A & B <{i}>" for i in range(T)],
    "cluster_names": [f"price & <i>rain</i> {k}" for k in range(K)],
    "feature_names": [f"a < b & c {d}" for d in range(D)],
}
GIVEN: dict[str, tuple[Any, ...]] = {
    "blocks": (S, MODEL.purity_, V),
    "cluster_coefficients": (U,),
    "cluster_patterns": (U,),
    "co_clustering": (np.eye(T), V),
    "coefficient_errors": (W, W + 0.1),
    "coefficients": (W, W),
    "feature_choices": (U != 0, U),
    "kept_clusters": (np.ones(T), np.ones(T), V),
    "loading_bars": (V,),
    "membership_bars": (V,),
    "membership_intervals": (V, 0.9 * V, V),
    "memberships": (V,),
    "outliers": (np.append(np.ones(T - 1), 50.0), V),
    "own_shares": (np.linspace(0.0, 1.0, T), V),
    "purity": (MODEL.purity_, V),
    "replay": (MODEL.history_,),
    "selection_pattern": (W, W),
    "share_intervals": (V[:, 0], 0.9 * V[:, 0], V[:, 0]),
    "similarity": (S, V),
    "task_moves": (V, np.roll(V, 1, axis=1)),
}


@pytest.mark.parametrize("name", GIVEN)
def test_what_is_drawn_is_made_safe_once(name: str) -> None:
    draw = getattr(figures, name)
    taken = inspect.signature(draw).parameters
    has_view = "view" in taken and name != "cluster_coefficients"
    named = {
        key: names
        for key, names in NAMES.items()
        if key in taken or (has_view and key != "cluster_names")
    }
    assert named
    options = {"pure": MODEL.pure_} if name == "blocks" else {}
    figure = draw(*GIVEN[name], **named, **options)
    drawn = str(figure.to_json())
    assert "&amp;amp;" not in drawn
    assert "&amp;lt;" not in drawn
    assert "<i>" not in drawn
    assert "&amp;" not in figures.describe(figure)
