"""Whether a visitor is still there, so that nobody waits for the work of one who has left."""

from __future__ import annotations

from collections.abc import Callable
from time import monotonic

from streamlit import runtime
from streamlit.runtime.scriptrunner import get_script_run_ctx

GRACE = 60.0  # seconds: a connection that was lost comes back within them, or never


def visitor() -> Callable[[], bool]:
    """Asks, from any thread, whether the visitor of this run is there, or was a moment ago."""
    context = get_script_run_ctx()
    last_seen = monotonic()

    def is_there() -> bool:
        nonlocal last_seen
        if context is None or not runtime.exists():  # a test, which is not a visitor
            return True
        if runtime.get_instance().is_active_session(context.session_id):
            last_seen = monotonic()
        return monotonic() - last_seen < GRACE

    return is_there
