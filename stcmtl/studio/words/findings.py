"""What each page says first: one plain sentence, computed from the result."""

import numpy as np

from stcmtl.estimators.choose_k import KSelection
from stcmtl.estimators.new_tasks import Assignment
from stcmtl.evaluation import summary
from stcmtl.figures.plots.similarity import measure_blocks
from stcmtl.phrases import counted, digits, listed
from stcmtl.solver.thresholds import beyond_fence
from stcmtl.studio.state.choices import ROBUST
from stcmtl.studio.work.fits import Fitted

LITTLE = 0.01  # of a loss: what a mixture gains is not worth a word


def number_of_clusters(path: KSelection) -> str:
    """Which K to take, and why."""
    k, best = path.one_se, path.best
    if len(path.ks) > 1 and k == path.ks.max():
        return f"Take {k} clusters or more: the error still falls at the end of the curve"
    if k == 1:
        return "One cluster is enough: splitting the tasks predicts no better"
    if k == best:
        return f"Take {k} clusters: no other number predicts better"
    return f"Take {k} clusters: {best} do better only by less than chance could"


ROBUST_CURVE = (
    "Drawn with the robust method: outlier tasks, if there are any, were left out of it. "
    "The page on outliers names those that the fit sets aside."
)


def memberships(result: Fitted) -> str:
    model, truth = result.model, result.data.truth
    true_pure = None if truth is None else truth.pure
    return summary.headline(model.memberships_, model.pure_, true_pure)


def prediction(result: Fitted) -> str:
    """How well unseen rows are predicted, against fitting every task alone; may be empty."""
    if result.error is None or result.lasso_error is None:
        return ""
    ours, alone = digits(result.error), digits(result.lasso_error)
    if result.data.classification:
        ours, alone = f"{result.error:.1%}", f"{result.lasso_error:.1%}"
    name = "labels wrong" if result.data.classification else "error"
    opening = f"On rows the fit has not seen: {name} {ours}"
    if ours == alone or result.lasso_error == 0.0:
        return f"{opening}, where every task fitted alone has {alone}."
    change = result.error / result.lasso_error - 1.0
    word = "less" if change < 0 else "more"
    return f"{opening}, {abs(change):.0%} {word} than with every task fitted alone ({alone})."


def coefficients(result: Fitted) -> str:
    model, truth = result.model, result.data.truth
    used = int(model.cluster_coef_.any(axis=0).sum())
    if used == 0:
        return "No feature matters: every coefficient is zero"
    sentence = f"{used} of {counted(model.n_features_in_, 'feature')} matter to the clusters"
    if truth is None:
        return sentence
    right = np.mean((truth.W != 0) == (model.coef_.T != 0))
    return f"{sentence}; {right:.1%} of coefficients are rightly zero or not"


def similarity(result: Fitted) -> str:
    """Whether tasks of one cluster are more alike than others."""
    model = result.model
    pure = np.flatnonzero(model.pure_ & (model.labels_ >= 0))
    n_blocks, ratio = measure_blocks(model.similarity_[np.ix_(pure, pure)], model.labels_[pure])
    if n_blocks < 2:
        return "One block: there is no second cluster to compare with"
    if not np.isfinite(ratio):
        return f"{n_blocks} blocks of tasks that have nothing in common with each other"
    return f"{n_blocks} blocks: within a cluster tasks are {ratio:.2g} times as alike as across"


def convergence(result: Fitted) -> str:
    n_paper = result.model.n_iter_
    n_refined = len(result.model.history_) - n_paper
    rounds = f"; {counted(n_refined, 'round')} of refinement followed" if n_refined else ""
    cut_short = 1 < result.choice.iterations <= longest_stretch(result)
    ended = "Stopped at its limit of" if cut_short else "Settled after"
    seconds = digits(result.seconds)
    return f"{ended} {counted(n_paper, 'iteration')}{rounds}, {seconds} s in all"


def longest_stretch(result: Fitted) -> int:
    """Iterations of Algorithm 1 in a row; a robust fit may begin anew."""
    stages = "".join("i" if s.stage == "paper" else " " for s in result.model.history_)
    return max(map(len, stages.split()), default=0)


def outliers(result: Fitted, factor: float) -> str:
    """How many tasks lie beyond a fence, whether or not the fit set them aside."""
    flags = beyond_fence(result.model.distances_, factor)
    n_tasks = counted(len(flags), "task")
    if not flags.any():
        return f"None of {n_tasks} lies far from all clusters"
    lie = "lies" if flags.sum() == 1 else "lie"
    return f"{int(flags.sum())} of {n_tasks} {lie} far from all clusters"


def what_happens_to_outliers(result: Fitted) -> str:
    """What the fit did with tasks beyond its fence, or would do."""
    fate = "belongs to no cluster and keeps the coefficients of its own fit: predictions for it"
    if result.choice.method != ROBUST:
        return (
            "This fit kept all tasks in, flagged or not. The robust method sets such tasks aside: "
            f"each then {fate} still work, and it pulls no cluster towards it."
        )
    n_aside = int(result.model.outliers_.sum())
    if n_aside == 0:
        return f"The robust fit set no task aside. A task set aside {fate} still work."
    return (
        f"The robust fit set {counted(n_aside, 'task')} aside, at a factor of "
        f"{result.choice.fence:g}. Each {fate} still work, and it pulls no cluster towards it."
    )


def new_tasks(found: Assignment) -> str:
    """Where new tasks land, in a sentence."""
    if len(found.task_names) == 1:
        name, v = found.task_names[0], found.memberships[0]
        shares = [f"{v[k]:.0%} cluster {k + 1}" for k in np.argsort(-v) if v[k] >= 0.005]
        if found.outliers[0]:
            return f"{name}: no mixture of the clusters fits"
        if gain(found, 0) < LITTLE:
            return f"{name}: cluster {found.single[0] + 1} alone explains it"
        return f"{name}: {listed(shares, 4)}"
    strangers = found.task_names[found.outliers]
    sentence = f"{counted(len(found.task_names), 'new task')} among the clusters"
    if len(strangers):
        return f"{sentence}; no mixture fits {listed(list(strangers), 3)}"
    return sentence


def gain(found: Assignment, i: int) -> float:
    """The share of its loss that a task is spared by being a mixture."""
    mixed, alone = float(found.loss[i]), float(found.single_loss[i])
    return 1.0 - mixed / alone if alone > 0.0 else 0.0


def new_task(found: Assignment, i: int) -> str:
    """What a task gains by being a mixture."""
    mixed, alone = float(found.loss[i]), float(found.single_loss[i])
    cluster = f"cluster {found.single[i] + 1} alone"
    if gain(found, i) < LITTLE:
        return f"With {cluster} its loss is {digits(alone)} per row, {digits(mixed)} as a mixture."
    return (
        f"As a mixture it has a loss of {digits(mixed)} per row, {gain(found, i):.0%} less "
        f"than the {digits(alone)} of {cluster}."
    )
