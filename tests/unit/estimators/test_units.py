"""How many tasks use a cluster, on loadings whose users are known."""

from __future__ import annotations

import numpy as np
import pytest

from stcmtl.estimators.units import user_chances

N_TASKS = 20_000
ERROR = 0.1


@pytest.mark.parametrize("signed", [False, True])
def test_chances_of_use_are_right_as_often_as_they_say(signed: bool) -> None:
    rng = np.random.default_rng(0)
    kind = rng.choice(3, size=(2, N_TASKS), p=[0.5, 0.3, 0.2])
    truth = np.choose(
        kind, [0.0, rng.uniform(size=kind.shape), 1.0 + 0.2 * rng.normal(size=kind.shape)]
    )
    truth *= [[1.0], [3.0]]
    if signed:
        truth *= rng.choice([-1.0, 1.0], size=kind.shape)
    V, used = truth + ERROR * rng.normal(size=kind.shape), kind > 0
    chance = user_chances(V, np.full(V.shape, ERROR**2), used, signed)
    for low in (0.0, 0.2, 0.4, 0.6, 0.8):
        chosen = (chance >= low) & (chance < low + 0.2)
        assert used[chosen].mean() == pytest.approx(chance[chosen].mean(), abs=0.06)
    np.testing.assert_allclose(chance.sum(axis=1), used.sum(axis=1), rtol=0.03)


def test_exact_loadings_leave_no_doubt() -> None:
    V = np.array([[1.0, 0.9, 0.4, 0.0, 0.0], [0.0, 0.0, 0.6, 1.1, 1.0]])
    np.testing.assert_allclose(user_chances(V, np.zeros_like(V), V != 0.0, False), V != 0.0)
