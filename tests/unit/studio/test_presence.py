"""A visitor who has left is noticed, one whose connection was lost for a moment is not."""

from __future__ import annotations

from types import SimpleNamespace

import pytest

from stcmtl.studio.state import presence
from stcmtl.studio.work.jobs import Job


def test_without_a_server_everybody_is_there() -> None:
    assert presence.visitor()()


def test_one_is_gone_after_a_while(monkeypatch: pytest.MonkeyPatch) -> None:
    now, connected = [0.0], {"me"}
    server = SimpleNamespace(is_active_session=connected.__contains__)
    monkeypatch.setattr(presence, "monotonic", lambda: now[0])
    monkeypatch.setattr(
        presence, "runtime", SimpleNamespace(exists=lambda: True, get_instance=lambda: server)
    )
    monkeypatch.setattr(presence, "get_script_run_ctx", lambda: SimpleNamespace(session_id="me"))
    is_there = presence.visitor()
    now[0] = 1000.0
    assert is_there()
    connected.clear()
    now[0] += presence.GRACE - 1.0
    assert is_there()
    now[0] += 2.0
    assert not is_there()
    connected.add("me")
    assert is_there()


def test_a_job_that_nobody_wants_any_more_stops() -> None:
    wanted = iter([True, True, True, False])
    steps = iter(range(1000))
    job = Job(lambda: (step for step in steps), wanted=lambda: next(wanted))
    assert job.wait(10)
    assert job.cancelled
    assert job.steps == [0, 1, 2]
