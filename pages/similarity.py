"""S = W'W with its blocks, and the purity of every task."""

from stcmtl.studio.start import require

require(__file__)

import streamlit as st

from stcmtl import figures
from stcmtl.evaluation import tables
from stcmtl.studio.state import picks
from stcmtl.studio.widgets import charts, page, task_columns
from stcmtl.studio.widgets.controls import pick_one
from stcmtl.studio.words import findings, help

AFTER, BEFORE = WHEN = ("after the fit", "before the fit")

result = page.show_result("Similarity", findings.similarity)
model = result.model
names, V = list(model.task_names_), model.memberships_.T
when = pick_one(
    "Coefficients", WHEN, "similarity.when", help="Before: from every task fitted on its own."
)
colour = task_columns.choose_colour(result.data)
S, purity = model.similarity_, model.purity_
if when == BEFORE:
    S, purity = tables.single_task_similarity(model)
charts.show(
    figures.similarity(
        S, V, pure=model.pure_, purity=purity, signed=model.shape_ == "span", task_names=names
    ),
    "similarity",
    maths=help.SIMILARITY,
    table=lambda: tables.matrix_table("task", names, S, names),
    pickable=True,
    coloured_by=colour,
)
st.caption(picks.TASK_COLUMNS)
if len(V) > 1:
    charts.show(
        figures.purity(purity, V, theta=model.theta, task_names=names),
        "purity",
        maths=help.PURITY,
        table=lambda: tables.purity_table(model, purity),
        pickable=True,
        coloured_by=colour,
    )
else:
    st.markdown(
        "Purity is not drawn: it tells tasks of one cluster from mixtures of several, and here "
        f"{'are no clusters' if len(V) == 0 else 'is only one'}."
    )
