"""``stcmtl simulate``: the paper's tasks as files."""

from __future__ import annotations

from argparse import Namespace
from dataclasses import asdict
from pathlib import Path

import numpy as np

from stcmtl.cli.console import Console
from stcmtl.cli.outputs import TASK_ENDINGS, check_file
from stcmtl.data.simulation import simulate
from stcmtl.io.write import write_tasks


def run(args: Namespace, console: Console) -> None:
    for name in (args.out, args.test_out):
        check_file(name, TASK_ENDINGS)
    check_file(args.truth_out, (".npz",))
    task_type = "classification" if args.classification else "regression"
    sim = simulate(
        n_tasks=args.tasks,
        n_features=args.features,
        n_clusters=args.clusters,
        n_train=args.train,
        n_test=args.test,
        mixing=args.mixing,
        noise=args.noise,
        n_outliers=args.outliers,
        task_type=task_type,
        structure_seed=args.structure_seed,
        random_state=args.seed,
    )
    write_tasks(sim.train, args.out)
    if args.test_out:
        write_tasks(sim.test, args.test_out)
    if args.truth_out:
        with Path(args.truth_out).open("wb") as stream:
            np.savez_compressed(stream, **asdict(sim.truth))
    written = [name for name in (args.out, args.test_out, args.truth_out) if name]
    console.say(
        f"{len(sim.train)} tasks in {args.clusters} clusters, {len(sim.train.X):,} training rows, "
        f"{args.features} features.\nWrote {', '.join(written)}."
    )
    console.document(
        {
            "tasks": len(sim.train),
            "features": args.features,
            "clusters": args.clusters,
            "rows": len(sim.train.X),
            "task_type": task_type,
            "outliers": sim.train.task_names[sim.truth.outliers],
            "written": written,
        }
    )
