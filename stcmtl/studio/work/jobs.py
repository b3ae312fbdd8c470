"""Work in the background: one job per session at a time, few in the process at once."""

import logging
import os
from collections.abc import Callable, Generator
from concurrent.futures import Executor, ThreadPoolExecutor
from threading import Event
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
REST = object()  # a step after which a job stands in line again, behind those of other visitors
UNEXPECTED = "Something went wrong on our side: the details are in the log. Your data is unharmed."
GRACE = 60.0  # seconds: a connection that was lost comes back within them, or never


class Job:
    """A generator drained by workers: its steps so far, and in the end its result or error.

    ``cancel`` takes effect at once for whoever watches; the worker stops at the next step. Jobs
    that run at the same time share the cores, which changes nothing about their results.
    """

    def __init__(
        self,
        work: Callable[[], Work],
        finish: Callable[[Any], None] = lambda result: None,
        workers: Executor = WORKERS,
        wanted: Callable[[], bool] = lambda: True,
    ) -> None:
        self.steps: list[Any] = []
        self.result: Any = None
        self.error: str | None = None
        self.asked = perf_counter()
        self.started: float | None = None
        self._cancelled, self._ended = Event(), Event()
        self._finish, self._workers, self._wanted = finish, workers, wanted
        self._stand_in_line(work)

    def _stand_in_line(self, work: Callable[[], Work]) -> None:
        self.in_line_since: float | None = perf_counter()
        self._workers.submit(self._run, work)

    def _run(self, work: Callable[[], Work]) -> None:
        """Go through the steps: to the end, or to the next rest."""
        self.in_line_since = None
        self._look_up()
        if self.cancelled:
            return
        self.started = self.started or perf_counter()
        at_work.add(self)
        try:
            with parallel_config(n_jobs=max(1, CORES // len(at_work))):
                steps = work()
                rests = self._advance(steps)
        except StopIteration as end:
            rests = False
            if not self.cancelled:
                self._finish(end.value)
                self.result = end.value
        except Exception as error:  # noqa: BLE001 told to whoever waits for it
            self.error, rests = explain(error), False
        finally:
            at_work.discard(self)
        if rests:
            self._stand_in_line(lambda: steps)
        else:
            self._ended.set()

    def _advance(self, steps: Work) -> bool:
        """Whether it rests; at its end a StopIteration holds the result."""
        while not self.cancelled:
            step = next(steps)
            if step is REST:
                return True
            self.steps.append(step)
            self._look_up()
        steps.close()
        return False

    def _look_up(self) -> None:
        """Stop where nobody waits for it any more."""
        if not self._wanted():
            self.cancel()

    def cancel(self) -> None:
        self._cancelled.set()
        self._ended.set()

    @property
    def cancelled(self) -> bool:
        return self._cancelled.is_set()

    @property
    def waiting(self) -> bool:
        """In the queue, behind other people's jobs."""
        return self.in_line_since is not None and not self.done

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
