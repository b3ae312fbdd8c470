"""``stcmtl fit``: a file of tasks to a model, its tables and an account."""

from __future__ import annotations

from argparse import Namespace
from pathlib import Path
from time import perf_counter
from typing import Any

import numpy as np
import pandas as pd

from stcmtl.cli.console import Console
from stcmtl.cli.files import make_folder, read_data, read_like, remember
from stcmtl.cli.options import pick_arguments
from stcmtl.cli.select import list_values, tell_point
from stcmtl.data.splits import split_rows
from stcmtl.data.taskset import TaskSet
from stcmtl.estimators.semisoft import pick_estimator
from stcmtl.evaluation import metrics
from stcmtl.evaluation.summary import error_name
from stcmtl.evaluation.tables import clusters_table, result_tables, tasks_table
from stcmtl.io.encode_like import Reading
from stcmtl.io.write import write_tables
from stcmtl.phrases import counted
from stcmtl.solver.records import Iteration, KPoint


def run(args: Namespace, console: Console) -> None:
    folder = None if args.out is None else make_folder(args.out)
    data, reading, account = read_data(args, console)
    train, test = set_rows_aside(args, data, reading, console)
    kind = pick_estimator(data.task_type)
    model: Any = kind(**pick_arguments(args, kind))
    start = perf_counter()
    steps = model.fit_steps(train.features(), train.y, train.tasks)
    console.follow(steps, tell_step, "Fitting", " steps")
    seconds = perf_counter() - start
    remember(model, reading)
    values = values_of(model, account, train, test, seconds)
    summary = summarise(values)
    console.say(f"\n{summary}")
    if folder is not None:
        values["written"] = write_all(model, folder, args.format, test or train)
        told = folder / "account.txt"
        told.write_text("\n".join([*account, "", summary, ""]), encoding="utf-8")
        values["written"].append(str(told))
        console.say(f"Wrote {', '.join(values['written'])}.")
    console.document(values)


def set_rows_aside(
    args: Namespace, data: TaskSet, reading: Reading, console: Console
) -> tuple[TaskSet, TaskSet | None]:
    """Rows to fit on, and rows to test on where some were asked for."""
    if args.test_share:
        return split_rows(data, 1.0 - args.test_share, args.random_state)
    if args.test_file:
        return data, read_like(args.test_file, reading, data.task_names, args, console)
    return data, None


def tell_step(step: KPoint | Iteration) -> str:
    return tell_point(step) if isinstance(step, KPoint) else f"objective {step.objective:.4g}"


def values_of(
    model: Any, account: list[str], train: TaskSet, test: TaskSet | None, seconds: float
) -> dict[str, Any]:
    """What ``--json`` tells, and what the summary is made from."""
    outliers = np.asarray(model.outliers_)
    pure = int((model.pure_ & ~outliers).sum())
    selection = getattr(model, "selection_", None)
    return {
        "account": account,
        "task_type": train.task_type,
        "tasks": len(train),
        "rows": len(train.X),
        "features": len(train.feature_names),
        "clusters": len(model.cluster_coef_),
        "pure": pure,
        "mixed": len(train) - pure - int(outliers.sum()),
        "outliers": model.task_names_[outliers],
        "features_used": int((model.cluster_coef_ != 0).any(axis=0).sum()),
        "metric": error_name(model),
        "training_error": error_of(model, train),
        "test_error": None if test is None else error_of(model, test),
        "iterations": model.n_iter_,
        "seconds": seconds,
        "selection": None if selection is None else list_values(selection),
        "cluster_table": clusters_table(model).to_dict("records"),
        "task_table": tasks_table(model, test or train).to_dict("records"),
        "written": [],
    }


def error_of(model: Any, data: TaskSet) -> float:
    predicted = model.predict(data.features(), data.tasks)
    return metrics.prediction_error(data.y, predicted, data.task_type)


def summarise(values: dict[str, Any]) -> str:
    """A few lines for a person."""
    chosen = " (chosen by cross-validation)" if values["selection"] else ""
    lines = [
        f"{counted(values['clusters'], 'cluster')}{chosen}, "
        f"{counted(values['pure'], 'pure task')}, {values['mixed']} mixed; "
        f"{values['features_used']:,} of {counted(values['features'], 'feature')} used."
    ]
    if len(values["outliers"]):
        names = ", ".join(str(name) for name in values["outliers"])
        lines.append(f"Outlier tasks, like no cluster: {names}.")
    lines.append(pd.DataFrame(values["cluster_table"]).to_string(index=False))
    metric = values["metric"]
    error = f"{metric[0].upper()}{metric[1:]} {values['training_error']:.4g} on the training rows"
    if values["test_error"] is not None:
        error += f", {values['test_error']:.4g} on the test rows"
    lines.append(f"{error}; fitted in {values['seconds']:.1f} s.")
    return "\n".join(lines)


def write_all(model: Any, folder: Path, format: str, data: TaskSet) -> list[str]:
    """The model and its tables; other files in the folder stay as they are."""
    saved = folder / "model.stcmtl"
    model.save(saved)
    tables = write_tables(result_tables(model, data), folder, format)
    return [str(path) for path in (saved, *tables)]
