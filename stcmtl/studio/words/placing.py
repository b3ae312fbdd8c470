"""What is said of new tasks: where each lands, how sure that is, and what its place explains."""

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.stats import norm

from stcmtl.data.taskset import Array
from stcmtl.estimators.new_tasks import Assignment
from stcmtl.estimators.places import LEVEL
from stcmtl.evaluation import tables
from stcmtl.io.limits import shorten
from stcmtl.phrases import counted, digits, joined, listed, say_shares

LITTLE = 0.01  # of a loss: what a mixture gains is not worth a word
ALL = 0.995  # of a task: an interval up to here holds the whole of it
SURE = float(norm.ppf(0.5 + LEVEL / 2.0))  # standard errors
MOST_OPEN = 0.5  # of a task: a wider interval of its largest share leaves its place open
ROWS_EACH = 5  # for a coefficient, with fewer of which a fit looks better than it is by far
ALIKE = 0.005  # of a strength: not worth a word either
# Clusters that do not help are too alike to place a task among where they differ by less than so
# many standard errors, or than so much of the size of the largest.
NO_APART, NEAR = 2.0, 0.5


def are_alike(model: Any) -> bool:
    """Whether no two of several clusters are apart by more than their coefficients' errors, or by
    half of their size.

        |u_j - u_k|^2 < 4 (|se_j|^2 + |se_k|^2)   or   |u_j - u_k| < max |u| / 2     of all j, k
    """
    scale = tables.scale_of(model)
    U, errors = model.cluster_coef_ * scale, tables.standard_errors(model) * scale
    if len(U) < 2:
        return False
    squares = np.nan_to_num(errors**2).sum(axis=1)
    gaps = ((U[:, None] - U[None]) ** 2).sum(axis=2)
    near = (NEAR * np.linalg.norm(U, axis=1).max()) ** 2
    least = np.maximum(NO_APART**2 * (squares[:, None] + squares[None]), near)
    return bool((gaps < least)[np.triu_indices(len(U), 1)].all())


def new_tasks(found: Assignment, names: Sequence[str], *, alike: bool = False) -> str:
    """Where new tasks land, in a sentence; ``names`` are those of the clusters, which may be too
    ``alike`` for that.
    """
    K = found.loadings.shape[1]
    if K == 0:
        tasks = listed(found.task_names.tolist(), 3)
        return f"{tasks}: fitted alone, as there are no clusters to be placed among"
    if len(found.task_names) == 1:
        return f"{shorten(found.task_names[0])}: {say_place(found, names, alike=alike)}"
    strangers, unsure = found.outliers, ~found.outliers & is_unsure(found)
    where, misfit = "among the clusters", "no mixture fits"
    if K == 1:
        where, misfit = "beside the one cluster", "it does not fit"
    sentence = f"{counted(len(found.task_names), 'new task')} {where}"
    if strangers.any():
        sentence += f"; {misfit} {listed(found.task_names[strangers].tolist(), 3)}"
    if K > 1 and alike and not strangers.all():
        whom = "the others" if strangers.any() else "them"
        return f"{sentence}; the {K} clusters are too alike to place {whom}"
    if unsure.any():
        sentence += f"; too few rows to tell for {listed(found.task_names[unsure].tolist(), 3)}"
    return sentence


def is_unsure(found: Assignment) -> NDArray[np.bool_]:
    """Tasks (T,) whose largest share may be half of the task more or less, or that may have
    nothing of the only cluster: too few rows to tell.
    """
    if found.loadings.shape[1] == 1:
        return np.asarray(np.abs(found.loadings[:, 0]) <= reach_of_one(found))
    low, high = found.places.low, found.places.high
    main = found.memberships.argmax(axis=1)[:, None]
    width = np.take_along_axis(high - low, main, axis=1)[:, 0]
    return width > MOST_OPEN


def say_place(found: Assignment, names: Sequence[str], *, alike: bool = False) -> str:
    """The shares of a single new task, each with its interval."""
    v, low, high = found.memberships[0], found.places.low[0], found.places.high[0]
    if found.outliers[0]:
        return "no mixture of the clusters fits" if len(v) > 1 else "it is unlike the others"
    if len(v) == 1:
        return say_with_one(found)
    if alike:
        return f"the {len(v)} clusters are too alike to place it"
    strength = float(np.abs(found.loadings[0]).sum())
    scaled = "" if abs(strength - 1.0) < ALIKE else f", at strength {digits(strength)}"
    own = ", and a part of its own" if found.own_coef[0].any() else ""
    main = int(v.argmax())
    if is_unsure(found)[0]:
        return (
            f"too few rows to tell, as {counted(int(found.rows[0]), 'row')} may be of a task with "
            f"{low[main]:.0%} to {high[main]:.0%} {names[main]}"
        )
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


def reach_of_one(found: Assignment) -> Array:
    """How far on either side of it a task's loading (T,) in the only cluster may be."""
    return np.asarray(SURE * np.sqrt(found.places.covariance[:, 0, 0]))


def say_with_one(found: Assignment) -> str:
    """Of a single new task where there is one cluster: whether its rows speak against that."""
    rows = counted(int(found.rows[0]), "row")
    own = ", with a part of its own" if found.own_coef[0].any() else ""
    loading = float(found.loadings[0, 0])
    spread = float(reach_of_one(found)[0])
    if not spread and abs(loading - 1.0) < ALIKE:  # on the simplex it has no choice
        return f"nothing in its {rows} speaks against the one cluster{own}"
    if abs(loading) <= spread:
        return f"too few rows to tell, as by its {rows} it may have nothing of the one cluster{own}"
    verb = "follows" if loading > 0 else "turns around"
    ends = f"{digits(abs(loading) - spread)} to {digits(abs(loading) + spread)}"
    return f"it {verb} the one cluster, at strength {digits(abs(loading))} ({ends}){own}"


def gain(found: Assignment, i: int) -> float:
    """The share of its loss that a task is spared by being a mixture."""
    mixed, alone = float(found.loss[i]), float(found.single_loss[i])
    return 1.0 - mixed / alone if alone > 0.0 else 0.0


def new_task(found: Assignment, i: int, names: Sequence[str], *, alike: bool = False) -> str:
    """What a task gains by being a mixture."""
    mixed, alone = float(found.loss[i]), float(found.single_loss[i])
    if found.loadings.shape[1] == 0:
        return say_own_fit(found, i)
    has_one = found.loadings.shape[1] == 1
    cluster = "the one cluster alone" if has_one else f"{names[found.single[i]]} alone"
    if found.own_coef[i].any():
        return (
            f"With a part of its own it has a loss of {digits(mixed)} per row on the rows that "
            f"made it, against {digits(alone)} with {cluster}. On new rows it errs more than on "
            "these."
        )
    if has_one:
        return f"With the one cluster its loss is {digits(mixed)} per row on these rows."
    if alike:
        return (
            "The clusters differ by too little, or by what may be chance: however many rows the "
            "task has, its place says little."
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
        "errs more than on these."
    )
