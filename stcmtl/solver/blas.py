"""One thread for linear algebra on small matrices: more would wait for one another.

On 2 cores with a load of 9, a trace-norm fit (D=200, 60 tasks) by two BLAS threads took 12 to 23
times as long as by one, in three alternating pairs of runs; a fit of 300 tasks of 30 features
15.4 s instead of 0.9 s. And a large product has the same last bits on any number of cores.
"""

from __future__ import annotations

from collections.abc import Generator
from functools import cached_property
from threading import Lock
from typing import Any, TypeVar

from threadpoolctl import ThreadpoolController

Step = TypeVar("Step")
Result = TypeVar("Result")


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
