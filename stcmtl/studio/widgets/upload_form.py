"""The upload tab: files in, what was understood of them, and controls to correct it."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from pathlib import Path
from typing import Any
from zlib import crc32

import streamlit as st

from stcmtl.errors import Setting, Worded
from stcmtl.io.reading import Opened
from stcmtl.phrases import digits
from stcmtl.studio.state import uploads
from stcmtl.studio.state.choices import AS_THEY_ARE, ONE_SCALE, SCALES, UPLOAD
from stcmtl.studio.state.loading import Loaded
from stcmtl.studio.state.session import current
from stcmtl.studio.state.uploads import Reading, Sources, Upload
from stcmtl.studio.widgets import column_table
from stcmtl.studio.widgets.controls import download, pick_one
from stcmtl.studio.widgets.progress import tell_error
from stcmtl.studio.words.sentences import literal

# What people have; the content decides, whatever the extension says.
ENDINGS = ["csv", "tsv", "tab", "txt", "parquet", "xlsx", "xlsm", "npz", "mat", "zip", "gz"]
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
# What a sentence proposes, by setting and value: the label of a button that does it.
REMEDIES = {
    ("missing", "median"): "Fill with medians",
    ("task_type", "classification"): "Take the target as labels",
}
# Of the notation: label, and the choices by what is said of the file.
SIGNS: dict[str, tuple[str, dict[str, str]]] = {
    "decimal": ("Decimal sign", {"point": ".", "comma": ","}),
    "thousands": (
        "Thousands sign",
        {"comma": ",", "point": ".", "space": " ", "apostrophe": "'", "none": ""},
    ),
    "dates": (
        "Dates",
        {"day first": "day first", "month first": "month first", "year first": "year first"},
    ),
    "delimiter": ("Between columns", {"comma": ",", "semicolon": ";", "tab": "\t", "bar": "|"}),
}


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
    if upload.opened is None and upload.fault is None:
        with st.spinner("Reading ..."):
            upload.say()
    said = st.container()
    if upload.opened is not None:
        reading = choose(upload, upload.opened)
        if reading is not None:
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
        upload = uploads.make_upload(sources)
        current().uploads[slot] = identity, upload
    return upload


def key_of(upload: Upload) -> str:
    """What the keys of its controls begin with."""
    return f"upload.{upload.digest[:12]}"


def choose(upload: Upload, opened: Opened) -> Reading | None:
    """Controls at what was guessed; None as long as a question is open."""
    key = key_of(upload)
    names = [*opened.tables[0].frame.columns] if opened.tables else []
    own = f"{key}.{crc32(repr(names).encode())}"  # other columns, other controls
    with st.container(horizontal=True, vertical_alignment="bottom"):
        reading = choose_columns(opened, own) if opened.tables else Reading()
        kind = pick_one("Target is for", [GUESS, "regression", "classification"], f"{key}.kind")
        missing = pick_one(
            "Missing cells", MISSING, f"{key}.missing", format_func=MISSING.__getitem__
        )
        if opened.tables:
            choose_notation(upload, key)
    if reading is None:
        ask_for_task(opened, own)
        return None
    if (loaded := in_hand(upload)) is not None:
        choose_scale(loaded, key)
    if opened.tables:
        reading = column_table.choose_features(upload, opened, reading, own)
        with st.expander(f"The first rows of {literal(opened.tables[0].name)}"):
            st.dataframe(opened.tables[0].frame.head(8), hide_index=True, key=f"{own}.rows")
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


def choose_notation(upload: Upload, key: str) -> None:
    """What is said of how the file is written counts more than what its cells look like."""

    def say(name: str, values: dict[str, str]) -> None:
        upload.say(**{name: values.get(st.session_state[f"{key}.{name}"])})

    with st.popover("How it is written", icon=":material/translate:"):
        for name, (label, values) in SIGNS.items():
            st.selectbox(
                label, [GUESS, *values], key=f"{key}.{name}", persist_state="session",
                on_change=say, args=(name, values),
            )  # fmt: skip
        st.text_input(
            "Marks of missing values", key=f"{key}.marks", persist_state="session",
            placeholder="such as ? or -999, with blanks between",
            on_change=lambda: upload.say(
                missing_marks=tuple(st.session_state[f"{key}.marks"].split()) or None
            ),
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
                "None of them looks like it. Choose a column above, or the wide layout if every "
                "target is a task."
            )
        for name, counts in list(likely.items())[:MOST_ASKED]:
            st.button(
                f"{literal(name)}: {counts}", key=f"{key}.ask.{name}", on_click=answer, args=(name,)
            )


def in_hand(upload: Upload) -> Loaded | None:
    """The tasks in hand, if they are of this upload."""
    session = current()
    found, loaded = session.uploaded, session.data
    is_it = found is not None and found.upload is upload and loaded is not None and loaded.private
    return loaded if is_it else None


def choose_scale(loaded: Loaded, key: str) -> None:
    """Whether features are put on one scale for the fit, and why that is proposed."""
    spreads, chosen = loaded.spreads, current().fit_choice.scale
    state = f"{key}.scale.{chosen}"
    with st.container(horizontal=True, vertical_alignment="center"):
        st.segmented_control(
            "Features in the fit", SCALES, default=chosen, required=True, key=state,
            on_change=lambda: current().set_fit(scale=st.session_state[state]),
        )  # fmt: skip
        (least, low), (most, high) = spreads.least, spreads.most
        if spreads.differ:
            st.caption(
                f"Proposed: {ONE_SCALE}. {literal(most)} varies by {digits(high)} and "
                f"{literal(least)} by {digits(low)}, so that a common penalty would go by units."
            )
        else:
            st.caption(f"Proposed: {AS_THEY_ARE}. All features vary about alike.")


def tell(upload: Upload) -> None:
    """The account of what was understood, or the one sentence why nothing was."""
    session, loaded = current(), in_hand(upload)
    if error := upload.fault or session.data_error_of(UPLOAD):
        tell_refusal(upload, error)
    elif loaded is not None:
        account = "  \n".join(map(literal, loaded.account))
        if len(loaded.train) == 1:
            st.warning(account, icon=":material/warning:")
        else:
            st.success(account, icon=":material/check:")
    elif session.upload_tried is not None and session.upload_tried[0] == upload.digest:
        label = f"Open {literal(upload.name)} again"
        st.button(label, key="data.again", on_click=uploads.forget_try)


def tell_refusal(upload: Upload, error: Exception) -> None:
    """What is wrong, a button for what can be done about it, and what is not lost."""
    tell_error(error)
    key = key_of(upload)
    for setting in proposals(error):
        label = REMEDIES.get((setting.name, str(setting.value)))
        if label:
            state = f"{key}.{'kind' if setting.name == 'task_type' else setting.name}"
            st.button(
                label, key=f"{state}.remedy", type="primary",
                on_click=st.session_state.update, args=({state: setting.value},),
            )  # fmt: skip
    if len(upload.sources) > 1:
        st.caption("The files above are read together: take out with × what does not belong.")
    if current().data is not None:
        st.caption("The tasks you had before are still in hand.")


def proposals(error: Exception) -> Iterable[Setting]:
    """The settings that a sentence proposes."""
    if not isinstance(error, Worded):
        return []
    parts = error.remedy if isinstance(error.remedy, tuple) else (error.remedy,)
    return [part for part in parts if isinstance(part, Setting)]
