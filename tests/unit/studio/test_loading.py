"""What can be simulated, against ``simulate`` itself."""

import numpy as np
import pytest

from stcmtl import simulate
from stcmtl.studio.limits import LIMITS
from stcmtl.studio.state.choices import DataChoice
from stcmtl.studio.state.loading import find_faults, load, rows_range


@pytest.mark.parametrize(
    "choice",
    [
        DataChoice(features=30, clusters=5),
        DataChoice(features=29, clusters=5),
        DataChoice(tasks=6, clusters=5, mixed=1),
        DataChoice(tasks=6, clusters=5, mixed=2),
        DataChoice(tasks=4, clusters=5, mixed=0),
    ],
)
def test_a_fault_is_told_exactly_where_simulate_refuses(choice: DataChoice) -> None:
    refused = False
    try:
        simulate(choice.tasks, choice.features, choice.clusters, 2, 2, n_mixed=choice.mixed)
    except ValueError:
        refused = True
    assert bool(find_faults(choice)) == refused


def test_the_largest_tasks_are_refused_before_they_are_drawn() -> None:
    large = DataChoice(tasks=400, features=1000, rows=500, test_rows=500)
    assert "400 million cells" in find_faults(large)["rows"]
    with pytest.raises(ValueError, match="400 million cells"):
        load(large)
    assert not find_faults(DataChoice(tasks=100, features=1000, rows=100, test_rows=100))
    assert LIMITS.cells == 20_000_000


def test_unequal_rows_lie_in_their_range() -> None:
    assert rows_range(100, 0.0) == 100
    assert rows_range(100, 0.3) == (70, 130)
    rows = load(DataChoice(uneven=0.5, rows=40, features=30, clusters=3)).train.n_rows
    assert rows.min() >= 20
    assert rows.max() <= 60
    assert len(set(rows)) > 5


@pytest.mark.parametrize("kind", ["regression", "classification"])
def test_signal_scales_the_coefficients(kind: str) -> None:
    small = DataChoice(tasks=12, features=30, clusters=3, mixed=2, rows=20, kind=kind)
    usual = simulate(12, 30, 3, 20, 100, n_mixed=2, task_type=kind).truth
    double = load(small.with_values(signal=2.0)).truth
    assert double is not None
    np.testing.assert_allclose(double.W, 2.0 * usual.W)
