"""Errors and warnings as one sentence, in the words of the command line."""

from __future__ import annotations

from stcmtl.cli.options import describe
from stcmtl.cli.parser import COMMANDS
from stcmtl.errors import Setting, Worded, name_in_python

OPTIONS = {
    settings["dest"]: name
    for command in COMMANDS.values()
    for group in command.groups.values()
    for name, settings in map(describe, group)
    if name.startswith("--")
}


def name_in_options(setting: Setting) -> str:
    """``--clusters``, ``--task NAME``, ``--impute median``, ``--limit rows=10``; in its clause."""
    argument, _, field = setting.name.partition(".")
    if argument not in OPTIONS:
        return name_in_python(setting)
    option, value = OPTIONS[argument], setting.value
    if argument == "task_type":
        words = f"--{value}" if value else "--classification or --regression"
    elif field:
        words = f"{option} {field}={value}"
    else:
        named: dict[object, str] = {None: option, "...": f"{option} NAME"}
        values = value if isinstance(value, list) else [value]
        words = " ".join(named.get(each, f"{option} {each}") for each in values)
    return setting.clause.format(words)


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
