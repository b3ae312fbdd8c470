"""What the data speak for, in words: shared by the page, the report and the command line.

Per cents are of the loss by which candidates are compared, a mean over tasks: of the root of the
squared error, so that they can be held against an RMSE, or of the log loss.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np
import pandas as pd

from stcmtl.phrases import WITH_OWN, be, counted, digits, name_model
from stcmtl.solver.records import Choice

CLEAR = 2.5  # standard errors: the best of a dozen candidates is two ahead by chance too often
LITTLE = 0.005  # of an RMSE, which is half as much as of its square: not worth a word
MATTERS = 0.02  # of an RMSE: several patterns that may gain as much are not ruled out
TOO_NOISY = "the rows are too few or too noisy to tell it from several"
NO_SIGNAL = "features predict hardly better than guessing, if at all"
FREER = {
    "cone": "clusters with strengths",
    "span": "patterns that can be subtracted",
}


def find_taken(choices: Sequence[Choice]) -> Choice:
    return next(choice for choice in choices if choice.taken)


def name_choice(choice: Choice) -> str:
    """What a candidate is."""
    return name_model(choice.n_clusters, choice.shape, choice.own)


def uses_nothing(model: Any) -> bool:
    """Whether no feature plays a part in any prediction, but for those of outlier tasks."""
    shared = model.cluster_coef_[model.memberships_.any(axis=0)]
    return not shared.any() and not model.coef_[~model.outliers_].any()


def say_outcome(model: Any, *, has_signal: bool = True) -> str:
    """What was chosen for a model, and what came of it, in a sentence without a full stop."""
    if uses_nothing(model):
        return "There is nothing to cluster by: no feature helps to predict"
    if not has_signal:
        return f"There is nothing to cluster by: {NO_SIGNAL}"
    return say_taken(model.choices_, n_empty=int((~model.memberships_.any(axis=0)).sum()))


def say_taken(choices: Sequence[Choice], n_empty: int = 0) -> str:
    """The outcome in a sentence without a full stop; ``n_empty`` clusters have no task in the fit.

    What is said is how many have one.
    """
    taken = find_taken(choices)
    k, own = taken.n_clusters - n_empty, taken.own == "deviation"
    asked = len({choice.n_clusters for choice in choices}) == 1  # no other number was tried
    if k == 0:
        return say_no_clusters(taken, asked)
    empty = f" ({taken.n_clusters} were fitted, {n_empty} {be(n_empty)} empty)" if n_empty else ""
    if k == 1 and n_empty:
        return f"The data lean to one cluster{empty}"
    if k == 1:
        return say_one_pattern(taken, asked, one_is_open(choices))
    if taken.shape == "span":
        patterns, how = f"{k} patterns that tasks add up or subtract{empty}", ""
    else:
        how = "mix them, each with its own strength" if taken.shape == "cone" else "mix them"
        patterns, how = f"{counted(k, 'cluster')}{empty}", f": tasks belong to one or {how}"
    speaks = f"The data speak for {patterns}"
    if may_be_chance(choices):
        speaks = f"The data lean to {patterns}, which may be chance"
    found = f"As asked, {patterns}{how}" if asked else f"{speaks}{how}"
    return f"{found}, {WITH_OWN}" if own else found


def may_be_chance(choices: Sequence[Choice]) -> bool:
    """Whether a candidate without clusters, or with one, predicts as well as several, but for
    chance: within ``CLEAR`` standard errors of the difference, or ahead by so little that the best
    of many candidates gains it by being picked.
    """
    taken = find_taken(choices)
    simple = [choice for choice in choices if choice.n_clusters < 2]
    if taken.n_clusters < 2 or not simple:
        return False
    nearest = min(simple, key=lambda choice: choice.behind)
    return nearest.behind - taken.behind <= max(CLEAR * nearest.behind_se, 2.0 * LITTLE)


def say_no_clusters(taken: Choice, asked: bool) -> str:
    if asked:
        return "As asked, no clusters: each task on its own"
    best = taken.rank == 1
    why = "each is predicted best on its own" if best else "what sharing gains may be chance"
    return f"These tasks do not cluster: {why}"


def one_is_open(choices: Sequence[Choice]) -> bool:
    """Whether one pattern was taken where rows cannot tell it from several: some predict no worse,
    and may gain what matters, as far as chance allows.
    """
    taken = find_taken(choices)
    several = [choice for choice in choices if choice.n_clusters > 1]
    if taken.n_clusters != 1 or not several:
        return False
    best = min(several, key=lambda choice: choice.behind)
    gain = taken.behind - best.behind
    return gain >= -2.0 * LITTLE and gain + CLEAR * best.behind_se > 2.0 * MATTERS


def say_one_pattern(taken: Choice, asked: bool, is_open: bool = False) -> str:
    each = {"simplex": "", "cone": ", each with its own strength", "span": ", up to its sign"}
    if is_open and not asked:
        how = ", and a deviation of each task's own" if taken.own == "deviation" else ""
        return f"One pattern{each[taken.shape]}{how}, as the simplest: {TOO_NOISY}"
    opening = "As asked" if asked else "These tasks do not cluster"
    if taken.own == "deviation":
        return f"{opening}: all follow one pattern, each with a deviation of its own"
    return f"{opening}: one pattern serves them all{each[taken.shape]}"


def say_comparisons(choices: Sequence[Choice], metric: str) -> str:
    """What other candidates gain or lose; empty with nothing to compare."""
    taken = find_taken(choices)
    shared = [choice for choice in choices if choice.n_clusters > 0]
    if taken.n_clusters == 0:
        best = pick_one(shared)
        if best is None:
            return ""
        name = name_choice(best)
        gain = word_gain(best, taken, metric, "{} better", "{} worse", "no better")
        return (
            f"The best of what tasks could share: {name[0].lower()}{name[1:]}. It predicts {gain}."
        )
    single = taken.n_clusters == 1
    parts = say_more_clusters(taken, shared, metric) if single else say_shapes(shared, metric)
    with_own, without = (
        pick_one(c for c in shared if c.own == own) for own in ("deviation", "none")
    )
    if with_own and without:
        gain = word_gain(with_own, without, metric, "gains {}", "loses {}", "gains nothing")
        parts.append(f"beside the best without it, a part of each task's own {gain}")
    if alone := pick_one(choice for choice in choices if choice.n_clusters == 0):
        gain = word_gain(alone, taken, metric, "{} better", "{} worse", "as well")
        parts.append(f"fitted alone, tasks are predicted {gain}")
    sentence = "; ".join(parts)
    return f"{sentence[0].upper()}{sentence[1:]}." if sentence else ""


def say_more_clusters(taken: Choice, shared: Iterable[Choice], metric: str) -> list[str]:
    more = pick_one(choice for choice in shared if choice.n_clusters > 1)
    if more is None:
        return []
    gain = word_gain(more, taken, metric, "{} better", "{} worse", "no better")
    return [f"more clusters predict {gain}"]


def say_shapes(shared: Sequence[Choice], metric: str) -> list[str]:
    """What strengths and subtraction gain."""
    plain = [choice for choice in shared if choice.own == "none"]
    mixtures, parts = pick_one(c for c in plain if c.shape == "simplex"), []
    predict, than = "predict ", " than plain mixtures"
    for shape, name in FREER.items():
        freer = pick_one(choice for choice in plain if choice.shape == shape)
        if freer and mixtures:
            gain = word_gain(freer, mixtures, metric, "{} better", "{} worse", "no better")
            parts.append(f"{name} {predict}{gain}{than}")
            predict = than = ""  # said once
    return parts


def pick_one(choices: Iterable[Choice]) -> Choice | None:
    """What was taken, if it is among them; else the best."""
    return min(choices, key=lambda choice: (not choice.taken, choice.rank), default=None)


def word_gain(ours: Choice, theirs: Choice, metric: str, better: str, worse: str, same: str) -> str:
    """By how much. Ours would have been taken if it were better by more than chance could."""
    gain = 1.0 - (1.0 + measure_behind(ours, metric)[0]) / (1.0 + measure_behind(theirs, metric)[0])
    if abs(gain) < LITTLE:
        return same
    chance = ", by no more than chance could" if gain > 0 and theirs.taken else ""
    return (better if gain > 0 else worse).format(f"{abs(gain):.0%}") + chance


def measure_behind(choice: Choice, metric: str) -> tuple[float, float]:
    """The share of the loss that is above the best's, and its standard error."""
    if metric == "error rate":
        return choice.behind, choice.behind_se
    root = float(np.sqrt(1.0 + choice.behind))
    return root - 1.0, choice.behind_se / (2.0 * root)  # delta method


def choices_table(choices: Sequence[Choice], metric: str) -> pd.DataFrame:
    """One row per candidate, the best first."""
    measured = [measure_behind(choice, metric) for choice in choices]
    behind = np.round(100.0 * np.array(measured), 6)  # without what is rounding alone
    return pd.DataFrame(
        {
            "what": [name_choice(choice) for choice in choices],
            f"held-out {metric}": [choice.error for choice in choices],
            "standard error": [choice.se for choice in choices],
            "behind the best, %": behind[:, 0],
            "± %": behind[:, 1],
            "why": [choice.why for choice in choices],
        }
    )


def told_table(choices: Sequence[Choice], metric: str) -> pd.DataFrame:
    """The same to be read: each error in one cell with its standard error."""
    table = choices_table(choices, metric)
    error, behind = f"held-out {metric}", "behind the best, %"
    pairs = zip(table[error], table["standard error"], strict=True)
    errors = [f"{digits(value, 4)} ± {digits(se, 2)}" for value, se in pairs]
    pairs = zip(table[behind], table["± %"], strict=True)
    shares = [f"{value:.1f} ± {se:.1f}" for value, se in pairs]
    told = {"what": table["what"], error: errors, behind: shares, "why": table["why"]}
    return pd.DataFrame(told)
