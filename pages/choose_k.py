"""The error by the number of clusters, drawn as it is computed, and what to choose."""

from stcmtl.studio.start import require

require(__file__)

import streamlit as st

from stcmtl import figures
from stcmtl.estimators.choose_k import KSelection
from stcmtl.evaluation import summary, tables
from stcmtl.studio.state.choices import ROBUST
from stcmtl.studio.state.session import current
from stcmtl.studio.widgets import charts, page
from stcmtl.studio.widgets.controls import run_button
from stcmtl.studio.words import findings, help


def draw_button(label: str) -> None:
    run_button(label, "k.run", current().run_curve, icon=":material/show_chart:")


def invite(largest: int) -> None:
    page.open_with("How many clusters are there?", account)
    if current().job is None:
        st.markdown(
            "Some rows of every task are held out, and each number of clusters from 1 to "
            f"{largest} predicts them. The error falls up to the right number, then stays flat."
        )
        draw_button("Draw the curve")


def show(path: KSelection) -> None:
    ks = [int(k) for k in path.ks]
    key = f"k.choice.{ks[-1]}"
    st.session_state.setdefault(key, path.one_se)
    with st.container(horizontal=True, vertical_alignment="bottom", gap="medium"):
        if len(ks) > 1:
            st.select_slider(
                "Clusters", ks, key=key, width=320,
                help="Or click a point of the curve.",
            )  # fmt: skip
        k = st.session_state[key]
        run_button(
            f"Fit with K = {k}", "k.take", take, args=(k,), disabled=current().job is not None
        )
    left, right = st.columns([3, 2])
    with left:
        charts.show_choice(
            figures.k_curve(path), "k-curve", lambda k: st.session_state.update({key: int(k)}),
            maths=help.K_CURVE, table=lambda: tables.points_table(path),
        )  # fmt: skip
    with right:
        charts.show(
            figures.singular_ratios(path.singular_ratios, height=420), "singular-values",
            maths=help.SINGULAR, table=lambda: tables.ratios_table(path),
        )  # fmt: skip


def take(k: int) -> None:
    current().set_fit(k=k)
    current().run_fit()
    current().go = page.FIT_PAGE


loaded = page.need_data("Choose K")
page.go_on()
account = summary.data_account(loaded.train)
curve = current().curve
if curve is None:
    invite(max(loaded.ks_to_try))
else:
    page.open_with(findings.number_of_clusters(curve.path), account)
    if current().curve_is_stale and current().job is None:
        page.stale("The settings have changed since this curve was drawn.")
        draw_button("Draw it again")
    if curve.choice.method == ROBUST:
        st.caption(findings.ROBUST_CURVE)
    show(curve.path)
