"""True and estimated coefficients, their difference, and where they are zero."""

import pandas as pd
import streamlit as st

from stcmtl import figures, metrics, summary
from stcmtl.studio import charts, help, page
from stcmtl.studio.fits import Fitted

VIEWS = ["Coefficients", "Zero pattern", "Difference", "Clusters"]
FEATURE_ORDERS = ["cluster", "selection", "original"]


def orders(result: Fitted, tasks: str, features: str) -> dict[str, object]:
    model = result.model
    V, U, W = model.memberships_.T, model.cluster_coef_.T, model.coef_.T
    return {
        "task_order": figures.tasks_by_cluster(V) if tasks == "cluster" else None,
        "feature_order": {
            "cluster": lambda: figures.features_by_cluster(U),
            "selection": lambda: figures.features_by_selection(W),
            "original": lambda: None,
        }[features](),
    }


def as_table(result: Fitted) -> pd.DataFrame:
    model = result.model
    table = pd.DataFrame(model.coef_, columns=result.data.train.feature_names)
    table.insert(0, "task", model.task_names_)
    return table


result = page.need_fit("Coefficients")
model, truth = result.model, result.data.truth
used = int(model.cluster_coef_.any(axis=0).sum())
sentence = f"{used} of {model.n_features_in_} features carry the signal"
if truth is not None:
    agreement = metrics.mcc(truth.W, model.coef_.T)
    error = metrics.ree(truth.W, model.coef_.T)
    sentence += f": zero pattern MCC {agreement:.3g}, estimation error {error:.2g}"
page.begin(sentence)
with st.container(horizontal=True, vertical_alignment="bottom", gap="medium"):
    views = VIEWS if truth is not None else [v for v in VIEWS if v != "Difference"]
    view = st.segmented_control(
        "Show", views, default=views[0], required=True, key="coefficients.view"
    )
    tasks = st.segmented_control(
        "Tasks by", ["cluster", "original"], default="cluster", required=True,
        key="coefficients.tasks",
    )  # fmt: skip
    features = st.segmented_control(
        "Features by", FEATURE_ORDERS, default="cluster", required=True,
        key="coefficients.features",
    )  # fmt: skip
    only_selected = st.toggle("Only features in use", True, key="coefficients.only")
W = model.coef_.T
true = None if truth is None else truth.W
names = {
    "task_names": list(model.task_names_),
    "feature_names": list(result.data.train.feature_names),
    "only_selected": only_selected,
} | orders(result, tasks, features)
if view == "Clusters":
    figure = figures.cluster_coefficients(
        model.cluster_coef_.T, feature_names=names["feature_names"],
        only_selected=only_selected, feature_order=names["feature_order"],
    )  # fmt: skip
    maths = help.CLUSTERS
elif view == "Zero pattern":
    figure, maths = figures.selection_pattern(W, true, **names), help.PATTERN
elif view == "Difference":
    figure, maths = figures.coefficient_errors(W, true, **names), help.ERRORS
else:
    figure, maths = figures.coefficients(W, true, **names), help.COEFFICIENTS
charts.show(figure, "coefficients", maths=maths, table=lambda: as_table(result))
st.subheader("Selected features", anchor=False)
wanted = st.text_input("Search", key="coefficients.search", placeholder="Part of a name")
table = summary.selected_features(model, list(result.data.train.feature_names))
if wanted:
    table = table[table["feature"].astype(str).str.contains(wanted, case=False, regex=False)]
st.dataframe(table, hide_index=True, key="coefficients.table")
