"""Tasks on the simplex, as bars and as a table: their shares, strengths, signs and own parts."""

from stcmtl.studio.start import require

require(__file__)

from typing import Any

import streamlit as st

from stcmtl import figures
from stcmtl.evaluation import choices, tables
from stcmtl.studio.widgets import charts, page, task_columns
from stcmtl.studio.widgets.controls import switch
from stcmtl.studio.widgets.tables import SHARE, show_table
from stcmtl.studio.words import findings, help
from stcmtl.studio.work.fits import Fitted


def show_simplex(result: Fitted) -> None:
    """Where tasks lie among their clusters; with strengths as sizes where they have any."""
    clusters, flat = charts.choose_simplex(called)
    true = result.data.truth and result.data.truth.V
    by_truth = False
    if true is not None and 1 < len(true) <= len(V):
        by_truth = switch(
            "Colour by truth", False, "memberships.by_truth",
            help="Each task in the colours of the clusters it was simulated from, wherever it was "
            "placed.",
        )  # fmt: skip
    charts.show(
        figures.memberships(
            V, true, pure=model.pure_, task_names=names, clusters=clusters, flat=flat,
            colour_by_truth=by_truth, cluster_names=called,
            strength=None if tables.is_mixture(model) else model.strength_,
        ),
        "simplex", maths=help.SIMPLEX if tables.is_mixture(model) else help.STRENGTHS,
        table=lambda: table, pickable=True, coloured_by=colour,
    )  # fmt: skip


def show_bars() -> None:
    """Shares; or loadings, where these are not all there is."""
    both: dict[str, Any] = {"task_names": names, "cluster_names": called}
    figure, maths = figures.membership_bars(V, pure=model.pure_, **both), help.BARS
    if not tables.is_mixture(model):
        figure, maths = figures.loading_bars(model.loadings_.T, **both), help.LOADINGS
    charts.show(figure, "bars", maths=maths, table=lambda: table, pickable=True, coloured_by=colour)


result = page.show_result("Memberships", findings.memberships)
if "placed as simulated" in findings.memberships(result):
    st.caption(findings.PLACED)
model = result.model
names, V = list(model.task_names_), model.memberships_.T
table, called = tables.kinds_table(model), tables.cluster_names(model)
colour = task_columns.choose_colour(result.data)
has_places = not choices.uses_nothing(model)
if len(V) < 2 or not has_places:
    st.markdown(findings.no_places(result))
elif model.shape_ != "span":
    show_simplex(result)
if has_places and (len(V) > 1 or (len(V) and not tables.is_mixture(model))):
    show_bars()
if tables.has_own_part(model):
    charts.show(
        figures.own_shares(model.own_share_, V, task_names=names, cluster_names=called),
        "own-shares", maths=help.OWN_SHARES, table=lambda: table, pickable=True,
        coloured_by=colour,
    )  # fmt: skip
task_columns.show_relations(result)
st.header("Tasks", anchor=False)
by_cluster = figures.tasks_by_cluster(V, model.pure_)
shares = [*called, "own share"]
show_table(
    tables.members_table(model, result.data.train, result.data.test).iloc[by_cluster],
    "memberships", tasks=by_cluster, config=dict.fromkeys(shares, SHARE),
    spare=[["main cluster"], ["error"]],
)  # fmt: skip
