"""What one sees while a job runs, a sentence and a chart, and the button that stops it."""

from time import perf_counter
from typing import TYPE_CHECKING

import numpy as np
import streamlit as st

from stcmtl.phrases import SHAPES
from stcmtl.progress import Progress
from stcmtl.solver.records import Iteration, KPoint, KSelection
from stcmtl.studio.state.loading import Loaded
from stcmtl.studio.state.session import current
from stcmtl.studio.words.sentences import literal, word_error
from stcmtl.studio.work.jobs import Job

if TYPE_CHECKING:
    import plotly.graph_objects as go

EVERY = 1.0  # seconds
SOON = 1.5  # seconds after which a page is drawn with its old result, beside the progress
A_MOMENT = 0.1


def watch() -> None:
    """Progress of the session's job, if there is one, and its error, if it ended in one."""
    running = current().job
    if running is not None:
        progress()
        if ends_soon(running):
            current().collect()
            st.rerun()
    tell_error(current().error)


def tell_error(error: str | Exception | None) -> None:
    """What went wrong, if anything has."""
    if error:
        sentence = error if isinstance(error, str) else word_error(error)
        st.error(literal(sentence), icon=":material/error:")


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
    with st.container(border=True):
        with st.container(horizontal=True, vertical_alignment="center"):
            st.markdown(f":material/progress_activity: {describe(running)}")
            st.button(
                "Cancel", key="cancel", icon=":material/stop_circle:", on_click=current().cancel
            )
        draw(running)


def describe(running: Job) -> str:
    if running.started is None:
        return "Waiting for another fit to finish ..."
    if not running.steps:
        from stcmtl.solver.machine import MESSAGE, kernels_are_cached

        return "Fitting every task on its own ..." if kernels_are_cached() else MESSAGE
    seconds = perf_counter() - (running.started or perf_counter())
    last = running.steps[-1]
    if isinstance(last, Progress):
        return f"{literal(last.what)} ..."
    if isinstance(last, KPoint):
        return f"{SHAPES[last.shape]}, K = {last.k} tried, {seconds:.1f} s ..."
    return f"Iteration {last.iteration}, {seconds:.1f} s ..."


def draw(running: Job) -> None:
    """The objective as it falls, the curve over K as it grows, or how much is done."""
    last = running.steps[-1] if running.steps else None
    if isinstance(last, Progress):
        st.progress(last.done / last.total)
        return
    points = [step for step in running.steps if isinstance(step, KPoint)]
    iterations = [step for step in running.steps if isinstance(step, Iteration)]
    loaded = current().data
    from stcmtl import figures  # which Home need not wait for

    if points and loaded is not None:
        figure = curve_so_far(points, loaded)
    elif len(iterations) > 1:
        figure = figures.convergence(iterations)
    else:
        return
    st.plotly_chart(figure, key="live", alt=figures.describe(figure))


def curve_so_far(points: list[KPoint], loaded: Loaded) -> "go.Figure":
    """The points that are there, on an axis that has room for those to come."""
    from stcmtl import figures
    from stcmtl.evaluation.summary import ERROR_NAMES

    metric = ERROR_NAMES[loaded.train.task_type]
    lines = {}
    for shape, name in SHAPES.items():
        own = sorted((p for p in points if p.shape == shape), key=lambda point: point.k)
        if own:
            lines[name] = KSelection.of(own, np.empty(0), metric)
    most = max(*loaded.ks_to_try, *(point.k for point in points))
    return figures.growing_k_curve(lines, most)
