"""Tasks that were not in the fit: drawn or uploaded, placed among its clusters, predicted."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from stcmtl.data.simulation import FEATURES_PER_BLOCK, draw_rows
from stcmtl.data.taskset import Array, TaskSet, Truth
from stcmtl.errors import InputError
from stcmtl.estimators.new_tasks import Assignment
from stcmtl.estimators.semisoft import SemisoftTaskClustering, STCMTLClassifier
from stcmtl.io.read_like import FurtherRows
from stcmtl.phrases import counted, digits, listed
from stcmtl.solver.alignment import match_clusters, pad_clusters
from stcmtl.studio.state.loading import USUAL_SCALE
from stcmtl.studio.work.fits import Fitted

NEW = "New task"
LITTLE = 0.01  # of a loss: what a mixture gains is not worth a word


@dataclass(frozen=True, eq=False)
class Placed:
    """Where new tasks land, and where they belong in the fit's order of clusters, if known."""

    assignment: Assignment
    true: Array | None = None  # (K, M)


def true_order(result: Fitted) -> NDArray[np.intp]:
    """The true cluster that every fitted one stands for; true ones that none does come last."""
    truth = result.data.truth
    assert truth is not None
    V = result.model.memberships_.T
    K = max(len(V), len(truth.V))
    return match_clusters(pad_clusters(truth.V, K), V)


def draw_task(result: Fitted, weights: Array, stranger: bool, n_rows: int, seed: int) -> TaskSet:
    """A new task of the simulation: a mixture of its clusters, or one that follows none.

    ``weights`` are those of the true clusters, and need not sum to one.
    """
    truth, choice = result.data.truth, result.data.key  # of a simulation: its DataChoice
    assert truth is not None
    if not stranger and not weights.any():
        raise InputError("Give at least one cluster a weight")
    rng = np.random.default_rng(seed)
    v = np.zeros_like(weights) if stranger else weights / weights.sum()
    w = truth.U @ v
    if stranger:  # as simulated outlier tasks are
        used = rng.choice(len(w), 2 * FEATURES_PER_BLOCK, replace=False)
        w[used] = rng.uniform(0.5, 1.0, used.size) * choice.signal * USUAL_SCALE[choice.kind]
    one = Truth(truth.U, v[:, None], w[:, None], v.max(keepdims=True) == 1.0, np.array([stranger]))
    data = draw_rows(one, n_rows, choice.noise, choice.correlation, choice.kind, rng)
    return TaskSet(data.X, data.y, np.repeat(NEW, n_rows), data.feature_names, choice.kind, one)


def place_draw(result: Fitted, data: TaskSet) -> Placed:
    """A drawn task among the clusters of the fit, and where it truly belongs."""
    found = result.model.assign(data.X, data.y, data.tasks)
    truth = data.truth
    assert truth is not None
    order, K = true_order(result), result.model.memberships_.shape[1]
    true = pad_clusters(truth.V, len(order))[order][:K]
    known = bool(np.isclose(true.sum(), 1.0))
    return Placed(found, true if known else None)


def place_test_rows(result: Fitted, task: object) -> Placed:
    """The test rows of a fitted task, as if nobody knew whose they are."""
    test = result.data.test
    assert test is not None
    own = test.tasks == task
    names = np.repeat(f"{task}, test rows", int(own.sum()))
    return Placed(result.model.assign(test.X[own], test.y[own], names))


def place_rows(model: SemisoftTaskClustering, rows: FurtherRows) -> Placed:
    """Uploaded tasks among the clusters of the fit; a file without task labels is one task."""
    if rows.y is None:
        remedy = "where a task belongs is found from rows with targets"
        raise InputError("has no target", where=rows.name, remedy=remedy)
    return Placed(model.assign(rows.X, rows.y, rows.labels))


def headline(found: Assignment) -> str:
    """Where new tasks land, in a sentence."""
    if len(found.task_names) == 1:
        name, v = found.task_names[0], found.memberships[0]
        shares = [f"{v[k]:.0%} cluster {k + 1}" for k in np.argsort(-v) if v[k] >= 0.005]
        if found.outliers[0]:
            return f"{name}: no mixture of the clusters fits"
        if gain(found, 0) < LITTLE:
            return f"{name}: cluster {found.single[0] + 1} alone explains it"
        return f"{name}: {listed(shares, 4)}"
    strangers = found.task_names[found.outliers]
    sentence = f"{counted(len(found.task_names), 'new task')} among the clusters"
    if len(strangers):
        return f"{sentence}; no mixture fits {listed(list(strangers), 3)}"
    return sentence


def gain(found: Assignment, i: int) -> float:
    """The share of its loss that a task is spared by being a mixture."""
    mixed, alone = float(found.loss[i]), float(found.single_loss[i])
    return 1.0 - mixed / alone if alone > 0.0 else 0.0


def verdict(found: Assignment, i: int) -> str:
    """What a task gains by being a mixture."""
    mixed, alone = float(found.loss[i]), float(found.single_loss[i])
    cluster = f"cluster {found.single[i] + 1} alone"
    if gain(found, i) < LITTLE:
        return f"With {cluster} its loss is {digits(alone)} per row, {digits(mixed)} as a mixture."
    return (
        f"As a mixture it has a loss of {digits(mixed)} per row, {gain(found, i):.0%} less "
        f"than the {digits(alone)} of {cluster}."
    )


def assignment_table(found: Assignment) -> pd.DataFrame:
    """One row per new task: shares, loss, the best single cluster, and whether a mixture fits."""
    shares = {f"cluster {k + 1}": v for k, v in enumerate(found.memberships.T)}
    return pd.DataFrame(
        {
            "task": found.task_names,
            **shares,
            "loss": found.loss,
            "best single cluster": found.single + 1,
            "its loss": found.single_loss,
            "a mixture fits": ~found.outliers,
        }
    )


def predict_rows(
    model: SemisoftTaskClustering, rows: FurtherRows, tasks: NDArray[Any], found: Assignment | None
) -> pd.DataFrame:
    """The rows with what the model says of them, for fitted tasks and for new ones."""
    known = {*model.task_names_.tolist(), *([] if found is None else found.task_names.tolist())}
    unknown = sorted({str(task) for task in tasks.tolist() if task not in known})
    if unknown:
        raise InputError(
            "no such task in the fit or among the new ones above. Name a fitted task, or place the "
            "new one first",
            where=f"{listed(unknown, 3)}:",
        )
    said = {"task": tasks, "prediction": model.predict(rows.X, tasks, found)}
    if isinstance(model, STCMTLClassifier):
        odds = model.predict_proba(rows.X, tasks, found)[:, 1]
        said[f"probability of {model.classes_[1]}"] = odds
    others = rows.frame.drop(columns=[c for c in said if c in rows.frame.columns])
    return pd.concat([pd.DataFrame(said), others], axis=1)
