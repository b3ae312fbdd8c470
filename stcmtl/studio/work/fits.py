"""Fits and curves over K, each as a job whose result is kept."""

from collections.abc import Generator
from dataclasses import dataclass
from functools import cached_property
from time import perf_counter
from typing import Any

import numpy as np

from stcmtl.estimators.choose_k import KPoint, KSelection, selection_steps
from stcmtl.estimators.clustering import SemisoftTaskClustering
from stcmtl.estimators.semisoft import pick_estimator
from stcmtl.evaluation.blocks import Block, blocks_before
from stcmtl.evaluation.simple_ways import Errors, measure_errors
from stcmtl.io.remembered import remember
from stcmtl.solver.records import Iteration
from stcmtl.studio.state.choices import PAPER, ROBUST, FitChoice
from stcmtl.studio.state.loading import Loaded
from stcmtl.studio.state.session import shared_store
from stcmtl.studio.work.jobs import Job


@dataclass(frozen=True, eq=False)
class Fitted:
    """A fitted model beside its data and the choice that led to it.

    Errors are RMSE or error rate on the test rows, if there are any; ``lasso_error`` is that
    of the single-task fits the algorithm starts from, ``pooled_error`` that of one model for all,
    ``alone_error`` that of separate fits with the penalty that suits them best, where it matters.
    """

    choice: FitChoice
    data: Loaded
    model: SemisoftTaskClustering
    seconds: float
    error: float | None
    lasso_error: float | None
    pooled_error: float | None = None
    alone_error: float | None = None

    @property
    def separate_error(self) -> float | None:
        """Of every task fitted on its own, in the better way of those tried."""
        return None if self.errors is None else self.errors.separate

    @property
    def errors(self) -> Errors | None:
        """On the test rows, if there are any."""
        if self.error is None or self.lasso_error is None:
            return None
        return Errors(self.error, self.lasso_error, self.pooled_error, self.alone_error)

    @cached_property
    def blocks(self) -> list[Block]:
        """Of its pure tasks, in what they were before the fit: found once for all pages."""
        return blocks_before(self.model)

    @property
    def n_bytes(self) -> int:
        """Of all that the result keeps in memory, its rows included."""
        kept = [self.model, *self.model.history_, self.data.train, self.data.test]
        values = [value for part in kept if part is not None for value in vars(part).values()]
        return sum(value.nbytes for value in values if isinstance(value, np.ndarray))


def estimator(data: Loaded, choice: FitChoice) -> SemisoftTaskClustering:
    return pick_estimator(data.train.task_type)(
        **choice.asked,
        refine=choice.method != PAPER,
        robust=choice.method == ROBUST,
        theta=choice.theta,
        epsilon=choice.epsilon,
        cv=choice.folds,
        max_iter=choice.iterations,
        outlier_factor=choice.fence,
        **common_settings(choice),
    )


def fit_steps(data: Loaded, choice: FitChoice) -> Generator[KPoint | Iteration, None, Fitted]:
    """Fit step by step, then compare with separate fits and one for all on the test rows."""
    started = perf_counter()
    model = estimator(data, choice)
    train = data.train
    yield from model.fit_steps(train.features(), train.y, train.tasks, train.weight)
    return judge(choice, data, model, perf_counter() - started)


def judge(choice: FitChoice, data: Loaded, model: SemisoftTaskClustering, seconds: float) -> Fitted:
    """The model with its errors on the test rows, if there are any, beside those of others.

    Its file is to know how further files are read.
    """
    if data.known is not None:
        remember(model, data.known)
    if data.test is None:
        return Fitted(choice, data, model, seconds, None, None)
    found = measure_errors(model, data.train, data.test)
    return Fitted(choice, data, model, seconds, found.fit, found.lasso, found.pooled, found.alone)


def common_settings(choice: FitChoice) -> dict[str, Any]:
    return {"standardize": choice.standardize, "random_state": choice.seed}


def fit_within(seconds: float, data: Loaded, choice: FitChoice) -> Fitted | None:
    """A fit that everybody may see, while one waits for it; None where it takes longer."""
    store, key = shared_store(), (data.key, choice)
    if (known := store.get(key)) is not None:
        return known
    job = Job(lambda: fit_steps(data, choice), lambda made: store.put(key, made, made.n_bytes))
    if not job.wait(seconds):
        job.cancel()
    return job.result


@dataclass(frozen=True, eq=False)
class Curve:
    """The curve over K beside the settings that it was drawn with."""

    choice: FitChoice
    path: KSelection


def curve_steps(data: Loaded, choice: FitChoice) -> Generator[KPoint, None, Curve]:
    """The curve over K, point by point, with the settings of the fit."""
    train = data.train
    model = estimator(data, choice)
    rows = train.X, train.y, train.tasks
    path = yield from selection_steps(model, *rows, data.ks_to_try, train.weight)
    return Curve(choice, path)
