"""Who is alike, and why, on one screen; below it a card for each cluster."""

from stcmtl.studio.start import require

require(__file__)

import streamlit as st

from stcmtl.studio.state.session import FIRST_PICTURE
from stcmtl.studio.widgets import cluster_cards, glances, page, task_card
from stcmtl.studio.words import findings
from stcmtl.studio.words.sentences import literal

result = page.show_result("Overview", findings.memberships)
K = len(result.model.cluster_coef_)
if not findings.no_help(result):
    st.caption(findings.prediction(result))
with st.container(key="beside-overview"):
    places, patterns = st.columns(2)
with places:
    glances.show_places(result)
with patterns:
    glances.show_patterns(result)
with st.container(key="row-overview"):
    errors, outliers, doubts = st.columns(3)
with errors:
    glances.show_errors(result)
with outliers:
    glances.show_outliers(result)
with doubts:
    glances.show_doubts(result)
task_card.search(result, "overview.find")
if K:
    st.header(literal(findings.who_is_alike(result)), anchor=False)
    cluster_cards.show_cards(result)
page.show_next(FIRST_PICTURE)
