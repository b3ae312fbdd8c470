"""The first page that a new server is asked for goes through the router, like all others.

Streamlit takes a folder named ``pages`` for its old kind of navigation until ``st.navigation`` has
been called once in the process: a link to a page would run that page's file alone.
"""

from __future__ import annotations

from pathlib import Path
from threading import Event

import streamlit as st

ROUTER = "app.py"
WANTED = "studio.wanted"
has_run = Event()  # in this process


def pass_on() -> None:
    """In the router, after ``st.navigation``: back to the page that asked for it."""
    has_run.set()
    if WANTED in st.session_state:
        page, query = st.session_state.pop(WANTED)
        st.switch_page(page, query_params=query)


def require(file: str) -> None:
    """First line of a page: through the router, if it has never run."""
    if not has_run.is_set():
        st.session_state[WANTED] = f"pages/{Path(file).name}", st.query_params.to_dict()
        st.switch_page(ROUTER)
