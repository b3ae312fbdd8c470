"""Rows down or features down: worked out from the targets, not assumed."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from stcmtl.io.account import Findings
from stcmtl.io.limits import ReadError, fault
from stcmtl.io.values import Cells, Value

# Where the axes of X hold tasks, rows and features, and whether y is rows x tasks: as NumPy
# users stack tasks, as MATLAB users do, then the rest. The first that fits y is taken.
BLOCKS = (
    ((0, 1, 2), False),
    ((2, 0, 1), True),
    ((2, 0, 1), False),
    ((0, 1, 2), True),
    ((2, 1, 0), True),
    ((2, 1, 0), False),
)
SQUARE = "The features are as many as the rows: rows were taken to go down"


def vector(value: Value) -> NDArray[Any]:
    """One value per row: a row or column of an array, or cells of one text each."""
    if isinstance(value, Cells):
        if not all(item.size == 1 for item in value.items):
            raise ReadError("Cells that hold labels must hold one label each")
        return np.array([item.item() for item in value.items])
    if value.size and value.size != max(value.shape, default=1):
        return value
    return value.ravel()


def check_numbers(name: str, what: str, X: NDArray[Any]) -> None:
    if X.dtype.kind not in "biuf":
        raise fault(name, f"has text in {what} where numbers are needed", "encode it")


def oriented_pairs(
    name: str, X: Cells, y: Cells, findings: Findings
) -> list[tuple[NDArray[Any], NDArray[Any]]]:
    """(rows, features) and (rows,) of every task, with one number of features for all."""
    targets = [vector(item) for item in y.items]
    designs = [item.reshape(-1, 1) if item.ndim == 1 else item for item in X.items]
    for t, (design, target) in enumerate(zip(designs, targets, strict=True), start=1):
        check_numbers(name, f"task {t}", design)
        if target.ndim != 1 or design.ndim != 2:
            raise fault(
                f"{name}:",
                f"task {t} has features {spoken(design)} and a target {spoken(target)}",
                "a task is a matrix and one column",
            )
    sizes = [len(target) for target in targets]
    for axis in (0, 1):
        widths = {x.shape[1 - axis] for x, n in zip(designs, sizes, strict=True) if n}
        fits = all(
            x.shape[axis] == n or n == 0 == x.size for x, n in zip(designs, sizes, strict=True)
        )
        if fits and len(widths) == 1:
            width = widths.pop()
            if axis == 0 and all(n in (0, width) for n in sizes):
                findings.notes.append(SQUARE)
            if axis == 1:
                findings.notes.append("The features go down in this file, and were turned")
            turned = [x if axis == 0 else x.T for x in designs]
            empty = np.empty((0, width))
            return [
                (x if n else empty, target)
                for x, n, target in zip(turned, sizes, targets, strict=True)
            ]
    raise mismatch(name, designs, sizes)


def mismatch(name: str, designs: list[NDArray[Any]], sizes: list[int]) -> ReadError:
    for t, (x, n) in enumerate(zip(designs, sizes, strict=True), start=1):
        if n not in x.shape:
            what = f"task {t} has {n} targets and features {spoken(x)}"
            return fault(f"{name}:", what, "give one target a row")
    what = "the tasks have different numbers of features"
    return fault(f"{name}:", what, "give all the same features")


def oriented_rows(name: str, X: NDArray[Any], n_rows: int, findings: Findings) -> NDArray[Any]:
    X = X.reshape(-1, 1) if X.ndim == 1 else X
    check_numbers(name, "X", X)
    if X.ndim != 2 or n_rows not in X.shape:
        raise fault(name, f"has {n_rows} targets and features {spoken(X)}", "give one target a row")
    if X.shape[0] == X.shape[1]:
        findings.notes.append(SQUARE)
    if len(X) == n_rows:
        return X
    findings.notes.append("The features go down in this file, and were turned")
    return X.T


def oriented_block(
    name: str, X: NDArray[Any], y: NDArray[Any], findings: Findings
) -> tuple[NDArray[Any], NDArray[Any]]:
    """X as (tasks, rows, features) and y as (tasks, rows)."""
    check_numbers(name, "X", X)
    if y.ndim == 3 and 1 in y.shape:
        y = y.squeeze(y.shape.index(1))
    if y.ndim == 1 and y.size == X.shape[0] * X.shape[1]:
        y = y.reshape(X.shape[:2])
    for order, turned in BLOCKS:
        target = y.T if turned else y
        if target.shape == (X.shape[order[0]], X.shape[order[1]]):
            if (order, turned) != BLOCKS[0] or len(set(X.shape)) < 3:
                words = (("tasks", "rows", "features")[order.index(axis)] for axis in range(3))
                findings.guessed.append(f"the axes of X are {', '.join(words)}")
            return X.transpose(order), target
    raise fault(
        name,
        f"has features {spoken(X)} and a target {spoken(y)}",
        "give X as tasks x rows x features and y as tasks x rows",
    )


def spoken(array: NDArray[Any]) -> str:
    return " x ".join(map(str, array.shape)) or "of one value"
