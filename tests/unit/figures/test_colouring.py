"""Tasks in the colours of a column: points take them, bars and heatmaps have a strip."""

import numpy as np
import pandas as pd
import plotly.graph_objects as go
import pytest

from stcmtl import figures
from stcmtl.figures.pieces.calls import call_of

V = np.array([[1.0, 1.0, 0.0, 0.0, 0.5], [0.0, 0.0, 1.0, 1.0, 0.5]])
REGION = pd.Series(["north", "south", "north", None, "north"], name="region")
SIZE = pd.Series([1.0, 3.0, np.nan, 2.0, 1.5], name="size")


def tasks_of(figure: go.Figure) -> dict[int, str]:
    (points,) = (trace for trace in figure.data if trace.name == "tasks")
    return dict(zip(np.ravel(points.customdata).tolist(), points.marker.color, strict=True))


def legend_of(figure: go.Figure) -> dict[str, str]:
    return {t.name: t.marker.color for t in figure.data if t.showlegend}


@pytest.mark.parametrize("clusters", [2, 4])
def test_points_take_the_colours_of_their_level(clusters: int) -> None:
    figure = figures.memberships(np.pad(V, ((0, clusters - 2), (0, 0))))
    figures.colour_tasks(figure, REGION)
    colours, legend = tasks_of(figure), legend_of(figure)
    assert list(legend) == ["north", "south", "unknown"]  # the most frequent first
    assert colours[0] == colours[2] == colours[4] == legend["north"]
    assert colours[1] == legend["south"]
    assert colours[3] == legend["unknown"]
    (points,) = (trace for trace in figure.data if trace.name == "tasks")
    assert points.hovertext[0].endswith("region: north")
    assert figure.layout.legend.title.text.strip() == "region"


def test_numbers_are_places_on_a_scale() -> None:
    figure = figures.purity([0.9, 0.8, 0.7, 0.6, 0.5], V, theta=0.5)
    before = figure.layout.height
    figures.colour_tasks(figure, SIZE)
    legend = legend_of(figure)
    assert list(legend) == ["1", "2", "3", "unknown"]
    (points,) = (t for t in figure.data if t.customdata is not None and t.mode == "markers")
    colours = dict(zip(points.customdata, points.marker.color, strict=True))
    assert [colours[i] for i in (0, 3, 1, 2)] == list(legend.values())
    assert len(set(colours.values())) == 5  # the fifth lies between
    assert figure.layout.height > before


def test_bars_keep_their_colours_and_get_a_strip() -> None:
    figure = figures.membership_bars(V)
    kept = [trace.marker.color for trace in figure.data]
    figures.colour_tasks(figure, REGION)
    assert [trace.marker.color for trace in figure.data[:2]] == kept
    assert not figure.data[0].showlegend
    legend = legend_of(figure)
    order = list(figure.data[0].customdata)
    shown = [""] * 5
    for strip in figure.layout.shapes:
        for place in range(5):
            if strip.x0 < place < strip.x1:
                shown[place] = strip.fillcolor
    said = REGION.fillna("unknown")
    assert shown == [legend[said[i]] for i in order]


def test_heatmaps_have_one_as_well() -> None:
    figure = figures.similarity(V.T @ V, V)
    n_shapes = len(figure.layout.shapes)
    figures.colour_tasks(figure, REGION)
    assert len(figure.layout.shapes) > n_shapes
    assert "Coloured by region." in figures.describe(figure)


def test_many_levels_share_a_colour() -> None:
    figure = figures.memberships(np.ones((1, 20)) * [[1.0]])
    figures.colour_tasks(figure, pd.Series([f"c{i}" for i in range(20)], name="city"))
    assert len(legend_of(figure)) == 10
    assert list(legend_of(figure))[-1] == "all others"


def test_names_cannot_act_as_markup() -> None:
    figure = figures.memberships(V)
    figures.colour_tasks(figure, pd.Series(["<b>x", "y", "y", "y", "y"], name="<i>"))
    assert "&lt;b&gt;x" in legend_of(figure)
    assert "<i>" not in figure.layout.legend.title.text


def test_a_figure_knows_the_call_that_drew_it() -> None:
    call = call_of(figures.membership_bars(V, height=300))
    assert call is not None
    assert (call.name, call.options) == ("membership_bars", {"height": 300})
    assert call.arguments[0] is V
    assert call_of(go.Figure()) is None


def test_every_public_figure_does() -> None:
    for name in figures.__all__:
        function = getattr(figures, name)
        if function.__module__.startswith("stcmtl.figures.plots") and "Figure" in str(
            function.__annotations__.get("return", "")
        ):
            assert hasattr(function, "__wrapped__"), f"put @remember_call above {name}"
