"""Simulate tasks, open an example or upload a file; then look at them."""

from stcmtl.studio.start import require

require(__file__)

import streamlit as st

from stcmtl.evaluation import summary
from stcmtl.io.account import shorten
from stcmtl.studio.state.choices import SOURCES
from stcmtl.studio.state.session import current
from stcmtl.studio.widgets import data, page
from stcmtl.studio.widgets.model_form import model_form
from stcmtl.studio.widgets.session_form import session_form
from stcmtl.studio.widgets.upload_form import upload_form
from stcmtl.studio.words.sentences import literal

FORMS = {
    "Simulate": data.simulate_form,
    "Examples": data.examples_form,
    "Upload": upload_form,
    "Session": session_form,
    "Model": model_form,
}
TABS = tuple(FORMS)  # in the order of the sources, a saved session, and a saved model

page.go_on()
top = st.container()
asked = st.query_params.get("tab", "").capitalize()
if asked in TABS:
    st.session_state["data.tab"] = asked
    del st.query_params["tab"]
in_hand = TABS[SOURCES.index(current().data_choice.source)]
tabs = st.tabs(TABS, default=in_hand, key="data.tab", on_change="rerun")
for tab, form in zip(tabs, FORMS.values(), strict=True):
    if tab.open:
        with tab:
            form()
loaded = current().data
with top:
    if loaded is None:
        page.open_with("Simulate tasks, open an example or upload a file")
    else:
        page.begin(summary.data_account(loaded.train, loaded.test), literal(shorten(loaded.name)))
if loaded is not None:
    data.show_overview(loaded)
    page.show_next(page.DATA_PAGE)
