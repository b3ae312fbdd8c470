"""A fit in sentences, and the words they use: shared by the report, pages and command line."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike
from sklearn.base import is_classifier

from stcmtl.data.spreads import FACTOR, measure_spreads, units_differ
from stcmtl.data.taskset import Array, TaskSet, Truth
from stcmtl.data.wild_features import find_wild
from stcmtl.evaluation import choices, metrics
from stcmtl.evaluation.lone_tasks import lone_clusters, say_lone
from stcmtl.evaluation.tables import cluster_names, feature_names, has_own_part, is_mixture
from stcmtl.phrases import counted, cut, digits

MOST_WILD = 3  # values of features in a sentence
FEW_PURE = 2  # pure tasks that make a cluster doubtful
SHAPE_WORDS = {"cone": ", mixtures with strengths", "span": ", patterns can be subtracted"}
ERROR_NAMES = {"regression": "RMSE", "classification": "error rate"}  # by the type of the task

GLOSSARY = {
    "Task": "One prediction problem of many that share their features: a school, a country, a "
    "digit. Each has rows of its own.",
    "Cluster": "A pattern of weights that several tasks share. Every task's coefficients are an "
    "average of the clusters', weighted by its memberships; where the data ask for it times a "
    "strength, with patterns subtracted, or with a part of its own on top.",
    "K": "How many clusters there are: found by cross-validation, or chosen by you. 0 means that "
    "every task is on its own, 1 that one pattern serves all.",
    "Membership": "A task's share in each cluster. Shares are not negative and sum to one; an "
    "outlier task has none.",
    "Strength": "How strongly a task reacts, beside its clusters: at 2 its coefficients are twice "
    "those of its mixture.",
    "Loading": "How much of a pattern a task takes: its membership times its strength, below zero "
    "where the pattern is subtracted.",
    "Own part": "Coefficients that a task has on top of what it shares. Its own share is how much "
    "of the variance of what is fitted comes from them.",
    "Pure": "A task that follows one cluster alone.",
    "Mixed": "A task that blends several clusters, such as 70% of one and 30% of another.",
    "Outlier task": "One that no mixture of the clusters serves: its own fit predicts it far "
    "better. It keeps its own coefficients and belongs to no cluster.",
    "Selected feature": "One whose coefficient is not exactly zero in at least one cluster. All "
    "others play no part in any prediction.",
    "Similarity and purity": "S = W'W, the inner products of the tasks' coefficients. A task is "
    "the purer the more its neighbours are as like it as they are like any task.",
    "SOUP": "The step that finds the purest tasks first and places all others between them.",
    "theta": "The share of tasks that SOUP takes for pure to begin with.",
    "RMSE": "The usual size of an error of prediction, in the units of the target.",
    "Error rate": "The share of wrong labels.",
    "REE": "The usual size of an error of a coefficient; 0 is perfect.",
    "MCC": "How well the used features match the true ones; 1 is perfect, 0 is guessing.",
}


def verdict(model: Any) -> str:
    """Whether tasks cluster at all, in a sentence; empty where clusters are all there is to say.

    What was compared with nothing is called asked for, not best.
    """
    K = model.memberships_.shape[1]
    if choices.uses_nothing(model):
        return ""  # the headline says so
    tried = getattr(model, "choices_", ())
    was_chosen = len({choice.n_clusters for choice in tried}) > 1
    if K == 0 and not was_chosen:
        return "No clusters, as asked: each task is fitted on its own."
    if K == 0:
        is_best = any(choice.taken and choice.rank == 1 for choice in tried)
        why = "each is predicted best on its own" if is_best else "what sharing gains may be chance"
        return f"These tasks do not cluster: {why}."
    if has_own_part(model):
        share = float(model.own_share_[~model.outliers_].mean())
        much = f"but {share:.0%}" if share >= 0.01 else "and less than 1%"
        shared = f"{K} patterns" if K > 1 else "one pattern"
        return f"Tasks share {shared}, {much} of what is fitted is their own."
    if K > 1:
        may_be_chance = was_chosen and choices.may_be_chance(tried)
        return f"What {K} clusters gain over none may be chance." if may_be_chance else ""
    n_out = int(model.outliers_.sum())
    who = f"all tasks but {counted(n_out, 'outlier')}" if n_out else "all tasks"
    how = "" if is_mixture(model) else ", each at its own strength"
    if was_chosen and choices.one_is_open(tried):
        return f"One pattern is taken for {who}{how}, as the simplest: {choices.TOO_NOISY}."
    if was_chosen:
        return f"One pattern serves {who}{how}."
    return f"One pattern for {who}{how}, as asked."


def say_nothing(model: Any, why: str = "no feature is used") -> str:
    """The headline where features do not tell tasks from one another, whatever K is."""
    n_out = int(model.outliers_.sum())
    aside = f"; {counted(n_out, 'outlier')} set aside" if n_out else ""
    return f"Nothing to sort {counted(len(model.labels_) - n_out, 'task')} by: {why}{aside}"


def say_found(
    model: Any, truth: Truth | None = None, *, has_signal: bool = True, helps: bool = True
) -> str:
    """The headline of a model, with its strengths or signs; and how far it is as simulated.

    On rows that the fit has not seen, features may say next to nothing, and clusters not help.
    """
    if choices.uses_nothing(model):
        return say_nothing(model)
    if not has_signal:
        return say_nothing(model, choices.NO_SIGNAL)
    V, inside = model.memberships_, model.labels_ >= 0
    if V.shape[1] and model.shape_ == "span":
        n_tasks, n_out = int(inside.sum()), int(model.outliers_.sum())
        subtract = int((model.loadings_ < 0).any(axis=1).sum())
        verb = "subtracts" if subtract == 1 else "subtract"
        out = f", {counted(n_out, 'outlier')}" if n_out else ""
        sign = (
            f"{subtract} of {counted(n_tasks, 'task')} {verb} one"
            if subtract
            else "none subtracted"
        )
        return f"{doubted(counted(V.shape[1], 'pattern'), V.shape[1], helps)}: {sign}{out}"
    sentence = headline(V, model.pure_, outliers=model.outliers_, helps=helps)
    if is_mixture(model) or not inside.any():
        return sentence + say_placed(model, truth)
    low, high = model.strength_[inside].min(), model.strength_[inside].max()
    return f"{sentence}; strengths from {digits(low)} to {digits(high)}"


def doubted(what: str, count: int, helps: bool) -> str:
    """So many clusters, which may be of no help to predict."""
    return what if helps else f"{what} that {'does' if count == 1 else 'do'} not help"


def say_placed(model: Any, truth: Truth | None) -> str:
    """How many tasks are where they should be, where that is known and there are several places."""
    if truth is None or len(model.cluster_coef_) < 2:
        return ""
    if not truth.V[:, ~truth.outliers].any(axis=0).all():
        return ""  # of tasks that have no place
    if len(truth.V) == 1:  # which of several equal ones it is would be arbitrary
        return ": the truth has one cluster"
    right = metrics.placed_as(truth, model)
    share = f"all {right.size}" if right.all() else f"{right.sum()} of {right.size}"
    return f": {share} placed as simulated"


def headline(
    memberships: ArrayLike,
    pure: ArrayLike,
    *,
    outliers: ArrayLike | None = None,
    helps: bool = True,
) -> str:
    """What a fit found: clusters, pure, mixed and outlier tasks.

    As ``model.memberships_`` (T, K), ``model.pure_`` (T,) and ``model.outliers_`` (T,), by default
    all tasks with a row of zeros. Clusters may be known not to help (``helps``).
    """
    V, flags = np.asarray(memberships, dtype=float), np.asarray(pure, dtype=bool)
    n_tasks, n_clusters = V.shape
    if n_clusters == 0:
        return f"No clusters: {counted(n_tasks, 'task')}, each on its own"
    inside = V.any(axis=1)
    out = ~inside if outliers is None else np.asarray(outliers, dtype=bool)
    idle = int((~inside & ~out).sum())
    others = [counted(int(out.sum()), "outlier")] if out.any() else []
    others += [f"{idle} in no cluster"] if idle else []
    if n_clusters == 1:
        one = "One cluster" if helps else "One cluster that does not help,"
        return ", ".join([f"{one} of {counted(int(inside.sum()), 'task')}", *others])
    used = int(V.any(axis=0).sum())
    n_pure = int((flags & inside).sum())
    in_use = f"{used} of {n_clusters} clusters in use"
    n_lone = int(lone_clusters(V).sum())
    parts = [
        doubted(counted(used, "cluster") if used == n_clusters else in_use, used, helps),
        *([f"{n_lone} of them of a single task"] if n_lone else []),
        counted(n_pure, "pure task"),
        f"{int(inside.sum()) - n_pure} mixed",
    ]
    return ", ".join([*parts, *others])


def doubts_of(model: Any) -> list[str]:
    """What makes one look twice at a fit; tasks that stand alone in their cluster come first."""
    lone = say_lone(model)
    spared = np.flatnonzero(lone_clusters(model.memberships_)).tolist() if lone else ()
    said = doubts(
        model.memberships_, model.pure_, model.shape_, cluster_names(model), spared=spared
    )
    return [f"{lone}.", *said] if lone else said


def doubts(
    memberships: ArrayLike,
    pure: ArrayLike,
    shape: str = "simplex",
    names: Sequence[str] | None = None,
    *,
    spared: Collection[int] = (),
) -> list[str]:
    """Clusters without tasks, or with hardly a pure one, but for those that are ``spared``.

    Patterns that can be subtracted, the ``shape`` "span", need neither pure tasks nor any of which
    they are the largest part.
    """
    V, flags = np.asarray(memberships, dtype=float), np.asarray(pure, dtype=bool)
    if not V.shape[1] or shape == "span":
        return [
            f"No task follows {called(k, names, 'pattern')}: try a smaller K."
            for k in np.flatnonzero(~V.any(axis=0)).tolist()
        ]
    inside = V.any(axis=1)
    main = np.where(inside, V.argmax(axis=1), -1)
    sentences = []
    for k in range(V.shape[1]):
        n_pure = int((flags & (main == k)).sum())
        if not (main == k).any():
            sentences.append(f"{called(k, names)} is the main cluster of no task: try a smaller K.")
        elif n_pure <= FEW_PURE and k not in spared:
            few = "no pure task" if n_pure == 0 else f"only {counted(n_pure, 'pure task')}"
            sentences.append(f"{called(k, names)} has {few}: take its coefficients with care.")
    return sentences


def say_undoubted(n_clusters: int, shape: str) -> str:
    """What was looked at where there is no doubt of it."""
    clusters = "every cluster has several pure tasks, no two clusters look like one, "
    looked_at = clusters if n_clusters > 1 and shape != "span" else ""
    return f"Checked, and nothing found: {looked_at}no task is set aside, and no target is wild."


def called(k: int, names: Sequence[str] | None, noun: str = "Cluster") -> str:
    """What to call a cluster in a sentence: its name, or its number where nobody gave one."""
    is_named = names is not None and names[k] != f"cluster {k + 1}"
    return names[k] if names is not None and is_named else f"{noun} {k + 1}"


def data_account(data: TaskSet, test: TaskSet | None = None) -> str:
    """The size and kind of the data in a sentence; ``test`` has the rows kept from the fit."""
    rows = data.n_rows
    each = f"{rows.min():,}" if rows.min() == rows.max() else f"{rows.min():,} to {rows.max():,}"
    fit, more = ("", "") if test is None else (" to fit", f", and {len(test.X):,} to test")
    return (
        f"{counted(len(data), 'task')} with {each} rows each{fit}, {len(data.X):,} in all{more}; "
        f"{counted(data.X.shape[1], 'feature')}; {data.task_type}."
    )


def method_account(model: Any) -> str:
    """How a model was fitted, in a sentence."""
    K = model.memberships_.shape[1]
    method = "refined after the paper's algorithm" if model.refine else "the paper's algorithm"
    robust = ", outlier tasks set aside" if model.robust and K else ""
    is_scaled = getattr(model, "standardized_", model.standardize)
    scaled = ", features on one scale" if is_scaled else ""
    tamed = ", by Huber's loss" if getattr(model, "loss_", "") == "huber" else ""
    shape = SHAPE_WORDS.get(getattr(model, "shape_", "simplex"), "") if K else ""
    own = ", with parts of their own" if has_own_part(model) else ""
    shared = model.cluster_coef_ if K and not own else model.coef_
    used = int(np.asarray(shared).any(axis=0).sum())
    others = [other.what for other in getattr(model, "alternatives_", ())]
    as_good = f"; as good, with other predictions: {'; or '.join(others)}" if others else ""
    return (
        f"K = {K}, {method if K else 'every task on its own'}{shape}{own}{robust}{scaled}{tamed}; "
        f"{used} of {counted(model.n_features_in_, 'feature')} selected{as_good}."
    )


def suspects_account(model: Any) -> str:
    """Which rows are out of all proportion, in a sentence; nothing if none is."""
    count = len(getattr(model, "suspect_rows_", ()))
    if not count:
        return ""
    are, they, them = ("is", "it", "it") if count == 1 else ("are", "they", "them")
    fate = f"Huber's loss held {them} back" if model.loss_ == "huber" else f"{they} pulled at it"
    return (
        f"{counted(count, 'value')} of the target {are} out of all proportion, ten robust standard "
        f"deviations or more from what is expected. In the fit {fate}. {are.title()} {they} right?"
    )


def say_wild_features(data: TaskSet) -> str:
    """Which values of features are out of all proportion, in a sentence; nothing if none is.

    Rows are counted from 1, in the set that these were taken from.
    """
    found = find_wild(data.X)
    if not found:
        return ""
    numbers = np.arange(len(data.X)) if data.row_numbers is None else data.row_numbers
    named = [
        f"{cut(data.feature_names[one.feature])} in row {numbers[one.row] + 1:,} "
        f"({cut(data.tasks[one.row])}) is {digits(one.value)}, all others lie between "
        f"{digits(one.low)} and {digits(one.high)}"
        for one in found
    ]
    is_one = len(found) == 1
    what = "A value of a feature is" if is_one else f"{len(found)} values of features are"
    more = f"; and {len(found) - MOST_WILD} more" if len(found) > MOST_WILD else ""
    right = "Is it right?" if is_one else "Are they right?"
    return f"{what} out of all proportion: {'; '.join(named[:MOST_WILD])}{more}. {right}"


def compare_spreads(spreads: Array, names: Sequence[str]) -> tuple[float, str]:
    """The largest standard deviation over the smallest, in numbers and in words."""
    varying = np.flatnonzero(spreads)
    low, high = varying[[spreads[varying].argmin(), spreads[varying].argmax()]]
    ratio = float(spreads[high] / spreads[low])
    which = f"{names[high]} against {names[low]}"
    return ratio, f"their spreads differ {digits(ratio)}-fold ({which})"


def scale_forecast(data: TaskSet) -> str:
    """What ``standardize="auto"`` will do to features, and why, in a sentence."""
    spreads = measure_spreads(data.X)
    if not units_differ(data.X, spreads):
        return "Features will be taken as they are."
    why = compare_spreads(spreads, data.feature_names)[1]
    return f"Features will be put on one scale: {why}."


def scale_account(model: Any, names: Sequence[str] | None = None) -> str:
    """Whether features were put on one scale, and why, in a sentence."""
    is_scaled = getattr(model, "standardized_", model.standardize)
    done = "put on one scale" if is_scaled else "taken as they are"
    spreads = getattr(model, "feature_scale_", np.zeros(0))
    if np.count_nonzero(spreads) < 2:
        return f"Features were {done}."
    ratio, differ = compare_spreads(spreads, feature_names(model) if names is None else names)
    if model.standardize != "auto":
        warning = f", though {differ}" if model.units_differ_ and not is_scaled else ""
        return f"Features were {done}, as asked{warning}."
    if is_scaled:
        return f"Features were {done}: {differ}."
    if ratio <= FACTOR:
        return f"Features were {done}: their spreads are alike."
    return f"Features were {done}: {differ}, but they seem to have one unit."


def error_name(model: Any) -> str:
    return ERROR_NAMES["classification" if is_classifier(model) else "regression"]


def has_zero_pattern(truth: Truth) -> bool:
    """Whether there are features to select and others: else no choice of them is better."""
    return bool(truth.W.any() and not truth.W.all())


def against_truth(model: Any, data: TaskSet) -> dict[str, float]:
    """How near a simulation's truth the fit came; empty where there is none to compare with."""
    truth = data.truth
    if truth is None or list(data.task_names) != list(model.task_names_):
        return {}
    W, V = model.coef_.T, model.memberships_.T
    found = {"Estimation error (REE), 0 is perfect": metrics.ree(truth.W, W)}
    if has_zero_pattern(truth):
        found["Feature selection (MCC), 1 is perfect"] = metrics.mcc(truth.W, W)
    if len(V) and truth.V.any():
        found["Membership error, 0 is perfect"] = metrics.membership_error(truth.V, V)
    return found
