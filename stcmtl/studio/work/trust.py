"""Resamples of a fit, as a job whose result is kept."""

from collections.abc import Generator, Hashable
from dataclasses import dataclass, replace

import numpy as np

from stcmtl.estimators.resampling import Stability, stability_steps
from stcmtl.evaluation.predictions import features_for
from stcmtl.phrases import counted
from stcmtl.progress import Progress
from stcmtl.studio.limits import Asked, Cost, resampling_cost
from stcmtl.studio.state.choices import PAPER
from stcmtl.studio.state.session import current
from stcmtl.studio.work.fits import Fitted


@dataclass(frozen=True, eq=False)
class Trusted:
    """What resamples say of a fit, and how it was asked."""

    result: Fitted
    n_boot: int
    level: float
    found: Stability

    @property
    def n_bytes(self) -> int:
        return sum(v.nbytes for v in vars(self.found).values() if isinstance(v, np.ndarray))

    def is_of(self, result: Fitted) -> bool:
        return name_fit(self.result) == name_fit(result)


def examined_last(result: Fitted | None) -> Trusted | None:
    """What was examined last; if it is this fit, under the names that its clusters have now."""
    made = current().trust
    return replace(made, result=result) if made and result and made.is_of(result) else made


def name_fit(result: Fitted) -> tuple[Hashable, ...]:
    """What tells fits apart."""
    return result.data.key, result.choice.in_effect


def trust_steps(result: Fitted, n_boot: int, level: float) -> Generator[Progress, None, Trusted]:
    yield Progress(0, n_boot, "Drawing rows of every task again")
    train, seed = result.data.train, result.choice.seed
    rows = features_for(result.model, train), train.y, train.tasks
    found = yield from stability_steps(
        result.model,
        *rows,
        n_boot,
        level=level,
        random_state=seed,
        sample_weight=train.weight,
    )
    return Trusted(result, n_boot, level, found)


def cost_of(result: Fitted, n_boot: int) -> Cost:
    K, refined = len(result.model.cluster_coef_), result.choice.method != PAPER
    return resampling_cost(result.data.train, K, n_boot, refined=refined)


def run(result: Fitted, n_boot: int, level: float) -> None:
    key = (*name_fit(result), "trust", n_boot, level)
    cost = cost_of(result, n_boot)
    what = f"{counted(n_boot, 'resample')} of {result.data.account_of_size}"
    asked = Asked(what, cost, "take fewer resamples, or draw them in Python")
    current().start("trust", key, lambda: trust_steps(result, n_boot, level), asked)
