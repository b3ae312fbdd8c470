"""The error by the number of clusters, drawn as it is computed, and what to choose."""

import numpy as np
import pandas as pd
import streamlit as st

from stcmtl import figures, summary
from stcmtl.selection import KSelection
from stcmtl.studio import charts, help, page, progress, session

loaded = page.need_data("Choose K")


def advice(path: KSelection) -> str:
    return (
        f"Take K = {path.one_se}: the smallest whose error is within one standard error of the "
        f"lowest, which is at K = {path.best}"
    )


def show(path: KSelection) -> None:
    left, right = st.columns([3, 2])
    with left:
        charts.show(
            figures.k_curve(path), "k-curve", maths=help.K_CURVE, table=lambda: as_table(path)
        )
    with right:
        charts.show(
            figures.singular_ratios(path.singular_ratios),
            "singular-values",
            maths=help.SINGULAR,
            table=lambda: pd.DataFrame(
                {"k": np.arange(len(path.singular_ratios)) + 1, "ratio": path.singular_ratios}
            ),
        )
    k = st.select_slider(
        "K for the fit", [int(k) for k in path.ks], path.one_se, key=f"k.{id(path)}"
    )
    st.button(
        f"Fit with K = {k}", type="primary", icon=":material/play_arrow:", on_click=take, args=(k,),
        key="k.take",
    )  # fmt: skip


def as_table(path: KSelection) -> pd.DataFrame:
    columns = ("ks", "error", "se", "objective", "seconds")
    return pd.DataFrame({name: getattr(path, name) for name in columns})


def take(k: int) -> None:
    session.set_fit_choice(k=k)
    session.run_fit()
    session.put("go", page.FIT_PAGE)


path = session.curve()
if session.get("go"):
    session.put("go", None)
    st.switch_page(page.FIT_PAGE)
if path is None:
    st.title("How many clusters are there?", anchor=False)
    st.caption(summary.data_account(loaded.train))
    progress.watch()
    if session.job() is None:
        st.markdown(
            "Rows are held out within every task, and each number of clusters from 1 to "
            f"{min(9, len(loaded.train))} predicts them. The curve falls to the right K, then "
            "stays flat."
        )
        st.button(
            "Draw the curve", type="primary", icon=":material/show_chart:",
            on_click=session.run_curve, key="k.run",
        )  # fmt: skip
else:
    page.begin(advice(path), summary.data_account(loaded.train))
    show(path)
