"""Files and models that a subcommand is given."""

from __future__ import annotations

from argparse import Namespace
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from stcmtl.cli.console import Console
from stcmtl.data.checks import label
from stcmtl.data.taskset import TaskSet
from stcmtl.estimators.semisoft import load
from stcmtl.io.account import Account, listed
from stcmtl.io.known import Reading
from stcmtl.io.limits import Limits
from stcmtl.io.read_like import read_further
from stcmtl.io.reading import read


def read_data(args: Namespace, console: Console) -> tuple[TaskSet, Account]:
    """The tasks of the files, and an account of what was understood."""
    data, account = read(
        source(args.files),
        task=args.task,
        target=target(args),
        task_type=args.task_type,
        **reading_options(args),
    )
    console.say(str(account))
    return data, account


def read_like(
    files: list[str],
    reading: Reading,
    task_names: NDArray[Any],
    args: Namespace,
    console: Console,
) -> TaskSet:
    """Further rows of tasks, features and labels that are known."""
    data, account = read_further(
        source(files), reading, task=args.task, target=target(args), **reading_options(args)
    )
    console.say(str(account))
    codes = known_tasks(data.tasks, task_names)
    if (codes < 0).any():
        unknown = listed(tuple(label(name) for name in pd.unique(data.tasks[codes < 0])))
        raise ValueError(
            f"{listed(account.files)}: the fit has not seen {unknown}; leave out such rows."
        )
    return TaskSet(data.X, data.y, task_names[codes], data.feature_names, data.task_type)


def known_tasks(tasks: NDArray[Any], names: NDArray[Any]) -> NDArray[np.int64]:
    """The position of every row's task among known ones, by how it reads; -1 for others."""
    position = {str(name): i for i, name in enumerate(names)}
    codes, found = pd.factorize(tasks)
    return np.array([position.get(str(name), -1) for name in found], dtype=np.int64)[codes]


def source(files: list[str]) -> str | list[str]:
    return files[0] if len(files) == 1 else files


def target(args: Namespace) -> str | list[str] | None:
    if not args.target:
        return None
    names: list[str] = args.target
    return names[0] if len(names) == 1 else names


def reading_options(args: Namespace) -> dict[str, Any]:
    return {"missing": args.impute or "error", "limits": Limits(**dict(args.limit))}


def frame_of(data: TaskSet) -> pd.DataFrame:
    """Features with their names, for a model that is to remember them."""
    return pd.DataFrame(data.X, columns=list(data.feature_names))


def remember(model: Any, reading: Reading) -> None:
    """Have the model's file say how a further file is to be read."""
    model.reading_ = {
        "understood": {key: value for key, value in reading.understood.items() if value},
        "dates": reading.dates,
        "medians": reading.medians,
    }


def load_model(path: str) -> tuple[Any, Reading]:
    """A saved model, and how files are read for it."""
    model = load(path)
    names = getattr(model, "feature_names_in_", [f"x{d}" for d in range(model.n_features_in_)])
    classes = np.asarray(getattr(model, "classes_", ())).tolist()
    reading = Reading(tuple(names), tuple(classes))
    memory = getattr(model, "reading_", None)
    if memory is None:  # it was fitted in Python
        return model, reading
    check_memory(memory, len(names), Path(path).name)
    return model, replace(reading, **memory)


def check_memory(memory: Any, n_features: int, name: str) -> None:
    """A file may hold anything: nothing but what ``remember`` writes is used."""
    fits = (
        isinstance(memory, dict)
        and memory.keys() == {"understood", "dates", "medians"}
        and isinstance(memory["understood"], dict)
        and memory["understood"].keys() <= {"task", "target", "layout", "each_label"}
        and isinstance(memory["dates"], dict)
        and np.shape(memory["medians"]) == (n_features,)
        and getattr(memory["medians"], "dtype", None) == np.float64
    )
    if not fits:
        raise ValueError(f"{name} is damaged in how its data was read: fit the model again.")
