"""NumPy's archives of arrays, whose headers are checked before anything is read."""

import io
import sys
from math import prod
from typing import Any

import numpy as np
from numpy.lib import format as npy
from numpy.typing import NDArray

from stcmtl.io.account import Case, shorten
from stcmtl.io.arrays import ARRAY_KINDS, Value
from stcmtl.io.formats.archives import open_zip, read_member
from stcmtl.io.limits import ReadError, damage_fault, fault, library_faults
from stcmtl.io.sources import File

HEADERS = {(1, 0): npy.read_array_header_1_0, (2, 0): npy.read_array_header_2_0}
KIND_NAMES = {"O": "Python objects", "c": "complex numbers", "M": "dates", "m": "times"}


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
        if letters.max(initial=0) > sys.maxunicode:
            raise fault(where, "holds a text with what is no letter", "save it again")


def kind_fault(where: str, dtype: np.dtype[Any]) -> ReadError:
    what = f"holds {KIND_NAMES.get(dtype.kind, 'records')}, which are never loaded"
    return fault(where, what, "save arrays of real numbers or text")
