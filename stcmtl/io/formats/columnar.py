"""Parquet and Arrow (feather) to a data frame."""

import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq

from stcmtl.io.account import Case, quote
from stcmtl.io.limits import library_faults
from stcmtl.io.sources import File

WIDE = 500  # columns; more of them are slower one by one than copied together


def read_parquet(file: File, case: Case) -> pd.DataFrame:
    with library_faults(file.name), file.open() as handle:
        source = pq.ParquetFile(handle)
        footer = source.metadata
        case.check_shape(footer.num_rows, footer.num_columns)
        groups = (footer.row_group(g) for g in range(footer.num_row_groups))
        case.check(bytes_unpacked=sum(group.total_byte_size for group in groups))
        check_plain(source.schema_arrow, case)
        return make_frame(source.read(use_threads=False))


def read_arrow(file: File, case: Case) -> pd.DataFrame:
    with library_faults(file.name), file.open() as handle:
        source = pa.ipc.open_file(handle)
        case.check(columns=len(source.schema), members=source.num_record_batches)
        check_plain(source.schema, case)
        batches, rows = [], 0
        for index in range(source.num_record_batches):
            batches.append(source.get_batch(index))
            rows += batches[-1].num_rows
            case.check_shape(rows, len(source.schema))
        return make_frame(pa.Table.from_batches(batches, source.schema))


def check_plain(schema: pa.Schema, case: Case) -> None:
    for field in schema:
        if pa.types.is_nested(field.type):
            what = f"has lists or records in column {quote(field.name)}"
            raise case.fault(what, "make it plain columns")


def make_frame(table: pa.Table) -> pd.DataFrame:
    table.validate(full=True)
    return table.to_pandas(
        ignore_metadata=True,
        split_blocks=table.num_columns < WIDE,
        self_destruct=True,
        date_as_object=False,
    )
