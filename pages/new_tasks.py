"""Where a task that was not in the fit belongs, and predictions for it."""

from stcmtl.studio.start import require

require(__file__)

import numpy as np
import streamlit as st

from stcmtl import figures
from stcmtl.estimators.places import outline_places
from stcmtl.evaluation import tables
from stcmtl.phrases import listed
from stcmtl.studio.widgets import charts, new_tasks, page
from stcmtl.studio.widgets.controls import pick_one
from stcmtl.studio.widgets.new_tasks import Placed
from stcmtl.studio.widgets.progress import tell_error
from stcmtl.studio.widgets.tables import SHARE, show_table
from stcmtl.studio.words import findings, help, placing
from stcmtl.studio.words.parts import part_of_new
from stcmtl.studio.words.scripts import Sources
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


def draw(result: Fitted, placed: Placed) -> None:
    """New tasks among the others on the simplex, or their loadings; without clusters nothing."""
    model, found = result.model, placed.assignment
    called = tables.cluster_names(model)
    K, names, loadings = found.loadings.shape[1], list(found.task_names), found.loadings.T
    options = {
        "maths": help.NEW_TASK,
        "table": lambda: new_tasks.assignment_table(model, found),
        "sources": [Sources(result.data, result, parts=[part_of_new(found, placed.lines)])],
    }
    if K == 1 and tables.is_mixture(model):
        st.markdown("There is one cluster: a new task can belong to no other.")
    elif K == 1 or (K and model.shape_ == "span"):
        bars = figures.loading_bars(loadings, task_names=names, cluster_names=called)
        bars.update_traces(customdata=None)  # only fitted tasks can be picked
        charts.show(bars, "new-loadings", **options)
    elif K:
        clusters, flat = charts.choose_simplex(called)
        is_mixture = tables.is_mixture(model)
        charts.show(
            figures.memberships(
                model.memberships_.T, pure=model.pure_, task_names=list(model.task_names_),
                strength=None if is_mixture else model.strength_, clusters=clusters, flat=flat,
                new=found.memberships.T, new_true=placed.true, new_names=names,
                new_strength=None if is_mixture else np.abs(loadings).sum(axis=0),
                new_regions=outline_places(found) if is_mixture else (),
                cluster_names=called,
            ),
            "new-simplex", pickable=True, **options,
        )  # fmt: skip


def show(result: Fitted, placed: Placed) -> None:
    model, found = result.model, placed.assignment
    page.show_picked(model.task_names_)
    draw(result, placed)
    if findings.nothing_to_place_by(result):
        return
    if len(found.task_names) == 1 and not found.outliers[0]:
        alike = findings.are_too_alike(result)
        called = tables.cluster_names(model)
        st.markdown(literal(placing.new_task(found, 0, called, alike=alike)))
    if found.outliers.any():
        names = listed(found.task_names[found.outliers].tolist())
        ways = "even with its own fit", "with the one cluster", "whatever the mixture"
        whatever = ways[min(found.loadings.shape[1], 2)]
        st.warning(
            f"{literal(names)}: {whatever}, the loss is beyond that of the fitted tasks, "
            "and beyond chance. Take this place and its predictions with care.",
            icon=":material/warning:",
        )
    table = new_tasks.assignment_table(model, found)
    shares = tables.cluster_names(model)
    ends = {
        f"{name}, {end}": st.column_config.NumberColumn(f"{end} ({k})", format="%.2f", width=62)
        for k, name in enumerate(shares, start=1)
        for end in ("from", "to")
    }
    spare = [["rows"], ["best alone", "loss alone"], list(ends)]
    show_table(table, "new", config=dict.fromkeys(shares, SHARE) | ends, spare=spare)


def predict(result: Fitted, placed: Placed | None) -> None:
    st.header("Predict rows of fitted or new tasks", anchor=False)
    try:
        table = new_tasks.rows_upload(result, placed)
    except ValueError as error:
        tell_error(error)
        return
    if table is None:
        return
    show_table(table, "predictions", noun="row")


result = page.need_fit("New tasks")
top = st.container()
placed = choose(result)
with top:
    asked = "Where does a new task belong?"
    called = tables.cluster_names(result.model)
    nothing = findings.nothing_to_place_by(result)
    said = asked
    if placed is not None:
        alike = findings.are_too_alike(result)
        said = nothing or placing.new_tasks(placed.assignment, called, alike=alike)
    page.begin_with_verdict(result, said)
if placed is not None:
    show(result, placed)
predict(result, placed)
