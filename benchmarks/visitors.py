"""A visitor of the dashboard without a browser: asks for a page, and asks again while it waits.

Browsers run on their visitors' machines. Eight of them beside the server would take its cores,
and a health check would time the browsers.
"""

from __future__ import annotations

import time

from streamlit.proto.BackMsg_pb2 import BackMsg
from streamlit.proto.ForwardMsg_pb2 import ForwardMsg
from websockets.exceptions import WebSocketException
from websockets.sync.client import ClientConnection, connect

# When a page is asked for: of a new server, while Home is being drawn there, right after that.
FIRST, DURING, AFTER = "first", "during", "after"


def wait_for_chart(address: str, page: str, query: str, timeout: float = 120.0) -> float:
    """Seconds until a page has sent a chart that is to be seen."""
    start = time.perf_counter()
    with connect(stream_of(address), max_size=None) as socket:
        ask(socket, page_name=page, query_string=query)
        here, fragment, interval, asked = "", "", 0.0, start
        while time.perf_counter() < start + timeout:
            message = next_message(socket)
            kind = None if message is None else message.WhichOneof("type")
            if message is not None and has_chart(message):
                return time.perf_counter() - start
            if kind == "navigation":
                here = message.navigation.page_script_hash
            elif kind == "auto_rerun":
                fragment, interval = message.auto_rerun.fragment_id, message.auto_rerun.interval
            if fragment and time.perf_counter() > asked + interval:
                ask(socket, page_script_hash=here, query_string=query, fragment_id=fragment)
                asked = time.perf_counter()
    raise TimeoutError(f"{page} has sent no chart in {timeout:.0f} s")


def open_page(address: str, page: str, when: str, timeout: float) -> str:
    """Ask a server for a page as soon as it answers; say why it does not open, if it does not."""
    end = time.perf_counter() + timeout
    with connected(address, end) as socket:
        asked, here, hashes = when == FIRST, "", {}
        ask(socket, page_name=page if asked else "")
        while time.perf_counter() < end:
            message = next_message(socket)
            kind = None if message is None else message.WhichOneof("type")
            if kind == "navigation":
                routed = any(message.navigation.sections)  # not a file of a page, run alone
                here = message.navigation.page_script_hash if routed else ""
                hashes = {p.url_pathname: p.page_script_hash for p in message.navigation.app_pages}
            elif kind == "page_not_found":
                return "there is no such page"
            elif kind == "delta" and message.delta.new_element.WhichOneof("type") == "exception":
                return "an error on the page"
            if not asked and (kind == "navigation" if when == DURING else is_drawn(message)):
                ask(socket, page_script_hash=hashes[page])
                asked = True
            elif asked and is_drawn(message) and here == hashes[page]:
                return ""
    return f"not open after {timeout:.0f} s"


def stream_of(address: str) -> str:
    return f"{address.replace('http', 'ws', 1)}/_stcore/stream"


def connected(address: str, end: float) -> ClientConnection:
    """A connection to a server that is about to start."""
    while True:
        try:
            return connect(stream_of(address), max_size=None, open_timeout=10)
        except (OSError, WebSocketException):
            if time.perf_counter() > end:
                raise
            time.sleep(0.01)


def ask(socket: ClientConnection, **state: str) -> None:
    message = BackMsg()
    for name, value in state.items():
        setattr(message.rerun_script, name, value)
    socket.send(message.SerializeToString())


def next_message(socket: ClientConnection) -> ForwardMsg | None:
    try:
        return ForwardMsg.FromString(socket.recv(timeout=0.1))
    except TimeoutError:
        return None


def is_drawn(message: ForwardMsg | None) -> bool:
    """Whether the script has come to its end, and not only to make room for another run."""
    if message is None or message.WhichOneof("type") != "script_finished":
        return False
    return message.script_finished == ForwardMsg.FINISHED_SUCCESSFULLY


def has_chart(message: ForwardMsg) -> bool:
    """Whether a chart of tasks has come: not that of a job's progress."""
    if message.WhichOneof("type") != "delta":
        return False
    element = message.delta.new_element
    return element.WhichOneof("type") == "plotly_chart" and "simplex" in element.plotly_chart.id
