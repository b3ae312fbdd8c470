"""The machine under a fit: one thread for linear algebra, and kernels that are compiled once.

With small matrices, more BLAS threads would wait for one another. On 2 cores with a load of 9, a
trace-norm fit (D=200, 60 tasks) by two of them took 12 to 23 times as long as by one, in three
alternating pairs of runs; a fit of 300 tasks of 30 features 15.4 s instead of 0.9 s. And a large
product has the same last bits on any number of cores.
"""

from __future__ import annotations

import logging
import sys
from collections.abc import Callable, Generator, Iterable, Sequence
from contextvars import ContextVar, copy_context
from functools import cache, cached_property
from pathlib import Path
from threading import Lock, Thread
from typing import Any, TypeVar

from joblib import Parallel, delayed
from joblib.parallel import get_active_backend
from threadpoolctl import ThreadpoolController

from stcmtl.solver.kernels import clusters, kmeans, losses, single
from stcmtl.stopping import NEVER, Halt, halt, stop_if_asked, stopped_by

Step = TypeVar("Step")
Result = TypeVar("Result")
Call = tuple[Callable[..., Any], tuple[Any, ...], dict[str, Any]]  # as joblib's ``delayed`` has it

logger = logging.getLogger("stcmtl")

MESSAGE = "Compiling the numerical kernels (once on this machine, about a minute) ..."
# What every fit calls, and what every fit with clusters does; the other kernels are compiled into
# these, or quickly. One that some fits do without would be missing, and announced, at each of them.
ENTRIES = (
    *(clusters.predict_clusters, losses.total_loss),
    *(single.l1_cross_validation, single.l1_path),
)
WITH_CLUSTERS = (
    *(clusters.cluster_path, kmeans.kmeans),
    *(losses.pull_and_stiffness, single.l1_sweeps),
)


class OneBlasThread:
    """While anybody is inside; the last to leave restores what the first has found.

    BLAS libraries have one setting for the whole process, and several threads may be here at
    the same time.
    """

    def __init__(self) -> None:
        self.lock = Lock()
        self.inside = 0
        self.limiter: Any = None

    @cached_property
    def controller(self) -> ThreadpoolController:
        """Finds the libraries, which takes a while: once."""
        return ThreadpoolController()

    def __enter__(self) -> None:
        with self.lock:
            if self.inside == 0:
                self.limiter = self.controller.limit(limits=1, user_api="blas")
            self.inside += 1

    def __exit__(self, *_: object) -> None:
        with self.lock:
            self.inside -= 1
            if self.inside == 0:
                self.limiter.restore_original_limits()


ONE_BLAS_THREAD = OneBlasThread()


def with_one_blas_thread(
    steps: Generator[Step, None, Result],
) -> Generator[Step, None, Result]:
    """The same steps; whoever waits for the next one is not affected."""
    while True:
        with ONE_BLAS_THREAD:
            try:
                step = next(steps)
            except StopIteration as end:
                return end.value
        yield step


def workers_for(n_jobs: int | None) -> tuple[bool, int]:
    """Whether joblib's configuration has jobs run in threads of this process, and in how many."""
    backend, usual = get_active_backend(prefer="threads")
    n_jobs = usual if n_jobs is None else n_jobs
    return bool(getattr(backend, "supports_sharedmem", False)), backend.effective_n_jobs(n_jobs)


class Threads:
    """As joblib's ``Parallel``, for work that can be stopped; threads unless joblib's configuration
    says otherwise.

    Threads are our own: joblib looks for results every 10 ms, which was a quarter of the time of a
    fit (60 tasks, D=200, two threads). Who calls works too, and threads within threads are one.
    """

    def __init__(self, n_jobs: int | None) -> None:
        self.n_jobs = n_jobs

    def __call__(self, calls: Iterable[Call]) -> list[Any]:
        shared, workers = workers_for(self.n_jobs)
        byte = halt()
        if byte is not NEVER:  # a worker of joblib's does not know what it works for
            calls = (delayed(call_within)(byte, *call) for call in calls)
        if not shared:
            return list(Parallel(n_jobs=self.n_jobs)(calls))
        return side_by_side(list(calls), workers)

    def here(self, calls: Iterable[Call]) -> list[Any]:
        """Calls that hand out work themselves: in threads of this process, or in turn."""
        shared, workers = workers_for(self.n_jobs)
        return side_by_side(list(calls), workers if shared else 1)


_among_others: ContextVar[bool] = ContextVar("among_others", default=False)


def side_by_side(calls: Sequence[Call], workers: int) -> list[Any]:
    """What each call returns. After an error no further call is begun."""
    workers = min(workers, len(calls))
    if workers <= 1 or _among_others.get():
        return [function(*args, **options) for function, args, options in calls]
    found: list[Any] = [None] * len(calls)
    places, lock, errors = iter(range(len(calls))), Lock(), list[BaseException]()

    def work() -> None:
        _among_others.set(True)
        try:
            while not errors:
                with lock:
                    place = next(places, None)
                if place is None:
                    return
                function, args, options = calls[place]
                found[place] = function(*args, **options)
        except BaseException as error:  # noqa: BLE001 it is raised again
            errors.append(error)

    threads = [Thread(target=copy_context().run, args=(work,)) for _ in range(workers - 1)]
    for thread in threads:
        thread.start()
    copy_context().run(work)
    for thread in threads:
        thread.join()
    if errors:
        raise errors[0]
    return found


def call_within(
    byte: Halt, function: Callable[..., Result], args: tuple[Any, ...], options: dict[str, Any]
) -> Result:
    """What a kernel has left that was stopped is handed to nobody."""
    with stopped_by(byte):
        stop_if_asked()
        found = function(*args, **options)
        stop_if_asked()
    return found


@cache  # one look per process
def announce_compilation(*kernels: Any) -> None:
    """Of these kernels, or of those that every fit calls."""
    if not kernels_are_cached(*kernels):
        say_once()


@cache
def say_once() -> None:
    logger.warning(MESSAGE)


def kernels_are_cached(*kernels: Any) -> bool:
    """Whether each, by default each entry, has a compiled form on disk younger than its source."""
    return all(map(is_cached, kernels or ENTRIES))


def is_cached(kernel: Any) -> bool:
    if not hasattr(kernel, "py_func"):  # NUMBA_DISABLE_JIT=1: a plain function, never compiled
        return True
    source = Path(kernel.py_func.__code__.co_filename)
    python = f"py{sys.version_info.major}{sys.version_info.minor}"
    name = f"{source.stem}.{kernel.py_func.__name__}-*.{python}.nbi"
    indices = Path(kernel.stats.cache_path).glob(name)
    return any(index.stat().st_mtime >= source.stat().st_mtime for index in indices)
