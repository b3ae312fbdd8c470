"""True and estimated coefficients, their difference, and where they are zero."""

from stcmtl.studio.start import require

require(__file__)

import streamlit as st

from stcmtl import metrics
from stcmtl.evaluation import tables
from stcmtl.studio.state import picks
from stcmtl.studio.widgets import charts, matrices, page
from stcmtl.studio.widgets.controls import pick_one
from stcmtl.studio.words import findings
from stcmtl.studio.work.fits import Fitted


def choose(result: Fitted) -> tuple[str, str, str, bool]:
    """What to draw, the orders of tasks and features, and whether to leave out unused ones."""
    views = matrices.views(result)
    with st.container(horizontal=True, vertical_alignment="bottom", gap="medium"):
        view = pick_one("Show", views, f"coefficients.view.{len(views)}")
        with st.popover("Order", icon=":material/sort:"):
            tasks = pick_one("Tasks by", matrices.TASK_ORDERS, "coefficients.tasks")
            features = pick_one("Features by", matrices.FEATURE_ORDERS, "coefficients.features")
            only_selected = st.toggle(
                "Only features in use", True, key="coefficients.only", persist_state="session"
            )
    return view, tasks, features, only_selected


def show_selected(result: Fitted) -> None:
    st.header("Selected features", anchor=False)
    wanted = st.text_input("Search", key="coefficients.search", placeholder="Part of a name")
    table = tables.selected_features_table(result.model, result.data.train.feature_names)
    named = table["feature"].astype(str).str.contains(wanted, case=False, regex=False)
    if named.any():
        st.dataframe(table[named], hide_index=True, key="coefficients.table")
    else:
        st.caption("No selected feature has that in its name." if wanted else "There are none.")


result = page.show_result("Coefficients", findings.coefficients)
view, *options = choose(result)
charts.show(
    matrices.draw(result, view, *options),
    "coefficients",
    maths=matrices.MATHS[view],
    table=lambda: matrices.numbers(result, view),
    pickable=True,
)
st.caption(picks.CLUSTER_COLUMNS if view == matrices.CLUSTERS else picks.TASK_COLUMNS)
W, truth = result.model.coef_.T, result.data.truth
if truth is not None:
    st.markdown(
        f"Zero pattern: MCC **{metrics.mcc(truth.W, W):.3g}**, where 1 is perfect. "
        f"Coefficients: REE **{metrics.ree(truth.W, W):.2g}**, where 0 is perfect."
    )
show_selected(result)
