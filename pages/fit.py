"""Method, K and the rest; Run and Cancel; then the result in words."""

from stcmtl.studio.start import require

require(__file__)

from functools import partial
from typing import Any

import streamlit as st

from stcmtl import figures
from stcmtl.evaluation import curve_tables, summary, tables, verdicts
from stcmtl.phrases import digits, listed, say_error
from stcmtl.studio.state.choices import GIVEN, ROBUST
from stcmtl.studio.state.session import current
from stcmtl.studio.widgets import charts, page, two_fits
from stcmtl.studio.widgets.controls import control, controls, run_button
from stcmtl.studio.words import findings, help
from stcmtl.studio.words.sentences import literal
from stcmtl.studio.work.fits import Fitted


def choose(n_tasks: int) -> None:
    """Every setting as a control; they count from the next run on."""
    choice, keep = current().fit_choice, current().set_fit
    with st.container(horizontal=True, vertical_alignment="bottom", gap="medium"):
        control(choice, "model", keep=keep)
        if choice.model == GIVEN:
            control(choice, "k", width=130, high=n_tasks, keep=keep)
        if choice.shape_counts:
            control(choice, "shape", width=250, keep=keep)
            control(choice, "own", width=230, keep=keep)
        control(choice, "method", keep=keep)
        with st.popover("More settings", icon=":material/tune:"):
            controls(choice, "scale", "theta", "epsilon", "folds", "iterations", "seed", keep=keep)
            control(choice, "fence", keep=keep, disabled=choice.method != ROBUST)
        run_button("Run", "fit.run", current().run_fit, disabled=current().job is not None)
    if note := findings.what_settings_do(choice):
        st.caption(note)


def tell(result: Fitted) -> None:
    """The result in words, then in numbers."""
    model = result.model
    if said := findings.no_help(result):
        st.warning(said, icon=":material/trending_down:")
    else:
        st.markdown(findings.prediction(result))
    if len(found := getattr(model, "choices_", ())) > 1:
        st.markdown(f"{findings.choice(result)}. {findings.cross_validated(found, result)}")
        st.page_link(page.CHOOSE_PAGE, label="All that was tried", icon=":material/list:")
    if model.outliers_.any():
        names = literal(listed(list(model.task_names_[model.outliers_])))
        st.markdown(f"Set aside as unlike all clusters: {names}.")
    if told := summary.suspects_account(model):
        st.warning(literal(told), icon=":material/warning:")
        st.page_link(page.DATA_PAGE, label="Which values", icon=":material/list:")
    if model.units_differ_:
        names = [literal(name) for name in result.data.train.feature_names]
        st.markdown(summary.scale_account(model, names))
    if doubts := summary.doubts_of(model):
        st.warning("  \n".join(map(literal, doubts)), icon=":material/warning:")
    numbers(result)


def numbers(result: Fitted) -> None:
    model = result.model
    said = partial(say_error, measure=summary.error_name(model))
    box: dict[str, Any] = {"border": True, "height": "stretch"}
    with st.container(horizontal=True):
        if result.error is not None and (separate := result.separate_error):
            change = f"{result.error / separate - 1.0:+.1%}"
            against = verdicts.name_fits(model)[1]
            st.metric(
                "Test error rate" if result.data.classification else "Test RMSE",
                said(result.error),
                None if findings.no_signal(result) else f"{change} against {against}",
                delta_color="inverse", **box,
                help=f"On rows the fit has not seen. With {against} it is {said(separate)}.",
            )  # fmt: skip
        shared = len(model.cluster_coef_) and not tables.has_own_part(model)
        used = int((model.cluster_coef_ if shared else model.coef_).any(axis=0).sum())
        st.metric("Features selected", f"{used} of {model.n_features_in_}", **box)
        st.metric("Seconds", digits(result.seconds), **box)
    truth = summary.against_truth(model, result.data.train)
    if truth:
        known = "; ".join(f"{name}: {digits(value)}" for name, value in truth.items())
        st.caption(f"Against the simulated truth. {known}.")


loaded = page.need_data("Fit")
page.go_on()
result = current().fitted
if result is None:
    page.open_with("Fit the tasks", summary.data_account(loaded.train, loaded.test))
    choose(len(loaded.train))
else:
    page.begin(findings.memberships(result), summary.method_account(result.model))
    choose(len(loaded.train))
    tell(result)
    two_fits.keep_button("fit.keep")
    if len(result.model.cluster_coef_):
        charts.show(
            figures.convergence(result.model.history_), "objective", maths=help.CONVERGENCE,
            table=lambda: curve_tables.iterations_table(result.model.history_),
        )  # fmt: skip
page.show_next(page.FIT_PAGE)
