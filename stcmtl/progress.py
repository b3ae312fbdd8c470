"""Work that goes on step by step, and has a result at its end."""

from collections.abc import Callable, Generator
from dataclasses import dataclass
from typing import TypeVar

Step = TypeVar("Step")
Mapped = TypeVar("Mapped")
Result = TypeVar("Result")


@dataclass(frozen=True)
class Progress:
    """``done`` of at most ``total`` steps, and what the last was about.

    >>> baselines.Progress(2, 5, "fold 2 of 5").what
    'fold 2 of 5'
    """

    done: int
    total: int
    what: str


def map_steps(
    steps: Generator[Step, None, Result], change: Callable[[Step], Mapped]
) -> Generator[Mapped, None, Result]:
    """The same work and result, every step changed."""
    while True:
        try:
            step = next(steps)
        except StopIteration as end:
            return end.value
        yield change(step)


def drain(steps: Generator[Step, None, Result]) -> Result:
    """Go through all steps, for the result alone."""
    while True:
        try:
            next(steps)
        except StopIteration as end:
            return end.value
