"""Work in the background: few jobs in the process at once, and each ends.

A visitor has one turn at a time. What takes long has workers of its own, so that nobody who asks
for little waits behind it. A job stops, within a long step too, when it is cancelled, when its
visitor has left for a minute, when it runs for longer than the limit, and when the server ends.
"""

import logging
import os
import secrets
import sys
from collections import deque
from collections.abc import Callable, Generator
from concurrent.futures import Executor, ThreadPoolExecutor
from functools import cache
from threading import Event, Lock, Thread, get_native_id
from time import monotonic, perf_counter, sleep
from typing import Any

from joblib import parallel_config
from streamlit import runtime
from streamlit.runtime import RuntimeState
from streamlit.runtime.scriptrunner import get_script_run_ctx

from stcmtl.errors import InputError, Worded
from stcmtl.phrases import duration
from stcmtl.stopping import Stopped, new_halt, stopped_by
from stcmtl.studio.limits import LIMITS
from stcmtl.studio.words.sentences import word_error

Work = Generator[Any, None, Any]

log = logging.getLogger(__name__)
CORES = os.cpu_count() or 1
# Compiled kernels release the interpreter, so that pages keep answering beside as many as cores.
WORKERS = ThreadPoolExecutor(CORES, thread_name_prefix="stcmtl-job")
PATIENCE = 10  # by which threads of long work are nicer than others: a tenth of the turns


def be_patient() -> None:
    """This thread, and those that it starts, give way to others; where threads can."""
    if sys.platform == "linux":  # elsewhere the number would be that of a process
        os.setpriority(os.PRIO_PROCESS, get_native_id(), PATIENCE)


# What takes long, comparisons above all, leaves the rest its room.
PATIENT = ThreadPoolExecutor(CORES, "stcmtl-long", be_patient)
at_work: set["Job"] = set()
UNEXPECTED = (
    "Something went wrong on our side: the log has the details, as error {id}. What was there "
    "before is unharmed."
)
GRACE = 60.0  # seconds: a connection that was lost comes back within them, or never
ENDING = (RuntimeState.STOPPING, RuntimeState.STOPPED)
LOOK = 0.5  # seconds between two looks at jobs that run


class Lane:
    """Work of one visitor, one after the other; each waits behind what others have asked for."""

    def __init__(self, workers: Executor) -> None:
        self._workers, self._lock = workers, Lock()
        self._waiting: deque[Callable[[], None]] = deque()

    def submit(self, run: Callable[[], None]) -> None:
        """Behind all that waits here."""
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

    ``cancel`` takes effect at once for whoever watches; the worker stops as soon as it looks. Jobs
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
        self._cancelled, self._ended, self._halt = Event(), Event(), new_halt()
        self._work, self._finish, self._wanted = work, finish, wanted
        workers.submit(self._run)

    def _run(self) -> None:
        if not self._goes_on():
            return
        self.started = perf_counter()
        at_work.add(self)
        keep_watch()
        try:
            share = max(1, CORES // len(at_work))
            with stopped_by(self._halt), parallel_config(n_jobs=share):
                steps = self._work()
                while self._goes_on():
                    self.steps.append(next(steps))
                steps.close()
        except StopIteration as end:
            if not self.cancelled:
                self._finish(end.value)
                self.result = end.value
        except Stopped:
            self.cancel()
        except Exception as error:  # noqa: BLE001 told to whoever waits for it
            if not self.cancelled and serving():  # what is stopped may leave anything behind
                self.error = explain(error)
        finally:
            at_work.discard(self)
            self._ended.set()

    def _goes_on(self) -> bool:
        """Whether somebody waits for it still."""
        if not self.cancelled and not (serving() and self._wanted()):
            self.cancel()
        return not self.cancelled

    def look(self) -> None:
        """Whether it is to go on; asked while a step runs."""
        if self._goes_on() and self.started and perf_counter() > self.started + LIMITS.running:
            self.error = word_error(
                InputError(
                    f"has run for {duration(LIMITS.running)}, which is the limit here, and was "
                    "stopped",
                    where="What was asked for",
                    remedy="ask for less, or do it by the command line",
                )
            )
            self.cancel()

    def cancel(self) -> None:
        self._cancelled.set()
        self._halt[0] = 1
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


def serving() -> bool:
    """Whether the server goes on, if there is one: when told to end it waits for its workers."""
    return not runtime.exists() or runtime.get_instance().state not in ENDING


def explain(error: Exception) -> str:
    """One sentence for the reader; what we did not foresee goes to the log."""
    if isinstance(error, ValueError | Worded):
        return word_error(error)
    name = secrets.token_hex(4)
    log.error("error %s: a job failed", name, exc_info=error)
    return UNEXPECTED.format(id=name)


@cache
def keep_watch() -> None:
    """Look at all jobs that run, for as long as the process lives."""

    def watch() -> None:
        while True:
            sleep(LOOK)
            for job in list(at_work):
                job.look()

    Thread(target=watch, name="stcmtl-watch", daemon=True).start()


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
