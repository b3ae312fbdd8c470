"""How alike tasks are, as a heatmap: pure tasks of a cluster make a block; with purity above it."""

from collections.abc import Sequence
from typing import Any

import numpy as np
import plotly.graph_objects as go
from numpy.typing import ArrayLike
from plotly.subplots import make_subplots

from stcmtl.errors import InputError, Setting
from stcmtl.figures.pieces import Array, Flags, Index, order, style
from stcmtl.figures.pieces.calls import remember_call
from stcmtl.figures.pieces.picking import remember_tasks
from stcmtl.phrases import digits, hundredths

BARS = 0.24  # of the height, for purity
MAX_TASKS = 400  # 400 x 400 cells are under 1 MB of JSON


@remember_call
def similarity(
    S: ArrayLike,
    V: ArrayLike,
    *,
    pure: ArrayLike | None = None,
    purity: ArrayLike | None = None,
    signed: bool = False,
    top: float | None = None,
    heading: str = "Similarity",
    task_names: Sequence[object] | None = None,
    cluster_names: Sequence[object] | None = None,
    height: int = 700,
) -> go.Figure:
    """Draw the similarity of all pairs of tasks, in the order of their clusters.

    Parameters
    ----------
    S : array of shape (T, T), `model.similarity_` of a fitted model, or cosines made of it.
    pure, purity : arrays of T flags and T scores, `model.pure_` and `model.purity_`: pure tasks
        come first in their cluster and are outlined. By default from V.
    signed : give opposite tasks a colour of their own, as where patterns can be subtracted; by
        default zero and less are blank.
    top : where the colours end, so that several figures share them; 1 for cosines.
    heading : what the title begins with, such as "Before the fit".

    For the others see `stcmtl.figures`.

    >>> figure = figures.similarity(model.similarity_, V, task_names=model.task_names_)
    >>> figure.layout.title.text[:10]
    'Similarity'
    """
    S, V = check_square(S), np.asarray(V, dtype=float)
    K, flags = len(V), order.flag_pure(V, pure)
    top = find_darkest(S) if top is None else top
    unsorted = [] if K else ["Tasks in their own order: no cluster sorts them."]
    return draw_pairs(
        S,
        V,
        f"{heading}: {compare_blocks(S, order.main_clusters(V), flags, K)}",
        [*unsorted, *explain(S, flags, top, signed)],
        cells={
            "name": "similarity",
            "colorscale": style.DIVERGING if signed else style.SEQUENTIAL,
            "zmin": -top if signed else 0.0,
            "zmax": top,
            "hovertemplate": "%{y}<br>%{x}<br>similarity <b>%{z:,.3~r}</b><extra></extra>",
        },
        pure=flags,
        purity=purity,
        task_names=task_names,
        cluster_names=cluster_names,
        height=height,
    )


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

    >>> figures.blocks(model.similarity_, model.purity_, V, pure=model.pure_).layout.title.text
    '11 of 12 tasks are taken for pure'
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
        hovertemplate="%{x}<br>purity <b>%{y:,.3~r}</b><extra></extra>",
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
        ["Full bars: taken for pure. Strong colour: alike."],
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


def draw_pairs(
    S: Array,
    V: Array,
    title: str,
    sentences: list[str],
    *,
    cells: dict[str, Any],
    pure: Flags,
    purity: ArrayLike | None,
    task_names: Sequence[object] | None,
    cluster_names: Sequence[object] | None,
    height: int,
) -> go.Figure:
    """A number for every pair of tasks, in the order of clusters, whose pure tasks are outlined."""
    K, T = len(V), len(S)
    names, clusters = style.make_labels("task_names", task_names, T), order.main_clusters(V)
    shown = order.pick_evenly(order.tasks_by_cluster(V, pure, purity), MAX_TASKS)
    named = order.add_clusters(names, V, cluster_names)
    places, z = [named[i] for i in shown], S[np.ix_(shown, shown)].astype(np.float32)
    heatmap = go.Heatmap(z=z, x=places, y=places, colorbar=style.COLOUR_BAR, **cells)
    figure = go.Figure(heatmap)
    outline_blocks(figure, clusters[shown], pure[shown], K)
    order.strip_clusters(figure, clusters[shown], K)
    order.number_clusters(figure, clusters[shown], K, cluster_names)
    style.dress(
        figure,
        title,
        [*sentences, *order.say_left_out(T, len(shown))],
        picture=f"A heatmap with the same {len(shown)} tasks down and across"
        f"{', in the order of clusters' if K else ''}.",
        height=height,
        room_above=order.ROOM,
        margin={"b": 48},
    )
    name_axes(figure, places, [names[i] for i in shown])
    remember_tasks(figure, shown, shown)
    return figure


def check_square(S: ArrayLike) -> Array:
    S = np.asarray(S, dtype=float)
    if S.ndim != 2 or S.shape[0] != S.shape[1] or S.size == 0:
        raise InputError(
            f"has shape {S.shape}",
            where=Setting("S"),
            remedy="a similarity has tasks down and across",
        )
    return S


def find_darkest(S: Array) -> float:
    """Where the colours end: a few tasks with large coefficients must not pale all others."""
    between = S[~np.eye(len(S), dtype=bool)]
    alike = between[between > 0]
    return float(np.quantile(alike, 0.99)) if alike.size else float(S.max()) or 1.0


def outline_blocks(figure: go.Figure, clusters: Index, pure: Flags, n_clusters: int) -> None:
    colours = style.cluster_colours(n_clusters)
    for cluster, first, end in order.find_runs(np.where(pure, clusters, -1)):
        if 0 <= cluster < n_clusters:
            low, high = first - 0.5, end - 0.5
            rim = {"color": "#ffffff", "width": 5}  # or a blue outline is lost on blue cells
            for line in (rim, {"color": colours[cluster], "width": 2.5}):
                figure.add_shape(type="rect", x0=low, x1=high, y0=low, y1=high, line=line)


def compare_blocks(S: Array, clusters: Index, pure: Flags, n_clusters: int) -> str:
    """Means of what is drawn, of pairs of pure tasks of one cluster and of two."""
    if not n_clusters:
        return "no clusters, no blocks"
    chosen = pure & (clusters < n_clusters)
    same = clusters[:, None] == clusters
    both = chosen[:, None] & chosen & ~np.eye(len(S), dtype=bool)
    is_cosine = np.isin(np.diag(S).round(6), (0.0, 1.0)).all()
    say = hundredths if is_cosine else digits
    means = {
        name: say(float(S[pairs].mean()))
        for name, pairs in (("within", both & same), ("across", both & ~same))
        if pairs.any()
    }
    if not means:
        return "no pairs of pure tasks"
    return ", ".join(f"{mean} {name}" for name, mean in means.items())


def explain(S: Array, pure: Flags, top: float, signed: bool) -> list[str]:
    sentences = []
    if pure.any():
        sentences = [
            "Above: means within and across clusters.",
            "Outlined and numbered: the pure tasks of each cluster.",
        ]
    sentences.append(
        "Orange: alike; blue: opposite; blank: nothing in common."
        if signed
        else "Colour: similarity; blank: zero or negative."
    )
    if S.max() > 1.5 * top:
        sentences.append(f"Darkest: {digits(top)} and more.")
    return sentences


def name_axes(figure: go.Figure, places: list[str], names: list[str]) -> None:
    short = style.shorten(names)
    alias = {place: short.get(name, name) or " " for place, name in zip(places, names, strict=True)}
    frame = style.FRAME | {"labelalias": alias, "nticks": 12}
    figure.update_xaxes(**frame, range=[-0.5, len(places) - 0.5], showticklabels=False)
    figure.update_xaxes(title_text="task, in the same order", title_standoff=8)
    figure.update_yaxes(**frame, range=[len(places) - 0.5, -0.5], automargin=True)
    figure.update_yaxes(title_text="task", title_standoff=8)
