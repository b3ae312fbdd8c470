"""The session tab: all that is in hand as one file, and back."""

import streamlit as st

from stcmtl.studio.state import saved
from stcmtl.studio.state.session import FIRST_PICTURE, KEY, current
from stcmtl.studio.widgets.controls import download
from stcmtl.studio.widgets.page import DATA_PAGE
from stcmtl.studio.widgets.progress import tell_error

FILE = "stcmtl-session.zip"


def session_form() -> None:
    """Save what is in hand, or take a saved session in its place."""
    st.markdown(
        "A session file holds the tasks, all settings, what was fitted, compared and resampled, "
        "the names of clusters, picked tasks and views. Opened here or on another server, it shows "
        "the same pictures without fitting again. Whoever has the file has the data in it."
    )
    if current().data is not None:
        save_button("session.save")
        st.caption(
            "Without a file, an upload is kept for an hour after you have left, for this browser "
            "only: not longer, and not when the server starts anew."
        )
    file = st.file_uploader("Open a session file", ["zip"], key="session.file")
    if file is None or file.file_id == st.session_state.get("session.opened"):
        return
    try:
        session = saved.unpack_session(file.name, file.getvalue())
    except ValueError as error:
        tell_error(error)
        return
    current().cancel()
    session.go = DATA_PAGE if session.fitted is None else FIRST_PICTURE
    st.session_state[KEY] = session
    st.session_state["session.opened"] = file.file_id  # last: a run may end at any such call
    st.rerun()


def save_button(key: str) -> None:
    """What is in hand when it is pressed, read on the page: downloads have no session."""
    session = current()
    download("Save this session", lambda: saved.pack_session(session), FILE, key)
