"""What one sees while a job runs, and the button that stops it."""

from __future__ import annotations

import streamlit as st

from stcmtl.studio import session
from stcmtl.studio.markdown import literal

EVERY = 0.5  # seconds


def watch() -> None:
    """Progress of the session's job, if there is one, and its error, if it ended in one."""
    if session.job() is not None:
        progress()
    error = session.get("error")
    if error:
        st.error(literal(error), icon=":material/error:")


@st.fragment(run_every=EVERY)
def progress() -> None:
    running = session.job()
    if running is None or session.collect():
        st.rerun()
    assert running is not None
    from stcmtl.studio import live  # with all that fits: only once there is a job

    with st.container(border=True):
        with st.container(horizontal=True, vertical_alignment="center"):
            st.markdown(f":material/progress_activity: {live.sentence(running)}")
            st.button(
                "Cancel", key="cancel", icon=":material/stop_circle:", on_click=session.cancel
            )
        live.chart(running)
