"""What each page says first: one plain sentence, computed from the result."""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from stcmtl.estimators.choose_k import KSelection
from stcmtl.estimators.new_tasks import Assignment
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
from stcmtl.io.limits import shorten
from stcmtl.phrases import counted, digits, joined, listed, say_shares
from stcmtl.solver.records import Choice, count_rises, find_returns
from stcmtl.solver.thresholds import beyond_fence
from stcmtl.studio.state.choices import CHOSEN, PAPER, ROBUST, FitChoice
from stcmtl.studio.work.fits import Fitted

LITTLE = 0.01  # of a loss: what a mixture gains is not worth a word
ALL = 0.995  # of a task: an interval up to here holds the whole of it
MOST_OPEN = 0.5  # of a task: a wider interval of its largest share leaves its place open
ROWS_EACH = 5  # for a coefficient, with fewer of which a fit looks better than it is by far
ALIKE = 0.005  # of a strength: not worth a word either


def number_of_clusters(path: KSelection) -> str:
    """Which K to take, and why."""
    k, best = path.one_se, path.best
    if len(path.ks) > 1 and k == path.ks.max():
        return f"Take {k} clusters or more: the error still falls at the end of the curve"
    if k == 1 and best == 1:
        return "One cluster is enough: splitting the tasks predicts no better"
    if k == 1:
        return f"Take one cluster: {best} do better only by less than chance could"
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


def who_is_alike(result: Fitted) -> str:
    """Above the cards of clusters: what they answer, where clusters help."""
    return cards.SORTED if no_help(result) else cards.ALIKE


def no_places(result: Fitted) -> str:
    """Instead of a picture of places, where there is one place or none."""
    model = result.model
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
        return f"{of_tasks} of {n_features} are in use, though they do not help to predict"
    if not cards.any_beyond_chance(model):
        return f"No feature stands clear of chance, though {of_tasks} are in use"
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
    lone = say_lone(result.model)
    if not flags.any():
        return f"None of {n_tasks} lies far from {whom}{f', but {lone}' if lone else ''}"
    lie = "lies" if flags.sum() == 1 else "lie"
    far = f"{int(flags.sum())} of {n_tasks} {lie} far from {whom}{by_chance(result, flags)}"
    return f"{far}; {lone}" if lone else far


def say_far(result: Fitted) -> str:
    """A doubt: tasks that lie far and that the fit kept all the same; may be empty."""
    model = result.model
    if not len(model.cluster_coef_):
        return ""
    n_far = int((beyond_fence(model.distances_, result.choice.fence) & ~model.outliers_).sum())
    if not n_far:
        return ""
    whom = "all clusters" if len(model.cluster_coef_) > 1 else "the one cluster"
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


def new_tasks(found: Assignment, names: Sequence[str]) -> str:
    """Where new tasks land, in a sentence; ``names`` are those of the clusters."""
    K = found.loadings.shape[1]
    if K == 0:
        tasks = listed(found.task_names.tolist(), 3)
        return f"{tasks}: fitted alone, as there are no clusters to be placed among"
    if len(found.task_names) == 1:
        return f"{shorten(found.task_names[0])}: {say_place(found, names)}"
    strangers, unsure = found.outliers, ~found.outliers & is_unsure(found)
    sentence = f"{counted(len(found.task_names), 'new task')} among the clusters"
    if strangers.any():
        sentence += f"; no mixture fits {listed(found.task_names[strangers].tolist(), 3)}"
    if unsure.any():
        sentence += f"; too few rows to tell for {listed(found.task_names[unsure].tolist(), 3)}"
    return sentence


def is_unsure(found: Assignment) -> NDArray[np.bool_]:
    """Tasks (T,) whose largest share may be half of the task more or less: too few rows to tell."""
    low, high = found.places.low, found.places.high
    main = found.memberships.argmax(axis=1)[:, None]
    width = np.take_along_axis(high - low, main, axis=1)[:, 0]
    return width > MOST_OPEN


def say_place(found: Assignment, names: Sequence[str]) -> str:
    """The shares of a single new task, each with its interval."""
    v, low, high = found.memberships[0], found.places.low[0], found.places.high[0]
    if found.outliers[0]:
        return "no mixture of the clusters fits" if len(v) > 1 else "it is unlike the others"
    strength = float(np.abs(found.loadings[0]).sum())
    scaled = "" if abs(strength - 1.0) < ALIKE else f", at strength {digits(strength)}"
    own = ", and a part of its own" if found.own_coef[0].any() else ""
    main = int(v.argmax())
    if is_unsure(found)[0]:
        return (
            f"too few rows to tell: {counted(int(found.rows[0]), 'row')} may be of a task with "
            f"{low[main]:.0%} to {high[main]:.0%} {names[main]}"
        )
    if len(v) == 1:
        verb = "follows" if found.loadings[0, 0] > 0 else "turns around"
        return f"it {verb} the one cluster{scaled}{own}"
    if not own and gain(found, 0) < LITTLE:
        single = int(found.single[0])
        least = f"{low[single]:.0%}"
        share = "" if least == "100%" else f", with a share of {least} or more"
        return f"{names[single]} alone explains it{share}{scaled}"
    parts = [
        f"{said} ({low[k]:.0%} to {high[k]:.0%})"
        for k, said in say_shares(v.tolist(), names, found.loadings[0].tolist()).items()
    ]
    return f"{joined(parts, 4)}{scaled}{own}"


def gain(found: Assignment, i: int) -> float:
    """The share of its loss that a task is spared by being a mixture."""
    mixed, alone = float(found.loss[i]), float(found.single_loss[i])
    return 1.0 - mixed / alone if alone > 0.0 else 0.0


def new_task(found: Assignment, i: int, names: Sequence[str]) -> str:
    """What a task gains by being a mixture."""
    mixed, alone = float(found.loss[i]), float(found.single_loss[i])
    if found.loadings.shape[1] == 0:
        return say_own_fit(found, i)
    cluster = f"{names[found.single[i]]} alone"
    if found.own_coef[i].any():
        return (
            f"With a part of its own it has a loss of {digits(mixed)} per row on these rows, "
            f"{digits(alone)} with {cluster}."
        )
    if found.loadings.shape[1] == 1:
        return (
            f"As all tasks do it follows the one cluster, with a loss of {digits(mixed)} per row."
        )
    if is_unsure(found)[i]:
        return (
            "So few rows fit many places: no loss on them says which is right. More rows of the "
            "task would."
        )
    if gain(found, i) >= LITTLE and found.places.high[i, found.single[i]] >= ALL:
        rows = counted(int(found.rows[i]), "row")
        return f"Its {rows} cannot tell it from a task that follows {cluster}."
    if gain(found, i) < LITTLE:
        better = (
            "no better" if digits(mixed) == digits(alone) else f"hardly better ({digits(mixed)})"
        )
        return f"With {cluster} its loss is {digits(alone)} per row; a mixture does {better}."
    return (
        f"As a mixture it has a loss of {digits(mixed)} per row on these rows, "
        f"{gain(found, i):.0%} less than the {digits(alone)} of {cluster}."
    )


def say_own_fit(found: Assignment, i: int) -> str:
    """Without clusters: a task's own fit is judged by the rows that made it, which says little."""
    n_rows, n_used = int(found.rows[i]), int(np.count_nonzero(found.coef[i]))
    if n_rows < ROWS_EACH * (n_used + 1):
        rows = f"{counted(n_rows, 'row')} for {counted(n_used, 'coefficient')}"
        return (
            f"Its own fit was made of {rows}: too few rows to tell how well it predicts. More rows "
            "of the task would."
        )
    return (
        f"Its own fit has a loss of {digits(float(found.loss[i]))} per row on the rows that made "
        f"it, against {digits(float(found.single_loss[i]))} without any feature. On new rows it "
        "errs more."
    )
