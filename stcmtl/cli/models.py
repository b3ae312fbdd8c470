"""Options to estimators, fits with progress, and errors in the estimator's own measure."""

from __future__ import annotations

from argparse import Namespace
from typing import Any

from stcmtl.cli.console import Console
from stcmtl.cli.inputs import frame_of
from stcmtl.data.taskset import TaskSet
from stcmtl.estimators.choose_k import KPoint
from stcmtl.estimators.semisoft import pick_estimator
from stcmtl.evaluation import metrics


def estimator(args: Namespace, task_type: str, n_clusters: int | str) -> Any:
    return pick_estimator(task_type)(
        n_clusters=n_clusters,
        refine=not args.paper,
        robust=args.robust,
        theta=args.theta,
        epsilon=args.epsilon,
        gamma=args.gamma,
        cv=args.folds,
        max_iter=args.max_iter,
        tol=args.tol,
        fit_intercept=not args.no_intercept,
        standardize=args.standardize,
        n_jobs=args.jobs,
        random_state=args.seed,
        outlier_factor=args.outlier_factor,
        outlier_rule=args.outlier_rule,
    )


def fit_with_progress(model: Any, data: TaskSet, console: Console) -> None:
    """``model.fit``, step by step."""
    with console.progress("Fitting", " steps") as bar:
        for step in model.fit_steps(frame_of(data), data.y, data.tasks):
            if isinstance(step, KPoint):
                bar.set_postfix_str(point_text(step))
            else:
                bar.set_postfix_str(f"objective {step.objective:.4g}")
            bar.update()


def point_text(point: KPoint) -> str:
    return f"K = {point.k}: error {point.error:.4g}"


def error_of(model: Any, data: TaskSet) -> float:
    return metrics.prediction_error(
        data.y, model.predict(frame_of(data), data.tasks), data.task_type
    )
