"""The router of the dashboard: `streamlit run app.py`."""

from pathlib import Path

import streamlit as st

# A file of our own: the icons that Streamlit knows by name come from another machine.
ICON = Path(__file__).parent / ".streamlit" / "icon.svg"

st.set_page_config(page_title="STCMTL Studio", page_icon=ICON, layout="wide")

st.navigation([st.Page("pages/simulate.py", title="Simulate", default=True)]).run()
