"""What the data speak for: number of clusters, shape and own part, by held-out loss.

Every candidate predicts the same held-out rows (see ``trials``). What is compared is the mean loss
of each task, and where their sizes differ that of rows too. The simplest candidate that is not
worse than the best by more than one standard error of the difference, over tasks (and by more than
a negligible share), is taken. Simplest first:

    one pattern, every task on its own, one pattern and what is each task's own; then mixtures
    (simplex), mixtures with strengths (cone), patterns that can be subtracted (span), fewer
    patterns first; then all of these with a part that is a task's own.

One pattern with deviations is tried once, mixtures with many numbers of clusters: the best of many
seems better than it is. So mixtures have to be better than that by more than chance explains in 90
of 100 cases.

The mean of T tasks that have nothing in common still says 1 / T of what each of them is: so much
of the loss is no reason to believe in a common pattern beside the tasks' own parts.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from stcmtl.solver.own_choice import kinds_of_deviations
from stcmtl.solver.problem import Problem
from stcmtl.solver.records import Choice
from stcmtl.solver.trials import (
    ALONE,
    DEVIATION,
    NONE,
    OWNS,
    SHAPES,
    SURE,
    Candidate,
    Trials,
    held_out_error,
    mean_loss,
    standard_error,
)

USUAL_KS = 9  # more are tried only where clusters may help
WITHOUT_GAIN = 2  # numbers of clusters in a row that end the search
LATELY = 3  # numbers of clusters whose losses tell a pace
BEST_OF_MANY = 1.282  # standard errors: 90 of 100 normal numbers are below
NEXT_TO_NOTHING = 1e-6  # of the loss
FAR = 6  # from so many clusters on, a shape with more freedom may need half of them


@dataclass(frozen=True)
class Wanted:
    """What may be chosen; one value each where it is given."""

    ks: Sequence[int]
    shapes: Sequence[str] = SHAPES
    dense: bool = True  # whether patterns may be
    owns: Sequence[str] = OWNS


def pick(candidates: Sequence[Candidate], slack: float = 0.0) -> Candidate:
    """The simplest within one standard error of the best, or a simpler one that predicts better.

    (The difference of a candidate that is far from the best varies more.) A ``slack``, as a share
    of the loss, favours what is simpler.
    """
    best = min(candidates, key=mean_loss)
    ordered = sorted(candidates, key=lambda candidate: candidate.simplicity)
    at = next(i for i, candidate in enumerate(ordered) if not is_behind(candidate, best, slack))
    near = ordered[at]
    enough = mean_loss(near) * (1.0 + slack)
    # tasks on their own are deviations without bounds, and here they are behind the best
    before = [c for c in ordered[:at] if c.own != ALONE or near.own != DEVIATION]
    better = (c for c in before if mean_loss(c) <= enough and not c.is_worse_than(near))
    return next(better, near)


def complete(candidates: Sequence[Candidate]) -> list[Candidate]:
    """Those that were tried in all folds."""
    return [candidate for candidate in candidates if not candidate.estimated]


def at_the_edge(candidates: Sequence[Candidate]) -> list[Candidate]:
    """Those that would be picked if losses were different by next to nothing."""
    candidates = complete(candidates)
    taken = pick(candidates)
    picked = (pick(candidates, slack) for slack in (-NEXT_TO_NOTHING, NEXT_TO_NOTHING))
    return [candidate for candidate in dict.fromkeys(picked) if candidate is not taken]


def is_behind(candidate: Candidate, best: Candidate, slack: float = 0.0) -> bool:
    """By more than a standard error, and by more than a chance mean of the tasks would explain."""
    tried_once = candidate.own == DEVIATION and candidate.is_one_pattern
    errors = BEST_OF_MANY if tried_once and not best.is_one_pattern else 1.0
    if not candidate.is_worse_than(best, errors, slack):
        return False
    if candidate.own != ALONE or best.own != DEVIATION:
        return True
    return mean_loss(candidate) > (1.0 + slack + 1.0 / best.losses.size) * mean_loss(best)


def try_candidates(trials: Trials, wanted: Wanted) -> Iterator[Candidate]:
    """Yield candidates as they come.

    First what is simple: clusters, and own parts beside them. More freedom has to keep up with
    that from the first fold on.
    """
    alone = None
    if 0 in wanted.ks and ALONE in wanted.owns:
        alone = min(trials.alone, key=mean_loss)
        yield alone
    ks = [k for k in wanted.ks if k > 0]
    if not ks:
        return
    first, *freer = wanted.shapes
    mixtures = []
    for candidate in search_upwards(trials, first, ks, alone):
        mixtures.append(candidate)
        yield candidate
    tried = mixtures + ([alone] if alone else [])
    if DEVIATION in wanted.owns:
        for candidate in search_deviations(trials, mixtures, kinds_of_deviations(trials.problem)):
            tried.append(candidate)
            yield candidate
    for shape in freer:
        simpler = list(mixtures)
        for candidate in search_near(trials, shape, simpler, ks, min(tried, key=mean_loss)):
            if candidate not in tried:  # one may be met twice
                tried.append(candidate)
                yield candidate
        mixtures += [c for c in tried if c.shape == shape and not c.estimated and c.own == NONE]
        gains = min(simpler, key=mean_loss).is_worse_than(min(mixtures, key=mean_loss))
        if not gains and clusters_help(tried):
            break  # if some freedom gains nothing, more of it will not
    shape = pick(mixtures).shape
    if DEVIATION in wanted.owns and shape != first:
        found = min((c for c in tried if c.own == DEVIATION), key=mean_loss)
        yield from search_deviations(
            trials, [c for c in mixtures if c.shape == shape], [kind_of(found)]
        )


def clusters_help(tried: Sequence[Candidate]) -> bool:
    """Whether mixtures are well ahead of one pattern and of every task on its own."""
    tried = complete(tried)
    simple = [c for c in tried if c.n_clusters == 0 or c.is_one_pattern]
    mixed = [c for c in tried if c not in simple and c.own == NONE]
    return not simple or all(
        c.is_worse_than(min(mixed, key=mean_loss, default=c), SURE) for c in simple
    )


def kind_of(candidate: Candidate) -> str:
    """Of its own part."""
    assert candidate.own_penalty is not None
    return candidate.own_penalty.kind


def search_deviations(
    trials: Trials, found: Sequence[Candidate], kinds: Sequence[str]
) -> Iterator[Candidate]:
    """An own part beside one pattern, beside the best, and beside fewer that do as well."""
    by_size = {candidate.n_clusters: candidate for candidate in found}
    best = min(found, key=mean_loss)
    if 1 in by_size and best.n_clusters != 1:
        yield trials.try_deviations(by_size[1], kinds)
    current = trials.try_deviations(best, kinds)
    yield current
    for k in sorted((k for k in by_size if 1 < k < best.n_clusters), reverse=True):
        fewer = trials.try_deviations(by_size[k], [kind_of(current)])
        yield fewer
        if fewer.is_worse_than(current):
            break
        current = min(current, fewer, key=mean_loss)


def search_upwards(
    trials: Trials, shape: str, ks: Sequence[int], alone: Candidate | None
) -> Iterator[Candidate]:
    """The usual numbers of clusters, and more while the error falls, by more than chance.

    Not on where even the pace of late would not lead to what tasks reach on their own.
    """
    best, since, losses = None, 0, []
    for k in ks:
        found = trials.try_clusters(k, shape)
        yield found
        losses.append(mean_loss(found))
        if best is None or (
            losses[-1] < mean_loss(best) and (k <= USUAL_KS or best.is_worse_than(found))
        ):
            best, since = found, 0
        else:
            since += 1
        if since >= WITHOUT_GAIN:
            return
        if alone is not None and best.is_worse_than(alone, SURE):
            late = losses[-LATELY:]
            pace = max(np.subtract(late[:-1], late[1:])) if len(late) == LATELY else np.inf
            if k >= USUAL_KS or mean_loss(best) - pace * (ks[-1] - k) > mean_loss(alone):
                return


def search_near(
    trials: Trials, shape: str, simpler: Sequence[Candidate], ks: Sequence[int], rival: Candidate
) -> Iterator[Candidate]:
    """From what the shapes before have picked: fewer while they do as well, else more.

    A shape with more freedom may need half as many. Where it predicts no better than the shapes
    before, the search ends at once.
    """
    reference, current = min(simpler, key=mean_loss), None
    n_clusters, fewest = pick(simpler).n_clusters, 0
    while n_clusters in ks:
        found = trials.try_clusters(n_clusters, shape, rival)
        yield found
        if current is not None and found.is_worse_than(current):
            fewest = n_clusters
            break
        current = found
        if n_clusters < FAR:
            break
        n_clusters //= 2
    assert current is not None
    if mean_loss(current) >= mean_loss(reference):
        return
    first = current.n_clusters
    while current.n_clusters - 1 in ks and current.n_clusters - 1 > fewest:
        # those known to be too few halve what is left
        n_clusters = (fewest + current.n_clusters) // 2 if fewest else current.n_clusters - 1
        fewer = trials.try_clusters(n_clusters, shape, rival)
        yield fewer
        if not fewer.is_worse_than(current):
            current = fewer
        elif fewest:
            fewest = n_clusters
        else:
            break
    while current.n_clusters == first and first + 1 in ks:
        more = trials.try_clusters(first + 1, shape, rival)
        yield more
        if not current.is_worse_than(more):
            break
        current, first = more, first + 1


def describe(
    problem: Problem, candidates: Sequence[Candidate], wanted: Wanted
) -> tuple[Candidate, list[Choice]]:
    """What is taken, and a record of every candidate, the best first."""
    allowed = [candidate for candidate in candidates if candidate.own in wanted.owns]
    taken = pick(complete(allowed))
    ranked = sorted(allowed, key=mean_loss)
    best = min(complete(allowed), key=mean_loss)
    number = np.finfo(float)  # labels told apart leave the best no loss to speak of
    scale = float(max(mean_loss(best), number.eps * mean_loss(ranked[-1]), number.tiny))
    choices = []
    for rank, candidate in enumerate(ranked, start=1):
        difference = candidate.losses - best.losses
        if candidate is taken:
            why = "taken: the simplest that predicts as well as the best"
        elif candidate.estimated:
            why = "fell behind in the first fold, and was not tried in the others"
        elif is_behind(candidate, best) and difference.mean() > standard_error(difference):
            why = "predicts worse than the best, by more than a standard error"
        elif is_behind(candidate, best):
            why = "predicts worse than the best, but for one task or those of few rows"
        else:
            why = "predicts as well, and is less simple"
        choices.append(
            Choice(
                candidate.n_clusters,
                candidate.shape,
                candidate.own,
                *held_out_error(problem, candidate.row_losses),
                (mean_loss(candidate) - mean_loss(best)) / scale,
                float(standard_error(difference) / scale),
                rank,
                candidate is taken,
                why,
            )
        )
    return taken, choices
