"""``read``: any multi-task file to a TaskSet and an account of what was understood."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np
import pandas as pd

from stcmtl.data.taskset import TASK_TYPES, Array, TaskSet
from stcmtl.errors import InputError, Setting
from stcmtl.io.account import Account, Findings
from stcmtl.io.archives import gunzipped
from stcmtl.io.bundles import rows_of_arrays
from stcmtl.io.excel import read_excel
from stcmtl.io.features import MISSING, design_matrix
from stcmtl.io.limits import Limits, ReadError, fault
from stcmtl.io.many import FILES, members_of, rows_of_files
from stcmtl.io.mat4 import read_mat4
from stcmtl.io.mat5 import read_mat5
from stcmtl.io.mat73 import read_mat73
from stcmtl.io.npz import read_npz
from stcmtl.io.parquet import read_parquet
from stcmtl.io.sniffing import extension_note, kind_of
from stcmtl.io.sources import File, files_of
from stcmtl.io.tables import LAYOUTS, Rows, rows_of_table
from stcmtl.io.targets import Target, target_of
from stcmtl.io.text import read_text

DEFAULT_LIMITS = Limits()
ARRAYS = {"npz": read_npz, "MAT v4": read_mat4, "MAT": read_mat5, "MAT v7.3": read_mat73}


def read(
    source: Any,
    *,
    task: str | None = None,
    target: str | list[str] | None = None,
    layout: str | None = None,
    task_type: str | None = None,
    missing: str = "error",
    limits: Limits = DEFAULT_LIMITS,
) -> tuple[TaskSet, Account]:
    """Read tasks from a file people have, and say what was understood.

    Parameters
    ----------
    source : a path, a list of paths (one file a task), or a pair of a name and bytes or a
        file object. CSV, TSV, Parquet, Excel, zip, .npz and .mat are told by their content.
    task, target : columns (or arrays) that hold the task and the target; guessed by default.
        A list of targets means one task each over the same features.
    layout : "long" or "wide"; guessed by default.
    task_type : "regression" or "classification"; by default two labels are a classification,
        and stay as they are.
    missing : "error" refuses empty cells among the features; "median" fills them with the
        column's median, or with its most frequent text.
    limits : how large the file may be.

    Raises
    ------
    ReadError
        One sentence that names the file, the column or the limit, and what to do.
    """
    check_options(layout, task_type, missing)
    files = files_of(source, limits)
    findings = Findings()
    target = list(target) if isinstance(target, tuple) else target
    try:
        rows, kind = understood(files, task, target, layout, limits, findings)
        return finished(rows, kind, files, task_type, missing, limits, findings)
    except MemoryError:
        raise fault(
            title(files), "needs more memory than there is", "read a smaller part of it"
        ) from None


def check_options(layout: str | None, task_type: str | None, missing: str) -> None:
    options = {
        "layout": (layout, (*LAYOUTS, None)),
        "task_type": (task_type, (*TASK_TYPES, None)),
        "missing": (missing, MISSING),
    }
    for name, (value, allowed) in options.items():
        if value not in allowed:
            choices = ", ".join(repr(choice) for choice in allowed)
            raise InputError(f"is {value!r}", where=Setting(name), remedy=f"use one of {choices}")


def title(files: list[File]) -> str:
    return files[0].name if len(files) == 1 else f"The list of {len(files):,} files"


def understood(
    files: list[File],
    task: str | None,
    target: str | list[str] | None,
    layout: str | None,
    limits: Limits,
    findings: Findings,
) -> tuple[Rows, str]:
    """The rows, and the format they came in."""
    files, kinds, name = unpacked(files, limits, findings)
    if len(files) > 1 or (layout == FILES and task is None):
        return separate(files, kinds, task, target, layout, limits, findings), name
    if kinds[0] in ARRAYS:
        values = ARRAYS[kinds[0]](files[0], limits)
        rows = rows_of_arrays(values, files[0].name, task, target, limits, findings)
        return replace(rows, understood={"task": task, "target": target}), name
    frame = read_table(files[0], kinds[0], limits, findings)
    return rows_of_table(frame, files[0].name, task, target, layout, limits, findings), name


def unpacked(
    files: list[File], limits: Limits, findings: Findings
) -> tuple[list[File], list[str], str]:
    """The files themselves, the kind of each, and a name for their format."""
    files = [opened(file, limits) for file in files]
    packed = ""
    if len(files) == 1 and kind_of(files[0], limits) == "zip":
        packed = "a zip of "
        findings.notes += extension_note(files[0], "zip")
        files = [opened(file, limits) for file in members_of(files[0], limits, findings)]
    kinds = [kind_of(file, limits) for file in files]
    for file, kind in zip(files, kinds, strict=True):
        findings.notes += extension_note(file, kind)
    return files, kinds, packed + format_name(files[0], kinds[0])


def opened(file: File, limits: Limits) -> File:
    return gunzipped(file, limits) if kind_of(file, limits) == "gzip" else file


def separate(
    files: list[File],
    kinds: list[str],
    task: str | None,
    target: str | list[str] | None,
    layout: str | None,
    limits: Limits,
    findings: Findings,
) -> Rows:
    """One table a task; what is guessed of the first file holds for all."""
    if layout == "wide" or isinstance(target, list):
        raise ReadError(
            "Of several files each is a task, or a part of one long table",
            remedy=(
                "leave out ",
                Setting("layout"),
                " and name one target, or read the files one by one",
            ),
        )
    read_one = table_reader(files, kinds, limits, findings)
    return rows_of_files(files, read_one, task, target, limits, findings)


def table_reader(
    files: list[File], kinds: list[str], limits: Limits, findings: Findings
) -> Callable[[File], pd.DataFrame]:
    """Reads one of several tables; what there is to say is said of the first."""
    kind_by_name = {file.name: kind for file, kind in zip(files, kinds, strict=True)}

    def read_one(file: File) -> pd.DataFrame:
        own = findings if file is files[0] else Findings()
        return read_table(file, kind_by_name[file.name], limits, own)

    return read_one


def read_table(file: File, kind: str, limits: Limits, findings: Findings) -> pd.DataFrame:
    if kind == "text":
        return read_text(file, limits, findings)
    if kind == "Parquet":
        return read_parquet(file, limits)
    if kind == "Excel":
        return read_excel(file, limits, findings)
    raise fault(file.name, f"is {kind}, one of several files", "only tables can be one a task")


def format_name(file: File, kind: str) -> str:
    if kind != "text":
        return kind
    return "TSV" if file.extension in (".tsv", ".tab") else "CSV"


def finished(
    rows: Rows,
    kind: str,
    files: list[File],
    task_type: str | None,
    missing: str,
    limits: Limits,
    findings: Findings,
) -> tuple[TaskSet, Account]:
    """Rows without a target dropped, features encoded, labels made numbers."""
    name = title(files)
    rows = with_targets(rows, name, findings)
    limits.check(name, tasks=len(pd.unique(rows.tasks)))
    task_type = task_type or rows.task_type
    target = target_of(rows.y, rows.tasks, rows.target, name, task_type, findings)
    X, features = design_matrix(rows.features, rows.names, name, missing, limits, findings)
    return told(rows, target, X, features, kind, files, limits, findings)


def told(
    rows: Rows,
    target: Target,
    X: Array,
    features: tuple[str, ...],
    kind: str,
    files: list[File],
    limits: Limits,
    findings: Findings,
) -> tuple[TaskSet, Account]:
    """The tasks, and an account of all that was found."""
    name = title(files)
    tasks, found = rows.tasks, rows.understood
    if target.rows is not None and target.tasks is not None:
        limits.check_shape(name, len(target.rows), len(features))
        X, tasks, found = X[target.rows], target.tasks, {**found, "each_label": True}
    data = TaskSet(X, target.y, tasks, features, target.task_type)
    limits.check(name, tasks=len(data))
    account = Account(
        files=tuple(file.name for file in files),
        format=kind,
        layout=rows.layout,
        tasks=len(data),
        rows_per_task=dict(zip(data.task_names.tolist(), data.n_rows.tolist(), strict=True)),
        features=features,
        target_type=target.task_type,
        classes=target.classes,
        dropped=findings.dropped,
        encoded=findings.encoded,
        guessed=tuple(findings.guessed),
        notes=tuple(findings.notes),
        advice=tuple(findings.advice),
        understood=found,
    )
    return data, account


def with_targets(rows: Rows, name: str, findings: Findings) -> Rows:
    absent = np.asarray(pd.isna(rows.y))
    n_absent = int(absent.sum())
    if n_absent == 0:
        return rows
    if n_absent == len(absent):
        raise fault(name, f"has nothing in the target {rows.target!r}", "fill it")
    findings.dropped["rows without a target"] = n_absent
    gone = set(pd.unique(rows.tasks)) - set(pd.unique(rows.tasks[~absent]))
    if gone:
        findings.dropped["tasks without any target"] = len(gone)
    kept = rows.features[rows.names][~absent].reset_index(drop=True)
    return replace(rows, features=kept, y=rows.y[~absent], tasks=rows.tasks[~absent])
