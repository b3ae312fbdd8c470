"""Visitors' queues share a pool: each one's jobs in order, nobody behind all of another's."""

from __future__ import annotations

from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from threading import Event

import pytest

from stcmtl.studio.work.turns import Turns


@pytest.fixture
def pool() -> Iterator[ThreadPoolExecutor]:
    with ThreadPoolExecutor(1) as workers:
        yield workers


def test_visitors_take_turns_and_each_one_s_jobs_keep_their_order(pool: ThreadPoolExecutor) -> None:
    begin, done = Event(), list[str]()
    first, second = Turns(pool), Turns(pool)
    last = [first.submit(begin.wait)]
    last += [queue.submit(done.append, name) for name, queue in
             (("a1", first), ("a2", first), ("b1", second), ("b2", second))]  # fmt: skip
    begin.set()
    for future in last:
        future.result(10)
    assert done == ["b1", "a1", "b2", "a2"]


def test_a_cancelled_job_is_passed_over_and_a_failing_one_tells(pool: ThreadPoolExecutor) -> None:
    begin, turns = Event(), Turns(pool)
    turns.submit(begin.wait)
    never, fails, after = turns.submit(int, "1"), turns.submit(int, "x"), turns.submit(int, "2")
    assert never.cancel()
    begin.set()
    assert after.result(10) == 2
    with pytest.raises(ValueError, match="invalid literal"):
        fails.result(10)
    assert turns.submit(int, "3").result(10) == 3  # the place in the pool is taken up again
