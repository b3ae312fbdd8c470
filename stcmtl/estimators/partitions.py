"""Fits of tables that do not fit in memory: the same estimator, its tasks in partitions.

The rows are read twice: for the scale and the order of features, and for every task's own fit. From
then on each partition keeps what it was made into, and the solver's loops run on sums over
partitions (see ``solver.partitioned``). With the same settings the answer is that of ``fit``.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from functools import reduce
from typing import Any, NamedTuple

import numpy as np
from joblib import parallel_config
from numpy.typing import NDArray
from sklearn.base import clone

from stcmtl.data import checks as check
from stcmtl.data.spreads import units_differ
from stcmtl.data.taskset import Array, task_codes
from stcmtl.errors import InputError, Setting, bad_value, require
from stcmtl.estimators.lean import partition_attributes
from stcmtl.estimators.new_tasks import Assignment
from stcmtl.estimators.semisoft import STCMTLRegressor
from stcmtl.estimators.settings import read_settings
from stcmtl.io.partitions import Columns, Parts, find_columns, list_parts
from stcmtl.solver.algorithm1 import solve
from stcmtl.solver.crew import Crew, DaskCrew, LonelyCrew
from stcmtl.solver.kernels import task_sums
from stcmtl.solver.machine import ONE_BLAS_THREAD, announce_compilation
from stcmtl.solver.order import Order, strongest_first
from stcmtl.solver.partition import Held, Moments, Survey, Told, prepare, survey
from stcmtl.solver.partitioned import PartitionedProblem
from stcmtl.solver.precision import find_precision
from stcmtl.solver.problem import SQUARED, Rows
from stcmtl.solver.records import Initial
from stcmtl.solver.trials import NONE, SHAPES

MOST_VALUES = 20_000  # of a partition, that show whether features are in different units
# What needs all rows at once, or more than sums of them.
ONLY = {"shape": SHAPES[0], "own": NONE, "loss": "squared", "robust": False}


class Look(NamedTuple):
    """Names of a partition's tasks, what was surveyed, and some of its rows."""

    names: NDArray[Any]
    survey: Survey
    rows: Array


def fit_partitions(
    source: Any,
    *,
    task: str,
    target: str,
    n_clusters: int,
    features: Sequence[str] | None = None,
    client: Any = None,
    **settings: Any,
) -> STCMTLRegressor:
    """Fit tasks whose rows together do not fit in memory, partition by partition.

    Parameters
    ----------
    source : folder of Parquet files, Dask data frame, list of tables, or function
        Each partition has all rows of its tasks. A list may contain functions that open a table; a
        function yields the tables one after the other each time it is called.
    task, target : str
        The columns of the task labels and of a numeric target.
    features : list of str, optional
        By default all other columns.
    n_clusters : int
        K. To choose it, fit ``STCMTLRegressor(shape="simplex", own="none")`` to some of the tasks.
    client : dask.distributed.Client, optional
        The cluster that works on the partitions; by default this process does, one by one.
    **settings
        As for ``STCMTLRegressor``, except those that need all rows at once, which are refused:
        other shapes than the simplex, own parts, Huber's loss, outlier tasks and given folds.

    Returns
    -------
    STCMTLRegressor
        Fitted. Its ``coef_`` is computed from loadings and clusters when you ask for it.

    >>> from stcmtl import fit_partitions
    >>> tables = [train.to_frame()]
    >>> fit = fit_partitions(tables, task="task", target="target", n_clusters=3, random_state=0)
    >>> fit.memberships_.shape
    (12, 3)
    """
    model = STCMTLRegressor(**{"n_clusters": n_clusters, **ONLY, **settings})
    check_supported(model)
    if task == target:
        remedy = "name two columns"
        raise InputError("is the column of the tasks too", where=Setting("target"), remedy=remedy)
    parts = list_parts(source)
    columns = find_columns(parts, task, target, features)
    crew = gather_crew(parts, client)
    announce_compilation()
    announce_compilation(task_sums.normal_path, task_sums.sum_folds, task_sums.sum_tasks)
    try:
        with ONE_BLAS_THREAD:
            fit_by(crew, model, columns)
    finally:
        crew.close()
    model._warn_if_unsettled()
    return model


def check_supported(model: STCMTLRegressor) -> None:
    for name, value in ONLY.items():
        if getattr(model, name) != value:
            remedy = f"fits by partition take {value!r} alone; other values need all rows at once"
            raise bad_value(name, getattr(model, name), remedy)
    if check.is_auto(model.n_clusters) or model.n_clusters == 0:
        remedy = "choose it on some of the tasks first: fits by partition need a number from 1"
        raise bad_value("n_clusters", model.n_clusters, remedy)
    if not isinstance(model.cv, (int, np.integer)):
        remedy = "fits by partition need a number of folds"
        raise InputError("is given row by row", where=Setting("cv"), remedy=remedy)


def gather_crew(parts: Parts, client: Any) -> Crew:
    if client is None:
        return LonelyCrew(parts)
    require("distributed", "A fit on a cluster", extra="cluster")
    return DaskCrew(parts, client)


def fit_by(crew: Crew, model: STCMTLRegressor, columns: Columns) -> None:
    """From what the partitions tell to the attributes of the model."""
    blank = clone(model)
    looks = crew.read(look, blank, columns)
    model.task_names_, places = number_tasks([look.names for look in looks])
    model.n_features_in_ = len(columns.features)
    if all(isinstance(name, str) for name in columns.features):
        model.feature_names_in_ = np.asarray(columns.features, dtype=object)
    counts = put([look.survey.counts for look in looks], places)
    settings = replace(
        read_settings(model, counts.size), n_folds=check.check_integer(model.cv, "cv", 2)
    )
    check.check_task_sizes(model.task_names_, counts.astype(np.int64), settings.n_folds)
    scale = learn_scale(model, looks)
    order = find_order(looks, places)
    spreads = reduce(Moments.beside, (look.survey.centred for look in looks)).spreads
    del looks
    given = scale, order.features, settings.n_folds, settings.seed, settings.n_jobs
    told = crew.hold(open_up, blank, columns, *given)
    problem, initial = gather(crew, told, places, order, model, scale, spreads)
    del told
    if settings.refine:
        problem = replace(problem, precision=find_precision(problem, initial))
    with parallel_config("sequential"):  # the crew has the work, whatever joblib is told
        states = solve(problem, initial, settings)
        found = partition_attributes(problem, initial, states, settings, order)
    for name, value in found.items():
        setattr(model, name, value)


def open_rows(source: Any, model: STCMTLRegressor, columns: Columns) -> tuple[NDArray[Any], Rows]:
    """Names of tasks, and rows that are checked, of a part or of its table."""
    table = columns.pick(source() if callable(source) else source)
    if table.empty:
        remedy = "leave it out (with Dask: fewer partitions, by df.repartition(npartitions=...))"
        raise InputError("has no rows", where="A partition", remedy=remedy)
    reader: STCMTLRegressor = clone(model)
    found = reader._table(table[columns.features], table[columns.target], table[columns.task], True)
    return found.names, replace(reader._encoded(found), standardize=False)


def look(source: Any, model: STCMTLRegressor, columns: Columns) -> Look:
    """The first reading."""
    names, rows = open_rows(source, model, columns)
    stride = -(-rows.X.size // max(MOST_VALUES, rows.X.shape[1]))
    return Look(names, survey(rows), rows.X[::stride])


def open_up(
    source: Any, model: STCMTLRegressor, columns: Columns, *given: Any
) -> tuple[Held, Told]:
    """The second reading."""
    return prepare(open_rows(source, model, columns)[1], *given)


def number_tasks(names: Sequence[NDArray[Any]]) -> tuple[NDArray[Any], list[NDArray[np.int64]]]:
    """All names in sorted order, and the numbers of the tasks of each partition."""
    stacked = np.concatenate(names)
    known, codes = task_codes(stacked)
    if known.size < stacked.size:
        twice = known[np.bincount(codes).argmax()]
        remedy = "put all rows of a task in one (with Dask: df.shuffle(on=task))"
        raise check.bad_task(twice, "is in more than one partition", remedy)
    return known, np.split(codes, np.cumsum([len(part) for part in names])[:-1])


def put(parts: Sequence[Array], places: Sequence[NDArray[np.int64]]) -> Array:
    """Arrays (tasks of the partition, ...) as one, tasks in the order of their numbers."""
    return np.concatenate(parts)[np.argsort(np.concatenate(places))]


def learn_scale(model: STCMTLRegressor, looks: Sequence[Look]) -> Array:
    """What features are divided by."""
    spreads = reduce(Moments.beside, (look.survey.given for look in looks)).spreads
    model.feature_scale_ = spreads
    model.units_differ_ = units_differ(np.concatenate([look.rows for look in looks]), spreads)
    auto = check.is_auto(model.standardize)
    model.standardized_ = model.units_differ_ if auto else bool(model.standardize)
    return np.where(spreads > 0, spreads, 1.0) if model.standardized_ else np.ones(spreads.size)


def find_order(looks: Sequence[Look], places: Sequence[NDArray[np.int64]]) -> Order:
    """As ``Order.of`` has it, which no scale changes."""
    spreads = reduce(Moments.beside, (look.survey.centred for look in looks)).spreads
    slopes = put([look.survey.slopes for look in looks], places)
    squares = (slopes / np.where(spreads > 0, spreads, 1.0)) ** 2
    return Order(strongest_first(squares.sum(axis=0)), strongest_first(squares.sum(axis=1)))


def gather(
    crew: Crew,
    told: Sequence[Told],
    places: Sequence[NDArray[np.int64]],
    order: Order,
    model: STCMTLRegressor,
    scale: Array,
    spreads: Array,
) -> tuple[PartitionedProblem, Initial]:
    """What the second reading has told, in the solver's order of tasks and features."""
    numbers = np.argsort(order.tasks)
    parts = [numbers[place] for place in places]

    def stack(name: str, source: Sequence[Any] = told) -> Array:
        return put([getattr(part, name).T for part in source], parts)

    fits = [part.initial for part in told]
    initial = Initial(*(stack(name, fits).T for name in ("W", "b", "lambdas", "losses")))
    in_fold = put([part.in_fold for part in told], parts)
    columns = order.features[: scale.size]
    spread = spreads / np.append(scale, np.ones(spreads.size - scale.size))
    problem = PartitionedProblem(
        X=np.empty((0, spreads.size)),
        y=np.empty(0),
        starts=np.zeros(1, dtype=np.int64),
        means=put([part.means for part in told], parts),
        target_means=stack("target_means"),
        scale=scale[columns],
        loss=SQUARED,
        fit_intercept=model.fit_intercept,
        crew=crew,
        parts=parts,
        sizes=in_fold.sum(axis=1),
        in_fold=in_fold[:, in_fold.any(axis=0)],
        spreads=spread[order.features],
        left=stack("squares"),
    )
    return problem, initial


def predict_partitions(
    model: Any, source: Any, *, task: str, features: Sequence[str] | None = None
) -> Iterator[NDArray[Any]]:
    """``model.predict`` of each partition in turn; features are those of the fit if not given.

    >>> from stcmtl import fit_partitions, predict_partitions
    >>> tables = [train.to_frame()]
    >>> fit = fit_partitions(tables, task="task", target="target", n_clusters=3, random_state=0)
    >>> [predicted.shape for predicted in predict_partitions(fit, tables, task="task")]
    [(480,)]
    """
    for table, columns in tables_like(model, source, task, None, features):
        some = not table.empty
        yield model.predict(table[columns.features], table[columns.task]) if some else np.empty(0)


def assign_partitions(
    model: Any, source: Any, *, task: str, target: str, features: Sequence[str] | None = None
) -> Iterator[Assignment]:
    """``model.assign`` of each partition in turn, of tasks that were not in the fit.

    >>> from stcmtl import assign_partitions, fit_partitions
    >>> tables, few = [train.to_frame()], [datasets.split_rows(test, 0.2).train.to_frame()]
    >>> fit = fit_partitions(tables, task="task", target="target", n_clusters=3, random_state=0)
    >>> [int(found.rows[0]) for found in assign_partitions(fit, few, task="task", target="target")]
    [20]
    """
    for table, columns in tables_like(model, source, task, target, features):
        yield model.assign(table[columns.features], table[columns.target], table[columns.task])


def tables_like(
    model: Any, source: Any, task: str, target: str | None, features: Sequence[str] | None
) -> Iterator[tuple[Any, Columns]]:
    parts = list_parts(source)
    known = getattr(model, "feature_names_in_", None)
    columns = find_columns(parts, task, target, known if features is None else features)
    for part in parts:
        yield columns.pick(part()), columns
