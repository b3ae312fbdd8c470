"""What one sees while a job runs, and the button that stops it."""

from __future__ import annotations

from time import perf_counter

import streamlit as st

from stcmtl.studio.state.session import current
from stcmtl.studio.words.sentences import literal
from stcmtl.studio.work import warm
from stcmtl.studio.work.jobs import Job

EVERY = 1.0  # seconds
SOON = 1.5  # seconds after which a page is drawn with its old result, beside the progress
A_MOMENT = 0.1


def watch() -> None:
    """Progress of the session's job, if there is one, and its error, if it ended in one."""
    running = current().job
    if running is not None:
        warm.charts()
        progress()
        if ends_soon(running):
            current().collect()
            st.rerun()
    error = current().error
    if error:
        st.error(literal(error), icon=":material/error:")


def ends_soon(running: Job) -> bool:
    """Whether a job that was just asked for ends before one has to wait."""
    nothing = st.empty()
    while perf_counter() < running.asked + SOON:
        if running.wait(A_MOMENT):
            return True
        nothing.empty()  # any call of Streamlit's lets a click on Cancel through
    return running.done


@st.fragment(run_every=EVERY)
def progress() -> None:
    running = current().job
    if running is None or current().collect():
        st.rerun()
    assert running is not None
    from stcmtl.studio.widgets import live  # with all that fits: only once there is a job

    with st.container(border=True):
        with st.container(horizontal=True, vertical_alignment="center"):
            st.markdown(f":material/progress_activity: {live.sentence(running)}")
            st.button(
                "Cancel", key="cancel", icon=":material/stop_circle:", on_click=current().cancel
            )
        live.chart(running)
