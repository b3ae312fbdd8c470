"""What work costs before it starts, and what is said where that is too much."""

import pytest

from stcmtl.errors import InputError
from stcmtl.studio import limits
from stcmtl.studio.limits import (
    Asked,
    Cost,
    Limits,
    curve_cost,
    fit_cost,
    resampling_cost,
)
from stcmtl.studio.state.choices import CHOSEN, DataChoice, FitChoice
from stcmtl.studio.state.loading import load
from stcmtl.studio.state.store import Store

SMALL = load(DataChoice(tasks=6, features=20, clusters=2, mixed=1, rows=12, test_rows=8)).train
LARGE = load(DataChoice(tasks=12, features=200, clusters=2, mixed=1, rows=60)).train


def test_more_work_costs_more() -> None:
    usual = fit_cost(SMALL, FitChoice(k=3))
    for dearer in (
        fit_cost(LARGE, FitChoice(k=3)),
        fit_cost(SMALL, FitChoice(k=20)),
        fit_cost(SMALL, FitChoice(k=3, folds=10)),
        fit_cost(SMALL, FitChoice(k=3, shape="auto")),
        fit_cost(SMALL, FitChoice(model=CHOSEN)),
        curve_cost(SMALL, FitChoice(k=3)),
    ):
        assert dearer.seconds > usual.seconds
        assert dearer.megabytes >= usual.megabytes
    many, few = (resampling_cost(SMALL, 3, n).seconds for n in (500, 50))
    assert many == pytest.approx(10 * few)
    assert resampling_cost(SMALL, 12, 50).seconds > few
    assert resampling_cost(SMALL, 3, 50, refined=False).seconds > few
    assert few < 50 * usual.seconds  # each goes on from where the fit ended


@pytest.mark.parametrize(
    ("cost", "said"),
    [
        (
            Cost(1200.0),
            "It would take about 20 minutes, and 10 minutes is the limit here: stop.",
        ),
        (
            Cost(1.0, 4096.0),
            "It would need about 4.1 GB of memory, and 2.0 GB is the limit here: stop.",
        ),
        (Cost(600.0, 2000.0), "None"),
    ],
)
def test_what_is_too_much_is_one_sentence(cost: Cost, said: str) -> None:
    assert str(Asked("It", cost, "stop").excess) == said


def test_tasks_without_number_need_memory_for_their_similarities() -> None:
    assert limits.memory(SMALL, 1.0) < 1.0
    assert Limits().megabytes < limits.SQUARES * 8 * 20_000**2 / limits.MEGABYTE


def test_the_environment_moves_limits() -> None:
    moved = Limits.read({"STCMTL_MOST_SECONDS": "60", "STCMTL_MOST_CELLS": "1e6", "HOME": "x"})
    assert moved == Limits(seconds=60.0, cells=1e6)
    for text in ("plenty", "0", "nan"):
        with pytest.raises(InputError, match=r"STCMTL_MOST_SECONDS is .*: give a number above 0"):
            Limits.read({"STCMTL_MOST_SECONDS": text})


def test_a_store_stays_within_its_bytes_and_forgets_what_was_used_first() -> None:
    store = Store(100)
    for key in "abc":
        store.put(key, key.upper(), 40)
        store.get("a")
    assert [store.get(key) for key in "abc"] == ["A", None, "C"]
    assert store.n_bytes <= 100
