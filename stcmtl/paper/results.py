"""Results as small CSV files, one per setting, each method with the command that makes it again.

All but the seconds are reproducible: the same command with the same versions writes the same
bytes. Files that ship with the package are in its folder ``paper/results``.
"""

import csv
import platform
from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass, fields
from functools import cache
from importlib.metadata import version
from importlib.resources import files
from importlib.resources.abc import Traversable
from pathlib import Path
from typing import Any

import pandas as pd

from stcmtl.baselines.registry import name_option
from stcmtl.errors import InputError
from stcmtl.io.write import write_text
from stcmtl.paper import SETTING_NAMES
from stcmtl.paper.experiments import ORACLE, Score
from stcmtl.version import __version__

LIBRARIES = ("numpy", "scipy", "scikit-learn", "numba")
DIGITS = 6  # of a number in a file: what may differ between machines is beyond them
WARNING = "# The column seconds is not reproducible; all others are, by the command of the method."
COLUMNS = [field.name for field in fields(Score) if field.name != "setting"]
KINDS: dict[str, type] = {"method": str, "repetition": int, "clusters": int}


@dataclass(frozen=True)
class Run:
    """One method on a setting: its scores, and how to have them again."""

    setting: str
    method: str
    seed: int
    scores: tuple[Score, ...]
    versions: str

    @property
    def repetitions(self) -> int:
        return len(self.scores)

    @property
    def command(self) -> str:
        """The oracle needs no method of its own: it comes with any other, such as the quickest."""
        method = "lasso" if self.method == ORACLE else name_option(self.method)
        return (
            f"python -m stcmtl paper --setting {self.setting} --method {method} "
            f"--reps {self.repetitions} --seed {self.seed} --output results"
        )


def group_runs(scores: Iterable[Score], seed: int) -> list[Run]:
    """Scores of one setting or several, by method."""
    groups: dict[tuple[str, str], list[Score]] = {}
    for score in scores:
        groups.setdefault((score.setting, score.method), []).append(score)
    return [
        Run(setting, method, seed, tuple(found), versions())
        for (setting, method), found in groups.items()
    ]


def versions() -> str:
    named = ", ".join(f"{name} {version(name)}" for name in LIBRARIES)
    return f"stcmtl {__version__}, Python {platform.python_version()}, {named}"


def save_runs(runs: Sequence[Run], folder: Path) -> list[Path]:
    """One file per setting; methods that a file has already, and are not among the runs, stay.

    So does an oracle that has seen more repetitions than the new one.
    """
    folder.mkdir(parents=True, exist_ok=True)
    written = []
    for setting in dict.fromkeys(run.setting for run in runs):
        path = folder / f"{setting}.csv"
        new = {run.method: run for run in runs if run.setting == setting}
        old = {run.method: run for run in read_runs(path)} if path.exists() else {}
        if is_longer(old.get(ORACLE), new.get(ORACLE)):
            del new[ORACLE]
        write_text(format_runs(list((old | new).values())), path)
        written.append(path)
    return written


def is_longer(old: Run | None, new: Run | None) -> bool:
    """Whether an old run has all that a new one has, and more."""
    if old is None or new is None or (old.seed, old.versions) != (new.seed, new.versions):
        return False
    return old.repetitions > new.repetitions


def format_runs(runs: Sequence[Run]) -> str:
    """The file of one setting."""
    runs = sorted(runs, key=lambda run: run.method)
    heads = [f"# {run.method} | seed {run.seed} | {run.command} | {run.versions}" for run in runs]
    rows = [asdict(score) for run in runs for score in run.scores]
    table = pd.DataFrame(rows, columns=COLUMNS).astype({"clusters": "Int64"})
    text = table.to_csv(index=False, float_format=f"%.{DIGITS}g", lineterminator="\n")
    return "\n".join([WARNING, *heads, text])


def read_runs(path: Path | Traversable) -> list[Run]:
    """The runs of one file, whose name is its setting's."""
    try:
        return parse_runs(path.name.removesuffix(".csv"), path.read_text(encoding="utf-8"))
    except (ValueError, KeyError, TypeError):
        raise InputError(
            "holds no results that can be read",
            where=path.name,
            remedy="move it away, or name another folder",
        ) from None


def parse_runs(setting: str, text: str) -> list[Run]:
    lines = text.splitlines()
    if lines[:1] != [WARNING]:
        raise ValueError
    heads = [line.removeprefix("# ").split(" | ") for line in lines if line.startswith("# ")][1:]
    table = csv.DictReader(line for line in lines if not line.startswith("#"))
    scores = [parse_score(setting, row) for row in table]
    runs = []
    for head in heads:
        method, seed, _, used = head
        own = tuple(score for score in scores if score.method == method)
        runs.append(Run(setting, method, int(seed.removeprefix("seed ")), own, used))
    return runs


def parse_score(setting: str, row: dict[str, str]) -> Score:
    values: dict[str, Any] = {
        name: KINDS.get(name, float)(row[name]) if row[name] else None for name in COLUMNS
    }
    return Score(setting, **values)


@cache
def read_shipped(setting: str) -> tuple[Run, ...]:
    """What the package brings along for a setting; none where it brings nothing."""
    path = files("stcmtl.paper").joinpath("results", f"{setting}.csv")
    return tuple(read_runs(path)) if path.is_file() else ()


def list_shipped() -> list[str]:
    return [setting for setting in SETTING_NAMES if read_shipped(setting)]
