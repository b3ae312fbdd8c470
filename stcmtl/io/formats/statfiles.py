"""Files of statistics programs: Stata, SPSS and R.

Labels of values are categories, dates are dates. R's own files may hold a data frame, or matrices
and lists of matrices.
"""

import warnings
from typing import Any

import numpy as np
import pandas as pd

from stcmtl.io.account import Case, list_names
from stcmtl.io.arrays import ARRAY_KINDS, Cells, Record, Value, flatten
from stcmtl.io.limits import library_faults
from stcmtl.io.sources import File

R_REMEDY = "save one data frame with saveRDS, or lists X and Y with one matrix per task"


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
