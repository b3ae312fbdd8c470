"""Fixtures of the loop's tests."""

import pytest

from stcmtl.solver.problem import LOGISTIC, SQUARED
from tests.unit.setups import Setup, set_up


@pytest.fixture(scope="session")
def regression() -> Setup:
    return set_up(SQUARED)


@pytest.fixture(scope="session")
def classification() -> Setup:
    return set_up(LOGISTIC, n_train=80)


@pytest.fixture(params=["regression", "classification"])
def either(request: pytest.FixtureRequest) -> Setup:
    return request.getfixturevalue(request.param)
