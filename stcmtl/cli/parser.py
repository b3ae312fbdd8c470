"""Every subcommand with its options and help; imports nothing that takes a while."""

from argparse import ArgumentParser, RawDescriptionHelpFormatter, _ActionsContainer
from functools import cache
from textwrap import fill
from typing import Any, NamedTuple

from stcmtl.cli.options import CHOICES, LIMITS, describe
from stcmtl.version import __version__

DESCRIPTION = """\
Semisoft task clustering: which of many tasks belong together, which features
matter to each cluster, and predictions that borrow strength."""

EXAMPLE = """\
example:
  python -m stcmtl fit scores.csv --task school --target score --out results/
  python -m stcmtl predict results/model.stcmtl new.csv --out predictions.csv

exit codes: 0 fine, 1 an error told in one sentence, 2 wrong usage, 130 interrupted.
'stcmtl COMMAND --help' explains a command."""


class Command(NamedTuple):
    """A subcommand: its module, one line on it, an example, the JSON document's keys, options.

    Without a document it has no messages of its own either: ``studio`` hands over to the server.
    """

    home: str
    purpose: str
    example: str
    keys: str
    groups: dict[str, dict[str, str]]
    required: tuple[str, ...] = ()


# Options of which one alone can be used.
RIVALS = {
    **dict.fromkeys(("--classification", "--regression"), "kind"),
    **dict.fromkeys(("--test-share", "--test-file"), "test rows"),
    **dict.fromkeys(("--standardize", "--no-standardize"), "scale"),
}
LAYOUTS = (
    "one file in any of the layouts that stcmtl reads, or several files or a folder of them, one "
    "per task; - is standard input"
)
ROWS = "rows per task, or a range such as 50:150 (default: 100)"
KINDS = ".csv, .parquet, .xlsx or .npz"
MODEL = {"MODEL": "a model that fit has written"}
FORCE = {"--force": "replace files that are there already; never an input"}
JOBS = {"--jobs N n_jobs": "threads, -1 for all (default: 1)"}
TARGET = {
    "--target NAME*": "column to predict (default: guessed); repeat it for one column per task",
}
FOUND = "(default: found out)"
READING = {
    "--impute median missing": "fill missing features with their median, or most frequent text "
    "(default: they are an error)",
    "--limit WHAT=NUMBER* limits": "read files larger than a laptop's; "
    f"WHAT is {', '.join(LIMITS)}",
    "--decimal SIGN": f"sign before decimals: . or , {FOUND}",
    "--thousands SIGN": f"sign between thousands: . , ' or space {FOUND}",
    "--missing-mark TEXT* missing_marks": "text that means missing, such as -999; can be repeated "
    "(default: the usual ones)",
    "--delimiter SIGN": f"sign between cells of a text file, such as ; or tab {FOUND}",
    "--encoding NAME": f"encoding of a text file, such as cp1252 {FOUND}",
    "--sheet NAME": f"sheet of a workbook {FOUND}",
}
DATA = {
    "--task NAME": "column that names each row's task (default: guessed)",
    **TARGET,
    "--classification task_type=classification": "the target holds labels "
    "(default: if it has two different values)",
    "--regression task_type=regression": "the target holds numbers (default: otherwise)",
    "--features NAME*": "column to use as a feature, and no other; repeat it for each (default: "
    "all that can be)",
    "--exclude NAME*": "column to leave out; can be repeated",
    "--weight NAME": "column or array: how much each row counts (default: all count alike)",
    "--dates WORDS": "parts makes year, season and days of a date, days its days, leave-out "
    "nothing; day-first, month-first or year-first says how it is written; two words with a comma "
    "(default: parts)",
    **READING,
}
ORDER = {
    "--dates WORDS": f"how dates are written: day-first, month-first or year-first {FOUND}",
}
SAME_TASK = {"--task NAME": "column that names each row's task (default: as in the fit)"}
THE_FIT = {
    "--paper refine=False": "the paper's algorithm alone, without refinement",
    "--robust robust=True": "set outlier tasks aside",
    "--outlier-factor NUMBER": "fence for outliers, in interquartile ranges (default: 4.5)",
    "--outlier-rule checked|paper": "the paper's fence on distances, or what predicts held-out "
    "rows of a task better, its own fit or clusters (default: checked)",
    "--theta NUMBER": "share of tasks taken as pure (default: 0.5)",
    "--epsilon NUMBER": "share of tasks that count as neighbours (default: 0.1)",
    "--gamma mean|cv|NUMBER": "level of the penalty on the cluster coefficients (default: mean)",
    "--folds N cv": "folds within every task (default: 5)",
    "--max-iter N": "most iterations (default: 50)",
    "--tol NUMBER": "relative change of the objective that ends them (default: 0.001)",
    "--no-intercept fit_intercept=False": "no intercept for each task",
    "--no-standardize standardize=False": "features as they are, whatever their units",
    "--standardize standardize=True": "scale features to unit deviation for the fit (default: "
    "where their spreads tell of different units)",
    "--loss auto|squared|huber": "huber lets no wild value pull the fit (default: auto, which "
    "takes it if residuals ask for it)",
    **JOBS,
    "--seed SEED random_state": "the same seed gives the same result (default: 0)",
}
MESSAGES = {
    "--json": "one JSON document on standard output, see below",
    "--quiet": "no messages but errors",
    "--debug": "show where an error came from",
}

COMMANDS = {
    "simulate": Command(
        "paper",
        "draw tasks as the paper does, to try things on",
        "--tasks 60 --features 200 --clusters 5 --out tasks.csv",
        "tasks features clusters rows task_type outliers written",
        {
            "Files": {
                "--out FILE": f"training rows: {KINDS}",
                "--test-out FILE": f"test rows of the same tasks: {KINDS}",
                "--truth-out FILE": "what the tasks were made from: .npz of U, V, W, pure, "
                "outliers",
                **FORCE,
            },
            "The tasks": {
                "--tasks N n_tasks": "tasks in clusters (default: 60)",
                "--features N n_features": "features (default: 200)",
                "--clusters N n_clusters": "clusters (default: 5)",
                "--train ROWS n_train": f"train {ROWS}",
                "--test ROWS n_test": f"test {ROWS}",
                "--mixing sparse|dense": "mixed tasks have two clusters, or all (default: sparse)",
                "--noise NUMBER": "standard deviation of the noise (default: 0.5)",
                "--outliers N n_outliers": "tasks like no other, added to the rest (default: 0)",
                "--classification task_type=classification": "labels -1 and 1 instead of numbers",
                "--seed SEED random_state": "draws rows and noise (default: 0)",
                "--structure-seed SEED": "draws clusters and memberships (default: 0)",
            },
        },
        required=("--out",),
    ),
    "fit": Command(
        "fit",
        "cluster the tasks of a file and write what was found",
        "scores.csv --task school --target score --out results/",
        "account task_type tasks rows features clusters shape own pure mixed outliers "
        "features_used metric training_error test_error iterations seconds selection choices "
        "chosen cluster_table task_table suspects suspect_rows written",
        {
            "": {
                "FILE...": LAYOUTS,
                "--clusters K|auto n_clusters": "number of clusters, 0 for every task on its own, "
                "or auto to choose it by cross-validation (default: auto)",
                "--shape simplex|cone|span|auto": "tasks are mixtures of clusters, mixtures times "
                "a strength of their own, patterns that can be subtracted, or what "
                "cross-validation decides (default: auto)",
                "--own none|deviation|alone|auto": "what is a task's own: nothing, a deviation "
                "from its clusters, all of it, or as cross-validation decides (default: auto)",
            },
            "Results": {
                "--out FOLDER": "folder for the model, its tables and an account; made where "
                "there is none (default: nothing is written)",
                "--format csv|parquet|xlsx": "format of the tables (default: csv)",
                **FORCE,
            },
            "Test rows": {
                "--test-share SHARE": "share of every task's rows to keep out of the fit and to "
                "test it on",
                "--test-file FILE...": "file with test rows of the same tasks",
            },
            "The data": DATA,
            "The fit": THE_FIT,
        },
    ),
    "select": Command(
        "fit",
        "compare numbers of clusters by cross-validation",
        "scores.csv --task school --target score --ks 1:9",
        "account metric ks error se objective seconds one_se best singular_ratios written",
        {
            "": {
                "FILE...": LAYOUTS,
                "--ks RANGE": "numbers of clusters: 1:9, or 0,1,2,5, where 0 is every task on its "
                "own (default: 1:9, or up to the number of tasks)",
                "--shape simplex|cone|span": "mixtures, mixtures times a strength of each task, "
                "or patterns that can be subtracted (default: simplex)",
                "--own none|deviation": "what is a task's own beside its clusters: nothing, or a "
                "deviation (default: none)",
                "--out FILE": "the curve: .csv, .parquet, .xlsx, .json or .html",
                **FORCE,
            },
            "The data": DATA,
            "The fit": THE_FIT,
        },
    ),
    "predict": Command(
        "saved",
        "predict rows of tasks that a model was fitted on",
        "results/model.stcmtl new.csv --task school --out predictions.csv",
        "rows predicted unknown_tasks notes predictions written",
        {
            "": {
                **MODEL,
                "FILE...": f"{LAYOUTS}; it needs no target",
                "--out FILE": "the predictions: .csv, .parquet or .xlsx "
                "(default: CSV on standard output)",
                **FORCE,
            },
            "The data": {**SAME_TASK, **ORDER, **READING},
        },
    ),
    "report": Command(
        "saved",
        "write what a model found as one HTML page",
        "results/model.stcmtl --data scores.csv --out report.html",
        "tasks features clusters doubts written",
        {
            "": {
                **MODEL,
                "--out FILE": "the page, one .html file with all in it",
                **FORCE,
                "--title TITLE": "its title (default: made from the data)",
            },
            "The data": {
                "--data FILE...": "what the model was fitted on, to show it too",
                "--test-file FILE...": "file with test rows, to show errors on",
                **SAME_TASK,
                **TARGET,
                "--weight NAME": "column or array: how much each row counts (default: as in the "
                "fit, where the file has it)",
                **ORDER,
                **READING,
            },
        },
        required=("--out",),
    ),
    "paper": Command(
        "paper",
        "run the paper's experiments and set them beside its tables",
        "--setting sparse-200 --method lasso stcmtl-refined --reps 3",
        "seed repetitions versions tables scores written",
        {
            "": {
                "--setting SETTING...": f"{', '.join(CHOICES['SETTING'])} "
                "(default: all whose data are there)",
                "--method METHOD...": f"{', '.join(CHOICES['METHOD'])} "
                "(default: all that make sense)",
                "--reps N repetitions": "repetitions, each with new rows (default: 10)",
                "--seed SEED random_state": "of the first repetition's rows, and of every fit "
                "(default: 0)",
                **JOBS,
                "--output FOLDER": "folder for one CSV file per setting, with the command that "
                "makes it again; methods that a file there has already are kept (default: nothing "
                "is written)",
            },
        },
    ),
    "studio": Command(
        "studio",
        "open the dashboard in a browser",
        "--port 8600",
        "",
        {
            "": {
                "--port N": "port of the server (default: 8501)",
                "--no-browser": "start the server alone",
            },
        },
    ),
}


@cache
def build_parser() -> ArgumentParser:
    parser = ArgumentParser(
        "stcmtl",
        description=DESCRIPTION,
        epilog=EXAMPLE,
        formatter_class=RawDescriptionHelpFormatter,
    )
    parser.set_defaults(json=False, quiet=False, debug=False)  # for a command without messages
    parser.add_argument("--version", action="version", version=f"stcmtl {__version__}")
    commands = parser.add_subparsers(
        dest="command", required=True, title="commands", metavar="COMMAND"
    )
    for name, command in COMMANDS.items():
        add_command(commands, name, command)
    return parser


def add_command(commands: Any, name: str, command: Command) -> None:
    """A subcommand with one line on what it does, an example, and the keys of its document."""
    groups, document = command.groups, ""
    if command.keys:
        groups = {**groups, "Messages": MESSAGES}
        keys = f"With --json the document's keys are: {', '.join(command.keys.split())}."
        document = f"\n\n{fill(keys, 78)}"
    parser: ArgumentParser = commands.add_parser(
        name,
        help=command.purpose,
        description=f"{command.purpose[0].upper()}{command.purpose[1:]}.",
        epilog=f"example:\n  python -m stcmtl {name} {command.example}{document}",
        formatter_class=RawDescriptionHelpFormatter,
    )
    for title, options in groups.items():
        group = parser.add_argument_group(title) if title else parser
        add_options(group, options, command.required)


def add_options(
    group: _ActionsContainer, options: dict[str, str], required: tuple[str, ...]
) -> None:
    places: dict[str | None, _ActionsContainer] = {None: group}
    for spec, help in options.items():
        name, settings = describe(spec)
        if name in required:
            settings["required"] = True
        rivalry = RIVALS.get(name)
        if rivalry not in places:
            places[rivalry] = group.add_mutually_exclusive_group()
        places[rivalry].add_argument(name, help=help, **settings)
