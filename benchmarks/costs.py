"""How long jobs of the dashboard take, beside what pages say of it before they begin.

    python benchmarks/costs.py              # all sizes, three minutes on one core
    python benchmarks/costs.py tiny paper   # some of them

Seconds are of one core (a job has one), so that others on the machine do not count.
"""

import argparse
import sys
import warnings
from collections.abc import Callable, Iterator
from pathlib import Path
from time import process_time
from typing import Any

import numpy as np

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))  # so that it runs as a script
from stcmtl.progress import drain
from stcmtl.studio.limits import curve_cost, fit_cost
from stcmtl.studio.state.choices import CHOSEN, PAPER, ROBUST, DataChoice, FitChoice
from stcmtl.studio.state.loading import Loaded, load
from stcmtl.studio.work.fits import curve_steps, fit_steps
from stcmtl.studio.work.trust import cost_of, trust_steps

RESAMPLES = 20
LABELS = "classification"


def tasks(n: int, features: int, clusters: int, rows: int, kind: str = "regression") -> DataChoice:
    return DataChoice(
        tasks=n, features=features, clusters=clusters, mixed=n // 6, rows=rows, test_rows=10,
        kind=kind,
    )  # fmt: skip


SIZES = {
    "tiny": tasks(18, 30, 3, 60),
    "tiny labels": tasks(18, 30, 3, 80, LABELS),
    "middling": tasks(60, 50, 4, 50),
    "few rows": tasks(30, 200, 3, 30),
    "many tasks": tasks(300, 30, 3, 30),
    "many rows": tasks(20, 20, 2, 1000),
    "paper": tasks(60, 200, 5, 100),
    "paper labels": tasks(60, 100, 5, 150, LABELS),
}
CHOICES: dict[str, Callable[[int], FitChoice]] = {
    "K given": lambda k: FitChoice(k=k),
    "K = 12": lambda k: FitChoice(k=12),
    "robust": lambda k: FitChoice(k=k, method=ROBUST),
    "the paper's algorithm": lambda k: FitChoice(k=k, method=PAPER),
    "shapes to choose from": lambda k: FitChoice(k=k, shape="auto", own="auto"),
    "everything": lambda k: FitChoice(model=CHOSEN),
}


def jobs_of(data: Loaded, k: int) -> Iterator[tuple[str, float, float]]:
    """Each job with the seconds that were told, and those it took."""
    drain(fit_steps(data, FitChoice(k=k)))  # what a first fit loads is not counted
    for name, choose in CHOICES.items():
        choice = choose(k)
        result, seconds = timed(lambda choice=choice: drain(fit_steps(data, choice)))
        yield name, fit_cost(data.train, choice).seconds, seconds
        if len(result.model.cluster_coef_) and name != "shapes to choose from":
            resample = trust_steps(result, RESAMPLES, 0.9)
            _, seconds = timed(lambda resample=resample: drain(resample))
            yield f"{RESAMPLES} resamples of it", cost_of(result, RESAMPLES).seconds, seconds
    choice = FitChoice(k=1)
    _, seconds = timed(lambda: drain(curve_steps(data, choice)))
    yield "curve over K", curve_cost(data.train, choice).seconds, seconds


def timed(job: Callable[[], Any]) -> tuple[Any, float]:
    start = process_time()
    return job(), process_time() - start


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("sizes", nargs="*", default=list(SIZES), metavar="SIZE")
    warnings.simplefilter("ignore")
    ratios = []
    for size in parser.parse_args().sizes:
        data = load(SIZES[size])
        rows, features = data.train.X.shape
        print(f"\n{size}: {len(data.train)} tasks, {rows:,} rows, {features} features")
        for name, told, taken in jobs_of(data, SIZES[size].clusters):
            ratios.append(told / taken)
            print(f"  {name:24} told {told:6.2f} s, taken {taken:6.2f}: {told / taken:5.2f}")
    for factor in (2.0, 3.0):
        within = np.mean([1.0 / factor <= ratio <= factor for ratio in ratios])
        print(f"within a factor of {factor:g}: {within:.0%} of {len(ratios)}")


if __name__ == "__main__":
    main()
