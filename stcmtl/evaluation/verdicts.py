"""What a comparison says: who predicts best, by how much, and who does not help.

Methods meet on the same rows, repetition by repetition.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from stcmtl.evaluation.comparison import Outcome, values_of
from stcmtl.evaluation.leads import SIMPLE, WORTH, Lead, lead
from stcmtl.phrases import counted, digits, listed

Results = Mapping[str, Sequence[Outcome]]


def common(results: Results) -> dict[str, list[Outcome]]:
    """As many repetitions of every method as all of them have."""
    least = min(map(len, results.values()), default=0)
    return {method: list(outcomes[:least]) for method, outcomes in results.items()}


def lead_over(results: Results, first: str, second: str) -> Lead:
    return lead(values_of(results[first], "error"), values_of(results[second], "error"))


def ranking(results: Results) -> list[str]:
    """Methods by their mean error, the best first."""
    return sorted(results, key=lambda method: mean_error(results, method))


def mean_error(results: Results, method: str) -> float:
    return float(values_of(results[method], "error").mean())


def equals(results: Results) -> list[str]:
    """Methods over which the lead of the best may be chance."""
    best, *others = ranking(results)
    return [o for o in others if not lead_over(results, best, o).is_clear]


def headline(results: Results, error_name: str) -> str:
    """Which method predicts best, and whether its lead is more than chance."""
    best, *others = ranking(results)
    error = f"test {error_name} of {digits(mean_error(results, best))}"
    if not others:
        return f"{best} has a {error}: pick another method to compare it with"
    ahead = lead_over(results, best, others[0])
    if ahead.size == 0.0:
        return f"No winner: {best} and {others[0]} share the lowest {error}"
    if len(results[best]) == 1:
        return f"{best} predicts best on these rows, with a {error}"
    doubtful = equals(results)
    if len(doubtful) == len(others):
        return f"No clear winner: {best} has the lowest {error}, which may be chance"
    if doubtful:
        return f"{best} has the lowest {error}; its lead over {listed(doubtful)} may be chance"
    return (
        f"{best} predicts best: its {error} is {digits(ahead.size)} ± {ahead.chance:.1g} below "
        f"that of {others[0]}"
    )


def remarks(results: Results, error_name: str) -> list[str]:
    """What else is to be said: a lead that may be chance, and methods that do not help."""
    best, *others = ranking(results)
    said = []
    if others and len(results[best]) == 1:
        ahead = lead_over(results, best, others[0])
        said.append(
            f"{best} leads {others[0]} by {digits(ahead.size)}; whether that is more than chance, "
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
    does = "does" if len(idle) == 1 else "do"
    over = counted(len(results[bar]), "repetition")
    level = f"{bar}: {error_name} {digits(mean_error(results, bar))}"
    return [
        f"{listed(idle)} {does} not help here: {SIMPLE[bar]} ({level}) is not beaten by "
        f"{WORTH:.0%} and by more than chance over {over}."
    ]


def passes(results: Results, method: str, bar: str) -> bool:
    ahead = lead_over(results, method, bar)
    return ahead.is_worth if len(results[bar]) == 1 else ahead.helps
