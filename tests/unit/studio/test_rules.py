"""Every rule that makes a sentence claims what it must, and keeps quiet where it must."""

import ast
import inspect
from collections.abc import Callable
from copy import copy
from dataclasses import replace
from importlib import import_module
from types import SimpleNamespace
from typing import Any

import numpy as np
import pandas as pd
import pytest

from stcmtl import figures
from stcmtl.evaluation.blocks import Block
from stcmtl.evaluation.cards import ClusterCard, Driver, Member, cluster_cards, say_alike, say_why
from stcmtl.evaluation.simple_ways import Errors
from stcmtl.evaluation.task_cards import task_card
from stcmtl.evaluation.two_fits import compare_fits
from stcmtl.solver.records import Choice, KSelection
from stcmtl.studio.state.choices import CHOSEN, GIVEN, ROBUST, FitChoice
from stcmtl.studio.words import findings, placing
from stcmtl.studio.words.learning import Lesson
from stcmtl.studio.words.rules import PLAIN_TITLES, RULES
from tests.unit.evaluation.test_blocks import model_of as model_of_tasks
from tests.unit.evaluation.test_blocks import sorted_by_chance, tasks
from tests.unit.evaluation.test_far_tasks import far
from tests.unit.evaluation.test_lone_tasks import with_lone
from tests.unit.evaluation.test_target_sizes import tasks_of as of_sizes
from tests.unit.evaluation.test_trust import make as resampled
from tests.unit.evaluation.test_two_fits import ONE
from tests.unit.evaluation.test_two_fits import fit as fit_of
from tests.unit.evaluation.test_verdicts import CLEAR, CLOSE, results
from tests.unit.figures.histories import HISTORY
from tests.unit.figures.test_convergence import WENT_BACK
from tests.unit.kinds import model_of, tasks_of
from tests.unit.paper.tiny import run_of

RNG = np.random.default_rng(0)
PLANTED, NOISE = tasks(RNG, 0.3), RNG.normal(size=(18, 30))
PURE = np.array([[1.0, 1.0, 0.0, 0.0], [0.0, 0.0, 1.0, 1.0]])
BLENDS = np.array([[1.0, 0.7, 0.3, 0.0], [0.0, 0.3, 0.7, 1.0]])
PATTERNS = np.array([[1.0, 0.0], [0.0, 2.0], [0.0, 0.0]])


def chosen(kind: str, *candidates: tuple[int, float]) -> Any:
    """A model that was chosen among these: K, and the share behind the best; the first is taken."""
    model = copy(model_of(kind))
    model.choices_ = [
        Choice(k, "simplex", "none", 1.0, 0.1, behind, 0.02, rank, rank == 1, "")
        for rank, (k, behind) in enumerate(candidates, start=1)
    ]
    return model


def blank(model: Any) -> Any:
    """The same without a coefficient."""
    model = copy(model)
    model.coef_, model.cluster_coef_ = 0 * model.coef_, 0 * model.cluster_coef_
    return model


def curve(*errors: float) -> KSelection:
    error = np.array(errors)
    ks = np.arange(1, error.size + 1)
    return KSelection(ks, error, np.full(error.size, 0.01), error, error, np.empty(0), "RMSE")


def guessed(error: float, n_tasks: int = 12) -> Any:
    """Tasks whose rows one errs by so much in guessing: two rows each, of which one is known."""
    tasks = np.repeat(np.arange(n_tasks), 2)
    return SimpleNamespace(
        y=np.tile([error / 2, -error / 2], n_tasks), tasks=tasks, weight=None,
        task_names=np.unique(tasks), task_type="regression", X=np.zeros((2 * n_tasks, 9)),
    )  # fmt: skip


def truth_of(V: np.ndarray) -> Any:
    return SimpleNamespace(
        V=V, pure=V.max(axis=0) == 1.0, outliers=np.zeros(V.shape[1], dtype=bool), U=PATTERNS
    )


def result(**changes: Any) -> Any:
    """Of a fit as pages hold it, as far as a sentence looks."""
    first = model_of("simplex").history_[0]
    model = SimpleNamespace(
        cluster_coef_=np.ones((3, 2)), distances_=np.array([1.0, 1.1, 0.9, 1.0, 1.05, 0.95]),
        history_=[replace(first, iteration=i, objective=9.0) for i in (1, 2)], n_iter_=2, tol=1e-3,
        coef_=np.ones((6, 2)), n_features_in_=2, labels_=np.zeros(6), outliers_=np.zeros(6, bool),
        shape_="simplex", own_penalty_=("ridge", 1.0),
        robust=False,
        task_names_=np.array(list("abcdef")),
    )  # fmt: skip
    fitted = SimpleNamespace(
        model=model, error=0.5, separate_error=0.7, lasso_error=0.7, pooled_error=0.8, seconds=1.0,
        choice=FitChoice(model=GIVEN, iterations=50), blocks=None,
        data=SimpleNamespace(
            classification=False, truth=None,
            test=SimpleNamespace(y=np.zeros(9), tasks=["a"] * 9, weight=None),
            train=SimpleNamespace(
                task_type="regression", y=np.ones(9), tasks=["a"] * 9, weight=None
            ),
        ),
    )  # fmt: skip
    for name, value in changes.items():
        setattr(model if hasattr(model, name) else fitted, name, value)
    K = len(fitted.model.cluster_coef_)
    if fitted.model is model:
        model.memberships_ = np.full((6, K), 1 / max(1, K))
    fitted.errors = None
    if fitted.error is not None:
        fitted.errors = Errors(fitted.error, fitted.separate_error, fitted.pooled_error)
    return fitted


def useless(**changes: Any) -> Any:
    """Where guessing errs by one, and no known fit by less."""
    errors = {"error": 1.01, "separate_error": 1.1, "pooled_error": 1.02}
    return result(**{"model": model_of("simplex"), **errors, **changes})


def spoken(**changes: Any) -> Any:
    """A fit of three clusters that the data chose."""
    model = chosen("simplex", (3, 0.0), (1, 0.5))
    return result(**{"model": model, "choice": FitChoice(model=CHOSEN), **changes})


def untested(**changes: Any) -> Any:
    """The same without rows kept for testing."""
    fitted = result(**changes)
    fitted.data.test = None
    return fitted


def doubted(error: float, actual: float = 0.0) -> tuple[Any, ...]:
    """What is known of a fit whose test targets are all one number; those it learnt are 1."""
    fitted = result(error=error, model=model_of("simplex"))
    fitted.data.test.y = np.full(9, actual)
    return fitted.model, fitted.data.train, fitted.data.test, fitted.errors


def lesson(V: np.ndarray, true: np.ndarray, U: np.ndarray = PATTERNS, **model: Any) -> Any:
    """A fit on Learn: memberships and patterns found, and the true ones."""
    fitted = fit_of(V.T)
    fitted.cluster_coef_, fitted.history_ = U.T, [SimpleNamespace(pure=fitted.pure_)]
    fitted.coef_ = np.ones((V.shape[1], 1))
    vars(fitted).update(model)
    tasks = np.arange(V.shape[1])
    test = SimpleNamespace(
        X=np.zeros((tasks.size, 1)), y=0.0 * tasks, tasks=tasks, task_names=tasks, weight=None
    )
    fitted.predict = lambda X, tasks: np.ones(len(X))
    data = SimpleNamespace(truth=truth_of(true), test=test, train=None)
    return SimpleNamespace(model=fitted, data=data, errors=None)


class AloneLesson(Lesson):
    """Whose other fit is not there yet."""

    def result(self) -> None:
        return None


def card(*members: Member, own: bool = True, error: float = 0.5) -> ClusterCard:
    driver = Driver("price", 2.0, 0.1, 0.1, 0.0)
    return ClusterCard(
        0, "cluster 1", members, 1, (driver,), (driver,) if own else (), "RMSE", error, 0.7
    )


def member(pure: bool, loading: float = 1.0) -> Member:
    return Member(0, "a", abs(loading), loading, 1.0, pure)


def card_of(kind: str, **changes: Any) -> Any:
    """Of a task; its test rows are those of the fit."""
    data = tasks_of(kind)
    return replace(task_card(model_of(kind), data, data, 0), **changes)


def columns_of(*corrected: float) -> pd.DataFrame:
    names = ["region", "size"][: len(corrected)]
    return pd.DataFrame({"column": names, "corrected p": corrected})


def assigned(low: float, high: float, *, strange: bool = False, tasks: int = 1) -> Any:
    places = SimpleNamespace(low=np.array([[low, 0.0]]), high=np.array([[high, 1.0 - low]]))
    if tasks == 2:
        both = SimpleNamespace(**{k: np.repeat(v, 2, axis=0) for k, v in vars(places).items()})
        return SimpleNamespace(
            task_names=np.array(["a", "b"]), loadings=np.full((2, 2), 0.5), places=both,
            memberships=np.full((2, 2), 0.5), outliers=np.array([strange, False]),
        )  # fmt: skip
    return SimpleNamespace(
        memberships=np.array([[0.6, 0.4]]), loadings=np.array([[0.6, 0.4]]), places=places,
        outliers=np.array([False]), own_coef=np.zeros((1, 2)), rows=np.array([3]),
        loss=np.array([1.0]), single_loss=np.array([2.0]), single=np.array([0]),
    )  # fmt: skip


NAMES = ["cluster 1", "cluster 2"]
HELPED = {"clusters": 0.5, "LASSO": 0.7, "Pooled": 0.8}
RETURNED = [*WENT_BACK]
SPOKEN = chosen("simplex", (3, 0.0), (1, 0.5)).choices_
COMPARED = chosen("one", (1, 0.0), (3, 0.5)).choices_
LEANT = chosen("simplex", (3, 0.0), (1, 0.02)).choices_
REPEATED = "sparse-200", "STCMTL refined"
SIMPLE_RUNS = [run_of("sparse-200", "LASSO", 0.66, 0.67), run_of("sparse-200", "Pooled", 0.9, 0.9)]


STEADY = [1, 0.95, 1, 0], [1, 1, 1, 0], [1, 1, 1, 0]
LOOSE = [1, 0.6, 1, 0], *STEADY[1:]


class With(dict[str, Any]):
    """What a function is given by name; the last of its arguments here."""


def slipped(value: float) -> Any:
    """Tasks with such a value in a column."""
    data = tasks_of("one")
    X = data.X.copy()
    X[7, 3] = value
    return replace(data, X=X)


def wild(rows: int) -> Any:
    return SimpleNamespace(suspect_rows_=np.arange(rows), loss_="huber")


def one_driver(z: float, n_features: int = 8) -> Any:
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


def agreeing(other: float) -> Any:
    """Tasks fitted alone whose second coefficient has one sign, or one in a half of them."""
    W = np.column_stack([np.tile([1.0, -1.0], 10), np.repeat([1.0, other], 10)])
    return SimpleNamespace(coef_=W, single_task_coef_=W)


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
    "evaluation.target_sizes:say_target_sizes": ((of_sizes(1.0, 1e4),), (of_sizes(1.0, 50.0),)),
    "evaluation.summary:doubts": (
        (PURE[:, :3].T, [True] * 3), (np.repeat(PURE, 2, axis=1).T, [True] * 8)
    ),
    "evaluation.summary:say_undoubted": ((3, "simplex"), (1, "simplex")),
    "evaluation.summary:suspects_account": ((wild(2),), (wild(0),)),
    "evaluation.summary:say_wild_features": ((slipped(1e4),), (slipped(2.0),)),
    "evaluation.verdicts:say_no_help": (
        (3, HELPED | {"clusters": 0.75}, "RMSE", 9), (3, HELPED, "RMSE", 9)
    ),
    "evaluation.verdicts:say_no_signal": ((1.05, 1.04, "RMSE", 9), (0.9, 1.04, "RMSE", 9)),
    "evaluation.verdicts:say_poor_fit": (
        (1.05, 1.04, {"one fit for all does": 0.9}, "RMSE", 9),
        (1.05, 1.04, {"one fit for all does": 1.03}, "RMSE", 9),
    ),
    "studio.words.findings:prediction": ((result(),), (result(error=0.9),)),
    "evaluation.choices:say_taken": ((SPOKEN,), (LEANT,)),
    "evaluation.choices:say_outcome": (
        (chosen("simplex", (3, 0.0), (1, 0.5)),), (blank(chosen("simplex", (3, 0.0), (1, 0.5))),)
    ),
    "evaluation.summary:say_nothing": ((blank(model_of("one")),), (blank(model_of("one")), "x")),
    "studio.words.findings:choice": (
        (spoken(),), (useless(model=chosen("simplex", (3, 0.0), (1, 0.5))),)
    ),
    "studio.words.findings:nothing_to_place_by": (
        (useless(),), (result(model=model_of("simplex")),)
    ),
    "studio.words.findings:what_resamples_keep": ((result(),), (spoken(),)),
    "studio.words.findings:asked_for": (
        (result(choice=FitChoice(k=5), cluster_coef_=np.ones((5, 2))), spoken(), None),
        (result(choice=FitChoice(k=3)), spoken(), None),
    ),
    "studio.words.findings:number_of_clusters": (
        (curve(0.9, 0.7, 0.5, 0.52), guessed(1.0)),
        (curve(0.9, 0.7, 0.505, 0.5, 0.51), guessed(1.0)),
    ),
    "evaluation.blocks:say_one_with": (
        ([Block(0, 1, 0.5, 0.45, 0.1), Block(1, 0, 0.5, 0.45, 0.1)], NAMES),
        ([Block(0, 1, 0.5, 0.45, 0.1), Block(1, 0, 0.9, 0.1, 0.01)], NAMES),
    ),
    "evaluation.blocks:say_no_group": (
        ([Block(0, 1, 0.5, 0.45, 0.1), Block(1, 0, 0.9, 0.1, 0.01)], NAMES),
        ([Block(0, 1, 0.9, 0.1, 0.01), Block(1, 0, 0.9, 0.1, 0.01)], NAMES),
    ),
    "evaluation.blocks:say_blocks": (
        (model_of_tasks(PLANTED),), (model_of_tasks(NOISE, sorted_by_chance(NOISE)),)
    ),
    "studio.words.findings:say_ending": ((result(),), (result(history_=RETURNED),)),
    "studio.words.findings:by_chance": (
        (untested(), np.ones(6, dtype=bool)), (robust(6), np.ones(6, dtype=bool))
    ),
    "evaluation.far_tasks:say_new_rows": (far([0.0, 0.0]), far([1.0, 0.0])),
    "studio.words.findings:outliers": (
        (untested(distances_=np.array([1.0, 1.1, 0.9, 1.0, 1.0, 9.0, 9.0, 0.9])), 1.5),
        (result(), 4.5),
    ),
    "studio.words.findings:say_far": (
        (result(distances_=np.array([1.0, 1.1, 0.9, 1.0, 1.0, 9.0]), outliers_=np.zeros(6, bool)),),
        (result(distances_=np.array([1.0, 1.1, 0.9, 1.0, 1.0, 9.0]), outliers_=np.arange(6) == 5),),
    ),
    "evaluation.lone_tasks:say_lone": (
        (with_lone(1),), (with_lone(0),)
    ),
    "studio.words.placing:say_place": ((assigned(0.1, 1.0), NAMES), (assigned(0.5, 0.7), NAMES)),
    "evaluation.verdicts:headline": ((CLEAR, "RMSE"), (CLOSE, "RMSE")),
    "evaluation.verdicts:name_idle": (
        (results(A=[1.0, 1.0], LASSO=[0.9, 0.9]), "RMSE"), (CLEAR, "RMSE")
    ),
    "paper.table:headline": (
        ("sparse-200", [run_of(*REPEATED, 0.5), run_of("sparse-200", "STCMTL paper", 0.53)]),
        ("sparse-200", [run_of(*REPEATED, 0.5)]),
    ),
    "paper.table:is_apart": ((0.4,), (0.95,)),
    "studio.widgets.paper:say_kinds": (
        (pd.Series([0.9, 0.998]),), (pd.Series([0.9, 1.002]),)
    ),
    "paper.table:verdict": (
        ("sparse-200", [run_of(*REPEATED, 0.5, 0.51), *SIMPLE_RUNS]),
        ("sparse-200", [run_of(*REPEATED, 0.7, 0.7), *SIMPLE_RUNS]),
    ),
    "evaluation.summary:say_found": ((model_of("alone"),), (model_of("simplex"),)),
    "studio.words.findings:memberships": (
        (lesson(np.zeros((0, 4)), PURE, np.zeros((3, 0))),), (lesson(PURE, PURE),)
    ),
    "studio.words.findings:no_help": (
        (result(error=0.75, model=model_of("simplex")),), (result(model=model_of("simplex")),)
    ),
    "studio.words.findings:say_told": (
        (result(error=0.75, model=model_of("simplex")),), (result(model=model_of("simplex")),)
    ),
    "studio.words.findings:no_signal": (
        (useless(),), (result(model=model_of("simplex")),)
    ),
    "evaluation.simple_ways:say_doubt": (doubted(0.75), doubted(0.5)),
    "studio.words.findings:who_is_alike": (
        (result(model=model_of("simplex")),), (result(error=0.75, model=model_of("simplex")),)
    ),
    "evaluation.verdicts:say_beside": (
        (0.5, 0.7, "RMSE", "others"), (0.70001, 0.7, "RMSE", "others")
    ),
    "evaluation.verdicts:name_chance": ((0.02, 0.1, 1.0, "RMSE"), (0.005, 0.01, 1.0, "RMSE")),
    "evaluation.verdicts:say_prediction": ((0.5, 0.7, "RMSE", 3), (0.8, 0.7, "RMSE", 3)),
    "evaluation.cards:say_sorted": ((1,), (3,)),
    "evaluation.cards:say_members": (
        (card(member(True), member(True)),), (card(member(True), member(False)),)
    ),
    "evaluation.cards:say_alike": (
        (card(member(True), member(True)), 2), (card(member(True), member(True, -1.0)), 2)
    ),
    "evaluation.cards:say_why": ((card(), 2), (card(own=False), 2)),
    "evaluation.cards:say_fit": ((card(),), (replace(card(), chance="too few rows"),)),
    "evaluation.task_cards:say_kind": (
        (card_of("simplex", shares=np.array([0.6, 0.4, 0.0])),),
        (card_of("simplex", shares=np.array([1.0, 0.0, 0.0])),),
    ),
    "evaluation.task_cards:say_own_part": ((card_of("own"),), (card_of("simplex"),)),
    "evaluation.task_cards:say_errors": (
        (card_of("simplex", error=0.5, separate_error=0.7, chance=""),),
        (card_of("simplex", error=0.5, separate_error=0.7, chance="too few rows"),),
    ),
    "evaluation.task_cards:say_alike_tasks": (
        (card_of("simplex"),), (card_of("simplex", alike=()),)
    ),
    "evaluation.choices:say_comparisons": (
        (chosen("one", (1, 0.0), (3, 0.5)).choices_, "RMSE"),
        (chosen("one", (1, 0.0), (3, 0.0)).choices_, "RMSE"),
    ),
    "studio.words.findings:what_settings_do": (
        (FitChoice(model=GIVEN, k=0),), (FitChoice(model=GIVEN, k=3),)
    ),
    "studio.words.findings:no_places": (
        (result(cluster_coef_=np.ones((1, 2))),), (result(cluster_coef_=np.ones((0, 2))),)
    ),
    "studio.words.findings:coefficients": (
        (result(cluster_coef_=np.zeros((3, 2)), coef_=np.zeros((6, 2))),), (result(error=None),)
    ),
    "studio.words.findings:similarity": (
        (result(model=model_of_tasks(PLANTED)),),
        (result(model=model_of_tasks(NOISE, sorted_by_chance(NOISE))),),
    ),
    "studio.words.findings:convergence": ((result(cluster_coef_=np.ones((0, 2))),), (result(),)),
    "studio.words.findings:what_happens_to_outliers": (
        (result(),), (result(choice=FitChoice(method=ROBUST)),)
    ),
    "studio.words.placing:new_tasks": (
        (assigned(0.4, 0.6, strange=True, tasks=2), NAMES), (assigned(0.4, 0.6, tasks=2), NAMES)
    ),
    "studio.words.placing:new_task": (
        (assigned(0.5, 0.7), 0, NAMES), (assigned(0.1, 1.0), 0, NAMES)
    ),
    "evaluation.trust:say_trust": (resampled(*STEADY), resampled(*LOOSE)),
    "evaluation.trust:say_loose": (resampled(*LOOSE), resampled(*STEADY)),
    "evaluation.trust:say_doubts": (resampled(*LOOSE), resampled(*STEADY)),
    "evaluation.task_columns:say_columns": ((columns_of(0.01, 0.5),), (columns_of(0.06, 0.5),)),
    "evaluation.task_columns:say_going": ((columns_of(0.01, 0.5),), (columns_of(0.06, 0.5),)),
    "evaluation.common:say_common": (
        (agreeing(1.0), ["price", "size"]), (agreeing(-1.0), ["price", "size"])
    ),
    "studio.words.findings:cross_validated": (
        (COMPARED, result()), (COMPARED, untested(error=None))
    ),
    "evaluation.two_fits:say_moves": (
        (compare_fits(fit_of(ONE), fit_of(np.roll(ONE, 1, axis=1))),),
        (compare_fits(fit_of(ONE), fit_of([ONE[2], *ONE[1:]])),),
    ),
    "evaluation.verdicts:remarks": ((results(A=[1.0], B=[0.9]), "RMSE"), (CLEAR, "RMSE")),
    "studio.words.learning:say_alone": (
        (Lesson(), result(), False), (Lesson(), result(error=0.7), False)
    ),
    "studio.words.learning:say_mixture": (
        (Lesson(place=(1.0, 0.0)), lesson(PURE, PURE), False),
        (Lesson(place=(0.5, 0.5)), lesson(BLENDS[:, :3], BLENDS[:, :3]), False),
    ),
    "studio.words.learning:say_similarity": (
        (Lesson(), lesson(PURE, PURE), True), (Lesson(), lesson(PURE, BLENDS), True)
    ),
    "studio.words.learning:say_places": (
        (Lesson(), lesson(PURE, PURE), True), (Lesson(), lesson(PURE, PURE), False)
    ),
    "studio.words.learning:say_sparse": (
        (Lesson(), lesson(PURE, PURE), True), (Lesson(), lesson(PURE, PURE, 0 * PATTERNS), True)
    ),
    "studio.words.learning:say_outliers": (
        (AloneLesson(robust=True), lesson(PURE, PURE, outliers_=np.arange(4) == 1), True),
        (AloneLesson(robust=True), lesson(PURE, PURE), True),
    ),
    "figures:blocks": (
        (np.eye(4), np.ones(4), PURE, With(pure=[False] * 4)),
        (np.eye(4), np.ones(4), PURE, With(pure=[True] * 4)),
    ),
    "figures:changes": ((HISTORY[:1],), (HISTORY,)),
    "figures:cluster_coefficients": ((np.zeros((3, 0)),), (PATTERNS,)),
    "figures:cluster_patterns": ((0 * PATTERNS,), (PATTERNS,)),
    "figures:co_clustering": ((np.eye(4), PURE), (np.eye(4), PURE[:, :2].repeat(2, axis=1))),
    "figures:coefficient_errors": ((PATTERNS, PATTERNS), (PATTERNS, PATTERNS + 0.1)),
    "figures:coefficients": ((PATTERNS, PATTERNS), (PATTERNS,)),
    "figures:convergence": ((WENT_BACK,), (WENT_BACK[:-1],)),
    "figures:feature_choices": ((0.5 * (PATTERNS != 0), PATTERNS), (PATTERNS != 0, PATTERNS)),
    "figures:fit_errors": (
        ({"clusters": 0.5, "separate fits": 0.7}, With(unit="RMSE")),
        ({"clusters": 0.9, "separate fits": 0.7}, With(unit="RMSE")),
    ),
    "figures:loading_bars": ((PURE - 0.1,), (PURE + 0.1,)),
    "figures:membership_bars": ((np.ones((1, 4)),), (PURE,)),
    "figures:membership_intervals": ((PURE, 0.5 * PURE, PURE), (PURE, 0.6 * PURE, PURE)),
    "figures:memberships": ((BLENDS, BLENDS), (BLENDS,)),
    "figures:method_bars": (
        ({"STCMTL": 0.5, "LASSO": 0.7}, {"STCMTL": 0.1, "LASSO": 0.1}, "RMSE"),
        ({"STCMTL": 0.9, "LASSO": 0.7}, {"STCMTL": 0.1, "LASSO": 0.1}, "RMSE"),
    ),
    "figures:pattern_bars": tuple(
        (U, With(names=["a", "b"], colours=["red", "blue"])) for U in (0 * PATTERNS, PATTERNS)
    ),
    "figures:purity": ((np.ones(4), 0 * PURE), (np.ones(4), PURE)),
    "figures:replay": ((model_of("alone").history_,), (HISTORY,)),
    "figures:selection_pattern": ((PATTERNS, PATTERNS), (PATTERNS,)),
    "figures:share_intervals": (
        ([0.95, 0.05], [0.9, 0.0], [1.0, 0.1]), ([0.95, 0.05], [0.3, 0.0], [1.0, 0.7])
    ),
    "figures:similarity": (
        (np.eye(4), PURE),
        (np.eye(4), PURE, With(pure=np.array([True, False, True, False]))),
    ),
    "figures:singular_ratios": (([],), ([3.0, 1.2],)),
    "figures:step_seconds": (([replace(HISTORY[0], seconds={})],), (HISTORY,)),
    "figures:task_moves": ((PURE, PURE), (PURE, BLENDS)),
    "figures:task_rows_fit": (
        ([0, 1], [0.2, 0.9], [True, True], With(labels=["no", "yes"])),
        ([0, 1], [0.2, 0.9], [True, True]),
    ),
}  # fmt: skip


def words(function: Callable[..., Any], given: tuple[Any, ...]) -> str:
    *rest, last = given
    said = function(*rest, **last) if isinstance(last, With) else function(*given)
    if hasattr(said, "layout"):
        return str(said.layout.title.text)
    return " ".join(map(str, said)) if isinstance(said, (list, tuple)) else str(said)


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


# None is missing


def test_every_rule_has_its_cases() -> None:
    homes = [rule.home for rule in RULES]
    assert sorted(homes) == sorted(CASES)


def test_every_figure_has_a_rule_for_its_title() -> None:
    drawn = {name for name in figures.__all__ if hasattr(getattr(figures, name), "__wrapped__")}
    assert drawn - PLAIN_TITLES == {r.home[8:] for r in RULES if r.home.startswith("figures:")}


@pytest.mark.parametrize(
    "module",
    [
        *(f"evaluation.{n}" for n in ("blocks", "cards", "choices", "summary", "task_cards")),
        *(
            f"evaluation.{n}"
            for n in (
                "common",
                "far_tasks",
                "lone_tasks",
                "simple_ways",
                "target_sizes",
                "task_columns",
                "trust",
                "two_fits",
            )
        ),
        "evaluation.verdicts",
        "studio.words.findings",
        "studio.words.learning",
        "studio.words.placing",
    ],
)
def test_whatever_says_something_has_a_rule_or_serves_one_that_has(module: str) -> None:
    tree = ast.parse(inspect.getsource(import_module(f"stcmtl.{module}")))
    own = {node.name: node for node in tree.body if isinstance(node, ast.FunctionDef)}
    ruled = {rule.home.split(":")[1] for rule in RULES if rule.home.startswith(f"{module}:")}
    speaks = {name for name in own if name.startswith("say_") or name == "headline"}
    if module.endswith(("findings", "placing")):
        speaks |= {name for name, node in own.items() if ast.unparse(node.returns or node) == "str"}
    served = set(ruled)
    while (
        more := {
            word.id
            for name in served
            for word in ast.walk(own[name])
            if isinstance(word, ast.Name) and word.id in own
        }
        - served
    ):
        served |= more
    assert speaks <= served


@pytest.mark.parametrize(("z", "is_clear"), [(4.0, True), (2.6, False)])
def test_what_one_of_eight_features_may_be_by_chance_drives_nothing(
    z: float, is_clear: bool
) -> None:
    assert ("Driven by" in " ".join(say_why(one_driver(z), 1))) is is_clear
    assert ("are alike" in say_alike(one_driver(z), 1)) is is_clear
    assert ("1 of 8 features is used by" in findings.coefficients(uses(z))) is is_clear


def test_tasks_with_parts_of_their_own_do_not_belong_to_one_cluster_wholly() -> None:
    one = result(cluster_coef_=np.ones((1, 2)))
    assert "belong to it wholly" in findings.no_places(one)
    one.model.own_ = "deviation"
    assert "follow it, each with a part of its own" in findings.no_places(one)


def test_features_matter_to_nobody_where_guessing_predicts_as_well() -> None:
    said, other = (
        findings.coefficients(fitted) for fitted in (useless(), result(model=model_of("simplex")))
    )
    assert "do not help to predict" in said
    assert "are used by the clusters" in other


def test_a_mixture_gains_nothing_where_rows_cannot_tell_it_from_a_pure_task() -> None:
    assert "50% less than" in placing.new_task(assigned(0.5, 0.7), 0, NAMES)
    assert "cannot tell it from" in placing.new_task(assigned(0.6, 1.0), 0, NAMES)
