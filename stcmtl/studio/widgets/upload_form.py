"""The upload tab: files in, what was understood of them, and controls to correct it."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import streamlit as st

from stcmtl.io.preview import Preview
from stcmtl.studio.state import uploads
from stcmtl.studio.state.choices import UPLOAD
from stcmtl.studio.state.session import current
from stcmtl.studio.state.uploads import Reading, Sources, Upload
from stcmtl.studio.widgets.controls import download, pick_one
from stcmtl.studio.widgets.progress import tell_error
from stcmtl.studio.words.sentences import literal

# What people have; the content decides, whatever the extension says.
ENDINGS = ["csv", "tsv", "tab", "txt", "parquet", "xlsx", "xlsm", "npz", "mat", "zip", "gz"]
FROM_FILE_NAMES, NOT_FOUND = "(the file's name)", "(choose a column)"
GUESS = "as guessed"
# The three forms in which people keep many tasks, a small file each.
TEMPLATES = {
    "tasks-long.csv": "Long: a task column",
    "tasks-wide.csv": "Wide: one target per task",
    "tasks.zip": "Zip: one file per task",
}
MISSING = {"error": "refuse", "median": "fill with median"}


def upload_form() -> None:
    files = st.file_uploader(
        "Drop a table, or several files with a task each", ENDINGS, accept_multiple_files=True,
        key="data.files",
        help="CSV, TSV, Parquet, Excel, NumPy .npz, MATLAB .mat, or a zip of tables. "
        "Files stay in this session and are gone when it ends.",
    )  # fmt: skip
    offer_templates()
    upload = take_upload("upload", files)
    if upload is None:
        return
    said = st.container()
    if upload.look is not None:
        reading = pickers(upload, upload.look)
        with st.spinner("Reading ..."):
            fresh = uploads.open_upload(upload, reading)
        if fresh:
            st.rerun()  # so that the sidebar knows them too
    with said:
        tell(upload)


def offer_templates() -> None:
    with st.container(horizontal=True, vertical_alignment="center", gap="small"):
        st.caption("Templates to fill in:", width="content")
        for name, label in TEMPLATES.items():
            content = Path(__file__).with_name("templates") / name
            download(label, content.read_bytes, name, f"template.{name}", type="tertiary")


def take_upload(slot: str, files: Any) -> Upload | None:
    """The files in the uploader, or those it held when one left the page; hashed once."""
    known, upload = current().uploads.get(slot, ((), None))
    if not files:
        return upload
    identity = tuple(file.file_id for file in files)
    if identity != known:
        sources: Sources = tuple((file.name, file.getvalue()) for file in files)
        upload = uploads.look_at(sources)
        current().uploads[slot] = identity, upload
    return upload


def tell(upload: Upload) -> None:
    """The account of what was understood, or the one sentence why nothing was."""
    error = upload.fault or current().data_error_of(UPLOAD)
    if error:
        tell_error(error)
        if len(upload.sources) > 1:
            st.caption("The files above are read together: take out with × what does not belong.")
        if current().data is not None:
            st.caption("The tasks you had before are still in hand.")
        return
    loaded = current().data
    if loaded is not None and loaded.private:
        st.success("  \n".join(map(literal, loaded.account)), icon=":material/check:")
    else:
        st.button(
            f"Open {literal(upload.name)} again", key="data.again", on_click=uploads.forget_try
        )


def pickers(upload: Upload, look: Preview) -> Reading:
    """Controls at what was guessed, and the first rows to check them by."""
    key = f"upload.{upload.digest[:12]}"
    with st.container(horizontal=True, vertical_alignment="bottom"):
        reading = column_pickers(look, key) if len(look.rows) else Reading()
        kind = pick_one("Target is for", [GUESS, "regression", "classification"], f"{key}.kind")
        missing = pick_one(
            "Missing cells", MISSING, f"{key}.missing", format_func=MISSING.__getitem__
        )
    if len(look.rows):
        st.caption(f"The first rows of {literal(look.files[0])}")
        st.dataframe(look.rows, hide_index=True, key=f"{key}.rows")
    task_type = None if kind == GUESS else kind
    return replace(reading, task_type=task_type, missing=missing)


def column_pickers(look: Preview, key: str) -> Reading:
    """Task and target columns by layout; what stays as guessed is left to the reader."""
    guessed = "wide" if len(look.targets) > 1 else "long"
    layout = guessed
    if len(look.files) == 1:
        layout = pick_one(
            "Layout", ["long", "wide"], f"{key}.layout", default=guessed,
            help="Long: one column names the task of a row. Wide: one target column per task.",
        )  # fmt: skip
    if layout == "wide":
        targets = tuple(
            st.multiselect(
                "Target columns", look.columns, default=look.targets if guessed == "wide" else (),
                key=f"{key}.targets", width=360, persist_state="session",
            )
        )  # fmt: skip
        same = guessed == "wide" and targets == look.targets
        return Reading() if same else Reading(targets=targets, layout="wide")
    none = NOT_FOUND if len(look.files) == 1 else FROM_FILE_NAMES
    task = pick_column("Task column", look, look.task, none, f"{key}.task")
    target = pick_column("Target column", look, one_target(look), NOT_FOUND, f"{key}.target")
    if layout == guessed and (task, target) == (look.task, one_target(look)):
        return Reading()
    return Reading(task, () if target is None else (target,), layout)


def one_target(look: Preview) -> str | None:
    return look.targets[0] if len(look.targets) == 1 else None


def pick_column(label: str, look: Preview, guess: str | None, none: str, key: str) -> str | None:
    options = [none, *look.columns] if guess is None else list(look.columns)
    index = 0 if guess is None else options.index(guess)
    chosen = st.selectbox(label, options, index, key=key, width=200, persist_state="session")
    return None if chosen == none else chosen
