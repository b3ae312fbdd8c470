"""An experiment is what direct fits give, in the paper's measures; no fit beats the oracle."""

from dataclasses import replace

import numpy as np
import pytest

from stcmtl import STCMTLRegressor, metrics
from stcmtl.baselines import SingleTaskLasso
from stcmtl.data.simulation import simulate
from stcmtl.data.splits import Split
from stcmtl.estimators.choose_k import select_n_clusters
from stcmtl.paper import SETTING_NAMES, experiments, settings
from stcmtl.paper.experiments import (
    choose_clusters,
    experiment_steps,
    oracle_coefficients,
    oracle_error,
)
from stcmtl.progress import Progress
from tests.unit.paper.tiny import drained, shrink, tiny_rows
from tests.unit.plain import GIVEN

SMALL = {"n_tasks": 12, "n_features": 20, "n_clusters": 2, "n_train": 30, "n_test": 20}


def test_scores_are_those_of_direct_fits(monkeypatch: pytest.MonkeyPatch) -> None:
    shrink(monkeypatch)
    steps, scores = drained(experiment_steps("sparse-200", ["LASSO", "STCMTL refined"], 2, seed=3))
    assert [(s.method, s.repetition) for s in scores] == [
        (method, r) for r in (0, 1) for method in ("LASSO", "STCMTL refined", "oracle")
    ]
    assert [step.done for step in steps] == sorted(step.done for step in steps)
    assert {step.total for step in steps} == {4}
    for r in (0, 1):
        train, test = tiny_rows(3, r).train, tiny_rows(3, r).test
        models = SingleTaskLasso(random_state=3), STCMTLRegressor(2, **GIVEN, random_state=3)
        for model, score in zip(models, scores[3 * r :], strict=False):
            model.fit(train.X, train.y, train.tasks)
            W = model.coef_.T
            assert train.truth is not None
            expected = (
                metrics.rmse(test.y, model.predict(test.X, test.tasks)),
                metrics.ree(train.truth.W, W),
                metrics.mcc(train.truth.W, W, threshold=0.005),
                metrics.mcc(train.truth.W, W),
            )
            assert (score.error, score.ree, score.mcc, score.mcc_exact) == expected
        assert scores[3 * r + 2].seconds is None


def test_features_stay_in_their_units_as_in_the_paper(monkeypatch: pytest.MonkeyPatch) -> None:
    shrink(monkeypatch)
    units = np.geomspace(1.0, 1000.0, SMALL["n_features"])
    drawn = tiny_rows(0, 0)
    train, test = (replace(part, X=part.X * units) for part in (drawn.train, drawn.test))
    monkeypatch.setattr(experiments, "draw_rows", lambda *_: Split(train, test))
    _, scores = drained(experiment_steps("sparse-200", ["LASSO", "STCMTL refined"], 1))
    plain = {"standardize": False, "random_state": 0}
    for model, score in zip(
        (SingleTaskLasso(**plain), STCMTLRegressor(2, **GIVEN, **plain)), scores, strict=False
    ):
        model.fit(train.X, train.y, train.tasks)
        assert model.units_differ_
        assert score.error == metrics.rmse(test.y, model.predict(test.X, test.tasks))


def test_k_is_chosen_on_training_rows_where_nobody_knows_it() -> None:
    rows = tiny_rows(0, 0)
    steps, k = drained(choose_clusters(rows, Progress(0, 1, "now"), 0, None))
    train = rows.train
    assert k == select_n_clusters(train.X, train.y, train.tasks, random_state=0).one_se
    assert [step.what for step in steps][:2] == ["now: tried K = 1", "now: tried K = 2"]


@pytest.mark.parametrize(
    ("setting", "methods", "repetitions", "fault"),
    [
        ("sparse-201", ["LASSO"], 1, "no setting 'sparse-201': choose among sparse-200"),
        ("sparse-200", ["OLS"], 1, "no method 'OLS': choose among"),
        ("sparse-200", ["LASSO"], 0, "repetitions is 0: there must be at least one"),
    ],
)
def test_what_cannot_be_run(setting: str, methods: list[str], repetitions: int, fault: str) -> None:
    with pytest.raises(ValueError, match=fault):
        drained(experiment_steps(setting, methods, repetitions))


def test_missing_files_are_named(
    monkeypatch: pytest.MonkeyPatch, tmp_path_factory: pytest.TempPathFactory
) -> None:
    monkeypatch.setenv("STCMTL_DATA", str(tmp_path_factory.mktemp("nothing")))
    with pytest.raises(settings.NoData, match=r"School was not found: put school\.mat in"):
        settings.draw_rows("school", 0, 0)


def test_settings_have_their_names_and_the_papers_sizes() -> None:
    assert tuple(settings.SETTINGS) == SETTING_NAMES
    dense = settings.draw_rows("dense-200", 0, 0).train
    assert dense.X.shape == (60 * 100, 200)
    assert dense.truth is not None
    assert ((dense.truth.V > 0).sum(axis=0) == [1] * 50 + [5] * 10).all()
    outliers = settings.draw_rows("outliers-100", 0, 0).train
    assert outliers.truth is not None
    assert (len(outliers), outliers.X.shape[1], outliers.truth.outliers.sum()) == (65, 100, 5)
    forty = settings.draw_rows("digits-40", 0, 0).train
    assert len(forty) == 40
    assert "STCMTL robust" in settings.methods_for("outliers-100")
    assert "STCMTL robust" not in settings.methods_for("sparse-200")


def test_the_pictures(monkeypatch: pytest.MonkeyPatch) -> None:
    shrink(monkeypatch)
    rows = tiny_rows(0, 0)
    train = rows.train
    _, curve = drained(experiments.picture_steps(experiments.CURVE, "sparse-200"))
    expected = select_n_clusters(train.X, train.y, train.tasks, random_state=0)
    assert curve.error == pytest.approx(expected.error)
    _, patterns = drained(experiments.picture_steps(experiments.PATTERNS, "sparse-200"))
    refined = STCMTLRegressor(2, **GIVEN, random_state=0).fit(train.X, train.y, train.tasks)
    assert train.truth is not None
    assert (patterns.true == train.truth.W).all()
    assert (patterns.estimated["STCMTL refined"] == refined.coef_.T).all()
    _, history = drained(experiments.picture_steps(experiments.OBJECTIVE, "sparse-200"))
    plain = STCMTLRegressor(2, **GIVEN, refine=False, random_state=0).fit(
        train.X, train.y, train.tasks
    )
    assert [s.objective for s in history] == [s.objective for s in plain.history_]


def test_zero_patterns_need_the_truth() -> None:
    assert experiments.PATTERNS not in experiments.list_figures("school")
    with pytest.raises(ValueError, match="has no truth"):
        drained(experiments.picture_steps(experiments.PATTERNS, "digits-10"))


# The oracle: exact without noise, and the best there is with it


def test_without_noise_it_is_the_truth() -> None:
    sim = simulate(**SMALL, noise=0.0, n_outliers=2)
    W = oracle_coefficients(sim.train)
    np.testing.assert_allclose(W, sim.truth.W, atol=1e-10)
    assert oracle_error(sim, W) == pytest.approx(0.0, abs=1e-10)


def test_with_noise_no_direction_within_its_reach_is_better() -> None:
    """Residuals are orthogonal to every entry of U that may move."""
    sim = simulate(**SMALL, n_outliers=1)
    W = oracle_coefficients(sim.train)
    train, truth = sim.train, sim.truth
    task = np.array([int(name.removeprefix("task")) - 1 for name in train.tasks])
    rest = train.y - np.sum(train.X * W[:, task].T, axis=1)
    slopes = train.X.T @ (rest[:, None] * truth.V[:, task].T)  # of outliers V is zero
    assert np.abs(slopes[truth.U != 0]).max() < 1e-9
    own = task == np.flatnonzero(truth.outliers)[0]
    used = truth.W[:, truth.outliers.argmax()] != 0
    assert np.abs(train.X[own][:, used].T @ rest[own]).max() < 1e-9


def test_its_error_is_on_the_test_rows() -> None:
    sim = simulate(**SMALL)
    W = oracle_coefficients(sim.train)
    predicted = np.empty(len(sim.test.y))
    for i, name in enumerate(sim.test.task_names):
        rows = sim.test.tasks == name
        predicted[rows] = sim.test.X[rows] @ W[:, i]
    assert oracle_error(sim, W) == pytest.approx(metrics.rmse(sim.test.y, predicted))


def test_it_needs_the_truth() -> None:
    with pytest.raises(ValueError, match="needs the truth"):
        oracle_coefficients(replace(simulate(**SMALL).train, truth=None))
