"""``stcmtl simulate``: the paper's tasks as files."""

from argparse import Namespace
from dataclasses import asdict

from stcmtl.cli.console import Console
from stcmtl.cli.options import pick_arguments
from stcmtl.cli.outputs import check_files
from stcmtl.data.simulation import simulate
from stcmtl.io.write import TASK_ENDINGS, write_arrays, write_tasks


def run_simulate(args: Namespace, console: Console) -> None:
    endings = {"--out": TASK_ENDINGS, "--test-out": TASK_ENDINGS, "--truth-out": (".npz",)}
    check_files(args, endings)
    sim = simulate(**pick_arguments(args, simulate))
    write_tasks(sim.train, args.out)
    if args.test_out:
        write_tasks(sim.test, args.test_out)
    if args.truth_out:
        write_arrays(asdict(sim.truth), args.truth_out)
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
