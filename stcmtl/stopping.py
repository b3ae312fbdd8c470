"""Work that can be stopped before its end, within a long step too.

Whoever starts work hands it a byte, and sets that to stop it. The work looks at the byte between
two steps, and within those that take long: by ``stop_if_asked`` in Python, and at every level or
sweep of compiled loops, which get the byte from ``halt``. Nobody else need know of it.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar

import numpy as np
from numpy.typing import NDArray

Halt = NDArray[np.uint8]


class Stopped(Exception):  # noqa: N818 nothing is wrong
    """Nobody waits for the result any more."""


def new_halt() -> Halt:
    """A byte of its own: set it to 1 from any thread, and what runs within it stops."""
    return np.zeros(1, dtype=np.uint8)


NEVER = new_halt()  # which nobody sets
_halt: ContextVar[Halt] = ContextVar("halt", default=NEVER)


def halt() -> Halt:
    """The byte of the work that this thread is doing."""
    return _halt.get()


@contextmanager
def stopped_by(byte: Halt) -> Iterator[None]:
    """What is done in here, in this thread, stops once the byte is set."""
    before = _halt.set(byte)
    try:
        yield
    finally:
        _halt.reset(before)


def stop_if_asked() -> None:
    """Go on, unless the work is to stop."""
    if _halt.get()[0]:
        raise Stopped
