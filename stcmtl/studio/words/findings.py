"""What each page says first: one plain sentence, computed from the result."""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from stcmtl.data.taskset import TaskSet
from stcmtl.estimators.choose_k import KSelection
from stcmtl.evaluation import (
    blocks,
    cards,
    choices,
    far_tasks,
    simple_ways,
    summary,
    tables,
    verdicts,
)
from stcmtl.evaluation.lone_tasks import say_lone
from stcmtl.evaluation.predictions import guessing_left_out
from stcmtl.phrases import be, counted, digits
from stcmtl.solver.records import Choice, find_returns, find_rises
from stcmtl.solver.thresholds import beyond_fence
from stcmtl.studio.state.choices import CHOSEN, PAPER, ROBUST, FitChoice
from stcmtl.studio.words import placing
from stcmtl.studio.work.fits import Fitted

NOISY = 0.7  # of the error of own fits: where clusters err less, those say little of a task
# Tasks of a cluster on average: more clusters hardly sort them. Nor do more than there are
# features, of which mixtures can make any coefficients.
FEWEST_EACH = 3


def number_of_clusters(path: KSelection, train: TaskSet) -> str:
    """Which K to take of the curve of these tasks, and why; none where features say nothing."""
    k, best = path.one_se, path.best
    least, guessing = path.error.min(), guessing_left_out(train)
    if verdicts.is_guessing(least, guessing):
        how = "hardly better" if least < guessing else "no better"
        return f"Nothing to cluster by: clusters predict {how} than guessing, however many"
    if k > 1 and best == path.ks.max():  # as of tasks that share nothing
        return f"Take {k} clusters or more, or none: the error still falls at the end of the curve"
    if k == 1 and best == 1:
        lowest = path.error.argmin()
        near = np.delete(path.error, lowest) <= path.error[lowest] + path.se[lowest]
        tell = ", as far as these rows tell" if near.any() else ""
        return f"One cluster is enough{tell}: splitting the tasks predicts no better"
    if k == 1:
        return f"Take one cluster: {best} do better only by less than chance could"
    are_free = k * FEWEST_EACH > len(train.task_names) or k > train.X.shape[1]
    none = ", or none" if are_free else ""
    if k == best:
        return f"Take {k} clusters{none}: no other number predicts better"
    more = none or ", if not more"
    return f"Take {k} clusters{more}: {best} do better only by less than chance could"


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
    return summary.say_found(
        result.model,
        result.data.truth,
        has_signal=not no_signal(result),
        helps=not no_help(result),
    )


def choice(result: Fitted) -> str:
    """What was chosen for a fit, where its features help at all; and if clusters do not."""
    said = choices.say_outcome(result.model, has_signal=not no_signal(result))
    several = len(result.model.cluster_coef_) > 1
    doubted = several and no_help(result) and not no_signal(result)
    return f"{said}; on test rows they do not help" if doubted else said


def what_resamples_keep(result: Fitted) -> str:
    """Resamples are fitted with the K of the fit: of another they say nothing."""
    K = len(result.model.cluster_coef_)
    if K < 2:
        return ""
    whose = "as the data chose" if result.choice.model == CHOSEN else "as asked"
    return f"All have K = {K}, {whose}: they do not tell whether another K would be right."


def asked_for(result: Fitted, spoken: Fitted | None, path: KSelection | None) -> str:
    """Of a fit whose K was given: what the data say of K, as far as they were asked; may be empty.

    ``spoken`` is a fit to the same tasks for which everything was chosen, ``path`` their curve.
    """
    K = len(result.model.cluster_coef_)
    if result.choice.model == CHOSEN:
        return ""
    said = ""
    if spoken is not None and choices.find_taken(spoken.model.choices_).n_clusters != K:
        said = choice(spoken)
    elif spoken is None and path is not None and K not in (path.one_se, path.best):
        said = number_of_clusters(path, result.data.train)
    return f"K = {K} was asked for. {said}." if said else ""


PLACED = (
    "Placed as simulated: of the same main cluster, once clusters are matched to the true ones, "
    "and rightly pure, mixed or an outlier."
)


def no_help(result: Fitted) -> str:
    """The banner of every page on a result: that features or clusters do not help, and figures."""
    train, test, errors = result.data.train, result.data.test, result.errors
    if test is None or errors is None:
        return ""
    return simple_ways.say_doubt(result.model, train, test, errors)


def no_signal(result: Fitted) -> str:
    """Of these the graver: that there is nothing to learn from the features."""
    train, test, errors = result.data.train, result.data.test, result.errors
    if test is None or errors is None:
        return ""
    return simple_ways.doubt_features(result.model, train, test, errors)


def doubt(result: Fitted) -> str:
    """The gist of the banner; empty where there is none."""
    if not no_help(result):
        return ""
    if no_signal(result):
        return choices.NO_SIGNAL
    K = len(result.model.cluster_coef_)
    whats = "separate fits do", "the one cluster does", "the clusters do"
    return f"{whats[min(K, 2)]} not help"


def say_told(result: Fitted) -> str:
    """The same among the doubts of a fit, so that nobody reads there that nothing was found."""
    why = doubt(result)
    return f"On test rows {why}." if why else ""


def nothing_to_place_by(result: Fitted) -> str:
    """The headline of new tasks where no feature says where they belong; else empty."""
    why = choices.NO_SIGNAL if no_signal(result) else ""
    why = "no feature is used" if choices.uses_nothing(result.model) else why
    return f"Nothing to place a new task by: {why}" if why else ""


def are_too_alike(result: Fitted) -> bool:
    """Whether no number of rows tells where among the clusters a new task belongs: they do not
    help, and hardly differ.
    """
    return bool(no_help(result)) and placing.are_alike(result.model)


def who_is_alike(result: Fitted) -> str:
    """Above the cards of clusters: what they answer, where clusters help."""
    return cards.SORTED if no_help(result) else cards.ALIKE


def no_places(result: Fitted) -> str:
    """Instead of a picture of places, where there is one place or none."""
    model = result.model
    if choices.uses_nothing(model):
        return "No feature is used: each task is predicted by its level alone, and has no place."
    n_inside = counted(int((model.labels_ >= 0).sum()), "task")
    if len(model.cluster_coef_) == 0:
        return (
            "Every task has coefficients of its own, so there are no memberships to draw. The page "
            "on coefficients shows them; the page on similarity shows which are alike even so."
        )
    if tables.has_own_part(model):
        return (
            f"There is one cluster, so there is nothing to place: {n_inside} follow it, each with "
            "a part of its own."
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
    error_name = summary.ERROR_NAMES[result.data.train.task_type]
    n_clusters = len(result.model.cluster_coef_)
    said = verdicts.say_prediction(result.error, separate, error_name, n_clusters)
    if n_clusters:
        return said
    kind = verdicts.name_own_fits(result.model)
    return f"Every task is fitted alone, by {kind}. {said}"


def cross_validated(found: Sequence[Choice], result: Fitted) -> str:
    """What other candidates gain or lose, told apart from what test rows say; may be empty."""
    said = choices.say_comparisons(found, summary.ERROR_NAMES[result.data.train.task_type])
    if not said or result.error is None:
        return said
    return (
        f"{said} So says cross-validation within the rows of the fit, as a mean over tasks: on "
        "test rows it need not be as much."
    )


def coefficients(result: Fitted) -> str:
    model, truth = result.model, result.data.truth
    of_clusters, of_tasks = (int(W.any(axis=0).sum()) for W in (model.cluster_coef_, model.coef_))
    if of_tasks == 0:
        return "No feature matters: every coefficient is zero"
    if no_signal(result):
        n_features = counted(model.n_features_in_, "feature")
        they_do = "it does" if of_tasks == 1 else "they do"
        in_use = f"{of_tasks} of {n_features} {be(of_tasks)} in use"
        return f"{in_use}, though {they_do} not help to predict"
    if not cards.any_beyond_chance(model):
        return f"No feature stands clear of chance, though {of_tasks} {be(of_tasks)} in use"
    clusters = "the clusters" if len(model.cluster_coef_) > 1 else "the one cluster"
    used, whom = (of_clusters, clusters) if of_clusters else (of_tasks, "at least one task")
    n_features = counted(model.n_features_in_, "feature")
    sentence = f"{used} of {n_features} {be(used)} used by {whom}"
    if of_clusters and (why := doubt(result)):
        sentence = f"{used} of {n_features} {be(used)} in use, but {why}"
    if truth is None:
        return sentence
    right = np.mean((truth.W != 0) == (model.coef_.T != 0))
    return f"{sentence}; {right:.1%} of coefficients are rightly zero or not"


def similarity(result: Fitted) -> str:
    """Whether tasks of one cluster are more alike than others, before the fit made them so."""
    return blocks.say_blocks(result.model, result.blocks, has_signal=not no_signal(result))


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
    rises = sum(state.stage == "paper" for state in find_rises(history))
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
    whom, lone = far_from(result), say_lone(result.model)
    n_aside = int(result.model.outliers_.sum())
    if not flags.any() and n_aside:
        was = "was" if n_aside == 1 else "were"
        return f"{n_aside} of {n_tasks} {was} set aside, though none lies beyond the fence"
    if not flags.any() and (why := doubt(result)):  # all may lie far
        return f"None of {n_tasks} lies farther out than the others, but {why}"
    if not flags.any():
        tell = ", as far as their own fits, which are noisy, can tell" if are_noisy(result) else ""
        return f"None of {n_tasks} lies far from {whom}{tell}{f', but {lone}' if lone else ''}"
    lie = "lies" if flags.sum() == 1 else "lie"
    far = f"{int(flags.sum())} of {n_tasks} {lie} far from {whom}{by_chance(result, flags)}"
    return f"{far}; {lone}" if lone else far


def are_noisy(result: Fitted) -> bool:
    """Whether tasks' own fits, by which distances go, err far more than the clusters do."""
    ours, alone = result.error, result.lasso_error
    return ours is not None and alone is not None and ours < NOISY * alone


def far_from(result: Fitted) -> str:
    """From what an outlier lies far; without a signal there are no clusters to speak of."""
    if choices.uses_nothing(result.model) or no_signal(result):
        return "the others"
    return "all clusters" if len(result.model.cluster_coef_) > 1 else "the one cluster"


def say_far(result: Fitted) -> str:
    """A doubt: tasks that lie far and that the fit kept all the same; may be empty."""
    model = result.model
    if not len(model.cluster_coef_):
        return ""
    n_far = int((beyond_fence(model.distances_, result.choice.fence) & ~model.outliers_).sum())
    if not n_far:
        return ""
    whom = far_from(result)
    lie, were = ("lies", "was") if n_far == 1 else ("lie", "were")
    return f"{counted(n_far, 'task')} {lie} far from {whom} and {were} kept in the fit."


def by_chance(result: Fitted, flags: NDArray[np.bool_]) -> str:
    """What is known of whether flagged tasks are outliers: few rows take a task far away too."""
    aside = int(result.model.outliers_.sum())
    if result.choice.method != ROBUST:
        test = result.data.test
        said = "" if test is None else far_tasks.say_new_rows(result.model, test, flags)
        return said or ", maybe by chance: a robust fit can tell"
    if aside < flags.sum():
        return f"; the fit set {aside or 'none'} aside"
    return ""


def what_happens_to_outliers(result: Fitted) -> str:
    """What the fit did with tasks beyond its fence, or would do."""
    rule = "It goes by rows held out, which a task's own fit must predict far better than clusters."
    fate = "belongs to no cluster and keeps the coefficients of its own fit: predictions for it"
    if result.choice.method != ROBUST:
        return (
            "This fit kept all tasks in, flagged or not. The robust method sets aside a task that "
            f"no cluster serves: it then {fate} still work, and it pulls no cluster towards it."
        )
    n_aside = int(result.model.outliers_.sum())
    if n_aside == 0:
        return f"The robust fit set no task aside. {rule} A task set aside {fate} still work."
    return (
        f"The robust fit set {counted(n_aside, 'task')} aside, at a factor of "
        f"{result.choice.fence:g}. {rule} Each {fate} still work, and it pulls no cluster towards "
        "it."
    )
