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


def choose(result: Fitted) -> tuple[str, str, str, bool, bool]:
    """What to draw, the orders of tasks and features, whether to leave out unused ones, units.

    A difference is there to see only where the truth is known.
    """
    has_truth, per_unit = result.data.truth is not None, False
    views = [view for view in matrices.MATHS if has_truth or view != matrices.DIFFERENCE]
    with st.container(horizontal=True, vertical_alignment="bottom", gap="medium"):
        view = pick_one("Show", views, f"coefficients.view.{len(views)}")
        with st.popover("Order", icon=":material/sort:"):
            tasks = pick_one("Tasks by", matrices.TASK_ORDERS, "coefficients.tasks")
            features = pick_one("Features by", matrices.FEATURE_ORDERS, "coefficients.features")
            only_selected = st.toggle(
                "Only features in use", True, key="coefficients.only", persist_state="session"
            )
        if tables.shown_scale(result.model) is not None:
            per_unit = st.toggle(
                "Per unit", False, key="coefficients.per_unit", persist_state="session",
                help="Features are in different units: coefficients are shown times the "
                "standard deviation of their feature, or per unit of it.",
            )  # fmt: skip
    return view, tasks, features, only_selected, per_unit


def show_selected(result: Fitted, per_unit: bool) -> None:
    st.header("Selected features", anchor=False)
    wanted = st.text_input("Search", key="coefficients.search", placeholder="Part of a name")
    names = result.data.train.feature_names
    table = tables.selected_features_table(result.model, names, per_unit=per_unit)
    named = table["feature"].astype(str).str.contains(wanted, case=False, regex=False)
    if named.any():
        st.dataframe(table[named], hide_index=True, key="coefficients.table")
    else:
        st.caption("No selected feature has that in its name." if wanted else "There are none.")


result = page.show_result("Coefficients", findings.coefficients)
view, *options, per_unit = choose(result)
scale = None if per_unit else tables.shown_scale(result.model)
charts.show(
    matrices.draw(result, view, *options, scale),
    "coefficients",
    maths=matrices.MATHS[view],
    table=lambda: matrices.numbers(result, view, scale),
    pickable=True,
)
st.caption(picks.CLUSTER_COLUMNS if view == matrices.CLUSTERS else picks.TASK_COLUMNS)
W, truth = result.model.coef_.T, result.data.truth
if truth is not None:
    st.markdown(
        f"Zero pattern: MCC **{metrics.mcc(truth.W, W):.3g}**, where 1 is perfect. "
        f"Coefficients: REE **{metrics.ree(truth.W, W):.2g}**, where 0 is perfect."
    )
show_selected(result, per_unit)
