"""How an option is read: the argument that it gives, and the value that its text stands for."""

from __future__ import annotations

from argparse import ArgumentTypeError, Namespace
from collections.abc import Callable
from inspect import signature
from typing import Any

from stcmtl.paper.names import METHODS, SETTINGS, option

# Arguments of ``simulate``, ``read``, the estimators and experiments that have another name here.
# One that is not given keeps its function's own default, which the help only repeats.
ARGUMENTS = {
    "--clusters": "n_clusters",
    "--features": "n_features",
    "--folds": "cv",
    "--impute": "missing",
    "--jobs": "n_jobs",
    "--limit": "limits",
    "--outliers": "n_outliers",
    "--reps": "repetitions",
    "--seed": "random_state",
    "--tasks": "n_tasks",
    "--test": "n_test",
    "--train": "n_train",
}
# Options without a value of their own, which stand for one of an argument.
CONSTANTS: dict[str, tuple[str, object]] = {
    "--classification": ("task_type", "classification"),
    "--no-intercept": ("fit_intercept", False),
    "--paper": ("refine", False),
    "--regression": ("task_type", "regression"),
    "--robust": ("robust", True),
    "--standardize": ("standardize", True),
}
# Where the command line, unlike the function behind it, has a default.
DEFAULTS: dict[str, object] = {
    "--clusters K|auto": "auto",
    "--format csv|parquet|xlsx": "csv",
    "--ks RANGE": range(1, 10),
    "--method METHOD...": [],
    "--reps N": 10,
    "--seed SEED": 0,
}
LIMITS = ("bytes_on_disk", "bytes_unpacked", "rows", "columns", "cells", "members", "tasks")
CHOICES = {"METHOD": [option(method) for method in METHODS], "SETTING": SETTINGS}


def describe(spec: str) -> tuple[str, dict[str, Any]]:
    """An option as argparse takes it: ``--tol NUMBER``, ``--mixing sparse|dense``, ``FILE...``.

    The word after the name says what a value is: see ``TYPES`` and ``CHOICES``; any text if it is
    not there; these very words if in lower case. ``...`` after it stands for one or more, ``*``
    for an option that can be repeated.
    """
    name, _, word = spec.partition(" ")
    if not name.startswith("--"):  # found by its place
        name, word = {"FILE...": "files", "MODEL": "model"}[name], name
        settings: dict[str, Any] = {}
    else:
        dest = ARGUMENTS.get(name, name[2:].replace("-", "_"))
        settings = {"dest": dest, "default": DEFAULTS.get(spec)}
    if not word:
        return name, settings | constant(name)
    if word.endswith("..."):
        settings["nargs"] = "+"
    if word.endswith("*"):
        settings["action"] = "append"
    word = word.rstrip(".*")
    if word.islower():
        return name, settings | {"choices": word.split("|")}
    return name, settings | {
        "metavar": word,
        "type": TYPES.get(word, str),
        "choices": CHOICES.get(word),
    }


def given(args: Namespace, function: Callable[..., Any]) -> dict[str, Any]:
    """Arguments of a function that the command line gives; all others keep their defaults."""
    values = {name: vars(args).get(name) for name in signature(function).parameters}
    return {name: value for name, value in values.items() if value is not None}


def constant(name: str) -> dict[str, Any]:
    if name not in CONSTANTS:
        return {"action": "store_true", "default": False}
    dest, value = CONSTANTS[name]
    return {"action": "store_const", "dest": dest, "const": value}


def whole_number(text: str, wanted: str) -> int:
    if not text.strip().isdecimal() or int(text) < 1:
        raise ArgumentTypeError(f"{text!r}: give {wanted}")
    return int(text)


def seed(text: str) -> int:
    if not text.isdecimal() or int(text) >= 2**32:
        raise ArgumentTypeError(f"{text!r} is not a whole number from 0 to {2**32 - 1}")
    return int(text)


def clusters(text: str) -> int | str:
    """A whole number, or "auto"."""
    return "auto" if text == "auto" else whole_number(text, "a whole number of 1 or more, or auto")


def cluster_numbers(text: str) -> list[int]:
    """``1:9`` with both ends, or ``1,2,5``."""
    wanted = "numbers of clusters such as 1:9 or 1,2,5"
    first, colon, last = text.partition(":")
    if colon:
        ks = list(range(whole_number(first, wanted), whole_number(last, wanted) + 1))
    else:
        ks = [whole_number(part, wanted) for part in text.split(",")]
    if not ks:
        raise ArgumentTypeError(f"{text!r}: give {wanted}")
    return ks


def row_numbers(text: str) -> int | tuple[int, int]:
    """``100``, or ``50:150`` to draw each task's number from."""
    wanted = "a number of rows such as 100, or a range such as 50:150"
    first, colon, last = text.partition(":")
    if not colon:
        return whole_number(text, wanted)
    return whole_number(first, wanted), whole_number(last, wanted)


def gamma(text: str) -> float | str:
    if text in ("mean", "cv"):
        return text
    try:
        return float(text)
    except ValueError:
        raise ArgumentTypeError(f"{text!r}: give mean, cv or a number") from None


def share(text: str) -> float:
    try:
        value = float(text)
    except ValueError:
        value = 0.0
    if not 0.0 < value < 1.0:
        raise ArgumentTypeError(f"{text!r}: give a share between 0 and 1, such as 0.25")
    return value


def limit(text: str) -> tuple[str, int]:
    name, _, number = text.partition("=")
    if name not in LIMITS:
        raise ArgumentTypeError(f"{text!r}: give WHAT=NUMBER, where WHAT is {', '.join(LIMITS)}")
    return name, whole_number(number, "a whole number of 1 or more")


TYPES: dict[str, Callable[[str], Any]] = {
    "K|auto": clusters,
    "METHOD": option,
    "N": int,
    "NUMBER": float,
    "RANGE": cluster_numbers,
    "ROWS": row_numbers,
    "SEED": seed,
    "SHARE": share,
    "WHAT=NUMBER": limit,
    "mean|cv|NUMBER": gamma,
}
