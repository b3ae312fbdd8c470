"""What a comparison says: who predicts best, by how much, and who does not help.

Methods meet on the same rows, repetition by repetition: a lead is clear where its mean is
larger than its standard deviation over the repetitions.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from stcmtl.comparison import Outcome, spread, values_of
from stcmtl.phrases import counted, digits, listed

Results = Mapping[str, Sequence[Outcome]]
SIMPLE = {"LASSO": "every task fitted alone", "Pooled": "one model for all tasks"}


@dataclass(frozen=True)
class Lead:
    """By how much less one method errs than another, and the spread of that; NaN of a single
    repetition.
    """

    size: float
    spread: float

    @property
    def is_clear(self) -> bool:
        return self.size > self.spread


def common(results: Results) -> dict[str, list[Outcome]]:
    """As many repetitions of every method as all of them have."""
    least = min(map(len, results.values()), default=0)
    return {method: list(outcomes[:least]) for method, outcomes in results.items()}


def lead(first: Sequence[Outcome], second: Sequence[Outcome]) -> Lead:
    gains = values_of(second, "error") - values_of(first, "error")
    return Lead(float(gains.mean()), spread(gains))


def ranking(results: Results) -> list[str]:
    """Methods by their mean error, the best first."""
    return sorted(results, key=lambda method: mean_error(results, method))


def mean_error(results: Results, method: str) -> float:
    return float(values_of(results[method], "error").mean())


def leaders(results: Results) -> list[str]:
    """The best, and all that it does not clearly lead."""
    best, *others = ranking(results)
    return [best, *(o for o in others if not lead(results[best], results[o]).is_clear)]


def headline(results: Results, error_name: str) -> str:
    """Which method predicts best, and whether its lead exceeds the spread."""
    best, *others = ranking(results)
    error = f"test {error_name} of {digits(mean_error(results, best))}"
    if not others:
        return f"{best} has a {error}: pick another method to compare it with"
    if len(results[best]) == 1:
        return f"{best} predicts best on these rows, with a {error}"
    first = leaders(results)
    if len(first) == len(results):
        return f"No clear winner: the best has a {error}, and no lead exceeds its spread"
    if len(first) > 1:
        return f"{listed(first)} predict best, with a {error}: none leads by more than the spread"
    ahead = lead(results[best], results[others[0]])
    return (
        f"{best} predicts best: its {error} is {digits(ahead.size)} below that of {others[0]}, "
        f"more than that differs between repetitions ({ahead.spread:.2g})"
    )


def remarks(results: Results, error_name: str) -> list[str]:
    """What else is to be said: a lead whose spread is not known, and methods that do not help."""
    best, *others = ranking(results)
    said = []
    if others and len(results[best]) == 1:
        ahead = lead(results[best], results[others[0]])
        said.append(
            f"It leads {others[0]} by {digits(ahead.size)}; whether that is more than chance, "
            "only further repetitions can tell."
        )
    return [*said, *no_help(results, error_name)]


def no_help(results: Results, error_name: str) -> list[str]:
    """Methods that do not pass the best of the simple ones."""
    order = ranking(results)
    simple = [method for method in order if method in SIMPLE]
    if not simple:
        return []
    bar = simple[0]
    idle = [o for o in order if o not in SIMPLE and not passes(results, o, bar)]
    if not idle:
        return []
    n = len(results[bar])
    does = "does" if len(idle) == 1 else "do"
    by = "" if n == 1 else f" by more than the spread over {counted(n, 'repetition')}"
    level = f"{bar}: {error_name} {digits(mean_error(results, bar))}"
    return [f"{listed(idle)} {does} not help here: {SIMPLE[bar]} ({level}) is not beaten{by}."]


def passes(results: Results, method: str, bar: str) -> bool:
    ahead = lead(results[method], results[bar])
    return ahead.size > 0.0 if len(results[bar]) == 1 else ahead.is_clear
