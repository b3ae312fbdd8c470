"""The upload tab: files in, what was understood of them, and controls to correct it."""

from dataclasses import replace
from pathlib import Path
from typing import Any
from zlib import crc32

import streamlit as st

from stcmtl.errors import put
from stcmtl.io.account import Account
from stcmtl.io.reading import Opened
from stcmtl.studio.state import uploads
from stcmtl.studio.state.choices import AUTOMATIC, UPLOAD
from stcmtl.studio.state.loading import Loaded
from stcmtl.studio.state.session import current
from stcmtl.studio.state.uploads import Reading, Sources, Upload
from stcmtl.studio.widgets import column_table, upload_remedies
from stcmtl.studio.widgets.controls import control, download, pick_one
from stcmtl.studio.widgets.progress import tell_error
from stcmtl.studio.widgets.upload_remedies import choose_notation, key_of
from stcmtl.studio.words.sentences import literal, word_setting

# What people have; the content decides, whatever the extension says.
TEXTS = ["csv", "tsv", "tab", "txt", "json", "jsonl", "ndjson"]
TABLES = ["parquet", "feather", "arrow", "xlsx", "xlsm", "dta", "sav", "rds", "rda", "rdata"]
ENDINGS = [*TEXTS, *TABLES, "npz", "mat", "zip", "gz", "bz2", "xz"]
FROM_FILE_NAMES, CHOOSE = "(the file's name)", "Choose a column"
GUESS = "as guessed"
# The three forms in which people keep many tasks, a small file each.
TEMPLATES = {
    "tasks-long.csv": "Long: a task column",
    "tasks-wide.csv": "Wide: one target per task",
    "tasks.zip": "Zip: one file per task",
}
MISSING = {"error": "refuse", "median": "fill with median"}
MOST_ASKED = 4  # candidates with a button of their own


def upload_form() -> None:
    files = st.file_uploader(
        "Drop a table, or several files with a task each", ENDINGS, accept_multiple_files=True,
        key="data.files",
        help="CSV, TSV, JSON, Parquet, Excel, Stata, SPSS, NumPy .npz, MATLAB .mat, or a zip. "
        "Files stay in this session and are gone when it ends.",
    )  # fmt: skip
    offer_templates()
    upload = take_upload("upload", files)
    if upload is None:
        return
    if upload.tried != upload.how:
        with st.spinner("Reading ..."):
            upload.open()
    said = st.container()
    reading = choose(upload)
    if reading is not None:
        with st.spinner("Reading ..."):
            fresh = uploads.open_upload(upload, reading)
        if fresh:
            st.rerun()  # so that the sidebar knows them too
    with said:
        if reading is None and upload.opened is not None:
            ask_for_task(upload.opened, columns_key(upload))
        else:
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
        upload = uploads.make_upload(sources)
        current().uploads[slot] = identity, upload
    return upload


def columns_key(upload: Upload) -> str:
    """What the keys of controls over columns begin with: for other columns, other controls."""
    names = [] if upload.opened is None else [*upload.opened.tables[0].frame.columns]
    return f"{key_of(upload)}.{crc32(repr(names).encode())}"


def choose(upload: Upload) -> Reading | None:
    """Controls at what was guessed; None as long as a question is open, or nothing is."""
    key, opened = key_of(upload), upload.opened
    if opened is None:
        choose_notation(upload)  # which may be why
        return None
    with st.container(horizontal=True, vertical_alignment="bottom"):
        reading = choose_columns(opened, columns_key(upload)) if opened.tables else Reading()
        kind = pick_one("Target is for", [GUESS, "regression", "classification"], f"{key}.kind")
        missing = pick_one(
            "Missing cells", MISSING, f"{key}.missing", format_func=MISSING.__getitem__
        )
        if opened.tables:
            choose_notation(upload)
    if reading is None:
        return None
    if (loaded := in_hand(upload)) is not None:
        choose_scale(loaded)
    if opened.tables:
        reading = column_table.choose_features(upload, opened, reading, columns_key(upload))
    return replace(reading, task_type=None if kind == GUESS else kind, missing=missing)


def choose_columns(opened: Opened, key: str) -> Reading | None:
    """Task and target columns by layout."""
    guess, columns = opened.guess, list(opened.tables[0].frame.columns)
    layout = guessed = "wide" if len(guess.targets) > 1 else "long"
    if len(opened.tables) == 1:
        layout = pick_one(
            "Layout", ["long", "wide"], f"{key}.layout", default=guessed,
            help="Long: one column names the task of a row. Wide: one target column per task.",
        )  # fmt: skip
    if layout == "wide":
        targets = st.multiselect(
            "Target columns", columns, default=guess.targets if guessed == "wide" else (),
            key=f"{key}.targets", width=360, persist_state="session",
        )  # fmt: skip
        return Reading(targets=tuple(targets), layout="wide")
    one_each = len(opened.tables) > 1
    task = pick_column(
        "Task column", columns, None if guess.ask else guess.task, f"{key}.task", guess.tasks,
        FROM_FILE_NAMES if one_each else CHOOSE,
    )  # fmt: skip
    aim = guess.targets[0] if guessed == "long" and guess.targets else None
    target = pick_column("Target column", columns, aim, f"{key}.target", dict.fromkeys(guess.aims))
    if task is None and not one_each:
        return None
    return Reading(task, () if target is None else (target,), None if one_each else layout)


def pick_column(
    label: str,
    columns: list[str],
    guess: str | None,
    key: str,
    likely: dict[str, Any],
    none: str = CHOOSE,
) -> str | None:
    """One of the columns, the likely ones first, with what is known of each."""
    options = [*likely, *(column for column in columns if column not in likely)]
    index = None if guess is None else options.index(guess)
    return st.selectbox(
        label, options, index, key=key, width=260, persist_state="session", placeholder=none,
        format_func=lambda name: f"{name}: {likely[name]}" if likely.get(name) else name,
    )  # fmt: skip


def ask_for_task(opened: Opened, key: str) -> None:
    """A question with a button per candidate, where no column is clearly the one."""
    likely = opened.guess.tasks

    def answer(name: str) -> None:
        st.session_state[f"{key}.task"] = name

    with st.container(border=True):
        st.markdown(":material/help: **Which column makes the tasks?**")
        if not likely:
            st.markdown(
                "None of them looks like it. Choose a column below, or the wide layout if every "
                "target is a task."
            )
        with st.container(horizontal=True):
            for name, counts in list(likely.items())[:MOST_ASKED]:
                label = f"{literal(name)}: {counts}"
                st.button(label, key=f"{key}.ask.{name}", on_click=answer, args=(name,))
    if current().data is not None:
        st.caption("The tasks you had before are still in hand.")


def in_hand(upload: Upload) -> Loaded | None:
    """The tasks in hand, if they are of this upload."""
    session = current()
    found, loaded = session.uploaded, session.data
    is_it = found is not None and found.upload is upload and loaded is not None and loaded.private
    return loaded if is_it else None


def choose_scale(loaded: Loaded) -> None:
    """Whether features are put on one scale for the fit, and why; targets are left as they are."""
    if told := loaded.target_sizes:
        st.warning(literal(told), icon=":material/warning:")
    choice = current().fit_choice
    with st.container(horizontal=True, vertical_alignment="bottom"):
        control(choice, "scale", keep=current().set_fit)
        if choice.scale == AUTOMATIC:
            st.caption(literal(loaded.scale_forecast))


def tell(upload: Upload) -> None:
    """What was understood, or the one sentence why nothing was, and what can be done about it."""
    session, loaded = current(), in_hand(upload)
    if error := upload.fault or session.data_error_of(UPLOAD):
        tell_error(error)
        upload_remedies.offer(upload, getattr(error, "remedy", ""), type="primary")
        if len(upload.sources) > 1:
            st.caption("The files above are read together: take out with × what does not belong.")
        if session.data is not None:
            st.caption("The tasks you had before are still in hand.")
    elif loaded is not None and session.uploaded is not None:
        tell_account(session.uploaded.account)
        upload_remedies.offer(upload, *session.uploaded.account.advice)
    elif session.upload_tried is not None and session.upload_tried[0] == upload.digest:
        label = f"Open {literal(upload.name)} again"
        st.button(label, key="data.again", on_click=uploads.forget_try)


def tell_account(account: Account) -> None:
    """What was understood, but for what the table tells of each column; a doubt stands alone."""
    lines = replace(account, advice=()).lines(word_setting)
    lines = [line for line in lines if not line.startswith(("Encoded ", "Left out: column "))]
    doubts = [f"{put(text, word_setting)}." for text in account.advice]
    if account.tasks > 1:
        st.success("  \n".join(map(literal, lines)), icon=":material/check:")
    else:
        doubts = lines + doubts
    if doubts:
        st.warning("  \n".join(map(literal, doubts)), icon=":material/warning:")
