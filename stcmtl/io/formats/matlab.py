"""MATLAB files up to v7 by SciPy, after their headers have said how large they are."""

import warnings
from math import prod
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.io import loadmat, whosmat

from stcmtl.io.account import Case, quote
from stcmtl.io.arrays import Cells, Record, Value, flatten
from stcmtl.io.limits import Budget, library_faults
from stcmtl.io.sources import File

DEEPEST = 6  # structs within structs
ITEM_BYTES = 1024  # that an array in a cell is charged with, however small
WIDTHS = {"int8": 1, "uint8": 1, "logical": 1, "int16": 2, "uint16": 2, "char": 2}
WIDTHS |= {"int32": 4, "uint32": 4, "single": 4, "cell": ITEM_BYTES, "struct": ITEM_BYTES}


class UnsupportedError(ValueError):
    """An array of a kind that holds no data for us: an object, a function, cells of cells."""


def read_mat(file: File, case: Case) -> dict[str, Value]:
    budget = Budget(file.name, case.limits)
    with library_faults(file.name), file.open() as handle, warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of names used twice
        listed = whosmat(handle)
        case.check(members=len(listed))
        for _, shape, kind in listed:
            budget.spend(prod(map(int, shape)) * WIDTHS.get(kind, 8))
        loaded = loadmat(handle)
    variables: Record = {}
    for name, value in loaded.items():
        if not name.startswith("__"):
            try:
                variables[name] = convert(value, name, case, 0)
            except UnsupportedError:
                continue
    return check_some(flatten(variables), case)


def check_some(values: dict[str, Value], case: Case) -> dict[str, Value]:
    if not values:
        raise case.fault("holds no arrays", "save X and Y in it")
    return values


def convert(value: Any, name: str, case: Case, depth: int) -> Any:
    """What SciPy made of a variable: an array, cells of arrays, or a record of such."""
    if hasattr(value, "toarray"):  # sparse
        case.check_shape(*value.shape)
        value = value.toarray()
    if depth > DEEPEST:
        raise case.fault("has structs nested too deeply", "flatten them")
    if type(value) is not np.ndarray:
        raise UnsupportedError
    if value.dtype.names is not None:
        return convert_struct(value, name, case, depth)
    if value.dtype.kind == "O":
        items = [convert(item, name, case, depth + 1) for item in value.ravel(order="F")]
        return Cells([plain(item) for item in items])
    if value.dtype.kind == "c":
        what = f"holds complex numbers in {quote(name)}, which are never loaded"
        raise case.fault(what, "save real numbers")
    if value.dtype.kind == "U":
        lines = np.char.rstrip(value)
        return lines if lines.size > 1 else np.array("".join(value.ravel()))
    return value


def convert_struct(value: NDArray[Any], name: str, case: Case, depth: int) -> Record:
    """One record as fields; an array of records as cells by field."""
    fields = {field: value[field].ravel(order="F") for field in value.dtype.names or ()}
    items = {
        field: [convert(item, name, case, depth + 1) for item in column]
        for field, column in fields.items()
    }
    if value.size == 1:
        return {field: column[0] for field, column in items.items()}
    return {field: Cells([plain(item) for item in column]) for field, column in items.items()}


def plain(item: Any) -> NDArray[Any]:
    """An array in a cell; a cell or struct in a cell is no data of ours."""
    if not isinstance(item, np.ndarray):
        raise UnsupportedError
    return item
