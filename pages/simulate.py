"""Simulate the paper's setting, fit it, and see whether the fit finds the truth."""

import streamlit as st

from stcmtl import figures
from stcmtl.studio.simulated import NOISE, Settings, SimulatedFit, fit, waiting_text
from stcmtl.studio.wording import account, headline, task_table

LAST_GOOD = "simulate.last_good"
DEFAULT = Settings()
FEATURES = [50, 100, 200, 400, 600]
MIXINGS = ["sparse", "dense"]


def choose() -> tuple[Settings, bool]:
    """The controls in one row, and whether Run was pressed."""
    with (
        st.form("settings", border=True),
        st.container(horizontal=True, vertical_alignment="bottom", gap="medium"),
    ):
        n_features = st.selectbox(
            "Features", FEATURES, FEATURES.index(DEFAULT.n_features), key="n_features", width=110
        )
        n_clusters = st.number_input(
            "Clusters K", 2, 10, DEFAULT.n_clusters, key="n_clusters", width=130
        )
        mixing = st.selectbox(
            "Mixed tasks",
            MIXINGS,
            MIXINGS.index(DEFAULT.mixing),
            key="mixing",
            width=130,
            help="Sparse: a mixed task shares two clusters. Dense: it shares all of them.",
        )
        seed = st.number_input("Seed", 0, 9999, DEFAULT.seed, key="seed", width=130)
        refine = st.toggle(
            "Refine",
            DEFAULT.refine,
            key="refine",
            help="On: pure tasks and unused features become exact. Off: the paper's algorithm.",
        )
        pressed = st.form_submit_button("Run", type="primary", icon=":material/play_arrow:")
    return Settings(n_features, n_clusters, mixing, seed, refine), pressed


def attempt(settings: Settings) -> None:
    """Fit, and keep the result; a fit that fails leaves the last good one in place."""
    try:
        with st.spinner(waiting_text(settings), show_time=True):
            st.session_state[LAST_GOOD] = fit(settings)
    except ValueError as error:
        st.error(str(error), icon=":material/error:")


def show_scores(result: SimulatedFit) -> None:
    """How near the truth the fit came."""
    with st.container(horizontal=True):
        st.metric(
            "Test RMSE",
            f"{result.rmse:.3f}",
            f"noise level {NOISE:.3f}",
            delta_color="off",
            delta_arrow="off",
            border=True,
            help="Error on rows the fit has not seen. Nothing can do better than the noise.",
        )
        st.metric(
            "Estimation error (REE)",
            f"{result.ree:.2g}",
            "0 is perfect",
            delta_color="off",
            delta_arrow="off",
            border=True,
            help="Root mean squared difference between true and estimated coefficients.",
        )
        st.metric(
            "Feature selection (MCC)",
            f"{result.mcc:.3f}",
            "1 is perfect",
            delta_color="off",
            delta_arrow="off",
            border=True,
            help="Matthews correlation between the true and the estimated exact zeros.",
        )


def show(result: SimulatedFit) -> None:
    """The figures and the table of one fit."""
    only_selected = st.toggle(
        "Only features in use",
        True,
        key="only_selected",
        help="Hide rows that are zero throughout.",
    )
    st.plotly_chart(
        figures.coefficients(
            result.coefficients,
            result.true_coefficients,
            task_names=result.task_names,
            feature_names=result.feature_names,
            only_selected=only_selected,
        ),
        key="coefficients",
        alt="Heatmaps of the true and the estimated coefficients, features down and tasks across.",
    )
    show_scores(result)
    st.plotly_chart(
        figures.convergence(result.history),
        key="convergence",
        alt="Line chart of the objective after each iteration.",
    )
    st.subheader("Tasks")
    shares = [f"Cluster {k}" for k in range(1, result.settings.n_clusters + 1)]
    st.dataframe(
        task_table(result),
        hide_index=True,
        key="tasks",
        column_config={
            name: st.column_config.ProgressColumn(format="%.2f", min_value=0, max_value=1)
            for name in shares
        },
    )


top = st.container()
settings, pressed = choose()
if pressed or LAST_GOOD not in st.session_state:
    attempt(settings)
result = st.session_state.get(LAST_GOOD)
if result is not None:
    with top:
        st.title(headline(result), anchor=False)
        st.caption(account(result))
    show(result)
