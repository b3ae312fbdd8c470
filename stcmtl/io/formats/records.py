"""JSON to a data frame: records, one per row or one per line, or columns and their data."""

import json
from typing import Any

import pandas as pd

from stcmtl.io.account import Case, quote
from stcmtl.io.formats.frames import check_distinct
from stcmtl.io.limits import library_faults
from stcmtl.io.sources import File

REMEDY = "save it as a list of records, one per row"


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
    for name, column in zip(names, columns, strict=True):
        if any(isinstance(cell, (dict, list)) for cell in column):
            what = f"has lists or records in column {quote(name)}"
            raise case.fault(what, "make it plain columns")
    series = [pd.Series(column).infer_objects() for column in columns]
    return pd.DataFrame(dict(zip(names, series, strict=True)))


def find_rows(content: Any, case: Case) -> list[Any]:
    """Records, or a row of names and rows of cells, in any of the usual wrappings."""
    if isinstance(content, list):
        return content
    if not isinstance(content, dict):
        raise case.fault("holds no table", REMEDY)
    names, data = content.get("columns"), content.get("data")
    if isinstance(names, list) and isinstance(data, list):
        return [names, *data]
    columns = [values for values in content.values() if isinstance(values, list)]
    if columns and len(columns) == len(content) and not any_dict(columns[0]):
        if len({len(column) for column in columns}) > 1:
            raise case.fault("has columns of different lengths", REMEDY)
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
    raise case.fault("holds no table", REMEDY)


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
            raise case.fault("has rows without names of their columns", REMEDY)
        if uneven := next((n for n, row in enumerate(body, 1) if len(row) != len(header)), 0):
            what = f"has {len(body[uneven - 1])} cells in row {uneven} and {len(header)} names"
            raise case.fault(what, "correct that row")
        return header, [list(column) for column in zip(*body, strict=True)]
    raise case.fault("holds no table", REMEDY)
