"""The three ways to tasks on the Data page: simulate, examples, upload."""

from __future__ import annotations

import streamlit as st

from stcmtl.studio.state.choices import EXAMPLE, SIMULATED, DataChoice
from stcmtl.studio.state.loading import find_faults
from stcmtl.studio.state.session import current
from stcmtl.studio.widgets.cards import Card, gallery
from stcmtl.studio.widgets.controls import control
from stcmtl.studio.words.sentences import literal

# Fields of the choice, in groups that one thinks of together.
GROUPS = {
    "Tasks": ("tasks", "clusters", "mixed", "outliers", "mixing"),
    "Rows and features": ("rows", "test_rows", "uneven", "features", "correlation"),
    "Target and seeds": ("kind", "noise", "signal", "structure", "draw"),
}
NARROW = 124  # pixels of a number's control


def simulate_form() -> None:
    """Every parameter of a simulation; what cannot be is said by its control."""
    choice = draft()
    for column, (title, names) in zip(st.columns(len(GROUPS)), GROUPS.items(), strict=True):
        with column, st.container(border=True, height="stretch"):
            st.markdown(f"**{title}**")
            choice = group(choice, names)
    current().draft = current().data_choice, choice
    st.button(
        "Simulate", type="primary", key="data.simulate", icon=":material/casino:",
        on_click=current().try_data, args=(choice.with_values(source=SIMULATED),),
        disabled=bool(find_faults(choice)),
    )  # fmt: skip
    if error := current().data_error_of(SIMULATED):
        st.error(error, icon=":material/error:")


def group(choice: DataChoice, names: tuple[str, ...]) -> DataChoice:
    """Controls side by side as far as there is room, and under them what is wrong."""
    with st.container(horizontal=True, gap="small"):
        for name in names:
            if name == "noise" and choice.kind == "classification":
                continue  # labels are drawn from probabilities: there is no noise to set
            wide = isinstance(getattr(choice, name), str)
            value = control(choice, name, width="stretch" if wide else NARROW)
            choice = choice.with_values(**{name: value})
    for name, sentence in find_faults(choice).items():
        if name in names:
            st.error(sentence, icon=":material/error:")
    return choice


def draft() -> DataChoice:
    """What was set in the form since the tasks in hand were opened."""
    in_hand = current().data_choice
    since, choice = current().draft or (in_hand, in_hand)
    return choice if since == in_hand else in_hand


FROM_FILE = "From a file or OpenML."
EXAMPLES = {
    "digits": Card(
        "Handwritten digits",
        "Is it this digit or another? Four draws of each digit should end up together.",
        "40 tasks, 64 pixels, two labels. Included.",
    ),
    "gapminder": Card(
        "Gapminder",
        "Life expectancy in every country by year, income and population.",
        "142 tasks, 6 features. Included.",
    ),
    "school": Card(
        "School",
        "Exam scores of 15,362 pupils in London, a school a task.",
        "139 tasks, 28 features. From a file.",
    ),
    "isolet": Card(
        "Isolet",
        "Spoken letters by five groups of speakers.",
        f"5 tasks, 617 features. {FROM_FILE}",
    ),
    "usps": Card(
        "USPS digits",
        "Scanned postal digits, each against the rest.",
        f"10 tasks, 87 components, two labels. {FROM_FILE}",
    ),
    "mnist": Card(
        "MNIST digits",
        "The well-known digits, each against the rest.",
        f"10 tasks, 64 components, two labels. {FROM_FILE}",
    ),
}


def examples_form() -> None:
    """A card a data set; files that are missing are asked for by name."""
    if error := current().data_error_of(EXAMPLE):
        st.warning(literal(error), icon=":material/folder_open:")
    gallery(EXAMPLES, 3, open_example, "data")


def open_example(name: str) -> None:
    current().try_data(current().data_choice.with_values(source=EXAMPLE, example=name))
