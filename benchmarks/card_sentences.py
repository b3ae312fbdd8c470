"""What cards say of a fit, and what the truth has against it; for ``sentences.py``."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

import numpy as np

from stcmtl.evaluation import cards
from stcmtl.evaluation.blocks import cosines
from stcmtl.evaluation.task_cards import say_alike_tasks, task_card
from stcmtl.studio.words import findings

if TYPE_CHECKING:
    from benchmarks.sentences import Case
    from stcmtl.studio.work.fits import Fitted

ALIKE = 0.5  # a true cosine, from which on tasks pass for alike
CLEAR_EFFECT = 0.25  # a true coefficient that no card should miss


def sentences_of_cards(result: Fitted) -> dict[str, str]:
    """Of every cluster, and of the first and the last task, as pages say them."""
    model, data = result.model, result.data
    found = cards.cluster_cards(model, data.train, data.test)
    said = {}
    for card in found:
        if not findings.no_help(result):  # where clusters do not help nobody is said to be alike
            said[f"card {card.cluster + 1}"] = cards.say_alike(card, len(found))
        said[f"fit of card {card.cluster + 1}"] = cards.say_fit(card)
    for task in (0, len(model.task_names_) - 1):
        card = task_card(model, data.train, data.test, task)
        said[f"task {task}"] = say_alike_tasks(card)
    return said


def true_patterns(model: Any, W: np.ndarray) -> np.ndarray:
    """(K, D): of each cluster's pure members, or of all where none is pure, in truth."""
    found = np.zeros_like(model.cluster_coef_)
    for k in range(len(found)):
        members = (model.labels_ == k) & ~model.outliers_
        chosen = members & model.pure_ if (members & model.pure_).any() else members
        found[k] = W[chosen].mean(axis=0) if chosen.any() else 0.0
    return found


def check_card(case: Case, name: str, said: str) -> Iterator[str]:
    """Who is alike, what drives them, and what is theirs alone, by the true coefficients."""
    model, W = case.model, case.truth.W.T
    k = int(name.split()[1]) - 1
    pure = np.flatnonzero((model.labels_ == k) & model.pure_ & ~model.outliers_)
    if "are alike" in said and len(pure) > 1:
        pairs = cosines(W[pure] @ W[pure].T)[~np.eye(len(pure), dtype=bool)]
        if pairs.mean() < ALIKE:
            yield f"true cosines are {pairs.mean():.2f} on average"
    true, features = true_patterns(model, W), list(case.result.data.train.feature_names)
    if driven := re.search(r"Driven by (.*?)\.(?: |$)", re.sub(r"\d+\.\d+", "0", said)):
        for feature, sign in re.findall(r"(\S+) \(([+−])", driven[1]):
            value = true[k, features.index(feature)]
            if value * (1 if sign == "+" else -1) <= 0.0:
                yield f"{feature} truly has {value:.2f}"
    if "No feature" in said and np.abs(true[k]).max() > CLEAR_EFFECT:
        yield f"a feature truly has {np.abs(true[k]).max():.2f}"
    if own := re.search(r"Its own: (.*), which no other", said):
        others = np.delete(true, k, axis=0)
        for feature in re.split(r", | and ", own[1]):
            d = features.index(feature)
            most = (others[:, d] * np.sign(true[k, d])).max(initial=0.0)
            if most > 0.75 * abs(true[k, d]):
                yield f"another cluster truly has {feature} by {most:.2f}, not {true[k, d]:.2f}"


def check_card_fit(case: Case, name: str, said: str) -> Iterator[str]:
    """Less than with separate fits, or more: by the truth, where it is more than test rows vary."""
    found = re.search(r"(\d+)% (less|more) than with", said)
    if not found or int(found[1]) < 8:
        return
    model, W = case.model, case.truth.W.T
    own = (model.labels_ == int(name.split()[-1]) - 1) & ~model.outliers_
    ours, alone = (((coef - W)[own] ** 2).sum() for coef in (model.coef_, model.single_task_coef_))
    if (ours < alone) != (found[2] == "less"):
        yield f"in truth squared errors are {ours:.3f} and {alone:.3f}"


def check_likeness(case: Case, name: str, said: str) -> Iterator[str]:
    """The task that is named first is truly like it, where true coefficients have a direction."""
    found = re.search(r"coefficients: (\S+) \(([\d.]+)\)", said)
    if not found or not case.truth.W.any() or findings.no_help(case.result):
        return
    C = cosines(case.truth.W.T @ case.truth.W)
    names = [str(name) for name in case.model.task_names_]
    cosine = C[int(name.split()[1]), names.index(found[1])]
    if float(found[2]) > ALIKE and cosine < 0.5 * ALIKE:
        yield f"{found[1]} is truly like it by {cosine:.2f}"


CHECKS = {
    "card": check_card,
    "fit of card": check_card_fit,
    "task": check_likeness,
}


def faults_of_cards(case: Case) -> Iterator[tuple[str, str, str]]:
    """What was said, and what the truth has against it."""
    for name, said in sentences_of_cards(case.result).items():
        check = CHECKS[re.sub(r" \d+$", "", name)]
        yield from ((name, said, fault) for fault in check(case, name, said))
