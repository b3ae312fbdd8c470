"""Tasks on the simplex, as bars and as a table."""

from stcmtl.studio.start import require

require(__file__)

import streamlit as st

from stcmtl import figures
from stcmtl.evaluation import tables
from stcmtl.studio.state import picks
from stcmtl.studio.state.session import current
from stcmtl.studio.widgets import charts, page
from stcmtl.studio.widgets.controls import download, make_csv
from stcmtl.studio.words import findings, help


def show_table(view: str) -> None:
    """One row per task; picked rows are picked tasks."""
    share = st.column_config.ProgressColumn(format="%.2f", min_value=0, max_value=1)
    st.dataframe(
        table,
        hide_index=True,
        key=picks.key_of(view),
        on_select=lambda: picks.from_rows(view),
        selection_mode="multi-row",
        selection_default={"selection": {"rows": sorted(current().picked)}},
        column_config=dict.fromkeys(table.columns[2:], share),
    )


result = page.show_result("Memberships", findings.memberships)
model, truth = result.model, result.data.truth
names, V = list(model.task_names_), model.memberships_.T
table = tables.kinds_table(model)
clusters, flat = charts.choose_simplex(len(V))
charts.show(
    figures.memberships(
        V, truth and truth.V, pure=model.pure_, task_names=names, clusters=clusters, flat=flat
    ),
    "simplex", maths=help.SIMPLEX, table=lambda: table, pickable=True,
)  # fmt: skip
charts.show(
    figures.membership_bars(V, pure=model.pure_, task_names=names), "bars",
    maths=help.BARS, table=lambda: table, pickable=True,
)  # fmt: skip
st.header("Tasks", anchor=False)
show_table("memberships")
download("Memberships as CSV", lambda: make_csv(table), "memberships.csv", "memberships.download")
