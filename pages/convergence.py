"""The objective by iteration, a replay, what moved, and where the time went."""

from stcmtl.studio.start import require

require(__file__)

from collections.abc import Callable

import plotly.graph_objects as go
import streamlit as st

from stcmtl import figures
from stcmtl.evaluation.curve_tables import iterations_table
from stcmtl.evaluation.predictions import errors_by_iteration
from stcmtl.evaluation.summary import error_name
from stcmtl.studio.widgets import charts, page, replay
from stcmtl.studio.widgets.controls import pick_one
from stcmtl.studio.widgets.tables import NOTHING
from stcmtl.studio.words import findings, help
from stcmtl.studio.work.fits import Fitted

# Title: key of the figure, how it is drawn, and the maths behind it.
VIEWS: dict[str, tuple[str, Callable[[Fitted], go.Figure], str]] = {
    "Objective": (
        "convergence", lambda result: figures.convergence(result.model.history_), help.CONVERGENCE
    ),
    "Test error": (
        "held-out-errors",
        lambda result: figures.held_out_errors(
            result.model.history_,
            errors_by_iteration(result.model, result.data.test),
            error_name(result.model),
        ),
        help.HELD_OUT_ERRORS,
    ),
    "What moved": (
        "changes", lambda result: figures.changes(result.model.history_), help.CHANGES
    ),
    "Seconds": (
        "seconds", lambda result: figures.step_seconds(result.model.history_), help.SECONDS
    ),
}  # fmt: skip

result = page.show_result("Convergence", findings.convergence)
history = result.model.history_
if len(result.model.cluster_coef_) == 0:
    st.markdown(
        "Without clusters no task waits for another: each has one fit, with a penalty chosen by "
        "cross-validation, and there is no curve to draw."
    )
    spent = iterations_table(history).dropna(axis="columns", how="all")
    st.dataframe(spent, hide_index=True, key="convergence.table", placeholder=NOTHING)
    st.stop()
views, where = list(VIEWS), "convergence.view"
if result.data.test is None:
    views.remove("Test error")
    where = "convergence.view.untested"
key, draw, maths = VIEWS[pick_one("Show", views, where)]
charts.show(draw(result), key, maths=maths, table=lambda: iterations_table(history))
replay.show(result)
with st.expander("Every iteration in numbers"):
    table = iterations_table(history)
    st.dataframe(table, hide_index=True, key="convergence.table", placeholder=NOTHING)
