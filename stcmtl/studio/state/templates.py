"""Small files to start from: the three forms in which people keep many tasks."""

from __future__ import annotations

import io
import zipfile
from collections.abc import Callable

import numpy as np
import pandas as pd

from stcmtl.data.simulation import simulate
from stcmtl.data.taskset import TaskSet
from stcmtl.io.write import write_csv


def example_tasks() -> TaskSet:
    """Four small tasks of two clusters, with names a person might give them."""
    drawn = simulate(4, 15, 2, 12, 1, noise=0.2).train
    schools = np.array(["north", "east", "south", "west"])
    names = tuple(f"feature {d + 1}" for d in range(4))
    rows = np.searchsorted(drawn.task_names, drawn.tasks)
    return TaskSet(drawn.X[:, :4].round(2), drawn.y.round(2), schools[rows], names)


def long_csv() -> bytes:
    """One row per observation: task, target, features."""
    return make_csv(example_tasks().to_frame())


def wide_csv() -> bytes:
    """One design, one target column per task; a cell may be empty."""
    data = example_tasks()
    first = data.X[data.tasks == data.task_names[0]]
    frame = pd.DataFrame(first, columns=list(data.feature_names))
    for name, _, y in data:
        frame[f"target_{name}"] = y
    frame.iloc[-1, -1] = np.nan
    return make_csv(frame)


def zip_of_csvs() -> bytes:
    """One file per task, all with the same columns."""
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, part in example_tasks().to_frame().groupby("task"):
            archive.writestr(f"{name}.csv", make_csv(part.drop(columns="task")))
    return packed.getvalue()


def make_csv(frame: pd.DataFrame) -> bytes:
    """A table as the bytes of a file."""
    written = io.StringIO()
    write_csv(frame, written)
    return written.getvalue().encode()


# By file name: what the button says, and who makes the file.
TEMPLATES: dict[str, tuple[str, Callable[[], bytes]]] = {
    "tasks-long.csv": ("Long: a task column", long_csv),
    "tasks-wide.csv": ("Wide: a target a task", wide_csv),
    "tasks.zip": ("Zip: a file a task", zip_of_csvs),
}
