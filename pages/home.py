"""One paragraph, one picture, three ways in."""

from stcmtl.studio.start import require

require(__file__)

from pathlib import Path

import streamlit as st

from stcmtl.studio import widgets
from stcmtl.studio.state.choices import PRESETS
from stcmtl.studio.state.loading import find_absence
from stcmtl.studio.state.session import current
from stcmtl.studio.widgets import page
from stcmtl.studio.widgets.controls import Card, gallery

# Drawn in the grey and the colours of the figures, for light pages and dark ones.
DRAWING = Path(widgets.__file__).with_name("picture.svg")
IN_WORDS = (
    "Three clusters at the corners of a triangle, each with pure tasks around it and a pattern "
    "of coefficients beside it. Mixed tasks lie between the corners; one halfway between two "
    "corners has a pattern that is half of each."
)


def open_preset(name: str) -> None:
    current().fit_at_once(PRESETS[name].data, PRESETS[name].fit)


page.go_on()
page.open_with("See how your prediction tasks cluster")
words, drawing = st.columns([3, 2], vertical_alignment="center")
with words:
    st.markdown(
        "You have many related prediction problems: a school each, a country each, a patient "
        "each. Some of them are one problem in disguise. **Semisoft task clustering** finds the "
        "few patterns behind them: a *pure* task follows one pattern, a *mixed* task blends "
        "several, and every pattern uses few features. Tasks that share a pattern share their "
        "data too, and where there are such patterns, each is predicted better than alone."
    )
    with st.container(horizontal=True):
        for label, tab, icon in (
            ("Upload a file", "upload", ":material/upload:"),
            ("Simulate tasks", "simulate", ":material/casino:"),
            ("Reopen a session", "session", ":material/folder_open:"),
        ):
            st.page_link(page.DATA_PAGE, label=label, icon=icon, query_params={"tab": tab})
with drawing:
    st.image(DRAWING, width="stretch", alt=IN_WORDS)
st.header("Or start from a preset: one click to finished results", anchor=False)
gallery(
    {
        name: Card(preset.title, preset.sentence).lacking(find_absence(preset.data))
        for name, preset in PRESETS.items()
    },
    4, open_preset, "preset", icon=":material/play_arrow:",
)  # fmt: skip
