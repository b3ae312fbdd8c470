"""The whole diagnosis as one file to keep or send."""

from stcmtl.studio.start import require

require(__file__)

from collections.abc import Callable
from functools import partial

import streamlit as st

from stcmtl.evaluation import summary, verdicts
from stcmtl.phrases import counted, listed
from stcmtl.report import report_html
from stcmtl.studio.state.session import current
from stcmtl.studio.widgets import page
from stcmtl.studio.widgets.controls import download
from stcmtl.studio.widgets.session_form import save_button
from stcmtl.studio.words import findings
from stcmtl.studio.words.sentences import literal

result = page.need_fit("Report")
model, data = result.model, result.data
curve = None if (drawn := current().curve) is None else drawn.path
found = getattr(model, "choices_", ())
has_chosen, clustered = len(found) > 1, len(model.cluster_coef_) > 0
compared = {method: outcomes for method, (_, outcomes) in current().compared.items()}
doubts = [said for said in (findings.no_help(result),) if said]


def make(report: Callable[[], str]) -> bytes:
    """The file, of what was read on the page: downloads are made where there is no session."""
    return report().encode("utf-8", errors="xmlcharrefreplace")


def choice_part() -> str:
    """What was chosen, or the curve over K alone."""
    if has_chosen:
        return f"**What the data speak for**: {findings.choice(result)}."
    return (
        f"**How many clusters**: {findings.number_of_clusters(curve, data.train)}." if curve else ""
    )


def compared_part() -> str:
    """Who predicts best, of those that were compared."""
    common = verdicts.keep_common(compared)
    return verdicts.headline(common, summary.error_name(model)) or listed(list(common))


def contents() -> list[str]:
    """What the file holds, in its order."""
    parts = [
        f"**Summary**: {findings.memberships(result)}. {summary.method_account(model)}",
        f"**{findings.who_is_alike(result)}**: a card for each cluster, with its members and "
        "features."
        if clustered
        else "",
        f"**How well it predicts**: {findings.prediction(result)}" if data.test is not None else "",
        f"**Wild values**: {told}" if (told := summary.suspects_account(model)) else "",
        choice_part(),
        f"**Compared with other methods**: {compared_part()}." if compared else "",
        f"**Memberships**: {counted(int((model.labels_ >= 0).sum()), 'task')} among the clusters."
        if clustered
        else "",
        f"**Coefficients**: {findings.coefficients(result)}.",
        f"**Similarity**: {findings.similarity(result)}.",
        f"**Outlier tasks**: {findings.outliers(result, result.choice.fence)}."
        if clustered
        else "",
        "**Tasks**: one row each, with "
        f"{'its cluster, its shares and its errors' if clustered else 'its rows and its errors'}.",
        f"**Convergence**: {findings.convergence(result)}." if clustered else "",
        "**Settings, versions and what the words mean**, so that others can repeat it.",
    ]
    return [part for part in parts if part]


page.begin(
    "Take the diagnosis with you",
    "One HTML file with figures to zoom into. It opens anywhere, prints, and needs no network.",
)
report = partial(
    report_html, model, data.train, test=data.test, selection=curve, comparison=compared,
    errors=result.errors, doubts=doubts, title=data.name,
)  # fmt: skip
with st.container(horizontal=True):
    download(
        "Download the report", partial(make, report), "stcmtl-report.html", "report.download",
        type="primary",
    )  # fmt: skip
    save_button("report.save")
st.header("What is inside", anchor=False)
parts = [part.split("**", 2) for part in contents()]  # what is bold is ours, the rest has names
st.markdown("\n".join(f"1. **{part}**{literal(said)}" for _, part, said in parts))
if not compared:
    st.page_link(
        page.COMPARE_PAGE, label="Compare with other methods: the report then says who wins",
        icon=":material/leaderboard:",
    )  # fmt: skip
if curve is None and not has_chosen:
    st.page_link(
        page.CHOOSE_PAGE, label="Let the data choose and fit with that: the report then says why",
        icon=":material/show_chart:",
    )  # fmt: skip
