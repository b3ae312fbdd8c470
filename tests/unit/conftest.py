"""Fixtures of the loop's tests; no garbage is looked for while thousands of tests are collected."""

import gc
import os

# Before anything loads them: on small arrays threads of libraries spin more than they compute, and
# the workers of xdist fight for the cores. What is about threads asks for two by itself.
os.environ |= dict.fromkeys(("OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS", "MKL_NUM_THREADS"), "1")

import pytest

from stcmtl.solver.problem import LOGISTIC, SQUARED
from tests.unit.setups import Setup, set_up

gc.disable()  # which halves the time that collecting takes


def pytest_collection_finish() -> None:
    gc.freeze()
    gc.enable()


@pytest.fixture(scope="session")
def regression() -> Setup:
    return set_up(SQUARED)


@pytest.fixture(scope="session")
def classification() -> Setup:
    return set_up(LOGISTIC, n_train=80)


@pytest.fixture(params=["regression", "classification"])
def either(request: pytest.FixtureRequest) -> Setup:
    return request.getfixturevalue(request.param)
