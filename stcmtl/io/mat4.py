"""MATLAB files of version 4: arrays one after the other, each with a header of five numbers."""

from __future__ import annotations

import struct
from dataclasses import dataclass

import numpy as np

from stcmtl.io.archives import damaged
from stcmtl.io.limits import Limits, fault
from stcmtl.io.sources import File
from stcmtl.io.values import Value, rows_of_letters

HEADER, LONGEST_NAME = 20, 64
DTYPES = ("f8", "f4", "i4", "i2", "u2", "u1")
FULL, TEXT = 0, 1


@dataclass(frozen=True)
class Header:
    """An array's type, size and name, and where its numbers begin and end."""

    dtype: str
    kind: int
    shape: tuple[int, int]
    name: str
    start: int
    end: int


def header_of(data: bytes, at: int, size: int, order: str) -> Header | None:
    """The header at ``at`` of a file of ``size`` bytes; None where the bytes make no sense.

    Its first number has four digits: 0 or 1 for the byte order, 0, the type of the numbers, and
    whether the array is full, text or sparse.
    """
    if len(data) - at < HEADER:
        return None
    code, rows, columns, imaginary, length = struct.unpack_from(order + "5i", data, at)
    swapped, zero, dtype, kind = (code // 10**power % 10 for power in (3, 2, 1, 0))
    if not 0 <= code < 10_000 or swapped != (order == ">") or zero or dtype >= len(DTYPES):
        return None
    if kind > 2 or imaginary not in (0, 1) or min(rows, columns) < 0:
        return None
    raw = data[at + HEADER : at + HEADER + length] if 1 < length <= LONGEST_NAME else b""
    name = raw.removesuffix(b"\0").decode("latin-1")
    start = at + HEADER + length
    end = start + rows * columns * (1 + imaginary) * int(DTYPES[dtype][1])
    if not name.isidentifier() or end > size:
        return None
    return Header(order + DTYPES[dtype], kind + 3 * imaginary, (rows, columns), name, start, end)


def read_mat4(file: File, limits: Limits) -> dict[str, Value]:
    data = file.read()
    order = "<" if header_of(data, 0, len(data), "<") else ">"
    values: dict[str, Value] = {}
    at = 0
    while at < len(data):
        header = header_of(data, at, len(data), order)
        if header is None:
            raise damaged(file.name)
        if header.kind not in (FULL, TEXT):
            raise fault(
                file.name,
                f"has a sparse or complex array {header.name!r}",
                "save it again with MATLAB's -v7",
            )
        flat = np.frombuffer(data[header.start : header.end], header.dtype)
        if header.kind == TEXT:
            letters = bytes(flat.astype(np.uint8)).decode("latin-1")
            values[header.name] = rows_of_letters(letters, header.shape)
        else:
            values[header.name] = flat.reshape(header.shape, order="F")
        limits.check(file.name, members=len(values))
        at = header.end
    return values
