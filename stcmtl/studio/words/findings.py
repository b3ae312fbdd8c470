"""What each page says first: one plain sentence, computed from the result."""

from collections.abc import Sequence

import numpy as np

from stcmtl.estimators.choose_k import KSelection
from stcmtl.estimators.new_tasks import Assignment
from stcmtl.evaluation import blocks, summary, tables, verdicts
from stcmtl.phrases import counted, digits, listed
from stcmtl.solver.records import count_rises, find_returns
from stcmtl.solver.thresholds import beyond_fence
from stcmtl.studio.state.choices import CHOSEN, PAPER, ROBUST, FitChoice
from stcmtl.studio.work.fits import Fitted

LITTLE = 0.01  # of a loss: what a mixture gains is not worth a word
ALIKE = 0.005  # of a strength: not worth a word either


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


def what_settings_do(choice: FitChoice) -> str:
    """Why there is less to set than one may look for; may be empty."""
    if choice.model == CHOSEN and choice.method == PAPER:
        return "Cross-validation decides K. The paper's algorithm knows plain mixtures only."
    if choice.model == CHOSEN:
        return (
            "Cross-validation decides how many clusters there are, if any, what tasks make of "
            "them, and whether tasks have a part of their own."
        )
    if choice.k == 0:
        return "With K = 0 every task is fitted on its own: there is nothing to mix."
    if choice.method == PAPER:
        return "The paper's algorithm knows plain mixtures only, and no part of a task's own."
    return ""


ROBUST_CURVE = (
    "Drawn with the robust method: outlier tasks, if there are any, were left out of it. "
    "The page on outliers names those that the fit sets aside."
)


def memberships(result: Fitted) -> str:
    return summary.say_found(result.model, result.data.truth)


PLACED = (
    "Placed as simulated: of the same main cluster, once clusters are matched to the true ones, "
    "and rightly pure, mixed or an outlier."
)


def no_help(result: Fitted) -> str:
    """The banner of every page on a result: that clusters do not help, by which figures."""
    test, name = result.data.test, summary.error_name(result.model)
    errors = {
        "clusters": result.error, "LASSO": result.separate_error, "Pooled": result.pooled_error
    }  # fmt: skip
    n_rows = 0 if test is None else len(test.y)
    return verdicts.say_no_help(len(result.model.cluster_coef_), errors, name, n_rows)


def no_places(result: Fitted) -> str:
    """Instead of a picture of places, where there is one place or none."""
    model = result.model
    n_inside = counted(int((model.labels_ >= 0).sum()), "task")
    if len(model.cluster_coef_) == 0:
        return (
            "Every task has coefficients of its own, so there are no memberships to draw. The page "
            "on coefficients shows them, and that on similarity which tasks are alike all the same."
        )
    if tables.is_mixture(model):
        return (
            f"There is one cluster, so there is nothing to place: {n_inside} belong to it wholly."
        )
    return (
        f"There is one pattern, so there is nothing to place: {n_inside} differ in strength alone."
    )


def prediction(result: Fitted) -> str:
    """How well unseen rows are predicted, against fitting every task alone; may be empty."""
    separate = result.separate_error
    if result.error is None or separate is None:
        return ""
    error_name = summary.error_name(result.model)
    ours, alone = (verdicts.word_error(error, error_name) for error in (result.error, separate))
    whom = "every task fitted alone" if len(result.model.cluster_coef_) else "a LASSO for each task"
    name = "labels wrong" if result.data.classification else "error"
    opening = f"On rows the fit has not seen: {name} {ours}"
    if ours == alone or separate == 0.0:
        return f"{opening}, where {whom} has {alone}."
    change = result.error / separate - 1.0
    word = "less" if change < 0 else "more"
    return f"{opening}, {abs(change):.0%} {word} than with {whom} ({alone})."


def coefficients(result: Fitted) -> str:
    model, truth = result.model, result.data.truth
    of_clusters, of_tasks = (int(W.any(axis=0).sum()) for W in (model.cluster_coef_, model.coef_))
    if of_tasks == 0:
        return "No feature matters: every coefficient is zero"
    clusters = "the clusters" if len(model.cluster_coef_) > 1 else "the one cluster"
    used, whom = (of_clusters, clusters) if of_clusters else (of_tasks, "at least one task")
    sentence = f"{used} of {counted(model.n_features_in_, 'feature')} matter to {whom}"
    if truth is None:
        return sentence
    right = np.mean((truth.W != 0) == (model.coef_.T != 0))
    return f"{sentence}; {right:.1%} of coefficients are rightly zero or not"


def similarity(result: Fitted) -> str:
    """Whether tasks of one cluster are more alike than others, before the fit made them so."""
    return blocks.say_blocks(result.model, result.blocks)


def convergence(result: Fitted) -> str:
    if len(result.model.cluster_coef_) == 0:
        return (
            f"Every task was fitted on its own, in {digits(result.seconds)} s: nothing to iterate"
        )
    history, n_paper = result.model.history_, result.model.n_iter_
    n_refined = len(history) - n_paper
    rounds = f"; {counted(n_refined, 'round')} of refinement followed" if n_refined else ""
    return f"{say_ending(result)}{rounds}, {digits(result.seconds)} s in all"


def say_ending(result: Fitted) -> str:
    """How Algorithm 1 ended: settled, at its limit, or back where it had been lower."""
    history, n_paper = result.model.history_, result.model.n_iter_
    if returns := find_returns(history):
        lowest, back = returns[-1]
        missed = back.iteration - lowest.iteration - 1
        return (
            f"Did not settle: after iteration {lowest.iteration} the objective rose, and "
            f"{missed} iterations later the loop went back to it"
        )
    if 1 < result.choice.iterations <= longest_stretch(result):
        return f"Stopped at its limit of {counted(n_paper, 'iteration')}"
    rises = count_rises(history, result.model.tol)
    risen = f", though the objective rose after {rises} of them" if rises else ""
    return f"Settled after {counted(n_paper, 'iteration')}{risen}"


def longest_stretch(result: Fitted) -> int:
    """Iterations of Algorithm 1 in a row; a robust fit may begin anew."""
    stages = "".join("i" if s.stage == "paper" else " " for s in result.model.history_)
    return max(map(len, stages.split()), default=0)


def outliers(result: Fitted, factor: float) -> str:
    """How many tasks lie beyond a fence, whether or not the fit set them aside."""
    if len(result.model.cluster_coef_) == 0:
        return "No clusters: no task can lie far from them"
    flags = beyond_fence(result.model.distances_, factor)
    n_tasks = counted(len(flags), "task")
    whom = "all clusters" if len(result.model.cluster_coef_) > 1 else "the one cluster"
    if not flags.any():
        return f"None of {n_tasks} lies far from {whom}"
    lie = "lies" if flags.sum() == 1 else "lie"
    return f"{int(flags.sum())} of {n_tasks} {lie} far from {whom}"


def what_happens_to_outliers(result: Fitted) -> str:
    """What the fit did with tasks beyond its fence, or would do."""
    rule = "It goes by rows held out, which a task's own fit must predict far better than clusters."
    fate = "belongs to no cluster and keeps the coefficients of its own fit: predictions for it"
    if result.choice.method != ROBUST:
        return (
            "This fit kept all tasks in, flagged or not. The robust method sets such tasks aside: "
            f"each then {fate} still work, and it pulls no cluster towards it."
        )
    n_aside = int(result.model.outliers_.sum())
    if n_aside == 0:
        return f"The robust fit set no task aside. {rule} A task set aside {fate} still work."
    return (
        f"The robust fit set {counted(n_aside, 'task')} aside, at a factor of "
        f"{result.choice.fence:g}. {rule} Each {fate} still work, and it pulls no cluster towards "
        "it."
    )


def new_tasks(found: Assignment, names: Sequence[str] | None = None) -> str:
    """Where new tasks land, in a sentence."""
    if found.loadings.shape[1] == 0:
        names = listed(found.task_names.tolist(), 3)
        return f"{names}: fitted alone, as there are no clusters to be placed among"
    if len(found.task_names) == 1:
        name, v = found.task_names[0], found.memberships[0]
        signs = np.where(found.loadings[0] < 0, "minus ", "")
        called = [summary.called(k, names, "cluster") for k in range(len(v))]
        parts = [f"{signs[k]}{v[k]:.0%} {called[k]}" for k in np.argsort(-v) if v[k] >= 0.005]
        strength = float(np.abs(found.loadings[0]).sum())
        scaled = "" if abs(strength - 1.0) < ALIKE else f", at strength {digits(strength)}"
        if found.outliers[0]:
            nothing = "no mixture of the clusters fits" if len(v) > 1 else "it is unlike the others"
            return f"{name}: {nothing}"
        if found.own_coef[0].any():
            return f"{name}: {listed(parts, 4)}{scaled}, and a part of its own"
        if gain(found, 0) < LITTLE:
            return f"{name}: {called[found.single[0]]} alone explains it{scaled}"
        return f"{name}: {listed(parts, 4)}{scaled}"
    strangers = found.task_names[found.outliers]
    sentence = f"{counted(len(found.task_names), 'new task')} among the clusters"
    if len(strangers):
        return f"{sentence}; no mixture fits {listed(list(strangers), 3)}"
    return sentence


def gain(found: Assignment, i: int) -> float:
    """The share of its loss that a task is spared by being a mixture."""
    mixed, alone = float(found.loss[i]), float(found.single_loss[i])
    return 1.0 - mixed / alone if alone > 0.0 else 0.0


def new_task(found: Assignment, i: int, names: Sequence[str] | None = None) -> str:
    """What a task gains by being a mixture, or without clusters by a fit at all."""
    mixed, alone = float(found.loss[i]), float(found.single_loss[i])
    if found.loadings.shape[1] == 0:
        return (
            f"With coefficients of its own it has a loss of {digits(mixed)} per row on these rows, "
            f"{digits(alone)} without any."
        )
    cluster = f"{summary.called(found.single[i], names, 'cluster')} alone"
    if found.own_coef[i].any():
        return (
            f"With a part of its own it has a loss of {digits(mixed)} per row on these rows, "
            f"{digits(alone)} with {cluster}."
        )
    if found.loadings.shape[1] == 1:
        return (
            f"As all tasks do it follows the one cluster, with a loss of {digits(mixed)} per row."
        )
    if gain(found, i) < LITTLE:
        return f"With {cluster} its loss is {digits(alone)} per row, {digits(mixed)} as a mixture."
    return (
        f"As a mixture it has a loss of {digits(mixed)} per row, {gain(found, i):.0%} less "
        f"than the {digits(alone)} of {cluster}."
    )
