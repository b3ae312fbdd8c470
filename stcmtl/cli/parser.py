"""Every subcommand's options and help; imports nothing that takes a while."""

from __future__ import annotations

from argparse import ArgumentParser, RawDescriptionHelpFormatter
from textwrap import fill
from typing import Any

from stcmtl.baselines.capabilities import CAPABILITIES
from stcmtl.cli.options import (
    add_data_options,
    add_number,
    add_output_options,
    add_reading_options,
    add_seed,
    add_solver_options,
    add_target_options,
    cluster_numbers,
    clusters,
    row_numbers,
    share,
)
from stcmtl.paper.names import SETTINGS, option
from stcmtl.version import __version__

DESCRIPTION = """\
Semisoft task clustering: which of many tasks belong together, which features
matter to each cluster, and predictions that borrow strength."""

EXAMPLE = """\
example:
  python -m stcmtl fit scores.csv --task school --target score --clusters auto --out results/
  python -m stcmtl predict results/model.stcmtl new.csv --out predictions.csv

exit codes: 0 fine, 1 an error told in one sentence, 2 wrong usage, 130 interrupted.
'stcmtl COMMAND --help' explains a command."""

FILES = "one file in any of the layouts that stcmtl reads, or several files, one a task"

# Keys of the JSON documents, in their order.
SIMULATE_KEYS = ("tasks", "features", "clusters", "rows", "task_type", "outliers", "written")
FIT_KEYS = (
    *("account", "task_type", "tasks", "rows", "features", "clusters", "pure", "mixed"),
    *("outliers", "features_used", "metric", "training_error", "test_error", "iterations"),
    *("seconds", "selection", "cluster_table", "task_table", "written"),
)
SELECT_KEYS = (
    *("account", "metric", "ks", "error", "se", "objective", "seconds", "one_se", "best"),
    *("singular_ratios", "written"),
)
PREDICT_KEYS = ("rows", "predicted", "unknown_tasks", "notes", "predictions", "written")
REPORT_KEYS = ("tasks", "features", "clusters", "written")
PAPER_KEYS = ("seed", "repetitions", "versions", "tables", "scores", "written")


def build_parser() -> ArgumentParser:
    parser = ArgumentParser(
        "stcmtl",
        description=DESCRIPTION,
        epilog=EXAMPLE,
        formatter_class=RawDescriptionHelpFormatter,
    )
    parser.add_argument("--version", action="version", version=f"stcmtl {__version__}")
    commands = parser.add_subparsers(
        dest="command", required=True, title="commands", metavar="COMMAND"
    )
    for add in (add_simulate, add_fit, add_select, add_predict, add_report, add_paper):
        add_output_options(add(commands))
    return parser


def command(
    commands: Any, name: str, purpose: str, example: str, keys: tuple[str, ...]
) -> ArgumentParser:
    """A subcommand with one line on what it does and an example."""
    document = fill(f"With --json the document's keys are: {', '.join(keys)}.", 78)
    parser: ArgumentParser = commands.add_parser(
        name,
        help=purpose,
        description=f"{purpose[0].upper()}{purpose[1:]}.",
        epilog=f"example:\n  python -m stcmtl {name} {example}\n\n{document}",
        formatter_class=RawDescriptionHelpFormatter,
    )
    return parser


def add_simulate(commands: Any) -> ArgumentParser:
    example = "--tasks 60 --features 200 --clusters 5 --out tasks.csv"
    parser = command(
        commands,
        "simulate",
        "draw tasks as the paper does, to try things on",
        example,
        SIMULATE_KEYS,
    )
    files = parser.add_argument_group("Files")
    kinds = ".csv, .parquet, .xlsx or .npz"
    files.add_argument("--out", required=True, metavar="FILE", help=f"training rows: {kinds}")
    files.add_argument("--test-out", metavar="FILE", help=f"test rows of the same tasks: {kinds}")
    files.add_argument(
        "--truth-out",
        metavar="FILE",
        help="what the tasks were made from: .npz of U, V, W, pure, outliers",
    )
    group = parser.add_argument_group("The tasks")
    add_number(group, "--tasks", 60, "tasks in clusters")
    add_number(group, "--features", 200, "features")
    add_number(group, "--clusters", 5, "clusters")
    for name in ("train", "test"):
        group.add_argument(
            f"--{name}",
            type=row_numbers,
            default=100,
            metavar="ROWS",
            help=f"{name} rows a task, or a range such as 50:150 (default: 100)",
        )
    group.add_argument(
        "--mixing",
        choices=["sparse", "dense"],
        default="sparse",
        help="mixed tasks have two clusters, or all (default: sparse)",
    )
    add_number(group, "--noise", 0.5, "standard deviation of the noise", "NUMBER")
    add_number(group, "--outliers", 0, "tasks like no other, added to the rest")
    group.add_argument(
        "--classification", action="store_true", help="labels -1 and 1 instead of numbers"
    )
    add_seed(group, "--seed", "draws rows and noise")
    add_seed(group, "--structure-seed", "draws clusters and memberships")
    return parser


def add_fit(commands: Any) -> ArgumentParser:
    example = "scores.csv --task school --target score --clusters auto --out results/"
    parser = command(
        commands, "fit", "cluster the tasks of a file and write what was found", example, FIT_KEYS
    )
    parser.add_argument("files", nargs="+", metavar="FILE", help=FILES)
    parser.add_argument(
        "--clusters",
        type=clusters,
        default="auto",
        metavar="K|auto",
        help="number of clusters, or auto to choose it by cross-validation (default: auto)",
    )
    results = parser.add_argument_group("Results")
    results.add_argument(
        "--out",
        metavar="FOLDER",
        help="folder for the model, its tables and an account; made where there is none "
        "(default: nothing is written)",
    )
    results.add_argument(
        "--format",
        choices=["csv", "parquet", "xlsx"],
        default="csv",
        help="format of the tables (default: csv)",
    )
    test = parser.add_argument_group("Test rows").add_mutually_exclusive_group()
    test.add_argument(
        "--test-share",
        type=share,
        metavar="SHARE",
        help="share of every task's rows to keep out of the fit and to test it on",
    )
    test.add_argument(
        "--test-file", nargs="+", metavar="FILE", help="file with test rows of the same tasks"
    )
    add_data_options(parser)
    add_solver_options(parser)
    return parser


def add_select(commands: Any) -> ArgumentParser:
    example = "scores.csv --task school --target score --ks 1:9"
    parser = command(
        commands, "select", "compare numbers of clusters by cross-validation", example, SELECT_KEYS
    )
    parser.add_argument("files", nargs="+", metavar="FILE", help=FILES)
    parser.add_argument(
        "--ks",
        type=cluster_numbers,
        metavar="RANGE",
        help="numbers of clusters: 1:9, or 1,2,5 (default: 1:9, or up to the number of tasks)",
    )
    parser.add_argument(
        "--out", metavar="FILE", help="the curve: .csv, .parquet, .xlsx, .json or .html"
    )
    add_data_options(parser)
    add_solver_options(parser)
    return parser


def add_predict(commands: Any) -> ArgumentParser:
    example = "results/model.stcmtl new.csv --task school --out predictions.csv"
    parser = command(
        commands,
        "predict",
        "predict rows of tasks that a model was fitted on",
        example,
        PREDICT_KEYS,
    )
    parser.add_argument("model", metavar="MODEL", help="a model that fit has written")
    parser.add_argument("files", nargs="+", metavar="FILE", help=f"{FILES}; it needs no target")
    parser.add_argument(
        "--out",
        metavar="FILE",
        help="the predictions: .csv, .parquet or .xlsx (default: CSV on standard output)",
    )
    group = parser.add_argument_group("The data")
    group.add_argument(
        "--task",
        metavar="NAME",
        help="column that names each row's task (default: as in the fit)",
    )
    add_reading_options(group)
    return parser


def add_report(commands: Any) -> ArgumentParser:
    example = "results/model.stcmtl --data scores.csv --out report.html"
    parser = command(
        commands, "report", "write what a model found as one HTML page", example, REPORT_KEYS
    )
    parser.add_argument("model", metavar="MODEL", help="a model that fit has written")
    parser.add_argument(
        "--out", required=True, metavar="FILE", help="the page, one .html file with all in it"
    )
    parser.add_argument("--title", help="its title (default: made from the data)")
    group = parser.add_argument_group("The data")
    group.add_argument(
        "--data", nargs="+", metavar="FILE", help="what the model was fitted on, to show it too"
    )
    group.add_argument(
        "--test-file", nargs="+", metavar="FILE", help="file with test rows, to show errors on"
    )
    group.add_argument(
        "--task", metavar="NAME", help="column that names each row's task (default: as in the fit)"
    )
    add_target_options(group)
    add_reading_options(group)
    return parser


def add_paper(commands: Any) -> ArgumentParser:
    example = "--setting sparse-200 --method lasso stcmtl-refined --reps 3"
    parser = command(
        commands,
        "paper",
        "run the paper's experiments and set them beside its tables",
        example,
        PAPER_KEYS,
    )
    parser.add_argument(
        "--setting",
        nargs="+",
        choices=SETTINGS,
        metavar="NAME",
        help=f"{', '.join(SETTINGS)} (default: all whose data are there)",
    )
    parser.add_argument(
        "--method",
        nargs="+",
        type=option,
        choices=[option(method) for method in CAPABILITIES],
        default=[],
        metavar="NAME",
        help=f"{', '.join(map(option, CAPABILITIES))} (default: all that make sense)",
    )
    add_number(parser, "--reps", 10, "repetitions, each with new rows")
    add_seed(parser, "--seed", "of the first repetition's rows, and of every fit")
    parser.add_argument("--jobs", type=int, metavar="N", help="threads, -1 for all (default: 1)")
    parser.add_argument(
        "--output",
        metavar="FOLDER",
        help="folder for a CSV file a setting, with the command that makes it again; methods that "
        "a file there has already are kept (default: nothing is written)",
    )
    return parser
