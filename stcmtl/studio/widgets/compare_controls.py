"""The controls of the Compare page, how long they will take, and the methods that run."""

from __future__ import annotations

from time import perf_counter

import streamlit as st

from stcmtl.evaluation.comparison import OURS, methods
from stcmtl.phrases import duration
from stcmtl.studio.state import session
from stcmtl.studio.state.loading import Loaded
from stcmtl.studio.widgets import progress
from stcmtl.studio.widgets.controls import control
from stcmtl.studio.words.markdown import literal
from stcmtl.studio.work import comparing

EVERY, BRIEFLY = 1.0, 3.0  # seconds
USUAL, MOST = 3, 20  # repetitions
LONG = 30.0  # seconds: what takes longer is not picked at first, and told by name


def choose(loaded: Loaded) -> list[str]:
    """Methods and repetitions, and the button that runs them; returns the methods."""
    if "compare.methods" not in st.session_state:
        st.session_state["compare.methods"] = usual(loaded)
    picked = st.pills(
        "Methods", methods(), selection_mode="multi", key="compare.methods",
        persist_state="session",
    )  # fmt: skip
    with st.container(horizontal=True, vertical_alignment="bottom", gap="medium"):
        repetitions = st.number_input(
            "Repetitions", 1, MOST, USUAL, 1, key="compare.repetitions", width=130,
            persist_state="session", help="On other rows each, for the spread.",
        )  # fmt: skip
        control(
            session.fit_choice(), "k", width=130, high=len(loaded.train),
            keep=session.set_fit_choice,
        )  # fmt: skip
        st.button(
            "Compare", key="compare.run", type="primary", icon=":material/play_arrow:",
            on_click=comparing.run, args=(picked, repetitions), disabled=not picked,
        )  # fmt: skip
    if picked:
        st.caption(time_needed(loaded, picked, int(repetitions)))
    return [method for method in methods() if method in picked]


def usual(loaded: Loaded) -> list[str]:
    """The first of our own methods, and all others that are quick on these tasks."""
    ours = next(iter(OURS))
    others = [method for method in methods() if method not in OURS]
    seconds = {method: comparing.seconds_ahead(loaded, method, USUAL) for method in others}
    return [ours, *(m for m, s in seconds.items() if s <= LONG)]


def time_needed(loaded: Loaded, picked: list[str], repetitions: int) -> str:
    """How long the methods will take, the long ones by name; or that they are there already."""
    ahead = {m: comparing.seconds_ahead(loaded, m, repetitions) for m in picked}
    total = sum(ahead.values())
    if total == 0.0:
        return "Known already: no need to wait."
    long = [f"**{m} alone takes about {duration(s)}.**" for m, s in ahead.items() if s >= LONG]
    return " ".join([f":material/schedule: About {duration(total)} in all.", *long])


def watch() -> None:
    """Running methods, and why others have ended without a result."""
    if comparing.jobs():
        running()
        if all(progress.ends_soon(job) for job in comparing.jobs().values()):
            st.rerun()
    for method, fault in comparing.faults().items():
        st.error(literal(f"{method}: {fault}"), icon=":material/error:")


@st.fragment(run_every=EVERY)
def running() -> None:
    if comparing.collect() or not comparing.jobs():
        st.rerun()
    with st.container(border=True):
        for method, job in comparing.jobs().items():
            share = job.steps[-1].share if job.steps else 0.0
            with st.container(horizontal=True, vertical_alignment="center"):
                st.progress(share, f"**{method}**: {condition(job)}")
                st.button(
                    f"Cancel {method}", key=f"compare.cancel.{method}",
                    icon=":material/stop_circle:", on_click=comparing.cancel, args=(method,),
                )  # fmt: skip


def condition(job: comparing.MethodJob) -> str:
    if job.waiting:
        behind_others = all(other.waiting for other in comparing.jobs().values())
        long = perf_counter() - job.asked > BRIEFLY
        return f"waits for {'other visitors' if behind_others and long else 'its turn'}"
    if not job.steps:
        return "begins"
    last = job.steps[-1]
    return f"repetition {last.repetition} of {last.repetitions}, {last.what}"
