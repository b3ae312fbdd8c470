"""What resamples and intervals say of a fit: as a table, and in sentences."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd

from stcmtl.evaluation.choices import uses_nothing
from stcmtl.evaluation.tables import is_mixture, main_cluster_names
from stcmtl.phrases import be, counted, cut, joined

if TYPE_CHECKING:  # its home brings compiled kernels along
    from stcmtl.estimators.resampling import Stability

OFTEN = 0.9  # share of resamples


def trust_table(model: Any, found: Stability) -> pd.DataFrame:
    """One row per task: main cluster, its share with the interval, and how often it stays so.

    Strengths have intervals where tasks have their own. A task in no cluster has none of it.
    """
    tasks, main = np.arange(len(model.labels_)), np.maximum(model.labels_, 0)
    inside = model.labels_ >= 0
    columns: dict[str, Any] = {
        "share": model.memberships_[tasks, main],
        "from": found.lower[tasks, main],
        "to": found.upper[tasks, main],
        "stays in": found.kept,
        "pure in": found.pure,
    }
    if not is_mixture(model):
        columns |= {
            "strength": model.strength_,
            "strength from": found.strength_lower,
            "strength to": found.strength_upper,
        }
    known = {name: np.where(inside, values, np.nan) for name, values in columns.items()}
    return pd.DataFrame(
        {
            "task": model.task_names_,
            "main cluster": main_cluster_names(model),
            "pure": model.pure_,
            **known,
        }
    )


def say_trust(model: Any, found: Stability, doubt: str = "") -> str:
    """The headline: whether rows that are drawn again give the same clusters.

    Resamples may agree on what is of no use: a ``doubt`` of the fit is told with it.
    """
    inside = model.labels_ >= 0
    if not len(model.cluster_coef_):
        return "Without clusters there is nothing that could move"
    if uses_nothing(model):
        return "No feature is used: there is nothing that could move"
    if len(model.cluster_coef_) == 1:
        return "With one cluster no task can move: only its features can"
    n, but = int(inside.sum()), f", but {doubt}" if doubt else ""
    n_loose, loose = count_loose(model, found), say_loose(model, found)
    if n_loose == 0:
        stays = f"no task leaves its cluster in more than {1 - OFTEN:.0%} of them"
        return f"Resamples agree{but}: {stays}"
    if n_loose > n / 2:
        return f"Resamples disagree: {loose}"
    return f"Resamples agree on {'nearly all' if n_loose <= n / 10 else 'most'} tasks{but}: {loose}"


def count_loose(model: Any, found: Stability) -> int:
    """Tasks that leave their cluster in more than a tenth of the resamples."""
    return int((found.kept[model.labels_ >= 0] < OFTEN).sum())


def say_loose(model: Any, found: Stability) -> str:
    """How many of several clusters' tasks these are, without a full stop; empty where none is."""
    n_loose = count_loose(model, found)
    if len(model.cluster_coef_) < 2 or uses_nothing(model) or not n_loose:
        return ""
    return f"{n_loose:,} of {counted(int((model.labels_ >= 0).sum()), 'task')} may belong elsewhere"


def say_doubts(model: Any, found: Stability, most: int = 5) -> list[str]:
    """Who keeps its cluster or its kind least often, and which features do; may be empty."""
    inside = np.flatnonzero(model.labels_ >= 0)
    said = []
    if len(model.cluster_coef_) > 1:
        loose = inside[found.kept[inside] < OFTEN]
        loose = loose[np.argsort(found.kept[loose], kind="stable")]
        if loose.size:
            named = [f"{cut(model.task_names_[i])} ({found.kept[i]:.0%})" for i in loose]
            said.append(f"Keep their cluster least often: {joined(named, most)}.")
        pure, mixed = (inside[model.pure_[inside] == flag] for flag in (True, False))
        turned = {
            ("pure", "mixed"): int((found.pure[pure] < 0.5).sum()),
            ("mixed", "pure"): int((found.pure[mixed] > 0.5).sum()),
        }
        said += [
            f"{counted(n, 'task')} called {one} {be(n)} {other} in most resamples."
            for (one, other), n in turned.items()
            if n
        ]
    used = model.cluster_coef_ != 0
    n_rare = int((found.selected[used] < 0.5).sum())
    if n_rare:
        of = counted(int(used.sum()), "chosen coefficient")
        said.append(f"{n_rare:,} of {of} {be(n_rare)} zero in most resamples.")
    return said
