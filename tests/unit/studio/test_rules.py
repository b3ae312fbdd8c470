"""Every rule that makes a sentence claims what it must, and keeps quiet where it must."""

from collections.abc import Callable
from copy import copy
from dataclasses import replace
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from stcmtl.evaluation.cards import cluster_cards
from stcmtl.figures.plots.selection import Curve
from stcmtl.solver.records import Choice, KSelection
from stcmtl.studio.words.rules import RULES
from tests.unit.evaluation.test_blocks import model_of as model_of_tasks
from tests.unit.evaluation.test_blocks import sorted_by_chance, tasks
from tests.unit.evaluation.test_verdicts import CLEAR, CLOSE, results
from tests.unit.figures.test_convergence import WENT_BACK
from tests.unit.kinds import model_of
from tests.unit.paper.tiny import run_of

RNG = np.random.default_rng(0)
PLANTED, NOISE = tasks(RNG, 0.3), RNG.normal(size=(18, 30))
PURE = np.array([[1.0, 1.0, 0.0, 0.0], [0.0, 0.0, 1.0, 1.0]])


def chosen(kind: str, *candidates: tuple[int, float]) -> Any:
    """A model that was chosen among these: K, and the share behind the best; the first is taken."""
    model = copy(model_of(kind))
    model.choices_ = [
        Choice(k, "simplex", "none", 1.0, 0.1, behind, 0.02, rank, rank == 1, "")
        for rank, (k, behind) in enumerate(candidates, start=1)
    ]
    return model


def curve(*errors: float) -> KSelection:
    error = np.array(errors)
    ks = np.arange(1, error.size + 1)
    return KSelection(ks, error, np.full(error.size, 0.01), error, error, np.empty(0), "RMSE")


def truth_of(V: np.ndarray) -> Any:
    return SimpleNamespace(
        V=V, pure=V.max(axis=0) == 1.0, outliers=np.zeros(V.shape[1], dtype=bool)
    )


def result(**changes: Any) -> Any:
    """Of a fit as pages hold it, as far as a sentence looks."""
    first = model_of("simplex").history_[0]
    model = SimpleNamespace(
        cluster_coef_=np.ones((3, 2)), distances_=np.array([1.0, 1.1, 0.9, 1.0, 1.05, 0.95]),
        outliers_=np.zeros(6, dtype=bool),
        history_=[replace(first, iteration=i, objective=9.0) for i in (1, 2)], n_iter_=2, tol=1e-3,
    )  # fmt: skip
    fitted = SimpleNamespace(
        model=model, error=0.5, separate_error=0.7,
        choice=SimpleNamespace(iterations=50, method="refined"),
        data=SimpleNamespace(
            classification=False, train=SimpleNamespace(task_type="regression")
        ),
    )  # fmt: skip
    for name, value in changes.items():
        setattr(model if hasattr(model, name) else fitted, name, value)
    return fitted


def assigned(low: float, high: float) -> Any:
    places = SimpleNamespace(low=np.array([[low, 0.0]]), high=np.array([[high, 1.0 - low]]))
    return SimpleNamespace(
        memberships=np.array([[0.6, 0.4]]), loadings=np.array([[0.6, 0.4]]), places=places,
        outliers=np.array([False]), own_coef=np.zeros((1, 2)), rows=np.array([3]),
        loss=np.array([1.0]), single_loss=np.array([2.0]), single=np.array([0]),
    )  # fmt: skip


NAMES = ["cluster 1", "cluster 2"]
HELPED = {"clusters": 0.5, "LASSO": 0.7, "Pooled": 0.8}
RETURNED = [*WENT_BACK]
SPOKEN = chosen("simplex", (3, 0.0), (1, 0.5)).choices_
LEANT = chosen("simplex", (3, 0.0), (1, 0.02)).choices_
REPEATED = "sparse-200", "STCMTL refined"
SIMPLE_RUNS = [run_of("sparse-200", "LASSO", 0.66, 0.67), run_of("sparse-200", "Pooled", 0.9, 0.9)]


def wild(rows: int) -> Any:
    return SimpleNamespace(suspect_rows_=np.arange(rows), loss_="huber")


def card_of(z: float, n_features: int = 8) -> Any:
    """Of a cluster with a single driver, so many standard errors from zero."""
    (card,) = cluster_cards(copy_with(z, n_features))
    return card


def uses(z: float, n_features: int = 8) -> Any:
    fitted = result(model=copy_with(z, n_features))
    fitted.data.truth = None
    return fitted


def copy_with(z: float, n_features: int) -> Any:
    """A model of one cluster, all of whose coefficients but one are zero."""
    U = np.zeros((1, n_features))
    U[0, 2] = 0.1 * z
    model = copy(model_of("one"))
    model.cluster_coef_, model.cluster_coef_se_ = U, np.where(U, 0.1, np.nan)
    model.coef_, model.n_features_in_ = np.repeat(U, 12, axis=0), n_features
    model.standardized_ = False
    return model


def robust(n_aside: int) -> Any:
    return result(
        choice=SimpleNamespace(iterations=50, method="robust"), outliers_=np.arange(6) < n_aside
    )


# By the home of a rule: what to call it with where it must claim, and where it must not.
CASES: dict[str, tuple[tuple[Any, ...], tuple[Any, ...]]] = {
    "evaluation.summary:verdict": (
        (chosen("alone", (0, 0.0), (2, 0.1)),), (chosen("simplex", (3, 0.0), (0, 0.5)),)
    ),
    "evaluation.summary:say_placed": (
        (model_of("simplex"), truth_of(model_of("simplex").memberships_.T)),
        (model_of("simplex"), None),
    ),
    "evaluation.summary:doubts": (
        (PURE[:, :3].T, [True] * 3), (np.repeat(PURE, 2, axis=1).T, [True] * 8)
    ),
    "evaluation.summary:suspects_account": ((wild(2),), (wild(0),)),
    "evaluation.verdicts:say_no_help": (
        (3, HELPED | {"clusters": 0.75}, "RMSE", 9), (3, HELPED, "RMSE", 9)
    ),
    "evaluation.verdicts:say_no_signal": ((1.05, 1.04, "RMSE", 9), (0.9, 1.04, "RMSE", 9)),
    "evaluation.cards:say_why": ((card_of(4.0), 1), (card_of(2.6), 1)),
    "studio.words.findings:prediction": ((result(),), (result(error=0.9),)),
    "evaluation.choices:say_taken": ((SPOKEN,), (LEANT,)),
    "studio.words.findings:number_of_clusters": (
        (curve(0.9, 0.7, 0.5, 0.52),), (curve(0.9, 0.7, 0.505, 0.5, 0.51),)
    ),
    "evaluation.blocks:say_blocks": (
        (model_of_tasks(PLANTED),), (model_of_tasks(NOISE, sorted_by_chance(NOISE)),)
    ),
    "studio.words.findings:say_ending": ((result(),), (result(history_=RETURNED),)),
    "studio.words.findings:coefficients": ((uses(4.0),), (uses(2.6),)),
    "studio.words.findings:by_chance": (
        (result(), np.ones(6, dtype=bool)), (robust(6), np.ones(6, dtype=bool))
    ),
    "studio.words.findings:outliers": (
        (result(distances_=np.array([1.0, 1.1, 0.9, 1.0, 1.0, 9.0, 9.0, 0.9])), 1.5),
        (result(), 4.5),
    ),
    "studio.words.findings:say_place": ((assigned(0.1, 1.0), NAMES), (assigned(0.5, 0.7), NAMES)),
    "studio.words.findings:new_task": (
        (assigned(0.5, 0.7), 0, NAMES), (assigned(0.6, 1.0), 0, NAMES)
    ),
    "evaluation.verdicts:headline": ((CLEAR, "RMSE"), (CLOSE, "RMSE")),
    "evaluation.verdicts:name_idle": (
        (results(A=[1.0, 1.0], LASSO=[0.9, 0.9]), "RMSE"), (CLEAR, "RMSE")
    ),
    "paper.table:headline": (
        ("sparse-200", [run_of(*REPEATED, 0.5), run_of("sparse-200", "STCMTL paper", 0.53)]),
        ("sparse-200", [run_of(*REPEATED, 0.5)]),
    ),
    "paper.table:is_apart": ((0.4,), (0.95,)),
    "paper.table:verdict": (
        ("sparse-200", [run_of(*REPEATED, 0.5, 0.51), *SIMPLE_RUNS]),
        ("sparse-200", [run_of(*REPEATED, 0.7, 0.7), *SIMPLE_RUNS]),
    ),
    "figures.plots.similarity:compare_blocks": (
        (np.eye(4), np.array([0, 0, 1, 1]), np.ones(4, dtype=bool), 2),
        (np.eye(4), np.array([0, 0, 1, 1]), np.array([True, False, True, False]), 2),
    ),
    "figures.plots.convergence:say_last_change": ((WENT_BACK,), (WENT_BACK[:-1],)),
    "figures.plots.selection:say_choice": (
        (curve(0.9, 0.5, 0.51), Curve(curve(0.9, 0.5, 0.51))),
        (curve(0.9, 0.7, 0.5), Curve(curve(0.9, 0.7, 0.5))),
    ),
    "figures.plots.memberships:say_what_to_see": ((3, PURE), (3, None)),
    "figures.plots.ranks:say_outliers": ((["a"], False), ([], False)),
}  # fmt: skip


def words(function: Callable[..., Any], given: tuple[Any, ...]) -> str:
    said = function(*given)
    if isinstance(said, bool):
        return "" if said else "no"
    return " ".join(map(str, said)) if isinstance(said, (list, tuple)) else str(said)


def test_every_rule_has_its_cases() -> None:
    assert {rule.home for rule in RULES} == set(CASES)


@pytest.mark.parametrize("rule", RULES, ids=lambda rule: rule.home)
def test_a_rule_claims_where_it_must_and_not_where_it_must_not(rule: Any) -> None:
    must, must_not = CASES[rule.home]
    function = rule.function()
    if not rule.claims:  # a yes or no
        assert function(*must) is True
        assert function(*must_not) is False
        return
    assert rule.claims in words(function, must)
    assert rule.claims not in words(function, must_not)
