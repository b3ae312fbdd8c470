"""The paper's synthetic tasks (section 4.1 and 5), and mild generalisations of them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.special import expit

from stcmtl.data.taskset import Array, TaskSet, Truth, check_task_type
from stcmtl.errors import InputError, bad_value

Sizes = int | tuple[int, int] | Sequence[int]  # of all tasks, a range, or of each task
FEATURES_PER_BLOCK = 5  # cluster k uses blocks k and k + 1, so neighbours overlap


@dataclass(frozen=True, eq=False)
class Simulation:
    """Training and test rows of the same tasks, and what they were made from."""

    train: TaskSet
    test: TaskSet
    truth: Truth


def simulate(
    n_tasks: int = 60,
    n_features: int = 200,
    n_clusters: int = 5,
    n_train: Sizes = 100,
    n_test: Sizes = 100,
    mixing: str = "sparse",
    noise: float = 0.5,
    n_outliers: int = 0,
    task_type: str = "regression",
    structure_seed: int = 0,
    random_state: int = 0,
    *,
    n_mixed: int | None = None,
    correlation: float = 0.0,
    scale: float | None = None,
    overlap: float = 0.0,
) -> Simulation:
    """Draw tasks ``y_i = X_i U v_i + noise`` with pure and mixed memberships.

    ``structure_seed`` fixes U and V; ``random_state`` draws rows and noise.

    Parameters
    ----------
    n_tasks : tasks that follow the model; ``n_outliers`` more are added after them.
    n_train, n_test : rows per task: a number, a ``(low, high)`` tuple to draw each task's
        number from, or a list with one number per task.
    mixing : "sparse" (a mixed task has two clusters) or "dense" (all of them).
    noise : standard deviation of the noise (regression).
    task_type : "regression", or "classification" for labels -1 and 1 from a logistic model.
    n_mixed : mixed tasks, the last of the ``n_tasks``; one in six by default, as in the paper,
        or fewer if some cluster would have no pure task.
    correlation : features d and d' correlate by ``correlation ** |d - d'|``.
    scale : factor on the paper's coefficients; by default 1, and 3 for classification,
        because the paper's coefficients leave little to learn from 100 labels.
    overlap : how alike the patterns are: 0 as in the paper; towards 1 all approach their mean.

    >>> from stcmtl import simulate
    >>> sim = simulate(n_tasks=20, n_features=30, n_clusters=4, n_outliers=1)
    >>> len(sim.train), sim.train.X.shape, int(sim.truth.pure.sum())
    (21, (2100, 30), 17)
    """
    check_task_type(task_type)
    if not -1.0 < correlation < 1.0:
        raise bad_value("correlation", correlation, "it must lie between -1 and 1")
    if not 0.0 <= overlap < 1.0:
        raise bad_value("overlap", overlap, "it must be at least 0 and less than 1")
    if not 0 <= noise < np.inf:
        remedy = "a standard deviation is finite and cannot be negative"
        raise bad_value("noise", noise, remedy)
    if scale is None:
        scale = 1.0 if task_type == "regression" else 3.0
    if n_mixed is None:
        n_mixed = max(0, min(n_tasks // 6, n_tasks - n_clusters))
    truth = draw_structure(
        n_tasks,
        n_features,
        n_clusters,
        mixing,
        n_outliers,
        n_mixed,
        scale,
        structure_seed,
        overlap,
    )
    rng = np.random.default_rng(random_state)
    train, test = (
        draw_rows(truth, sizes, noise, correlation, task_type, rng) for sizes in (n_train, n_test)
    )
    return Simulation(train, test, truth)


def draw_structure(
    n_tasks: int,
    n_features: int,
    n_clusters: int,
    mixing: str,
    n_outliers: int,
    n_mixed: int,
    scale: float,
    seed: int,
    overlap: float = 0.0,
) -> Truth:
    """U, V and W of the paper's section 4.1; outlier tasks as in its section 5."""
    D, K, T = n_features, n_clusters, n_tasks
    check_structure(D, K, T, n_mixed, n_outliers)
    rng = np.random.default_rng(seed)
    U = np.zeros((D, K))
    for k in range(K):
        used = slice(FEATURES_PER_BLOCK * k, FEATURES_PER_BLOCK * (k + 2))
        size = rng.uniform(0.1, 0.5, 2 * FEATURES_PER_BLOCK)
        U[used, k] = size * rng.choice([-1.0, 1.0], size.size)
    if overlap:
        U = blend_patterns(U, overlap)
    n_pure = T - n_mixed
    V = np.zeros((K, T + n_outliers))
    V[np.arange(n_pure) * K // n_pure, np.arange(n_pure)] = 1.0
    V[:, n_pure:T] = draw_memberships(K, n_mixed, mixing, rng)
    W = U @ V
    for i in range(T, T + n_outliers):
        chosen = rng.choice(D, 2 * FEATURES_PER_BLOCK, replace=False)
        W[chosen, i] = rng.uniform(0.5, 1.0, chosen.size)
    is_outlier = np.arange(T + n_outliers) >= T
    return Truth(scale * U, V, scale * W, V.max(axis=0) == 1.0, is_outlier)


def blend_patterns(U: Array, overlap: float) -> Array:
    """Each pattern with a share of the mean of all, as long as before: signal stays signal."""
    blend = (1.0 - overlap) * U + overlap * U.mean(axis=1, keepdims=True)
    return blend * np.linalg.norm(U, axis=0) / np.linalg.norm(blend, axis=0)


def check_structure(D: int, K: int, T: int, n_mixed: int, n_outliers: int) -> None:
    if K < 1:
        raise bad_value("n_clusters", K, "there must be at least one")
    for name, count in (("n_mixed", n_mixed), ("n_outliers", n_outliers)):
        if count < 0:
            raise bad_value(name, count, "it cannot be negative")
    if n_mixed > T - K:
        raise InputError(
            f"{T} tasks cannot hold {n_mixed} mixed ones and a pure one for each of {K} clusters"
        )
    if FEATURES_PER_BLOCK * (K + 1) > D:
        raise InputError(
            f"{K} clusters need at least {FEATURES_PER_BLOCK * (K + 1)} features, not {D}"
        )


def draw_memberships(K: int, n_mixed: int, mixing: str, rng: np.random.Generator) -> Array:
    """Uniform weights on two random clusters (sparse) or on all (dense), normalised."""
    if mixing not in ("sparse", "dense"):
        raise bad_value("mixing", mixing, "use 'sparse' or 'dense'")
    V = rng.uniform(size=(K, n_mixed))
    if mixing == "sparse":
        for i in range(n_mixed):
            V[rng.permutation(K)[2:], i] = 0.0
    return V / V.sum(axis=0)


def draw_rows(
    truth: Truth,
    sizes: Sizes,
    noise: float,
    correlation: float,
    task_type: str,
    rng: np.random.Generator,
) -> TaskSet:
    """Gaussian rows and their targets for every task of ``truth``."""
    D, T = truth.W.shape
    task = np.repeat(np.arange(T), draw_sizes(sizes, T, rng))
    X = rng.standard_normal((task.size, D))
    for d in range(1, D if correlation else 0):
        X[:, d] = correlation * X[:, d - 1] + np.sqrt(1 - correlation**2) * X[:, d]
    signal = np.einsum("nd,dn->n", X, truth.W[:, task])
    if task_type == "regression":
        y = signal + noise * rng.standard_normal(task.size)
    else:
        y = np.where(rng.uniform(size=task.size) < expit(signal), 1.0, -1.0)
    width = len(str(T))
    names = np.array([f"task{i + 1:0{width}d}" for i in range(T)])
    return TaskSet(X, y, names[task], task_type=task_type, truth=truth)


# One more task among those of a simulation


def draw_task(
    truth: Truth,
    weights: Sequence[float] | Array,
    n_rows: int,
    noise: float = 0.5,
    *,
    correlation: float = 0.0,
    task_type: str = "regression",
    scale: float = 1.0,
    name: str = "New task",
    random_state: int = 0,
) -> TaskSet:
    """Rows of a task that mixes the true patterns, with its truth.

    ``weights`` (K,) need not sum to one; where all are zero the task follows no pattern, as
    simulated outlier tasks do, with coefficients of the given ``scale``.
    """
    rng = np.random.default_rng(random_state)
    v = np.asarray(weights, dtype=np.float64)
    stranger = not v.any()
    v = v if stranger else v / v.sum()
    w = truth.U @ v
    if stranger:
        used = rng.choice(len(w), 2 * FEATURES_PER_BLOCK, replace=False)
        w[used] = rng.uniform(0.5, 1.0, used.size) * scale
    one = Truth(truth.U, v[:, None], w[:, None], v.max(keepdims=True) == 1.0, np.array([stranger]))
    data = draw_rows(one, n_rows, noise, correlation, task_type, rng)
    return TaskSet(data.X, data.y, np.repeat(name, n_rows), data.feature_names, task_type, one)


def add_task(
    sim: Simulation,
    shares: Sequence[float] | Array,
    n_train: int,
    n_test: int,
    noise: float = 0.5,
    *,
    correlation: float = 0.0,
    name: str = "yours",
    random_state: int = 0,
) -> Simulation:
    """The same tasks and one more, a mixture of the true patterns; its name is to sort last."""
    truth, rng, v = sim.truth, np.random.default_rng(random_state), np.asarray(shares)
    one = Truth(truth.U, v[:, None], (truth.U @ v)[:, None], v.max(keepdims=True) == 1.0, v[:1] < 0)
    both = Truth(
        truth.U,
        *(np.hstack([getattr(truth, part), getattr(one, part)]) for part in ("V", "W")),
        *(np.append(getattr(truth, part), getattr(one, part)) for part in ("pure", "outliers")),
    )

    def join(old: TaskSet, n_rows: int) -> TaskSet:
        new = draw_rows(one, n_rows, noise, correlation, old.task_type, rng)
        names = np.append(old.tasks, np.repeat(name, n_rows))
        return TaskSet(np.vstack([old.X, new.X]), np.append(old.y, new.y), names, truth=both)

    return Simulation(join(sim.train, n_train), join(sim.test, n_test), both)


def draw_sizes(sizes: Sizes, T: int, rng: np.random.Generator) -> NDArray[np.int64]:
    """A tuple is a range to draw from; a list has one number per task; a number is for all."""
    numbers = np.asarray(sizes)
    if (numbers < 1).any() or (numbers % 1).any():
        wanted = "Every task needs a whole number of rows, at least one"
        raise InputError(wanted, remedy=f"not {sizes}")
    if isinstance(sizes, tuple):
        if len(sizes) != 2 or sizes[0] > sizes[1]:
            wanted = "A range of rows is two numbers, the smaller first"
            raise InputError(wanted, remedy=f"not {sizes}")
        return rng.integers(sizes[0], sizes[1], T, endpoint=True)
    if numbers.ndim and numbers.shape != (T,):
        what = f"{numbers.size} numbers of rows for {T} tasks"
        raise InputError(what, remedy="give one number per task")
    return np.broadcast_to(numbers.astype(np.int64), (T,))
