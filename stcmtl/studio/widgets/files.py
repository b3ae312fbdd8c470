"""Files to take along: tables as CSV or Excel, and the model."""

from collections.abc import Callable
from functools import partial
from importlib.util import find_spec
from pathlib import Path
from tempfile import TemporaryDirectory

import pandas as pd
import streamlit as st

from stcmtl.estimators.clustering import SemisoftTaskClustering
from stcmtl.io.model_file import to_bytes
from stcmtl.io.write import NOT_IN_EXCEL, write_workbook
from stcmtl.studio.widgets.controls import download, make_csv

HAS_EXCEL = find_spec("openpyxl") is not None


def offer_files(table: Callable[[], pd.DataFrame], name: str, what: str) -> None:
    """Buttons for a table, side by side."""
    makes = {"CSV": ("csv", make_csv)} | ({"Excel": ("xlsx", make_excel)} if HAS_EXCEL else {})
    with st.container(horizontal=True, gap="small"):
        for kind, (ending, make) in makes.items():
            file = f"{name}.{ending}"
            content = partial(make_bytes, make, table)
            download(f"{what} as {kind}", content, file, file, type="tertiary")


def make_bytes(make: Callable[[pd.DataFrame], bytes], table: Callable[[], pd.DataFrame]) -> bytes:
    return make(table())


def make_excel(frame: pd.DataFrame) -> bytes:
    """A workbook with one sheet, in which no text is a formula."""
    with TemporaryDirectory() as folder:
        path = Path(folder) / "table.xlsx"
        write_workbook({"table": frame.map(show_controls)}, path)
        return path.read_bytes()


def show_controls(cell: object) -> object:
    """Control characters, which Excel cannot hold, as signs that something was there."""
    return NOT_IN_EXCEL.sub("\ufffd", cell) if isinstance(cell, str) else cell


def offer_model(model: SemisoftTaskClustering, key: str) -> None:
    """The fitted model, as ``stcmtl.load`` reads it."""
    help = "Python reads it again with stcmtl.load, the command line with stcmtl predict."
    content = partial(to_bytes, model)  # where it is made there is no session
    download("Model file", content, "model.stcmtl", f"{key}.model", type="tertiary", help=help)
