"""BLAS has one thread while a fit computes, and what it had before when nobody does."""

from __future__ import annotations

from collections.abc import Generator, Iterator

import pytest
from threadpoolctl import threadpool_info, threadpool_limits

from stcmtl.solver.blas import ONE_BLAS_THREAD, with_one_blas_thread


def blas_threads() -> set[int]:
    return {pool["num_threads"] for pool in threadpool_info() if pool["user_api"] == "blas"}


@pytest.fixture(autouse=True)
def _two_threads() -> Iterator[None]:
    with threadpool_limits(2, user_api="blas"):
        assert blas_threads() == {2}
        yield


def test_the_last_to_leave_restores_the_threads() -> None:
    with ONE_BLAS_THREAD:
        assert blas_threads() == {1}
        with ONE_BLAS_THREAD:
            assert blas_threads() == {1}
        assert blas_threads() == {1}
    assert blas_threads() == {2}


def test_an_error_restores_them_too() -> None:
    with pytest.raises(ValueError, match="no"), ONE_BLAS_THREAD:
        raise ValueError("no")
    assert blas_threads() == {2}


def test_steps_are_limited_and_those_who_wait_are_not() -> None:
    def steps() -> Generator[set[int], None, str]:
        yield blas_threads()
        yield blas_threads()
        return "end"

    limited = with_one_blas_thread(steps())
    assert next(limited) == {1}
    assert blas_threads() == {2}
    assert next(limited) == {1}
    with pytest.raises(StopIteration) as end:
        next(limited)
    assert end.value.value == "end"
    assert blas_threads() == {2}
