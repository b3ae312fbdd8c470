"""Files of statistics programs, Stata and SPSS: labels of values as categories, dates as dates."""

from __future__ import annotations

import warnings
from typing import Any

import pandas as pd

from stcmtl.io.account import Case
from stcmtl.io.limits import library_faults
from stcmtl.io.sources import File


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
