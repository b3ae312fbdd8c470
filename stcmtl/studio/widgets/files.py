"""Files to take along: tables as CSV or Excel, the model, and charts as PNG or SVG.

A picture is made by the plotly that drew the chart in the browser: the server has nothing to draw
one with, and plotly's own camera knows one format at a time.
"""

import re
from collections.abc import Callable
from functools import partial
from importlib.util import find_spec
from pathlib import Path
from tempfile import TemporaryDirectory

import pandas as pd
import streamlit as st
from streamlit.components import v2

from stcmtl.estimators.clustering import SemisoftTaskClustering
from stcmtl.io.model_file import to_bytes
from stcmtl.io.write import NOT_IN_EXCEL, write_workbook
from stcmtl.studio.widgets.controls import download, make_csv

HAS_EXCEL = find_spec("openpyxl") is not None
HTML = """
<button type="button" data-format="png">Picture as PNG</button>
<button type="button" data-format="svg" aria-label="Picture as SVG">SVG</button>
<span role="status"></span>
"""
CSS = """
button {
  font: inherit; font-size: 0.875rem;
  color: var(--st-text-color); background: var(--st-background-color);
  border: 1px solid var(--st-border-color); border-radius: var(--st-button-radius);
  padding: 0.25rem 0.75rem; margin-right: 0.5rem; min-height: 2.5rem; cursor: pointer;
}
button:hover, button:focus-visible {
  color: var(--st-primary-color); border-color: var(--st-primary-color);
}
span { font-size: 0.875rem; }
"""
JS = """
export default function ({ data, parentElement }) {
  const told = parentElement.querySelector("span");
  for (const button of parentElement.querySelectorAll("button")) {
    button.onclick = () => {
      const plot = document.querySelector(`.${data.chart} .js-plotly-plot`);
      told.textContent = plot ? "" : "The figure is not there yet: try again in a moment.";
      if (!plot) return;
      const { offsetWidth: width, offsetHeight: height } = plot;
      const format = button.dataset.format;
      window.Plotly.downloadImage(plot, { format, width, height, scale: 2, filename: data.name });
    };
  }
}
"""


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


buttons = v2.component("stcmtl_picture", html=HTML, css=CSS, js=JS)


def offer_pictures(chart: str, name: str) -> None:
    """Buttons for the chart that is drawn under the key ``chart``; ``name`` is the file's."""
    buttons(data={"chart": name_class(chart), "name": name}, key=f"{name}.picture")


def name_class(key: str) -> str:
    """The class that Streamlit gives to what has a key."""
    return "st-key-" + re.sub(r"[^a-zA-Z0-9_-]", "-", key.strip())
