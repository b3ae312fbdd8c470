"""One feature's coefficients along a chain of tasks, with neighbours drawn together."""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from stcmtl.solver.kernels.losses import Array, compiled


class Chains(NamedTuple):
    """For each feature the tasks in ``order`` (D, T), the weights ``fusion`` (D, T - 1) between
    neighbours, the place ``anchor_at`` (D,) nearest zero and its weight ``anchor`` (D,).
    """

    order: NDArray[np.int64]
    fusion: Array
    anchor_at: NDArray[np.int64]
    anchor: Array


@compiled
def fused_chain(z, c, fusion, w):
    """Fill w with argmin of sum_t c_t w_t^2 / 2 - z_t w_t + fusion_t |w_t - w_{t+1}|.

    What follows the last is zero; with fusion[-1] = 0 the chain ends free.

    Exact in one pass and back (Johnson's dynamic programming): if the next were x, the best
    w_t would be x clipped to [low_t, high_t]. Between these two the derivative, in x, of the
    minimum over w_0 ... w_t is piecewise linear, and at each knot grows by slope x + offset;
    outside it is -fusion_t and fusion_t.
    """
    T = z.size
    low, high = np.empty(T), np.empty(T)
    knots, slopes, offsets = np.empty(2 * T + 2), np.empty(2 * T + 2), np.empty(2 * T + 2)
    first, last = T + 1, T  # the knots in use, none so far
    edge = 0.0
    for t in range(T):
        slope, offset = c[t], -z[t] - edge
        while first <= last and slope * knots[first] + offset <= -fusion[t]:
            slope += slopes[first]
            offset += offsets[first]
            first += 1
        low[t] = (-fusion[t] - offset) / slope
        first -= 1
        knots[first], slopes[first], offsets[first] = low[t], slope, offset + fusion[t]
        slope, offset = c[t], -z[t] + edge
        while last > first and slope * knots[last] + offset >= fusion[t]:
            slope -= slopes[last]
            offset -= offsets[last]
            last -= 1
        high[t] = (fusion[t] - offset) / slope
        last += 1
        knots[last], slopes[last], offsets[last] = high[t], -slope, fusion[t] - offset
        edge = fusion[t]
    following = 0.0
    for t in range(T - 1, -1, -1):
        following = min(max(following, low[t]), high[t])
        w[t] = following


@compiled
def anchored_chain(z, c, fusion, r, anchor, w):
    """Fill w with argmin of sum_t c_t w_t^2 / 2 - z_t w_t + fusion_t |w_t - w_{t+1}|
    + anchor |w_r|, where the chain ends free and only w_r is drawn to zero itself.
    """
    if chain_entry(z, fusion, r, anchor) <= 1.0:
        w[:] = 0.0
        return
    # If w_r is zero, the parts before and after it are chains that end at zero.
    w[r] = 0.0
    fused_chain(z[:r], c[:r], fusion[:r], w[:r])
    fused_chain(z[:r:-1], c[:r:-1], fusion[r:][::-1], w[:r:-1])
    force = 0.0
    for t in range(z.size):
        force += z[t] - c[t] * w[t]
    if abs(force) > anchor:  # too much for w_r to stay: it has the sign of the force
        tilted, free = z.copy(), np.append(fusion, 0.0)
        tilted[r] -= np.sign(force) * anchor
        fused_chain(tilted, c, free, w)


@compiled
def chain_entry(z, fusion, r, anchor):
    """By how much ``fusion`` and ``anchor`` must be multiplied to leave w = 0 in a chain.

    Zero is the minimum if no part of the chain that may move alone is pulled harder than it
    is held: what lies before or after a link, or everything.
    """
    largest, before, after = 0.0, 0.0, 0.0
    for t in range(r):
        before += z[t]
        largest = max(largest, ratio(before, fusion[t]))
    for t in range(z.size - 1, r, -1):
        after += z[t]
        largest = max(largest, ratio(after, fusion[t - 1]))
    return max(largest, ratio(before + z[r] + after, anchor))


@compiled
def ratio(pull, hold):
    if pull == 0.0:
        return 0.0
    return abs(pull) / hold if hold > 0.0 else np.inf


@compiled
def chain_penalty(w, fusion, r, anchor):
    """sum_t fusion_t |w_t - w_{t+1}| + anchor |w_r|."""
    total = anchor * abs(w[r])
    for t in range(fusion.size):
        total += fusion[t] * abs(w[t + 1] - w[t])
    return total
