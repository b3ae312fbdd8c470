"""The Simulate page, run without a browser: the values on it are the model's."""

from __future__ import annotations

import base64
import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray
from streamlit.testing.v1 import AppTest

from stcmtl import STCMTLRegressor, metrics, simulate

ROOT = Path(__file__).resolve().parents[2]
MINUTE = 60


def opened() -> AppTest:
    app = AppTest.from_file(str(ROOT / "app.py"), default_timeout=2 * MINUTE).run()
    assert not app.exception
    return app


def chart(app: AppTest, position: int) -> dict[str, Any]:
    figure: dict[str, Any] = json.loads(app.get("plotly_chart")[position].proto.spec)
    return figure


def array(encoded: dict[str, str]) -> NDArray[np.float64]:
    """An array as plotly packs it."""
    values = np.frombuffer(base64.b64decode(encoded["bdata"]), dtype=encoded["dtype"])
    return values.reshape([int(length) for length in encoded["shape"].split(",")])


@pytest.fixture(scope="module")
def sim() -> Any:
    return simulate(n_features=200, n_clusters=5, mixing="sparse", structure_seed=0, random_state=0)


@pytest.fixture(scope="module")
def model(sim: Any) -> STCMTLRegressor:
    model = STCMTLRegressor(n_clusters=5, random_state=0)
    return model.fit(sim.train.X, sim.train.y, sim.train.tasks)


def test_opens_with_a_finished_result(model: STCMTLRegressor) -> None:
    app = opened()
    pure = model.pure_.sum()
    assert app.title[0].value.startswith(f"5 clusters, {pure} pure tasks, {60 - pure} mixed: ")
    assert not app.error


def test_figure_holds_the_true_and_the_fitted_coefficients(
    model: STCMTLRegressor, sim: Any
) -> None:
    app = opened()
    app.toggle(key="only_selected").set_value(False).run()
    true, estimated = chart(app, 0)["data"]
    np.testing.assert_array_equal(array(true["z"]), sim.truth.W)
    np.testing.assert_array_equal(array(estimated["z"]), model.coef_.T)
    assert estimated["x"] == list(sim.train.task_names)
    assert estimated["y"] == list(sim.train.feature_names)


def test_figure_of_features_in_use_leaves_no_blank_row(model: STCMTLRegressor, sim: Any) -> None:
    used = np.flatnonzero((sim.truth.W != 0).any(axis=1) | (model.coef_ != 0).any(axis=0))
    estimated = chart(opened(), 0)["data"][1]
    np.testing.assert_array_equal(array(estimated["z"]), model.coef_.T[used])


def test_scores_are_those_of_the_model(model: STCMTLRegressor, sim: Any) -> None:
    shown = {metric.label: metric.value for metric in opened().metric}
    predicted = model.predict(sim.test.X, sim.test.tasks)
    W = model.coef_.T
    assert shown["Test RMSE"] == f"{metrics.rmse(sim.test.y, predicted):.3f}"
    assert shown["Estimation error (REE)"] == f"{metrics.ree(sim.truth.W, W):.2g}"
    assert shown["Feature selection (MCC)"] == f"{metrics.mcc(sim.truth.W, W):.3f}"


def test_convergence_shows_every_iteration(model: STCMTLRegressor) -> None:
    lines = chart(opened(), 1)["data"]
    shown = [objective for line in lines for objective in line["y"]]
    assert shown == pytest.approx([record.objective for record in model.history_])


def test_table_gives_each_task_its_memberships(model: STCMTLRegressor) -> None:
    table = opened().dataframe[0].value
    np.testing.assert_allclose(
        table[[f"Cluster {k}" for k in range(1, 6)]].to_numpy(), model.memberships_
    )
    assert table["Main cluster"].tolist() == (model.labels_ + 1).tolist()
    assert (table["Found"] == "pure").tolist() == model.pure_.tolist()


def test_controls_reach_the_fit() -> None:
    app = opened()
    app.selectbox(key="n_features").set_value(100)
    app.number_input(key="n_clusters").set_value(3)
    app.toggle(key="refine").set_value(False)
    app.button[0].click().run()
    assert not app.exception
    assert app.title[0].value.startswith("3 ")
    assert "100 features" in app.caption[0].value
    assert "the paper's algorithm" in app.caption[0].value


def test_a_failed_run_says_why_and_keeps_the_last_good_result() -> None:
    app = opened()
    before = app.title[0].value, chart(app, 0)["data"]
    app.selectbox(key="n_features").set_value(50)
    app.number_input(key="n_clusters").set_value(10)
    app.button[0].click().run()
    assert not app.exception
    assert [error.value for error in app.error] == [
        "10 clusters need at least 55 features, not 50."
    ]
    assert (app.title[0].value, chart(app, 0)["data"]) == before
