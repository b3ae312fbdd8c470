"""What array files hold: arrays by name and cells of arrays, and which way round they are."""

from dataclasses import dataclass
from typing import Any, TypeAlias, cast

import numpy as np
from numpy.typing import NDArray

from stcmtl.io.account import LONGEST_LISTED, Case, shorten
from stcmtl.io.limits import ReadError

ARRAY_KINDS = "biufUS"  # numbers and text; nothing that could hold an object
# Where the axes of X hold tasks, rows and features, and whether y is rows x tasks: as NumPy
# users stack tasks, as MATLAB users do, then the rest. The first that fits y is taken.
BLOCKS = (
    *(((0, 1, 2), False), ((2, 0, 1), True), ((2, 0, 1), False)),
    *(((0, 1, 2), True), ((2, 1, 0), True), ((2, 1, 0), False)),
)
MOST_SHOWN = 8  # arrays in a sentence
SQUARE = "The features are as many as the rows: rows were taken to go down"
TURNED = "The features go down in this file, and were turned"


@dataclass(frozen=True, eq=False)
class Cells:
    """Arrays in a row, one per task as a rule, with names where they were fields."""

    items: list[NDArray[Any]]
    names: tuple[str, ...] = ()

    def __len__(self) -> int:
        return len(self.items)


Value: TypeAlias = NDArray[Any] | Cells
Record: TypeAlias = dict[str, Any]  # a struct: fields that are values or records again
Pair: TypeAlias = tuple[NDArray[Any], NDArray[Any]]  # the features and the target of a task


def flatten(variables: Record) -> dict[str, Value]:
    """Values by name: a lone struct is opened, a struct of arrays becomes cells with names."""
    while len(variables) == 1 and isinstance(next(iter(variables.values())), dict):
        variables = next(iter(variables.values()))
    flat: dict[str, Value] = {}
    for name, value in variables.items():
        if not isinstance(value, dict):
            flat[name] = value
        elif value and all(isinstance(item, np.ndarray) for item in value.values()):
            flat[name] = Cells(list(value.values()), tuple(value))
    return flat


def make_native(value: Value) -> Value:
    """In this machine's byte order, and fractions as doubles: what pandas computes with."""
    if isinstance(value, Cells):
        return Cells([cast(NDArray[Any], make_native(item)) for item in value.items], value.names)
    dtype = np.dtype(np.float64) if value.dtype.kind == "f" else value.dtype.newbyteorder("=")
    return value.astype(dtype, copy=False)


def describe(values: dict[str, Value]) -> str:
    """The arrays of a file in words, for a sentence that asks which is which."""
    names = {name: shorten(name, LONGEST_LISTED) for name in values}
    texts = [f"{names[name]} ({describe_shape(value)})" for name, value in values.items()]
    more = f" and {len(texts) - MOST_SHOWN} more" if len(texts) > MOST_SHOWN else ""
    return ", ".join(texts[:MOST_SHOWN]) + more


def describe_shape(value: Value) -> str:
    if isinstance(value, Cells):
        return f"{len(value)} cells"
    return " x ".join(map(str, value.shape)) or "one value"


def make_vector(value: Value) -> NDArray[Any]:
    """One value per row: a row or column of an array, or cells of one text each."""
    if isinstance(value, Cells):
        if not all(item.size == 1 for item in value.items):
            raise ReadError("Cells that hold labels must hold one label each")
        return np.array([item.item() for item in value.items])
    if value.size and value.size != max(value.shape, default=1):
        return value
    return value.ravel()


# Rows down or features down: worked out from the targets, not assumed.


def check_numbers(X: NDArray[Any], what: str, case: Case) -> None:
    if X.dtype.kind not in "biuf":
        raise case.fault(f"has text in {what} where numbers are needed", "encode it")


def orient_pairs(X: Cells, y: Cells, case: Case) -> list[Pair]:
    """(rows, features) and (rows,) of every task, with one number of features for all."""
    targets = [make_vector(item) for item in y.items]
    designs = [item.reshape(-1, 1) if item.ndim == 1 else item for item in X.items]
    for t, (design, target) in enumerate(zip(designs, targets, strict=True), start=1):
        check_numbers(design, f"task {t}", case)
        if target.ndim != 1 or design.ndim != 2:
            shapes = describe_shape(design), describe_shape(target)
            what = "task {} has features {} and a target {}".format(t, *shapes)
            raise case.question(what, "a task is a matrix and one column")
    sizes = [len(target) for target in targets]
    for axis in (0, 1):
        widths = {x.shape[1 - axis] for x, n in zip(designs, sizes, strict=True) if n}
        fits = all(
            x.shape[axis] == n or n == 0 == x.size for x, n in zip(designs, sizes, strict=True)
        )
        if fits and len(widths) == 1:
            width = widths.pop()
            if axis == 0 and all(n in (0, width) for n in sizes):
                case.notes.append(SQUARE)
            if axis == 1:
                case.notes.append(TURNED)
            turned = [x if axis == 0 else x.T for x in designs]
            turned = [x if n else np.empty((0, width)) for x, n in zip(turned, sizes, strict=True)]
            return list(zip(turned, targets, strict=True))
    for t, (x, n) in enumerate(zip(designs, sizes, strict=True), start=1):
        if n not in x.shape:
            what = f"task {t} has {n} targets and features {describe_shape(x)}"
            raise case.question(what, "give one target per row")
    what = "the tasks have different numbers of features"
    raise case.question(what, "give all the same features")


def orient_rows(X: NDArray[Any], n_rows: int, case: Case) -> NDArray[Any]:
    X = X.reshape(-1, 1) if X.ndim == 1 else X
    check_numbers(X, "X", case)
    if X.ndim != 2 or n_rows not in X.shape:
        what = f"has {n_rows} targets and features {describe_shape(X)}"
        raise case.fault(what, "give one target per row")
    if X.shape[0] == X.shape[1]:
        case.notes.append(SQUARE)
    if len(X) == n_rows:
        return X
    case.notes.append(TURNED)
    return X.T


def orient_block(X: NDArray[Any], y: NDArray[Any], case: Case) -> Pair:
    """X as (tasks, rows, features) and y as (tasks, rows)."""
    check_numbers(X, "X", case)
    if y.ndim == 3 and 1 in y.shape:
        y = y.squeeze(y.shape.index(1))
    if y.ndim == 1 and y.size == X.shape[0] * X.shape[1]:
        y = y.reshape(X.shape[:2])
    for order, turned in BLOCKS:
        target = y.T if turned else y
        if target.shape == (X.shape[order[0]], X.shape[order[1]]):
            if (order, turned) != BLOCKS[0] or len(set(X.shape)) < 3:
                words = (("tasks", "rows", "features")[order.index(axis)] for axis in range(3))
                case.guessed.append(f"the axes of X are {', '.join(words)}")
            return X.transpose(order), target
    what = f"has features {describe_shape(X)} and a target {describe_shape(y)}"
    raise case.fault(what, "give X as tasks x rows x features and y as tasks x rows")
