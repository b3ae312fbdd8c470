"""The whole diagnosis as one file to keep or send."""

from stcmtl.studio.start import require

require(__file__)

import streamlit as st

from stcmtl.evaluation import choices, summary
from stcmtl.phrases import counted
from stcmtl.report import report_html
from stcmtl.studio.state.session import current
from stcmtl.studio.widgets import page
from stcmtl.studio.widgets.controls import download
from stcmtl.studio.words import findings

result = page.need_fit("Report")
model, data = result.model, result.data
curve = None if (drawn := current().curve) is None else drawn.path
found = getattr(model, "choices_", ())
has_chosen, clustered = len(found) > 1, len(model.cluster_coef_) > 0


def make() -> bytes:
    html = report_html(model, data.train, test=data.test, selection=curve, title=data.name)
    return html.encode("utf-8", errors="xmlcharrefreplace")


def choice_part() -> str:
    """What was chosen, or the curve over K alone."""
    if has_chosen:
        return f"**What the data speak for**: {choices.say_taken(found)}."
    return f"**How many clusters**: {findings.number_of_clusters(curve)}." if curve else ""


def contents() -> list[str]:
    """What the file holds, in its order."""
    parts = [
        f"**Summary**: {findings.memberships(result)}. {summary.method_account(model)}",
        f"**How well it predicts**: {findings.prediction(result)}" if data.test is not None else "",
        f"**Wild values**: {told}" if (told := summary.suspects_account(model)) else "",
        choice_part(),
        f"**Memberships**: {counted(len(model.task_names_), 'task')} among the clusters."
        if clustered
        else "",
        f"**Coefficients**: {findings.coefficients(result)}.",
        f"**Similarity**: {findings.similarity(result)}.",
        f"**Outlier tasks**: {findings.outliers(result, result.choice.fence)}."
        if clustered
        else "",
        "**Tasks**: one row each, with its cluster, its shares and its errors.",
        f"**Convergence**: {findings.convergence(result)}." if clustered else "",
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
if curve is None and not has_chosen:
    st.page_link(
        page.CHOOSE_PAGE, label="Let the data choose and fit with that: the report then says why",
        icon=":material/show_chart:",
    )  # fmt: skip
