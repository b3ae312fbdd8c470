"""What a person reads, what a program reads, and progress, each where it belongs."""

import json
import math
import sys
from collections.abc import Callable, Generator
from shlex import quote
from typing import Any, TypeVar

from stcmtl.cli.options import describe
from stcmtl.cli.parser import COMMANDS
from stcmtl.errors import Setting, Worded, name_in_python
from stcmtl.progress import drain, map_steps

Step = TypeVar("Step")
Result = TypeVar("Result")

OPTIONS = {
    settings["dest"]: name
    for command in COMMANDS.values()
    for group in command.groups.values()
    for name, settings in map(describe, group)
    if name.startswith("--")
}


# Options that stand for one value of an argument, such as --no-intercept.
CONSTANTS = {
    (settings["dest"], settings["const"]): name
    for command in COMMANDS.values()
    for group in command.groups.values()
    for name, settings in map(describe, group)
    if "const" in settings
}


class Console:
    """Standard output carries the result, standard error progress and notes.

    With ``--json`` the result is one document, and all else goes to standard error.
    """

    def __init__(self, quiet: bool, as_json: bool) -> None:
        self.quiet, self.as_json = quiet, as_json
        self.aside = as_json  # whether sentences make way for data on standard output
        self._print: Callable[..., None] = print

    def say(self, text: str) -> None:
        if not self.quiet:
            self._print(text, file=sys.stderr if self.aside else sys.stdout)

    def note(self, text: str) -> None:
        """Something to know that is not the result."""
        if not self.quiet:
            self._print(f"Note: {text}", file=sys.stderr)

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

            self._print = print if bar.disable else bar.write
            try:
                return drain(map_steps(steps, show))
            finally:
                self._print = print


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


# Errors and warnings in the words of the command line


def name_in_options(setting: Setting) -> str:
    """``--clusters``, ``--task NAME``, ``--impute median``, ``--limit rows=10``, ``--paper``; in
    its clause.
    """
    argument, _, field = setting.name.partition(".")
    if argument not in OPTIONS:
        return name_in_python(setting)
    option, value = OPTIONS[argument], setting.value
    if isinstance(value, (str, bool)) and (argument, value) in CONSTANTS:
        words = CONSTANTS[argument, value]
    elif argument == "task_type":
        words = "--classification or --regression"
    elif field:
        words = f"{option} {field}={value}"
    else:
        named: dict[object, str] = {None: option, "...": f"{option} NAME"}
        values = value if isinstance(value, list) else [value]
        words = " ".join(named.get(each, f"{option} {quote_sign(str(each))}") for each in values)
    return setting.clause.format(words)


def quote_sign(value: str) -> str:
    """As a shell needs it; a sign alone in quotes too, where a full stop may follow."""
    return quote(value) if value.isalnum() or len(value) > 1 else f"'{value}'"


def sentence_of(fault: Exception, command: str = "") -> str:
    """What to tell a person about an error or a warning: one line, whatever it is."""
    if isinstance(fault, MemoryError):
        return "There is not enough memory for this: use a smaller file, or fewer features."
    if isinstance(fault, OSError) and fault.strerror:
        what = f"{fault.filename}: " if fault.filename else ""
        return f"{what}{fault.strerror}; check the path."
    told = fault.sentence(name_in_options) if isinstance(fault, Worded) else str(fault)
    text = " ".join(told.split())
    if isinstance(fault, (Worded, OSError, Warning)):
        return text
    reason = f"{type(fault).__name__}: {text}" if text else type(fault).__name__
    return (
        f"Something unexpected happened in {command} ({reason[:200]}): "
        "run it again with --debug to see where, and report it."
    )
