"""``stcmtl select``: numbers of clusters compared by cross-validation."""

from __future__ import annotations

from argparse import Namespace
from pathlib import Path
from typing import Any

from stcmtl import figures
from stcmtl.cli.console import Console, as_json
from stcmtl.cli.curves import curve_text, selection_values
from stcmtl.cli.inputs import frame_of, read_data
from stcmtl.cli.models import estimator, point_text
from stcmtl.cli.outputs import check_file
from stcmtl.data.taskset import TaskSet
from stcmtl.estimators.choose_k import KPoint, KSelection, selection_steps
from stcmtl.evaluation.tables import curve_table
from stcmtl.io.write import TABLE_ENDINGS, write_table
from stcmtl.progress import drain, map_steps

DEFAULT_KS = range(1, 10)


def run(args: Namespace, console: Console) -> None:
    check_file(args.out, (*TABLE_ENDINGS, ".json", ".html"))
    data, account = read_data(args, console)
    selection = selected(args, data, console)
    console.say(f"\n{curve_text(selection)}")
    values = {
        "account": str(account).splitlines(),
        **selection_values(selection),
        "written": [args.out] if args.out else [],
    }
    if args.out:
        write_curve(selection, values, Path(args.out))
        console.say(f"Wrote {args.out}.")
    console.document(values)


def selected(args: Namespace, data: TaskSet, console: Console) -> KSelection:
    """``select_n_clusters``, point by point."""
    ks = args.ks or DEFAULT_KS
    model = estimator(args, data.task_type, "auto")
    steps = selection_steps(model, frame_of(data), data.y, data.tasks, ks)
    with console.progress("Choosing K", " K", total=min(len(ks), len(data))) as bar:

        def show(point: KPoint) -> None:
            bar.set_postfix_str(point_text(point))
            bar.update()

        return drain(map_steps(steps, show))


def write_curve(selection: KSelection, values: dict[str, Any], path: Path) -> None:
    """As the ending of the path says."""
    ending = path.suffix.lower()
    if ending == ".html":
        figures.k_curve(selection).write_html(path)
    elif ending == ".json":
        path.write_text(as_json(values) + "\n", encoding="utf-8")
    else:
        write_table(curve_table(selection), path)
