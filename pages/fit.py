"""Method, K and the rest; Run and Cancel; then the result in words."""

import streamlit as st

from stcmtl import figures, summary
from stcmtl.studio import charts, help, page, progress, session
from stcmtl.studio.controls import controls
from stcmtl.studio.fits import Fitted


def choose(n_tasks: int) -> None:
    """Every setting as a control; they count from the next run on."""
    choice = session.fit_choice()
    with st.container(horizontal=True, vertical_alignment="bottom", gap="medium"):
        choice = controls(choice, "method")
        choice = controls(choice, "k", width=130, high=n_tasks)
        with st.popover("More settings", icon=":material/tune:"):
            choice = controls(choice, "theta", "epsilon", "folds", "iterations", "fence", "seed")
        st.button(
            "Run", key="fit.run", type="primary", icon=":material/play_arrow:",
            on_click=session.run_fit, disabled=session.job() is not None,
        )  # fmt: skip
    session.put("fit_choice", choice)


def tell(result: Fitted) -> None:
    """The result in words and numbers."""
    model = result.model
    name = "Test error rate" if result.data.classification else "Test RMSE"
    with st.container(horizontal=True):
        if result.error is not None and result.lasso_error is not None:
            change = result.error / result.lasso_error - 1.0 if result.lasso_error else 0.0
            st.metric(
                name, f"{result.error:.3g}", f"{change:+.1%} against per-task LASSO",
                delta_color="inverse", border=True,
                help="On rows the fit has not seen. Per-task LASSO fits every task alone: "
                f"{result.lasso_error:.3g}.",
            )  # fmt: skip
        used = int(model.cluster_coef_.any(axis=0).sum())
        st.metric("Features selected", f"{used} of {model.n_features_in_}", border=True)
        st.metric("Seconds", f"{result.seconds:.2g}", border=True)
    for name, value in summary.against_truth(model, result.data.train).items():
        st.markdown(f"{name}: **{value:.3g}**")
    for doubt in summary.doubts(model.memberships_, model.pure_):
        st.warning(doubt, icon=":material/warning:")
    if model.outliers_.any():
        names = ", ".join(map(str, model.task_names_[model.outliers_]))
        st.markdown(f"Set aside as outliers: **{names}**")


loaded = page.need_data("Fit")
result = session.fitted()
top = st.container()
choose(len(loaded.train))
with top:
    if result is None:
        st.title("Fit the tasks", anchor=False)
        st.caption(summary.data_account(loaded.train))
        progress.watch()
    else:
        model, truth = result.model, loaded.truth
        page.begin(
            summary.headline(model.memberships_, model.pure_, truth and truth.pure),
            summary.method_account(model),
        )
if result is not None:
    tell(result)
    charts.show(figures.convergence(result.model.history_), "objective", maths=help.CONVERGENCE)
