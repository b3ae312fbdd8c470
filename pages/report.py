"""The whole diagnosis as one file to keep or send."""

import tempfile
from pathlib import Path

import streamlit as st

from stcmtl.report import write_report
from stcmtl.studio import page, session

result = page.need_fit("Report")
page.begin("Take the diagnosis with you", "One HTML file that opens anywhere, without a network.")


def make() -> bytes:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "report.html"
        write_report(
            path, result.model, result.data.train, test=result.data.test,
            selection=session.curve(), title=result.data.name,
        )  # fmt: skip
        return path.read_bytes()


st.download_button(
    "Download the report", make, "stcmtl-report.html", "text/html", on_click="ignore",
    type="primary", icon=":material/download:",
)  # fmt: skip
