"""How long every method takes, so that one knows before one waits."""

from __future__ import annotations

from typing import NamedTuple

from stcmtl.tasks import TaskSet


class Pace(NamedTuple):
    """Seconds of any fit, and further ones for a million cells (training rows x features)."""

    least: float
    a_million: float


# A fit with its cross-validation, two cores: python benchmarks/comparison.py --paces
PACES: dict[str, dict[str, Pace]] = {}


def expected_seconds(method: str, train: TaskSet) -> float | None:
    """About how long one fit takes on a machine like ours, None where no pace was measured."""
    pace = PACES.get(method, {}).get(train.task_type)
    return None if pace is None else pace.least + pace.a_million * train.X.size / 1e6
