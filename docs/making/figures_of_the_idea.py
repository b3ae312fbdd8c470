"""The figures of `docs/idea.md`: small simulations, drawn by the package's own functions."""

from collections.abc import Iterator

import numpy as np
import plotly.graph_objects as go

from stcmtl import STCMTLRegressor, figures, simulate


def make() -> Iterator[tuple[str, go.Figure]]:
    """Name and figure, one after the other."""
    sim = simulate(n_tasks=24, n_features=30, n_clusters=3, n_train=40, n_mixed=8, mixing="dense")
    train, truth = sim.train, sim.truth
    model = STCMTLRegressor(random_state=0).fit(train.X, train.y, train.tasks)
    V = model.memberships_.T
    order = figures.tasks_by_cluster(V, model.pure_)
    view = {"task_order": order, "task_names": train.task_names}
    yield "patterns", figures.cluster_coefficients(truth.U, height=420)
    yield "memberships", figures.memberships(V, pure=model.pure_, task_names=train.task_names)
    yield "alone", figures.coefficients(model.single_task_coef_.T, truth.W, height=420, **view)
    yield "together", figures.coefficients(model.coef_.T, truth.W, height=420, **view)
    yield "curve", figures.choice_curve(model.selection_, model.choices_, "RMSE")
    nothing = draw_strangers()
    yield "strangers", figures.choice_curve(nothing.selection_, nothing.choices_, "RMSE")


def draw_strangers() -> STCMTLRegressor:
    """Tasks that have nothing in common."""
    rng = np.random.default_rng(0)
    T, n, D = 24, 60, 30
    W = rng.normal(size=(T, D)) * (rng.uniform(size=(T, D)) < 0.2)
    X = rng.normal(size=(T * n, D))
    tasks = np.repeat([f"task{i:02d}" for i in range(T)], n)
    y = np.einsum("nd,nd->n", X, np.repeat(W, n, axis=0)) + rng.normal(size=T * n) * 0.5
    return STCMTLRegressor(random_state=0).fit(X, y, tasks)
