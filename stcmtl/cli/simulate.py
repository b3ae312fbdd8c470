"""``stcmtl simulate``: the paper's tasks as files."""

from __future__ import annotations

from argparse import Namespace
from dataclasses import asdict
from pathlib import Path

import numpy as np

from stcmtl.cli.console import Console
from stcmtl.cli.files import TASK_ENDINGS, check_file
from stcmtl.cli.options import pick_arguments
from stcmtl.data.simulation import simulate
from stcmtl.io.write import write_tasks


def run_simulate(args: Namespace, console: Console) -> None:
    for name in (args.out, args.test_out):
        check_file(name, TASK_ENDINGS)
    check_file(args.truth_out, (".npz",))
    sim = simulate(**pick_arguments(args, simulate))
    write_tasks(sim.train, args.out)
    if args.test_out:
        write_tasks(sim.test, args.test_out)
    if args.truth_out:
        with Path(args.truth_out).open("wb") as stream:
            np.savez_compressed(stream, **asdict(sim.truth))
    n_features, n_clusters = sim.truth.U.shape
    written = [name for name in (args.out, args.test_out, args.truth_out) if name]
    console.say(
        f"{len(sim.train)} tasks in {n_clusters} clusters, {len(sim.train.X):,} training rows, "
        f"{n_features} features.\nWrote {', '.join(written)}."
    )
    console.document(
        {
            "tasks": len(sim.train),
            "features": n_features,
            "clusters": n_clusters,
            "rows": len(sim.train.X),
            "task_type": sim.train.task_type,
            "outliers": sim.train.task_names[sim.truth.outliers],
            "written": written,
        }
    )
