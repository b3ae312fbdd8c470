"""Is ours first, and by more than the spread? From shipped results, or from a folder of new ones.

    python benchmarks/ranking.py
    python benchmarks/ranking.py --results results --zeros exact

Ours is "STCMTL refined", with ``robust=True`` where there are outliers. A lead is that of our
mean over the next best method's. It is compared with the larger of the two standard deviations,
which is mostly that between structures, and with the standard deviation of the paired
differences, as both had the same rows. Run methods with
``python -m stcmtl paper --output results``.
"""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

import numpy as np
import pandas as pd

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))  # so that it runs as a script
from stcmtl.baselines.registry import OURS
from stcmtl.evaluation.comparison import spread
from stcmtl.paper import SYNTHETIC, results, table
from stcmtl.paper.experiments import ORACLE
from stcmtl.paper.settings import pick_ours
from stcmtl.paper.table import EXACT_MCC

LARGER_IS_BETTER = ("MCC", EXACT_MCC)


def runs_of(setting: str, folder: Path | None) -> list[results.Run]:
    return (
        list(results.read_shipped(setting))
        if folder is None
        else results.read_runs(folder / f"{setting}.csv")
    )


def lead(setting: str, runs: list[results.Run], measure: str) -> dict[str, object]:
    """Ours and the best of the others in one measure."""
    found = {run.method: table.values(run, measure) for run in runs if run.method != ORACLE}
    sign = -1.0 if measure in LARGER_IS_BETTER else 1.0
    others = {name: v for name, v in found.items() if name not in OURS}
    next_best = min(others, key=lambda name: sign * others[name].mean())
    ours, theirs = found[pick_ours(setting)], others[next_best]
    gains = sign * (theirs - ours)
    return {
        "setting": setting,
        "measure": measure,
        "ours": told(ours),
        "next": f"{next_best} {told(theirs)}",
        "lead": f"{gains.mean():.4f}",
        "/ larger sd": f"{gains.mean() / max(spread(ours), spread(theirs)):.1f}",
        "/ paired sd": f"{gains.mean() / spread(gains):.1f}",
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
    parser.add_argument("--setting", nargs="+", choices=SYNTHETIC, default=SYNTHETIC)
    options = parser.parse_args()
    mcc = "MCC" if options.zeros == "paper" else EXACT_MCC
    rows = [
        lead(setting, runs_of(setting, options.results), measure)
        for setting in options.setting
        for measure in ("RMSE", "REE", mcc)
    ]
    print(pd.DataFrame(rows).to_string(index=False))


if __name__ == "__main__":
    main()
