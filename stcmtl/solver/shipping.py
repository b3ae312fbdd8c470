"""What jobs need, on its way to where they run: threads share it, other processes get it once.

joblib would send all rows with every job, or leave them with one worker of a Dask cluster, where
they are lost with it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from itertools import pairwise
from typing import Any, NamedTuple

import numpy as np
from joblib.parallel import get_active_backend
from numpy.typing import NDArray

from stcmtl.solver.machine import workers_for
from stcmtl.solver.problem import Problem

CHUNKS_A_WORKER = 4  # so that no worker waits long for another


class Chunk(NamedTuple):
    """Some tasks, and the folds of their rows."""

    problem: Problem
    fold: NDArray[np.int64]


def cut_tasks(problem: Problem, fold: NDArray[np.int64], n_jobs: int | None) -> Iterator[Chunk]:
    """All tasks, in chunks that travel once each."""
    _, workers = workers_for(n_jobs)
    ends = np.linspace(0, problem.n_tasks, CHUNKS_A_WORKER * max(workers, 1) + 1).astype(int)
    for first, last in pairwise(ends):
        if last > first:
            chosen = np.isin(np.arange(problem.n_tasks), np.arange(first, last))
            rows = slice(problem.starts[first], problem.starts[last])
            yield Chunk(problem.keep(chosen), fold[rows])


def ship(problem: Problem) -> Any:
    """To hand to many jobs: on a Dask cluster each worker gets it once, and again if it dies."""
    client = getattr(get_active_backend(prefer="threads")[0], "client", None)
    if client is None:
        return problem
    aboard = vars(problem).get("aboard")
    if aboard is None or aboard.client is not client:
        aboard = client.submit(give, (replace(problem),), pure=False)
        vars(problem)["aboard"] = aboard  # as long as somebody has the problem
    return aboard


def give(held: tuple[Any]) -> Any:
    return held[0]


def on_arrival(step: Callable[..., Any], shipped: Any, *given: Any) -> Any:
    """A step on what was shipped; it is still on its way where the last worker has just died."""
    return step(shipped.result() if hasattr(shipped, "result") else shipped, *given)
