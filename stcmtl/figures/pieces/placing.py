"""A triangle in which a click anywhere says where, and room beside it for tasks without a place."""

from collections.abc import Sequence

import numpy as np
import plotly.graph_objects as go

from stcmtl.figures.pieces import simplex
from stcmtl.figures.pieces.style import NO_CLUSTER, RIM

PLACES = "places"
STEPS = 20  # shares in steps of five percent
ASIDE = (0.62, 0.98)  # beside the corner at the top


def click_places(figure: go.Figure) -> None:
    """Let a click in a triangle pick the nearest shares of its corners, as customdata.

    A click picks points and nothing between them: so the triangle is covered with points that are
    not seen, close enough to catch every click, and what else is drawn there catches none.
    """
    figure.update_traces(hoverinfo="skip", hovertemplate=None)  # a template outdoes the other
    shares = np.array(
        [(a, b, STEPS - a - b) for a in range(STEPS + 1) for b in range(STEPS + 1 - a)]
    )
    points = simplex.places(shares.T / STEPS, simplex.corners(3))
    unseen = {"color": "rgba(0, 0, 0, 0)", "size": 22}
    figure.add_scatter(
        name=PLACES, x=points[:, 0], y=points[:, 1], mode="markers", marker=unseen,
        customdata=(shares / STEPS).tolist(), hoverinfo="none", showlegend=False,
    )  # fmt: skip
    figure.update_layout(hovermode="closest", dragmode=False)
    figure.update_traces(unselected={"marker": {"opacity": 1}})  # nothing fades after a click


def put_aside(figure: go.Figure, names: Sequence[str]) -> None:
    """Tasks that were set aside, as crosses beside a triangle."""
    x, y = ASIDE
    figure.add_scatter(
        name="set aside", x=[x + 0.14 * i for i in range(len(names))], y=[y] * len(names),
        mode="markers", marker={"symbol": "x", "size": 14, "color": NO_CLUSTER, "line": RIM},
        hovertext=list(names), hovertemplate="%{hovertext}: set aside<extra></extra>",
        showlegend=False, cliponaxis=False,
    )  # fmt: skip
    figure.add_annotation(
        text="set aside", x=x - 0.06, y=y - 0.08, xanchor="left", yanchor="top", showarrow=False
    )
