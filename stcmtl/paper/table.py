"""The paper's Tables 2 to 6, ours and the oracle side by side; and what that amounts to in words.

What the paper prints is in ``numbers.toml``, marked where it does not agree with itself.
"""

import re
import tomllib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from typing import Any

import numpy as np
import pandas as pd

from stcmtl.baselines.registry import OURS, REGISTRY
from stcmtl.data.taskset import Array
from stcmtl.evaluation.comparison import spread
from stcmtl.evaluation.verdicts import SIMPLE, Lead, measure_lead
from stcmtl.paper.experiments import ORACLE
from stcmtl.paper.results import Run
from stcmtl.paper.settings import SETTINGS, is_synthetic, pick_ours
from stcmtl.phrases import counted, name_model

EXACT_MCC = "MCC, exact zeros"  # beside the paper's MCC, which takes small ones for zero
STCMTL = "STCMTL"  # the paper's name for all of ours
FAITHFUL = "STCMTL paper"  # Algorithm 1 as published
COLUMNS = (
    *("method", "paper", "ours", "ratio", "oracle"),
    *("paper sd", "ours sd", "repetitions", "marks"),
)
APART = 1.25  # times the printed error
ORDER = (*(method for method in REGISTRY if method not in OURS), STCMTL, *OURS)


@dataclass(frozen=True)
class Cell:
    """A mean and a standard deviation over the paper's repetitions.

    ``marks`` name what does not fit together about it; see ``reasons``.
    """

    table: int
    setting: str
    method: str
    measure: str
    mean: float
    sd: float
    marks: tuple[str, ...]


@cache
def read_numbers() -> dict[str, Any]:
    source = files("stcmtl.paper").joinpath("numbers.toml")
    return tomllib.loads(source.read_text(encoding="utf-8"))


@cache
def cells() -> dict[tuple[str, str, str], Cell]:
    """Every cell of the paper's tables by setting, method and measure."""
    contradictory = {tuple(pair) for pair in read_numbers()["contradiction"]}
    found = {}
    for table in read_numbers()["table"]:
        for setting, measures in table["cells"].items():
            for measure, pairs in measures.items():
                usual = tuple(filter(None, [table["marks"].get(measure)]))
                for method, (mean, sd) in zip(table["methods"], pairs, strict=True):
                    odd = measure == "REE" and (setting, method) in contradictory
                    marks = (*usual, "contradiction") if odd else usual
                    key = setting, method, measure
                    found[key] = Cell(table["number"], *key, mean, sd, marks)
    return found


def reasons() -> dict[str, str]:
    """What each mark means, in a sentence."""
    return read_numbers()["marks"]


# Side by side


def measures(setting: str) -> dict[str, str]:
    """What can be looked at in a setting, and the field of a score that has it."""
    known = {SETTINGS[setting].measure: "error"}
    if is_synthetic(setting):
        known |= {"REE": "ree", "MCC": "mcc", EXACT_MCC: "mcc_exact"}
    return known | {"seconds": "seconds"}


def cite_table(setting: str, measure: str) -> str:
    """Where the paper has the measure; empty where it does not."""
    found = {c.table for c in cells().values() if (c.setting, c.measure) == (setting, measure)}
    captions = {table["number"]: table["caption"] for table in read_numbers()["table"]}
    return "".join(f"Table {n} of the paper. {captions[n]}." for n in found)


def values(run: Run, measure: str) -> Array:
    field = measures(run.setting)[measure]
    return np.array([getattr(score, field) for score in run.scores], dtype=np.float64)


def side_by_side(setting: str, runs: Sequence[Run], measure: str) -> pd.DataFrame:
    """One row per method, also those of the paper that were not run; NaN where nothing is known."""
    own = {run.method: run for run in runs}
    oracle = values(own.pop(ORACLE), measure).mean() if ORACLE in own else np.nan
    shown = sorted({*own, *find_left_out(setting, measure, own)}, key=ORDER.index)
    rows = [row(setting, method, own.get(method), measure, oracle) for method in shown]
    return pd.DataFrame(rows, columns=list(COLUMNS))


def row(
    setting: str, method: str, run: Run | None, measure: str, oracle: float
) -> tuple[object, ...]:
    cell = cells().get((setting, STCMTL if method in OURS else method, measure))
    paper, sd, marks = (np.nan, np.nan, ()) if cell is None else (cell.mean, cell.sd, cell.marks)
    found = np.array([np.nan]) if run is None else values(run, measure)
    ours = float(found.mean())
    repetitions = 0 if run is None else run.repetitions
    if measure == SETTINGS[setting].measure and method not in OURS and is_apart(ours / paper):
        marks = (*marks, "apart")
    sides = paper, ours, ours / paper, oracle
    return method, *sides, sd, spread(found), repetitions, ", ".join(marks)


def is_apart(ratio: float) -> bool:
    """Whether two errors of one method differ by more than chance or rounding could."""
    return bool(ratio < 1.0 / APART or ratio > APART)  # neither of NaN


def find_left_out(setting: str, measure: str, own: dict[str, Run]) -> Iterator[str]:
    """Methods of the paper's table that were not run."""
    for where, method, what in cells():
        is_run = method in own or (method == STCMTL and not own.keys().isdisjoint(OURS))
        if (where, what) == (setting, measure) and not is_run:
            yield method


def explain_marks(table: pd.DataFrame) -> dict[str, str]:
    """The marks of a table's cells and their reasons."""
    used = {mark for marks in table["marks"] for mark in marks.split(", ") if mark}
    return {mark: reason for mark, reason in reasons().items() if mark in used}


def headline(setting: str, runs: Sequence[Run]) -> str:
    """Ours, the paper's algorithm as we ran it, what the paper prints, and the oracle."""
    measure, own = SETTINGS[setting].measure, pick_ours(setting)
    table = side_by_side(setting, runs, measure).set_index("method")
    if own not in table.index or np.isnan(table.loc[own, "ours"]):
        return f"{SETTINGS[setting].title}: {own} was not run"
    found = table.loc[own]
    words = [f"{measure[0].upper()}{measure[1:]} {found['ours']:.3f} by {own}, which is ours"]
    if FAITHFUL in table.index and not np.isnan(again := table.loc[FAITHFUL, "ours"]):
        words.append(f"{again:.3f} by the paper's algorithm run again")
    if not np.isnan(found["paper"]):
        words.append(f"{found['paper']:.3f} printed in the paper")
    if not np.isnan(found["oracle"]):
        words.append(f"{found['oracle']:.3f} by an oracle")
    return ", ".join(words)


def verdict(setting: str, runs: Sequence[Run]) -> str | None:
    """Whether semisoft clustering helps against one fit per task and one for all, or None."""
    measure = SETTINGS[setting].measure
    errors = {run.method: values(run, measure) for run in runs}
    own = errors.get(pick_ours(setting))
    if own is None:
        return None
    simple = {name: errors[name] for name in SIMPLE if name in errors}
    simple = {name: error for name, error in simple.items() if error.size == own.size}
    if not simple:
        return None
    rival = min(simple, key=lambda name: float(simple[name].mean()))
    ahead = measure_lead(own, simple[rival])
    lower = min(own, simple[rival], key=np.mean)
    return (
        f"{judge(ahead)}: {measure} {own.mean():.4g} against "
        f"{simple[rival].mean():.4g} of {SIMPLE[rival]} ({rival}), "
        f"{say_lead(ahead.share)} over "
        f"{counted(own.size, 'repetition')}." + one_cluster(runs) + better_still(errors, lower)
    )


def say_lead(share: float) -> str:
    """How much lower an error is: "2.5% lower", or "the same" where no digit is left to tell."""
    size = f"{abs(share):.1%}"
    if size == "0.0%":
        return "the same to 0.1%"
    return f"{size} {'lower' if share > 0 else 'higher'}"


def judge(ahead: Lead) -> str:
    if ahead.helps:
        return "Semisoft clustering helps here"
    if ahead.is_worth:
        return "Semisoft clustering may help here, or it is chance"
    return "Semisoft clustering does not help here"


def one_cluster(runs: Sequence[Run]) -> str:
    """That there were none to share, where cross-validation found so each time."""
    chosen = {score.clusters for run in runs for score in run.scores if score.clusters is not None}
    return " Cross-validation chose K = 1 every time: no clusters." if chosen == {1} else ""


def better_still(errors: dict[str, Array], reached: Array) -> str:
    """Which of the other methods, if any, has a lower error than was reached."""
    known = (*SIMPLE, *OURS, ORACLE)
    others = {m: e for m, e in errors.items() if m not in known and e.size == reached.size}
    best = min(others, key=lambda method: float(others[method].mean()), default=None)
    if best is None or others[best].mean() >= reached.mean():
        return ""
    is_clear = measure_lead(others[best], reached).is_clear
    does = "does better than both" if is_clear else "may do better"
    return f" {best} {does}: {others[best].mean():.4g}."


KINDS_COMMAND = "python benchmarks/regimes.py --first 500 --draws 5"
CHOSEN = re.compile(r"K=(\d+) (\w+) (\w+) \((\d+)\)")  # as that script writes a choice
KINDS = {  # as it calls tasks, in plain words; the rest are plain
    "the model's own": "as in the paper",
    "no pure task": "no pure tasks",
    "strengths": "patterns weak or strong by task",
    "signed": "patterns added or subtracted",
    "dense deviations": "each task a bit its own, in all features",
    "sparse deviations": "each task a bit its own, in a few features",
    "few tasks deviate": "a few tasks a bit their own",
    "dense patterns": "patterns that use all features",
    "identical": "all tasks the same",
    "independent": "nothing in common",
    "sparse": "few features each",
    "dense": "all features",
    "around one": "deviations from one pattern",
}


def kinds_of_tasks() -> pd.DataFrame:
    """Everything automatic beside the best alternative, one row per kind of tasks."""
    with files("stcmtl.paper").joinpath("results", "kinds.csv").open() as shipped:
        found = pd.read_csv(shipped)
    return found.assign(cell=found["cell"].map(name_kind), chose=found["chose"].map(name_chosen))


def name_kind(cell: str) -> str:
    parts = [KINDS.get(part, part) for part in cell.split(", ")]
    return re.sub(r"\bn=(\d+)", r"\1 rows each", ", ".join(parts))


def name_chosen(chose: str) -> str:
    """What was chosen in how many draws, the most frequent first."""
    found = CHOSEN.findall(chose)
    total = sum(int(draws) for *_, draws in found)
    return "; ".join(
        name_model(int(k), shape, own) + ("" if int(draws) == total else f" ({draws} of {total})")
        for k, shape, own, draws in found
    )
