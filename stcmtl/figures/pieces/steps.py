"""The steps that a fit took, one after the other: what each did in a few words, and what was then.

From the separate fits through V, U and W of every iteration, then the rounds of the refinement.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from stcmtl.figures.pieces import Array, Flags
from stcmtl.solver.records import Iteration

START = "Iteration 0: every task fitted alone"
DID = {
    "V": "memberships from similarity",
    "U": "patterns that fit these memberships",
    "W": "each task's own fit, begun at its mixture",
    "back": "the one of the lowest objective again",
    "refinement": "U and V fitted to the rows",
    "refined U": "patterns again, for these memberships",
    "refined V": "memberships again, from the rows",
}


@dataclass(frozen=True)
class Step:
    """What was done, and memberships V (K, T) and coefficients W (D, T) after it.

    Before the first V nobody has a place: V is zero.
    """

    label: str
    V: Array
    W: Array
    pure: Flags


def all_steps(history: Sequence[Iteration], initial: Array | None) -> list[Step]:
    """Every step of a history; ``initial`` are the coefficients (D, T) of the separate fits."""
    steps = []
    if initial is not None:
        V = np.zeros_like(history[0].V)
        steps.append(Step(START, V, initial, np.ones(V.shape[1], dtype=bool)))
    before = None
    for state in history:
        if before is not None and (before.stage, state.stage) == ("refine", "paper"):
            before = None  # other outliers: the loop begins again
        steps.extend(steps_of(state, before, initial))
        before = state
    return steps


def steps_of(state: Iteration, before: Iteration | None, initial: Array | None) -> Iterator[Step]:
    """The steps of one iteration, as far as the history tells what was between them."""
    U, V, pure = state.U, state.V, state.pure
    if state.stage == "paper":
        if not state.seconds and before is not None:
            yield Step(say(state, "back"), V, state.W, pure)
            return
        W = initial if before is None else before.W
        if W is not None:
            yield Step(say(state, "V"), V, W, pure)
        yield Step(say(state, "U"), V, mix(U, V, state), pure)
        yield Step(say(state, "W"), V, state.W, pure)
    elif before is None or before.stage != "refine":  # it may have begun elsewhere than at V
        yield Step(say(state, "refinement"), V, state.W, pure)
    else:
        if sums_to_one(before.V) and sums_to_one(V):  # else U and V have changed their units
            yield Step(say(state, "refined U"), before.V, mix(U, before.V, state), before.pure)
        yield Step(say(state, "refined V"), V, state.W, pure)


def say(state: Iteration, did: str) -> str:
    name = did.split()[-1]
    return f"Iteration {state.iteration}, {name}: {DID[did]}"


def mix(U: Array, V: Array, state: Iteration) -> Array:
    """U V; an outlier has coefficients of its own."""
    return np.where(state.outliers, state.W, U @ V)


def sums_to_one(V: Array) -> bool:
    """Whether all tasks that are in a cluster have shares."""
    return bool((V >= 0).all() and np.isclose(V.sum(axis=0)[V.any(axis=0)], 1.0).all())
