"""The fit in hand beside one that was kept: what moved, and which predicts better."""

from functools import partial

import pandas as pd
import streamlit as st

from stcmtl import figures
from stcmtl.evaluation.predictions import task_errors
from stcmtl.evaluation.summary import error_name
from stcmtl.evaluation.two_fits import Moves, compare_fits, say_moves
from stcmtl.phrases import say_error
from stcmtl.studio.state.session import current
from stcmtl.studio.widgets import charts, page
from stcmtl.studio.widgets.tables import SHARE, show_table
from stcmtl.studio.words import help
from stcmtl.studio.words.sentences import literal
from stcmtl.studio.work.fits import Fitted
from stcmtl.studio.work.trust import name_fit

ASKED = "What does another fit change?"
INVITATION = (
    "Keep the fit in hand, then fit with another K, shape or method, or on other data of the same "
    "tasks, and come back: clusters are matched, and you see which tasks move."
)


def keep_button(key: str, label: str = "Keep this fit to compare") -> None:
    """Keeps the fit in hand, until another one is kept."""
    st.button(label, key=key, on_click=keep, icon=":material/bookmark:")


def keep() -> None:
    current().kept_fit = current().fitted


def forget() -> None:
    current().kept_fit = None


def show() -> None:
    """Instead of the methods, on Compare."""
    result, kept = page.need_fit("Compare"), current().kept_fit
    if kept is None:
        page.begin(ASKED)
        st.markdown(INVITATION)
        keep_button("two.keep")
        return
    if name_fit(kept) == name_fit(result):
        page.begin(ASKED)
        st.markdown(f"Kept: {describe(kept)}. Fit with other settings or data, and come back.")
        return
    try:
        moves = compare_fits(kept.model, result.model)
    except ValueError as error:
        page.begin(ASKED)
        st.warning(literal(str(error)), icon=":material/warning:")
        keep_button("two.keep", "Keep the fit in hand instead")
        return
    page.begin(say_moves(moves))
    show_both(kept, result)
    show_moves(moves, kept, result)


def describe(result: Fitted) -> str:
    return f"{literal(result.data.name)}, {result.choice.account}"


def show_both(kept: Fitted, result: Fitted) -> None:
    """What the fits are, and their errors on test rows."""
    st.markdown(f"**Kept:** {describe(kept)}.  \n**In hand:** {describe(result)}.")
    name = "Test error rate" if result.data.classification else "Test RMSE"
    with st.container(horizontal=True, vertical_alignment="center"):
        if kept.error is not None and result.error is not None:
            said = partial(say_error, measure=error_name(result.model))
            st.metric(f"{name}, kept", said(kept.error), border=True, height="stretch")
            change = result.error / kept.error - 1.0 if kept.error else 0.0
            same = f"{abs(change):.1%}" == "0.0%"
            st.metric(
                f"{name}, in hand", said(result.error), None if same else f"{change:+.1%}",
                delta_color="inverse", border=True, height="stretch",
            )  # fmt: skip
        keep_button("two.keep", "Keep the fit in hand instead")
        st.button("Forget the kept fit", key="two.forget", on_click=forget, type="tertiary")
    if kept.data.key != result.data.key:
        st.caption("The two are tested on other rows, so their errors cannot be compared.")


def show_moves(moves: Moves, kept: Fitted, result: Fitted) -> None:
    table = moves.table.assign(**errors(moves, kept, result))
    if len(moves.after) > 1:
        charts.show(
            figures.task_moves(
                moves.before, moves.after, pure=result.model.pure_[moves.later],
                task_names=list(moves.task_names), cluster_names=moves.cluster_names,
            ),
            "moves", maths=help.MOVES, table=lambda: table,
            pickable=len(moves.later) == len(result.model.task_names_),
        )  # fmt: skip
    table = table.sort_values("moved", ascending=False, kind="stable")
    show_table(table, "moves", tasks=moves.later[table.index], config={"moved": SHARE})


def errors(moves: Moves, kept: Fitted, result: Fitted) -> dict[str, pd.Series]:
    """Of each task on the rows kept for testing, where both fits have some."""
    old, new = kept.data.test, result.data.test
    if old is None or new is None:
        return {}
    return {
        "test error before": pd.Series(task_errors(kept.model, old)[1][moves.earlier]),
        "test error": pd.Series(task_errors(result.model, new)[1][moves.later]),
    }
