"""``stcmtl select``: numbers of clusters compared by cross-validation."""

from __future__ import annotations

from argparse import Namespace
from pathlib import Path
from typing import Any

from stcmtl.cli.console import Console, as_json
from stcmtl.cli.files import check_file, read_data
from stcmtl.cli.options import pick_arguments
from stcmtl.estimators.choose_k import selection_steps
from stcmtl.estimators.semisoft import pick_estimator
from stcmtl.evaluation.tables import curve_table
from stcmtl.io.write import TABLE_ENDINGS, write_table
from stcmtl.solver.records import KPoint, KSelection


def run(args: Namespace, console: Console) -> None:
    check_file(args.out, (*TABLE_ENDINGS, ".json", ".html"))
    data, _, account = read_data(args, console)
    kind = pick_estimator(data.task_type)
    model = kind(**pick_arguments(args, kind))
    steps = selection_steps(model, data.features(), data.y, data.tasks, args.ks)
    most = min(len(args.ks), len(data))
    selection = console.follow(steps, tell_point, "Choosing K", " K", most)
    console.say(f"\n{describe_curve(selection)}")
    written = [args.out] if args.out else []
    values = {"account": account, **list_values(selection), "written": written}
    if args.out:
        write_curve(selection, values, Path(args.out))
        console.say(f"Wrote {args.out}.")
    console.document(values)


def tell_point(point: KPoint) -> str:
    return f"K = {point.k}: error {point.error:.4g}"


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

        figures.k_curve(selection).write_html(path)
    elif ending == ".json":
        path.write_text(as_json(values) + "\n", encoding="utf-8")
    else:
        write_table(curve_table(selection), path)
