"""Many cases in one test."""

from collections.abc import Iterator
from contextlib import contextmanager


@contextmanager
def naming(case: object) -> Iterator[None]:
    """What fails within says which case it was."""
    try:
        yield
    except BaseException as fault:
        fault.add_note(f"in the case {case}")
        raise
