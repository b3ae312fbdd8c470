"""NumPy archives: every header is checked against the bytes before an array is made."""

from __future__ import annotations

import io
import tokenize
import zipfile
from math import prod

import numpy as np
from numpy.lib import format as npy

from stcmtl.io.archives import damaged, opened_zip, read_member
from stcmtl.io.limits import Limits, fault
from stcmtl.io.sources import File
from stcmtl.io.values import ARRAY_KINDS, Value, decoded

HEADERS = {(1, 0): npy.read_array_header_1_0, (2, 0): npy.read_array_header_2_0}
# A header is a Python literal: these are what parsing a broken one raises.
BAD_HEADER = (
    ValueError,
    TypeError,
    SyntaxError,
    tokenize.TokenError,
    RecursionError,
    MemoryError,
    OverflowError,
    EOFError,
    KeyError,
    IndexError,
    AttributeError,
)

KIND_NAMES = {"O": "Python objects", "c": "complex numbers", "M": "dates", "m": "times"}


def read_npz(file: File, limits: Limits) -> dict[str, Value]:
    with opened_zip(file, limits) as archive:
        members = archive.infolist()
        return {
            info.filename.removesuffix(".npy"): read_array(file.name, archive, info)
            for info in members
        }


def read_array(name: str, archive: zipfile.ZipFile, info: zipfile.ZipInfo) -> Value:
    data = read_member(name, archive, info)
    handle = io.BytesIO(data)
    try:
        header = HEADERS[npy.read_magic(handle)]
        shape, fortran, dtype = header(handle)
    except BAD_HEADER:
        raise damaged(f"{info.filename} in {name}") from None
    if dtype.hasobject or dtype.kind not in ARRAY_KINDS:
        raise fault(
            f"{info.filename} in {name}",
            f"holds {KIND_NAMES.get(dtype.kind, 'records')}, which are never loaded",
            "save arrays of real numbers or text",
        )
    start = handle.tell()
    declared = prod(shape) * dtype.itemsize
    if min(shape, default=0) < 0 or declared != len(data) - start:
        raise fault(
            f"{info.filename} in {name}",
            f"declares {declared:,} bytes and has {len(data) - start:,}",
            "it is damaged; save it again",
        )
    try:
        flat = np.frombuffer(data, dtype, offset=start, count=prod(shape))
        array = flat.reshape(shape, order="F" if fortran else "C")
    except (ValueError, OverflowError):  # nothing, in a shape that no array can have
        raise damaged(f"{info.filename} in {name}") from None
    return decoded(array)
