"""What the theme cannot say: captions and primary buttons that everybody can read."""

from __future__ import annotations

import streamlit as st

from stcmtl.studio.work.warm import UNSEEN

# Streamlit fades captions below what the accessibility guidelines ask for, and writes white on
# the dark theme's light primary colour.
QUIET = {"light": "#55606c", "dark": "#aab4be"}
ON_PRIMARY = {"light": "#ffffff", "dark": "#12161b"}


def apply() -> None:
    theme = st.context.theme.type or "light"
    st.html(
        f"""<style>
        [data-testid="stCaptionContainer"] {{ opacity: 1; }}
        [data-testid="stCaptionContainer"] p {{ color: {QUIET[theme]}; opacity: 1; }}
        [data-testid="stBaseButton-primary"] {{ color: {ON_PRIMARY[theme]}; }}
        [class*="st-key-{UNSEEN}"] {{ display: none; }}
        </style>"""
    )
