"""What a comparison says: who predicts best, by how much, and who does not help.

Methods meet on the same rows, repetition by repetition. A method helps where it errs less than
both simple ways, one fit per task and one model for all: by more than chance over the
repetitions, and by enough to matter. A fit in hand has one set of test rows: there, by enough.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from stcmtl.data.taskset import Array
from stcmtl.evaluation.comparison import Outcome, values_of
from stcmtl.phrases import counted, digits, listed, say_error

SIMPLE = {"LASSO": "one fit per task", "Pooled": "one model for all tasks"}
# Of a fit without clusters, by the penalty on what is a task's own.
OWN_FITS = {
    "ridge": "ridge",
    "group": "group LASSO",
    "lasso": "LASSO at one level",
    "slopes": "random slopes",
}
# What lies between two errors where it may be chance: that may matter, or cannot.
TOO_FEW, NO_MATTER = "too few rows to tell which is better", "next to no difference"
CLEAR = 2.0  # standard errors, beyond which a lead is not put down to chance
WORTH = 0.02  # of an error: less is no help, however steady

Results = Mapping[str, Sequence[Outcome]]


@dataclass(frozen=True)
class Lead:
    """The mean difference of two methods' errors over repetitions, also as a ``share`` of the
    error of the one behind, and its standard error: NaN of a single repetition.
    """

    size: float
    share: float
    chance: float

    @property
    def is_clear(self) -> bool:
        return self.size > CLEAR * self.chance

    @property
    def is_worth(self) -> bool:
        return self.share > WORTH

    @property
    def helps(self) -> bool:
        return self.is_clear and self.is_worth


def measure_lead(first: Array, second: Array) -> Lead:
    """Of the first over the second, from their errors on the same rows."""
    gains = second - first
    size, behind, n = float(gains.mean()), float(second.mean()), gains.size
    chance = float(gains.std(ddof=1) / np.sqrt(n)) if n > 1 else float("nan")
    return Lead(size, size / behind if behind else 0.0, chance)


def keep_common(results: Results) -> dict[str, list[Outcome]]:
    """As many repetitions of every method as all of them have."""
    least = min(map(len, results.values()), default=0)
    return {method: list(outcomes[:least]) for method, outcomes in results.items()}


def lead_over(results: Results, first: str, second: str) -> Lead:
    return measure_lead(values_of(results[first], "error"), values_of(results[second], "error"))


def rank_methods(results: Results) -> list[str]:
    """Methods by their mean error, the best first."""
    return sorted(results, key=lambda method: mean_error(results, method))


def mean_error(results: Results, method: str) -> float:
    return float(values_of(results[method], "error").mean())


def find_equals(results: Results) -> list[str]:
    """Methods over which the lead of the best may be chance."""
    best, *others = rank_methods(results)
    return [o for o in others if not lead_over(results, best, o).is_clear]


def headline(results: Results, error_name: str) -> str:
    """Which method predicts best, and whether its lead is more than chance."""
    best, *others = rank_methods(results)
    error = f"test {error_name} of {digits(mean_error(results, best))}"
    if not others:
        return f"{best} has a {error}: pick another method to compare it with"
    ahead = lead_over(results, best, others[0])
    if ahead.size == 0.0:
        return f"No winner: {best} and {others[0]} share the lowest {error}"
    if len(results[best]) == 1:
        return f"{best} predicts best on these rows, with a {error}"
    doubtful = find_equals(results)
    if len(doubtful) == len(others):
        return f"No clear winner: {best} has the lowest {error}, which may be chance"
    if doubtful:
        return f"{best} has the lowest {error}; its lead over {listed(doubtful)} may be chance"
    simple = next((method for method in others if method in SIMPLE), None)
    if best not in SIMPLE and simple is not None and not passes(results, best, simple):
        little = f"less than {WORTH:.0%} below that of {simple}"
        return f"No winner that matters: {best} has the lowest {error}, {little}"
    lead = f"{digits(ahead.size)} ± {digits(ahead.chance, 1)}"
    return f"{best} predicts best: its {error} is {lead} below that of {others[0]}"


def remarks(results: Results, error_name: str) -> list[str]:
    """What else is to be said: a lead that may be chance, and methods that do not help."""
    best, *others = rank_methods(results)
    said = []
    if others and len(results[best]) == 1:
        ahead = lead_over(results, best, others[0])
        said.append(
            f"{best} leads {others[0]} by {digits(ahead.size)}; whether that is more than chance, "
            "only further repetitions can tell."
        )
    return [*said, *name_idle(results, error_name)]


def name_idle(results: Results, error_name: str) -> list[str]:
    """Methods that do not pass the best of the simple ones, and with them the other simple ones."""
    order = rank_methods(results)
    simple = [method for method in order if method in SIMPLE]
    if not simple:
        return []
    bar = simple[0]
    idle = [o for o in order if o not in SIMPLE and not passes(results, o, bar)]
    if not idle:
        return []
    idle = [o for o in order if o in idle or o in simple[1:]]
    does, none = ("does", "it is not") if len(idle) == 1 else ("do", "none is")
    n_times = len(results[bar])
    chance = f", and beyond chance over {n_times} repetitions" if n_times > 1 else ""
    level = f"{bar}: {error_name} {digits(mean_error(results, bar))}"
    return [
        f"{listed(idle)} {does} not help here: {none} clearly better (by {WORTH:.0%}{chance}) than "
        f"{SIMPLE[bar]} ({level})."
    ]


def passes(results: Results, method: str, bar: str) -> bool:
    ahead = lead_over(results, method, bar)
    return ahead.is_worth if len(results[bar]) == 1 else ahead.helps


def say_no_help(
    n_clusters: int, errors: Mapping[str, float | None], error_name: str, n_rows: int
) -> str:
    """That clusters do not help, with the figures; empty where they do, or nothing is known.

    ``errors`` are those of the clusters, under "clusters", and of the methods in ``SIMPLE``, on
    the same ``n_rows`` rows that no fit has seen.
    """
    ours = errors.get("clusters")
    simple = {name: error for name in SIMPLE if (error := errors.get(name)) is not None}
    if not n_clusters or ours is None or not simple:
        return ""
    best = min(simple, key=lambda name: simple[name])
    # One pattern is one model for all tasks: it helps where it beats separate fits.
    bar = simple.get("LASSO", simple[best]) if n_clusters == 1 else simple[best]
    if ours < (1.0 - WORTH) * bar and (n_clusters > 1 or ours <= (1.0 + WORTH) * simple[best]):
        return ""
    what, does = (f"{n_clusters} clusters", "do") if n_clusters > 1 else ("One pattern", "does")
    change = ours / simple[best] - 1.0 if simple[best] else 0.0
    cost = f": the error is {change:.0%} above that of {SIMPLE[best]}" if change > WORTH else ""
    figures = ", ".join(
        f"{say_error(error, error_name)} with {SIMPLE[name]}" for name, error in simple.items()
    )
    return (
        f"{what} {does} not help here{cost}. {error_name[0].upper()}{error_name[1:]} on "
        f"{counted(n_rows, 'row')} that no fit has seen: {say_error(ours, error_name)} with "
        f"{counted(n_clusters, 'cluster')}, {figures}."
    )


def say_no_signal(
    ours: float | None, guessing: float, error_name: str, n_rows: int, *, labels: bool = False
) -> str:
    """That features do not help to predict, with the figures; empty where they do.

    ``guessing`` is the error of each task's level, or of its commonest label.
    """
    if ours is None or not is_guessing(ours, guessing):
        return ""
    what = "commonest label" if labels else "level"
    return (
        f"The features say next to nothing here: guessing each task's {what} predicts as well. "
        f"{error_name[0].upper()}{error_name[1:]} on {counted(n_rows, 'row')} that no fit has "
        f"seen: {say_error(ours, error_name)} with this fit, {say_error(guessing, error_name)} "
        "by guessing."
    )


def say_poor_fit(
    ours: float,
    guessing: float,
    others: Mapping[str, float | None],
    error_name: str,
    n_rows: int,
    *,
    labels: bool = False,
) -> str:
    """That this fit makes nothing of features of which another does, with the figures; empty where
    it does, or none does.

    ``others`` are the errors of other fits on the same rows, ``guessing`` as above.
    """
    known = {name: error for name, error in others.items() if error is not None}
    best = min(known, key=lambda name: known[name], default="")
    if not best or is_guessing(known[best], guessing) or not is_guessing(ours, guessing):
        return ""
    how = "hardly better" if ours < guessing else "no better"
    what = "commonest label" if labels else "level"
    return (
        f"This fit predicts {how} than guessing each task's {what}; "
        f"{best} ({say_error(known[best], error_name)}). {error_name[0].upper()}{error_name[1:]} "
        f"on {counted(n_rows, 'row')} that no fit has seen: {say_error(ours, error_name)} with "
        f"this fit, {say_error(guessing, error_name)} by guessing."
    )


def is_guessing(error: float, guessing: float) -> bool:
    """Whether a fit predicts no better than guessing, by enough to matter."""
    return error >= (1.0 - WORTH) * guessing


def name_fits(model: Any) -> tuple[str, str]:
    """What a fit and separate fits are called beside each other; without clusters by kind."""
    K = len(model.cluster_coef_)
    if K > 1:
        return "clusters", "separate fits"
    if K:
        has_strengths = "one pattern" if model.shape_ == "simplex" else "with strengths"
        return "with own parts" if model.own_ == "deviation" else has_strengths, "separate fits"
    kind = name_own_fits(model)
    if kind == OWN_FITS["lasso"]:
        return "LASSO, one level", "LASSO, a level each"
    return f"{kind}, each task", "LASSO, each task"


def name_own_fits(model: Any) -> str:
    """How tasks are fitted alone, by the penalty on what is their own."""
    return OWN_FITS["lasso" if model.own_penalty_ is None else model.own_penalty_[0]]


def say_prediction(error: float, separate: float, measure: str, n_clusters: int) -> str:
    """How well unseen rows are predicted, against fitting every task alone."""
    whom = "every task fitted alone" if n_clusters else "a LASSO for each task"
    name = "labels wrong" if measure == "error rate" else "error"
    beside = say_beside(error, separate, measure, whom)
    return f"On rows the fit has not seen: {name} {say_error(error, measure)}, {beside}."


def name_chance(gain: float, reach: float, other: float, measure: str) -> str:
    """What to say of a mean gain on the ``other`` loss, if chance reaches as far; empty if not.

    Losses are squared errors, or the share of wrong labels. That a gain is not clear does not mean
    that there is none: rows may be too few.
    """
    if abs(gain) > reach:
        return ""
    worth = WORTH * other if measure == "error rate" else 2.0 * WORTH * other
    return TOO_FEW if abs(gain) + reach > worth else NO_MATTER


def say_beside(error: float, other: float, measure: str, whose: str, chance: str = "") -> str:
    """An error beside another's: "8% less than with separate fits (5.48)".

    Where ``chance`` alone may lie between them, that is said instead.
    """
    said, others = say_error(error, measure), say_error(other, measure)
    if said == others:
        return f"as with {whose}"
    if chance:
        return f"{others} with {whose}: {chance}"
    if other == 0.0:
        return f"against {others} with {whose}"
    change = error / other - 1.0
    if abs(change) < 0.005:
        return f"about as with {whose} ({others})"
    return f"{abs(change):.0%} {'less' if change < 0 else 'more'} than with {whose} ({others})"
