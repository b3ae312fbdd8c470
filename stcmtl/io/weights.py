"""Rows that count more than others: what an account says of them, and tasks that do not count."""

from dataclasses import replace

import numpy as np

from stcmtl.data.taskset import TaskSet
from stcmtl.data.weighted import IdleTasksWarning, find_idle_tasks, take
from stcmtl.io.account import Account, Case


def tell_weight(account: Account, weight: str | None) -> Account:
    """An account in which the weight is named, for a further file too."""
    if weight is None:
        return account
    columns = [replace(c, becomes="the weight") if c.name == weight else c for c in account.columns]
    understood = {**account.understood, "weight": weight}
    return replace(account, columns=tuple(columns), understood=understood)


def without_idle_tasks(data: TaskSet, case: Case) -> TaskSet:
    """Tasks of which no row counts would be in no fit."""
    idle = find_idle_tasks(data.tasks, data.weight)
    if not len(idle):
        return data
    case.notes.append(str(IdleTasksWarning.of(idle)).removesuffix("."))
    rows = np.flatnonzero(~np.isin(data.tasks, idle))
    X, y, tasks, weight = data.X[rows], data.y[rows], data.tasks[rows], take(data.weight, rows)
    return replace(data, X=X, y=y, tasks=tasks, weight=weight, row_numbers=rows)
