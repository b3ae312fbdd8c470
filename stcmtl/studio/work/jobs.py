"""Work in the background: one job a session at a time, few in the process at once."""

from __future__ import annotations

import logging
import os
from collections.abc import Callable, Generator
from concurrent.futures import Future, ThreadPoolExecutor
from threading import Event
from time import perf_counter
from typing import Any, Protocol

from joblib import parallel_config

Work = Generator[Any, None, Any]

log = logging.getLogger(__name__)
CORES = os.cpu_count() or 1
# Compiled kernels release the interpreter, so that pages keep answering beside as many as cores.
WORKERS = ThreadPoolExecutor(CORES, thread_name_prefix="stcmtl-job")
# Comparisons take long: they leave fits their room.
COMPARISONS = ThreadPoolExecutor(CORES, thread_name_prefix="stcmtl-compare")
at_work: set[Job] = set()
UNEXPECTED = "Something went wrong on our side: the details are in the log. Your data is unharmed."


class Workers(Protocol):
    """Whoever runs a job sooner or later."""

    def submit(self, run: Callable[..., Any], /, *arguments: Any) -> Future[Any]: ...


class Job:
    """A generator drained by a worker: its steps so far, and in the end its result or error.

    ``cancel`` takes effect at once for whoever watches; the worker stops at the next step. Jobs
    that run at the same time share the cores, which changes nothing about their results.
    """

    def __init__(
        self,
        work: Callable[[], Work],
        finish: Callable[[Any], None] = lambda result: None,
        workers: Workers = WORKERS,
        wanted: Callable[[], bool] = lambda: True,
    ) -> None:
        self.steps: list[Any] = []
        self.result: Any = None
        self.error: str | None = None
        self.asked = perf_counter()
        self.started: float | None = None
        self.seconds: float | None = None
        self._cancelled = Event()
        self._finish, self._wanted = finish, wanted
        self._future: Future[None] = workers.submit(self._run, work)

    def _run(self, work: Callable[[], Work]) -> None:
        self._look_up()
        if self._cancelled.is_set():
            return
        self.started = perf_counter()
        at_work.add(self)
        try:
            with parallel_config(n_jobs=max(1, CORES // len(at_work))):
                steps = work()
                while not self._cancelled.is_set():
                    self.steps.append(next(steps))
                    self._look_up()
                steps.close()
        except StopIteration as end:
            self.seconds = perf_counter() - self.started
            if not self._cancelled.is_set():
                self._finish(end.value)
                self.result = end.value
        except ValueError as error:  # one sentence for the reader
            self.error = str(error)
        except Exception:
            log.exception("a job failed")
            self.error = UNEXPECTED
        finally:
            at_work.discard(self)

    def _look_up(self) -> None:
        """Stop where nobody waits for it any more."""
        if not self._wanted():
            self._cancelled.set()

    def cancel(self) -> None:
        self._cancelled.set()
        self._future.cancel()

    @property
    def cancelled(self) -> bool:
        return self._cancelled.is_set()

    @property
    def waiting(self) -> bool:
        """In the queue, behind other people's jobs."""
        return self.started is None and not self.done

    @property
    def done(self) -> bool:
        return self.cancelled or self._future.done()

    def wait(self, timeout: float) -> bool:
        """Whether it is done within ``timeout`` seconds."""
        if not self.cancelled:
            try:
                self._future.result(timeout)
            except TimeoutError:
                return False
        return True
