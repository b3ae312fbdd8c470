"""Jobs: steps, results and errors, cancelling, and cores shared among those at work."""

from __future__ import annotations

from collections.abc import Generator
from threading import Barrier, Event

import pytest
from joblib import effective_n_jobs

from stcmtl.studio.work import jobs
from stcmtl.studio.work.jobs import Job

LONG = 30.0


def count_to(n: int) -> Generator[int, None, str]:
    yield from range(n)
    return "done"


def test_a_job_keeps_its_steps_and_hands_over_its_result() -> None:
    kept: list[str] = []
    job = Job(lambda: count_to(3), kept.append)
    assert job.wait(LONG)
    assert (job.steps, job.result, kept, job.error) == ([0, 1, 2], "done", ["done"], None)


@pytest.mark.parametrize(
    ("error", "said"), [(ValueError("Say this."), "Say this."), (KeyError("x"), jobs.UNEXPECTED)]
)
def test_errors_become_one_sentence(error: Exception, said: str) -> None:
    def fail() -> Generator[int, None, None]:
        yield 1
        raise error

    job = Job(fail)
    assert job.wait(LONG)
    assert (job.error, job.result, job.steps) == (said, None, [1])


def test_a_cancelled_job_is_over_at_once_and_leaves_nothing() -> None:
    begun, go_on, kept = Event(), Event(), []

    def slow() -> Generator[int, None, str]:
        yield 1
        begun.set()
        go_on.wait(LONG)
        yield 2
        return "too late"

    job = Job(slow, kept.append)
    assert begun.wait(LONG)
    job.cancel()
    assert job.done
    go_on.set()
    job._future.result(LONG)
    assert (job.result, kept) == (None, [])


def test_jobs_at_work_share_the_cores(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(jobs, "CORES", 4)

    def threads(meet: Barrier) -> Generator[int, None, int]:
        meet.wait(LONG)
        yield effective_n_jobs(None)
        return effective_n_jobs(None)

    alone = Job(lambda: threads(Barrier(1)))
    assert alone.wait(LONG)
    assert alone.result == 4
    if jobs.WORKERS._max_workers > 1:
        meet = Barrier(2)
        first, second = (Job(lambda: threads(meet)) for _ in range(2))
        assert first.wait(LONG)
        assert second.wait(LONG)
        assert sorted([first.result, second.result]) in ([2, 2], [2, 4])
