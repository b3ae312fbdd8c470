"""Jobs: steps, results and errors, cancelling, cores shared, and visitors who have left."""

from collections.abc import Generator
from concurrent.futures import ThreadPoolExecutor
from threading import Barrier, Event
from types import SimpleNamespace

import pytest
from joblib import effective_n_jobs

from stcmtl.studio.work import jobs
from stcmtl.studio.work.jobs import Job, Lane

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
    begun, go_on, ended, kept = Event(), Event(), Event(), []

    def slow() -> Generator[int, None, str]:
        try:
            yield 1
            begun.set()
            go_on.wait(LONG)
            yield 2
        finally:
            ended.set()
        return "too late"

    job = Job(slow, kept.append)
    assert begun.wait(LONG)
    job.cancel()
    assert job.done
    go_on.set()
    assert ended.wait(LONG)
    assert (job.result, kept) == (None, [])


def test_jobs_at_work_share_the_cores(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(jobs, "CORES", 4)
    monkeypatch.setattr(jobs, "at_work", set())  # whatever other tests have left

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


def test_in_a_lane_one_follows_the_other_and_each_lets_others_go_first() -> None:
    begin, done = Event(), list[str]()

    def note(name: str) -> Generator[object, None, None]:
        begin.wait(LONG)
        yield done.append(name)

    with ThreadPoolExecutor(1) as pool:
        mine, yours = Lane(pool), Lane(pool)
        order = [(mine, "a1"), (mine, "a2"), (yours, "b1"), (yours, "b2")]
        jobs_asked = [Job(lambda n=n: note(n), workers=lane) for lane, n in order]
        begin.set()
        assert all(job.wait(LONG) for job in jobs_asked)
    assert done == ["a1", "b1", "a2", "b2"]


def test_without_a_server_everybody_is_there() -> None:
    assert jobs.watch_visitor()()


def test_one_is_gone_after_a_while(monkeypatch: pytest.MonkeyPatch) -> None:
    now, connected = [0.0], {"me"}
    server = SimpleNamespace(is_active_session=connected.__contains__)
    monkeypatch.setattr(jobs, "monotonic", lambda: now[0])
    monkeypatch.setattr(
        jobs, "runtime", SimpleNamespace(exists=lambda: True, get_instance=lambda: server)
    )
    monkeypatch.setattr(jobs, "get_script_run_ctx", lambda: SimpleNamespace(session_id="me"))
    is_there = jobs.watch_visitor()
    now[0] = 1000.0
    assert is_there()
    connected.clear()
    now[0] += jobs.GRACE - 1.0
    assert is_there()
    now[0] += 2.0
    assert not is_there()
    connected.add("me")
    assert is_there()


def test_a_job_that_nobody_wants_any_more_stops() -> None:
    wanted = iter([True, True, True, True, False])
    steps = iter(range(1000))
    job = Job(lambda: (step for step in steps), wanted=lambda: next(wanted))
    assert job.wait(10)
    assert job.cancelled
    assert job.steps == [0, 1, 2]
