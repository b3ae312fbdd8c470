"""The Paper page: whose results are shown, jobs for new ones, and the paper's figures redrawn."""

from collections.abc import Callable, Generator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd
import plotly.graph_objects as go
import streamlit as st

from stcmtl import figures
from stcmtl.baselines.registry import REGISTRY
from stcmtl.evaluation import metrics
from stcmtl.evaluation.curve_tables import points_table
from stcmtl.paper import table
from stcmtl.paper.experiments import (
    CURVE,
    OBJECTIVE,
    PATTERNS,
    RIVAL,
    Patterns,
    experiment_steps,
    picture_steps,
)
from stcmtl.paper.results import Run, group_runs, read_shipped
from stcmtl.paper.settings import REFINED, SETTINGS
from stcmtl.phrases import counted, duration
from stcmtl.progress import Progress
from stcmtl.studio.limits import FITS_OF_CURVE, Asked, Cost
from stcmtl.studio.state.session import current
from stcmtl.studio.widgets import charts
from stcmtl.studio.words import help
from stcmtl.studio.words.parts import part_of_paper
from stcmtl.studio.words.scripts import Sources

Drawn = tuple[go.Figure, str, charts.Table | None]  # a figure, its maths and its numbers
SEED = 0  # as in the shipped results
UNKNOWN = 60.0  # seconds: for what has not been timed
ELSEWHERE = "take fewer methods or repetitions, or run it by the command line (stcmtl paper)"


@dataclass(frozen=True, eq=False)
class Picture:
    """The data of one figure of the paper, on one setting."""

    figure: str
    setting: str
    data: Any


def run_steps(
    setting: str, methods: Sequence[str], repetitions: int
) -> Generator[Progress, None, tuple[Run, ...]]:
    scores = yield from experiment_steps(setting, methods, repetitions, SEED)
    return tuple(group_runs(scores, SEED))


def start_run(setting: str, methods: Sequence[str], repetitions: int) -> None:
    key = "paper", setting, tuple(methods), repetitions
    seconds = expected_seconds(setting, methods, repetitions) or UNKNOWN
    asked = Asked(f"This run of {SETTINGS[setting].title}", Cost(seconds), ELSEWHERE)
    current().start("paper_runs", key, lambda: run_steps(setting, methods, repetitions), asked)


def drawing_steps(figure: str, setting: str) -> Generator[Progress, None, Picture]:
    data = yield from picture_steps(figure, setting, SEED)
    return Picture(figure, setting, data)


def start_picture(figure: str, setting: str) -> None:
    key = "paper", figure, setting
    shown = [REFINED] if figure != PATTERNS else [REFINED, RIVAL]
    seconds = expected_seconds(setting, shown, 1) or UNKNOWN
    if figure == CURVE:
        seconds *= FITS_OF_CURVE
    asked = Asked(f"This figure of {SETTINGS[setting].title}", Cost(seconds), ELSEWHERE)
    current().start("paper_picture", key, lambda: drawing_steps(figure, setting), asked)


def own_runs(setting: str) -> tuple[Run, ...]:
    """What was run here on a setting."""
    return tuple(run for run in current().paper_runs if run.setting == setting)


def forget_runs() -> None:
    current().paper_runs = ()


def runs_shown(setting: str) -> tuple[Run, ...]:
    return own_runs(setting) or read_shipped(setting)


def picture_of(figure: str, setting: str) -> Picture | None:
    drawn = current().paper_picture
    is_it = drawn is not None and (drawn.figure, drawn.setting) == (figure, setting)
    return drawn if is_it else None


def is_drawing() -> bool:
    """Whether the last job, running or done, was that of a figure."""
    return current().job_makes == "paper_picture"


def source(setting: str) -> str:
    """Where the numbers come from."""
    runs = runs_shown(setting)
    if not runs:
        return "Nothing ships for this setting yet: the table has the paper's numbers alone."
    low, high = (end(run.repetitions for run in runs) for end in (min, max))
    times = counted(high, "repetition") if low == high else f"{low} to {high} repetitions"
    if own_runs(setting):
        return f"Run here: {times}, seed {SEED}."
    return f"Shipped with the package: {times}, seed {runs[0].seed}; {runs[0].versions}."


def expected(setting: str, methods: Sequence[str], repetitions: int) -> str:
    """About how long a run takes, in a sentence; empty where a method has not been timed."""
    seconds = expected_seconds(setting, methods, repetitions)
    if seconds is None:
        return ""
    return f"About {duration(seconds)} on a machine like the one that made the shipped results."


def expected_seconds(setting: str, methods: Sequence[str], repetitions: int) -> float | None:
    """Of a run, by what ships; None where a method has not been timed."""
    known = {run.method: table.values(run, "seconds").mean() for run in read_shipped(setting)}
    if not methods or not known.keys() >= set(methods):
        return None
    each = sum(known[method] for method in methods)
    if SETTINGS[setting].n_clusters is None and any(REGISTRY[m].needs_clusters for m in methods):
        each += FITS_OF_CURVE * known[REFINED]
    return repetitions * each


def verdicts() -> dict[str, str]:
    """Of every setting with results, by its title: whether clusters help."""
    found = {SETTINGS[name].title: table.verdict(name, runs_shown(name)) for name in SETTINGS}
    return {title: sentence for title, sentence in found.items() if sentence}


def beside(setting: str, measure: str) -> str:
    """Which table of the paper it is, and what of that table is not shown."""
    said = table.cite_table(setting, measure)
    steps = [table.cells().get((setting, "STCMTL", f"updating {name}")) for name in ("U", "V")]
    if measure == "seconds" and None not in steps:
        U, V = (step.mean for step in steps if step is not None)
        said += (
            f" It also has {U:g} s for updating U and {V:g} s for V in STCMTL, at fixed penalties; "
            "ours are whole fits, cross-validation included."
        )
    return said


def say_kinds(ratio: pd.Series) -> str:
    """On how many kinds of tasks ours is better, by its error over that of the best other one."""
    better = int((ratio < 1.0).sum())
    if better == len(ratio):
        return f"better on all of them, by {1.0 - ratio.max():.1%} at the least"
    return f"better on {better}, at most {ratio.max() - 1.0:.1%} behind"


def show_table(shown: pd.DataFrame, measure: str) -> None:
    number = st.column_config.NumberColumn
    form, printed = ("%.1f", "%.1f") if measure == "seconds" else ("%.4f", "%.3f")
    st.dataframe(
        shown.replace({"repetitions": {0: None}, "marks": {"": None}}).dropna(axis=1, how="all"),
        hide_index=True, placeholder="", key=f"paper.table.{measure}",
        column_config={
            "method": st.column_config.TextColumn(pinned=True),
            "paper": number(format=printed),
            "paper sd": number("± paper", format=printed),
            "ours": number(format=form),
            "ours sd": number("± ours", format=form),
            "ratio": number("ours / paper", format="%.3f"),
            "oracle": number(format=form),
            "marks": st.column_config.TextColumn(width="medium"),
        },
    )  # fmt: skip


def show_picture(picture: Picture) -> None:
    key = f"paper-{picture.figure.split(',')[0]}".lower().replace(" ", "-")
    figure, maths, numbers = DRAWN[picture.figure](picture.data)
    part = part_of_paper(picture.figure, picture.setting, SEED, picture.data)
    charts.tools(key, maths, numbers, figure, sources=[Sources(None, parts=[part])])
    charts.draw(figure, key, key)


def patterns(data: Patterns) -> Drawn:
    """Features that most tasks use, in truth or by a method, come first."""
    everyone = np.stack([data.true, *data.estimated.values()])
    figure = figures.method_patterns(
        data.estimated,
        data.true,
        captions={
            method: f"MCC {metrics.mcc(data.true, W):.3f}" for method, W in data.estimated.items()
        },
        feature_order=figures.features_by_selection(np.abs(everyone).max(axis=0)),
    )
    return figure, help.PATTERN, None


DRAWN: dict[str, Callable[[Any], Drawn]] = {
    CURVE: lambda path: (figures.k_curve(path), help.K_CURVE, lambda: points_table(path)),
    PATTERNS: patterns,
    OBJECTIVE: lambda history: (figures.convergence(history), help.CONVERGENCE, None),
}
