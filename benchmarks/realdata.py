"""The paper's protocols on real data: School, and handwritten digits as forty tasks."""

from __future__ import annotations

import os
from pathlib import Path

import numpy as np
from sklearn.decomposition import PCA

from stcmtl import TaskSet

COMPONENTS = {"usps": 87, "mnist": 64}
ROWS = 100  # of the digit, and as many of the others


def data_folder() -> Path | None:
    """The folder of ``STCMTL_DATA``, or None where it is unset or missing."""
    name = os.environ.get("STCMTL_DATA")
    return Path(name) if name and Path(name).is_dir() else None


def load(name: str) -> dict[str, np.ndarray]:
    folder = data_folder()
    if folder is None:
        raise SystemExit(f"Set STCMTL_DATA to the folder that holds {name}.npz.")
    with np.load(folder / f"{name}.npz") as archive:
        return dict(archive)


def school(seed: int) -> tuple[TaskSet, TaskSet]:
    """75 / 25 within every school."""
    data = load("school")
    X, y, task = data["X"].astype(float), data["y"].astype(float), data["task"]
    rng = np.random.default_rng(seed)
    train = np.zeros(len(y), dtype=bool)
    for name in np.unique(task):
        rows = rng.permutation(np.flatnonzero(task == name))
        train[rows[: round(0.75 * rows.size)]] = True
    return TaskSet(X[train], y[train], task[train]), TaskSet(X[~train], y[~train], task[~train])


def digits(name: str, seed: int, n_draws: int = 4) -> tuple[TaskSet, TaskSet]:
    """Each digit against the others, ``n_draws`` times with new rows: 10 x n_draws tasks."""
    data = load(name)
    pixels = data["X"] * float(data.get("X_scale", 1 / 255))
    seen = data["split"] == "train"
    X = PCA(COMPONENTS[name], random_state=0).fit(pixels[seen]).transform(pixels)
    rng = np.random.default_rng(seed)
    train, test = (draw(X, data["y"], part, n_draws, rng) for part in (seen, ~seen))
    return train, test


def draw(
    X: np.ndarray, digit: np.ndarray, part: np.ndarray, n_draws: int, rng: np.random.Generator
) -> TaskSet:
    rows, tasks = [], []
    for d in range(10):
        for copy in range(n_draws):
            own = rng.choice(np.flatnonzero(part & (digit == d)), ROWS, replace=False)
            others = rng.choice(np.flatnonzero(part & (digit != d)), ROWS, replace=False)
            rows += [own, others]
            tasks += [f"digit {d}, draw {copy + 1}"] * (2 * ROWS)
    row = np.concatenate(rows)
    is_own = np.tile(np.repeat([1, 0], ROWS), 10 * n_draws)
    return TaskSet(X[row], is_own, np.array(tasks), task_type="classification")
