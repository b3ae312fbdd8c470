"""Who works on partitions of the tasks: this process, one after the other, or a Dask cluster.

A crew reads partitions, holds what was made of each where it was made, and from then on takes steps
to it: only what a step is told, and what it tells, travels. What steps sum up is added in pairs,
the same pairs whoever works, so that the bits are the same.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Sequence
from operator import itemgetter
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np

from stcmtl.solver.machine import ONE_BLAS_THREAD
from stcmtl.solver.partition import Held

Step = Callable[..., Any]
Sources = Iterable[Callable[[], Any]]
Arguments = Sequence[tuple[Any, ...]]


class Crew(ABC):
    """Partitions in order; steps are functions of a module, so that they can travel."""

    @abstractmethod
    def read(self, step: Step, *told: Any) -> list[Any]:
        """``step(source, *told)`` of every partition's source."""

    @abstractmethod
    def hold(self, step: Step, *told: Any) -> list[Any]:
        """The same gives what is held from now on, and what is answered, which is returned."""

    @abstractmethod
    def run(self, step: Step, arguments: Arguments) -> tuple[list[Any], Any]:
        """``step(held, *arguments)`` gives what is told, and what is summed up over partitions."""

    @abstractmethod
    def close(self) -> None:
        """Nothing is held any more."""


class LonelyCrew(Crew):
    """This process: one partition in memory at a time, the others in files."""

    def __init__(self, sources: Sources) -> None:
        self.sources = sources
        self.folder = TemporaryDirectory(prefix="stcmtl-")

    def file(self, i: int) -> Path:
        return Path(self.folder.name) / f"{i}.npz"

    def read(self, step: Step, *told: Any) -> list[Any]:
        return [take(step, source, *told) for source in self.sources]

    def hold(self, step: Step, *told: Any) -> list[Any]:
        answers = []
        for i, source in enumerate(self.sources):
            held, answer = take(step, source, *told)
            np.savez(self.file(i), **held.arrays())
            answers.append(answer)
        return answers

    def run(self, step: Step, arguments: Arguments) -> tuple[list[Any], Any]:
        told = []

        def at(i: int) -> Any:
            with np.load(self.file(i)) as arrays:
                held = Held.of(dict(arrays))
            answer, summed = take(step, held, *arguments[i])
            told.append(answer)
            return summed

        def over(first: int, last: int) -> Any:
            if last - first == 1:
                return at(first)
            middle = first + (1 << (last - first - 1).bit_length() - 1)  # the pairs of a cluster
            return add(over(first, middle), over(middle, last))

        return told, over(0, len(arguments))

    def close(self) -> None:
        self.folder.cleanup()


class DaskCrew(Crew):
    """The workers of a Dask cluster. What one has held is made again if it dies."""

    def __init__(self, sources: Sources, client: Any) -> None:
        self.sources, self.client = sources, client
        self.held: list[Any] = []

    def submit(self, step: Step, *given: Any) -> Any:
        return self.client.submit(take, step, *given, pure=False)

    def opened(self) -> list[Any]:
        """A part of a Dask collection is computed where it is needed, other sources open there."""
        return [
            self.client.compute(source.part) if hasattr(source, "part") else source
            for source in self.sources
        ]

    def read(self, step: Step, *told: Any) -> list[Any]:
        answers: list[Any] = self.client.gather(
            [self.submit(step, source, *told) for source in self.opened()]
        )
        return answers

    def hold(self, step: Step, *told: Any) -> list[Any]:
        made = [self.submit(step, source, *told) for source in self.opened()]
        self.held = [self.submit(itemgetter(0), both) for both in made]
        answers: list[Any] = self.client.gather([self.submit(itemgetter(1), both) for both in made])
        return answers

    def run(self, step: Step, arguments: Arguments) -> tuple[list[Any], Any]:
        pairs = zip(self.held, arguments, strict=True)
        made = [self.submit(step, held, *given) for held, given in pairs]
        told = [self.submit(itemgetter(0), both) for both in made]
        sums = [self.submit(itemgetter(1), both) for both in made]
        while len(sums) > 1:
            left_over = sums[-1:] if len(sums) % 2 else []
            sums = [self.submit(add, *pair) for pair in zip(sums[::2], sums[1::2], strict=False)]
            sums += left_over
        answers, total = self.client.gather([told, sums[0]])
        return answers, total

    def close(self) -> None:
        self.held = []


def take(step: Step, *given: Any) -> Any:
    """A step by one thread for linear algebra, wherever it is taken."""
    with ONE_BLAS_THREAD:
        return step(*given)


def add(left: Any, right: Any) -> Any:
    """Two tuples of arrays, entry by entry; None is nothing."""
    return None if left is None else tuple(a + b for a, b in zip(left, right, strict=True))
