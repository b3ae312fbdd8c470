"""Blocks: those of planted clusters are found, those that chance makes are not."""

import re
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from stcmtl.evaluation import blocks
from stcmtl.evaluation.blocks import Block, blocks_before, cosines, find_blocks, say_blocks

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
    weakest = r"where they stand out least, tasks are alike by 0\.[89]"
    assert re.match(f"3 blocks before the fit: {weakest}", said)


@pytest.mark.parametrize("patterns", [0, 1])
@pytest.mark.parametrize("seed", range(10))
def test_blocks_that_sorting_makes_are_not(seed: int, patterns: int) -> None:
    rng = np.random.default_rng(seed)
    W = tasks(rng, 0.3, 1) if patterns else rng.normal(size=(T, D))
    said = say_blocks(model_of(W, sorted_by_chance(W)))
    assert said.startswith("The blocks are there after the fit only")
    noisy = "fitted alone, tasks are too noisy, or too different, to show blocks"
    assert (noisy in said) is (patterns == 0)  # tasks of one pattern are all alike


def few_features(rng: np.random.Generator, strength: float) -> tuple[np.ndarray, np.ndarray]:
    """24 tasks as of stores: two groups with two drivers each, one for all, ten that do nothing."""
    groups = np.repeat([0, 1], 12)
    U = np.zeros((2, 15))
    U[0, :2] = U[1, 2:4] = strength
    U[:, 4] = 0.2 * strength
    return U[groups] + rng.normal(size=(24, 15)), groups


@pytest.mark.parametrize("seed", range(20))
def test_two_groups_with_few_features_are_clear_though_tasks_are_noisy(seed: int) -> None:
    """Random signs of four drivers would make groups of their own: noise is what is beside them."""
    W, groups = few_features(np.random.default_rng(seed), 4.0)
    blocks = find_blocks(W, groups)
    assert 0.55 < blocks[0].within < 0.8
    assert all(block.is_clear for block in blocks)


@pytest.mark.parametrize("n_features", [3, 15])
@pytest.mark.parametrize("n_tasks", [6, 12, 24])
def test_no_noise_of_as_few_tasks_or_features_is_called_a_block(
    n_tasks: int, n_features: int
) -> None:
    """Divided by their leading direction, in halves or at one end; with a pattern and without."""
    rng = np.random.default_rng(n_tasks + n_features)
    for draw in range(60):
        common = rng.normal(size=n_features) * rng.choice([0.0, 1.0, 5.0])
        W = common + rng.normal(size=(n_tasks, n_features))
        at_one_end = n_tasks // 2 if draw % 2 else 2
        direction = np.linalg.svd(W - W.mean(axis=0))[0][:, 0]
        first = np.argsort(np.argsort(direction)) < at_one_end
        assert not all(block.is_there for block in find_blocks(W, first.astype(np.int64)))


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
    assert "before the fit: where they stand out least" not in say_blocks(
        model_of(noise, LABELS[few])
    )


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
        ({"labels": np.zeros(T, dtype=int), "cluster_coef_": np.ones((1, D))}, "One block"),
        ({"labels": np.zeros(T, dtype=int), "cluster_coef_": np.zeros((1, D))}, "No feature is"),
        ({"pure_": np.isin(np.arange(T), [0, 6])}, "2 clusters with one pure task"),
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


@pytest.mark.parametrize("shape", ["simplex", "span"])
@pytest.mark.parametrize("seed", range(5))
def test_of_one_cluster_it_says_whether_there_was_a_block_before(seed: int, shape: str) -> None:
    rng = np.random.default_rng(seed)
    one, labels = np.ones((1, D)), np.zeros(T, dtype=int)
    there = model_of(tasks(rng, 0.5, 1), labels, cluster_coef_=one, shape_=shape)
    noise = model_of(rng.normal(size=(T, D)), labels, cluster_coef_=one, shape_=shape)
    assert re.match(
        r"One block, which was there before the fit: tasks .* 0\.[678]", say_blocks(there)
    )
    assert say_blocks(noise).startswith("No block before the fit: tasks are alike by ")
    single = model_of(there.single_task_coef_[:1], labels[:1], cluster_coef_=one, shape_=shape)
    assert say_blocks(single) == "One task in the one cluster: nothing to compare"


@pytest.mark.parametrize(
    ("within", "across", "few"), [(0.76, 0.39, True), (0.76, 0.74, False), (0.5, 0.45, False)]
)
def test_few_tasks_that_look_like_a_block_are_not_told_to_be_none(
    within: float, across: float, few: bool
) -> None:
    names = ["cluster 1", "cluster 2"]
    weak = [Block(0, 1, within, across, 0.35), Block(1, 0, within, across, 0.35)]
    assert ("too few" in blocks.say_one_with(weak, names)[0]) is few
    beside_clear = [weak[0], Block(1, 0, 0.9, 0.1, 0.01)]
    assert ("too few" in blocks.say_no_group(beside_clear, names)[0]) is few
    alone = np.ones((2, 30))
    model = SimpleNamespace(cluster_coef_=alone, single_task_coef_=alone, units_differ_=False)
    said = blocks.compare_blocks(model, weak)
    assert said.startswith("Too few tasks to tell") is few
    assert said.startswith("The blocks are there after the fit only") is not few


def test_tasks_that_are_alike_with_nobody_are_too_few_or_noisy_to_tell() -> None:
    weak = [Block(0, 1, 0.1, 0.05, 0.35), Block(1, 0, 0.1, 0.05, 0.35)]
    assert "too few tasks or rows" in blocks.say_one_with(weak, ["cluster 1", "cluster 2"])[0]


@pytest.mark.parametrize("n_features", [3, 30])
def test_opposite_halves_of_a_small_space_are_no_blocks(n_features: int) -> None:
    open_ones = [Block(0, 1, 0.71, 0.05, 0.6), Block(1, 0, 0.71, 0.05, 0.6)]
    W = np.ones((2, n_features))
    model = SimpleNamespace(cluster_coef_=W, single_task_coef_=W, units_differ_=False)
    said = blocks.compare_blocks(model, open_ones)
    assert said.startswith("2 blocks before the fit") is (n_features == 30)
