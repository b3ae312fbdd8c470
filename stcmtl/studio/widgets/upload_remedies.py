"""How a file is written, where that has to be said, and buttons for what a sentence proposes."""

from typing import Any

import streamlit as st

from stcmtl.errors import Setting, Text
from stcmtl.io.parsing import How
from stcmtl.studio.state.uploads import Upload

GUESS = "as guessed"
# Label, and what can be said, by its name here.
NOTATION: dict[str, tuple[str, dict[str, str]]] = {
    "decimal": ("Decimal sign", {"point": ".", "comma": ","}),
    "thousands": (
        "Thousands sign", {"comma": ",", "point": ".", "space": " ", "apostrophe": "'"}
    ),
    "order": (
        "Dates begin with",
        {"the day": "day first", "the month": "month first", "the year": "year first"},
    ),
    "use": (
        "Dates become",
        {"year, season and days": "parts", "days": "days", "nothing: left out": "leave out"},
    ),
    "delimiter": ("Between columns", {"comma": ",", "semicolon": ";", "tab": "\t", "bar": "|"}),
    "encoding": (
        "Letters",
        {
            "UTF-8": "utf-8", "Western European": "cp1252", "Central European": "cp1250",
            "UTF-16": "utf-16",
        },
    ),
}  # fmt: skip
SHEET, MARKS = "sheet", "marks"
# Controls of their own, by setting and value: the button that sets it, and where it is kept.
ELSEWHERE = {
    ("missing", "median"): ("Fill with medians", "missing"),
    ("task_type", "classification"): ("Take the target as labels", "kind"),
}


def key_of(upload: Upload) -> str:
    """What the keys of its controls begin with."""
    return f"upload.{upload.digest[:12]}"


def choose_notation(upload: Upload) -> None:
    """What is said of how the file is written counts more than what its cells look like."""
    key = key_of(upload)
    options: dict[str, Any] = {"persist_state": "session", "on_change": apply, "args": (upload,)}
    sheets = [] if upload.parsed is None else [*upload.parsed.sheets]
    if len(sheets) > 1:
        st.selectbox("Sheet", [GUESS, *sheets], key=f"{key}.{SHEET}", width=200, **options)
    with st.popover("How it is written", icon=":material/translate:"):
        for name, (label, values) in NOTATION.items():
            st.selectbox(label, [GUESS, *values], key=f"{key}.{name}", **options)
        st.text_input(
            "Marks of missing values", key=f"{key}.{MARKS}", placeholder="such as ? or -999",
            help="With blanks between them.", **options,
        )  # fmt: skip


def apply(upload: Upload) -> None:
    """Have the file read as the controls say."""
    key = key_of(upload)
    said: dict[str, Any] = {
        name: values.get(st.session_state.get(f"{key}.{name}", GUESS))
        for name, (_, values) in NOTATION.items()
    }
    dates = [word for word in (said.pop("order"), said.pop("use")) if word]
    marks = st.session_state.get(f"{key}.{MARKS}", "").split()
    sheet = st.session_state.get(f"{key}.{SHEET}", GUESS)
    upload.how = How(
        **said,
        dates=", ".join(dates) or None,
        missing_marks=tuple(marks) or None,
        sheet=None if sheet == GUESS else sheet,
    )


def offer(upload: Upload, *texts: Text, **button: Any) -> None:
    """A button for everything that the texts propose and a control can do."""
    parts = [part for text in texts for part in (text if isinstance(text, tuple) else (text,))]
    remedies = [find_remedy(part, upload) for part in parts if isinstance(part, Setting)]
    with st.container(horizontal=True):
        for label, control, value in dict.fromkeys(filter(None, remedies)):
            st.button(
                label, key=f"{key_of(upload)}.remedy.{label}", on_click=follow,
                args=(upload, control, value), **button,
            )  # fmt: skip


def find_remedy(setting: Setting, upload: Upload) -> tuple[str, str, str] | None:
    """What the button says, the control that it sets, and to what; None where none can."""
    name, value = setting.name, setting.value
    if name == "missing_marks" and isinstance(value, list):
        known = st.session_state.get(f"{key_of(upload)}.{MARKS}", "")
        return f"{value[0]} means missing", MARKS, f"{known} {value[0]}".strip()
    if (name, str(value)) in ELSEWHERE:
        return *ELSEWHERE[name, str(value)], str(value)
    for control in ("order", "use") if name == "dates" else (name,):
        label, choices = NOTATION.get(control, ("", {}))
        for choice, meaning in choices.items():
            if meaning == value:
                return f"{label}: {choice}", control, choice
    return None


def follow(upload: Upload, control: str, value: str) -> None:
    """Set the control as proposed, before anything else on the page is run."""
    st.session_state[f"{key_of(upload)}.{control}"] = value
    apply(upload)
