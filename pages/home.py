"""One paragraph, one picture, three ways in."""

import streamlit as st

from stcmtl.studio import page, progress, session
from stcmtl.studio.presets import PRESETS, Preset

FIRST_PICTURE = "pages/memberships.py"


def take(preset: Preset) -> None:
    """Open the preset's data, fit it, and go where its picture is."""
    session.put("fit_choice", preset.fit)
    try:
        session.open_data(preset.data)
    except ValueError as error:
        session.put("error", str(error))
        return
    session.put("fit_choice", preset.fit)
    session.run_fit()
    session.put("go", True)


if session.get("go"):
    session.put("go", None)
    st.switch_page(FIRST_PICTURE)
st.title("See how your prediction tasks cluster", anchor=False)
progress.watch()
st.markdown(
    "You have many related prediction problems: a school each, a country each, a patient each. "
    "Some of them are one problem in disguise. **Semisoft task clustering** finds the few "
    "patterns behind them: a *pure* task follows one pattern, a *mixed* task blends several, and "
    "every pattern uses few features."
)
st.subheader("Start from a preset", anchor=False)
cards = st.columns(4)
for i, (name, preset) in enumerate(PRESETS.items()):
    with cards[i % 4], st.container(border=True, height=190):
        st.markdown(f"**{preset.title}**  \n{preset.sentence}")
        st.button(
            "Open", key=f"preset.{name}", on_click=take, args=(preset,), width="stretch",
        )  # fmt: skip
st.subheader("Or bring your own", anchor=False)
with st.container(horizontal=True):
    st.page_link(page.DATA_PAGE, label="Simulate tasks", icon=":material/casino:")
    st.page_link(page.DATA_PAGE, label="Upload a file", icon=":material/upload:")
