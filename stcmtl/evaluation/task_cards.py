"""What there is to say of one task: its clusters, its own fit beside theirs, its rows, its like."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd
from scipy.special import expit
from scipy.stats import t
from sklearn.base import is_classifier

from stcmtl.data.chance import beyond_chance
from stcmtl.data.taskset import Array, TaskSet
from stcmtl.estimators.resampling import membership_intervals
from stcmtl.evaluation import tables
from stcmtl.evaluation.cards import RARE, names_of_features
from stcmtl.evaluation.predictions import features_for, measure_error
from stcmtl.evaluation.summary import error_name
from stcmtl.evaluation.verdicts import TOO_FEW, name_chance, say_beside
from stcmtl.phrases import counted, cut, digits, hundredths, joined, say_error, say_shares
from stcmtl.solver.alignment import cosines

LEVEL = 0.9  # of intervals
MOST_LIKE = 5
SAME_DIGITS = 6  # of cosines that pass for equal
KINDS = {
    "outlier": "An outlier: no cluster fits it, and it keeps the coefficients of its own fit",
    "none": "In no cluster: nothing that the clusters have in common moves it",
    "on its own": "Fitted on its own, as all tasks are without clusters",
}


@dataclass(frozen=True)
class TaskCard:
    """One task. ``rows`` have the actual value, what is predicted, and by its own fit alone: of
    two labels the chance of the second, which ``labels`` has last.
    """

    task: int
    name: str
    kind: str
    cluster_names: tuple[str, ...]
    shares: Array
    loadings: Array
    strength: float
    own_share: float
    has_strength: bool
    has_own_part: bool
    intervals: tuple[Array, Array] | None
    coefficients: pd.DataFrame
    rows: pd.DataFrame
    labels: tuple[Any, ...]
    alike: tuple[tuple[str, float], ...]
    error_name: str
    on_test: bool
    error: float
    separate_error: float
    chance: str = ""  # that alone may lie between the two, on so many rows


def task_card(model: Any, data: TaskSet, test: TaskSet | None, task: int) -> TaskCard:
    """The card of a task, by its place among the fitted ones."""
    name = model.task_names_[task]
    rows = task_rows(model, data, test, name)
    on_test = bool(rows["test"].any())
    seen = rows[rows["test"] == on_test]
    return TaskCard(
        task=task,
        name=str(name),
        kind=str(tables.task_kinds(model)[task]),
        cluster_names=tuple(tables.cluster_names(model)),
        shares=model.memberships_[task],
        loadings=model.loadings_[task],
        strength=float(model.strength_[task]),
        own_share=float(model.own_share_[task]),
        has_strength=not tables.is_mixture(model) and bool(model.labels_[task] >= 0),
        has_own_part=tables.has_own_part(model),
        intervals=find_intervals(model, data, task),
        coefficients=coefficients_beside(model, data, task),
        rows=rows,
        labels=tuple(model.classes_) if is_classifier(model) else (),
        alike=most_alike(model, task),
        error_name=error_name(model),
        on_test=on_test,
        error=error_of(model, seen, "predicted"),
        separate_error=error_of(model, seen, "by its own fit"),
        chance=find_chance(model, seen),
    )


def find_intervals(model: Any, data: TaskSet, task: int) -> tuple[Array, Array] | None:
    """The ends between which each share (K,) may lie; none in no cluster, or in the only one."""
    if model.outliers_[task] or len(model.cluster_coef_) < 2 or model.labels_[task] < 0:
        return None
    rows = features_for(model, data), data.y, data.tasks
    ends = membership_intervals(model, *rows, LEVEL, data.weight)
    return ends["lower"][task], ends["upper"][task]


def coefficients_beside(model: Any, data: TaskSet | None, task: int) -> pd.DataFrame:
    """One row per feature that any fit of the task uses, the largest first.

    Where there are clusters: what they make of it, what is its own beside, and their sum; then
    the task's own l1 fit alone. On the scale on which coefficients can be compared.
    """
    scale = tables.scale_of(model)
    fit, own = model.coef_[task] * scale, model.own_coef_[task] * scale
    columns = {"fit": fit}
    if len(model.cluster_coef_) and own.any() and not model.outliers_[task]:
        columns = {"by clusters": fit - own, "its own part": own, "sum": fit}
    elif len(model.cluster_coef_) and not model.outliers_[task]:
        columns = {"by clusters": fit}
    columns["own fit alone"] = model.single_task_coef_[task] * scale
    size = np.max([np.abs(values) for values in columns.values()], axis=0)
    order = np.argsort(-size, kind="stable")
    order = order[size[order] > 0]
    names = np.array(names_of_features(model, data), dtype=object)
    return pd.DataFrame(
        {"feature": names[order], **{name: values[order] for name, values in columns.items()}}
    )


def task_rows(model: Any, data: TaskSet, test: TaskSet | None, name: Any) -> pd.DataFrame:
    """The task's rows of the fit, then its test rows: actual, predicted, and by its own fit."""
    parts = []
    for rows, is_test in ((data, False), (test, True)):
        if rows is None:
            continue
        own = np.flatnonzero(rows.tasks == name)
        X, y = rows.X[own], rows.y[own]
        i = int(np.flatnonzero(model.task_names_ == name)[0])
        said = X @ model.coef_[i] + model.intercept_[i]
        alone = X @ model.single_task_coef_[i] + model.single_task_intercept_[i]
        if is_classifier(model):
            said, alone, y = expit(said), expit(alone), (y == model.classes_[1]).astype(float)
        first = {"test": is_test, "actual": y, "predicted": said, "by its own fit": alone}
        frame = pd.DataFrame(first, index=range(len(own)))
        frame["residual"] = frame["actual"] - frame["predicted"]
        used = [d for d in np.argsort(-np.abs(model.coef_[i]), kind="stable") if model.coef_[i, d]]
        features = pd.DataFrame(X[:, used], columns=[rows.feature_names[d] for d in used])
        parts.append(pd.concat([frame, features], axis=1))
    return pd.concat(parts, ignore_index=True)


def error_of(model: Any, rows: pd.DataFrame, column: str) -> float:
    """Of what a column says; a chance above one half is the second label."""
    return measure_error(model, rows["actual"], said_in(model, rows, column))


def said_in(model: Any, rows: pd.DataFrame, column: str) -> Any:
    return (rows[column] > 0.5).astype(float) if is_classifier(model) else rows[column]


def find_chance(model: Any, rows: pd.DataFrame) -> str:
    """Whether chance alone may lie between the losses of the fit and of its own fit, in words."""
    wrong = [
        rows["actual"] - said_in(model, rows, name) for name in ("predicted", "by its own fit")
    ]
    ours, alone = (np.square(np.asarray(one, dtype=float)) for one in wrong)
    gain = alone - ours
    if gain.size < 2:
        return TOO_FEW
    noise = gain.std(ddof=1) / np.sqrt(gain.size)
    reach = float(t.isf(RARE / 2, gain.size - 1) * noise)
    return name_chance(float(gain.mean()), reach, float(alone.mean()), error_name(model))


def most_alike(model: Any, task: int) -> tuple[tuple[str, float], ...]:
    """Tasks whose coefficients point the same way, by the cosine: the most alike first.

    Pure tasks of one cluster have the same coefficients: among them those of their own fits decide.
    Without clusters, only those that are alike by more than chance.
    """
    by = tables.scale_of(model)
    alike, before = (
        cosines(W[task : task + 1] * by, W * by)[0] for W in (model.coef_, model.single_task_coef_)
    )
    order = np.lexsort((-before, -alike.round(SAME_DIGITS)))
    least = np.zeros(len(alike)) if len(model.cluster_coef_) else chance_cosines(model, task)
    others = [i for i in order if i != task and alike[i] > least[i]]
    return tuple((str(model.task_names_[i]), float(alike[i])) for i in others[:MOST_LIKE])


def chance_cosines(model: Any, task: int) -> Array:
    """What the largest of the other tasks' cosines with it rarely passes if signs are chance."""
    squares = (model.coef_ * tables.scale_of(model)) ** 2
    together = np.sqrt(squares @ squares[task])
    lengths = np.sqrt(squares.sum(axis=1) * squares[task].sum())
    spread = np.divide(together, lengths, out=np.zeros_like(lengths), where=lengths > 0)
    return np.asarray(beyond_chance(len(squares) - 1) * spread)


# In sentences


def say_kind(card: TaskCard) -> str:
    """What kind of task it is, and of which clusters, in a sentence of plain text."""
    if not card.shares.any():
        return f"{KINDS[card.kind]}."
    parts = say_shares(card.shares.tolist(), card.cluster_names, card.loadings.tolist())
    told = f"Mixed, a blend of {joined([*parts.values()], 4)}"
    if len(parts) == 1:
        k = int(card.shares.argmax())
        verb = "follows" if card.loadings[k] > 0 else "subtracts"
        told = f"It {verb} {card.cluster_names[k]}{' alone' if card.shares.size > 1 else ''}"
    if card.has_strength:
        told += f", at strength {digits(card.strength)}"
    return f"{told}."


def say_own_part(card: TaskCard) -> str:
    """How much of its fit is its own; may be empty."""
    if not card.has_own_part or not card.shares.any():
        return ""
    share = f"{card.own_share:.0%}" if card.own_share >= 0.01 else "less than 1%"
    return f"Of what is fitted for it {share} is its own, which the clusters do not make."


def say_errors(card: TaskCard) -> str:
    """Its error beside that of its own fit alone."""
    n_rows = counted(int((card.rows["test"] == card.on_test).sum()), "row")
    where = f"On {n_rows} the fit has not seen" if card.on_test else f"On its {n_rows} of the fit"
    opening = f"{where}: {card.error_name} {say_error(card.error, card.error_name)}"
    if not card.on_test or card.kind in ("outlier", "on its own"):
        return f"{opening}."  # on its own rows a fit alone looks better than it is
    whose = "its clusters" if np.count_nonzero(card.shares) > 1 else "its cluster"
    both = card.error, card.separate_error, card.error_name
    beside = say_beside(*both, "its own fit alone", card.chance)
    return f"{opening} with {whose}, {beside}."


def say_alike_tasks(card: TaskCard) -> str:
    """Which tasks are most like it."""
    if not card.alike and not card.cluster_names:
        return "No other task is like it by more than chance explains."
    if not card.alike:
        return "No other task reacts in the same direction."
    names = [f"{cut(name)} ({hundredths(cosine)})" for name, cosine in card.alike]
    return f"Most like it, by the cosine of coefficients: {joined(names)}."
