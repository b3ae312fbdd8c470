"""What tasks that were fitted alone have in common: planted signs, and no others."""

from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from stcmtl.evaluation.common import find_agreed, say_common
from stcmtl.evaluation.simple_ways import is_one_for_all
from stcmtl.evaluation.verdicts import name_fits
from tests.unit.kinds import model_of

T, D = 20, 8
FEATURES = [f"f{d + 1}" for d in range(D)]


def alone(W: np.ndarray) -> Any:
    return SimpleNamespace(coef_=W, single_task_coef_=W)


def test_a_sign_that_most_tasks_have_is_told_with_how_many() -> None:
    W = np.random.default_rng(0).normal(size=(T, D))
    W[:, 2], W[:, 5] = -np.abs(W[:, 2]), np.abs(W[:, 5])
    W[0, 5] = -0.1
    assert find_agreed(alone(W)) == [(2, -1, 20), (5, 1, 19)]
    first, second = say_common(alone(W), FEATURES)
    assert first == "Of 20 tasks most agree on the sign of f3 (− in 20) and f6 (+ in 19)."
    assert "more than by chance" in second


def test_noise_has_nothing_in_common() -> None:
    seeds = [np.random.default_rng(seed) for seed in range(40)]
    found = [find_agreed(alone(rng.normal(size=(T, D)))) for rng in seeds]
    assert sum(map(bool, found)) <= 4  # one in twenty, and as many by chance
    first, second = say_common(alone(seeds[0].normal(size=(T, D))), FEATURES)
    assert first == "No feature has one sign in more tasks than chance makes."
    assert second.endswith("no more than by chance.")
    (nothing,) = say_common(alone(np.zeros((T, D))), FEATURES)
    assert nothing.startswith("No feature is used")


@pytest.mark.parametrize(
    ("penalty", "names"),
    [
        (("ridge", 1.0), ("ridge, each task", "LASSO, each task")),
        (("lasso", 1.0), ("LASSO, one level", "LASSO, a level each")),
        (None, ("LASSO, one level", "LASSO, a level each")),
    ],
)
def test_separate_fits_are_called_by_their_kind(penalty: Any, names: tuple[str, str]) -> None:
    assert name_fits(SimpleNamespace(cluster_coef_=np.ones((0, 2)), own_penalty_=penalty)) == names


def test_a_fit_that_is_one_for_all_is_called_one_pattern() -> None:
    assert name_fits(model_of("simplex")) == ("clusters", "separate fits")
    assert name_fits(model_of("one")) == ("one pattern", "separate fits")
    assert is_one_for_all(model_of("one"))
    assert not is_one_for_all(model_of("simplex"))
    assert not is_one_for_all(model_of("alone"))
