"""Uploads outlive a refresh: their sessions are kept for a while, and for one browser.

A refresh begins a new session of Streamlit's. The address names the old one by a token that nobody
can guess, and only the browser that uploaded the file is let in: another has another cookie. What
is kept is bounded in bytes and in the time since its visitor left; nothing is written to disk.
"""

from __future__ import annotations

import secrets
from collections import OrderedDict
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from threading import Lock
from time import monotonic
from typing import Any

import streamlit as st
from streamlit import runtime
from streamlit.runtime.scriptrunner import get_script_run_ctx

from stcmtl.studio.limits import LIMITS, MEGABYTE
from stcmtl.studio.state.choices import UPLOAD
from stcmtl.studio.state.session import KEY, Session, current
from stcmtl.studio.work.jobs import PATIENT, Lane

MOST_SECONDS, MOST_BYTES = 3600.0, LIMITS.kept * MEGABYTE
COOKIE = "_streamlit_xsrf"  # Streamlit's own, another one in every browser
LOST = (
    "The upload of this address is not kept any more, or is another browser's. A refresh keeps an "
    "upload for an hour after one has left, as long as the server runs and has room. Upload the "
    "file again, or open a session that you have saved."
)


@dataclass(frozen=True, eq=False)
class Kept:
    """A session with what its controls say, and whose it is."""

    session: Session
    controls: dict[str, Any]
    browser: str
    visitor: str
    seen: float
    n_bytes: int


@dataclass(eq=False)
class Shelf:
    """Kept sessions by token, the ones last seen at the end."""

    is_there: Callable[[str], bool]
    clock: Callable[[], float] = monotonic
    max_bytes: float = MOST_BYTES
    _kept: OrderedDict[str, Kept] = field(default_factory=OrderedDict)
    _lock: Lock = field(default_factory=Lock)

    def put(self, token: str, kept: Kept) -> None:
        with self._lock:
            self._kept[token] = kept
            self._kept.move_to_end(token)
            self._clear()

    def take(self, token: str, browser: str) -> Kept | None:
        """What is kept for this browser; if its visitor is still there, in another tab, a copy."""
        with self._lock:
            self._clear()
            kept = self._kept.get(token)
            if kept is None or not secrets.compare_digest(kept.browser, browser):
                return None
            if self.is_there(kept.visitor):
                return replace(kept, session=copy_session(kept.session))
            return kept

    def _clear(self) -> None:
        """Forget who left long ago and, where room is short, who was seen first."""
        now = self.clock()
        for token, kept in list(self._kept.items()):
            if self.is_there(kept.visitor):
                self._kept[token] = replace(kept, seen=now)
            elif now - kept.seen > MOST_SECONDS:
                del self._kept[token]
        while self._kept and sum(kept.n_bytes for kept in self._kept.values()) > self.max_bytes:
            self._kept.popitem(last=False)


def copy_session(session: Session) -> Session:
    """The same data and results under a token of its own; work that runs stays where it is."""
    uploads = {slot: (known, replace(one)) for slot, (known, one) in session.uploads.items()}
    copies = {id(one): uploads[slot][1] for slot, (_, one) in session.uploads.items()}
    uploaded = session.uploaded
    if uploaded is not None and id(uploaded.upload) in copies:
        uploaded = replace(uploaded, upload=copies[id(uploaded.upload)])
    return replace(
        session, uploads=uploads, uploaded=uploaded, compared=dict(session.compared),
        views=dict(session.views), job=None, job_makes=None, trials={}, lane=Lane(PATIENT),
        token=secrets.token_urlsafe(16),
    )  # fmt: skip


@st.cache_resource(show_spinner=False)
def shelf() -> Shelf:
    return Shelf(lambda visitor: runtime.exists() and is_active(visitor))


def is_active(visitor: str) -> bool:
    return runtime.get_instance().is_active_session(visitor)


def recall(query: dict[str, str]) -> None:
    """On a session's first run, before any control: the upload that the address belongs to."""
    session = current()
    if session.has_followed_link or "session" not in query:
        return
    kept = shelf().take(query["session"], browser())
    if kept is None:
        session.error = LOST
        return
    st.session_state.update(kept.controls)
    st.session_state[KEY] = kept.session


def keep() -> None:
    """At the end of a run: remember an upload and what was made of it."""
    session, context = current(), get_script_run_ctx()
    if session.data is None or session.data_choice.source != UPLOAD or context is None:
        return
    session.token = session.token or secrets.token_urlsafe(16)
    kept = Kept(
        session,
        said_by_controls(),
        browser(),
        context.session_id,
        monotonic(),
        count_bytes(session),
    )
    shelf().put(session.token, kept)


def browser() -> str:
    return unmask(st.context.cookies.get(COOKIE, ""))


def unmask(cookie: str) -> str:
    """What stays the same in Streamlit's cookie, whose token is masked anew with every load."""
    try:
        _, mask, masked, _ = cookie.split("|")
        key, token = bytes.fromhex(mask), bytes.fromhex(masked)
        return bytes(byte ^ key[i % len(key)] for i, byte in enumerate(token)).hex()
    except (ValueError, ZeroDivisionError):
        return cookie


def said_by_controls() -> dict[str, Any]:
    """What controls can be given again."""
    return {str(key): value for key, value in st.session_state.items() if can_be_given(value)}


def can_be_given(value: Any) -> bool:
    """Texts, numbers and lists of them can; what buttons, uploaders and tables say cannot.

    Nor can an empty list: an uploader without a file says that, as controls do.
    """

    def is_plain(value: Any) -> bool:
        return type(value) in (str, int, float)

    if type(value) is list:
        return bool(value) and all(map(is_plain, value))
    return is_plain(value)


def count_bytes(session: Session) -> int:
    """Of files, tasks and the result, all that is large."""
    files = [one for _, upload in session.uploads.values() for _, one in upload.sources]
    sets = [] if session.data is None else [session.data.train, session.data.test]
    arrays = [one.X.nbytes + one.y.nbytes for one in sets if one is not None]
    fitted = 0 if session.fitted is None else session.fitted.n_bytes
    return sum(map(len, files)) + sum(arrays) + fitted
