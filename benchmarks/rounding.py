"""Does a fit stay where it is when the data change by nothing that matters?

    python benchmarks/rounding.py                       # everything automatic, ten draws each
    python benchmarks/rounding.py --clusters 3          # their number given, the rest automatic
    python benchmarks/rounding.py --paper --clusters 3  # Algorithm 1 alone (refine=False)

Tasks are simulated with features that correlate from 0 to 0.99 and fitted again after noise of
1e-12 in X, a shift of all features by 1,000, other names for the tasks (so that they are in
another order), rows in another order (those of a task keep theirs, as folds go by it), and columns
in another order. The table: the largest move of a prediction for new rows, in standard
deviations of y; how many of the draws move by more than 1e-3; how many of those have no
`alternatives_`.
"""

from __future__ import annotations

import argparse
from collections.abc import Callable

import numpy as np
import pandas as pd

from stcmtl import STCMTLRegressor, simulate

CORRELATIONS = 0.0, 0.5, 0.9, 0.95, 0.99
NOTICED = 1e-3  # standard deviations of y
Fit = tuple[np.ndarray, bool]  # predictions for new rows, and whether there are alternatives


def draw(correlation: float, seed: int) -> tuple[np.ndarray, ...]:
    """Training rows and new ones, of 20 to 32 tasks with 20 to 40 features, three clusters."""
    sizes = np.random.default_rng(seed)
    drawn = simulate(
        n_tasks=int(sizes.integers(20, 33)),
        n_features=int(sizes.integers(20, 41)),
        n_clusters=3,
        n_train=40,
        n_test=20,
        correlation=correlation,
        structure_seed=seed,
        random_state=seed,
    )
    return tuple(
        np.asarray(part) for s in (drawn.train, drawn.test) for part in (s.X, s.y, s.tasks)
    )


def fit(model: STCMTLRegressor, X, y, tasks, new_X, new_tasks) -> Fit:
    model.fit(X, y, tasks)
    return model.predict(new_X, new_tasks), bool(getattr(model, "alternatives_", []))


def noise(model, X, y, tasks, new_X, new_tasks, rng) -> Fit:
    return fit(model, X + 1e-12 * rng.standard_normal(X.shape), y, tasks, new_X, new_tasks)


def shift(model, X, y, tasks, new_X, new_tasks, rng) -> Fit:
    return fit(model, X + 1e3, y, tasks, new_X + 1e3, new_tasks)


def names(model, X, y, tasks, new_X, new_tasks, rng) -> Fit:
    known = np.unique(tasks)
    other = rng.permutation(known)
    renamed = (other[np.searchsorted(known, part)] for part in (tasks, new_tasks))
    return fit(model, X, y, next(renamed), new_X, next(renamed))


def rows(model, X, y, tasks, new_X, new_tasks, rng) -> Fit:
    shuffled = rng.permutation(tasks)  # whose turn it is
    order = np.empty(len(y), dtype=int)
    for task in np.unique(tasks):
        order[shuffled == task] = np.flatnonzero(tasks == task)
    return fit(model, X[order], y[order], tasks[order], new_X, new_tasks)


def columns(model, X, y, tasks, new_X, new_tasks, rng) -> Fit:
    order = rng.permutation(X.shape[1])
    return fit(model, X[:, order], y, tasks, new_X[:, order], new_tasks)


CHANGES: dict[str, Callable[..., Fit]] = {
    "noise": noise,
    "shift": shift,
    "names": names,
    "rows": rows,
    "columns": columns,
}


def measure(
    correlation: float, seed: int, make: Callable[[], STCMTLRegressor], changes: list[str]
) -> list[dict]:
    """A row for every change."""
    X, y, tasks, new_X, _, new_tasks = draw(correlation, seed)
    before, known = fit(make(), X, y, tasks, new_X, new_tasks)
    found = []
    for change in changes:
        rng = np.random.default_rng(seed)
        after, known_after = CHANGES[change](make(), X, y, tasks, new_X, new_tasks, rng)
        move = np.abs(after - before).max() / y.std()
        silent = move > NOTICED and not (known and known_after)
        found.append(
            {
                "change": change,
                "correlation": correlation,
                "seed": seed,
                "move": move,
                "noticed": move > NOTICED,
                "silent": silent,
            }
        )
    return found


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--draws", type=int, default=10)
    parser.add_argument("--first", type=int, default=0, help="seed of the first draw")
    parser.add_argument("--clusters", type=int, help="their number, if it is given")
    parser.add_argument("--shape", default="auto")
    parser.add_argument("--own", default="auto")
    parser.add_argument("--paper", action="store_true", help="Algorithm 1 alone")
    parser.add_argument("--correlation", type=float, nargs="*", default=CORRELATIONS)
    parser.add_argument("--changes", nargs="*", choices=CHANGES, default=list(CHANGES))
    parser.add_argument("--details", action="store_true", help="the draws that move")
    given = parser.parse_args()

    def make() -> STCMTLRegressor:
        clusters = given.clusters or "auto"
        rest = {"shape": given.shape, "own": given.own, "refine": not given.paper}
        return STCMTLRegressor(clusters, random_state=0, n_jobs=1, **rest)

    seeds = range(given.first, given.first + given.draws)
    each = [measure(c, seed, make, given.changes) for c in given.correlation for seed in seeds]
    found = pd.DataFrame([row for rows_of_draw in each for row in rows_of_draw])
    if given.details:
        print(found[found.noticed].to_string(index=False))
    table = found.groupby(["change", "correlation"], sort=False).agg(
        largest_move=("move", "max"), above=("noticed", "sum"), silent=("silent", "sum")
    )
    print(table.unstack("change").swaplevel(axis=1).sort_index(axis=1).T.to_string())
    above, silent = int(found.noticed.sum()), int(found.silent.sum())
    print(
        f"{above} of {len(found)} move by more than {NOTICED} sd, {silent} of them without a word"
    )


if __name__ == "__main__":
    main()
