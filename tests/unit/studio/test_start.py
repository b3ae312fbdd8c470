"""What a server does beside answering: memory that is free goes back to the system."""

import inspect
import sys
import weakref
from pathlib import Path
from types import SimpleNamespace
from typing import Any
from unittest.mock import Mock

import pytest
from streamlit import runtime
from streamlit.runtime.memory_session_storage import MemorySessionStorage
from streamlit.runtime.websocket_session_manager import WebsocketSessionManager

from stcmtl.studio.start import forget_gone, give_back

MIB = 2**20


def resident() -> int:
    """Bytes of this process in memory."""
    status = Path("/proc/self/status").read_text()
    return 1024 * int(status.partition("VmRSS:")[2].split()[0])


@pytest.mark.skipif(sys.platform != "linux", reason="elsewhere there is nothing to be done")
def test_memory_that_is_free_goes_back_to_the_system() -> None:
    held = [bytes(4000) for _ in range(25_000)]  # 100 MB in small parts
    last = bytes(4000)  # above which alone the C library would give back
    full = resident()
    del held
    give_back()
    assert full - resident() > 80 * MIB
    assert not any(last)


def test_sessions_of_who_left_are_forgotten_though_nobody_else_leaves(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """By names that Streamlit keeps to itself: another release may have others."""
    storage = MemorySessionStorage(ttl_seconds=0)
    gone: Any = Mock(session=SimpleNamespace(id="gone"))
    storage.save(gone)
    held = weakref.ref(gone)
    del gone
    assert held() is not None
    manager: Any = WebsocketSessionManager
    assert "_session_mgr" in inspect.getsource(runtime.Runtime.__init__)
    loop = SimpleNamespace(call_soon_threadsafe=lambda call: call())
    server = SimpleNamespace(
        _session_mgr=manager(storage, None, None, None),
        _get_async_objs=lambda: SimpleNamespace(eventloop=loop),
    )
    assert hasattr(runtime.Runtime, "_get_async_objs")
    monkeypatch.setattr(runtime, "get_instance", lambda: server)
    forget_gone()
    assert held() is None
