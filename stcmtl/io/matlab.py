"""MATLAB files up to v7 (MAT levels 4 and 5), read byte by byte: no size in them is believed.

A file of level 5 is a header of 128 bytes, then elements: a tag (type, bytes), the data, padding
to 8. An array is an element of elements: flags, dimensions, name, then its data; a cell's data
are arrays again. Compressed elements unpack to one array element. Level 4, at the end, is arrays
one after the other, each with a header of five numbers.
"""

from __future__ import annotations

import struct
import zlib
from dataclasses import dataclass
from math import prod
from typing import Any

import numpy as np
from numpy.typing import NDArray

from stcmtl.io.archives import damage_fault
from stcmtl.io.arrays import Cells, Record, Value, flatten, split_letters
from stcmtl.io.limits import Budget, Limits, fault
from stcmtl.io.sources import File

HEADER, TAG = 128, 8
NUMBERS = {1: "i1", 2: "u1", 3: "i2", 4: "u2", 5: "i4", 6: "u4", 7: "f4", 9: "f8"}
NUMBERS |= {12: "i8", 13: "u8"}
TEXTS = {16: "utf-8", 17: "utf-16", 18: "utf-32", 4: "utf-16", 2: "latin-1", 1: "latin-1"}
MATRIX, COMPRESSED = 14, 15
CELL, STRUCT, CHAR, SPARSE = 1, 2, 4, 5
NUMERIC = range(6, 16)
DEEPEST = 6  # cells within cells
COMPLEX = 0x0800
CELL_BYTES = 1024  # that an array in a cell is charged with, however small
# Of level 4:
HEADER4, LONGEST_NAME = 20, 64
DTYPES4 = ("f8", "f4", "i4", "i2", "u2", "u1")
FULL4, TEXT4 = 0, 1


class UnsupportedError(ValueError):
    """An array of a kind that holds no data for us: an object, a function."""


def read_mat5(file: File, limits: Limits) -> dict[str, Value]:
    data = file.read()
    parser = Parser(file.name, ">" if data[126:128] == b"MI" else "<", limits)
    variables: Record = {}
    at = HEADER
    while at + TAG <= len(data):
        kind, body, at = parser.element(memoryview(data), at)
        if kind == COMPRESSED:
            kind, body = parser.unpack(body)
        if kind != MATRIX:
            raise damage_fault(file.name)
        try:
            name, value = parser.matrix(body, 0)
        except UnsupportedError:
            continue
        variables[name] = value
        limits.check(file.name, members=len(variables))
    if not variables:
        raise fault(file.name, "holds no arrays", "save X and Y in it")
    return flatten(variables)


class Parser:
    """The grammar of elements, with every length checked before it is used."""

    def __init__(self, name: str, order: str, limits: Limits) -> None:
        self.name, self.order, self.limits = name, order, limits
        self.budget = Budget(name, limits)

    def element(self, data: memoryview, at: int) -> tuple[int, memoryview, int]:
        """Type and body of the element at ``at``, and where the next one begins."""
        if len(data) - at < TAG:
            raise damage_fault(self.name)
        kind, size = struct.unpack_from(self.order + "II", data, at)
        if kind >> 16:  # a small element: up to four bytes within the tag
            kind, size = kind & 0xFFFF, kind >> 16
            if size > 4:
                raise damage_fault(self.name)
            return kind, data[at + 4 : at + 4 + size], at + TAG
        start = at + TAG
        if size > len(data) - start:
            raise damage_fault(self.name)
        padding = 0 if kind == COMPRESSED else -size % 8
        return kind, data[start : start + size], min(len(data), start + size + padding)

    def unpack(self, body: memoryview) -> tuple[int, memoryview]:
        """The element within a compressed one: its own tag says how much may come out."""
        try:
            tag = zlib.decompressobj().decompress(body, TAG)
            if len(tag) < TAG:
                raise damage_fault(self.name)
            size = struct.unpack(self.order + "II", tag)[1]
            self.budget.spend(size)
            inside = zlib.decompressobj().decompress(body, TAG + size)
        except zlib.error:
            raise damage_fault(self.name) from None
        kind, inner, _ = self.element(memoryview(inside), 0)
        return kind, inner

    def matrix(self, body: memoryview, depth: int) -> tuple[str, Any]:
        """Name and value of an array element."""
        if len(body) == 0:
            return "", np.empty((0, 0))
        if depth > DEEPEST:
            raise fault(self.name, "has cells nested too deeply", "flatten them")
        _, flags, at = self.element(body, 0)
        _, raw_dims, at = self.element(body, at)
        _, raw_name, at = self.element(body, at)
        if len(flags) < 8 or len(raw_dims) % 4 or not 2 <= len(raw_dims) // 4 <= 8:
            raise damage_fault(self.name)
        word = struct.unpack_from(self.order + "I", flags)[0]
        dims = struct.unpack(f"{self.order}{len(raw_dims) // 4}i", raw_dims)
        if min(dims) < 0:
            raise damage_fault(self.name)
        return bytes(raw_name).decode("latin-1"), self.value(word, dims, body[at:], depth)

    def value(self, word: int, dims: tuple[int, ...], body: memoryview, depth: int) -> Any:
        kind = word & 0xFF
        if kind == CELL:
            return Cells([plain(item) for item in self.items(body, prod(dims), depth)])
        if kind == STRUCT:
            return self.struct(dims, body, depth)
        if kind == CHAR:
            return self.text(dims, body)
        if kind == SPARSE:
            return self.sparse(word, dims, body)
        if kind not in NUMERIC or word & COMPLEX:
            raise UnsupportedError
        return self.numbers(self.element(body, 0), prod(dims)).reshape(dims, order="F")

    def items(self, body: memoryview, count: int, depth: int) -> list[Any]:
        if count > len(body) // TAG:
            raise damage_fault(self.name)
        self.budget.spend(count * CELL_BYTES)
        found, at = [], 0
        for _ in range(count):
            kind, inner, at = self.element(body, at)
            if kind != MATRIX:
                raise damage_fault(self.name)
            found.append(self.matrix(inner, depth + 1)[1])
        return found

    def struct(self, dims: tuple[int, ...], body: memoryview, depth: int) -> Record:
        """One record as fields; an array of records as cells by field."""
        _, raw_width, at = self.element(body, 0)
        _, raw_names, at = self.element(body, at)
        width = struct.unpack(self.order + "i", raw_width)[0] if len(raw_width) == 4 else 0
        if width < 1 or len(raw_names) % width:
            raise damage_fault(self.name)
        names = [
            bytes(raw_names[start : start + width]).split(b"\0")[0].decode("latin-1")
            for start in range(0, len(raw_names), width)
        ]
        records = prod(dims)
        items = self.items(body[at:], records * len(names), depth)
        if records == 1:
            return dict(zip(names, items, strict=True))
        return {
            name: Cells([plain(item) for item in items[f :: len(names)]])
            for f, name in enumerate(names)
        }

    def numbers(self, element: tuple[int, memoryview, int], count: int) -> NDArray[Any]:
        """The numbers as stored, which may be narrower than the array's class."""
        kind, raw, _ = element
        if kind not in NUMBERS:
            raise damage_fault(self.name)
        stored = np.dtype(self.order + NUMBERS[kind])
        if len(raw) != count * stored.itemsize:
            raise damage_fault(self.name)
        return np.frombuffer(raw, stored)

    def text(self, dims: tuple[int, ...], body: memoryview) -> NDArray[Any]:
        kind, raw, _ = self.element(body, 0)
        if kind not in TEXTS:
            raise damage_fault(self.name)
        codec = TEXTS[kind]
        if codec in ("utf-16", "utf-32"):
            codec += "-le" if self.order == "<" else "-be"
        return split_letters(bytes(raw).decode(codec, errors="replace"), dims)

    def sparse(self, word: int, dims: tuple[int, ...], body: memoryview) -> NDArray[Any]:
        """Compressed columns, made dense once the limits allow it."""
        if len(dims) != 2 or word & COMPLEX:
            raise UnsupportedError
        self.limits.check_shape(self.name, *dims)
        self.budget.spend(prod(dims) * 8)
        parts, at = [], 0
        for _ in range(3):
            kind, raw, at = self.element(body, at)
            if kind not in NUMBERS or len(raw) % np.dtype(NUMBERS[kind]).itemsize:
                raise damage_fault(self.name)
            parts.append(np.frombuffer(raw, np.dtype(self.order + NUMBERS[kind])))
        rows, starts, data = parts[0].astype(np.int64), parts[1].astype(np.int64), parts[2]
        used = int(starts[-1]) if starts.size == dims[1] + 1 else -1
        if used < 0 or used > min(rows.size, data.size) or (np.diff(starts) < 0).any() or starts[0]:
            raise damage_fault(self.name)
        rows = rows[:used]
        if used and not 0 <= rows.min() <= rows.max() < dims[0]:
            raise damage_fault(self.name)
        dense = np.zeros(dims)
        dense[rows, np.repeat(np.arange(dims[1]), np.diff(starts))] = data[:used]
        return dense


def plain(item: Any) -> NDArray[Any]:
    """An array in a cell; a cell or struct in a cell is no data of ours."""
    if not isinstance(item, np.ndarray):
        raise UnsupportedError
    return item


@dataclass(frozen=True)
class Header4:
    """An array's type, size and name, and where its numbers begin and end."""

    dtype: str
    kind: int
    shape: tuple[int, int]
    name: str
    start: int
    end: int


def parse_header4(data: bytes, at: int, size: int, order: str) -> Header4 | None:
    """The header at ``at`` of a file of ``size`` bytes; None where the bytes make no sense.

    Its first number has four digits: 0 or 1 for the byte order, 0, the type of the numbers, and
    whether the array is full, text or sparse.
    """
    if len(data) - at < HEADER4:
        return None
    code, rows, columns, imaginary, length = struct.unpack_from(order + "5i", data, at)
    swapped, zero, dtype, kind = (code // 10**power % 10 for power in (3, 2, 1, 0))
    if not 0 <= code < 10_000 or swapped != (order == ">") or zero or dtype >= len(DTYPES4):
        return None
    if kind > 2 or imaginary not in (0, 1) or min(rows, columns) < 0:
        return None
    raw = data[at + HEADER4 : at + HEADER4 + length] if 1 < length <= LONGEST_NAME else b""
    name = raw.removesuffix(b"\0").decode("latin-1")
    start = at + HEADER4 + length
    end = start + rows * columns * (1 + imaginary) * int(DTYPES4[dtype][1])
    if not name.isidentifier() or end > size:
        return None
    return Header4(order + DTYPES4[dtype], kind + 3 * imaginary, (rows, columns), name, start, end)


def read_mat4(file: File, limits: Limits) -> dict[str, Value]:
    data = file.read()
    order = "<" if parse_header4(data, 0, len(data), "<") else ">"
    values: dict[str, Value] = {}
    at = 0
    while at < len(data):
        header = parse_header4(data, at, len(data), order)
        if header is None:
            raise damage_fault(file.name)
        if header.kind not in (FULL4, TEXT4):
            what = f"has a sparse or complex array {header.name!r}"
            raise fault(file.name, what, "save it again with MATLAB's -v7")
        flat = np.frombuffer(data[header.start : header.end], header.dtype)
        if header.kind == TEXT4:
            letters = bytes(flat.astype(np.uint8)).decode("latin-1")
            values[header.name] = split_letters(letters, header.shape)
        else:
            values[header.name] = flat.reshape(header.shape, order="F")
        limits.check(file.name, members=len(values))
        at = header.end
    return values
