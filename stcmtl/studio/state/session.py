"""What a browser session holds: choices, data, results, the running job, picked tasks."""

from __future__ import annotations

from collections.abc import Hashable, Iterable
from typing import TYPE_CHECKING, Any

import streamlit as st

from stcmtl.studio.start import load_everything
from stcmtl.studio.state.choices import ROBUST, UPLOAD, DataChoice, FitChoice
from stcmtl.studio.state.loading import Loaded, load
from stcmtl.studio.state.store import Store
from stcmtl.studio.work.jobs import Job

if TYPE_CHECKING:
    from stcmtl.estimators.choose_k import KSelection
    from stcmtl.studio.work.fits import Fitted

MEGABYTE = 2**20
SHARED_BYTES, PRIVATE_BYTES = 256 * MEGABYTE, 128 * MEGABYTE
CURVE_BYTES = 10_000  # a curve is a few numbers


@st.cache_resource(show_spinner=False)
def shared_store() -> Store:
    """Results on simulated and bundled data, for everybody."""
    return Store(SHARED_BYTES)


def get(name: str, default: Any = None) -> Any:
    return st.session_state.get(f"studio.{name}", default)


def put(name: str, value: Any) -> None:
    st.session_state[f"studio.{name}"] = value


def data_choice() -> DataChoice:
    return get("data_choice", DataChoice())


def fit_choice() -> FitChoice:
    return get("fit_choice", FitChoice())


def set_fit_choice(**values: Any) -> None:
    put("fit_choice", fit_choice().with_values(**values))


def data() -> Loaded | None:
    """The tasks in hand."""
    return get("data")


def open_data(choice: DataChoice, loaded: Loaded | None = None) -> Loaded:
    """Take other tasks in hand; what was found in the last ones is left behind."""
    loaded = load(choice) if loaded is None else loaded
    cancel()
    for running in get("methods", {}).values():
        running.cancel()
    put("methods", {})
    put("data_choice", choice)
    put("data", loaded)
    put("fitted", None)
    put("curve", None)
    put("compared", {})
    put("compare_faults", {})
    put("picked", frozenset())
    put("error", None)
    set_fit_choice(k=min(fit_choice().k, len(loaded.train)))
    return loaded


def store() -> Store:
    loaded = data()
    if loaded is None or not loaded.private:
        return shared_store()
    if get("private_store") is None:
        put("private_store", Store(PRIVATE_BYTES))
    return get("private_store")


def fitted() -> Fitted | None:
    """The last good result on the tasks in hand."""
    return get("fitted")


def is_stale() -> bool:
    """Whether the choices have changed since the result was made."""
    result = fitted()
    return result is not None and result.choice != fit_choice()


def curve() -> KSelection | None:
    """The last curve over K of the tasks in hand."""
    drawn = get("curve")
    return None if drawn is None else drawn.path


def curve_is_stale() -> bool:
    """Whether the choices, but for K, have changed since the curve was drawn."""
    drawn = get("curve")
    return drawn is not None and drawn.choice != curve_choice()


def curve_is_robust() -> bool:
    """Whether outlier tasks were left out of the curve."""
    drawn = get("curve")
    return drawn is not None and drawn.choice.method == ROBUST


def curve_choice() -> FitChoice:
    """The settings of the curve: those of the fit, whose K it does not depend on."""
    return fit_choice().with_values(k=1)


def job() -> Job | None:
    """The job that runs for this session, if any."""
    return get("job")


def cancel() -> None:
    running = job()
    if running is not None:
        running.cancel()
        put("job", None)


def run_fit() -> None:
    """Fit as chosen: from the store if it was done before, else as a job."""
    loaded, choice = data(), fit_choice()
    if loaded is None:
        return
    from stcmtl.studio.work import fits  # and scikit-learn, which Home need not wait for

    start("fit", (loaded.key, choice), lambda: fits.fit_steps(loaded, choice))


def run_curve() -> None:
    loaded, choice = data(), curve_choice()
    if loaded is None:
        return
    from stcmtl.studio.work import fits

    start("curve", (loaded.key, choice, "curve"), lambda: fits.curve_steps(loaded, choice))


RESULT_OF = {"fit": "fitted", "curve": "curve", "paper": "paper_run", "picture": "paper_picture"}


def start(kind: str, key: Hashable, work: Any) -> None:
    cancel()
    kept = store()
    put("error", None)
    known = kept.get(key)
    if known is not None:
        put(RESULT_OF[kind], known)
        return

    def keep(result: Any) -> None:
        kept.put(key, result, getattr(result, "n_bytes", CURVE_BYTES))

    put("job", Job(work, keep))
    put("job_kind", kind)


def collect() -> bool:
    """Take what a finished job has left; whether a job has just ended."""
    running = job()
    if running is None or not running.done:
        return False
    if running.result is not None:
        put(RESULT_OF[get("job_kind")], running.result)
    put("error", running.error)
    put("job", None)
    return True


def picked() -> frozenset[int]:
    """Tasks picked in any view, by their place among the fitted ones."""
    return get("picked", frozenset())


def pick(tasks: Iterable[int]) -> None:
    put("picked", frozenset(tasks))


def query() -> dict[str, str]:
    """The link that leads here again; uploads cannot be linked to."""
    choice = data_choice()
    if data() is None or choice.source == UPLOAD:
        return {}
    ran = {"run": "1"} if fitted() is not None else {}
    said = choice.query() | fit_choice().query()
    said.pop("source", None)  # which ``data`` names
    return {"data": choice.source} | said | ran


def follow_link(query: dict[str, str]) -> None:
    """On a session's first run: data, choices and the fit that the link asks for."""
    if get("followed"):
        return
    put("followed", True)
    if "data" not in query:
        return
    load_everything()
    put("fit_choice", FitChoice.from_query(query))
    choice = DataChoice.from_query(query | {"source": query["data"]})
    if choice.source == UPLOAD:
        return
    try:
        open_data(choice)
    except ValueError as error:
        put("error", str(error))
        return
    if query.get("run") == "1":
        run_fit()
