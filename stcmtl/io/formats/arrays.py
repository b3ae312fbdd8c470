"""Files of arrays by name that need no further library: NumPy's .npz, and MATLAB's up to v7.

Headers say how large arrays are, and are checked before anything is read.
"""

import io
import sys
import warnings
from math import prod
from typing import Any

import numpy as np
from numpy.lib import format as npy
from numpy.typing import NDArray
from scipy.io import loadmat, whosmat

from stcmtl.io.account import Case, quote, shorten
from stcmtl.io.arrays import ARRAY_KINDS, Cells, Record, Value, flatten
from stcmtl.io.formats.archives import open_zip, read_member
from stcmtl.io.limits import Budget, ReadError, damage_fault, fault, library_faults
from stcmtl.io.sources import File

HEADERS = {(1, 0): npy.read_array_header_1_0, (2, 0): npy.read_array_header_2_0}
KIND_NAMES = {"O": "Python objects", "c": "complex numbers", "M": "dates", "m": "times"}
HALF = 0xD800, 0xDFFF  # of a letter in UTF-16, alone no letter
DEEPEST = 6  # structs within structs
ITEM_BYTES = 1024  # that an array in a cell is charged with, however small
WIDTHS = {"int8": 1, "uint8": 1, "logical": 1, "int16": 2, "uint16": 2, "char": 2}
WIDTHS |= {"int32": 4, "uint32": 4, "single": 4, "cell": ITEM_BYTES, "struct": ITEM_BYTES}


def read_npz(file: File, case: Case) -> dict[str, Value]:
    arrays: dict[str, Value] = {}
    with open_zip(file, case.limits) as archive:
        for info in archive.infolist():
            where = f"{shorten(info.filename)} in {file.name}"
            array = parse_npy(read_member(file.name, archive, info), where)
            if array.dtype.kind not in ARRAY_KINDS:
                raise kind_fault(where, array.dtype)
            text = array.dtype.kind == "S"
            arrays[info.filename.removesuffix(".npy")] = (
                np.char.decode(array, "latin-1") if text else array
            )
    return arrays


def parse_npy(data: bytes, where: str) -> NDArray[Any]:
    """An array from the bytes that numpy saves, once their header agrees with their number."""
    handle = io.BytesIO(data)
    with library_faults(where):
        shape, fortran, dtype = HEADERS[npy.read_magic(handle)](handle)
    if dtype.hasobject or dtype.kind == "V":
        raise kind_fault(where, dtype)
    start = handle.tell()
    declared = prod(shape) * dtype.itemsize
    if min(shape, default=0) < 0 or declared != len(data) - start:
        what = f"declares {declared:,} bytes and has {len(data) - start:,}"
        raise fault(where, what, "it is damaged; save it again")
    try:
        flat = np.frombuffer(data, dtype, offset=start, count=prod(shape))
        array = flat.reshape(shape, order="F" if fortran else "C")
    except (ValueError, OverflowError):  # nothing, in a shape that no array can have
        raise damage_fault(where) from None
    check_values(flat, where)
    return array


def check_values(values: NDArray[Any], where: str) -> None:
    """Truth values are 0 or 1 and letters are letters: else numpy fails in odd ways later."""
    if values.dtype.kind == "b" and values.view(np.uint8).max(initial=0) > 1:
        raise fault(where, "holds a truth value that is neither 0 nor 1", "save it again")
    if values.dtype.kind == "U":
        letters = values.view(np.dtype("u4").newbyteorder(values.dtype.byteorder))
        if (letters > sys.maxunicode).any() or ((letters >= HALF[0]) & (letters <= HALF[1])).any():
            raise fault(where, "holds a text with what is no letter", "save it again")


def kind_fault(where: str, dtype: np.dtype[Any]) -> ReadError:
    what = f"holds {KIND_NAMES.get(dtype.kind, 'records')}, which are never loaded"
    return fault(where, what, "save arrays of real numbers or text")


# MATLAB


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
