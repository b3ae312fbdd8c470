"""Every method that is compared, ours first, in one table: what it finds and what it costs.

Nothing heavy is imported before a method is asked for: the command line names them in its help.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from stcmtl.errors import InputError

ANY_FIT = 0.5  # million cells: what a fit costs whatever its size
LABELS = 2.0  # times as long as numbers


@dataclass(frozen=True)
class Method:
    """What a method finds apart from predictions, with a note; and how long it takes.

    ``seconds`` are those of a fit with its cross-validation, on two cores, per million cells
    (training rows x features). ``home`` is the module and class of a baseline.
    """

    seconds: float
    finds: tuple[str, ...]
    note: str
    needs_clusters: bool = False
    home: str = ""


# How ours differ from one another: settings of the estimators.
PLAIN = {"shape": "simplex", "own": "none"}
OURS: dict[str, dict[str, Any]] = {
    "STCMTL automatic": {},
    "STCMTL refined": PLAIN,
    "STCMTL robust": {**PLAIN, "robust": True},
    "STCMTL paper": {**PLAIN, "refine": False},
}
SEMISOFT = ("features", "clusters", "overlapping", "pure")
# Baselines of the paper have its names for them. Seconds: python benchmarks/comparison.py --times
REGISTRY: dict[str, Method] = {
    "STCMTL automatic": Method(
        6.0, SEMISOFT, "Chooses K, what clusters are, and a task's own part.",
    ),
    "STCMTL refined": Method(0.59, SEMISOFT, "Pure tasks and zeros are exact.", True),
    "STCMTL robust": Method(
        0.54, (*SEMISOFT, "outliers"), "Refined, without outlier tasks.", True
    ),
    "STCMTL paper": Method(0.25, SEMISOFT, "Algorithm 1 as published.", True),
    "LASSO": Method(
        0.21, ("features",), "Every task on its own.", home="alone.SingleTaskLasso"
    ),
    "CMTL": Method(3.7, ("clusters",), "Every task in one cluster.", True, "cmtl.CMTL"),
    "Trace": Method(2.5, (), "Coefficients of low rank.", home="trace.TraceNorm"),
    "FLARCC": Method(
        2.1, ("features", "clusters"), "Clusters of one feature's coefficients each.",
        home="flarcc.FLARCC",
    ),
    "VSTG-MTL": Method(
        4.8, ("features", "clusters", "overlapping"), "A task is made of a few latent models.",
        True, "vstg.VSTG",
    ),
    "Pooled": Method(0.21, ("features",), "One model for all tasks.", home="pooled.Pooled"),
    "Ridge": Method(0.8, (), "Every task on its own.", home="alone.SingleTaskRidge"),
    "Ridge to pooled": Method(
        1.4, (), "Every task near one model for all.", home="ridge_to_pooled.RidgeToPooled"
    ),
    "Random slopes": Method(
        4.0, (), "A mixed model: tasks are draws around a common line.",
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


def expect_seconds(method: str, n_cells: int, task_type: str) -> float:
    """About how long one fit takes on a machine like ours."""
    cost = REGISTRY[method].seconds * (ANY_FIT + n_cells / 1e6)
    return cost * (LABELS if task_type == "classification" else 1.0)
