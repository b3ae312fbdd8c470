"""Other solutions that are as good as the one taken, and how far they predict something else.

There are two decisions that a change of the data by nothing could turn: between starts of the
refinement whose criteria tie, and between models of which one is at the edge of being as good as
the best. Then the fit is repeated the other way. As a rule there is none, which costs nothing.
"""

from __future__ import annotations

from collections.abc import Callable, Generator, Iterable, Iterator, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from stcmtl.data.taskset import Array
from stcmtl.phrases import name_model
from stcmtl.progress import drain
from stcmtl.solver.problem import Problem
from stcmtl.solver.records import Alternative, Settings
from stcmtl.solver.trials import Candidate, mean_loss

AS_GOOD = 0.01  # the criterion of starts is a deviance: odds of 1.005 to 1
NOTICED = 1e-3  # standard deviations of the target

Fitted = dict[str, Any]
Other = tuple[str, float, Fitted]  # what it is, how far behind, and the fit


def other_fits(
    fitted: Fitted,
    models: Sequence[Candidate],
    settings: Settings,
    fit: Callable[[Settings, Candidate | None], Generator[Any, None, Fitted]],
) -> Iterator[Other]:
    """Of the model taken, the first of ``models`` if any, from another start; of the others."""
    gap = fitted["history_"][-1].next_start
    if gap <= AS_GOOD:
        from_there = fit(replace(settings, next_start=True), models[0] if models else None)
        yield "another start", gap, drain(from_there)
    for other in models[1:]:
        usual = max(mean_loss(models[0]), np.finfo(float).tiny)
        behind = (mean_loss(other) - mean_loss(models[0])) / usual
        name = name_model(other.n_clusters, other.shape, other.own)
        yield f"{name[0].lower()}{name[1:]}", behind, drain(fit(settings, other))


def find_alternatives(
    build: Callable[[], Problem], names: NDArray[Any], fitted: Fitted, others: Iterable[Other]
) -> list[Alternative]:
    """Those of the others that predict something else for rows of the problem, built if any is."""
    found = []
    for what, behind, other in others:
        differ = largest_differences(build(), fitted, other)
        if tasks := names[differ > NOTICED].tolist():
            found.append(Alternative(what, float(behind), float(differ.max()), tasks))
    return found


def largest_differences(problem: Problem, fitted: Fitted, other: Fitted) -> Array:
    """Between predictions for the rows of each task, in standard deviations of the target."""
    W, b = (other[name] - fitted[name] for name in ("coef_", "intercept_"))
    scaled = problem.scaled_coefficients(W.T)
    f = problem.predictions(scaled, b + np.einsum("td,dt->t", problem.means, scaled))
    y = problem.y + problem.target_means[problem.task_of_row]
    spread = max(y.std(), np.finfo(float).tiny)
    return np.asarray(np.maximum.reduceat(np.abs(f), problem.starts[:-1]) / spread)
