"""Choosing the number of clusters: ``select_n_clusters``."""

from __future__ import annotations

from collections.abc import Generator, Iterable
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import ArrayLike
from sklearn.base import clone

from stcmtl.data import checks as check
from stcmtl.data.labels import one_per_row
from stcmtl.estimators.clustering import SemisoftTaskClustering
from stcmtl.estimators.semisoft import pick_estimator
from stcmtl.progress import drain
from stcmtl.solver.k_path import select_k
from stcmtl.solver.machine import ONE_BLAS_THREAD, announce_compilation, with_one_blas_thread
from stcmtl.solver.records import KPoint, KSelection
from stcmtl.solver.single_task import LEVELS_APART

__all__ = ["KPoint", "KSelection", "select_n_clusters", "selection_steps"]


def select_n_clusters(
    X: Any,
    y: ArrayLike,
    tasks: ArrayLike,
    ks: Iterable[int] = range(1, 10),
    cv: Any = None,
    *,
    estimator: SemisoftTaskClustering | None = None,
    n_jobs: int | None = None,
    random_state: int | np.random.RandomState | None = None,
    sample_weight: ArrayLike | None = None,
) -> KSelection:
    """Held-out error for every number of clusters, by cross-validation over rows within tasks.

    Parameters
    ----------
    X, y, tasks : stacked rows, with a target and a task label for each.
    ks : numbers of clusters to try, each from 0 (every task on its own) to the number of tasks.
        The default range ends at the number of tasks.
    cv : folds, as for the estimators; by default the estimator's, 5 if none is given.
    estimator : the model whose other settings are used (``shape``, which is the simplex if it is
        "auto", ``theta``, ``robust``, ``standardize``, ...), with own parts if ``own`` is
        "deviation". By default a classifier if y is text or has two values, else a regressor.
    n_jobs, random_state : as for the estimators; by default the estimator's.
    sample_weight : as for their ``fit``.

    Returns
    -------
    KSelection
        ``.ks``, ``.error``, ``.se``, ``.objective`` and ``.seconds`` by K; ``.one_se``, the
        smallest K within one standard error of the smallest error, which is the one to take;
        ``.best``, the K of the smallest error; ``.singular_ratios`` and ``.metric``.
        ``figures.k_curve`` draws it. The objective is NaN for K = 0 and with own parts.

    Notes
    -----
    Each fold has initial fits of its own, made without its held-out rows and used for every K. The
    level of the penalty is chosen for each K by the same held-out rows. Every fit is a refined one,
    also where the estimator's are not: ``refine``, ``gamma``, ``max_iter`` and ``tol`` have no say.

    >>> from stcmtl import select_n_clusters
    >>> path = select_n_clusters(train.X, train.y, train.tasks, ks=[1, 2, 3, 4], random_state=0)
    >>> path.one_se
    3
    """
    if estimator is None:
        labels = check.are_labels(one_per_row(y, "y"))
        estimator = pick_estimator("classification" if labels else "regression")()
    if not isinstance(estimator, SemisoftTaskClustering):
        remedy = "give an STCMTLRegressor or an STCMTLClassifier"
        raise check.bad_value("estimator", estimator, remedy)
    given = {"cv": cv, "n_jobs": n_jobs, "random_state": random_state}
    settings = {name: value for name, value in given.items() if value is not None}
    # clone copies a RandomState, which has to go on from here
    settings.setdefault("random_state", estimator.random_state)
    model = clone(estimator).set_params(**settings)
    return drain(selection_steps(model, X, y, tasks, ks, sample_weight))


def selection_steps(
    estimator: SemisoftTaskClustering,
    X: Any,
    y: ArrayLike,
    tasks: ArrayLike,
    ks: Iterable[int] = range(1, 10),
    sample_weight: ArrayLike | None = None,
) -> Generator[KPoint, None, KSelection]:
    """``select_n_clusters`` with all settings of an estimator but K: yields a KPoint for each K."""
    # clone copies a RandomState, which has to go on from here
    seed = {"random_state": estimator.random_state}
    model = clone(estimator).set_params(n_clusters="auto", **seed)
    rows, settings = model._prepare(X, y, tasks, sample_weight)
    settings = replace(settings, levels_apart=LEVELS_APART)
    wanted = check.check_ks(ks, len(model.task_names_))
    announce_compilation()
    with ONE_BLAS_THREAD:
        start = model._start(rows, settings)
    given = start.rows, start.problem, start.initial
    points = select_k(*given, settings, wanted, model.robust, model.own)
    return (yield from with_one_blas_thread(points))
