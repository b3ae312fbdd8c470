"""loss="auto": off without a trace, on where values are wild; wild rows are named."""

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from sklearn.base import clone

from stcmtl import STCMTLClassifier, STCMTLRegressor, TaskSet, load, simulate, stability
from stcmtl.errors import InputError
from stcmtl.evaluation import summary
from stcmtl.evaluation.tables import suspects_table
from stcmtl.report import report_html

SIM = simulate(n_tasks=8, n_features=15, n_clusters=2, n_train=30, n_test=1, scale=3.0)
TRAIN = SIM.train
GIVEN = {"n_clusters": 2, "shape": "simplex", "own": "none", "random_state": 0}


def fit(y: np.ndarray, **given: str) -> STCMTLRegressor:
    return STCMTLRegressor(**GIVEN, **given).fit(TRAIN.X, y, TRAIN.tasks)


@pytest.fixture(scope="module")
def clean() -> STCMTLRegressor:
    return fit(TRAIN.y)


@pytest.fixture(scope="module")
def spoilt() -> tuple[np.ndarray, STCMTLRegressor]:
    y = TRAIN.y.copy()
    y[[5, 100]] += [400.0, -50.0]
    return y, fit(y)


def distance(model: STCMTLRegressor) -> float:
    return float(np.linalg.norm(model.coef_ - SIM.truth.W.T))


def test_without_wild_values_auto_is_squared_to_the_bit(clean: STCMTLRegressor) -> None:
    squared = fit(TRAIN.y, loss="squared")
    assert clean.loss_ == squared.loss_ == "squared"
    np.testing.assert_array_equal(clean.coef_, squared.coef_)
    assert clean.suspect_rows_.size == 0
    assert clean.residual_limits_ is None


def test_wild_rows_are_named_and_do_not_pull(
    clean: STCMTLRegressor, spoilt: tuple[np.ndarray, STCMTLRegressor]
) -> None:
    y, model = spoilt
    assert model.loss_ == "huber"
    assert model.suspect_rows_.tolist() == [5, 100]
    assert distance(model) < 1.1 * distance(clean)
    squared = fit(y, loss="squared")
    assert distance(squared) > 2.0 * distance(clean)
    assert squared.suspect_rows_.tolist() == [5, 100]


def test_one_wild_feature_does_not_choose_the_model_for_all_other_tasks() -> None:
    """Its row is predicted badly by any; and what is taken still serves the others."""
    sim = simulate(n_tasks=15, n_features=15, n_clusters=2, n_train=30, n_test=1, scale=3.0)
    (X, y, tasks), errors = (sim.train.X, sim.train.y, sim.train.tasks), []
    wild = X.copy()
    wild[5, 2] = 100.0
    for rows in (X, wild):
        model = STCMTLRegressor(random_state=0).fit(rows, y, tasks)
        apart = np.delete(model.coef_ - sim.truth.W.T, 0, axis=0)  # the row is of the first task
        errors.append(np.linalg.norm(apart))
    assert errors[1] < 3.0 * errors[0]  # where one pattern for all has thirteen times the error


def test_they_are_told_in_a_sentence_and_a_table(
    spoilt: tuple[np.ndarray, STCMTLRegressor],
) -> None:
    y, model = spoilt
    data = TaskSet(TRAIN.X, y, TRAIN.tasks)
    assert summary.suspects_account(model).startswith("2 values of the target are out of all")
    table = suspects_table(model, data)
    assert table["row"].tolist() == [6, 101]
    part = replace(data, row_numbers=np.arange(len(y)) + 1000)
    assert suspects_table(model, part)["row"].tolist() == [1006, 1101]
    np.testing.assert_array_equal(table["value"], y[[5, 100]])
    truth = TRAIN.y[[5, 100]]
    np.testing.assert_allclose(table["expected"], truth, atol=2.0)
    assert "Wild values" in report_html(model, data)


def test_trust_resamples_tame_targets(spoilt: tuple[np.ndarray, STCMTLRegressor]) -> None:
    y, model = spoilt
    found = stability(model, TRAIN.X, y, TRAIN.tasks, n_boot=4, random_state=0)
    pure = SIM.truth.pure
    assert (found.pure[pure] > 0.5).mean() > 0.8


def test_a_saved_model_remembers_and_an_older_one_is_given_what_it_lacks(
    spoilt: tuple[np.ndarray, STCMTLRegressor], clean: STCMTLRegressor, tmp_path: Path
) -> None:
    model = spoilt[1]
    model.save(tmp_path / "m")
    back = load(tmp_path / "m")
    assert back.loss == "auto"
    assert back.loss_ == "huber"
    np.testing.assert_array_equal(back.suspect_rows_, model.suspect_rows_)
    older = fit(TRAIN.y)
    for name in ("loss_", "suspect_rows_", "residual_limits_", "precision_"):
        delattr(older, name)
    older.save(tmp_path / "older")
    assert load(tmp_path / "older").loss_ == "squared"
    assert summary.suspects_account(load(tmp_path / "older")) == ""


def test_what_can_be_asked_for() -> None:
    assert clone(STCMTLRegressor(loss="huber")).loss == "huber"
    with pytest.raises(InputError, match="loss"):
        fit(TRAIN.y, loss="absolute")
    labels = np.where(TRAIN.y > 0, 1, 0)
    with pytest.raises(InputError, match="loss"):
        STCMTLClassifier(loss="huber").fit(TRAIN.X, labels, TRAIN.tasks)
