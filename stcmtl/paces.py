"""How long every method takes, so that one knows before one waits."""

from __future__ import annotations

from typing import NamedTuple

from stcmtl.tasks import TaskSet


class Pace(NamedTuple):
    """Seconds of any fit, and further ones for a million cells (training rows x features)."""

    least: float
    a_million: float


# A fit with its cross-validation on simulated tasks, two cores; on features that are strongly
# correlated, or differ in scale, it may take several times as long.
# python benchmarks/comparison.py --paces
PACES: dict[str, dict[str, Pace]] = {
    "STCMTL refined": {"regression": Pace(0.082, 0.57), "classification": Pace(0.13, 1.2)},
    "STCMTL robust": {"regression": Pace(0.25, 0.35), "classification": Pace(0.38, 0.98)},
    "STCMTL paper": {"regression": Pace(0.031, 0.24), "classification": Pace(0.028, 0.6)},
    "LASSO": {"regression": Pace(0.048, 0.25), "classification": Pace(0.04, 0.54)},
    "CMTL": {"regression": Pace(0.95, 1.9), "classification": Pace(0.81, 2.7)},
    "Trace": {"regression": Pace(0.63, 1.4), "classification": Pace(0.54, 2.4)},
    "FLARCC": {"regression": Pace(1.1, 1.9), "classification": Pace(0.64, 5)},
    "VSTG-MTL": {"regression": Pace(1.3, 3), "classification": Pace(0.89, 7.6)},
    "Pooled": {"regression": Pace(0.21, 0.16), "classification": Pace(0.14, 0.68)},
}


def expected_seconds(method: str, train: TaskSet) -> float | None:
    """About how long one fit takes on a machine like ours, None where no pace was measured."""
    pace = PACES.get(method, {}).get(train.task_type)
    return None if pace is None else pace.least + pace.a_million * train.X.size / 1e6
