"""A running job in a sentence and a chart."""

from __future__ import annotations

from time import perf_counter

import numpy as np
import plotly.graph_objects as go
import streamlit as st

from stcmtl import figures
from stcmtl.estimators.choose_k import KPoint, KSelection
from stcmtl.progress import Progress
from stcmtl.solver.machine import MESSAGE, kernels_are_cached
from stcmtl.solver.records import Iteration
from stcmtl.studio.state.loading import Loaded
from stcmtl.studio.state.session import current
from stcmtl.studio.words.sentences import literal
from stcmtl.studio.work import fits
from stcmtl.studio.work.jobs import Job


def sentence(running: Job) -> str:
    if running.waiting:
        return "Waiting for another fit to finish ..."
    if not running.steps:
        return "Fitting every task on its own ..." if kernels_are_cached() else MESSAGE
    seconds = perf_counter() - (running.started or perf_counter())
    last = running.steps[-1]
    if isinstance(last, Progress):
        return f"{literal(last.what)} ..."
    if isinstance(last, KPoint):
        return f"Tried K = 1 to {last.k} in {seconds:.1f} s ..."
    if isinstance(last, Iteration):
        return f"Iteration {last.iteration}, {seconds:.1f} s ..."
    return f"{seconds:.1f} s ..."


def chart(running: Job) -> None:
    """The objective as it falls, the curve over K as it grows, or how much is done."""
    last = running.steps[-1] if running.steps else None
    if isinstance(last, Progress):
        st.progress(last.done / last.total)
        return
    points = [step for step in running.steps if isinstance(step, KPoint)]
    iterations = [step for step in running.steps if isinstance(step, Iteration)]
    loaded = current().data
    if points and loaded is not None:
        figure = curve_so_far(points, loaded)
    elif len(iterations) > 1:
        figure = figures.convergence(iterations)
    else:
        return
    st.plotly_chart(figure, key="live", alt=figures.describe(figure))


def curve_so_far(points: list[KPoint], loaded: Loaded) -> go.Figure:
    """The points that are there, on an axis that has room for those to come."""
    metric = "error rate" if loaded.classification else "RMSE"
    so_far = KSelection.of(points, np.empty(0), metric)
    return figures.growing_k_curve(so_far, max(fits.ks_to_try(loaded)))
