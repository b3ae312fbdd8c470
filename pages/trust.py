"""How far to trust the fit: intervals, and what stays the same when rows are drawn again."""

from stcmtl.studio.start import require

require(__file__)

import streamlit as st

from stcmtl import figures
from stcmtl.evaluation import choices, tables, trust
from stcmtl.phrases import duration
from stcmtl.studio.state import picks
from stcmtl.studio.state.session import current
from stcmtl.studio.widgets import charts, page, task_columns
from stcmtl.studio.widgets.controls import run_button
from stcmtl.studio.widgets.tables import SHARE, show_table
from stcmtl.studio.words import findings, help
from stcmtl.studio.words.sentences import literal
from stcmtl.studio.work import trust as work
from stcmtl.studio.work.fits import Fitted
from stcmtl.studio.work.trust import Trusted

LEVELS = (0.8, 0.9, 0.95)
INVITATION = (
    "Would other rows of the same tasks tell the same story? The rows of every task are drawn "
    "again, with replacement, and the fit is repeated on each such resample. What stays is what "
    "the data say; what moves is chance. Memberships get intervals too."
)


def choose(result: Fitted) -> int:
    """How many resamples are to be drawn, at a click."""
    with st.container(horizontal=True, vertical_alignment="bottom", gap="medium"):
        n_boot = st.number_input(
            "Resamples", 10, 500, 50, 10, key="trust.n_boot", width=130, persist_state="session"
        )
        level = st.segmented_control(
            "Intervals", LEVELS, default=0.9, required=True, key="trust.level",
            format_func=lambda share: f"{share:.0%}", persist_state="session",
            help="How often they hold the truth of a model with this K and shape.",
        )  # fmt: skip
        run_button(
            "Resample", "trust.run", work.run, args=(result, int(n_boot), float(level)),
            icon=":material/casino:", disabled=current().job is not None,
        )  # fmt: skip
    return int(n_boot)


def show_memberships(examined: Trusted) -> None:
    model, found = examined.result.model, examined.found
    V, names = model.memberships_.T, list(model.task_names_)
    called = tables.cluster_names(model)
    table = trust.trust_table(model, found)
    colour = task_columns.choose_colour(examined.result.data)
    charts.show(
        figures.kept_clusters(
            found.kept, found.pure, V, pure=model.pure_, task_names=names, cluster_names=called
        ),
        "kept", maths=help.KEPT, table=lambda: table, pickable=True, coloured_by=colour,
    )  # fmt: skip
    charts.show(
        figures.membership_intervals(
            V, found.lower.T, found.upper.T, level=examined.level, pure=model.pure_,
            task_names=names, cluster_names=called,
        ),
        "intervals", maths=help.INTERVALS, table=lambda: table, pickable=True, coloured_by=colour,
    )  # fmt: skip
    charts.show(
        figures.co_clustering(
            found.co_clustering, V, pure=model.pure_, purity=model.purity_, task_names=names,
            cluster_names=called,
        ),
        "together", maths=help.TOGETHER, pickable=True, coloured_by=colour,
        table=lambda: tables.matrix_table("task", names, found.co_clustering, names),
    )  # fmt: skip
    st.caption(picks.TASK_COLUMNS)
    st.header("Tasks", anchor=False)
    by_cluster = figures.tasks_by_cluster(V, model.pure_)
    shares = dict.fromkeys(("share", "from", "to", "stays in", "pure in"), SHARE)
    show_table(table.iloc[by_cluster], "trust", tasks=by_cluster, config=shares)
    st.header("Features", anchor=False)


def show_features(examined: Trusted) -> None:
    model, found = examined.result.model, examined.found
    U, features = model.cluster_coef_.T, examined.result.data.train.feature_names
    clusters = tables.cluster_names(model)
    charts.show(
        figures.feature_choices(
            found.selected.T, U, feature_names=list(features), cluster_names=clusters,
            feature_order=figures.features_by_cluster(U),
        ),
        "chosen", maths=help.CHOSEN,
        table=lambda: tables.matrix_table("cluster", clusters, found.selected, features),
    )  # fmt: skip


def show(examined: Trusted) -> None:
    model = examined.result.model
    if choices.uses_nothing(model):
        return
    for doubt in trust.say_doubts(model, examined.found):
        st.markdown(literal(doubt))
    if len(model.cluster_coef_) > 1:
        show_memberships(examined)
    show_features(examined)


result = page.need_fit("Trust")
examined = work.examined_last(result)
if len(result.model.cluster_coef_) == 0:
    page.begin_explore(result, "Without clusters there is nothing that could move")
    st.markdown("Every task has its own fit: no membership and no shared feature to examine.")
    st.stop()
headline = "How far can this fit be trusted?"
if examined is not None:
    doubt = findings.doubt(examined.result)
    headline = trust.say_trust(examined.result.model, examined.found, doubt)
page.begin_explore(result, headline)
n_boot = choose(result)
if examined is None:
    st.markdown(INVITATION)
    st.caption(f"It takes about {duration(work.cost_of(result, n_boot).seconds)}.")
else:
    if not examined.is_of(result):
        page.stale("These resamples are of an earlier fit: resample to examine the one in hand.")
    drawn = f"{examined.n_boot} resamples, intervals of {examined.level:.0%}."
    st.caption(f"{drawn} {findings.what_resamples_keep(examined.result)}")
    show(examined)
