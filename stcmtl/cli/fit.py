"""``stcmtl fit`` and ``stcmtl select``: tasks in files to a model, or to a curve over K."""

from argparse import Namespace
from pathlib import Path
from time import perf_counter
from typing import Any

import numpy as np
import pandas as pd

from stcmtl.cli.console import Console, as_json
from stcmtl.cli.files import (
    ACCOUNT,
    MODEL,
    check_files,
    check_results,
    find_stale,
    read_data,
    read_like,
)
from stcmtl.cli.options import pick_arguments
from stcmtl.data.checks import label
from stcmtl.data.splits import split_rows
from stcmtl.data.taskset import TaskSet
from stcmtl.errors import InputError, Setting
from stcmtl.estimators.choose_k import selection_steps
from stcmtl.estimators.semisoft import pick_estimator
from stcmtl.evaluation import choices
from stcmtl.evaluation.curve_tables import curve_table
from stcmtl.evaluation.predictions import counting_rows, overall_error
from stcmtl.evaluation.summary import error_name, scale_account, suspects_account
from stcmtl.evaluation.tables import clusters_table, result_tables, suspects_table, tasks_table
from stcmtl.evaluation.target_sizes import say_target_sizes
from stcmtl.io.encode_like import Reading
from stcmtl.io.remembered import remember
from stcmtl.io.write import (
    TABLE_ENDINGS,
    replace_when_whole,
    write_table,
    write_tables,
    write_text,
)
from stcmtl.phrases import SHAPES, counted, listed
from stcmtl.solver.records import Choice, Iteration, KPoint, KSelection

MOST_CHOICES = 5  # candidates that are shown
MOST_SUSPECTS = 5  # rows


def run_fit(args: Namespace, console: Console) -> None:
    folder = None if args.out is None else check_results(args)
    data, reading, account = read_data(args, console)
    train, test = set_rows_aside(args, data, reading, console)
    kind = pick_estimator(data.task_type)
    model: Any = kind(**pick_arguments(args, kind))
    start = perf_counter()
    steps = model.fit_steps(train.features(), train.y, train.tasks, train.weight)
    console.follow(steps, tell_step, "Fitting", " steps")
    seconds = perf_counter() - start
    remember(model, reading)
    if model.units_differ_:
        account = [*account, scale_account(model)]
        console.say(account[-1])
    if told := say_target_sizes(train):
        account = [*account, told]
        console.say(told)
    values = values_of(model, account, train, test, seconds)
    summary = summarise(values)
    console.say(f"\n{summary}")
    if folder is not None:
        tables = result_tables(model, test or train)
        text = "\n".join([*account, "", summary, ""])
        values["written"] = write_results(model, tables, text, folder, args.format)
        console.say(f"Wrote {', '.join(values['written'])}.")
        if stale := find_stale(folder, map(Path, values["written"])):
            console.note(f"{folder} also has tables of an earlier fit: {listed(stale)}.")
    console.document(values)


def set_rows_aside(
    args: Namespace, data: TaskSet, reading: Reading, console: Console
) -> tuple[TaskSet, TaskSet | None]:
    """Rows to fit on, and rows to test on where some were asked for."""
    if args.test_share:
        parts = split_rows(data, 1.0 - args.test_share, args.random_state)
        check_left(counting_rows(parts.train), counting_rows(data), args.test_share)
        return parts
    if args.test_file:
        again = Namespace(**{**vars(args), "weight": None})  # as in the first file, if it is there
        return data, read_like(args.test_file, reading, data.task_names, again, console)
    return data, None


def check_left(train: TaskSet, data: TaskSet, share: float) -> None:
    """Of every task that had two rows to fit on, two are left."""
    for name, left, n_rows in zip(data.task_names, train.n_rows, data.n_rows, strict=True):
        if left < 2 <= n_rows:
            what = (
                f"is {share:g}, which leaves one of {n_rows} rows of task {label(name)} to fit on"
            )
            raise InputError(what, where=Setting("test_share"), remedy="give a smaller share")


def tell_step(step: KPoint | Iteration) -> str:
    if isinstance(step, KPoint):
        return f"{SHAPES[step.shape]}, K = {step.k}: error {step.error:.4g}"
    return f"objective {step.objective:.4g}"


def values_of(
    model: Any, account: list[str], train: TaskSet, test: TaskSet | None, seconds: float
) -> dict[str, Any]:
    """What ``--json`` tells, and what the summary is made from."""
    outliers = np.asarray(model.outliers_)
    pure = int((model.pure_ & ~outliers).sum())
    selection = getattr(model, "selection_", None)
    found = getattr(model, "choices_", ())
    return {
        "account": account,
        "task_type": train.task_type,
        "tasks": len(train),
        "rows": len(train.X),
        "features": len(train.feature_names),
        "clusters": len(model.cluster_coef_),
        "shape": model.shape_,
        "own": model.own_,
        "pure": pure,
        "mixed": int((model.labels_ >= 0).sum()) - pure,
        "outliers": model.task_names_[outliers],
        "features_used": int((model.coef_[~outliers] != 0).any(axis=0).sum()),
        "metric": error_name(model),
        "training_error": overall_error(model, train),
        "test_error": None if test is None else overall_error(model, test),
        "iterations": model.n_iter_,
        "seconds": seconds,
        "selection": None if selection is None else list_values(selection),
        "choices": [vars(choice) for choice in found],
        "chosen": choices.say_outcome(model) if len(found) > 1 else "",
        "cluster_table": clusters_table(model).to_dict("records"),
        "task_table": tasks_table(model, test or train).to_dict("records"),
        "suspects": suspects_account(model),
        "suspect_rows": suspects_table(model, train).to_dict("records"),
        "written": [],
    }


def summarise(values: dict[str, Any]) -> str:
    """A few lines for a person."""
    features = f"{values['features_used']:,} of {counted(values['features'], 'feature')} used"
    lines = [*describe_choices(values), f"{describe_clusters(values)}; {features}."]
    if len(values["outliers"]):
        lines.append(f"Outlier tasks, like no cluster: {', '.join(map(str, values['outliers']))}.")
    if values["cluster_table"]:
        lines.append(pd.DataFrame(values["cluster_table"]).to_string(index=False))
    lines += describe_suspects(values)
    metric = values["metric"]
    error = f"{metric[0].upper()}{metric[1:]} {values['training_error']:.4g} on the training rows"
    if values["test_error"] is not None:
        error += f", {values['test_error']:.4g} on the test rows"
    return "\n".join([*lines, f"{error}; fitted in {values['seconds']:.1f} s."])


def describe_suspects(values: dict[str, Any]) -> list[str]:
    """Values out of all proportion, and the first of their rows."""
    rows = values["suspect_rows"]
    if not rows:
        return []
    shown = pd.DataFrame(rows[:MOST_SUSPECTS]).to_string(index=False, float_format="{:.4g}".format)
    rest = len(rows) - MOST_SUSPECTS
    more = [f"and {rest:,} more; --json and the report name all."] if rest > 0 else []
    caption = "Suspect rows, counted from 1 over all that were read:"
    return ["", values["suspects"], caption, *shown.splitlines(), *more, ""]


def describe_clusters(values: dict[str, Any]) -> str:
    if not values["features_used"]:
        return f"Nothing to sort {counted(values['tasks'], 'task')} by"
    if values["clusters"] == 0:
        return f"No clusters: {counted(values['tasks'], 'task')}, each on its own"
    own = ", with a part of each task's own" if values["own"] == "deviation" else ""
    if values["shape"] == "span":
        return f"{counted(values['clusters'], 'pattern')} that can be subtracted{own}"
    strengths = " with strengths" if values["shape"] == "cone" else ""
    return (
        f"{counted(values['clusters'], 'cluster')}{strengths}, "
        f"{counted(values['pure'], 'pure task')}, {values['mixed']} mixed{own}"
    )


def describe_choices(values: dict[str, Any]) -> list[str]:
    """What cross-validation chose, and the first of what it chose from."""
    found, metric = [Choice(**choice) for choice in values["choices"]], values["metric"]
    if len(found) < 2:
        return []
    first = [choice for choice in found if choice.taken or choice.rank <= MOST_CHOICES]
    table = choices.choices_table(first, metric).drop(columns=["± %", "why"])
    marks = ["*" if choice.taken else " " for choice in first]
    longest = table["what"].str.len().max()
    table["what"] = [
        f"{mark} {name:<{longest}}" for mark, name in zip(marks, table["what"], strict=True)
    ]
    formats = dict.fromkeys(table.columns[1:3], "{:.4g}".format)
    formats["behind the best, %"] = "{:.1f}".format
    table = table.rename(columns={"what": f"  {'what':<{longest}}"})
    shown = table.to_string(index=False, formatters=formats).splitlines()
    rest = len(found) - len(first)
    more = f"; {rest} more tried" if rest else ""
    return [
        f"{values['chosen']}. {choices.say_comparisons(found, metric)}".rstrip(),
        *(line.rstrip() for line in shown),
        f"* taken: the simplest that predicts as well as the best{more}.",
        "",
    ]


def write_results(
    model: Any, tables: dict[str, pd.DataFrame], account: str, folder: Path, format: str
) -> list[str]:
    """All files of a fit, or none."""
    folder.mkdir(parents=True, exist_ok=True)
    with (
        replace_when_whole(folder / MODEL) as saved,
        replace_when_whole(folder / ACCOUNT) as told,
    ):
        model.save(saved)
        write_text(account, told)
        written = write_tables(tables, folder, format)
    return [str(path) for path in (folder / MODEL, *written, folder / ACCOUNT)]


# Numbers of clusters compared


def run_select(args: Namespace, console: Console) -> None:
    check_files(args, {"--out": (*TABLE_ENDINGS, ".json", ".html")})
    data, _, account = read_data(args, console)
    kind = pick_estimator(data.task_type)
    model = kind(**pick_arguments(args, kind))
    steps = selection_steps(model, data.features(), data.y, data.tasks, args.ks, data.weight)
    most = sum(k <= len(data) for k in args.ks)
    selection = console.follow(steps, tell_step, "Choosing K", " K", most)
    console.say(f"\n{describe_curve(selection)}")
    written = [args.out] if args.out else []
    values = {"account": account, **list_values(selection), "written": written}
    if args.out:
        write_curve(selection, values, Path(args.out))
        console.say(f"Wrote {args.out}.")
    console.document(values)


def list_values(selection: KSelection) -> dict[str, Any]:
    """A selection as plain values, for a JSON document."""
    names = ("metric", "ks", "error", "se", "objective", "seconds", "one_se", "best")
    return {name: getattr(selection, name) for name in (*names, "singular_ratios")}


def describe_curve(selection: KSelection) -> str:
    """The table for a person, and the choice in a sentence."""
    shown = curve_table(selection).to_string(
        columns=["K", "error", "se", "seconds", "choice"],
        index=False,
        formatters={"error": "{:.4g}".format, "se": "{:.2g}".format, "seconds": "{:.1f}".format},
    )
    lines = [line.rstrip() for line in shown.splitlines()]
    choice = (
        f"K = {selection.one_se} is the smallest within one standard error of the lowest "
        f"{selection.metric}"
    )
    if selection.best != selection.one_se:
        choice += f"; the lowest is at K = {selection.best}"
    return "\n".join([*lines, "", f"{choice}."])


def write_curve(selection: KSelection, values: dict[str, Any], path: Path) -> None:
    """As the ending of the path says."""
    ending = path.suffix.lower()
    if ending == ".html":
        from stcmtl import figures  # and plotly, which a table has no need of

        with replace_when_whole(path) as beside:
            figures.k_curve(selection).write_html(beside)
    elif ending == ".json":
        write_text(as_json(values) + "\n", path)
    else:
        write_table(curve_table(selection), path)
