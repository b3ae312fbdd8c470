"""One task under the squared loss and an l1 penalty, by the Gram matrix of the features in use.

The sweeps are those of ``single.descend_task``, but a step of one coefficient costs as much as
there are features in use, not twice as much as there are rows.
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from stcmtl.solver.kernels.losses import Array, compiled, soft_threshold

MOST_FEATURES = 1000  # in use: 8 MB


class Gram(NamedTuple):
    """``features[:n_used[0]]`` are in use: feature j at ``place[j]``, which is -1 if it is not.

    Of these there are ``products`` of any two and ``sums`` of each over the rows, by stiffness.
    """

    products: Array
    sums: Array
    features: NDArray[np.int64]
    place: NDArray[np.int64]
    n_used: NDArray[np.int64]


@compiled
def open_gram(D, n):
    """Of D features, none in use. Of an l1 fit at most n coefficients are not zero, as a rule."""
    most = min(D, 2 * n + 50, MOST_FEATURES)
    features, n_used = np.empty(most, dtype=np.int64), np.zeros(1, dtype=np.int64)
    return Gram(np.empty((most, most)), np.empty(most), features, np.full(D, -1), n_used)


@compiled
def use_features(gram, columns, h, wanted):
    """Put the ``wanted`` in use, in place of others if need be; returns whether there is room."""
    products, sums, features, place, n_used = gram
    if wanted.size > features.size:
        return False
    p = n_used[0]
    for j in wanted:
        p += place[j] < 0
    if p > features.size:
        place[:] = -1
        n_used[0] = 0
    weighed = np.empty(h.size)
    for j in wanted:
        if place[j] >= 0:
            continue
        p = n_used[0]
        features[p], place[j], n_used[0] = j, p, p + 1
        for r in range(h.size):
            weighed[r] = h[r] * columns[j, r]
        sums[p] = np.sum(weighed)
        for q in range(p + 1):
            total, other = 0.0, features[q]
            for r in range(h.size):
                total += columns[other, r] * weighed[r]
            products[p, q] = total
            products[q, p] = total
    return True


@compiled
def descend_gram(gram, w, slopes, b, order, level, stop, total, stiffness, max_sweeps, halt):
    """Sweep in this ``order`` until no step gains more than ``stop``; w, slopes and b follow.

    The pull has the sum ``total`` over rows; an intercept of no ``stiffness`` stays where it is.
    """
    products, sums, only_nonzero = gram.products, gram.sums, False
    for _ in range(max_sweeps):
        if halt[0]:
            break
        largest = 0.0
        for p in order:
            old, curvature = w[p], products[p, p]
            if (only_nonzero and old == 0.0) or curvature == 0.0:
                continue
            new = soft_threshold(curvature * old + slopes[p], level) / curvature
            step = new - old
            if step != 0.0:
                w[p] = new
                for q in range(slopes.size):
                    slopes[q] -= products[p, q] * step
                total -= sums[p] * step
                largest = max(largest, curvature * step * step)
        if stiffness > 0.0:
            step = total / stiffness
            b[0] += step
            for q in range(slopes.size):
                slopes[q] -= sums[q] * step
            total = 0.0
        if largest > stop:
            only_nonzero = True
        elif only_nonzero:
            only_nonzero = False  # the active set has settled: look at the others again
        else:
            break


@compiled
def minimise_by_gram(gram, task, at, level, working, stop, max_sweeps):
    """To the minimum over ``working``, who are in use; w, b and the pull follow."""
    columns, e, h = task.columns, at.e, at.h
    features = gram.features[: gram.n_used[0]]
    w, change = at.w[features], np.full(e.size, -at.b[0])
    stiffness = np.sum(h) if task.fit_intercept else 0.0
    order, slopes = gram.place[working], at.slope[features]
    when = level, stop, np.sum(e), stiffness, max_sweeps, task.halt
    descend_gram(gram, w, slopes, at.b, order, *when)
    change += at.b[0]
    for p in order:
        j = features[p]
        step = w[p] - at.w[j]
        if step != 0.0:
            at.w[j] = w[p]
            for r in range(e.size):
                change[r] += columns[j, r] * step
    for r in range(e.size):
        e[r] -= h[r] * change[r]
