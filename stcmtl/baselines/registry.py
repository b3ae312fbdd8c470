"""Every method that is compared, ours first, in one table: what it finds and what it costs.

Nothing heavy is imported before a method is asked for: the command line names them in its help.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from stcmtl.errors import InputError

LABELS = 1.7  # times as long as numbers


@dataclass(frozen=True)
class Method:
    """What a method finds apart from predictions, with a note; and how long it takes.

    ``seconds`` are those of a fit with its cross-validation, on one core, per unit of ``work_in``,
    of which there are ``more`` for every task. ``home`` is the module and class of a baseline.
    """

    seconds: float
    finds: tuple[str, ...]
    note: str
    needs_clusters: bool = False
    home: str = ""
    more: float = 0.0


# How ours differ from one another: settings of the estimators.
PLAIN = {"shape": "simplex", "own": "none"}
OURS: dict[str, dict[str, Any]] = {
    "STCMTL automatic": {},
    "STCMTL refined": PLAIN,
    "STCMTL robust": {**PLAIN, "robust": True},
    "STCMTL paper": {**PLAIN, "refine": False},
}
SEMISOFT = ("features", "clusters", "overlapping", "pure")
# Baselines of the paper have its names for them. Seconds: python benchmarks/costs.py
REGISTRY: dict[str, Method] = {
    "STCMTL automatic": Method(
        0.7, SEMISOFT, "Chooses K, what clusters are, and a task's own part.", more=0.02,
    ),
    "STCMTL refined": Method(0.16, SEMISOFT, "Pure tasks and zeros are exact.", True),
    "STCMTL robust": Method(
        0.26, (*SEMISOFT, "outliers"), "Refined, without outlier tasks.", True
    ),
    "STCMTL paper": Method(0.12, SEMISOFT, "Algorithm 1 as published.", True),
    "LASSO": Method(
        0.08, ("features",), "Every task on its own.", home="alone.SingleTaskLasso"
    ),
    "CMTL": Method(0.3, ("clusters",), "Every task in one cluster.", True, "cmtl.CMTL"),
    "Trace": Method(0.25, (), "Coefficients of low rank.", home="trace.TraceNorm"),
    "FLARCC": Method(
        0.45, ("features", "clusters"), "Clusters of one feature's coefficients each.",
        home="flarcc.FLARCC",
    ),
    "VSTG-MTL": Method(
        1.0, ("features", "clusters", "overlapping"), "A task is made of a few latent models.",
        True, "vstg.VSTG",
    ),
    "Pooled": Method(0.04, ("features",), "One model for all tasks.", home="pooled.Pooled"),
    "Ridge": Method(0.13, (), "Every task on its own.", home="alone.SingleTaskRidge"),
    "Ridge to pooled": Method(
        0.16, (), "Every task near one model for all.", home="ridge_to_pooled.RidgeToPooled"
    ),
    "Random slopes": Method(
        0.6, (), "A mixed model: tasks are draws around a common line.",
        home="random_slopes.RandomSlopes",
    ),
}  # fmt: skip


def find_method(name: str) -> Method:
    if name not in REGISTRY:
        raise InputError(
            f"There is no method {name!r}", remedy=f"choose among {', '.join(REGISTRY)}"
        )
    return REGISTRY[name]


def name_option(method: str) -> str:
    """A method's name as one word of the command line."""
    return method.lower().replace(" ", "-")


def work_in(n_rows: int, n_features: int, n_tasks: int) -> float:
    """How much a fit has to do: millions of cells, and what tasks and rows cost whatever is in
    them.
    """
    return 0.1 + 0.008 * n_tasks + 60e-6 * n_rows + 1e-6 * n_rows * n_features


def expect_seconds(method: str, shape: tuple[int, int], n_tasks: int, task_type: str) -> float:
    """About how long one fit to rows x features takes, on one core like ours."""
    known = REGISTRY[method]
    cost = known.seconds * (work_in(*shape, n_tasks) + known.more * n_tasks)
    return cost * (LABELS if task_type == "classification" else 1.0)
