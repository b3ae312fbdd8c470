"""Pages of the dashboard in the four states a visitor can meet them in."""

import base64
import json
from collections.abc import Iterator
from dataclasses import replace
from functools import cache
from pathlib import Path
from time import sleep
from typing import Any, Self

import numpy as np
import pandas as pd
from streamlit.testing.v1 import AppTest

from stcmtl.progress import Progress, drain
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
def fit_of(state: str, **values: Any) -> Fitted:
    """The fit of a state's tasks, with other settings where they are named."""
    return drain(fits.fit_steps(data_of(state), THREE.with_values(**values)))


def endless(*args: Any, **options: Any) -> Iterator[Progress]:
    """The steps of a job that nothing but Cancel ends, however long a page takes to be drawn."""
    while True:
        sleep(0.01)
        yield Progress(1, 10, "At work")


class Visit(AppTest):
    """A visit of a page that begins in one of the states; no run of it may end in an exception."""

    def __init__(self, page: str, state: str = EMPTY, **query: str) -> None:
        super().__init__(APP, default_timeout=60)
        session = Session(has_followed_link=True, fit_choice=THREE)
        if state != EMPTY:
            session.data = data_of(state)
            session.data_choice = LABELS if state == CLASSIFIED else TINY
        if state in (FITTED, CLASSIFIED):
            session.fitted = fit_of(state)
        self.session_state[KEY] = session
        self.query_params.update(query)
        self.go(page)

    def _run(self, *args: Any, **options: Any) -> AppTest:
        super()._run(*args, **options)
        assert not self.exception
        return self

    def show(self, result: Fitted) -> Self:
        """The same page, with another result in hand."""
        session = self.session
        session.data, session.fitted, session.fit_choice = result.data, result, result.choice
        self.run()
        return self

    def go(self, page: str) -> Self:
        self.switch_page(f"pages/{page}.py").run()
        return self

    @property
    def session(self) -> Session:
        """What the session holds, to read and to set."""
        return self.session_state[KEY]

    @property
    def headline(self) -> str:
        return str(self.title[0].value).replace("\\", "")

    @property
    def figures(self) -> list[dict[str, Any]]:
        """Every figure on the page as plotly's JSON."""
        return [json.loads(chart.proto.spec) for chart in self.get("plotly_chart")]

    def upload(self, key: str, frame: pd.DataFrame, name: str = "a.csv") -> Self:
        """Drop a table into an uploader."""
        content = frame.to_csv(index=False).encode()
        self.file_uploader(key=key).set_value((name, content, "text/csv")).run()
        return self


def trace(figure: dict[str, Any], name: str) -> dict[str, Any]:
    (found,) = (trace for trace in figure["data"] if trace.get("name") == name)
    return found


def numbers(values: Any) -> np.ndarray:
    """An array as plotly sends it: a list, or bytes with their type."""
    if isinstance(values, dict):
        return np.frombuffer(base64.b64decode(values["bdata"]), dtype=values["dtype"])
    return np.asarray(values)


def sentences(elements: Any) -> str:
    """All that they say, without the signs that keep names from being taken for markup."""
    return "\n".join(str(element.value) for element in elements).replace("\\", "")
