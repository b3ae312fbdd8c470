"""The model tab: a saved model as it is, without rows, however many tasks it has."""

from io import BytesIO
from typing import Any

import numpy as np
import streamlit as st
from numpy.typing import NDArray

from stcmtl import figures
from stcmtl.baselines.saved import load
from stcmtl.evaluation import summary, tables
from stcmtl.phrases import counted
from stcmtl.studio.widgets import charts
from stcmtl.studio.widgets.progress import tell_error
from stcmtl.studio.widgets.tables import SHARE, show_table

MOST_BYTES = 1 << 28
MOST_DRAWN = 1_000  # tasks in a figure: more are a blot, and megabytes for the browser
OPENED = "model.opened"


def model_form() -> None:
    """Look at a model that was saved by Python, the command line or a page of this dashboard."""
    st.markdown(
        "A model file (`model.save`, `stcmtl fit`) holds clusters and memberships, and no rows. "
        "Its tasks can be looked at here, be they a hundred or a hundred thousand. The other pages "
        "want rows: of an upload, or in a session file."
    )
    file = st.file_uploader("Open a model file", ["stcmtl"], key="model.file")
    if file is None:
        st.session_state.pop(OPENED, None)
        return
    try:
        model = open_once(file)
    except ValueError as error:
        tell_error(error)
        return
    show_model(model)


def open_once(file: Any) -> Any:
    """The model of an upload; it is kept until another file comes."""
    known, model = st.session_state.get(OPENED, (None, None))
    if known != file.file_id:
        stream = BytesIO(file.getvalue())
        stream.name = file.name
        model = load(stream, max_bytes=MOST_BYTES)
        st.session_state[OPENED] = file.file_id, model
    return model


def show_model(model: Any) -> None:
    """What was found, its clusters, tasks among them, and a table of all."""
    if not hasattr(model, "loadings_"):
        st.info(f"A {type(model).__name__} has no clusters to show.")
        return
    st.subheader(summary.say_found(model), anchor=False)
    called = tables.cluster_names(model)
    if len(called):
        charts.draw(
            figures.cluster_patterns(
                model.cluster_coef_.T,
                feature_names=tables.feature_names(model),
                cluster_names=called,
                feature_scale=tables.shown_scale(model),
                se=tables.standard_errors(model).T,
            ),
            "model.patterns",
            "patterns",
        )
    if len(called) > 1:
        show_places(model, called)
    table = tables.members_table(model)
    show_table(table, "model", config=dict.fromkeys(called, SHARE))


def show_places(model: Any, called: list[str]) -> None:
    """Tasks on the simplex: all, or a sample that says so."""
    drawn = sample(len(model.task_names_))
    charts.draw(
        figures.memberships(
            model.memberships_[drawn].T,
            pure=model.pure_[drawn],
            task_names=list(model.task_names_[drawn]),
            cluster_names=called,
        ),
        "model.places",
        "memberships",
    )
    if drawn.size < len(model.task_names_):
        everybody = counted(len(model.task_names_), "task")
        st.caption(f"A sample: {drawn.size:,} of {everybody}, drawn at random, always the same.")


def sample(n_tasks: int) -> NDArray[np.intp]:
    """Tasks that are drawn, in order."""
    if n_tasks <= MOST_DRAWN:
        return np.arange(n_tasks)
    return np.sort(np.random.default_rng(0).choice(n_tasks, MOST_DRAWN, replace=False))
