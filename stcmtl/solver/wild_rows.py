"""Wild values of the target: rows that no fit should follow, and a target they cannot pull.

Huber's loss is r^2 up to |r| = c and 2 c |r| - c^2 beyond. Its minimum is that of the squared loss
for the *tamed* target

    y* = f + clip(y - f, -c, c),      f the fit at the minimum itself.

From |r| = 4 c on the pull of a row fades like 1 / |r|, so that what is out of all proportion counts
next to nothing: two wild values among 120 rows of a cluster raised its error by a fourth under
Huber's own loss.

So a few fits in turn, each to what the last one tamed, lead there, and each is one of the squared
loss: starts, folds, noise, choices, intercepts and centring see tame targets only.
"""

from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from stcmtl.data.taskset import Array
from stcmtl.data.weighted import mean_of, median_of, medians_of_tasks, take
from stcmtl.solver.problem import Rows

WILD = 10.0  # robust standard deviations: of 360 draws of normal noise the largest had seven
FAR, MANY, SHARE = 4.0, 6, 0.005  # tails are heavy if so many rows, and such a share, are farther
FEWEST_ROWS = 5  # of a task from whose residuals a spread can be told
FADES_FROM = 4.0  # limits
FIRST_LIMIT = 4.0  # before anything is known of the tails
HIGH_LIMIT, LOW_LIMIT = 2.5, 1.345  # cost one and five percent under normal noise
WORTH_IT = 0.95  # of the error; 1.05 under normal noise (0.98 in one of 100), 0.85 under t3
NORMAL = 1.4826  # the standard deviation, in median absolute deviations
ROWS_AT_ONCE = 10_000
NEXT_TO_NOTHING = 1e-3
PRIOR_ROWS = 10.0  # that speak for the usual spread


def linear_predictions(rows: Rows, coef: Array, intercept: Array) -> Array:
    """f of every row, by coefficients (T, D) on the original scale."""
    if rows.columns is not None:
        coef = coef[:, np.argsort(rows.columns)]
    f = np.empty(rows.y.size)
    for start in range(0, f.size, ROWS_AT_ONCE):  # whose coefficients are held
        part = slice(start, start + ROWS_AT_ONCE)
        f[part] = np.einsum("nd,nd->n", rows.X[part], coef[rows.codes[part]])
    return f + intercept[rows.codes]


def robust_spreads(rows: Rows, residuals: Array) -> tuple[Array, Array]:
    """Medians of each task's residuals (zero without intercepts), and their spreads (T,).

    These are median absolute deviations, shrunken to that of all rows.
    """
    centers = medians_of_tasks(residuals, rows.codes, rows.row_weight)
    centers = centers if rows.fit_intercept else np.zeros(centers.size)
    apart = np.abs(residuals - centers[rows.codes])
    own, sizes = medians_of_tasks(apart, rows.codes, rows.row_weight), rows.counts
    told = (sizes >= min(FEWEST_ROWS, sizes.max()))[rows.codes]
    usual = median_of(apart[told], take(rows.row_weight, told))
    mean = (sizes * own**2 + PRIOR_ROWS * usual**2) / (sizes + PRIOR_ROWS)
    return centers, NORMAL * np.sqrt(mean)


def standardise(rows: Rows, residuals: Array) -> Array:
    """Residuals in robust standard deviations; zero where there is no spread."""
    centers, spreads = robust_spreads(rows, residuals)
    known = spreads > 0.0
    apart = residuals - centers[rows.codes]
    return np.where(known[rows.codes], apart / np.where(known, spreads, 1.0)[rows.codes], 0.0)


def distances(rows: Rows, f: Array) -> Array:
    """How far targets are from f, in robust standard deviations.

    The spread of a few residuals is often far too small: five rows have to be twice as far.
    """
    sizes = rows.counts
    if sizes.max() < FEWEST_ROWS:
        return np.zeros(rows.y.size)
    return np.abs(standardise(rows, rows.y - f)) / (1.0 + (6.0 / sizes) ** 2)[rows.codes]


def find_wild(apart: Array) -> NDArray[np.int64]:
    """Rows whose target is out of all proportion to the usual ``distances``."""
    return np.flatnonzero(apart > WILD)


def has_heavy_tails(rows: Rows, apart: Array) -> bool:
    """One wild row is enough, or many that are far: normal noise practically never has either.

    ``apart`` are the ``distances``.
    """
    far = np.sum(rows.row_counts, where=apart > FAR)
    return bool(apart.max() > WILD or far >= max(MANY, SHARE * rows.row_counts.sum()))


def choose_limit(z: Array, n_rows: float, weight: Array | None = None) -> float:
    """Of residuals that count in full, in spreads: low if that lowers the error of a level.

    That of a task of ``n_rows`` rows: the variance of Huber's estimate, E psi^2 / (E psi')^2 / n,
    and the square of what it is shifted by where tails are not alike. A few wild values say
    nothing about that.
    """
    usual = np.abs(z) <= WILD
    z, weight = z[usual], take(weight, usual)

    def error(limit: float) -> float:
        psi, within = np.clip(z, -limit, limit), (np.abs(z) < limit).astype(np.float64)
        inside = mean_of(within, weight)
        shift = (mean_of(psi, weight) - mean_of(z, weight)) / inside
        return float(mean_of(psi**2, weight) / inside**2 / n_rows + shift**2)

    return LOW_LIMIT if error(LOW_LIMIT) < WORTH_IT * error(HIGH_LIMIT) else HIGH_LIMIT


def find_limits(rows: Rows, f: Array) -> Array:
    """The largest residual of each task (T,) that counts in full."""
    residuals = rows.y - f
    usual = float(np.median(rows.counts))
    limit = choose_limit(standardise(rows, residuals), usual, rows.row_weight)
    return limit * robust_spreads(rows, residuals)[1]


def tame(rows: Rows, f: Array, limits: Array) -> Array:
    """The target y*."""
    c, r = limits[rows.codes], rows.y - f
    far = np.maximum(np.abs(r), FADES_FROM * c)
    share = np.divide(FADES_FROM * c, far, out=np.ones(r.size), where=far > 0.0)
    return f + np.clip(r, -c, c) * share


def tame_levels(rows: Rows) -> Array:
    """The target held near the level of its task, before there is any fit."""
    centers, spreads = robust_spreads(rows, rows.y)
    return tame(rows, centers[rows.codes], FIRST_LIMIT * spreads)


def tame_first(rows: Rows, f: Array) -> Rows:
    """The target held near the first fits, which tame levels have led to; on them if wild.

    Wild rows count next to nothing, too: they have no say in what is chosen.
    """
    tamed = tame(rows, f, FIRST_LIMIT * robust_spreads(rows, rows.y - f)[1])
    counts, wild = rows.row_counts.copy(), find_wild(distances(rows, f))
    tamed[wild], counts[wild] = f[wild], NEXT_TO_NOTHING * counts[wild]
    return replace(rows, y=tamed, row_weight=counts if wild.size else rows.row_weight)
