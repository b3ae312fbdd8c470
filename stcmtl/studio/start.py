"""How a server starts, and a run of a page: by way of the router, with all that it imports at hand.

Streamlit takes a folder named ``pages`` for its old kind of navigation until ``st.navigation`` has
been called once in the process: a link to a page would run that page's file alone.

The modules of scikit-learn import each other in circles: of two threads that import them at once,
from different ends, one is handed a module that is half made. Those of numba and plotly do so too,
and are imported when something is first compiled or drawn. Visitors, jobs and the warm-up are
threads. So one lock is around all that takes seconds to import, first uses included, and whoever
goes beyond Home waits for it. Home does not: ``app.py`` has imported what Home needs before anybody
can get here.
"""

import ctypes
import gc
import os
import sys
from contextlib import suppress
from importlib import import_module
from pathlib import Path
from pkgutil import walk_packages
from threading import Lock, Thread
from time import sleep
from typing import Any

import streamlit as st
from streamlit import runtime

ROUTER, HOME = "app.py", "home"
WANTED, ROUTED = "studio.wanted", "studio.routed"
TIDY = 20.0  # seconds between two looks at what can be given back
ARENAS = -8  # the number by which glibc knows how many heaps threads may have
_importing = Lock()
_is_loaded = False


def pass_on() -> None:
    """In the router, after ``st.navigation``: back to the page that asked for it."""
    if WANTED in st.session_state:
        page, query = st.session_state.pop(WANTED)
        st.switch_page(page, query_params=query)
    st.session_state[ROUTED] = True


def require(file: str) -> None:
    """First line of a page, before its imports."""
    if ROUTED not in st.session_state:
        st.session_state[WANTED] = f"pages/{Path(file).name}", st.query_params.to_dict()
        st.switch_page(ROUTER)
    if Path(file).stem != HOME:
        load_everything()


def load_everything() -> None:
    """All modules of the dashboard, and with them all that they import; waits until they are in."""
    global _is_loaded
    if _is_loaded:
        return
    with _importing:
        if not _is_loaded:
            for module in walk_packages([str(Path(__file__).parent)], "stcmtl.studio."):
                import_module(module.name)
            import_module("stcmtl.report")
            use_first()
            _is_loaded = True


def use_first() -> None:
    """A kernel and a figure of each kind: what libraries import when they are first used."""
    import numpy as np
    import pandas as pd
    import plotly.graph_objects as go
    import pyarrow as pa

    from stcmtl import figures
    from stcmtl.data.simulation import simulate
    from stcmtl.solver.kernels.simplex import project_simplex

    project_simplex(np.zeros(2))
    table = pd.DataFrame({"x": [0.0, 1.0]})
    pa.Table.from_pandas(table)
    go.Scatter(x=table["x"])
    rows = simulate(4, 20, 1, 3, n_test=3, n_mixed=0)
    V, W = np.array([[1.0, 0.5, 0.0, 0.5], [0.0, 0.5, 1.0, 0.5]]), np.ones((20, 4))
    for figure in (
        figures.memberships(V),
        figures.membership_bars(V),
        figures.coefficients(W, W),
        figures.similarity(W.T @ W, V),
        figures.task_rows(rows.train, rows.test, V),
        figures.task_targets(rows.train, V),
    ):
        figure.to_json()


@st.cache_resource(show_spinner=False)
def warm_up() -> None:
    """Once a server, while one reads Home: so that the first click is as quick as the next."""
    Thread(target=rehearse, name="stcmtl-warm", daemon=True).start()
    Thread(target=keep_tidy, name="stcmtl-tidy", daemon=True).start()


def keep_tidy() -> None:
    """For as long as the process lives: what visitors have left behind does not add up.

    While somebody waits for work, nobody is kept waiting for this.
    """
    use_few_heaps()
    sleep(TIDY)  # Home is drawn first, and the rehearsal has begun to import
    load_everything()
    from stcmtl.studio.work.jobs import at_work

    while True:
        forget_gone()
        if not at_work:
            give_back()
        sleep(TIDY)


def forget_gone() -> None:
    """Sessions whose visitors left a minute ago: Streamlit would forget them when somebody else
    leaves, and an idle server hold a gigabyte until then. (It has no public way to ask for it.)
    """
    with suppress(AttributeError, RuntimeError):
        server: Any = runtime.get_instance()
        storage, loop = server._session_mgr._session_storage, server._get_async_objs().eventloop
        loop.call_soon_threadsafe(storage._cache.expire)


def use_few_heaps() -> None:
    """Every visitor's run is a thread, and glibc would keep free memory apart for each of many."""
    if sys.platform == "linux":
        with suppress(AttributeError):  # another C library
            ctypes.CDLL(None).mallopt(ARENAS, os.cpu_count() or 1)


def give_back() -> None:
    """Memory that nobody uses, to the system: glibc would keep it for later."""
    gc.collect()
    if sys.platform == "linux":
        with suppress(AttributeError):
            ctypes.CDLL(None).malloc_trim(0)


def rehearse() -> None:
    """Modules, kernels and the largest of figures, on the smallest of data."""
    load_everything()
    from stcmtl import figures
    from stcmtl.studio.state.choices import PRESETS
    from stcmtl.studio.state.loading import load
    from stcmtl.studio.work.fits import fit_within

    small = PRESETS["tiny"]
    data = load(small.data)
    result = fit_within(60.0, data, small.fit)
    if result is None:
        return
    figures.replay(result.model.history_).to_json()
    gc.freeze()  # what is loaded by now stays: no need to look through it for garbage again
