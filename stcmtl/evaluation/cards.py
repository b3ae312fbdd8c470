"""What there is to say of each cluster: who is in it, what drives it, how well it fits.

Coefficients are on the scale on which they can be compared (`tables.shown_scale`).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy.stats import norm
from sklearn.base import is_classifier

from stcmtl.data.chance import beyond_chance
from stcmtl.data.checks import check_weights
from stcmtl.data.taskset import Array, TaskSet
from stcmtl.data.weighted import count_of, mean_of, std_of, take
from stcmtl.evaluation import tables
from stcmtl.evaluation.blocks import blocks_of_members, find_near_one, find_one_with
from stcmtl.evaluation.predictions import (
    counting_rows,
    places_of_tasks,
    predict_alone,
    predict_rows,
)
from stcmtl.evaluation.summary import called, error_name
from stcmtl.evaluation.verdicts import name_chance, say_beside
from stcmtl.phrases import counted, cut, digits, joined, listed, say_error

BEYOND_CHANCE = 2.0  # standard errors
RARE = (
    0.01  # of fits: in so many a gain of some cluster on test rows may be chance, and not said so
)
WORTH_A_WORD = 0.1  # of a cluster's largest coefficient
ENOUGH_PURE = 2  # tasks of a cluster: with fewer, features that matter to it can be missed
MOST_DRIVERS = 6  # features on a card
MOST_SAID = 3  # features in a sentence
MOST_NAMED = 6  # tasks in a sentence
LEANS = 0.15  # of a task: its largest share is so far ahead of the next, or it lies between them
HALF, LITTLE_OWN = 0.5, 0.01  # of what is fitted for a task, that is its own
# Above the cards: what they answer, and what they do where clusters do not help.
ALIKE, SORTED = "Who is alike, and why", "How this fit sorts the tasks"


@dataclass(frozen=True)
class Member:
    """A task whose main cluster it is; ``loading`` is negative where the pattern is subtracted,
    ``lead`` is how far its share is ahead of the next, ``own_share`` what is its own beside it.
    """

    task: int
    name: str
    share: float
    loading: float
    strength: float
    pure: bool
    lead: float = 1.0
    own_share: float = 0.0


@dataclass(frozen=True)
class Driver:
    """A feature of a cluster: its coefficient, the standard error (NaN where nobody knows it), and
    the largest coefficients of it in the other clusters, in the same direction and against it.
    """

    feature: str
    value: float
    se: float
    along: float
    against: float

    @property
    def own(self) -> float:
        """What no other cluster has in its direction."""
        return abs(self.value) - self.along

    @property
    def is_own(self) -> bool:
        """Whether it tells this cluster from all others: half of it does, beyond chance."""
        return self.own >= max(0.5 * abs(self.value), BEYOND_CHANCE * np.nan_to_num(self.se))

    def is_beyond_chance(self, n_features: int) -> bool:
        """Whether it stands out from as many that do nothing; where nobody knows, it does."""
        return not abs(self.value) < beyond_chance(n_features) * self.se

    def __str__(self) -> str:
        sign = "−" if self.value < 0 else "+"
        error = f" ± {digits(self.se, 2)}" if np.isfinite(self.se) else ""
        return f"{cut(self.feature)} ({sign}{digits(abs(self.value))}{error})"


@dataclass(frozen=True)
class ClusterCard:
    """One cluster. Errors are of its members, on test rows if there are any: of the fit, and of
    separate fits to the same tasks, which on the rows of the fit itself are not compared.
    """

    cluster: int
    name: str
    members: tuple[Member, ...]
    n_features: int
    largest: tuple[Driver, ...]
    own: tuple[Driver, ...]
    error_name: str
    error: float | None = None
    separate_error: float | None = None
    chance: str = ""  # that alone may lie between the two, on so many rows
    n_searched: int = 1  # coefficients among which drivers were found: those of all clusters
    one_with: str = ""  # a cluster from which chance alone may tell it; then nothing is its own
    is_alone: bool = False  # no other cluster has a task
    is_shared: bool = False  # tasks of other clusters have a share in it
    near_one: str = ""  # a cluster of one task, which may be a part of it; then nobody knows

    @property
    def n_pure(self) -> int:
        return sum(member.pure for member in self.members)


def cluster_cards(
    model: Any, data: TaskSet | None = None, test: TaskSet | None = None
) -> list[ClusterCard]:
    """A card for every cluster of a fitted model; none without clusters.

    ``data`` has the rows of the fit (names of features, training errors), ``test`` others.
    """
    scale = tables.scale_of(model)
    U, se = model.cluster_coef_ * scale, tables.standard_errors(model) * scale
    features, names = names_of_features(model, data), tables.cluster_names(model)
    along, against = in_other_clusters(U, signed=model.shape_ == "span")
    errors = member_errors(model, data, test)
    one_with = find_one_with(blocks_of_members(model)) if len(U) > 1 else {}
    near_one = find_near_one(model) if len(U) > 1 else {}
    held = np.bincount(model.labels_[model.labels_ >= 0], minlength=len(U)) > 0
    cards = []
    for k in range(len(U)):
        drivers = [
            Driver(features[d], *map(float, (U[k, d], se[k, d], along[k, d], against[k, d])))
            for d in np.argsort(-np.abs(U[k]), kind="stable")
            if U[k, d] != 0.0
        ]
        least = WORTH_A_WORD * float(np.abs(U[k]).max())
        own = sorted(
            (one for one in drivers if one.is_own and abs(one.value) >= least),
            key=lambda one: -one.own,
        )
        members = find_members(model, k)
        is_alone = not np.delete(held, k).any()
        is_told_apart = len(members) > 1 and not is_alone and k not in {*one_with, *near_one}
        cards.append(
            ClusterCard(
                k,
                names[k],
                members,
                len(drivers),
                tuple(drivers[:MOST_DRIVERS]),
                tuple(own[:MOST_DRIVERS]) if is_told_apart else (),
                error_name(model),
                *errors[k],
                n_searched=U.size,
                is_alone=is_alone,
                is_shared=bool(np.count_nonzero(model.memberships_[:, k]) > len(members)),
                one_with=names[one_with[k]] if k in one_with else "",
                near_one=names[near_one[k]] if k in near_one else "",
            )
        )
    return cards


def any_beyond_chance(model: Any) -> bool:
    """Whether a coefficient of any cluster stands clear of chance, or nobody knows that of one."""
    U, se = np.abs(model.cluster_coef_), tables.standard_errors(model)
    is_chance = beyond_chance(U.size) * se > U
    return not U.any() or bool((U > 0)[~is_chance].any())


def names_of_features(model: Any, data: TaskSet | None) -> Sequence[str]:
    """Those of the data, which a model fitted on a plain array does not know."""
    if data is not None and len(data.feature_names) == model.n_features_in_:
        return data.feature_names
    return tables.feature_names(model)


def in_other_clusters(U: Array, *, signed: bool = False) -> tuple[Array, Array]:
    """The largest sizes that coefficients (K, D) have elsewhere, with the same sign and another.

    Where patterns can be subtracted (``signed``) a sign is a convention: all sizes are the same's.
    """
    if signed:
        sizes = [np.delete(np.abs(U), k, axis=0).max(axis=0, initial=0.0) for k in range(len(U))]
        return np.array(sizes).reshape(U.shape), np.zeros_like(U)
    along, against = np.zeros_like(U), np.zeros_like(U)
    for k in range(len(U)):
        others = np.delete(U, k, axis=0) * np.sign(U[k])
        along[k] = others.max(axis=0, initial=0.0)
        against[k] = (-others).max(axis=0, initial=0.0)
    return along, against


def find_members(model: Any, k: int) -> tuple[Member, ...]:
    """Tasks whose main cluster it is, pure ones first, then by their shares."""
    tasks = np.flatnonzero((model.labels_ == k) & ~model.outliers_)
    share, pure = model.memberships_[tasks, k], model.pure_[tasks]
    return tuple(
        Member(
            int(i),
            str(model.task_names_[i]),
            float(model.memberships_[i, k]),
            float(model.loadings_[i, k]),
            float(model.strength_[i]),
            bool(model.pure_[i]),
            lead_of(model.memberships_[i]),
            float(model.own_share_[i]),
        )
        for i in tasks[np.lexsort((-share, ~pure))]
    )


def lead_of(shares: Array) -> float:
    """Of the largest share over the next."""
    if len(shares) < 2:
        return 1.0
    second, first = np.partition(shares, -2)[-2:]
    return float(first - second)


def member_errors(
    model: Any, data: TaskSet | None, test: TaskSet | None
) -> list[tuple[float | None, float | None, str]]:
    """Over the rows of each cluster's members: the fit's error, that of separate fits, and whether
    what lies between the two may be chance, in words.
    """
    rows = data if test is None else test
    if rows is None:
        return [(None, None, "")] * len(model.cluster_coef_)
    rows = counting_rows(rows)
    counts = check_weights(rows.weight, len(rows.y))
    ours, alone = row_losses(model, rows, predict_rows), row_losses(model, rows, predict_alone)
    task, power = places_of_tasks(model, rows), 1.0 if is_classifier(model) else 0.5
    sure = float(norm.isf(RARE / 2 / max(1, len(model.cluster_coef_))))  # of as many clusters
    found: list[tuple[float | None, float | None, str]] = []
    for k in range(len(model.cluster_coef_)):
        own = ((model.labels_ == k) & ~model.outliers_)[task]
        if not own.any():
            found.append((None, None, ""))
            continue
        gain, weight = (alone - ours)[own], take(counts, own)
        error = float(mean_of(ours[own], weight) ** power)
        spare = count_of(gain, weight) - 1.0
        noise = std_of(gain, weight) / np.sqrt(spare) if gain.size > 1 and spare > 0 else np.inf
        mean, others = float(mean_of(gain, weight)), float(mean_of(alone[own], weight))
        chance = name_chance(mean, sure * noise, others, error_name(model))
        separate = None if test is None else others**power
        found.append((error, separate, chance))
    return found


def row_losses(model: Any, rows: TaskSet, predict: Callable[[Any, TaskSet], Any]) -> Array:
    """Squared errors, or whether a label is wrong."""
    said = predict(model, rows)
    if is_classifier(model):
        return np.asarray(said != rows.y, dtype=float)
    return np.asarray((said - rows.y) ** 2, dtype=float)


# In sentences


def say_sorted(n_clusters: int) -> str:
    """What to think of cards where clusters do not help."""
    if n_clusters == 1:
        return (
            "As one pattern does not help here, these tasks need not be alike: it is what the fit "
            "made of their rows."
        )
    return (
        f"As these {n_clusters} clusters do not help, tasks of one cluster need not be alike, nor "
        "need the features below tell clusters apart: they are what the fit made of these rows."
    )


def say_members(card: ClusterCard) -> str:
    """Who is in it: "12 tasks, 10 of them pure"."""
    if not card.members:
        return "the main cluster of no task"
    if card.n_pure == len(card.members):
        most = max(member.own_share for member in card.members)
        if most >= LITTLE_OWN:
            each = "each " if card.n_pure > 1 else ""
            return (
                f"{counted(card.n_pure, 'task')}, {each}with a part of its own of up to {most:.0%}"
            )
        single = "1 pure task; others have a share in it" if card.is_shared else "1 pure task"
        return f"{counted(card.n_pure, 'task')}, all pure" if card.n_pure > 1 else single
    if len(card.members) == 1:
        return "1 task, not pure"
    n_pure = f"{card.n_pure} of them pure" if card.n_pure else "none of them pure"
    return f"{counted(len(card.members), 'task')}, {n_pure}"


def say_alike(card: ClusterCard, n_clusters: int) -> str:
    """Who is alike in this cluster, and why, in sentences of plain text."""
    whom = called(card.cluster, [*[""] * card.cluster, card.name])
    if not card.members:
        return f"{whom} is the main cluster of no task."
    return " ".join([f"{whom}: {say_who(card)}", *say_why(card, n_clusters)])


def say_who(card: ClusterCard) -> str:
    """Pure tasks, those that are more their own, those that lean to the cluster or lie between it
    and another, and those that do its opposite.

    Where no feature stands clear of chance, nothing says that they are alike.
    """
    shared = any(driver.is_beyond_chance(card.n_searched) for driver in card.largest)
    together = "are alike." if shared else "are put together."
    along = [member for member in card.members if member.loading > 0]
    single = "is its only pure task." if card.n_pure == 1 else "follows it."
    if len(card.members) == 1 and not card.is_shared:
        single = "stands alone in its cluster."
    groups = {
        (single, together): [m for m in along if m.pure and m.own_share <= HALF],
        ("is more its own than like the others.", "are more their own than like the others."): [
            m for m in along if m.pure and m.own_share > HALF
        ],
        ("leans this way.", "lean this way."): [m for m in along if not m.pure and m.lead >= LEANS],
        ("lies between this and others.", "lie between this and others."): [
            m for m in along if not m.pure and m.lead < LEANS
        ],
        ("reacts the other way round.", "react the other way round."): [
            m for m in card.members if m.loading < 0
        ],
    }
    return " ".join(
        f"{listed([member.name for member in members], MOST_NAMED)} {verbs[len(members) > 1]}"
        for verbs, members in groups.items()
        if members
    )


def say_why(card: ClusterCard, n_clusters: int) -> list[str]:
    """What drives it, and which of that is its own."""
    if n_clusters > 1 and len(card.members) == 1:  # its standard errors are of features found there
        return ["One task alone speaks for it: what drives it may be that task's own."]
    drivers = [one for one in card.largest if one.is_beyond_chance(card.n_searched)]
    if not drivers and n_clusters > 1 and card.n_pure < ENOUGH_PURE:
        return ["Too few tasks follow it alone to tell what drives it."]
    if not drivers:
        clear = "of it stands clear of chance" if card.largest else "matters to it"
        return [f"No feature {clear}."]
    moved = f"Driven by {joined([str(driver) for driver in drivers[:MOST_SAID]])}."
    if n_clusters < 2 or card.is_alone:
        return [moved]
    if card.one_with:
        return [
            moved,
            f"It may be one with {card.one_with}: before the fit, tasks of one of the two are no "
            "more alike among themselves than with the other's, or only by chance.",
        ]
    if card.near_one:
        too_alike = (
            f"{card.near_one[:1].upper()}{card.near_one[1:]}, of one task, is too much like it"
        )
        return [moved, f"{too_alike} to tell what is its own."]
    own = card.own[:MOST_SAID]
    if not own:
        return [
            moved,
            "None of these is its own: other clusters have each at least half as strongly.",
        ]
    turned = any(driver.against > 0.5 * abs(driver.value) for driver in own)
    where = " in this direction" if turned else ""
    features = listed([driver.feature for driver in own])
    return [moved, f"Its own: {features}, which no other cluster has half as strongly{where}."]


def say_fit(card: ClusterCard, compared: bool = True) -> str:
    """How well its members are predicted; may be empty.

    ``compared`` is False where tasks on their own are fitted better in another way than by LASSO:
    what is gained on that would be no gain.
    """
    if card.error is None:
        return ""
    unit = card.error_name
    ours = f"{unit[:1].upper()}{unit[1:]} {say_error(card.error, unit)}"
    if card.separate_error is None:
        return f"{ours} on the rows of the fit."
    if not compared:
        return f"{ours} on test rows."
    beside = say_beside(card.error, card.separate_error, unit, "separate LASSO fits", card.chance)
    return f"{ours} on test rows, {beside}."
