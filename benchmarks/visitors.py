"""A visitor of the dashboard without a browser: asks for a page, and asks again while it waits.

Browsers run on their visitors' machines. Eight of them beside the server would take its cores,
and a health check would time the browsers.
"""

from __future__ import annotations

import time

from streamlit.proto.BackMsg_pb2 import BackMsg
from streamlit.proto.ForwardMsg_pb2 import ForwardMsg
from websockets.sync.client import ClientConnection, connect


def wait_for_chart(address: str, page: str, query: str, timeout: float = 120.0) -> float:
    """Seconds until a page has sent a chart that is to be seen."""
    start = time.perf_counter()
    with connect(f"{address.replace('http', 'ws', 1)}/_stcore/stream", max_size=None) as socket:
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


def has_chart(message: ForwardMsg) -> bool:
    """Whether a chart of tasks has come: not the one that is never seen, nor a job's progress."""
    if message.WhichOneof("type") != "delta":
        return False
    element = message.delta.new_element
    return element.WhichOneof("type") == "plotly_chart" and "simplex" in element.plotly_chart.id
