"""Tasks on the simplex, as bars and as a table."""

import numpy as np
import pandas as pd
import streamlit as st

from stcmtl import figures, summary
from stcmtl.studio import charts, help, page, session

result = page.need_fit("Memberships")
model, truth = result.model, result.data.truth
names = list(model.task_names_)
V = model.memberships_.T
page.begin(summary.headline(model.memberships_, model.pure_, truth and truth.pure))


def as_table() -> pd.DataFrame:
    shares = {f"cluster {k + 1}": v for k, v in enumerate(V)}
    kind = np.where(model.outliers_, "outlier", np.where(model.pure_, "pure", "mixed"))
    return pd.DataFrame({"task": names, "kind": kind, **shares})


def pick_rows() -> None:
    session.pick(st.session_state["memberships.table"].selection.rows)


clusters = None
if len(V) > 3:
    chosen = st.multiselect(
        "Three clusters alone", range(len(V)), format_func=lambda k: f"Cluster {k + 1}",
        max_selections=3, key="memberships.clusters", placeholder="All of them",
    )  # fmt: skip
    clusters = chosen if len(chosen) == 3 else None
charts.show(
    figures.memberships(
        V, truth and truth.V, pure=model.pure_, task_names=names, clusters=clusters
    ),
    "simplex",
    maths=help.SIMPLEX,
    table=as_table,
    pickable=True,
)
charts.show(
    figures.membership_bars(V, pure=model.pure_, task_names=names),
    "bars",
    maths=help.BARS,
    table=as_table,
    pickable=True,
)
st.subheader("Tasks", anchor=False)
st.dataframe(
    as_table(),
    hide_index=True,
    key="memberships.table",
    on_select=pick_rows,
    selection_mode="multi-row",
    column_config={
        f"cluster {k + 1}": st.column_config.ProgressColumn(format="%.2f", min_value=0, max_value=1)
        for k in range(len(V))
    },
)
