"""Where a task that was not in the fit belongs, and predictions for it."""

from stcmtl.studio.start import require

require(__file__)

import streamlit as st

from stcmtl import figures
from stcmtl.phrases import listed
from stcmtl.studio.widgets import charts, new_tasks, page
from stcmtl.studio.widgets.controls import download, make_csv, pick_one
from stcmtl.studio.widgets.new_tasks import Placed
from stcmtl.studio.widgets.progress import tell_error
from stcmtl.studio.words import findings, help
from stcmtl.studio.words.sentences import literal
from stcmtl.studio.work.fits import Fitted

WAYS = {
    "Simulate a task": new_tasks.draw_form,
    "Try test rows": new_tasks.test_rows_form,
    "Upload tasks": new_tasks.tasks_upload,
}


def choose(result: Fitted) -> Placed | None:
    """A drawn task where the truth is known, a known one's test rows if any, or uploaded ones."""
    possible = [result.data.truth is not None, result.data.test is not None, True]
    ways = [way for way, can in zip(WAYS, possible, strict=True) if can]
    way = pick_one("New tasks", ways, f"new.way.{len(ways)}", label_visibility="collapsed")
    try:
        return WAYS[way](result)
    except ValueError as error:
        tell_error(error)
        return None


def show(result: Fitted, placed: Placed) -> None:
    model, found = result.model, placed.assignment
    page.show_picked(model.task_names_)
    clusters, flat = charts.choose_simplex(found.memberships.shape[1])
    charts.show(
        figures.memberships(
            model.memberships_.T, pure=model.pure_, task_names=list(model.task_names_),
            clusters=clusters, flat=flat,
            new=found.memberships.T, new_true=placed.true, new_names=list(found.task_names),
        ),
        "new-simplex", maths=help.NEW_TASK, table=lambda: new_tasks.assignment_table(found),
        pickable=True,
    )  # fmt: skip
    if len(found.task_names) == 1 and not found.outliers[0]:
        st.markdown(findings.new_task(found, 0))
    if found.outliers.any():
        names = listed(found.task_names[found.outliers].tolist())
        st.warning(
            f"{literal(names)}: whatever the mixture, the loss is beyond that of the fitted tasks, "
            "and beyond chance. Take this place and its predictions with care.",
            icon=":material/warning:",
        )
    st.dataframe(
        new_tasks.assignment_table(found), hide_index=True, key="new.table",
        column_config={
            f"cluster {k + 1}": st.column_config.ProgressColumn(
                format="%.2f", min_value=0, max_value=1
            )
            for k in range(found.memberships.shape[1])
        },
    )  # fmt: skip


def predict(result: Fitted, placed: Placed | None) -> None:
    st.header("Predict rows of fitted or new tasks", anchor=False)
    try:
        table = new_tasks.rows_upload(result, placed)
    except ValueError as error:
        tell_error(error)
        return
    if table is None:
        return
    st.dataframe(table, hide_index=True, key="new.predictions")
    download("Predictions as CSV", lambda: make_csv(table), "predictions.csv", "new.download")


result = page.need_fit("New tasks")
top = st.container()
placed = choose(result)
with top:
    asked = "Where does a new task belong?"
    page.begin(asked if placed is None else literal(findings.new_tasks(placed.assignment)))
if placed is not None:
    show(result, placed)
predict(result, placed)
