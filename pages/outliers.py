"""How far each task lies from the clusters, and which are too far."""

from stcmtl.studio.start import require

require(__file__)

import streamlit as st

from stcmtl import figures
from stcmtl.evaluation import tables
from stcmtl.studio.state.choices import FitChoice
from stcmtl.studio.state.session import current
from stcmtl.studio.widgets import charts, page, task_columns
from stcmtl.studio.widgets.controls import field_of, pick_number
from stcmtl.studio.widgets.tables import show_table
from stcmtl.studio.words import findings, help

result = page.need_fit("Outliers")
model = result.model
if len(model.cluster_coef_) == 0:
    page.begin_explore(result, findings.outliers(result, 0.0))
    st.markdown(
        "Outliers are tasks far from what clusters can explain. Here no task has to fit in."
    )
    st.stop()
limits = field_of(FitChoice(), "fence").metadata
top = st.container()
factor = pick_number(
    "Fence factor", limits["low"], limits["high"], float(result.choice.fence),
    f"outliers.factor.{result.choice.fence}", step=limits["step"], width=420,
    help="A task is flagged beyond the upper quartile plus so many interquartile ranges. Moving "
    "the fence does not fit again.",
)  # fmt: skip
with top:
    page.begin_explore(result, findings.outliers(result, factor))
colour = task_columns.choose_colour(result.data)
table = tables.distances_table(model, factor)
charts.show(
    figures.outliers(
        model.distances_,
        model.memberships_.T,
        factor=factor,
        task_names=list(model.task_names_),
        cluster_names=tables.cluster_names(model),
    ),
    "distances",
    maths=help.OUTLIERS,
    table=lambda: table,
    pickable=True,
    coloured_by=colour,
)
st.markdown(findings.what_happens_to_outliers(result))
if factor != current().fit_choice.fence:
    st.button(
        f"Use {factor:g} for the next robust fit", key="outliers.use", icon=":material/tune:",
        on_click=current().set_fit, kwargs={"fence": factor, "method": "robust"},
    )  # fmt: skip
named = table["beyond the fence"] | table["set aside by the fit"]
if named.any():
    flagged = table[named]
    show_table(flagged, "outliers", tasks=flagged.index)
