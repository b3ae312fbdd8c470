"""The whole diagnosis as one file to keep or send."""

from stcmtl.studio.start import require

require(__file__)

import streamlit as st

from stcmtl.evaluation import summary
from stcmtl.phrases import counted
from stcmtl.report import report_html
from stcmtl.studio.state.session import current
from stcmtl.studio.widgets import page
from stcmtl.studio.widgets.controls import download
from stcmtl.studio.words import findings

result = page.need_fit("Report")
model, data = result.model, result.data
curve = None if (drawn := current().curve) is None else drawn.path


def make() -> bytes:
    html = report_html(model, data.train, test=data.test, selection=curve, title=data.name)
    return html.encode("utf-8", errors="xmlcharrefreplace")


def contents() -> list[str]:
    """What the file holds, in its order."""
    parts = [
        f"**Summary**: {findings.memberships(result)}. {summary.method_account(model)}",
        f"**How well it predicts**: {findings.prediction(result)}" if data.test is not None else "",
        f"**How many clusters**: {findings.number_of_clusters(curve)}." if curve else "",
        f"**Memberships**: {counted(len(model.task_names_), 'task')} on the simplex and as bars.",
        f"**Coefficients**: {findings.coefficients(result)}.",
        f"**Similarity**: {findings.similarity(result)}.",
        f"**Outlier tasks**: {findings.outliers(result, result.choice.fence)}.",
        "**Tasks**: one row each, with its cluster, its shares and its errors.",
        f"**Convergence**: {findings.convergence(result)}.",
        "**Settings, versions and what the words mean**, so that others can repeat it.",
    ]
    return [part for part in parts if part]


page.begin(
    "Take the diagnosis with you",
    "One HTML file with figures to zoom into. It opens anywhere, prints, and needs no network.",
)
download("Download the report", make, "stcmtl-report.html", "report.download", type="primary")
st.header("What is inside", anchor=False)
st.markdown("\n".join(f"1. {part}" for part in contents()))
if curve is None:
    st.page_link(
        "pages/choose_k.py", label="Draw the curve over K, and it joins the report",
        icon=":material/show_chart:",
    )  # fmt: skip
