"""Many cases in one test."""

from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from functools import wraps
from inspect import signature
from typing import Any

import pytest


@contextmanager
def naming(case: object) -> Iterator[None]:
    """What fails within says which case it was."""
    try:
        yield
    except BaseException as fault:
        fault.add_note(f"in the case {case}")
        raise


def together(
    names: str | tuple[str, ...],
    cases: Iterable[Any] | Mapping[Any, Any],
    ids: Iterable[str] | None = None,
) -> Callable[[Callable[..., None]], Callable[..., None]]:
    """As ``pytest.mark.parametrize``, in one test: all cases run, and each that fails says so.

    For swarms of quick cases, of which pytest's own work would take most of the time. They share
    what fixtures give.
    """
    called = (names,) if isinstance(names, str) else names
    if isinstance(cases, Mapping):
        ids, cases = cases, cases.values()
    cases = list(cases)
    known = list(zip(cases if ids is None else ids, cases, strict=True))

    def fold(test: Callable[..., None]) -> Callable[..., None]:
        @wraps(test)
        def run_all(*own: Any, **given: Any) -> None:
            faults: list[BaseException] = []
            for name, case in known:
                values = (case,) if isinstance(names, str) else case
                try:
                    with naming(name):
                        test(*own, **given, **dict(zip(called, values, strict=True)))
                except (Exception, pytest.fail.Exception) as fault:  # noqa: BLE001 told below
                    faults.append(fault)
            if faults:
                raise BaseExceptionGroup(f"{len(faults)} of {len(known)} cases", faults)

        kept = [p for name, p in signature(test).parameters.items() if name not in called]
        run_all.__signature__ = signature(test).replace(parameters=kept)  # type: ignore[attr-defined]
        return run_all

    return fold
