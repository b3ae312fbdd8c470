"""Formats that say what their cells are: Parquet, Arrow (feather), Stata, SPSS, R and JSON.

Labels of values are categories, dates are dates. R's own files may hold a data frame, or matrices
and lists of matrices; JSON records, one per row or one per line, or columns and their data.
"""

import json
import re
import warnings
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd

from stcmtl.io.account import Case, list_names, quote
from stcmtl.io.arrays import ARRAY_KINDS, Cells, Record, Value, flatten
from stcmtl.io.formats.frames import check_distinct
from stcmtl.io.limits import library_faults
from stcmtl.io.sources import File

if TYPE_CHECKING:
    import pyarrow as pa

WIDE = 500  # columns; more of them are slower one by one than copied together
R_REMEDY = "save one data frame with saveRDS, or lists X and Y with one matrix per task"
HALF = re.compile("[\ud800-\udfff]")  # of a letter in UTF-16, alone no letter
HALF_LETTER = re.compile(r"\\u[dD][89a-fA-F]")  # as JSON escapes one
JSON_REMEDY = "save it as a list of records, one per row"


def read_parquet(file: File, case: Case) -> pd.DataFrame:
    import pyarrow.parquet as pq

    with library_faults(file.name), file.open() as handle:
        source = pq.ParquetFile(handle)
        footer = source.metadata
        case.check_shape(footer.num_rows, footer.num_columns)
        groups = (footer.row_group(g) for g in range(footer.num_row_groups))
        case.check(bytes_unpacked=sum(group.total_byte_size for group in groups))
        check_plain(source.schema_arrow, case)
        return make_frame(source.read(use_threads=False))


def read_arrow(file: File, case: Case) -> pd.DataFrame:
    import pyarrow as pa

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


def check_plain(schema: "pa.Schema", case: Case) -> None:
    from pyarrow.types import is_nested

    for field in schema:
        if is_nested(field.type):
            what = f"has lists or records in column {quote(field.name)}"
            raise case.fault(what, "make it plain columns")


def make_frame(table: "pa.Table") -> pd.DataFrame:
    table.validate(full=True)
    return table.to_pandas(
        ignore_metadata=True,
        split_blocks=table.num_columns < WIDE,
        self_destruct=True,
        date_as_object=False,
    )


def read_stata(file: File, case: Case) -> pd.DataFrame:
    with library_faults(file.name), warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of labels that only some values have
        try:
            with file.open() as handle:
                frame = pd.read_stata(handle)
        except ValueError as error:
            if "not unique" not in str(error):
                raise
            case.notes.append("Two values have the same label, so numbers stand for all labels")
            with file.open() as handle:
                frame = pd.read_stata(handle, convert_categoricals=False)
    case.check_shape(*frame.shape)
    return frame


def read_spss(file: File, case: Case) -> pd.DataFrame:
    import pyreadstat

    handle: Any
    with library_faults(file.name), file.open() as handle:
        about = pyreadstat.read_sav(handle, metadataonly=True)[1]
        case.check_shape(about.number_rows or 0, about.number_columns or 0)
        handle.seek(0)
        return pyreadstat.read_sav(handle, apply_value_formats=True)[0]


def read_r(file: File, case: Case) -> pd.DataFrame | dict[str, Value]:
    import rdata

    with library_faults(file.name), warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of classes that it does not know
        content = rdata.conversion.convert(rdata.parser.parse_data(file.read()))
    while isinstance(content, dict) and len(content) == 1:
        content = next(iter(content.values()))
    if isinstance(content, pd.DataFrame):
        case.check_shape(*content.shape)
        return content.reset_index(drop=True)
    if not isinstance(content, dict):
        raise case.fault("holds no data frame and no named matrices", R_REMEDY)
    case.check(members=len(content))
    tables = [str(name) for name, value in content.items() if isinstance(value, pd.DataFrame)]
    if tables:
        raise case.fault(f"holds {list_names([str(name) for name in content])}", R_REMEDY)
    found = {str(name): convert_r(value) for name, value in content.items()}
    arrays = flatten({name: value for name, value in found.items() if value is not None})
    if not arrays:
        raise case.fault("holds no data frame and no matrices of numbers", R_REMEDY)
    return arrays


def convert_r(value: Any) -> Any:
    """A matrix or vector, a list of such as cells, by name as a record; None for anything else."""
    if isinstance(value, dict):
        items: Record = {str(name): convert_r(item) for name, item in value.items()}
        return None if any(item is None for item in items.values()) else items
    if isinstance(value, list):
        arrays = [convert_r(item) for item in value]
        plain = all(isinstance(item, np.ndarray) for item in arrays)
        return Cells(arrays) if plain and arrays else None
    if isinstance(value, (str, float, int)) or hasattr(value, "to_numpy"):
        value = np.asarray(value)
    if not isinstance(value, np.ndarray) or value.dtype.kind not in ARRAY_KINDS:
        return None
    return value.astype(str) if value.dtype.kind in "US" else value


def read_json(file: File, case: Case) -> pd.DataFrame:
    data = file.read()
    with library_faults(file.name):
        text = data.decode(json.detect_encoding(data))
        try:
            content = json.loads(text)
        except json.JSONDecodeError:
            content = [json.loads(line) for line in text.split("\n") if line.strip()]
    names, columns = find_columns(find_rows(content, case), case)
    check_distinct(names, case)
    if HALF_LETTER.search(text):
        check_letters(names, columns, case)
    for name, column in zip(names, columns, strict=True):
        if any(isinstance(cell, (dict, list)) for cell in column):
            what = f"has lists or records in column {quote(name)}"
            raise case.fault(what, "make it plain columns")
    series = [pd.Series(column).infer_objects() for column in columns]
    return pd.DataFrame(dict(zip(names, series, strict=True)))


def check_letters(names: list[str], columns: list[list[Any]], case: Case) -> None:
    """JSON may escape half of a letter, which no table can hold and nobody can print."""
    for name, column in zip(names, columns, strict=True):
        for text in (name, *column):
            if isinstance(text, str) and HALF.search(text):
                what = f"has a text with what is no letter in column {quote(name)}"
                raise case.fault(what, "save it again as UTF-8")


def find_rows(content: Any, case: Case) -> list[Any]:
    """Records, or a row of names and rows of cells, in any of the usual wrappings."""
    if isinstance(content, list):
        return content
    if not isinstance(content, dict):
        raise case.fault("holds no table", JSON_REMEDY)
    names, data = content.get("columns"), content.get("data")
    if isinstance(names, list) and isinstance(data, list):
        return [names, *data]
    columns = [values for values in content.values() if isinstance(values, list)]
    if columns and len(columns) == len(content) and not any_dict(columns[0]):
        if len({len(column) for column in columns}) > 1:
            raise case.fault("has columns of different lengths", JSON_REMEDY)
        return [list(content), *map(list, zip(*columns, strict=True))]
    lists = {
        key: rows for key, rows in content.items() if isinstance(rows, list) and any_dict(rows)
    }
    if len(lists) == 1:
        case.notes.append(f"The table is what stands under {quote(next(iter(lists)))}")
        return next(iter(lists.values()))
    if content and all(isinstance(values, dict) for values in content.values()):
        rows = dict.fromkeys(row for values in content.values() for row in values)
        return [{name: values.get(row) for name, values in content.items()} for row in rows]
    raise case.fault("holds no table", JSON_REMEDY)


def any_dict(rows: list[Any]) -> bool:
    return bool(rows) and isinstance(rows[0], dict)


def find_columns(rows: list[Any], case: Case) -> tuple[list[str], list[list[Any]]]:
    case.check(rows=len(rows))
    if rows and all(isinstance(row, dict) for row in rows):
        names = list(dict.fromkeys(name for row in rows for name in row))
        case.check_shape(len(rows), len(names))
        return names, [[row.get(name) for row in rows] for name in names]
    if len(rows) > 1 and all(isinstance(row, list) for row in rows):
        header, body = rows[0], rows[1:]
        case.check_shape(len(body), len(header))
        if not all(isinstance(name, str) for name in header):
            raise case.fault("has rows without names of their columns", JSON_REMEDY)
        if uneven := next((n for n, row in enumerate(body, 1) if len(row) != len(header)), 0):
            what = f"has {len(body[uneven - 1])} cells in row {uneven} and {len(header)} names"
            raise case.fault(what, "correct that row")
        return header, [list(column) for column in zip(*body, strict=True)]
    raise case.fault("holds no table", JSON_REMEDY)
