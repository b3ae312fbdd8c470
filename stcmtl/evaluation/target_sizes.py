"""Targets of tasks in different units, of which one penalty for all hears the large ones only.

Of twelve tasks of which three are in units 30 times as large, the others' coefficients were wrong
by 4 to 34 %; 100 times as large, by 86 to 100 %. In real panels the widest task's target varies
up to 57 times as much as the narrowest's, and rightly so.
"""

from __future__ import annotations

import numpy as np
import pandas as pd

from stcmtl.data.checks import label
from stcmtl.data.taskset import TaskSet, task_codes
from stcmtl.phrases import digits

APART = 100.0  # between the widest and the narrowest task
ROUNDING = 1e-12  # of a target's size: what varies less is constant


def say_target_sizes(data: TaskSet) -> str:
    """That targets of tasks differ in size by far, in a sentence; empty where they do not.

    What varies is the middle half of a task's rows, so that a wild value does not count.
    """
    if data.task_type != "regression":
        return ""
    by_task = pd.Series(data.y).groupby(task_codes(data.tasks)[1])
    low, high = (by_task.quantile(share).to_numpy() for share in (0.25, 0.75))
    spreads = high - low
    varying = np.flatnonzero(spreads > ROUNDING * np.maximum(np.abs(low), np.abs(high)))
    if not varying.size:
        return ""
    narrowest, widest = varying[[spreads[varying].argmin(), spreads[varying].argmax()]]
    ratio = float(spreads[widest] / spreads[narrowest])
    if ratio < APART:
        return ""
    wide, narrow = (label(data.task_names[i]) for i in (widest, narrowest))
    return (
        f"The target of task {wide} varies {digits(ratio, 2)} times as much as that of task "
        f"{narrow}. One fit serves all tasks, and small targets may be lost beside large ones: "
        "bring all to one unit, or divide each task's target by its spread."
    )
