"""True and estimated coefficients, their difference, and where they are zero."""

from typing import Any

import plotly.graph_objects as go
import streamlit as st

from stcmtl import figures, metrics, summary
from stcmtl.studio import charts, findings, help, page, tables

BOTH, PATTERN, ERRORS, CLUSTERS = VIEWS = ("Coefficients", "Zeros", "Difference", "Clusters")
MATHS = {
    BOTH: help.COEFFICIENTS,
    PATTERN: help.PATTERN,
    ERRORS: help.ERRORS,
    CLUSTERS: help.CLUSTERS,
}


def choose() -> tuple[str, dict[str, Any]]:
    """What to draw, and in which order."""
    keep: Any = {"required": True, "persist_state": "session"}
    with st.container(horizontal=True, vertical_alignment="bottom", gap="medium"):
        views = [view for view in VIEWS if view != ERRORS or truth is not None]
        view = st.segmented_control(
            "Show", views, default=BOTH, key=f"coefficients.view.{len(views)}", **keep
        )
        with st.popover("Order", icon=":material/sort:"):
            tasks = st.segmented_control(
                "Tasks by", ["cluster", "original"], default="cluster",
                key="coefficients.tasks", **keep,
            )  # fmt: skip
            features = st.segmented_control(
                "Features by", list(feature_orders), default="cluster",
                key="coefficients.features", **keep,
            )  # fmt: skip
            only_selected = st.toggle(
                "Only features in use", True, key="coefficients.only", persist_state="session"
            )
    by_cluster = figures.tasks_by_cluster(model.memberships_.T, model.pure_)
    return str(view), {
        "feature_names": names,
        "feature_order": feature_orders[str(features)](),
        "only_selected": only_selected,
        "task_names": list(model.task_names_),
        "task_order": by_cluster if tasks == "cluster" else None,
    }


def draw(view: str, options: dict[str, Any]) -> go.Figure:
    true = None if truth is None else truth.W
    if view == CLUSTERS:
        ours = {name: value for name, value in options.items() if not name.startswith("task")}
        return figures.cluster_coefficients(U, **ours)
    if view == PATTERN:
        return figures.selection_pattern(W, true, **options)
    if view == ERRORS and true is not None:
        return figures.coefficient_errors(W, true, **options)
    return figures.coefficients(W, true, **options)


result = page.need_fit("Coefficients")
model, truth = result.model, result.data.truth
W, U = model.coef_.T, model.cluster_coef_.T
names = list(result.data.train.feature_names)
feature_orders = {
    "cluster": lambda: figures.features_by_cluster(U),
    "selection": lambda: figures.features_by_selection(W),
    "original": lambda: None,
}
page.begin(findings.coefficients(result))
page.show_picked(result)
view, options = choose()
table = tables.cluster_coefficients if view == CLUSTERS else tables.coefficients
charts.show(draw(view, options), "coefficients", maths=MATHS[view], table=lambda: table(result))
if truth is not None:
    st.markdown(
        f"Zero pattern: MCC **{metrics.mcc(truth.W, W):.3g}**, where 1 is perfect. "
        f"Coefficients: REE **{metrics.ree(truth.W, W):.2g}**, where 0 is perfect."
    )
st.header("Selected features", anchor=False)
wanted = st.text_input("Search", key="coefficients.search", placeholder="Part of a name")
selected = summary.selected_features(model, names)
if wanted:
    selected = selected[
        selected["feature"].astype(str).str.contains(wanted, case=False, regex=False)
    ]
if selected.empty:
    st.caption(f"No selected feature has “{wanted}” in its name." if wanted else "None.")
else:
    st.dataframe(selected, hide_index=True, key="coefficients.table")
