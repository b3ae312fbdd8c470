"""What tasks have in common that were fitted alone: signs of coefficients, and their directions."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from scipy.stats import binom

from stcmtl.evaluation.blocks import LEAST, likeness, likeness_by_chance
from stcmtl.evaluation.tables import single_task_coefficients
from stcmtl.phrases import cut, hundredths, joined

RARE = 0.05  # of sets of tasks: in so many, tasks that share nothing agree on some feature
MOST = 6  # features in a sentence


def find_agreed(model: Any) -> list[tuple[int, int, int]]:
    """Features that have one sign in more tasks than chance makes, the steadiest first: each with
    the sign and the number of tasks that have it.
    """
    sign = np.sign(model.coef_)
    up, down = (sign > 0).sum(axis=0), (sign < 0).sum(axis=0)
    most = np.maximum(up, down)
    chance = np.minimum(1.0, 2.0 * binom.sf(most - 1, up + down, 0.5))  # of either sign
    agreed = np.flatnonzero(chance <= RARE / max(1, len(most)))
    order = agreed[np.argsort(-most[agreed], kind="stable")]
    return [(int(d), 1 if up[d] >= down[d] else -1, int(most[d])) for d in order]


def say_common(model: Any, features: Sequence[str]) -> list[str]:
    """Whether tasks agree on features, and whether they are alike at all, in sentences."""
    n_tasks, agreed = len(model.coef_), find_agreed(model)
    if n_tasks < 2 or not model.coef_.any():
        return ["No feature is used, so there is nothing in common but that."]
    named = [f"{cut(features[d])} ({'+' if sign > 0 else '−'} in {n})" for d, sign, n in agreed]
    said = [f"Of {n_tasks} tasks most agree on the sign of {joined(named, MOST)}."]
    if not named:
        said = ["No feature has one sign in more tasks than chance makes."]
    W = single_task_coefficients(model)
    within = likeness(W, signed=False)
    alike = f"Fitted alone, tasks are alike by {hundredths(within)} on average"
    if within > max(likeness_by_chance(W, signed=False), LEAST):
        return [*said, f"{alike}, more than by chance."]
    return [*said, f"{alike}, no more than by chance."]
