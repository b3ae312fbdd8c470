"""How the simplex of memberships is to be drawn."""

from __future__ import annotations

import streamlit as st

SOLID, FLAT = SHAPES = ("Solid", "Flat")


def choose(n_clusters: int) -> tuple[list[int] | None, bool]:
    """Three clusters to look at alone, where there are more, and whether four lie flat."""
    if n_clusters <= 3:
        return None, False
    with st.container(horizontal=True, vertical_alignment="bottom", gap="medium"):
        shape = FLAT
        if n_clusters == 4:
            shape = st.segmented_control(
                "Shape", SHAPES, default=SOLID, required=True, key="memberships.shape",
                persist_state="session",
            )  # fmt: skip
        clusters = three_of(n_clusters)
    if clusters is None and shape == SOLID:
        st.caption("To pick tasks in this picture, choose Flat: a solid one can only be turned.")
    return clusters, shape == FLAT


def three_of(n_clusters: int) -> list[int] | None:
    """The chosen three, once they are three."""
    chosen = st.multiselect(
        "Only three clusters", range(n_clusters), format_func=lambda k: f"Cluster {k + 1}",
        max_selections=3, key=f"memberships.clusters.{n_clusters}", placeholder="All of them",
        persist_state="session", width=420,
    )  # fmt: skip
    if 0 < len(chosen) < 3:
        st.caption("Choose three clusters to see their triangle.")
    return chosen if len(chosen) == 3 else None
