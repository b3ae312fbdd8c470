"""Parquet to a data frame, after its footer and its pages have said how large it is.

The footer's totals may lie, and the library allocates by the pages, so their headers are read too.
"""

from __future__ import annotations

from typing import BinaryIO

import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq

from stcmtl.io.account import Case
from stcmtl.io.archives import damage_fault
from stcmtl.io.limits import Budget, ReadError, allow
from stcmtl.io.sources import File
from stcmtl.io.text import check_distinct

DAMAGE = (pa.ArrowException, OSError, ValueError, KeyError, TypeError, OverflowError, IndexError)
BATCH = 65_536

# Page headers, in Thrift's compact protocol, of which only two numbers are wanted here.
UNPACKED, PACKED = 2, 3
STOP, TRUE, FALSE, BYTE, DOUBLE, BINARY, LIST, SET, MAP, STRUCT = 0, 1, 2, 3, 7, 8, 9, 10, 11, 12
VARINTS = (4, 5, 6)
LONGEST_HEADER = 2**16
DEEPEST = 8


def read_parquet(file: File, case: Case) -> pd.DataFrame:
    try:
        with file.open() as handle:
            return read_frame(handle, case)
    except ReadError:
        raise
    except DAMAGE:
        raise damage_fault(file.name) from None


def read_frame(handle: BinaryIO, case: Case) -> pd.DataFrame:
    plain = open_parquet(handle, case)
    check_footer(plain.metadata, handle, case)
    schema = plain.schema_arrow
    check_distinct(schema.names, case)
    for field in schema:
        if pa.types.is_nested(field.type):
            what = f"has lists or records in column {field.name!r}"
            raise case.fault(what, "make it plain columns")
    # Text stays one copy of each level: a small dictionary may stand for gigabytes of cells.
    texts = [f.name for f in schema if pa.types.is_string(f.type) or pa.types.is_binary(f.type)]
    source = pq.ParquetFile(handle, read_dictionary=texts)
    batches = []
    used = 0
    for batch in source.iter_batches(BATCH, use_threads=False):
        used += batch.nbytes
        case.check(bytes_unpacked=used)
        batches.append(batch)
    table = pa.Table.from_batches(batches, schema=batches[0].schema if batches else schema)
    table.validate(full=True)
    return table.to_pandas(ignore_metadata=True, split_blocks=True, self_destruct=True)


def open_parquet(handle: BinaryIO, case: Case) -> pq.ParquetFile:
    try:
        return pq.ParquetFile(handle, thrift_container_size_limit=case.limits.columns + 2)
    except OSError as error:
        if "size limit" in str(error).lower():
            what = f"has more columns (or parts) than the limit of {case.limits.columns:,}"
            remedy = "read a smaller part", allow("columns", "...")
            raise case.fault(what, remedy) from None
        raise


def check_footer(footer: pq.FileMetaData, handle: BinaryIO, case: Case) -> None:
    """Rows and columns by the footer, bytes by the headers of the pages."""
    case.check_shape(footer.num_rows, footer.num_columns)
    budget = Budget(case.name, case.limits)
    if footer.num_rows < 0 or footer.num_row_groups * footer.num_columns > case.limits.cells:
        raise damage_fault(case.name)
    for group in (footer.row_group(g) for g in range(footer.num_row_groups)):
        for column in (group.column(c) for c in range(group.num_columns)):
            first = column.data_page_offset
            if column.has_dictionary_page and column.dictionary_page_offset:
                first = min(first, column.dictionary_page_offset)
            budget.spend(count_unpacked(handle, first, column.total_compressed_size))


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


def count_unpacked(handle: BinaryIO, start: int, size: int) -> int:
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
