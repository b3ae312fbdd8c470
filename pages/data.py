"""Simulate tasks, open an example or upload a file; then look at them."""

import streamlit as st

from stcmtl import summary
from stcmtl.studio import page, progress, session
from stcmtl.studio.choices import EXAMPLE, SIMULATED
from stcmtl.studio.controls import controls


def simulate_form() -> None:
    choice = session.data_choice()
    with st.container(horizontal=True, gap="medium"):
        choice = controls(choice, "tasks", "features", "clusters", "rows", "test_rows", width=130)
    with st.container(horizontal=True, gap="medium"):
        choice = controls(choice, "kind", "mixing")
        choice = controls(choice, "mixed", "outliers", "noise", "correlation", width=130)
    with st.container(horizontal=True, gap="medium"):
        choice = controls(choice, "structure", "draw", width=130)
    st.button(
        "Simulate", type="primary", key="data.simulate", on_click=open_choice,
        args=(choice.with_values(source=SIMULATED),),
    )  # fmt: skip


def example_form() -> None:
    choice = controls(session.data_choice(), "example")
    with st.container(horizontal=True, gap="medium"):
        choice = controls(choice, "held_out", "split", width=130)
    st.button(
        "Open", type="primary", key="data.example", on_click=open_choice,
        args=(choice.with_values(source=EXAMPLE),),
    )  # fmt: skip


def open_choice(choice) -> None:
    session.put("error", None)
    try:
        session.open_data(choice)
    except ValueError as error:
        session.put("error", str(error))


loaded = session.data()
if loaded is None:
    st.title("Simulate tasks, open an example or upload a file", anchor=False)
    progress.watch()
else:
    page.begin(summary.data_account(loaded.train), loaded.name)
simulated, examples, upload = st.tabs(["Simulate", "Examples", "Upload"])
with simulated:
    simulate_form()
with examples:
    example_form()
