"""Options that several subcommands share, and how their values are read."""

from __future__ import annotations

import argparse
from argparse import ArgumentParser, ArgumentTypeError

LIMITS = ("bytes_on_disk", "bytes_unpacked", "rows", "columns", "cells", "members", "tasks")
RULES = ("checked", "paper")  # as in stcmtl.states, which takes a while to import


def add_data_options(parser: ArgumentParser) -> None:
    group = parser.add_argument_group("The data")
    group.add_argument(
        "--task", metavar="NAME", help="column that names each row's task (default: guessed)"
    )
    add_target_options(group)
    kind = group.add_mutually_exclusive_group()
    kind.add_argument(
        "--classification",
        dest="task_type",
        action="store_const",
        const="classification",
        help="the target holds labels (default: if it has two different values)",
    )
    kind.add_argument(
        "--regression",
        dest="task_type",
        action="store_const",
        const="regression",
        help="the target holds numbers (default: otherwise)",
    )
    add_reading_options(group)


def add_target_options(group: argparse._ArgumentGroup) -> None:
    group.add_argument(
        "--target",
        metavar="NAME",
        action="append",
        help="column to predict (default: guessed); repeat it for a column a task",
    )


def add_reading_options(group: argparse._ArgumentGroup) -> None:
    group.add_argument(
        "--impute",
        choices=["median"],
        help="fill missing features with their median, or most frequent text "
        "(default: they are an error)",
    )
    group.add_argument(
        "--limit",
        metavar="WHAT=NUMBER",
        action="append",
        type=limit,
        default=[],
        help=f"read files larger than a laptop's; WHAT is {', '.join(LIMITS)}",
    )


def add_solver_options(parser: ArgumentParser) -> None:
    group = parser.add_argument_group("The fit")
    group.add_argument(
        "--paper", action="store_true", help="the paper's algorithm alone, without refinement"
    )
    group.add_argument("--robust", action="store_true", help="set outlier tasks aside")
    add_number(
        group, "--outlier-factor", 4.5, "fence for outliers, in interquartile ranges", "NUMBER"
    )
    group.add_argument(
        "--outlier-rule",
        choices=RULES,
        default=RULES[0],
        help="the paper's fence alone, or checked by what predicts a task better "
        "(default: checked)",
    )
    add_number(group, "--theta", 0.5, "share of tasks taken as pure", "SHARE")
    add_number(group, "--epsilon", 0.1, "share of tasks that count as neighbours", "SHARE")
    group.add_argument(
        "--gamma",
        type=gamma,
        default="mean",
        metavar="mean|cv|NUMBER",
        help="level of the penalty on the cluster coefficients (default: mean)",
    )
    add_number(group, "--folds", 5, "folds within every task")
    add_number(group, "--max-iter", 50, "most iterations")
    add_number(group, "--tol", 1e-3, "relative change of the objective that ends them", "CHANGE")
    group.add_argument("--no-intercept", action="store_true", help="no intercept for each task")
    group.add_argument(
        "--standardize", action="store_true", help="scale features to unit deviation for the fit"
    )
    group.add_argument("--jobs", type=int, metavar="N", help="threads, -1 for all (default: 1)")
    add_seed(group, "--seed", "the same seed gives the same result")


def add_number(
    group: argparse._ActionsContainer,
    name: str,
    default: float,
    purpose: str,
    metavar: str = "N",
) -> None:
    """A whole number or a float, as its default is."""
    group.add_argument(
        name,
        type=type(default),
        default=default,
        metavar=metavar,
        help=f"{purpose} (default: {default:g})",
    )


def add_seed(group: argparse._ActionsContainer, name: str, purpose: str) -> None:
    help = f"{purpose} (default: 0)"
    group.add_argument(name, type=seed, default=0, metavar="N", help=help)


def seed(text: str) -> int:
    if not text.isdecimal() or int(text) >= 2**32:
        raise ArgumentTypeError(f"{text!r} is not a whole number from 0 to {2**32 - 1}")
    return int(text)


def add_output_options(parser: ArgumentParser) -> None:
    group = parser.add_argument_group("Messages")
    group.add_argument(
        "--json", action="store_true", help="one JSON document on standard output, see below"
    )
    group.add_argument("--quiet", action="store_true", help="no messages but errors")
    group.add_argument("--debug", action="store_true", help="show where an error came from")


def clusters(text: str) -> int | str:
    """A whole number, or "auto"."""
    return "auto" if text == "auto" else whole_number(text, "a whole number of 1 or more, or auto")


def gamma(text: str) -> float | str:
    if text in ("mean", "cv"):
        return text
    try:
        return float(text)
    except ValueError:
        raise ArgumentTypeError(f"{text!r}: give mean, cv or a number") from None


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


def limit(text: str) -> tuple[str, int]:
    name, _, number = text.partition("=")
    if name not in LIMITS:
        raise ArgumentTypeError(f"{text!r}: give WHAT=NUMBER, where WHAT is {', '.join(LIMITS)}")
    return name, whole_number(number, "a whole number of 1 or more")


def share(text: str) -> float:
    try:
        value = float(text)
    except ValueError:
        value = 0.0
    if not 0.0 < value < 1.0:
        raise ArgumentTypeError(f"{text!r}: give a share between 0 and 1, such as 0.25")
    return value


def whole_number(text: str, wanted: str) -> int:
    if not text.strip().isdecimal() or int(text) < 1:
        raise ArgumentTypeError(f"{text!r}: give {wanted}")
    return int(text)
