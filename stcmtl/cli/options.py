"""How an option is read: the argument that it gives, and the value that its text stands for."""

from argparse import ArgumentTypeError, Namespace
from collections.abc import Callable
from inspect import signature
from typing import Any

from stcmtl.baselines.registry import REGISTRY, name_option
from stcmtl.paper import SETTING_NAMES

# Where the command line, unlike the function behind it, has a default.
DEFAULTS: dict[str, object] = {
    "--format csv|parquet|xlsx": "csv",
    "--ks RANGE": range(1, 10),
    "--method METHOD...": [],
    "--own none|deviation": "none",
    "--reps N repetitions": 10,
    "--seed SEED random_state": 0,
    "--shape simplex|cone|span": "simplex",
}
LIMITS = ("bytes_on_disk", "bytes_unpacked", "rows", "columns", "cells", "members", "tasks")
CHOICES = {"METHOD": [name_option(method) for method in REGISTRY], "SETTING": SETTING_NAMES}


def describe(spec: str) -> tuple[str, dict[str, Any]]:
    """An option as argparse takes it, from its name, its value and the argument that it gives.

    ``--tol NUMBER``, ``--folds N cv``, ``--mixing sparse|dense``, ``--paper refine=False``: the
    argument is named where it is not the option. See ``TYPES`` and ``CHOICES`` for values; any
    other is a text, or these very words if in lower case. ``...`` after a value stands for one or
    more, ``*`` for an option that can be repeated.
    """
    name, value, dest, *_ = [*spec.split(), "", ""]
    settings: dict[str, Any] = {"default": DEFAULTS.get(spec)}
    if name.startswith("--"):
        settings["dest"] = dest or name[2:].replace("-", "_")
    else:  # found by its place
        name, value = {"FILE...": "files", "MODEL": "model"}[name], name
    if not value:
        return name, settings | {"action": "store_true", "default": False}
    if value.endswith("..."):
        settings["nargs"] = "+"
    if value.endswith("*"):
        settings["action"] = "append"
    value = value.rstrip(".*")
    argument, equals, constant = value.partition("=")
    if equals and value not in TYPES:
        const = {"True": True, "False": False}.get(constant, constant)
        return name, settings | {"action": "store_const", "dest": argument, "const": const}
    if value.islower():
        return name, settings | {"choices": value.split("|")}
    choices = CHOICES.get(value)
    return name, settings | {"metavar": value, "type": TYPES.get(value, str), "choices": choices}


def pick_arguments(args: Namespace, function: Callable[..., Any]) -> dict[str, Any]:
    """Arguments of a function that the command line gives; all others keep their defaults."""
    values = {name: vars(args).get(name) for name in signature(function).parameters}
    return {name: value for name, value in values.items() if value is not None}


def refuse(text: str, wanted: str) -> ArgumentTypeError:
    return ArgumentTypeError(f"{text!r}: give {wanted}")


def whole_number(text: str, wanted: str, least: int = 1) -> int:
    if not text.strip().isdecimal() or int(text) < least:
        raise refuse(text, wanted)
    return int(text)


def real_number(text: str, wanted: str) -> float:
    try:
        return float(text)
    except ValueError:
        raise refuse(text, wanted) from None


def seed(text: str) -> int:
    wanted = f"a whole number from 0 to {2**32 - 1}"
    value = whole_number(text, wanted, least=0)
    if value >= 2**32:
        raise refuse(text, wanted)
    return value


def clusters(text: str) -> int | str:
    return "auto" if text == "auto" else whole_number(text, "a whole number, or auto", least=0)


def cluster_numbers(text: str) -> list[int]:
    """``1:9`` with both ends, or ``0,1,2,5``; 0 is every task on its own."""
    wanted = "numbers of clusters such as 1:9 or 1,2,5"
    first, colon, last = text.partition(":")
    if not colon:
        return [whole_number(part, wanted, least=0) for part in text.split(",")]
    ks = list(range(whole_number(first, wanted, least=0), whole_number(last, wanted) + 1))
    if not ks:
        raise refuse(text, wanted)
    return ks


def row_numbers(text: str) -> int | tuple[int, ...]:
    """``100``, or ``50:150`` to draw each task's number from."""
    wanted = "a number of rows such as 100, or a range such as 50:150"
    ends = tuple(whole_number(part, wanted) for part in text.split(":", 1))
    return ends if len(ends) == 2 else ends[0]


def gamma(text: str) -> float | str:
    return text if text in ("mean", "cv") else real_number(text, "mean, cv or a number")


def share(text: str) -> float:
    wanted = "a share between 0 and 1, such as 0.25"
    value = real_number(text, wanted)
    if not 0.0 < value < 1.0:
        raise refuse(text, wanted)
    return value


def sign(text: str) -> str:
    """Itself, or the name of one that is hard to give in a shell."""
    return {"tab": "\t", "\\t": "\t", "space": " "}.get(text, text)


def words(text: str) -> str:
    return text.replace("-", " ")


def limit(text: str) -> tuple[str, int]:
    name, _, number = text.partition("=")
    if name not in LIMITS:
        raise refuse(text, f"WHAT=NUMBER, where WHAT is {', '.join(LIMITS)}")
    return name, whole_number(number, "a whole number of 1 or more")


TYPES: dict[str, Callable[[str], Any]] = {
    "K|auto": clusters,
    "METHOD": name_option,
    "N": int,
    "NUMBER": float,
    "RANGE": cluster_numbers,
    "ROWS": row_numbers,
    "SEED": seed,
    "SHARE": share,
    "SIGN": sign,
    "WHAT=NUMBER": limit,
    "WORDS": words,
    "mean|cv|NUMBER": gamma,
}
