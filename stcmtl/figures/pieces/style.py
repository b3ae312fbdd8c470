"""One look for every figure: colours that survive colour blindness, light pages and dark pages,
a task's colour mixed from those of its clusters, names that cannot act as markup, and lines that
fit a phone.
"""

from collections.abc import Iterable, Sequence
from html import escape, unescape
from textwrap import wrap
from typing import Any

import numpy as np
import plotly.graph_objects as go
from numpy.typing import ArrayLike

from stcmtl.errors import InputError, Setting
from stcmtl.figures.pieces import Array

BLUE = "34, 116, 184"
ORANGE = "217, 97, 12"  # told from blue in every common form of colour blindness
NEGATIVE, POSITIVE = f"rgb({BLUE})", f"rgb({ORANGE})"

# The text of a figure saved on its own: grey enough for white paper and for a dark slide.
INK = "#737f8c"
GRID = "rgba(128, 140, 153, 0.25)"
RULE = "rgba(128, 140, 153, 0.8)"

# The nine colours of clusters were searched for: the least distance between any two (in OKLab) is
# as large as could be found under normal vision and under each of the three colour blindnesses,
# with enough contrast on white and on the dashboard's dark page, and saturation low enough to be
# calm. They are ordered so that the first few are well apart also to the normal eye. A grey rim
# keeps the light ones visible on paper.
CLUSTERS = (
    "#3c69c3",  # blue
    "#f0b43c",  # amber
    "#b44b1e",  # brick
    "#4bb496",  # teal
    "#a587e1",  # violet
    "#875a78",  # plum
    "#c38700",  # ochre
    "#69e1b4",  # mint
    "#c3b4ff",  # lilac
)
RIM = {"color": "rgba(115, 127, 140, 0.9)", "width": 1}  # around a marker
NO_CLUSTER = "#87919b"  # an outlier task, or any where there are no clusters

# Strength is opacity, so that weak cells fade into whatever page is behind them. An exact zero
# has no colour at all, and the smallest other value starts at a third, never mistaken for zero.
FAINT = 0.33
NEXT_TO_ZERO = 1e-9
DIVERGING = [
    [0.0, f"rgba({BLUE}, 1)"],
    [0.5 - NEXT_TO_ZERO, f"rgba({BLUE}, {FAINT})"],
    [0.5, "rgba(0, 0, 0, 0)"],
    [0.5 + NEXT_TO_ZERO, f"rgba({ORANGE}, {FAINT})"],
    [1.0, f"rgba({ORANGE}, 1)"],
]
SEQUENTIAL = [[0.0, f"rgba({BLUE}, 0)"], [1.0, f"rgba({BLUE}, 1)"]]

TEMPLATE = go.layout.Template(
    layout=go.Layout(
        paper_bgcolor="rgba(0, 0, 0, 0)",
        plot_bgcolor="rgba(0, 0, 0, 0)",
        font={"family": "Source Sans, Source Sans Pro, sans-serif", "size": 14, "color": INK},
        title={"x": 0, "xanchor": "left", "font": {"size": 17}},
        margin={"l": 60, "r": 20, "t": 70, "b": 60},
        modebar={"bgcolor": "rgba(0, 0, 0, 0)", "color": INK, "activecolor": NEGATIVE},
        hoverlabel={"align": "left"},
        xaxis={"gridcolor": GRID, "zerolinecolor": GRID, "linecolor": GRID},
        yaxis={"gridcolor": GRID, "zerolinecolor": GRID, "linecolor": GRID},
    )
)

# Beside the plot and as high, narrow enough for a narrow screen.
COLOUR_BAR = {
    "thickness": 10, "outlinewidth": 0, "x": 1, "xanchor": "left", "xpad": 6, "ypad": 0,
    "nticks": 6, "tickfont": {"size": 12},
}  # fmt: skip
LEGEND_BELOW = {"orientation": "h", "x": 0, "yref": "container", "y": 0, "yanchor": "bottom"}
# An axis of names, around the cells of a heatmap.
FRAME = {"type": "category", "showgrid": False, "showline": True, "mirror": True, "linecolor": GRID}

TOP_LEFT = {"x": 0, "xanchor": "left", "y": 1, "yanchor": "top", "pad": {"t": 10, "l": 4}}
TITLE_HEIGHT, LINE_HEIGHT, LARGER = 38, 17, 10  # and what large letters take in addition
LONGEST_TICK = 18
LINE = 54  # letters of a subtitle that fit on 360 pixels


def cluster_colours(n_clusters: int) -> list[str]:
    """One colour per cluster; from the tenth on they come again, lighter each time.

    >>> figures.cluster_colours(2)
    ['#3c69c3', '#f0b43c']
    """
    rounds, places = np.divmod(np.arange(n_clusters), len(CLUSTERS))
    own = to_light([CLUSTERS[place] for place in places])
    paled = 1.0 - (1.0 - own) * 0.6 ** rounds[:, None]
    return to_hex(paled)


def task_colours(V: ArrayLike) -> list[str]:
    """Each task's mixture of the colours of its clusters, in linear light.

    V has shape (K, T). A pure task has its cluster's colour; a task without memberships, as
    outliers are and all tasks where there are no clusters, is grey.

    >>> figures.task_colours([[1.0, 0.5], [0.0, 0.5]])
    ['#3c69c3', '#b39493']
    """
    V = np.asarray(V, dtype=float)
    mixed = to_hex(V.T @ to_light(cluster_colours(len(V))))
    return [mixed[i] if V[:, i].any() else NO_CLUSTER for i in range(V.shape[1])]


def to_light(colours: list[str]) -> Array:
    """Red, green and blue as amounts of light."""
    channels = [[int(colour[i : i + 2], 16) for i in (1, 3, 5)] for colour in colours]
    return (np.array(channels, dtype=float).reshape(-1, 3) / 255.0) ** 2.2


def to_hex(light: Array) -> list[str]:
    channels = np.rint(255.0 * np.clip(light, 0.0, 1.0) ** (1.0 / 2.2)).astype(int)
    return [f"#{r:02x}{g:02x}{b:02x}" for r, g, b in channels]


def diverging_axis(matrices: Iterable[Array], **more: object) -> dict[str, object]:
    """One scale of colours, centred at zero, for all of several matrices."""
    limit = max(float(np.abs(W).max()) for W in matrices) or 1.0
    ends = {"cmin": -limit, "cmax": limit}
    return {"colorscale": DIVERGING, "colorbar": COLOUR_BAR} | ends | more


def dress(
    figure: go.Figure,
    title: str,
    sentences: Sequence[str],
    *,
    picture: str,
    height: int,
    room_above: int = 12,
    margin: dict[str, int] | None = None,
    **layout: Any,
) -> None:
    """Give a figure the common look, its words, and room for them above the plot.

    Parameters
    ----------
    title : what the data say, in at most 40 letters, so that it fits a phone.
    sentences : how to read the figure and what is left out: the lines under the title.
    picture : what is drawn, for those who cannot see it; see `describe`.
    room_above : pixels between the words and the plot.
    layout : further parts of the figure's layout.

    All texts are plain: names in them need no escaping.
    """
    below_title = break_lines(sentences)
    top = TITLE_HEIGHT + LINE_HEIGHT * len(below_title) + room_above
    figure.update_layout(
        overwrite=True,  # a quarter of the time that merging takes
        template=TEMPLATE,
        height=height,
        title={
            "text": as_plain(title),
            "subtitle": {"text": "<br>".join(map(as_plain, below_title)), "font": {"size": 13}},
        }
        | TOP_LEFT,
        margin={"l": 60, "r": 12, "t": top, "b": 60, "pad": 0} | (margin or {}),
        meta={"description": " ".join([f"{title}.", picture, *sentences])},
        **layout,
    )


def shrink(figure: go.Figure, height: int) -> go.Figure:
    """The figure as a small view: without its words, whose reader follows it to its page.

    >>> figure = figures.memberships(V)
    >>> figures.shrink(figure, 200).layout.height
    200
    """
    above = figure.layout.margin.t - TITLE_HEIGHT - LINE_HEIGHT * count_lines(figure)
    margin = {"l": 44, "r": 12, "t": max(8, above), "b": min(30, figure.layout.margin.b)}
    if figure.layout.xaxis.showticklabels is False:  # what is below is no axis
        margin |= {"l": 12, "b": figure.layout.margin.b}
    if figure.layout.xaxis.side == "top":  # which makes its own room, beyond this
        margin["t"] = 8
    figure.update_layout(title=None, height=height, margin=margin, showlegend=False)
    figure.update_xaxes(title_text="", fixedrange=True, nticks=6, automargin=False)
    figure.update_xaxes(automargin=True, selector={"type": "category"})  # for names that stand
    figure.update_yaxes(fixedrange=True)
    return figure


def enlarge(figure: go.Figure, title: str) -> go.Figure:
    """The figure for a large room: letters and marks that are seen from the last row.

    Its words are left to whoever speaks there, but for the title.

    >>> figures.enlarge(figures.memberships(V), "Who is where").layout.font.size
    16
    """
    spared = figure.layout.margin.t - 66 if figure.layout.title.subtitle.text else 0
    figure.update_layout(
        title={"text": title, "subtitle": {"text": ""}, "font": {"size": 20}},
        font_size=16,
        margin_t=figure.layout.margin.t - max(0, spared),
        margin_b=figure.layout.margin.b + LARGER,
    )
    figure.update_annotations(font_size=16)
    figure.update_traces(marker_size=14, selector={"name": "tasks"})
    figure.update_traces(marker_size=20, selector={"name": "true places"})
    return figure


def count_lines(figure: go.Figure) -> int:
    """Of what stands under the title."""
    text = figure.layout.title.subtitle.text or ""
    return text.count("<br>") + bool(text)


def draw_words(title: str, sentences: Sequence[str]) -> go.Figure:
    """A figure that says why there is nothing to draw."""
    figure = go.Figure()
    dress(figure, title, sentences, picture="Nothing is drawn.", height=130, margin={"b": 0})
    figure.update_xaxes(visible=False)
    figure.update_yaxes(visible=False)
    return figure


def describe(figure: go.Figure) -> str:
    """A figure in words: what it shows, what is drawn, and how to read it.

    >>> figures.describe(figures.purity(model.purity_, V))[:58]
    '11 of 12 tasks pass the purity cut. Purity of 12 tasks, so'
    """
    return str(figure.layout.meta["description"])


def as_plain(text: object) -> str:
    """A text that plotly shows letter by letter: it would take <b> for markup."""
    return escape(str(text), quote=False)


def make_labels(argument: str, names: Sequence[object] | None, count: int) -> list[str]:
    """One distinct label each, fit for plotly; numbers from 1 where there are no names."""
    if names is None:
        return [str(i) for i in range(1, count + 1)]
    if len(names) != count:
        raise InputError(
            f"has {len(names)} names where {count} are needed", where=Setting(argument)
        )
    found = [as_plain(name) for name in names]
    if len(set(found)) == count:
        return found
    # plotly would draw two equal names as one row.
    return [f"{label} ({i})" for i, label in enumerate(found, start=1)]


def name_clusters(
    names: Sequence[object] | None, n_clusters: int, noun: str = "cluster"
) -> list[str]:
    """What clusters are called, fit for plotly: a noun and their number where nobody named them."""
    numbered = [f"{noun} {k + 1}".strip() for k in range(n_clusters)]
    if names is None:
        return numbered
    labels = make_labels("cluster_names", names, n_clusters)
    return [
        number if label == f"cluster {k}" else label
        for k, (label, number) in enumerate(zip(labels, numbered, strict=True), start=1)
    ]


def shorten(labels: Iterable[str]) -> dict[str, str]:
    """What the axis shows for long names; the hover keeps the whole of them.

    Names that begin alike keep their ends.
    """
    whole = {label: unescape(label) for label in labels}
    long = {label: name for label, name in whole.items() if len(name) > LONGEST_TICK}
    for kept_at_end in (0, LONGEST_TICK // 2):
        cut = {label: cut_out(name, kept_at_end) for label, name in long.items()}
        if len(set(cut.values())) == len(cut):
            break
    return cut


def cut_out(name: str, kept_at_end: int) -> str:
    """As many letters as a tick has room for, so many of them from the end of a name."""
    first = name[: LONGEST_TICK - 1 - kept_at_end]
    return as_plain(f"{first}…{name[len(name) - kept_at_end :]}")


def names_below(labels: Sequence[str], title: str) -> dict[str, object]:
    """An axis of names, some of them, which stand on end where they are long."""
    ends = [-0.5, len(labels) - 0.5]
    ticks = {"labelalias": shorten(labels), "nticks": 8, "autotickangles": [0, 90]}
    return {"type": "category", "title": {"text": title, "standoff": 8}, "range": ends} | ticks


def break_name(label: str, letters: int, lines: int = 3) -> str:
    """A name on so many lines of so many letters, fit for plotly; what is left is cut off."""
    found = wrap(unescape(label), letters)
    if len(found) > lines:
        last = " ".join(found[lines - 1 :])[: letters - 1].rstrip()
        found = [*found[: lines - 1], f"{last}…"]
    return "<br>".join(map(as_plain, found))


def longest_tick(labels: Iterable[str]) -> int:
    """Pixels that the longest label of an axis takes, as far as the axis shows it."""
    return max(8 * min(LONGEST_TICK, len(unescape(label))) for label in labels)


def break_lines(sentences: Iterable[str]) -> list[str]:
    """Sentences broken into lines, each sentence on a line of its own."""
    return [line for sentence in sentences for line in wrap(sentence, LINE)]
