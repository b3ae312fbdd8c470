"""Make the first click as quick as the next: load kernels and the chart library while one reads."""

from __future__ import annotations

from threading import Thread

import plotly.graph_objects as go
import streamlit as st

from stcmtl import figures
from stcmtl.estimators import STCMTLRegressor
from stcmtl.simulate import simulate

UNSEEN = "preload"  # key of what the stylesheet hides


@st.cache_resource(show_spinner=False)
def kernels() -> None:
    """Once a server: a tiny fit in the background, which loads the compiled kernels."""
    Thread(target=tiny_fit, name="stcmtl-warm", daemon=True).start()


def tiny_fit() -> None:
    data = simulate(n_tasks=12, n_features=20, n_clusters=3, n_train=20, n_test=2).train
    model = STCMTLRegressor(3, random_state=0).fit(data.X, data.y, data.tasks)
    figures.memberships(model.memberships_.T)


def charts() -> None:
    """An empty figure that nobody sees, for which the browser fetches what draws the others."""
    with st.container(key=UNSEEN):
        st.plotly_chart(go.Figure(), key="preloaded", alt="Nothing yet")
