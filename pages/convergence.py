"""The objective by iteration, what moved, where the time went, and a replay."""

import streamlit as st

from stcmtl import figures
from stcmtl.studio import charts, findings, help, page, router, tables

router.require(__file__)

result = page.need_fit("Convergence")
model, history = result.model, result.model.history_
page.begin(findings.convergence(result))
page.show_picked(result)
charts.show(
    figures.replay(
        history,
        task_names=list(model.task_names_),
        feature_names=list(result.data.train.feature_names),
    ),
    "replay",
    maths=help.REPLAY,
)
charts.show(
    figures.convergence(history),
    "convergence",
    maths=help.CONVERGENCE,
    table=lambda: tables.iterations(result),
)
left, right = st.columns(2)
with left:
    charts.show(
        figures.changes(history),
        "changes",
        maths=help.CHANGES,
        table=lambda: tables.iterations(result),
    )
with right:
    charts.show(
        figures.step_seconds(history),
        "seconds",
        maths=help.SECONDS,
        table=lambda: tables.iterations(result),
    )
with st.expander("Every iteration in numbers"):
    st.dataframe(tables.iterations(result), hide_index=True, key="convergence.table")
