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
# Controls of their own, by setting and value: where it is kept, and the button that sets it.
ELSEWHERE = {
    ("missing", "median"): ("missing", "Fill with medians"),
    ("task_type", "classification"): ("kind", "Take the target as labels"),
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
    proposed = {describe(part): part for part in parts if isinstance(part, Setting)}
    with st.container(horizontal=True):
        for label, setting in proposed.items():
            if label:
                st.button(
                    label, key=f"{key_of(upload)}.remedy.{label}", on_click=follow,
                    args=(upload, setting), **button,
                )  # fmt: skip


def describe(setting: Setting) -> str:
    """What a button says that does it; empty where none can."""
    if setting.name == "missing_marks" and isinstance(setting.value, list):
        return f"{setting.value[0]} means missing"
    if (setting.name, str(setting.value)) in ELSEWHERE:
        return ELSEWHERE[setting.name, str(setting.value)][1]
    place, choice = find_choice(setting)
    return f"{NOTATION[place][0]}: {choice}" if place else ""


def find_choice(setting: Setting) -> tuple[str, str]:
    """The control that can say it, and the choice there; empty where none can."""
    places = ("order", "use") if setting.name == "dates" else (setting.name,)
    for place in places:
        for choice, value in NOTATION.get(place, ("", {}))[1].items():
            if value == setting.value:
                return place, choice
    return "", ""


def follow(upload: Upload, setting: Setting) -> None:
    """Set the control as proposed, before anything else on the page is run."""
    key, state = key_of(upload), st.session_state
    if (setting.name, str(setting.value)) in ELSEWHERE:
        place, _ = ELSEWHERE[setting.name, str(setting.value)]
        state[f"{key}.{place}"] = setting.value
        return
    if setting.name == "missing_marks" and isinstance(setting.value, list):
        known = state.get(f"{key}.{MARKS}", "").split()
        state[f"{key}.{MARKS}"] = " ".join([*known, str(setting.value[0])])
    else:
        place, choice = find_choice(setting)
        state[f"{key}.{place}"] = choice
    apply(upload)
