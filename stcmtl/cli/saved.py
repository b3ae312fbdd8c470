"""``stcmtl predict`` and ``stcmtl report``: what a saved model is good for."""

import sys
from argparse import Namespace
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from sklearn.base import is_classifier

from stcmtl.cli.console import Console
from stcmtl.cli.files import call_reader, check_files, known_tasks, list_tasks, read_like
from stcmtl.data.taskset import Array
from stcmtl.errors import InputError
from stcmtl.estimators.semisoft import load
from stcmtl.evaluation.predictions import with_names
from stcmtl.evaluation.simple_ways import measure_errors, say_doubt
from stcmtl.evaluation.tables import feature_names
from stcmtl.io.encode_like import Reading
from stcmtl.io.read_like import FurtherRows, read_rows_like
from stcmtl.io.remembered import recall
from stcmtl.io.write import TABLE_ENDINGS, write_csv, write_table
from stcmtl.phrases import counted


def run_predict(args: Namespace, console: Console) -> None:
    check_files(args, {"--out": TABLE_ENDINGS})
    console.aside = console.aside or args.out is None
    model, reading = load_model(args.model)
    rows = call_reader(read_rows_like, args.files, args, reading)
    for note in rows.notes:
        console.note(f"{note}.")
    row, X, tasks = pair_with_tasks(rows, model)
    codes = known_tasks(tasks, model.task_names_)
    table = pd.DataFrame({"row": row, "task": tasks, **predict(model, X, codes)})
    unknown = tasks[codes < 0]
    if unknown.size:
        console.note(
            f"The model has not seen {list_tasks(unknown)} in the fit: "
            f"the predictions of {counted(unknown.size, 'row')} are empty."
        )
    if args.out is not None:
        write_table(table, args.out)
        console.say(f"Wrote {counted(len(table), 'prediction')} to {args.out}.")
    elif not console.as_json:
        write_csv(table, sys.stdout)
    console.document(
        {
            "rows": len(rows.X),
            "predicted": int((codes >= 0).sum()),
            "unknown_tasks": pd.unique(unknown),
            "notes": rows.notes,
            "predictions": table.to_dict("records"),
            "written": [args.out] if args.out else [],
        }
    )


def pair_with_tasks(rows: FurtherRows, model: Any) -> tuple[NDArray[np.int64], Array, NDArray[Any]]:
    """Row numbers from 1; rows of a wide table are predicted for every task."""
    number = np.arange(1, len(rows.X) + 1)
    if rows.tasks is not None:
        return number, rows.X, rows.tasks
    n_tasks = len(model.task_names_)
    every = np.tile(model.task_names_, len(rows.X))
    return np.repeat(number, n_tasks), np.repeat(rows.X, n_tasks, axis=0), every


def predict(model: Any, X: Array, codes: NDArray[np.int64]) -> dict[str, Any]:
    """Columns of the table, empty where a row's task is not known."""
    known = codes >= 0
    if not known.any():
        raise InputError(
            "None of the tasks was seen in the fit",
            remedy=f"the model knows {list_tasks(model.task_names_)}",
        )
    rows = with_names(model, X[known])
    tasks = model.task_names_[codes[known]]
    index = np.flatnonzero(known)
    columns = {"prediction": pd.Series(model.predict(rows, tasks), index)}
    if not known.all():  # an empty cell must not turn labels 0 and 1 into 0.0 and 1.0
        columns["prediction"] = columns["prediction"].astype(object)
    if is_classifier(model):
        shares = model.predict_proba(rows, tasks).T
        for name, share in zip(model.classes_, shares, strict=True):
            columns[f"probability of {name}"] = pd.Series(share, index)
    return {name: column.reindex(range(len(codes))) for name, column in columns.items()}


def run_report(args: Namespace, console: Console) -> None:
    from stcmtl.report import write_report  # and plotly, which predictions have no need of

    check_files(args, {"--out": (".html", ".htm")})
    model, reading = load_model(args.model)
    data, test = (
        read_like(files, reading, model.task_names_, args, console) if files else None
        for files in (args.data, args.test_file)
    )
    doubt, errors = "", None
    if data is not None and test is not None:
        errors = measure_errors(model, data, test)
        doubt = say_doubt(model, data, test, errors)
    doubts = [doubt] if doubt else []
    write_report(
        args.out, model, data, test=test, errors=errors, doubts=doubts, title=args.title
    )  # fmt: skip
    for said in doubts:
        console.note(said)
    console.say(f"Wrote {args.out}.")
    console.document(
        {
            "tasks": len(model.task_names_),
            "features": model.n_features_in_,
            "clusters": len(model.cluster_coef_),
            "doubts": doubts,
            "written": [args.out],
        }
    )


# How further files are read is part of a model's file


def load_model(path: str) -> tuple[Any, Reading]:
    """A saved model, and how files are read for it."""
    model = load(path)
    reading = recall(model, tuple(feature_names(model)))
    if reading is None:
        raise InputError(
            "is damaged in how its data was read",
            where=Path(path).name,
            remedy="fit the model again",
        )
    return model, reading
