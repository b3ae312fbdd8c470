"""Visitors of the dashboard without a browser: they open pages, click buttons, look and leave.

Browsers run on their visitors' machines. Eight of them beside the server would take its cores,
and a health check would time the browsers. So these speak Streamlit's protocol themselves.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any, Self

from streamlit.proto.BackMsg_pb2 import BackMsg
from streamlit.proto.ForwardMsg_pb2 import ForwardMsg
from websockets.exceptions import WebSocketException
from websockets.sync.client import ClientConnection, connect

# When a page is asked for: of a new server, while Home is being drawn there, right after that.
FIRST, DURING, AFTER = "first", "during", "after"
PATIENCE = 120.0  # seconds
ALERTS = ("alert", "exception")


class Visitor:
    """One connection to a server that may have yet to start, and what it has been sent."""

    def __init__(self, address: str, timeout: float = PATIENCE) -> None:
        self.timeout, self.socket = timeout, connected(address, time.perf_counter() + timeout)
        self.here, self.query = "", ""
        self.pages: dict[str, str] = {}  # their hashes, by their place in the address
        # a part of the page that wants to be asked for again, as its last whole run has said
        self.fragment, self.coming, self.interval, self.asked = "", "", 0.0, 0.0
        self.forget()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.leave()

    def leave(self) -> None:
        self.socket.close()

    def forget(self) -> None:
        """What the page before has sent."""
        self.is_drawn, self.is_routed = False, False
        self.buttons: dict[str, str] = {}  # their ids, by their keys
        self.charts: dict[str, str] = {}  # as plotly's JSON, by their keys
        self.said: list[str] = []  # in boxes that warn or complain
        self.fault = ""

    # what one does

    def open(self, page: str = "", query: str = "") -> None:
        """By its address."""
        self.query = query
        self.ask(page_name=page, query_string=query)

    def turn_to(self, page: str) -> None:
        """By its link in the sidebar."""
        self.ask(page_script_hash=self.pages[page], query_string=self.query)

    def click(self, key: str) -> None:
        """A button in sight."""
        self.ask(clicked=self.buttons[key], page_script_hash=self.here, query_string=self.query)

    def ask(self, clicked: str = "", **state: str) -> None:
        message = BackMsg()
        for name, value in state.items():
            setattr(message.rerun_script, name, value)
        if clicked:
            widget = message.rerun_script.widget_states.widgets.add()
            widget.id, widget.trigger_value = clicked, True
        if "fragment_id" not in state:
            self.forget()
            self.fragment = ""
        self.socket.send(message.SerializeToString())
        self.asked = time.perf_counter()

    def wait(self, until: Callable[[Self], Any], timeout: float | None = None) -> float:
        """Seconds until something is to be seen; a page that wants to be asked again is."""
        start = time.perf_counter()
        end = start + (self.timeout if timeout is None else timeout)
        while not until(self):
            if time.perf_counter() > end:
                raise TimeoutError(f"not there after {end - start:.0f} s: {self.said or 'silence'}")
            self.take(next_message(self.socket))
            if self.fragment and time.perf_counter() > self.asked + self.interval:
                self.ask(
                    page_script_hash=self.here, query_string=self.query, fragment_id=self.fragment
                )
        return time.perf_counter() - start

    def look(self, seconds: float) -> None:
        """For so long, whatever comes."""
        end = time.perf_counter() + seconds
        while time.perf_counter() < end:
            self.take(next_message(self.socket))

    # what one sees

    def take(self, message: ForwardMsg | None) -> None:
        kind = None if message is None else message.WhichOneof("type")
        if kind == "navigation":
            self.is_routed = any(message.navigation.sections)  # not a file of a page, run alone
            self.here = message.navigation.page_script_hash
            self.pages = {p.url_pathname: p.page_script_hash for p in message.navigation.app_pages}
        elif kind == "auto_rerun":
            self.coming, self.interval = message.auto_rerun.fragment_id, message.auto_rerun.interval
        elif kind == "new_session":
            self.coming = ""
        elif kind == "page_not_found":
            self.fault = "there is no such page"
        elif kind == "page_info_changed":
            self.query = message.page_info_changed.query_string
        elif kind == "script_finished":
            # to its end, and neither a part of it nor only to make room for another run
            if message.script_finished == ForwardMsg.FINISHED_SUCCESSFULLY:
                self.is_drawn, self.fragment = True, self.coming
        elif kind == "delta":
            self.see(message.delta.new_element)

    def see(self, element: Any) -> None:
        kind = element.WhichOneof("type")
        if kind == "button":
            self.buttons[key_of(element.button.id)] = element.button.id
        elif kind == "plotly_chart":
            self.charts[key_of(element.plotly_chart.id)] = element.plotly_chart.spec
        elif kind == "exception":
            self.fault = "an error on the page"
            self.said.append(element.exception.message)
        elif kind == "alert":
            self.said.append(element.alert.body)

    @property
    def has_picture(self) -> bool:
        """Whether a chart of tasks has come: not that of a job's progress."""
        return any("simplex" in key for key in self.charts)

    def is_at(self, page: str) -> bool:
        return self.is_drawn and self.is_routed and self.here == self.pages.get(page)


def key_of(name: str) -> str:
    """The key that a widget was given, at the end of its id."""
    return name.split("-", 2)[-1]


def wait_for_chart(address: str, page: str, query: str, timeout: float = PATIENCE) -> float:
    """Seconds until a page has sent a chart that is to be seen."""
    with Visitor(address, timeout) as visitor:
        visitor.open(page, query)
        return visitor.wait(lambda visitor: visitor.has_picture)


def open_page(address: str, page: str, when: str, timeout: float) -> str:
    """Ask a server for a page as soon as it answers; say why it does not open, if it does not."""
    with Visitor(address, timeout) as visitor:
        visitor.open(page if when == FIRST else "")
        try:
            if when == DURING:
                visitor.wait(lambda visitor: visitor.is_routed or visitor.fault)
            elif when == AFTER:
                visitor.wait(lambda visitor: visitor.is_drawn or visitor.fault)
            if when != FIRST and not visitor.fault:
                visitor.turn_to(page)
            visitor.wait(lambda visitor: visitor.is_at(page) or visitor.fault)
        except TimeoutError:
            return f"not open after {timeout:.0f} s"
        return visitor.fault


def connected(address: str, end: float) -> ClientConnection:
    """A connection to a server that is about to start."""
    stream = f"{address.replace('http', 'ws', 1)}/_stcore/stream"
    while True:
        try:
            return connect(stream, max_size=None, open_timeout=10)
        except (OSError, WebSocketException):
            if time.perf_counter() > end:
                raise
            time.sleep(0.01)


def next_message(socket: ClientConnection) -> ForwardMsg | None:
    try:
        return ForwardMsg.FromString(socket.recv(timeout=0.1))
    except TimeoutError:
        return None
