"""Similarity before any cluster is known, and above it the purity that is read from it."""

from collections.abc import Sequence

import numpy as np
import plotly.graph_objects as go
from numpy.typing import ArrayLike
from plotly.subplots import make_subplots

from stcmtl.figures.pieces import order, style
from stcmtl.figures.pieces.calls import remember_call

BARS = 0.24  # of the height, for purity


@remember_call
def blocks(
    similarity: ArrayLike,
    purity: ArrayLike,
    V: ArrayLike,
    *,
    pure: ArrayLike,
    colours: Sequence[str] | None = None,
    task_names: Sequence[object] | None = None,
    height: int = 560,
) -> go.Figure:
    """Draw how alike tasks are, in the order of their clusters, below bars of their purity.

    Parameters
    ----------
    similarity : array of shape (T, T) of cosines; zero and less are blank.
    purity, pure : arrays of T scores and T flags: those taken for pure have a full bar.
    colours : of the T bars; by default those of the clusters in V.

    For the others see `stcmtl.figures`.
    """
    S, score, flags = np.asarray(similarity, float), np.asarray(purity, float), np.asarray(pure)
    names = style.make_labels("task_names", task_names, len(S))
    shown = order.tasks_by_cluster(V, flags, score)
    places, bars = [names[i] for i in shown], colours or style.task_colours(V)
    figure = make_subplots(
        rows=2, shared_xaxes=True, row_heights=[BARS, 1 - BARS], vertical_spacing=0.03
    )
    figure.add_bar(
        name="purity",
        x=places,
        y=score[shown],
        marker={
            "color": [bars[i] for i in shown],
            "opacity": np.where(flags[shown], 1.0, 0.45),
            "line": style.RIM,
        },
        customdata=shown,
        hovertemplate="%{x}<br>purity <b>%{y:.3~g}</b><extra></extra>",
        row=1,
        col=1,
    )
    figure.add_heatmap(
        name="similarity",
        x=places,
        y=places,
        z=S[np.ix_(shown, shown)].astype(np.float32),
        colorscale=style.SEQUENTIAL,
        zmin=0.0,
        zmax=1.0,
        showscale=False,
        hovertemplate="%{y}<br>%{x}<br>cosine <b>%{z:.2f}</b><extra></extra>",
        row=2,
        col=1,
    )
    style.dress(
        figure,
        f"{int(flags.sum())} of {len(S)} tasks are taken for pure",
        ["Full bars: taken for pure. Dark cells: alike."],
        picture=f"Purity of {len(S)} tasks as bars, above a heatmap of how alike any two are.",
        height=height,
        margin={"b": 40, "l": 64},
        showlegend=False,
        bargap=0.15,
    )
    ends = [-0.5, len(S) - 0.5]
    figure.update_xaxes(**style.FRAME, range=ends, showticklabels=False)
    figure.update_xaxes(title_text="task, in the same order", row=2, title_standoff=8)
    figure.update_yaxes(title_text="purity", range=[0, 1.05], nticks=3, showgrid=False, row=1)
    figure.update_yaxes(**style.FRAME, range=ends[::-1], showticklabels=False, row=2)
    figure.update_yaxes(title_text="task", row=2)
    return figure
