"""Is ours first, and by more than the spread? From shipped results, or from a folder of new ones.

    python benchmarks/ranking.py
    python benchmarks/ranking.py --results results --zeros exact

Ours is "STCMTL refined", with ``robust=True`` where there are outliers. A lead is the mean over
the repetitions of ours against the next best method, which had the same rows, and stands beside
the standard deviations of both. Run methods with ``python -m stcmtl paper --output results``.
"""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

import numpy as np
import pandas as pd

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))  # so that it runs as a script
from stcmtl.comparison import OURS, spread
from stcmtl.paper import results, table
from stcmtl.paper.names import EXACT_MCC, SYNTHETIC
from stcmtl.paper.oracle import ORACLE
from stcmtl.paper.settings import ROBUST, SETTINGS

LARGER_IS_BETTER = ("MCC", EXACT_MCC)


def runs_of(setting: str, folder: Path | None) -> list[results.Run]:
    return (
        list(results.shipped(setting))
        if folder is None
        else results.read(folder / f"{setting}.csv")
    )


def lead(setting: str, runs: list[results.Run], measure: str) -> dict[str, object]:
    """Ours and the best of the others in one measure."""
    own = ROBUST if SETTINGS[setting].has_outliers else table.REFINED
    found = {run.method: table.values(run, measure) for run in runs if run.method != ORACLE}
    sign = -1.0 if measure in LARGER_IS_BETTER else 1.0
    others = {name: v for name, v in found.items() if name not in OURS}
    next_best = min(others, key=lambda name: sign * others[name].mean())
    ours, theirs = found[own], others[next_best]
    ahead = sign * (theirs.mean() - ours.mean())
    return {
        "setting": setting,
        "measure": measure,
        "ours": told(ours),
        "next": f"{next_best} {told(theirs)}",
        "lead": f"{ahead:.4f}",
        "lead / larger spread": f"{ahead / max(spread(ours), spread(theirs)):.1f}",
        "first": bool(ahead > max(spread(ours), spread(theirs))),
    }


def told(values: np.ndarray) -> str:
    return f"{values.mean():.4f} +- {spread(values):.4f}"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--results", type=Path, help="folder of CSV files (default: shipped)")
    parser.add_argument(
        "--zeros", choices=["paper", "exact"], default="paper",
        help="MCC with |w| <= 0.005 as zero, as in the paper, or with exact zeros",
    )  # fmt: skip
    options = parser.parse_args()
    mcc = "MCC" if options.zeros == "paper" else EXACT_MCC
    rows = [
        lead(setting, runs_of(setting, options.results), measure)
        for setting in SYNTHETIC
        for measure in ("RMSE", "REE", mcc)
    ]
    print(pd.DataFrame(rows).to_string(index=False))


if __name__ == "__main__":
    main()
