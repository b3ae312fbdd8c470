"""What a person reads, what a program reads, and progress, each where it belongs."""

from __future__ import annotations

import json
import math
import sys
from collections.abc import Callable, Generator
from typing import Any, TypeVar

from stcmtl.progress import drain, map_steps

Step = TypeVar("Step")
Result = TypeVar("Result")


class Console:
    """Standard output carries the result, standard error progress and notes.

    With ``--json`` the result is one document, and all else goes to standard error.
    """

    def __init__(self, quiet: bool, as_json: bool) -> None:
        self.quiet, self.as_json = quiet, as_json
        self.aside = as_json  # whether sentences make way for data on standard output
        self._bar: Any = None

    def say(self, text: str) -> None:
        if not self.quiet:
            self._print(text, sys.stderr if self.aside else sys.stdout)

    def note(self, text: str) -> None:
        """Something to know that is not the result."""
        if not self.quiet:
            self._print(f"Note: {text}", sys.stderr)

    def _print(self, text: str, stream: Any) -> None:
        if self._bar is None:
            print(text, file=stream)
        else:
            self._bar.write(text, file=stream)

    def document(self, values: dict[str, Any]) -> None:
        """The one JSON document, where it is asked for."""
        if self.as_json:
            print(as_json(values))

    def follow(
        self,
        steps: Generator[Step, None, Result],
        tell: Callable[[Step], str],
        what: str,
        unit: str,
        total: int | None = None,
    ) -> Result:
        """Go through all steps for their result, with a bar on a terminal and none elsewhere."""
        from tqdm import tqdm

        off = True if self.quiet else None  # None: shown on a terminal only
        with tqdm(
            desc=what, unit=unit, total=total, file=sys.stderr, disable=off, leave=False
        ) as bar:

            def show(step: Step) -> None:
                bar.set_postfix_str(tell(step))
                bar.update(getattr(step, "done", bar.n + 1) - bar.n)

            self._bar = None if bar.disable else bar
            try:
                return drain(map_steps(steps, show))
            finally:
                self._bar = None


def as_json(values: dict[str, Any]) -> str:
    return json.dumps(plain(values), indent=2, allow_nan=False)


def plain(value: Any) -> Any:
    """What JSON knows: arrays and tuples as lists, numbers that are not finite as null."""
    if isinstance(value, dict):
        return {str(key): plain(item) for key, item in value.items()}
    if isinstance(value, (list, tuple)):
        return [plain(item) for item in value]
    if hasattr(value, "tolist"):  # a NumPy array or scalar
        return plain(value.tolist())
    if isinstance(value, float):
        return value if math.isfinite(value) else None
    return value if value is None or isinstance(value, (bool, int, str)) else str(value)
