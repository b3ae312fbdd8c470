"""Fits and curves over K, each as a job whose result is kept."""

from collections.abc import Generator
from dataclasses import dataclass
from time import perf_counter
from typing import Any

import numpy as np

from stcmtl.baselines.pooled import Pooled
from stcmtl.estimators.choose_k import KPoint, KSelection, selection_steps
from stcmtl.estimators.clustering import SemisoftTaskClustering
from stcmtl.estimators.semisoft import pick_estimator
from stcmtl.evaluation import metrics
from stcmtl.evaluation.tables import single_task_predictions
from stcmtl.solver.records import Iteration
from stcmtl.studio.state.choices import PAPER, ROBUST, FitChoice
from stcmtl.studio.state.loading import Loaded
from stcmtl.studio.state.session import shared_store
from stcmtl.studio.work.jobs import Job

POOLED_FOLDS = 2  # with the rows of all tasks in each, more folds choose no better a level


@dataclass(frozen=True, eq=False)
class Fitted:
    """A fitted model beside its data and the choice that led to it.

    Errors are RMSE or error rate on the test rows, if there are any; ``lasso_error`` is that
    of the single-task fits the algorithm starts from, ``pooled_error`` that of one fit for all.
    """

    choice: FitChoice
    data: Loaded
    model: SemisoftTaskClustering
    seconds: float
    error: float | None
    lasso_error: float | None
    pooled_error: float | None = None

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
        standardize=choice.standardize,
        random_state=choice.seed,
    )


def fit_steps(data: Loaded, choice: FitChoice) -> Generator[KPoint | Iteration, None, Fitted]:
    """Fit step by step, then compare with separate fits and one for all on the test rows."""
    started = perf_counter()
    model = estimator(data, choice)
    train = data.train
    yield from model.fit_steps(train.X, train.y, train.tasks, train.weight)
    return judge(choice, data, model, perf_counter() - started)


def judge(choice: FitChoice, data: Loaded, model: SemisoftTaskClustering, seconds: float) -> Fitted:
    """The model with its errors on the test rows, if there are any, beside simpler ones."""
    train = data.train
    errors: list[float | None] = [None, None, None]
    if (test := data.test) is not None:
        options: dict[str, Any] = {
            "standardize": choice.standardize,
            "task_type": train.task_type,
        }
        pooled = Pooled(cv=POOLED_FOLDS, random_state=choice.seed, **options)
        pooled.fit(train.X, train.y, train.tasks, train.weight)
        errors = [
            metrics.prediction_error(test.y, predicted, test.task_type)
            for predicted in (
                model.predict(test.X, test.tasks),
                single_task_predictions(model, test),
                pooled.predict(test.X, test.tasks),
            )
        ]
    return Fitted(choice, data, model, seconds, *errors)


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
