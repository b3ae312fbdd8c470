"""The page headers of a Parquet file: how much each page says it unpacks to.

The footer's totals may lie, and the library allocates by the pages. A header is a struct in
Thrift's compact protocol, of which only three numbers are wanted here:
1 type, 2 uncompressed_page_size, 3 compressed_page_size.
"""

from __future__ import annotations

from typing import BinaryIO

UNPACKED, PACKED = 2, 3
STOP, TRUE, FALSE, BYTE, DOUBLE, BINARY, LIST, SET, MAP, STRUCT = 0, 1, 2, 3, 7, 8, 9, 10, 11, 12
VARINTS = (4, 5, 6)
LONGEST_HEADER = 2**16
DEEPEST = 8


class Cursor:
    """A position in some bytes; running past their end is an IndexError, as for any bytes."""

    def __init__(self, data: bytes) -> None:
        self.data, self.at = data, 0

    def byte(self) -> int:
        self.at += 1
        return self.data[self.at - 1]

    def varint(self) -> int:
        value = shift = 0
        while True:
            byte = self.byte()
            value |= (byte & 0x7F) << shift
            if byte < 0x80:
                return value
            shift += 7
            if shift > 63:
                raise ValueError("a number that never ends")

    def zigzag(self) -> int:
        value = self.varint()
        return (value >> 1) ^ -(value & 1)


def header_sizes(data: bytes) -> tuple[int, int, int]:
    """Bytes of the header, bytes of the page as stored, bytes once unpacked."""
    cursor = Cursor(data)
    sizes = {UNPACKED: 0, PACKED: 0}
    field = 0
    while (head := cursor.byte()) != STOP:
        kind = head & 0x0F
        field = field + (head >> 4) if head >> 4 else cursor.zigzag()
        if field in sizes and kind in VARINTS:
            sizes[field] = cursor.zigzag()
        else:
            skip(cursor, kind, 0)
    return cursor.at, sizes[PACKED], sizes[UNPACKED]


def skip(cursor: Cursor, kind: int, depth: int) -> None:
    if depth > DEEPEST:
        raise ValueError("structs nested too deeply")
    if kind in VARINTS:
        cursor.varint()
    elif kind == BYTE:
        cursor.at += 1
    elif kind == DOUBLE:
        cursor.at += 8
    elif kind == BINARY:
        length = cursor.varint()
        cursor.at += length
    elif kind in (LIST, SET):
        head = cursor.byte()
        count = head >> 4 if head >> 4 < 15 else cursor.varint()
        for _ in range(min(count, len(cursor.data))):
            skip(cursor, BYTE if head & 0x0F in (TRUE, FALSE) else head & 0x0F, depth + 1)
    elif kind == STRUCT:
        while (head := cursor.byte()) != STOP:
            if not head >> 4:
                cursor.varint()
            skip(cursor, head & 0x0F, depth + 1)
    elif kind not in (TRUE, FALSE):
        raise ValueError("no type of a page header")


def unpacked_bytes(handle: BinaryIO, start: int, size: int) -> int:
    """What the pages of one column chunk unpack to, by their own headers."""
    at, end, total = start, start + size, 0
    while at < end:
        handle.seek(at)
        header, packed, unpacked = header_sizes(handle.read(min(LONGEST_HEADER, end - at)))
        if packed < 0 or unpacked < 0:
            raise ValueError("a page of negative size")
        at += header + packed
        total += unpacked
    return total
