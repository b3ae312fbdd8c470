"""How alike tasks are before and after the fit, with their blocks, and the purity of every task."""

from stcmtl.studio.start import require

require(__file__)

import streamlit as st

from stcmtl import figures
from stcmtl.evaluation import choices, tables
from stcmtl.evaluation.blocks import cosines
from stcmtl.figures.plots.similarity import find_darkest
from stcmtl.studio.state import picks
from stcmtl.studio.widgets import charts, page, task_columns
from stcmtl.studio.widgets.controls import pick_one
from stcmtl.studio.words import findings, help

BOTH, BEFORE, AFTER = WHEN = ("before and after", "before the fit", "after the fit")
COSINE, PRODUCT = MEASURES = ("cosine", "S = W'W")
WHY_BEFORE = (
    "Before: from every task fitted on its own, so that a block is in the data. After: tasks of a "
    "cluster share its coefficients, so that blocks are there by construction."
)
WHY_COSINE = "Cosine: directions alone, from -1 to 1. S = W'W: larger coefficients count more."

result = page.show_result("Similarity", findings.similarity)
model = result.model
names, V = list(model.task_names_), model.memberships_.T
called = tables.cluster_names(model)
with st.container(horizontal=True, vertical_alignment="bottom", gap="medium"):
    when = pick_one("Coefficients", WHEN, "similarity.when", help=WHY_BEFORE) if len(V) else AFTER
    measure = pick_one("Similarity", MEASURES, "similarity.measure", help=WHY_COSINE)
colour = task_columns.choose_colour(result.data)
products, purity = tables.single_task_similarity(model)
matrices = {BEFORE: products, AFTER: model.similarity_}
top = max(map(find_darkest, matrices.values()))
if measure == COSINE:
    matrices, top = {name: cosines(S) for name, S in matrices.items()}, 1.0
shown = [when] if when != BOTH else [BEFORE, AFTER]
with st.container(key="beside-similarity"):
    columns = st.columns(len(shown))
for place, name in zip(columns, shown, strict=True):
    with place:
        charts.show(
            figures.similarity(
                matrices[name], V, pure=model.pure_, purity=model.purity_, top=top,
                signed=model.shape_ == "span", task_names=names, cluster_names=called,
                heading=name.capitalize() if len(V) else "Similarity",
                height=700 if len(shown) == 1 else 600,
            ),
            f"similarity-{name.split()[0]}",
            maths=help.SIMILARITY,
            table=lambda name=name: tables.matrix_table("task", names, matrices[name], names),
            pickable=True, coloured_by=colour,
        )  # fmt: skip
st.caption(picks.TASK_COLUMNS)
if choices.uses_nothing(model):
    st.markdown("Purity is not drawn: without features no task is purer than another.")
elif len(V) > 1:
    scores = model.purity_ if when == AFTER else purity
    charts.show(
        figures.purity(scores, V, theta=model.theta, task_names=names, cluster_names=called),
        "purity",
        maths=help.PURITY,
        table=lambda: tables.purity_table(model, scores),
        pickable=True,
        coloured_by=colour,
    )
else:
    st.markdown(
        "Purity is not drawn: it tells tasks of one cluster from mixtures of several, and there "
        f"{'are no clusters' if len(V) == 0 else 'is only one'} here."
    )
