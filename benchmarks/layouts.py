"""One TaskSet written in every layout the readers know, for tests and mutations.

Features are x0, x1, ..., the names that every layout can carry. Those in ``NAMED`` carry the
tasks' names too; in the others tasks are numbered from 1 in the order of the rows.
"""

from __future__ import annotations

import bz2
import gzip
import io
import lzma
import tempfile
import zipfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import h5py
import numpy as np
import pandas as pd
import pyreadstat
import rdata
from scipy.io import savemat

from stcmtl.data.taskset import TaskSet

Written = tuple[Any, dict[str, Any]]  # a source for `read`, and what must be told


def school_like(n_tasks: int = 7, n_features: int = 5, seed: int = 0) -> TaskSet:
    """A few schools of unequal size: counts, indicators and decimals, as in the School data."""
    rng = np.random.default_rng(seed)
    sizes = rng.integers(6, 14, n_tasks)
    n_rows = int(sizes.sum())
    X = rng.integers(0, 60, (n_rows, n_features)).astype(float)
    X[:, 0] = rng.integers(0, 2, n_rows)
    X[:, -1] = rng.integers(-9999, 9999, n_rows) / 8.0
    y = rng.integers(1, 71, n_rows) + 0.5
    return TaskSet(X, y, np.repeat(np.arange(1, n_tasks + 1), sizes))


def clinics(seed: int = 0) -> TaskSet:
    """Named tasks with two labels, and more features than a task has rows."""
    rng = np.random.default_rng(seed)
    sizes = {"Basel": 5, "Genève": 8, "Zürich": 3, "Zürich_2": 7}
    X = rng.standard_normal((sum(sizes.values()), 9)).round(6)  # pandas gives Excel 16 digits
    y = rng.integers(0, 2, len(X))
    tasks = np.repeat(list(sizes), list(sizes.values()))
    return TaskSet(X, y, tasks, task_type="classification")


def frame_of(data: TaskSet) -> pd.DataFrame:
    frame = data.features()
    frame.insert(0, "y", data.y)
    frame.insert(0, "task", data.tasks)
    return frame


def wide_frame(data: TaskSet) -> pd.DataFrame:
    columns = {f"x{d}": data.X[:, d] for d in range(data.X.shape[1])}
    targets = {
        f"y_{name}": np.where(data.tasks == name, data.y, np.nan) for name in data.task_names
    }
    return pd.DataFrame({**columns, **targets})


def per_task(data: TaskSet) -> list[tuple[Any, pd.DataFrame]]:
    frame = frame_of(data)
    return [(name, part.drop(columns="task")) for name, part in frame.groupby("task")]


def csv_bytes(frame: pd.DataFrame, encoding: str = "utf-8", **options: Any) -> bytes:
    return frame.to_csv(index=False, **options).encode(encoding)


def parquet_bytes(frame: pd.DataFrame) -> bytes:
    buffer = io.BytesIO()
    frame.to_parquet(buffer, index=False)
    return buffer.getvalue()


def excel_bytes(frame: pd.DataFrame) -> bytes:
    buffer = io.BytesIO()
    frame.to_excel(buffer, index=False)
    return buffer.getvalue()


def stata_bytes(frame: pd.DataFrame) -> bytes:
    buffer = io.BytesIO()
    frame.to_stata(buffer, write_index=False, version=118)
    return buffer.getvalue()


def spss_bytes(frame: pd.DataFrame, compress: bool = False, **options: Any) -> bytes:
    """pyreadstat writes to a path alone."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "a.sav"
        pyreadstat.write_sav(frame, path, compress=compress, **options)
        return path.read_bytes()


def feather_bytes(frame: pd.DataFrame) -> bytes:
    buffer = io.BytesIO()
    frame.to_feather(buffer)
    return buffer.getvalue()


def json_bytes(frame: pd.DataFrame, orient: str, **options: Any) -> bytes:
    return frame.to_json(orient=orient, double_precision=15, **options).encode()


def r_bytes(content: Any, compression: str | None = "gzip") -> bytes:
    """As saveRDS writes it."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "a.rds"
        rdata.write_rds(path, content, compression=compression)
        return path.read_bytes()


def r_frame(data: TaskSet) -> pd.DataFrame:
    """With a factor for tasks that have names, as R users have it."""
    frame = frame_of(data)
    return frame if data.tasks.dtype.kind == "i" else frame.astype({"task": "category"})


def zip_bytes(members: dict[str, bytes]) -> bytes:
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in members.items():
            archive.writestr(name, content)
    return buffer.getvalue()


def npz_bytes(**arrays: np.ndarray) -> bytes:
    buffer = io.BytesIO()
    np.savez_compressed(buffer, **arrays)
    return buffer.getvalue()


def mat_bytes(compress: bool = False, **arrays: Any) -> bytes:
    buffer = io.BytesIO()
    savemat(buffer, arrays, do_compression=compress)
    return buffer.getvalue()


def cells(items: list[np.ndarray], shape: tuple[int, int]) -> np.ndarray:
    box = np.empty(len(items), dtype=object)
    box[:] = items
    return box.reshape(shape)


def block_of(data: TaskSet) -> tuple[np.ndarray, np.ndarray]:
    """(tasks, rows, features) and (tasks, rows), padded with NaN to the largest task."""
    longest = int(data.n_rows.max())
    X = np.full((len(data), longest, data.X.shape[1]), np.nan)
    y = np.full((len(data), longest), np.nan)
    for t, (_, part, target) in enumerate(data):
        X[t, : len(part)], y[t, : len(part)] = part, target
    return X, y


def starts_of(data: TaskSet) -> np.ndarray:
    """The row at which each task starts, from 1, without the end."""
    return 1 + np.concatenate([[0], np.cumsum(data.n_rows)[:-1]])


def v73_bytes(**values: Any) -> bytes:
    """As MATLAB writes v7.3: transposed, chunked and deflated, cells as references."""
    buffer = io.BytesIO()
    with h5py.File(buffer, "w") as root:
        heap = root.create_group("#refs#")
        for name, value in values.items():
            if isinstance(value, list):
                references = np.empty((len(value), 1), dtype=h5py.ref_dtype)
                for t, item in enumerate(value):
                    references[t, 0] = dataset(heap, f"{name}{t}", item).ref
                box = root.create_dataset(name, data=references, dtype=h5py.ref_dtype)
                box.attrs["MATLAB_class"] = np.bytes_("cell")
            else:
                dataset(root, name, value)
    return buffer.getvalue()


def dataset(group: Any, name: str, value: np.ndarray) -> Any:
    stored = np.atleast_2d(value).T
    item = group.create_dataset(
        name, data=stored, chunks=stored.shape, compression="gzip", shuffle=True
    )
    item.attrs["MATLAB_class"] = np.bytes_("double")
    return item


def malsar(
    data: TaskSet, tall: bool = False, turned: bool = False, compress: bool = False
) -> bytes:
    Xs = [part.T if turned else part for _, part, _ in data]
    ys = [target.reshape(-1, 1) for _, _, target in data]
    shape = (len(data), 1) if tall else (1, len(data))
    return mat_bytes(compress, X=cells(Xs, shape), Y=cells(ys, shape))


def vstg(data: TaskSet) -> bytes:
    halves: dict[str, Any] = {}
    for half, rows in (("train", slice(None, 4)), ("test", slice(4, None))):
        halves[f"school_{half}_input"] = cells([x[rows] for _, x, _ in data], (1, len(data)))
        halves[f"school_{half}_output"] = cells(
            [y[rows].reshape(-1, 1) for _, _, y in data], (1, len(data))
        )
    return mat_bytes(**halves)


def structs(data: TaskSet) -> bytes:
    """Named lists, as R writes them: a struct with a field a task."""
    return mat_bytes(
        X={f"t{t}": x for t, (_, x, _) in enumerate(data)},
        Y={f"t{t}": y.reshape(-1, 1) for t, (_, _, y) in enumerate(data)},
        task_names=data.task_names,
    )


def stacked_mat(data: TaskSet, **extra: Any) -> bytes:
    return mat_bytes(x=data.X.T, y=data.y.reshape(1, -1), **extra)


def numbered(data: TaskSet) -> bytes:
    arrays = {f"X_{name}": x for name, x, _ in data}
    return npz_bytes(**arrays, **{f"y_{name}": y for name, _, y in data})


def plain_blocks(data: TaskSet) -> dict[str, Any]:
    X, y = block_of(data)
    return {"X": X, "y": y}


LAYOUTS: dict[str, Callable[[TaskSet], Written]] = {
    "long CSV": lambda d: (("a.csv", csv_bytes(frame_of(d))), {}),
    "long CSV with its index": lambda d: (("a.csv", frame_of(d).to_csv().encode()), {}),
    "long CSV, latin-1": lambda d: (
        ("a.csv", csv_bytes(frame_of(d).rename(columns={"task": "école"}), "latin-1")),
        {"task": "école"},
    ),
    "long CSV, utf-8 with mark": lambda d: (("a.csv", csv_bytes(frame_of(d), "utf-8-sig")), {}),
    "long CSV, utf-16": lambda d: (("a.csv", csv_bytes(frame_of(d), "utf-16")), {}),
    "long CSV, decimal comma": lambda d: (
        ("a.csv", csv_bytes(frame_of(d), sep=";", decimal=",")),
        {},
    ),
    "long TSV": lambda d: (("a.tsv", csv_bytes(frame_of(d), sep="\t")), {}),
    "long text, white space": lambda d: (("a.txt", csv_bytes(frame_of(d), sep=" ")), {}),
    "long Parquet": lambda d: (("a.parquet", parquet_bytes(frame_of(d))), {}),
    "long Excel": lambda d: (("a.xlsx", excel_bytes(frame_of(d))), {}),
    "long CSV, gzip": lambda d: (("a.csv.gz", gzip.compress(csv_bytes(frame_of(d)))), {}),
    "long CSV, bzip2": lambda d: (("a.csv.bz2", bz2.compress(csv_bytes(frame_of(d)))), {}),
    "long CSV, xz": lambda d: (("a.csv.xz", lzma.compress(csv_bytes(frame_of(d)))), {}),
    "long feather": lambda d: (("a.feather", feather_bytes(frame_of(d))), {}),
    "long Stata": lambda d: (("a.dta", stata_bytes(frame_of(d))), {}),
    "long SPSS": lambda d: (("a.sav", spss_bytes(frame_of(d))), {}),
    "long SPSS, compressed": lambda d: (("a.zsav", spss_bytes(frame_of(d), True)), {}),
    "long JSON records": lambda d: (("a.json", json_bytes(frame_of(d), "records")), {}),
    "long JSON lines": lambda d: (
        ("a.jsonl", json_bytes(frame_of(d), "records", lines=True)),
        {},
    ),
    "long JSON, columns and data": lambda d: (("a.json", json_bytes(frame_of(d), "split")), {}),
    "long data frame of R": lambda d: (("a.rds", r_bytes(r_frame(d))), {}),
    "R lists of matrices": lambda d: (
        ("a.rds", r_bytes({"X": [x for _, x, _ in d], "Y": [y for _, _, y in d]}, None)),
        {},
    ),
    "wide CSV": lambda d: (("a.csv", csv_bytes(wide_frame(d))), {}),
    "wide Parquet": lambda d: (("a.parquet", parquet_bytes(wide_frame(d))), {}),
    "wide Excel": lambda d: (("a.xlsx", excel_bytes(wide_frame(d))), {}),
    "zip of CSVs": lambda d: (
        ("a.zip", zip_bytes({f"s/{n}.csv": csv_bytes(f) for n, f in per_task(d)})),
        {},
    ),
    "list of CSVs": lambda d: ([(f"{n}.csv", csv_bytes(f)) for n, f in per_task(d)], {}),
    "list of Parquets": lambda d: (
        [(f"{n}.parquet", parquet_bytes(f)) for n, f in per_task(d)],
        {},
    ),
    "npz, labels": lambda d: (("a.npz", npz_bytes(X=d.X, y=d.y, tasks=d.tasks)), {}),
    "npz, X, y and sid": lambda d: (("a.npz", npz_bytes(X=d.X, y=d.y, sid=d.tasks)), {}),
    "npz, 3-D": lambda d: (("a.npz", npz_bytes(**plain_blocks(d))), {}),
    "npz, 3-D with tasks last": lambda d: (
        ("a.npz", npz_bytes(X=block_of(d)[0].transpose(1, 2, 0), y=block_of(d)[1].T)),
        {},
    ),
    "npz, numbered": lambda d: (("a.npz", numbered(d)), {}),
    "npz, wide": lambda d: (
        ("a.npz", npz_bytes(X=d.X, Y=wide_frame(d).to_numpy()[:, d.X.shape[1] :])),
        {},
    ),
    "MALSAR 1 x T": lambda d: (("a.mat", malsar(d)), {}),
    "MALSAR T x 1, compressed": lambda d: (("a.mat", malsar(d, tall=True, compress=True)), {}),
    "MALSAR, features down": lambda d: (("a.mat", malsar(d, turned=True)), {}),
    "VSTG": lambda d: (("a.mat", vstg(d)), {}),
    "starts without the end": lambda d: (
        ("a.mat", stacked_mat(d, task_indexes=starts_of(d).reshape(-1, 1))),
        {},
    ),
    "starts with N + 1": lambda d: (
        ("a.mat", mat_bytes(X=d.X, y=d.y, group=np.append(starts_of(d), len(d.y) + 1))),
        {},
    ),
    "lists of R": lambda d: (("a.mat", structs(d)), {}),
    "mat with labels": lambda d: (("a.mat", mat_bytes(X=d.X, y=d.y, sid=d.tasks)), {}),
    "v7.3 cells": lambda d: (
        ("a.mat", v73_bytes(X=[x for _, x, _ in d], Y=[y.reshape(-1, 1) for _, _, y in d])),
        {},
    ),
    "v7.3 starts, features down": lambda d: (
        ("a.mat", v73_bytes(x=d.X.T, y=d.y, task_indexes=starts_of(d))),
        {},
    ),
}
NAMED = {
    *(layout for layout in LAYOUTS if layout.startswith(("long", "wide", "zip", "list"))),
    *("npz, labels", "npz, X, y and sid", "npz, numbered", "mat with labels", "lists of R"),
}
