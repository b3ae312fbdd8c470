"""The controls of the New tasks page: draw a task, upload tasks, upload rows to predict."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
import streamlit as st

from stcmtl.io.encode_like import Reading
from stcmtl.io.read_like import FurtherRows, read_tables_like
from stcmtl.studio.state import new_tasks
from stcmtl.studio.state.new_tasks import Placed
from stcmtl.studio.state.session import current
from stcmtl.studio.state.uploads import LIMITS, Upload, make_csv
from stcmtl.studio.widgets.upload_form import ENDINGS, take_upload
from stcmtl.studio.work.fits import Fitted

TEMPLATE_ROWS = 3
KEPT: dict[str, Any] = {"width": 110, "persist_state": "session"}  # over a change of page


def draw_form(result: Fitted) -> Placed:
    """A task of the simulation with chosen memberships, placed as the controls move."""
    with st.container(horizontal=True):
        weights = cluster_weights(result)
    with st.container(horizontal=True, vertical_alignment="bottom"):
        n_rows = st.number_input("Rows", 2, 500, 30, 5, key="new.n_rows", **KEPT)
        seed = st.number_input("Seed", 0, 9999, 0, 1, key="new.seed", **KEPT)
        stranger = st.toggle(
            "Unlike all clusters", key="new.stranger", persist_state="session",
            help="Draw a task that follows no cluster, whatever the weights.",
        )  # fmt: skip
    data = new_tasks.draw_task(result, weights, stranger, int(n_rows), int(seed))
    return new_tasks.place_draw(result, data)


def cluster_weights(result: Fitted) -> np.ndarray:
    """A weight for every true cluster, called by the number of the fitted one it matches."""
    truth = result.data.truth
    assert truth is not None
    K_true, K = len(truth.V), result.model.memberships_.shape[1]
    weights = np.zeros(K_true)
    for place, cluster in enumerate(new_tasks.true_order(result)):
        if cluster < K_true:
            weights[cluster] = st.number_input(
                f"Cluster {place + 1}" if place < K else "Not found", 0.0, 1.0,
                0.5 if place < 2 else 0.0, 0.1, key=f"new.weight.{place}",
                help="Its weight in the new task; weights are made to sum to 1.", **KEPT,
            )  # fmt: skip
    return weights


def test_rows_form(result: Fitted) -> Placed:
    """A fitted task met again through rows that the fit has not seen."""
    test = result.data.test
    assert test is not None
    task = st.selectbox(
        "Task", test.task_names.tolist(), key="new.test_task", width=300, persist_state="session",
        help="Its test rows are placed as if it were new: it should land where it is.",
    )  # fmt: skip
    return new_tasks.place_test_rows(result, task)


def tasks_upload(result: Fitted) -> Placed | None:
    """Uploaded tasks with their targets, placed once."""
    upload = uploader(
        "Rows of new tasks, with their targets", "new.tasks",
        "Of several files each is a task; in one file a task column tells tasks apart.",
    )  # fmt: skip
    offer_template(result)
    if upload is None:
        return None
    session, key = current(), (upload.digest, id(result))
    if session.placed is None or session.placed[0] != key:
        session.placed = key, new_tasks.place_rows(result.model, rows_of(upload, result))
    return session.placed[1]


def rows_upload(result: Fitted, placed: Placed | None) -> pd.DataFrame | None:
    """Uploaded rows with a prediction each; where no column names the task, a control does."""
    upload = uploader(
        "Rows to predict, without targets", "new.rows",
        "The features of the fit by their names, and a task column; more columns do no harm.",
    )  # fmt: skip
    if upload is None:
        return None
    rows = rows_of(upload, result)
    found = None if placed is None else placed.assignment
    tasks: Any = rows.tasks
    if tasks is None:
        names = [] if found is None else found.task_names.tolist()
        names += [name for name in result.model.task_names_.tolist() if name not in names]
        chosen = st.selectbox("These rows are of task", names, key="new.of_task", width=300)
        tasks = np.repeat(chosen, len(rows.X))
    return new_tasks.predict_rows(result.model, rows, tasks, found)


def uploader(label: str, key: str, help: str) -> Upload | None:
    files = st.file_uploader(label, ENDINGS, accept_multiple_files=True, key=key, help=help)
    return take_upload(f"{key}.upload", files)


def rows_of(upload: Upload, result: Fitted) -> FurtherRows:
    """Rows read like the file in hand, or by the names of the features where there is none."""
    first, missing = Reading(tuple(result.data.train.feature_names)), "error"
    if result.data.private and (found := current().uploaded) is not None:
        first, missing = found.known, found.reading.missing
    return read_tables_like(list(upload.sources), first, missing=missing, limits=LIMITS)


def offer_template(result: Fitted) -> None:
    """A few rows in the form that both uploads take."""
    train = result.data.train

    def make() -> bytes:
        frame = train.to_frame().head(TEMPLATE_ROWS)
        return make_csv(frame.assign(task=new_tasks.NEW))

    st.download_button(
        "Template with the features of this fit", make, "new-task.csv", "text/csv",
        on_click="ignore", type="tertiary", icon=":material/download:", key="new.template",
    )  # fmt: skip
