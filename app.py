"""The router of the dashboard: `streamlit run app.py`."""

from pathlib import Path

import streamlit as st

from stcmtl.studio import start
from stcmtl.studio.state import keeping
from stcmtl.studio.state.session import current
from stcmtl.studio.widgets import page

# A file of our own: the icons that Streamlit knows by name come from another machine.
ICON = Path(__file__).parent / ".streamlit" / "icon.svg"

SECTIONS = {
    "Start": [("home", "Home"), ("learn", "Learn")],
    "Data": [("data", "Data")],
    "Model": [("choose_k", "Choose K"), ("fit", "Fit")],
    "Explore": [
        ("overview", "Overview"),
        ("coefficients", "Coefficients"),
        ("similarity", "Similarity"),
        ("memberships", "Memberships"),
        ("convergence", "Convergence"),
        ("outliers", "Outliers"),
        ("trust", "Trust"),
    ],
    "Use": [
        ("new_tasks", "New tasks"),
        ("compare", "Compare"),
        ("paper", "Paper"),
        ("report", "Report"),
    ],
}

st.set_page_config(page_title="STCMTL Studio", page_icon=ICON, layout="wide")
chosen = st.navigation(
    {
        section: [
            st.Page(f"pages/{name}.py", title=title, default=name == "home")
            for name, title in pages
        ]
        for section, pages in SECTIONS.items()
    },
    expanded=True,
)
start.pass_on()
page.style()
keeping.recall(st.query_params.to_dict())
session = current()
session.follow_link(st.query_params.to_dict())
session.collect()
session.here = {}
with st.sidebar:
    page.show_status(chosen.url_path)
    page.one_entry_per_page()
try:
    chosen.run()
finally:  # a page may end early
    keeping.keep()
    link = current().query()
    if st.query_params.to_dict() != link:
        st.query_params.from_dict(link)
start.warm_up()
