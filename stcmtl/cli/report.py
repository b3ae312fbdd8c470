"""``stcmtl report``: a saved model as one HTML page."""

from __future__ import annotations

from argparse import Namespace

from stcmtl.cli.console import Console
from stcmtl.cli.files import check_file, load_model, read_like
from stcmtl.report import write_report


def run(args: Namespace, console: Console) -> None:
    check_file(args.out, (".html", ".htm"))
    model, reading = load_model(args.model)
    data, test = (
        read_like(files, reading, model.task_names_, args, console) if files else None
        for files in (args.data, args.test_file)
    )
    selection = getattr(model, "selection_", None)
    write_report(args.out, model, data, test=test, selection=selection, title=args.title)
    console.say(f"Wrote {args.out}.")
    console.document(
        {
            "tasks": len(model.task_names_),
            "features": model.n_features_in_,
            "clusters": len(model.cluster_coef_),
            "written": [args.out],
        }
    )
