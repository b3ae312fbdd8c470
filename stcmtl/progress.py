"""Work that goes on step by step, and has a result at its end."""

from __future__ import annotations

from collections.abc import Callable, Generator
from dataclasses import dataclass
from typing import TypeVar

Step = TypeVar("Step")
Told = TypeVar("Told")
Result = TypeVar("Result")


@dataclass(frozen=True)
class Progress:
    """``done`` of at most ``total`` steps, and what the last was about."""

    done: int
    total: int
    what: str


def retold(
    steps: Generator[Step, None, Result], tell: Callable[[Step], Told]
) -> Generator[Told, None, Result]:
    """The same work, whose steps are told in other words."""
    while True:
        try:
            step = next(steps)
        except StopIteration as end:
            return end.value
        yield tell(step)


def result_of(steps: Generator[Step, None, Result]) -> Result:
    """All of it at once."""
    while True:
        try:
            next(steps)
        except StopIteration as end:
            return end.value
