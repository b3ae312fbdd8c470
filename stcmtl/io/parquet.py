"""Parquet to a data frame, after its footer has said how large it is."""

from __future__ import annotations

from typing import BinaryIO

import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq

from stcmtl.io.archives import damaged
from stcmtl.io.limits import Budget, Limits, ReadError, allow, fault
from stcmtl.io.pages import unpacked_bytes
from stcmtl.io.sources import File
from stcmtl.io.text import check_distinct

DAMAGE = (pa.ArrowException, OSError, ValueError, KeyError, TypeError, OverflowError, IndexError)
BATCH = 65_536


def read_parquet(file: File, limits: Limits) -> pd.DataFrame:
    try:
        with file.open() as handle:
            return frame_of(file.name, handle, limits)
    except ReadError:
        raise
    except DAMAGE:
        raise damaged(file.name) from None


def frame_of(name: str, handle: BinaryIO, limits: Limits) -> pd.DataFrame:
    plain = opened(name, handle, limits)
    check_footer(name, plain.metadata, handle, limits)
    schema = plain.schema_arrow
    check_distinct(name, schema.names)
    for field in schema:
        if pa.types.is_nested(field.type):
            raise fault(
                name, f"has lists or records in column {field.name!r}", "make it plain columns"
            )
    # Text stays one copy of each level: a small dictionary may stand for gigabytes of cells.
    texts = [f.name for f in schema if pa.types.is_string(f.type) or pa.types.is_binary(f.type)]
    source = pq.ParquetFile(handle, read_dictionary=texts)
    batches = []
    used = 0
    for batch in source.iter_batches(BATCH, use_threads=False):
        used += batch.nbytes
        limits.check(name, bytes_unpacked=used)
        batches.append(batch)
    table = pa.Table.from_batches(batches, schema=batches[0].schema if batches else schema)
    table.validate(full=True)
    return table.to_pandas(ignore_metadata=True, split_blocks=True, self_destruct=True)


def opened(name: str, handle: BinaryIO, limits: Limits) -> pq.ParquetFile:
    try:
        return pq.ParquetFile(handle, thrift_container_size_limit=limits.columns + 2)
    except OSError as error:
        if "size limit" in str(error).lower():
            raise fault(
                name,
                f"has more columns (or parts) than the limit of {limits.columns:,}",
                ("read a smaller part", allow("columns", "...")),
            ) from None
        raise


def check_footer(name: str, footer: pq.FileMetaData, handle: BinaryIO, limits: Limits) -> None:
    """Rows and columns by the footer, bytes by the headers of the pages."""
    limits.check_shape(name, footer.num_rows, footer.num_columns)
    budget = Budget(name, limits)
    if footer.num_rows < 0 or footer.num_row_groups * footer.num_columns > limits.cells:
        raise damaged(name)
    for group in (footer.row_group(g) for g in range(footer.num_row_groups)):
        for column in (group.column(c) for c in range(group.num_columns)):
            first = column.data_page_offset
            if column.has_dictionary_page and column.dictionary_page_offset:
                first = min(first, column.dictionary_page_offset)
            budget.spend(unpacked_bytes(handle, first, column.total_compressed_size))
