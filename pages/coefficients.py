"""True and estimated coefficients, their difference, and where they are zero."""

from stcmtl.studio.start import require

require(__file__)

import streamlit as st

from stcmtl import metrics
from stcmtl.evaluation import summary, tables
from stcmtl.phrases import digits
from stcmtl.studio.state import picks
from stcmtl.studio.widgets import charts, matrices, page
from stcmtl.studio.widgets.controls import pick_one, switch
from stcmtl.studio.widgets.tables import show_table
from stcmtl.studio.words import findings
from stcmtl.studio.work.fits import Fitted

SE = "Standard error of the coefficient to its left; an exact zero has none."


def choose(result: Fitted) -> tuple[str, str, str, str, bool, bool]:
    """What to draw, which part of it, orders of tasks and features, only those in use, units.

    A difference is there to see only where the truth is known, clusters where there are any, and
    parts where tasks have their own.
    """
    per_unit, part = False, matrices.SUM
    absent = {
        matrices.DIFFERENCE: result.data.truth is None,
        matrices.CLUSTERS: len(result.model.cluster_coef_) == 0,
    }
    views = [view for view in matrices.MATHS if not absent.get(view)]
    with st.container(horizontal=True, vertical_alignment="bottom", gap="medium"):
        view = pick_one("Show", views, f"coefficients.view.{'.'.join(views)}")
        if tables.has_own_part(result.model) and view in (matrices.VALUES, matrices.ZEROS):
            part = pick_one(
                "Part", matrices.PARTS, "coefficients.part",
                help="Shared: what clusters make of a task. Own: what it has on top.",
            )  # fmt: skip
        with st.popover("Order", icon=":material/sort:"):
            orders, key, tasks = matrices.FEATURE_ORDERS, "coefficients.features", matrices.ORIGINAL
            if absent[matrices.CLUSTERS]:
                orders, key = orders[1:], "coefficients.features.alone"
            else:
                tasks = pick_one("Tasks by", matrices.TASK_ORDERS, "coefficients.tasks")
            features = pick_one("Features by", orders, key)
            only_selected = switch("Only features in use", True, "coefficients.only")
        if tables.shown_scale(result.model) is not None:
            per_unit = switch(
                "Per unit", False, "coefficients.per_unit",
                help="Features are in different units: coefficients are shown times the "
                "standard deviation of their feature, or per unit of it.",
            )  # fmt: skip
    return view, part, tasks, features, only_selected, per_unit


def show_selected(result: Fitted, per_unit: bool) -> None:
    st.header("Selected features", anchor=False)
    names = result.data.train.feature_names
    table = tables.selected_features_table(result.model, names, per_unit=per_unit)
    errors = table.columns[table.columns.str.startswith("s.e. ")]
    told = {name: st.column_config.NumberColumn(help=SE, format="%.3g") for name in errors}
    show_table(table, "coefficients", noun="selected feature", config=told, spare=[list(errors)])


result = page.show_result("Coefficients", findings.coefficients)
view, part, *options, per_unit = choose(result)
scale = None if per_unit else tables.shown_scale(result.model)
charts.show(
    matrices.draw(result, view, *options, scale, part),
    "coefficients",
    maths=matrices.maths_of(result.model, view),
    table=lambda: matrices.numbers(result, view, scale, part),
    pickable=True,
)
st.caption(picks.CLUSTER_COLUMNS if view == matrices.CLUSTERS else picks.TASK_COLUMNS)
W, truth = result.model.coef_.T, result.data.truth
if truth is not None:
    pattern = ""
    if summary.has_zero_pattern(truth):
        pattern = f"Zero pattern: MCC **{digits(metrics.mcc(truth.W, W))}**, where 1 is perfect. "
    st.markdown(
        f"{pattern}Coefficients: REE **{digits(metrics.ree(truth.W, W), 2)}**, where 0 is perfect."
    )
show_selected(result, per_unit)
