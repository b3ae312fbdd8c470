"""How long every method takes, so that one knows before one waits."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from stcmtl.data.taskset import Array, TaskSet

MOST_ROWS = 2000  # that the features are judged by
ROUNDS = 20  # of the power method, enough for a rough figure


class Pace(NamedTuple):
    """Seconds of any fit, further ones for a million cells (training rows x features), and by
    how much more of both it takes where all features vary along one direction.
    """

    least: float
    a_million: float
    lopsided: float


# A fit with its cross-validation, two cores: python benchmarks/comparison.py --paces
PACES: dict[str, dict[str, Pace]] = {
    "STCMTL refined": {
        "regression": Pace(0.073, 0.46, 3.8),
        "classification": Pace(0.13, 1.6, 2.4),
    },
    "STCMTL robust": {"regression": Pace(0.23, 0.5, 2.6), "classification": Pace(0.5, 1.2, 2.6)},
    "STCMTL paper": {
        "regression": Pace(0.056, 0.24, 2.1),
        "classification": Pace(0.041, 0.64, 2.5),
    },
    "LASSO": {"regression": Pace(0.032, 0.26, 0.97), "classification": Pace(0.041, 0.59, 0.95)},
    "CMTL": {"regression": Pace(0.89, 1.5, 6.3), "classification": Pace(0.77, 2.4, 7.3)},
    "Trace": {"regression": Pace(0.66, 2, 6.2), "classification": Pace(0.6, 2.6, 5)},
    "FLARCC": {"regression": Pace(1.1, 2.4, 2.8), "classification": Pace(0.63, 5.3, 5.4)},
    "VSTG-MTL": {"regression": Pace(1.4, 3.2, 5.9), "classification": Pace(0.73, 7.1, 1.5)},
    "Pooled": {"regression": Pace(0.2, 0.068, 6.4), "classification": Pace(0.14, 0.55, 15)},
}


@dataclass(frozen=True)
class Workload:
    """What the time of a fit depends on: the share of the features' variance along their main
    direction is large where they are correlated, or differ in scale.
    """

    task_type: str
    cells: int
    lopsided: float

    @classmethod
    def of(cls, train: TaskSet) -> Workload:
        return cls(train.task_type, train.X.size, main_share(train.X))


def main_share(X: Array) -> float:
    """The share of the variance of rows along their main direction, from evenly spaced ones."""
    rows = X[:: -(-len(X) // MOST_ROWS)]
    rows = rows - rows.mean(axis=0)
    total = float(np.vdot(rows, rows))
    if total == 0.0 or not np.isfinite(total):
        return 0.0
    direction = np.sqrt(np.mean(rows**2, axis=0))
    for _ in range(ROUNDS):
        direction = rows.T @ (rows @ direction)
        direction /= np.linalg.norm(direction) or 1.0
    along = rows @ direction
    return float(np.vdot(along, along)) / total


def expected_seconds(method: str, work: Workload) -> float:
    """About how long one fit takes on a machine like ours."""
    pace = PACES[method][work.task_type]
    plain = pace.least + pace.a_million * work.cells / 1e6
    return plain * (1.0 + pace.lopsided * work.lopsided)
