"""``stcmtl simulate`` and ``stcmtl paper``: the paper's tasks as files; its tables once more."""

from argparse import Namespace
from dataclasses import asdict
from typing import Any

import pandas as pd

from stcmtl.baselines.registry import REGISTRY, name_option
from stcmtl.cli.console import Console
from stcmtl.cli.files import check_files, check_folder
from stcmtl.cli.options import pick_arguments
from stcmtl.data.simulation import simulate
from stcmtl.io.write import TASK_ENDINGS, write_arrays, write_tasks
from stcmtl.paper import SETTING_NAMES, table
from stcmtl.paper.experiments import experiment_steps
from stcmtl.paper.results import Run, group_runs, read_runs, save_runs, versions
from stcmtl.paper.settings import SETTINGS, NoData, methods_for


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


# Its experiments


def run_paper(args: Namespace, console: Console) -> None:
    wanted = [method for method in REGISTRY if name_option(method) in args.method]
    folder = check_folder(args.output, "--output") if args.output is not None else None
    settings = dict.fromkeys(args.setting or SETTING_NAMES)
    for path in [] if folder is None else [folder / f"{name}.csv" for name in settings]:
        if path.exists():
            read_runs(path)  # what cannot be added to is refused before the work
    runs: dict[str, list[Run]] = {}
    written: list[str] = []
    for setting in settings:
        try:
            runs[setting] = run_setting(setting, wanted or methods_for(setting), args, console)
        except NoData as error:
            if args.setting:
                raise
            console.note(f"{setting} is left out. {error}")
            continue
        console.say(setting_text(setting, runs[setting]))
        if folder is not None:
            written += [str(path) for path in save_runs(runs[setting], folder)]
    if written:
        console.say(f"\nWrote {', '.join(written)}.")
    console.document(
        {
            "seed": args.random_state,
            "repetitions": args.repetitions,
            "versions": versions(),
            "tables": [values_of(setting, found) for setting, found in runs.items()],
            "scores": [asdict(s) for found in runs.values() for run in found for s in run.scores],
            "written": written,
        }
    )


def run_setting(setting: str, wanted: list[str], args: Namespace, console: Console) -> list[Run]:
    """All repetitions, with a bar that counts fits."""
    n, seed = args.repetitions, args.random_state
    steps = experiment_steps(setting, wanted, n, seed, args.n_jobs)
    scores = console.follow(steps, lambda step: step.what, setting, " fit", n * len(wanted))
    return group_runs(scores, seed)


def setting_text(setting: str, runs: list[Run]) -> str:
    """One block per measure, the reasons of the marks, and the verdict."""
    lines = [f"\n{SETTINGS[setting].title} ({setting})"]
    reasons: dict[str, str] = {}
    for measure in table.measures(setting):
        shown = table.side_by_side(setting, runs, measure)
        reasons |= table.explain_marks(shown)
        lines += ["", measure, *frame_text(shown)]
    lines += ["", *(f"{mark}: {reason}" for mark, reason in reasons.items())]
    verdict = table.verdict(setting, runs)
    return "\n".join([*lines, *([verdict] if verdict else [])])


def frame_text(shown: pd.DataFrame) -> list[str]:
    full = shown.drop(columns="repetitions").dropna(axis=1, how="all")
    text = full.to_string(index=False, na_rep="", float_format="{:.4g}".format)
    return [line.rstrip() for line in text.splitlines()]


def values_of(setting: str, runs: list[Run]) -> dict[str, Any]:
    blocks = {
        measure: table.side_by_side(setting, runs, measure).to_dict("records")
        for measure in table.measures(setting)
    }
    return {"setting": setting, "measures": blocks, "verdict": table.verdict(setting, runs)}
