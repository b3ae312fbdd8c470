"""Jobs: steps, results and errors, cancelling, cores shared, and visitors who have left."""

from collections.abc import Callable, Generator
from concurrent.futures import ThreadPoolExecutor
from threading import Barrier, Event
from time import monotonic, sleep
from types import SimpleNamespace

import pytest
from joblib import effective_n_jobs
from streamlit.runtime import RuntimeState

from stcmtl.stopping import stop_if_asked
from stcmtl.studio.limits import Limits
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


def fail_with(error: Exception) -> Generator[int, None, None]:
    yield 1
    raise error


def test_errors_become_one_sentence() -> None:
    job = Job(lambda: fail_with(ValueError("Say this.")))
    assert job.wait(LONG)
    assert (job.error, job.result, job.steps) == ("Say this.", None, [1])


def test_the_id_of_an_error_that_nobody_foresaw_is_in_the_log(
    caplog: pytest.LogCaptureFixture,
) -> None:
    jobs_failed = [Job(lambda: fail_with(KeyError("secret"))) for _ in range(2)]
    assert all(job.wait(LONG) for job in jobs_failed)
    ids = [record.args[0] for record in caplog.records if record.args]
    told = {jobs.UNEXPECTED.format(id=name) for name in ids}  # which may fail first
    assert {job.error for job in jobs_failed} == told
    assert len(set(ids)) == 2
    assert "secret" not in str(jobs_failed[0].error)


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


def wait_for_ever() -> Generator[int, None, str]:
    """One long step, that looks whether it is to go on."""
    yield 1
    while True:
        stop_if_asked()
        sleep(0.01)


def test_a_step_that_takes_long_is_stopped_within(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(jobs, "at_work", at_work := set[Job]())
    job = Job(wait_for_ever)
    while not job.steps:
        sleep(0.01)
    job.cancel()
    assert ended_within(LONG, lambda: job not in at_work)
    assert (job.result, job.error) == (None, None)


def test_who_leaves_in_the_middle_of_a_step_ends_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(jobs, "at_work", at_work := set[Job]())
    there = [True]
    job = Job(wait_for_ever, wanted=lambda: there[0])
    while not job.steps:
        sleep(0.01)
    there[0] = False
    assert ended_within(LONG, lambda: job.cancelled and job not in at_work)


def test_nothing_runs_for_longer_than_the_limit(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(jobs, "at_work", at_work := set[Job]())
    monkeypatch.setattr(jobs, "LIMITS", Limits(running=0.1))
    job = Job(wait_for_ever)
    assert job.wait(LONG)
    assert "which is the limit here, and was stopped" in str(job.error)
    assert ended_within(LONG, lambda: job not in at_work)


def test_what_runs_and_what_waits_stops_when_the_server_ends(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    """Else it would go on for as long as its workers have anything to do."""
    monkeypatch.setattr(jobs, "at_work", at_work := set[Job]())
    server = SimpleNamespace(state=RuntimeState.ONE_OR_MORE_SESSIONS_CONNECTED)
    serve = SimpleNamespace(exists=lambda: True, get_instance=lambda: server)
    monkeypatch.setattr(jobs, "runtime", serve)
    fail = Event()

    def fail_late() -> Generator[int, None, None]:
        yield 1
        fail.wait(LONG)
        raise RuntimeError("can't start new thread at interpreter shutdown")

    with ThreadPoolExecutor(2) as pool:
        running = [Job(work, workers=pool) for work in (wait_for_ever, fail_late)]
        waiting = Job(lambda: count_to(3), workers=pool)
        assert ended_within(LONG, lambda: all(job.steps for job in running))
        server.state = RuntimeState.STOPPING
        fail.set()
    assert not at_work
    assert all(job.done and job.result is None for job in (*running, waiting))
    assert not caplog.records


def ended_within(seconds: float, has_ended: Callable[[], bool]) -> bool:
    end = monotonic() + seconds
    while monotonic() < end and not has_ended():
        sleep(0.01)
    return has_ended()


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
