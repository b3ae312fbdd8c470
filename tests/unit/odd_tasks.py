"""Tasks as odd as people's: any size and scale, columns and targets that tell nothing or too much.

A recipe is small, so that hypothesis can make a failing one smaller; ``cook`` makes rows of it.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from hypothesis import strategies as st
from numpy.typing import NDArray

from stcmtl import STCMTLClassifier, STCMTLRegressor

COLUMNS = ("duplicate", "nearly", "constant", "zero", "by task")
TARGETS = ("noisy", "noisy", "exact", "apart", "rare", "constant", "constant in one")
WEIGHTS = ("none", "none", "whole", "any", "many zeros", "huge and tiny")


class Cooked(NamedTuple):
    """What is handed to ``fit``."""

    X: NDArray[np.float64]
    y: NDArray[Any]
    tasks: NDArray[np.int64]
    weight: NDArray[np.float64] | None


@dataclass(frozen=True)
class Recipe:
    """``x_power`` and ``y_power`` are the units of all, ``unit`` that of one column alone.

    ``columns`` says what becomes of the first columns, ``repeated`` makes rows of a task the same.
    """

    seed: int
    sizes: list[int]
    n_features: int
    x_power: int
    y_power: int
    unit: int
    columns: list[str]
    target: str
    repeated: bool
    weights: str
    labels: bool
    options: dict[str, Any]

    @property
    def model(self) -> Any:
        kind = STCMTLClassifier if self.labels else STCMTLRegressor
        return kind(random_state=0, **self.options)


powers = st.one_of(st.just(0), st.sampled_from([-12, -8, 8, 12]), st.integers(-12, 12))
size = st.one_of(st.integers(2, 5), st.integers(6, 40), st.integers(6, 40))


@st.composite
def settings_of_fits(draw: st.DrawFn, n_tasks: int) -> dict[str, Any]:
    """Of all kinds, few of which contradict each other."""
    refine = draw(st.sampled_from([True, True, True, False]))
    shape, own = "auto", "auto"
    if refine:
        shape = draw(st.sampled_from(["simplex", "cone", "span", "auto"]))
        own = draw(st.sampled_from(["none", "deviation", "auto", "alone"]))
    fewest = int(own in ("none", "deviation"))
    given = st.integers(fewest, n_tasks)
    n_clusters: Any = draw(st.one_of(st.just("auto"), given, given))
    if draw(st.integers(0, 40)) == 40:
        n_clusters = n_tasks + 1
    if own == "alone":
        n_clusters = draw(st.sampled_from(["auto", 0]))
    return {
        "n_clusters": n_clusters,
        "shape": shape,
        "own": own,
        "refine": refine,
        "robust": draw(st.booleans()),
        "fit_intercept": draw(st.sampled_from([True, True, False])),
        "standardize": draw(st.sampled_from(["auto", "auto", True, False])),
        "gamma": draw(st.sampled_from(["mean", "mean", "cv", 0.0])),
        "cv": draw(st.sampled_from([2, 3, 5])),
    }


@st.composite
def recipes(draw: st.DrawFn) -> Recipe:
    n_tasks = draw(st.integers(1, 8))
    sizes = draw(st.lists(size, min_size=n_tasks, max_size=n_tasks))
    if draw(st.integers(0, 40)) == 40:
        sizes[-1] = 1
    return Recipe(
        seed=draw(st.integers(0, 1000)),
        sizes=sizes,
        n_features=draw(st.integers(1, 12)),
        x_power=draw(powers),
        y_power=draw(powers),
        unit=draw(powers),
        columns=draw(st.lists(st.sampled_from(COLUMNS), max_size=4)),
        target=draw(st.one_of(st.just("noisy"), st.sampled_from(TARGETS))),
        repeated=draw(st.sampled_from([False, False, False, True])),
        weights=draw(st.sampled_from(WEIGHTS)),
        labels=draw(st.booleans()),
        options=draw(settings_of_fits(n_tasks)),
    )


def cook(recipe: Recipe) -> Cooked:
    rng = np.random.default_rng(recipe.seed)
    tasks = np.repeat(np.arange(len(recipe.sizes)), recipe.sizes)
    X = rng.normal(size=(tasks.size, recipe.n_features))
    f = np.einsum("nd,nd->n", X, rng.normal(size=(2, recipe.n_features))[tasks % 2])
    for column, kind in enumerate(recipe.columns[: recipe.n_features]):
        spoil_column(X, column, kind, tasks, rng)
    y = make_target(recipe, f, tasks, rng)
    if recipe.repeated:
        X[tasks == 0] = X[0]
    X[:, -1] *= 10.0**recipe.unit
    X *= 10.0**recipe.x_power
    return Cooked(X, y, tasks, make_weights(recipe.weights, tasks.size, rng))


def spoil_column(X: Any, column: int, kind: str, tasks: Any, rng: np.random.Generator) -> None:
    if kind in ("duplicate", "nearly"):
        X[:, column] = X[:, -1]
    if kind == "nearly":
        X[:, column] += 1e-9 * rng.normal(size=tasks.size)
    if kind in ("constant", "zero"):
        X[:, column] = 0.1 if kind == "constant" else 0.0
    if kind == "by task":
        X[:, column] = tasks + 0.1


def make_target(recipe: Recipe, f: Any, tasks: Any, rng: np.random.Generator) -> NDArray[Any]:
    """A number, or as labels whether it is above the middle of its task, so that both occur."""
    noise = 0.0 if recipe.target in ("exact", "apart") else 0.5
    y = 1.0 + f + noise * rng.normal(size=f.size)
    if recipe.target == "apart":
        y += 3.0 * np.sign(f)
    if recipe.labels:
        return make_labels(recipe.target, y, tasks)
    if recipe.target == "constant":
        y[:] = 3.7
    if recipe.target == "constant in one":
        y[tasks == 0] = 3.7
    if recipe.target == "rare":
        y[0] = 1e6
    return y * 10.0**recipe.y_power


def make_labels(target: str, y: Any, tasks: Any) -> NDArray[Any]:
    labels = np.zeros(y.size, dtype=np.int64)
    for i in range(tasks.max() + 1):
        own = np.flatnonzero(tasks == i)
        share = 1 if target == "rare" else max(own.size // 2, 1)
        labels[own[np.argsort(-y[own])[:share]]] = 1
    if target == "constant in one":
        labels[tasks == 0] = 1
    return labels


def make_weights(kind: str, n: int, rng: np.random.Generator) -> NDArray[np.float64] | None:
    if kind == "none":
        return None
    if kind == "huge and tiny":
        return 10.0 ** rng.uniform(-12, 12, size=n)
    if kind == "many zeros":
        return rng.integers(0, 2, size=n).astype(float)
    return rng.uniform(0.1, 3.0, n) if kind == "any" else rng.integers(0, 4, n).astype(float)
