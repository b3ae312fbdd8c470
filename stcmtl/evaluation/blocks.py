"""Whether the blocks of a similarity are more than chance makes of tasks that have none.

A block is the pure tasks of a cluster. Tasks were sorted into clusters because they are alike, so
that some block would show in noise as well. Each is held against the cluster next to it, as if all
tasks of both had one pattern in common and noise of their own:

    w_i = m + s_i * e_i     m the mean of both clusters' tasks, s_i random signs, e_i the noise

and such tasks are divided in two by their leading direction, as well as chance allows. Blocks are
apart where their gap between likeness within and across is beyond that of every draw.

The noise is what tasks have beside m. Where the tasks of both have next to nothing in common, it is
what they have beside the mean of their cluster: to turn a few strong effects around would make
groups of their own. But tasks were sorted to be close to that mean, the fewer the closer: of two it
counts for nothing.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.stats import t

from stcmtl.data.taskset import Array
from stcmtl.evaluation.choices import NO_SIGNAL
from stcmtl.evaluation.tables import cluster_names, single_task_coefficients
from stcmtl.phrases import counted, hundredths

DRAWS = 99  # of signs: more alike than in all of them is one chance in a hundred
BEYOND = 1.25  # times the largest gap of a draw: a fit can sort by more than one direction
UNSURE = 2.0  # tasks: of the mean of n, as many n-ths may be chance
MOST_TASKS = 20  # of either cluster in a draw: chance makes fewer of them more alike, if anything
RARE = 0.005  # of tasks of one cluster: so few are less alike with it than one takes for apart
MOST_ALIKE = 300  # tasks whose signs are drawn: fewer are more alike by chance, if anything
LEAST = 0.05  # of a cosine: of many tasks less is beyond chance, and no block to see
MUCH = 0.5  # a cosine of tasks that are much alike
MANY = 10  # features, among which tasks that share nothing are hardly alike
HARDLY = 0.1  # of cosines: tasks that are more alike by no more than this hardly are
TOO_FEW = "there are too few tasks or rows to tell"
CLEAR = 0.25  # of cosines, by which tasks of a clear block are more alike than with the next


@dataclass(frozen=True)
class Block:
    """The pure tasks of a cluster: mean cosines ``within`` and ``across``, to the cluster
    ``beside`` it, and the largest gap that chance made between the two.
    """

    cluster: int
    beside: int
    within: float
    across: float
    chance: float = np.inf

    @property
    def gap(self) -> float:
        return self.within - self.across

    @property
    def is_unlike(self) -> bool:
        """Whether it has next to nothing in common with the cluster beside it."""
        return self.across <= self.within / 3.0

    @property
    def is_there(self) -> bool:
        return self.gap > BEYOND * self.chance

    @property
    def is_apart(self) -> bool:
        """Whether it is more than a part of the cluster beside it: it is there or, where its tasks
        are too few to tell that from chance, they are much alike and not so with the other's.
        """
        return self.is_there or (self.within >= MUCH and self.is_unlike)

    @property
    def is_open(self) -> bool:
        """Whether its tasks look like a block: if that may be chance, they are too few to tell."""
        return self.within >= MUCH and self.gap >= HARDLY

    @property
    def is_clear(self) -> bool:
        return self.is_there and self.gap >= CLEAR


def cosines(S: Array) -> Array:
    """S_ij / sqrt(S_ii S_jj) of inner products S (T, T); 0 where a task has no coefficients."""
    length = np.sqrt(np.maximum(np.diag(S), 0.0))
    size = np.outer(length, length)
    return np.divide(S, size, out=np.zeros_like(S), where=size > 0)


def blocks_before(model: Any) -> list[Block]:
    """Blocks of a model's pure tasks in the coefficients of their own fits, the weakest first."""
    pure = model.pure_ & (model.labels_ >= 0)
    W = single_task_coefficients(model)[pure]
    return find_blocks(W, model.labels_[pure], signed=model.shape_ == "span")


def blocks_of_members(model: Any) -> list[Block]:
    """The same of all that can stand for a cluster: its pure tasks or, where it has fewer than two,
    every task whose main cluster it is. Half of a cluster may have none that is pure.

    Where patterns can be subtracted no task needs to be pure: there it is pure ones alone.
    """
    W, clusters = coefficients_that_stand(model)
    return find_blocks(W, clusters, signed=model.shape_ == "span")


def coefficients_that_stand(model: Any) -> tuple[Array, NDArray[np.int64]]:
    """Coefficients W (n, D) of the tasks that can stand for a cluster, and their clusters (n,)."""
    inside = model.labels_ >= 0
    n_pure = np.bincount(model.labels_[model.pure_ & inside], minlength=len(model.cluster_coef_))
    is_signed = model.shape_ == "span"
    stands = inside & (model.pure_ | ((n_pure < 2)[model.labels_] & (not is_signed)))
    return single_task_coefficients(model)[stands], model.labels_[stands]


def find_near_one(model: Any) -> dict[int, int]:
    """Clusters of which a cluster of one task may be a part, as far as chance allows, and which.

    A single task has no likeness of its own to go by: it is held against how much each task of a
    cluster is like the others of it, and is apart where it is less so, clearly and beyond chance.
    """
    W, clusters = coefficients_that_stand(model)
    C = cosines(W @ W.T)
    C = np.abs(C) if model.shape_ == "span" else C
    names, sizes = np.unique(clusters, return_counts=True)
    found: dict[int, int] = {}
    for k in names[sizes > 1]:
        own = clusters == k
        n, inner = int(own.sum()), C[np.ix_(own, own)]
        usual = (inner.sum(axis=1) - np.diag(inner)) / (n - 1)
        sure = float(t.isf(RARE, n - 1) * np.sqrt(1.0 + 1.0 / n) * usual.std(ddof=1))
        least = max(CLEAR, sure) if n > 2 else np.inf  # two are as much like each other
        for single in names[sizes == 1]:
            if C[clusters == single][0, own].mean() > usual.mean() - least:
                found.setdefault(int(k), int(single))
    return found


def find_blocks(W: Array, clusters: NDArray[np.int64], *, signed: bool = False) -> list[Block]:
    """Blocks of two tasks or more, the weakest first; those of one are left out.

    ``W`` (T, D) are the coefficients of pure tasks, ``clusters`` (T,) what they are of. Where
    patterns can be subtracted (``signed``), opposite tasks are as alike as equal ones.
    """
    C = cosines(W @ W.T)
    C = np.abs(C) if signed else C
    names, sizes = np.unique(clusters, return_counts=True)
    names = names[sizes > 1]  # one task is too few to tell a cluster from another
    if len(names) < 2:
        return []
    among = {
        (k, other): float(C[np.ix_(clusters == k, clusters == other)].mean())
        for k in names
        for other in names
    }
    found = []
    for k in names:
        others = [other for other in names if other != k]
        beside = others[int(np.argmax([among[k, other] for other in others]))]
        own = clusters == k
        both = own | (clusters == beside)
        block = Block(int(k), int(beside), mean_of_pairs(C, own), among[k, beside])
        chance = gaps_by_chance(W[both], own[both], signed=signed, unlike=block.is_unlike)
        found.append(replace(block, chance=float(chance.max())))
    return sorted(found, key=lambda block: block.gap - BEYOND * block.chance)


def find_one_with(blocks: Sequence[Block]) -> dict[int, int]:
    """Clusters that may be one with another, as far as chance allows, and with which."""
    weak = find_weak(blocks)
    return {other: k for k, other in reversed(weak.items())} | weak


def say_one_with(blocks: Sequence[Block], names: Sequence[str]) -> list[str]:
    """Of two clusters of which neither is clear beside the other; each pair once."""
    weak, far = find_weak(blocks), find_open(blocks)
    why = "before the fit, tasks of the two are as alike as tasks of one"
    return [
        f"{upper(names[k])} may be one with {names[other]}: {TOO_FEW if {k, other} & far else why}."
        for k, other in weak.items()
        if k < other and weak.get(other) == k
    ]


def say_no_group(blocks: Sequence[Block], names: Sequence[str]) -> list[str]:
    """Of a cluster that is not clear beside one that is."""
    weak, far = find_weak(blocks), find_open(blocks)
    why = "before the fit, its tasks are hardly more alike than they are to those of"
    return [
        f"{upper(names[k])} may be no group of its own: "
        f"{TOO_FEW if k in far else f'{why} {names[other]}'}."
        for k, other in weak.items()
        if weak.get(other) != k
    ]


def find_weak(blocks: Sequence[Block]) -> dict[int, int]:
    """Clusters that are not clear, and beside which."""
    return {block.cluster: block.beside for block in blocks if not block.is_apart}


def find_open(blocks: Sequence[Block]) -> set[int]:
    """Clusters whose tasks look more alike than with others', or are alike with nobody: as few
    tasks and few rows make them.
    """
    return {block.cluster for block in blocks if block.gap >= HARDLY or block.within < CLEAR}


def upper(name: str) -> str:
    """As a sentence begins."""
    return f"{name[0].upper()}{name[1:]}"


def mean_of_pairs(C: Array, chosen: NDArray[np.bool_]) -> float:
    """Of two different tasks each."""
    n = int(chosen.sum())
    own = C[np.ix_(chosen, chosen)]
    return float((own.sum() - np.trace(own)) / (n * (n - 1)))


def beside_means(W: Array, own: NDArray[np.bool_]) -> Array:
    """What tasks W (n, D) have beside the sure part of the mean of their cluster, ``own`` or not.

        e_i = (w_i - a m_k) / sqrt(1 - a / n_k)     a = 1 - UNSURE / n_k, or 0

    divided by what a mean of n_k tasks takes from their spread.
    """
    found = np.empty_like(W)
    for cluster in (own, ~own):
        n = int(cluster.sum())
        sure = max(0.0, 1.0 - UNSURE / n)
        found[cluster] = (W[cluster] - sure * W[cluster].mean(axis=0)) / np.sqrt(1.0 - sure / n)
    return found


def gaps_by_chance(
    W: Array, own: NDArray[np.bool_], *, signed: bool = False, unlike: bool = False
) -> Array:
    """Gaps (DRAWS,) of a block as large as ``own`` (n,) in tasks W (n, D) of one pattern.

    ``unlike`` says that the block has next to nothing in common with the others.
    """
    kept = np.concatenate([np.flatnonzero(own)[:MOST_TASKS], np.flatnonzero(~own)[:MOST_TASKS]])
    W, own, n = W[kept], own[kept], kept.size
    size, middle, rng = int(own.sum()), W.mean(axis=0), np.random.default_rng(0)
    noise = beside_means(W - middle, own) if unlike else W - middle
    C = np.empty((DRAWS, n, n))
    for r in range(DRAWS):
        drawn = middle + rng.choice([-1.0, 1.0], W.shape) * noise
        C[r] = cosines(drawn @ drawn.T)
    C = np.abs(C) if signed else C
    centred = C - C.mean(axis=1, keepdims=True) - C.mean(axis=2, keepdims=True)
    centred += C.mean(axis=(1, 2), keepdims=True)
    order = np.argsort(np.linalg.eigh(centred)[1][:, :, -1], axis=1)
    gaps = []
    for members in (order[:, :size], order[:, n - size :]):  # either end of the direction
        inside = np.zeros((DRAWS, n))
        np.put_along_axis(inside, members, 1.0, axis=1)
        to_block = (C @ inside[:, :, None])[:, :, 0]
        to_itself = np.einsum("rii->ri", C)
        within = ((to_block - to_itself) * inside).sum(axis=1) / (size * (size - 1))
        across = (to_block * (1.0 - inside)).sum(axis=1) / (size * (n - size))
        gaps.append(within - across)
    return np.max(gaps, axis=0)


def say_blocks(
    model: Any, blocks: Sequence[Block] | None = None, *, has_signal: bool = True
) -> str:
    """Whether blocks are there before the fit, by the weakest of them.

    On rows that the fit has not seen, features may say next to nothing.
    """
    if not has_signal:
        return f"Nothing to compare tasks by: {NO_SIGNAL}"
    pure = model.pure_ & (model.labels_ >= 0)
    sizes = np.unique(model.labels_[pure], return_counts=True)[1]
    n_blocks, n_single = len(sizes), int((sizes == 1).sum())
    if not len(model.cluster_coef_):
        return "No clusters, no blocks: how alike tasks are that were fitted on their own"
    if n_blocks == 0:
        return "No blocks: no task follows one cluster alone"
    if n_blocks == 1 and not np.any(model.cluster_coef_):
        return "No feature is used, so no task is like another"
    if len(model.cluster_coef_) == 1:
        return say_one_block(model, pure)
    if n_blocks == 1:
        return "One block: no second cluster has a task that follows it alone"
    blocks = blocks_before(model) if blocks is None else blocks
    of_single = f"{counted(n_single, 'cluster')} with one pure task"
    if n_single == n_blocks:
        return f"{of_single} each: nothing to compare"
    if not blocks:
        return f"One block, and {of_single}: one is too few to compare with"
    aside = f"; left out: {of_single}" if n_single else ""
    return f"{compare_blocks(model, blocks)}{aside}"


def say_one_block(model: Any, pure: NDArray[np.bool_]) -> str:
    """Whether tasks of the only cluster are alike before the fit, more than chance makes them."""
    W, is_signed = single_task_coefficients(model)[pure], model.shape_ == "span"
    if len(W) < 2:
        return "One task in the one cluster: nothing to compare"
    within = likeness(W, signed=is_signed)
    alike = f"tasks are alike by {hundredths(within)}"
    if within <= max(likeness_by_chance(W, signed=is_signed), LEAST):
        return f"No block before the fit: {alike}, no more than by chance"
    return f"One block, which was there before the fit: {alike}"


def likeness(W: Array, *, signed: bool) -> float:
    C = cosines(W @ W.T)
    return mean_of_pairs(np.abs(C) if signed else C, np.ones(len(W), dtype=bool))


def likeness_by_chance(W: Array, *, signed: bool) -> float:
    """The largest of ``DRAWS`` of tasks W (T, D) that have no pattern in common: with the sizes of
    their coefficients, and random signs.
    """
    rng = np.random.default_rng(0)
    W = W[:: max(1, len(W) // MOST_ALIKE)]
    return max(likeness(rng.choice([-1.0, 1.0], W.shape) * W, signed=signed) for _ in range(DRAWS))


def compare_blocks(model: Any, blocks: Sequence[Block]) -> str:
    """Of two or more, the weakest first."""
    weakest = say_likeness(blocks[0], cluster_names(model))
    if all(block.is_there for block in blocks):
        clear = "" if all(block.is_clear for block in blocks) else "faint "
        return f"{len(blocks)} {clear}blocks before the fit: where they stand out least, {weakest}"
    lost = [block for block in blocks if not block.is_apart]
    n_features = np.count_nonzero(single_task_coefficients(model).any(axis=0))
    if not lost and n_features < MANY:  # any tasks fall into opposite halves of so small a space
        return f"Too few tasks to tell every block from chance: {weakest}"
    if not lost:
        few = f"{len(blocks)} blocks before the fit, as far as so few tasks can tell"
        return f"{few}: where they stand out least, {weakest}"
    if unknown := [block for block in lost if block.is_open]:
        few = "Too few tasks to tell every block from chance"
        return f"{few}: {say_likeness(unknown[0], cluster_names(model))}"
    if len(lost) == len(blocks):
        only = "The blocks are there after the fit only:"
        if all(block.within < CLEAR for block in blocks):
            return f"{only} fitted alone, tasks are too noisy, or too different, to show blocks"
        return (
            f"{only} before it, tasks are no more alike within their cluster than with the next "
            "one, or only by chance"
        )
    figures = say_likeness(lost[0], cluster_names(model))
    return f"Not every block is there before the fit: {figures}, which may be chance"


def say_likeness(block: Block, names: Sequence[str]) -> str:
    return (
        f"tasks are alike by {hundredths(block.within)} in {names[block.cluster]} and by "
        f"{hundredths(block.across)} with {names[block.beside]}"
    )
