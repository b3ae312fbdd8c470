"""Pages of the dashboard in the four states a visitor can meet them in."""

from __future__ import annotations

import base64
import json
from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
from streamlit.testing.v1 import AppTest

from stcmtl.progress import drain
from stcmtl.studio.state.choices import DataChoice, FitChoice
from stcmtl.studio.state.loading import Loaded, load
from stcmtl.studio.state.session import KEY, Session
from stcmtl.studio.work import fits
from stcmtl.studio.work.fits import Fitted

APP = Path(__file__).resolve().parents[2] / "app.py"
EMPTY, DATA, FITTED, CLASSIFIED = STATES = ("empty", "data", "fitted", "classified")
TINY = DataChoice(tasks=18, features=30, clusters=3, mixed=4, rows=60, test_rows=20)
THREE = FitChoice(k=3)
LABELS = TINY.with_values(kind="classification", rows=80, mixed=2)


@cache
def data_of(state: str) -> Loaded:
    """Tiny tasks; those with labels come without their truth, as uploads do."""
    if state != CLASSIFIED:
        return load(TINY)
    loaded = load(LABELS)
    assert loaded.test is not None
    return replace(
        loaded,
        key="labels",
        name="labels.csv",
        train=replace(loaded.train, truth=None),
        test=replace(loaded.test, truth=None),
    )


@cache
def fit_of(state: str) -> Fitted:
    return drain(fits.fit_steps(data_of(state), THREE))


def opened(page: str, state: str = EMPTY, **query: str) -> AppTest:
    """The page in a state, run once."""
    app = AppTest.from_file(str(APP), default_timeout=60)
    session = Session(has_followed_link=True, fit_choice=THREE)
    if state != EMPTY:
        session.data = data_of(state)
        session.data_choice = LABELS if state == CLASSIFIED else TINY
    if state in (FITTED, CLASSIFIED):
        session.fitted = fit_of(state)
    app.session_state[KEY] = session
    for name, value in query.items():
        app.query_params[name] = value
    app.switch_page(f"pages/{page}.py").run()
    assert not app.exception
    return app


def session_of(app: AppTest) -> Session:
    """What the session holds, to read and to set."""
    return app.session_state[KEY]


def title(app: AppTest) -> str:
    return str(app.title[0].value)


def figures(app: AppTest) -> list[dict[str, Any]]:
    """Every figure on the page as plotly's JSON."""
    return [json.loads(chart.proto.spec) for chart in app.get("plotly_chart")]


def trace(figure: dict[str, Any], name: str) -> dict[str, Any]:
    (found,) = (trace for trace in figure["data"] if trace.get("name") == name)
    return found


def numbers(values: Any) -> np.ndarray:
    """An array as plotly sends it: a list, or bytes with their type."""
    if isinstance(values, dict):
        return np.frombuffer(base64.b64decode(values["bdata"]), dtype=values["dtype"])
    return np.asarray(values)


def sentences(elements: Any) -> str:
    return "\n".join(str(element.value) for element in elements)
