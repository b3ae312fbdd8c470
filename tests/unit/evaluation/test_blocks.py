"""Blocks: those of planted clusters are found, those that chance makes are not."""

import re
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from stcmtl.evaluation.blocks import blocks_before, cosines, find_blocks, say_blocks

T, D, K = 18, 30, 3
LABELS = np.arange(T) // 6
NOISE = np.random.default_rng(7).normal(size=(T, D))


def tasks(rng: np.random.Generator, noise: float, patterns: int = K) -> np.ndarray:
    """W (T, D): so many patterns, and noise of every task's own."""
    U = rng.normal(size=(patterns, D))
    return U[LABELS * patterns // K] + noise * rng.normal(size=(T, D))


def model_of(W: np.ndarray, labels: np.ndarray = LABELS, **changes: Any) -> SimpleNamespace:
    fitted = {
        "single_task_coef_": W, "labels_": labels, "pure_": np.ones(len(W), dtype=bool),
        "cluster_coef_": np.zeros((K, D)), "shape_": "simplex",
    }  # fmt: skip
    return SimpleNamespace(**fitted | changes)


def sorted_by_chance(W: np.ndarray) -> np.ndarray:
    """The labels of six tasks each that an eye for likeness finds, whatever is in them."""
    direction = np.linalg.svd(W - W.mean(axis=0))[0][:, 0]
    return np.argsort(np.argsort(direction)) // 6


def test_cosines_by_hand() -> None:
    W = np.array([[3.0, 4.0], [4.0, 3.0], [0.0, 0.0]])
    np.testing.assert_allclose(cosines(W @ W.T), [[1, 0.96, 0], [0.96, 1, 0], [0, 0, 0]])


def test_a_block_is_measured_against_the_cluster_next_to_it() -> None:
    W = np.array([[1, 0, 0], [1, 0, 0], [0.6, 0.8, 0], [0.6, 0.8, 0], [0, 0, 1], [0, 0, -1.0]])
    found = {block.cluster: block for block in find_blocks(W, np.arange(6) // 2)}
    assert (found[0].within, found[0].beside) == (pytest.approx(1.0), 1)
    assert found[0].across == pytest.approx(0.6)
    assert found[2].within == pytest.approx(-1.0)
    opposite = find_blocks(W, np.arange(6) // 2, signed=True)
    assert {b.cluster: b.within for b in opposite}[2] == pytest.approx(1.0)


@pytest.mark.parametrize("seed", range(10))
def test_planted_blocks_are_there(seed: int) -> None:
    said = say_blocks(model_of(tasks(np.random.default_rng(seed), 0.3)))
    assert re.match(r"3 blocks before the fit: at the weakest, tasks are alike by 0\.[89]", said)


@pytest.mark.parametrize("patterns", [0, 1])
@pytest.mark.parametrize("seed", range(10))
def test_blocks_that_sorting_makes_are_not(seed: int, patterns: int) -> None:
    rng = np.random.default_rng(seed)
    W = tasks(rng, 0.3, 1) if patterns else rng.normal(size=(T, D))
    said = say_blocks(model_of(W, sorted_by_chance(W)))
    assert said.startswith("The blocks are there after the fit only")


def test_a_cluster_that_was_cut_in_two_is_the_weakest() -> None:
    rng = np.random.default_rng(1)
    W = tasks(rng, 0.3)
    W[LABELS == 2] += W[0] - W[12]  # so that there are two patterns
    said = say_blocks(model_of(W))
    assert re.match(r"Not every block is there before the fit: tasks are alike by 0\.[89]", said)
    assert "cluster 2" not in said


@pytest.mark.parametrize("per_cluster", [2, 3])
@pytest.mark.parametrize("seed", range(5))
def test_of_few_tasks_it_says_that_they_are_few(seed: int, per_cluster: int) -> None:
    few = np.flatnonzero(np.arange(T) % 6 < per_cluster)
    clear, noise = tasks(np.random.default_rng(seed), 0.3)[few], NOISE[few]
    said = say_blocks(model_of(clear, LABELS[few]))
    assert re.match("3 blocks before the fit|Too few tasks to tell every block from chance", said)
    assert "before the fit: at the weakest" not in say_blocks(model_of(noise, LABELS[few]))


def test_faint_blocks_are_called_so() -> None:
    rng = np.random.default_rng(0)
    common = 6.0 * rng.normal(size=D)
    blocks = find_blocks(W := common + tasks(rng, 0.3), LABELS)
    assert all(block.is_there for block in blocks)
    assert blocks[0].gap < 0.25
    assert say_blocks(model_of(W)).startswith("3 faint blocks before the fit")


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"cluster_coef_": np.zeros((0, D))}, "No clusters, no blocks"),
        ({"pure_": np.zeros(T, dtype=bool)}, "No blocks"),
        ({"labels": np.zeros(T, dtype=int)}, "One block"),
        ({"pure_": np.isin(np.arange(T), [0, 6])}, "2 clusters of a single pure task"),
    ],
)
def test_where_there_is_nothing_to_compare(changes: dict[str, Any], words: str) -> None:
    W = tasks(np.random.default_rng(0), 0.3)
    assert say_blocks(model_of(W, **changes)).startswith(words)


def test_tasks_without_coefficients_make_no_block() -> None:
    assert say_blocks(model_of(np.zeros((T, D)))).startswith("The blocks are there after the fit")


def test_units_make_no_tasks_alike() -> None:
    W = tasks(np.random.default_rng(3), 0.5)
    units = np.geomspace(1e-3, 1e3, D)
    scaled = model_of(W / units, standardized_=True, feature_scale_=units)
    ours, plain = (blocks_before(model)[0] for model in (scaled, model_of(W)))
    assert ours.within == pytest.approx(plain.within)
