"""Work in the background: one job per session at a time, few in the process at once."""

import logging
import os
from collections import deque
from collections.abc import Callable, Generator
from concurrent.futures import Executor, ThreadPoolExecutor
from threading import Event, Lock
from time import monotonic, perf_counter
from typing import Any

from joblib import parallel_config
from streamlit import runtime
from streamlit.runtime.scriptrunner import get_script_run_ctx

from stcmtl.errors import Worded
from stcmtl.studio.words.sentences import word_error

Work = Generator[Any, None, Any]

log = logging.getLogger(__name__)
CORES = os.cpu_count() or 1
# Compiled kernels release the interpreter, so that pages keep answering beside as many as cores.
WORKERS = ThreadPoolExecutor(CORES, thread_name_prefix="stcmtl-job")
# Comparisons take long: they leave fits their room.
COMPARISONS = ThreadPoolExecutor(CORES, thread_name_prefix="stcmtl-compare")
at_work: set["Job"] = set()
UNEXPECTED = "Something went wrong on our side: the details are in the log. Your data is unharmed."
GRACE = 60.0  # seconds: a connection that was lost comes back within them, or never


class Lane:
    """Work of one visitor, one after the other; each waits behind what others have asked for."""

    def __init__(self, workers: Executor) -> None:
        self._workers, self._lock = workers, Lock()
        self._waiting: deque[Callable[[], None]] = deque()

    def submit(self, run: Callable[[], None]) -> None:
        with self._lock:
            self._waiting.append(run)
            if len(self._waiting) == 1:
                self._workers.submit(self._run_first)

    def _run_first(self) -> None:
        try:
            self._waiting[0]()
        finally:
            with self._lock:
                self._waiting.popleft()
                if self._waiting:
                    self._workers.submit(self._run_first)


class Job:
    """A generator drained by a worker: its steps so far, and in the end its result or error.

    ``cancel`` takes effect at once for whoever watches; the worker stops at the next step. Jobs
    that run at the same time share the cores, which changes nothing about their results.
    """

    def __init__(
        self,
        work: Callable[[], Work],
        finish: Callable[[Any], None] = lambda result: None,
        workers: Executor | Lane = WORKERS,
        wanted: Callable[[], bool] = lambda: True,
    ) -> None:
        self.steps: list[Any] = []
        self.result: Any = None
        self.error: str | None = None
        self.asked = perf_counter()
        self.started: float | None = None
        self._cancelled, self._ended = Event(), Event()
        self._work, self._finish, self._wanted = work, finish, wanted
        workers.submit(self._run)

    def _run(self) -> None:
        if not self._goes_on():
            return
        self.started = perf_counter()
        at_work.add(self)
        try:
            with parallel_config(n_jobs=max(1, CORES // len(at_work))):
                steps = self._work()
                while self._goes_on():
                    self.steps.append(next(steps))
                steps.close()
        except StopIteration as end:
            if not self.cancelled:
                self._finish(end.value)
                self.result = end.value
        except Exception as error:  # noqa: BLE001 told to whoever waits for it
            self.error = explain(error)
        finally:
            at_work.discard(self)
            self._ended.set()

    def _goes_on(self) -> bool:
        """Whether somebody waits for it still."""
        if not self.cancelled and not self._wanted():
            self.cancel()
        return not self.cancelled

    def cancel(self) -> None:
        self._cancelled.set()
        self._ended.set()

    @property
    def cancelled(self) -> bool:
        return self._cancelled.is_set()

    @property
    def done(self) -> bool:
        return self._ended.is_set()

    def wait(self, timeout: float) -> bool:
        """Whether it is done within ``timeout`` seconds."""
        return self._ended.wait(timeout)


def explain(error: Exception) -> str:
    """One sentence for the reader; what we did not foresee goes to the log."""
    if isinstance(error, ValueError | Worded):
        return word_error(error)
    log.error("a job failed", exc_info=error)
    return UNEXPECTED


def watch_visitor() -> Callable[[], bool]:
    """Asks, from any thread, whether the visitor of this run is there, or was a moment ago."""
    context = get_script_run_ctx()
    last_seen = monotonic()

    def is_there() -> bool:
        nonlocal last_seen
        if context is None or not runtime.exists():  # a test, which is not a visitor
            return True
        if runtime.get_instance().is_active_session(context.session_id):
            last_seen = monotonic()
        return monotonic() - last_seen < GRACE

    return is_there
