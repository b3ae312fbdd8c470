"""Which column is the target, and whether several are, one per task."""

import re

import numpy as np
import pandas as pd

from stcmtl.errors import Setting
from stcmtl.io.account import Case, list_names, quote
from stcmtl.io.guess import (
    FIRST_ROWS,
    MOST_FIRST,
    SHOWN,
    Candidate,
    ChoiceNeededError,
    encode,
    is_constant_within,
    is_text,
)
from stcmtl.io.limits import shorten
from stcmtl.io.names import SHEET, find_role, names_tasks, weigh_target_name

CLOSE = 2.0  # points between two columns that are about as good
BY_ROLE = {"sure": -6.0, SHEET: -6.0, "time": -6.0, "entity": -5.0, "id": -5.0}
BY_ROLE |= {"group": -2.0, "trait": -2.0}
FEW_LEVELS = 10  # of a number up to which it is hardly a scale
MOST_LABELS = 100  # of a text that may be predicted
WIDEST_RATIO = 100.0  # of spreads of targets that are measured alike
FEWEST_HOLES = 0.05  # share of a target that is not observed everywhere
WIDE = re.compile(
    r"(?i:(y|target|task|output|response|label|outcome|ziel|cible)s?)([ _.:-]|(?=[\dA-Z]))(?=.)"
)


def guess_target(frame: pd.DataFrame, columns: list[str], case: Case, task: pd.Series) -> str:
    """The likeliest column; close ones are said."""
    points = rank_targets(frame, columns, task)
    if not columns:
        raise case.fault("has no column left for a target", "add one, and features")
    if not points:
        choose = Setting("target", "...", "Pass {}, one of")
        what = "which column is the target? ", choose, f" {list_names(columns, 12)}"
        raise ChoiceNeededError(
            "target", dict.fromkeys(columns, ""), what, f"{shorten(case.name)}:"
        )
    best, *others = points
    close = [quote(name) for name in others if points[name] > points[best] - CLOSE]
    also = f"; it could also be {' or '.join(close[:SHOWN])}" if close else ""
    why = "with numbers"
    if weigh_target_name(best) > 0:
        why = "by its name"
    elif best == columns[-1]:
        why = "the last, with two labels" if is_text(frame[best]) else "the last with numbers"
    case.guessed.append(f"the target is column {quote(best)}, {why}{also}")
    return best


def rank_targets(
    frame: pd.DataFrame, columns: list[str], task: pd.Series | None
) -> dict[str, float]:
    points = {}
    tasks = None if task is None else encode(task)
    for place, name in enumerate(columns, 1):
        if MOST_FIRST < place <= len(columns) - MOST_FIRST and weigh_target_name(name) <= 0:
            continue
        values = frame[name]
        by_content = weigh_values(values)
        if by_content is None:
            continue
        by_name = weigh_target_name(name) or BY_ROLE.get(find_role(name), 0.0)
        points[name] = by_content + by_name + place / len(columns)
        points[name] += 1.0 * (place == len(columns))
        if tasks is not None and is_constant_within(tasks, values):
            points[name] -= 4.0
    return dict(sorted(points.items(), key=lambda item: -item[1]))


def weigh_values(values: pd.Series) -> float | None:
    """Numbers on a scale before two labels before few numbers before many labels.

    None for dates and what is the same everywhere; and, unless a name says that it is a target,
    for what numbers the rows and for texts that name or tell something.
    """
    if values.dtype.kind in "mMc":
        return None
    levels = values[:FIRST_ROWS].nunique()
    levels = levels if levels > FEW_LEVELS else values.nunique()
    if levels < 2:
        return None
    unnamed = weigh_target_name(str(values.name)) <= 0
    if is_text(values):
        most = min(MOST_LABELS, values.notna().sum() // 2)
        return 1.5 if levels == 2 else None if unnamed and values.nunique() > most else -2.0
    if unnamed and levels > FEW_LEVELS and counts_rows(values):
        return None
    return 1.5 if levels > FEW_LEVELS else 1.0 if levels == 2 else 0.5


def counts_rows(values: pd.Series) -> bool:
    """Whole numbers without a gap, each once: a count of the rows, in whatever order."""
    whole = values.dtype.kind in "iu"
    return whole and bool(values.max() - values.min() == len(values) - 1 and values.is_unique)


# One target per task


def guess_wide(frame: pd.DataFrame, columns: list[str], ranked: list[Candidate]) -> list[str]:
    """Two or more columns named y1, y2 or target_a, target_b; or the last ones, partly empty."""
    convincing = [candidate for candidate in ranked if candidate.good]
    if any(names_tasks(candidate.name) for candidate in convincing):
        return []
    families: dict[str, list[str]] = {}
    for column in columns:
        if match := WIDE.match(column):
            families.setdefault(match.group(1).lower(), []).append(column)
    named = max(families.values(), key=len, default=[])
    if 1 < len(named) < len(columns) and are_alike(frame[named]):
        return named
    if convincing:
        return []
    holes = [frame[c].isna().mean() if frame[c].dtype.kind in "iuf" else 0.0 for c in columns]
    full = [at for at, share in enumerate(holes, 1) if share < FEWEST_HOLES]
    first = max(full, default=0)
    last = columns[first:]
    if not 1 < len(last) < len(columns) or any(holes[:first]):
        return []
    return last if are_alike(frame[last]) else []


def are_alike(targets: pd.DataFrame) -> bool:
    """Numbers of about the same spread, or labels, none of them called a time or a name."""
    if any(find_role(name) in ("time", "id", "entity") for name in targets.columns):
        return False
    numbers = [targets[c].dtype.kind in "iufb" for c in targets.columns]
    if not all(numbers):
        return not any(numbers) and bool((targets.nunique() <= 2).all())
    spreads = targets.astype(np.float64).replace([np.inf, -np.inf], np.nan).std().to_numpy()
    spreads = spreads[spreads > 0]
    return spreads.size < 2 or bool(spreads.max() <= WIDEST_RATIO * spreads.min())
