"""Targets of tasks in different units, of which one penalty for all hears the large ones only.

Of twelve tasks of which three are in units 30 times as large, the others' coefficients were wrong
by 4 to 34 %; 100 times as large, by 86 to 100 %. In real panels the widest task's target varies
up to 57 times as much as the narrowest's, and rightly so.
"""

from __future__ import annotations

import numpy as np

from stcmtl.data.checks import label
from stcmtl.data.taskset import TaskSet
from stcmtl.phrases import digits

APART = 100.0  # between the widest and the narrowest task


def say_target_sizes(data: TaskSet) -> str:
    """That targets of tasks differ in size by far, in a sentence; empty where they do not.

    What varies is the middle half of a task's rows, so that a wild value does not count.
    """
    if data.task_type != "regression":
        return ""
    spreads = np.array([np.subtract(*np.quantile(y, [0.75, 0.25])) for _, _, y in data])
    varying = np.flatnonzero(spreads > 0.0)
    if not varying.size:
        return ""
    low, high = varying[[spreads[varying].argmin(), spreads[varying].argmax()]]
    ratio = float(spreads[high] / spreads[low])
    if ratio < APART:
        return ""
    wide, narrow = (label(data.task_names[i]) for i in (high, low))
    return (
        f"The target of task {wide} varies {digits(ratio, 2)} times as much as that of task "
        f"{narrow}. One fit serves all tasks, and small targets may be lost beside large ones: "
        "bring all to one unit, or divide each task's target by its spread."
    )
