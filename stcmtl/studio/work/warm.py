"""Make the first click as quick as the next: load what other pages need while one reads Home."""

from __future__ import annotations

import gc
from threading import Thread

import pandas as pd
import plotly.graph_objects as go
import streamlit as st

from stcmtl.studio.start import load_everything
from stcmtl.studio.state.loading import load
from stcmtl.studio.state.presets import PRESETS
from stcmtl.studio.state.session import current
from stcmtl.studio.work.jobs import Job

UNSEEN = "preload"  # key of what the stylesheet hides
A_MOMENT = 1.0  # seconds
SMALL = PRESETS["tiny"]


@st.cache_resource(show_spinner=False)
def server() -> None:
    """Once a server, in the background: modules, kernels, and what draws figures."""
    Thread(target=rehearse, name="stcmtl-warm", daemon=True).start()


def rehearse() -> None:
    """A visit to all pages, on the smallest of data."""
    load_everything()
    from stcmtl import figures
    from stcmtl.studio.work import fits

    data = load(SMALL.data)
    job = Job(lambda: fits.fit_steps(data, SMALL.fit))
    job.wait(60.0)
    if job.result is None:
        return
    model = job.result.model
    W, V = model.coef_.T, model.memberships_.T
    for figure in (
        figures.memberships(V),
        figures.coefficients(W, W),
        figures.similarity(model.similarity_, V),
        figures.replay(model.history_),
        figures.task_targets(data.train, V),
    ):
        figure.to_json()
    gc.freeze()  # what is loaded by now stays: no need to look through it for garbage again


def charts() -> None:
    """A chart that nobody sees, for which the browser fetches what draws the others."""
    with st.container(key=UNSEEN):
        st.plotly_chart(go.Figure(), key="preloaded.chart", alt="Nothing yet")


def while_reading() -> None:
    """On Home, unless a fit was seen: charts, and a moment later the widgets of other pages."""
    if current().has_read:
        charts()
        widgets()
    elif current().fitted is None:
        charts()
        read()


@st.fragment(run_every=A_MOMENT)
def read() -> None:
    if current().reads:
        current().has_read = True
        st.rerun()
    current().reads = True


def widgets() -> None:
    """One of each kind, unseen too."""
    with st.container(key=f"{UNSEEN}-widgets"):
        st.dataframe(pd.DataFrame({"": [0]}), key="preloaded.table")
        st.segmented_control("Nothing", ["yet"], key="preloaded.options")
        st.number_input("Nothing yet", key="preloaded.number")
        st.slider("Nothing yet", key="preloaded.slider")
        st.text_input("Nothing yet", key="preloaded.text")
        st.toggle("Nothing yet", key="preloaded.toggle")
        st.multiselect("Nothing yet", [], key="preloaded.choices")
        st.file_uploader("Nothing yet", key="preloaded.file")
        st.metric("Nothing yet", "")
