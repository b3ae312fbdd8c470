"""The New tasks page: tasks drawn or uploaded, placed among the clusters, predicted."""

from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd
import streamlit as st
from numpy.typing import NDArray

from stcmtl.data.simulation import draw_task
from stcmtl.data.taskset import Array, TaskSet
from stcmtl.errors import InputError
from stcmtl.estimators.new_tasks import Assignment
from stcmtl.estimators.semisoft import STCMTLClassifier
from stcmtl.evaluation.predictions import with_names
from stcmtl.evaluation.summary import called
from stcmtl.evaluation.tables import cluster_keys, cluster_names, is_mixture
from stcmtl.io.encode_like import Reading
from stcmtl.io.limits import ReadError
from stcmtl.io.read_like import FurtherRows, read_tables_like
from stcmtl.phrases import listed
from stcmtl.solver.alignment import match_clusters, pad_clusters
from stcmtl.studio.state.choices import DataChoice
from stcmtl.studio.state.loading import USUAL_SCALE
from stcmtl.studio.state.session import current
from stcmtl.studio.state.uploads import LIMITS, Upload
from stcmtl.studio.widgets import upload_remedies
from stcmtl.studio.widgets.controls import download, make_csv
from stcmtl.studio.widgets.upload_form import ENDINGS, take_upload
from stcmtl.studio.words import parts
from stcmtl.studio.work.fits import Fitted

NEW = "New task"
TEMPLATE_ROWS = 3
KEPT: dict[str, Any] = {"width": 110, "persist_state": "session"}  # over a change of page


@dataclass(frozen=True, eq=False)
class Placed:
    """Where new tasks land, and where they belong in the fit's order of clusters, if known.

    ``lines`` of Python find the same.
    """

    assignment: Assignment
    lines: list[str]
    true: Array | None = None  # (K, M)


def true_order(result: Fitted) -> NDArray[np.intp]:
    """The true cluster that every fitted one stands for; true ones that none does come last."""
    truth = result.data.truth
    assert truth is not None
    V = result.model.memberships_.T
    if not len(V):
        return np.arange(len(truth.V))
    K = max(len(V), len(truth.V))
    return match_clusters(pad_clusters(truth.V, K), V)


def assign(model: Any, X: Array, y: Any, tasks: Any) -> Assignment:
    return model.assign(with_names(model, X), y, tasks)


def assignment_table(model: Any, found: Assignment) -> pd.DataFrame:
    """One row per new task: shares with their intervals, loss, the best single cluster, and
    whether a mixture fits.

    Where shares are not all, its loadings and strength too; without clusters only its loss.
    """
    names = cluster_names(model)
    columns: dict[str, Any] = dict(zip(names, found.memberships.T, strict=True))
    if len(names) > 1:
        columns["rows"] = found.rows
        for name, low, high in zip(names, found.places.low.T, found.places.high.T, strict=True):
            columns |= {f"{name}, from": low, f"{name}, to": high}
    if not is_mixture(model):
        columns |= {f"loading {k + 1}": v for k, v in enumerate(found.loadings.T)}
        columns["strength"] = np.abs(found.loadings).sum(axis=1)
    columns["loss" if len(names) else "loss on these rows"] = found.loss
    if len(names) > 1:
        columns |= {
            "best alone": cluster_keys(model)[found.single],
            "loss alone": found.single_loss,
        }
    if len(names):
        columns["fits"] = ~found.outliers
    return pd.DataFrame({"task": found.task_names, **columns})


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
    if not stranger and not weights.any():
        raise InputError("Give at least one cluster a weight")
    shares = np.zeros_like(weights) if stranger else weights
    choice: DataChoice = result.data.key  # of a simulation
    assert result.data.truth is not None
    data = draw_task(
        result.data.truth, shares, int(n_rows), choice.noise, correlation=choice.correlation,
        task_type=choice.kind, scale=choice.signal * USUAL_SCALE[choice.kind],
        random_state=int(seed),
    )  # fmt: skip
    truth = data.truth
    assert truth is not None
    lines = parts.draw_new(choice, shares, int(n_rows), int(seed))
    order, K = true_order(result), result.model.memberships_.shape[1]
    true = pad_clusters(truth.V, len(order))[order][:K]
    # Among the clusters that were found; of several any may be the only true one.
    has_place = K > 0 and not len(truth.V) == 1 < K and bool(np.isclose(true.sum(), 1.0))
    found = assign(result.model, data.X, data.y, data.tasks)
    return Placed(found, lines, true if has_place else None)


def cluster_weights(result: Fitted) -> np.ndarray:
    """A weight for every true cluster, called by the number of the fitted one it matches."""
    truth = result.data.truth
    assert truth is not None
    K_true, K = len(truth.V), result.model.memberships_.shape[1]
    weights, names = np.zeros(K_true), cluster_names(result.model) or None
    for place, cluster in enumerate(true_order(result)):
        if cluster < K_true:
            weights[cluster] = st.number_input(
                called(place, names) if place < K or K == 0
                else f"True cluster {cluster + 1} (not found)", 0.0, 1.0,
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
    own = test.tasks == task
    names = np.repeat(f"{task}, test rows", int(own.sum()))
    found = assign(result.model, test.X[own], test.y[own], names)
    return Placed(found, parts.take_test_rows(task))


def tasks_upload(result: Fitted) -> Placed | None:
    """Uploaded tasks with their targets, placed once; a file without task labels is one task."""
    upload = uploader(
        "Rows of new tasks, with their targets", "new.tasks",
        "Of several files each is a task; in one file a task column tells tasks apart.",
    )  # fmt: skip
    download(
        "Template with the features of this fit", lambda: make_template(result.data.train),
        "new-task.csv", "new.template", type="tertiary",
    )  # fmt: skip
    if upload is None:
        return None
    session, rows = current(), rows_of(upload, result)
    if session.placed is None or session.placed[0] is not rows:
        if rows.y is None:
            remedy = "where a task belongs is found from rows with targets"
            raise InputError("has no target", where=rows.name, remedy=remedy)
        lines = parts.read_new(upload, result.data, missing_of(upload))
        session.placed = rows, Placed(assign(result.model, rows.X, rows.y, rows.labels), lines)
    return session.placed[1]


def make_template(train: TaskSet) -> bytes:
    """A few rows in the form that both uploads take."""
    return make_csv(train.to_frame().head(TEMPLATE_ROWS).assign(task=NEW))


def rows_upload(result: Fitted, placed: Placed | None) -> pd.DataFrame | None:
    """Uploaded rows with what the model says of them, for fitted tasks and for new ones.

    Where no column names the task, a control does.
    """
    upload = uploader(
        "Rows to predict, without targets", "new.rows",
        "The features of the fit by their names, and a task column; more columns do no harm.",
    )  # fmt: skip
    if upload is None:
        return None
    model, rows = result.model, rows_of(upload, result)
    found = None if placed is None else placed.assignment
    new = [] if found is None else found.task_names.tolist()
    known = [*new, *(name for name in model.task_names_.tolist() if name not in new)]
    tasks: Any = rows.tasks
    if tasks is None:
        chosen = st.selectbox("These rows are of task", known, key="new.of_task", width=300)
        tasks = np.repeat(chosen, len(rows.X))
    if unknown := sorted(map(str, {*tasks.tolist()} - {*known})):
        raise InputError(
            "no such task in the fit or among the new ones above. Name a fitted task, or place the "
            "new one first",
            where=f"{listed(unknown, 3)}:",
        )
    X = with_names(model, rows.X)
    said = {"task": tasks, "prediction": model.predict(X, tasks, found)}
    if isinstance(model, STCMTLClassifier):
        odds = model.predict_proba(X, tasks, found)[:, 1]
        said[f"probability of {model.classes_[1]}"] = odds
    others = rows.frame.drop(columns=[c for c in said if c in rows.frame.columns])
    return pd.concat([pd.DataFrame(said), others], axis=1)


def uploader(label: str, key: str, help: str) -> Upload | None:
    files = st.file_uploader(label, ENDINGS, accept_multiple_files=True, key=key, help=help)
    return take_upload(f"{key}.upload", files)


def rows_of(upload: Upload, result: Fitted) -> FurtherRows:
    """Its rows as features of the fit, read once; ReadError says why there are none."""
    missing = missing_of(upload)
    asked = id(result), upload.how, missing
    if upload.further is None or upload.further[0] != asked:
        with st.spinner("Reading ..."):
            upload.further = asked, read_further(upload, result, missing)
    found = upload.further[1]
    if isinstance(found, ReadError):
        with st.container(horizontal=True):
            upload_remedies.choose_notation(upload)
            upload_remedies.offer(upload, found.remedy)
        raise found
    return found


def missing_of(upload: Upload) -> str:
    """What is to be done about holes in it."""
    return str(st.session_state.get(f"{upload_remedies.key_of(upload)}.missing", "error"))


def read_further(upload: Upload, result: Fitted, missing: str) -> FurtherRows | ReadError:
    """Read like the file in hand, or by the names of the features where there is none."""
    first = result.data.known or Reading(tuple(result.data.train.feature_names))
    if result.data.private and (found := current().uploaded) is not None:
        missing = found.reading.missing if missing == "error" else missing
    try:
        return read_tables_like(
            list(upload.sources), first, missing=missing, how=upload.how, limits=LIMITS,
            bounded=True,
        )  # fmt: skip
    except ReadError as error:
        return error
