"""Cluster numbers and colours above tasks that are drawn in the order of their clusters."""

from __future__ import annotations

import numpy as np
import plotly.graph_objects as go
from numpy.typing import NDArray

from stcmtl.figures.pieces.colours import NO_CLUSTER, cluster_colours
from stcmtl.figures.pieces.order import runs

LEAST_SHARE = 0.025  # of the width: a number needs that much on a phone
ROOM = 34  # pixels that the numbers and strips take above the plot


def number_clusters(figure: go.Figure, clusters: NDArray[np.intp], n_clusters: int) -> None:
    """The number of each cluster above its tasks, unless they are too few for it.

    `clusters` are the main clusters of the tasks from left to right, from 0; `n_clusters`
    stands for outliers.
    """
    for cluster, first, end in runs(clusters):
        if end - first >= LEAST_SHARE * len(clusters):
            figure.add_annotation(
                text="out" if cluster == n_clusters else str(cluster + 1),
                xref="x",
                yref="y domain",
                x=(first + end - 1) / 2,
                y=1,
                yshift=10,
                yanchor="bottom",
                showarrow=False,
                font_size=13,
            )


def strip_clusters(figure: go.Figure, clusters: NDArray[np.intp], n_clusters: int) -> None:
    """A strip in each cluster's colour above its tasks; parameters as for the numbers."""
    colours = [*cluster_colours(n_clusters), NO_CLUSTER]
    for cluster, first, end in runs(clusters):
        figure.add_shape(
            type="rect",
            xref="x",
            yref="y domain",
            x0=first - 0.45,
            x1=end - 0.55,
            y0=1.01,
            y1=1.02,
            fillcolor=colours[cluster],
            line_width=0,
        )


def cluster_name(cluster: int, n_clusters: int) -> str:
    return "outlier" if cluster == n_clusters else f"cluster {cluster + 1}"
