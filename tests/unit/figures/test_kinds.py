"""Every figure of a fitted model, for models of every kind."""

from collections.abc import Callable
from typing import Any

import numpy as np
import plotly.graph_objects as go
import pytest

from stcmtl import figures
from stcmtl.evaluation import tables
from stcmtl.figures.pieces.style import NO_CLUSTER
from tests.unit.kinds import KINDS, LOSSES, model_of

DRAWN: dict[str, Callable[[Any], go.Figure]] = {
    "memberships": lambda m: figures.memberships(
        m.memberships_.T, pure=m.pure_, strength=m.strength_
    ),
    "membership_bars": lambda m: figures.membership_bars(m.memberships_.T, pure=m.pure_),
    "loading_bars": lambda m: figures.loading_bars(m.loadings_.T),
    "own_shares": lambda m: figures.own_shares(m.own_share_, m.memberships_.T),
    "similarity": lambda m: figures.similarity(
        m.similarity_, m.memberships_.T, pure=m.pure_, signed=m.shape_ == "span"
    ),
    "purity": lambda m: figures.purity(m.purity_, m.memberships_.T),
    "outliers": lambda m: figures.outliers(m.distances_, m.memberships_.T),
    "coefficients": lambda m: figures.coefficients(m.coef_.T),
    "own coefficients": lambda m: figures.coefficients(m.own_coef_.T),
    "selection_pattern": lambda m: figures.selection_pattern(m.coef_.T),
    "cluster_coefficients": lambda m: figures.cluster_coefficients(
        m.cluster_coef_.T, feature_order=figures.features_by_cluster(m.cluster_coef_.T)
    ),
    "convergence": lambda m: figures.convergence(m.history_),
    "changes": lambda m: figures.changes(m.history_),
    "step_seconds": lambda m: figures.step_seconds(m.history_),
    "replay": lambda m: figures.replay(m.history_),
}
NEED_CLUSTERS = {
    "memberships", "membership_bars", "loading_bars", "purity", "cluster_coefficients", "replay",
}  # fmt: skip


@pytest.mark.parametrize("loss", LOSSES)
@pytest.mark.parametrize("kind", KINDS)
def test_it_draws_tasks_or_says_why_not(kind: str, loss: type) -> None:
    for name, draw in DRAWN.items():
        figure = draw(model_of(kind, loss))
        assert figure.layout.title.text, name
        assert "nan" not in figures.describe(figure), name
        if kind == "alone" and name in NEED_CLUSTERS:
            assert not figure.data, name
            assert figure.layout.xaxis.visible is False, name
            assert "Nothing is drawn" in figures.describe(figure), name
        else:
            assert figure.data, name


def test_without_clusters_tasks_have_one_neutral_colour_and_names_without_a_cluster() -> None:
    model = model_of("alone")
    assert set(figures.task_colours(model.memberships_.T)) == {NO_CLUSTER}
    figure = DRAWN["similarity"](model)
    assert figure.layout.title.text == "Similarity: no clusters, no blocks"
    assert list(figure.data[0].x) == [str(i + 1) for i in range(12)]
    assert not figure.layout.annotations


def test_without_clusters_tasks_keep_their_order() -> None:
    model = model_of("alone")
    purity = np.arange(12.0)
    assert figures.tasks_by_cluster(model.memberships_.T, purity=purity).tolist() == list(range(12))
    S = figures.similarity(model.similarity_, model.memberships_.T, purity=purity)
    assert S.layout.meta["tasks across"] == list(range(12))


def test_opposite_tasks_are_told_from_those_with_nothing_in_common() -> None:
    S, V = np.array([[1.0, -1.0, 0.0], [-1.0, 1.0, 0.0], [0.0, 0.0, 1.0]]), np.eye(3)
    signed, plain = figures.similarity(S, V, signed=True), figures.similarity(S, V)
    assert (signed.data[0].zmin, plain.data[0].zmin) == (-signed.data[0].zmax, 0.0)
    assert "blue: opposite" in figures.describe(signed)
    assert "zero or negative" in figures.describe(plain)


@pytest.mark.parametrize("kind", ["cone", "span", "robust cone"])
def test_the_replay_places_tasks_within_the_simplex_whatever_their_strength(kind: str) -> None:
    model = model_of(kind)
    last = DRAWN["replay"](model).frames[-1].data[0]
    inside = ~model.outliers_
    radius = np.hypot(last.x, last.y)
    assert (radius[inside] <= 1.2 + 1e-9).all()  # corners are at 1, fans reach 0.2 farther
    assert np.isnan(radius[~inside]).all()
    signs = "not their signs" in figures.describe(DRAWN["replay"](model))
    assert signs is (kind == "span")


@pytest.mark.parametrize("kind", ["own", "one own"])
def test_shared_and_own_part_make_the_coefficients(kind: str) -> None:
    model = model_of(kind)
    assert tables.has_own_part(model)
    np.testing.assert_allclose(
        model.loadings_ @ model.cluster_coef_ + model.own_coef_, model.coef_, atol=1e-12
    )
