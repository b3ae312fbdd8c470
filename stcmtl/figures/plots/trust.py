"""How far to trust a fit: intervals of memberships, and what stays the same in resamples.

All take the arrays of a `Stability`, as `stcmtl.stability` gives it, beside those of the model.
"""

from collections.abc import Sequence
from html import unescape

import numpy as np
import plotly.graph_objects as go
from numpy.typing import ArrayLike

from stcmtl.figures.pieces import Array, Index, order, style
from stcmtl.figures.pieces.calls import remember_call
from stcmtl.figures.pieces.heatmaps import check_matrices, choose_window, dress_map
from stcmtl.figures.plots.bars import MAX_BARS, dress_bars
from stcmtl.figures.plots.memberships import ALONE
from stcmtl.figures.plots.similarity import check_square, draw_pairs
from stcmtl.phrases import counted

OFTEN = 0.9  # share of resamples
WHISKER = {"color": "#12161b", "thickness": 2, "width": 0}  # always within a bar


@remember_call
def membership_intervals(
    V: ArrayLike,
    lower: ArrayLike,
    upper: ArrayLike,
    *,
    level: float = 0.9,
    pure: ArrayLike | None = None,
    task_names: Sequence[object] | None = None,
    cluster_names: Sequence[object] | None = None,
    height: int = 380,
) -> go.Figure:
    """Draw memberships as bars, the main cluster of each task at the bottom with its interval.

    Parameters
    ----------
    lower, upper : arrays of shape (K, T), ends of the intervals: `stability(...).lower.T`.
    level : share of the intervals that hold the truth.

    For the others see `stcmtl.figures`.

    >>> shares, low = [[0.9, 0.4], [0.1, 0.6]], [[0.8, 0.2], [0.0, 0.4]]
    >>> high = [[1.0, 0.6], [0.2, 0.8]]
    >>> figures.membership_intervals(shares, low, high).layout.title.text
    'Given K = 2, 1 of 2 main clusters stays put'
    """
    V = np.asarray(V, dtype=float)
    low, high = (np.asarray(end, dtype=float) for end in (lower, upper))
    K, T = V.shape
    if not K:
        return style.draw_words(*ALONE)
    tasks = style.make_labels("task_names", task_names, T)
    called = style.name_clusters(cluster_names, K)
    shown = order.pick_evenly(order.tasks_by_cluster(V, pure), MAX_BARS)
    places, ranks = [tasks[i] for i in shown], np.argsort(-V, axis=0, kind="stable")
    colours, figure = style.cluster_colours(K), go.Figure()
    for place in range(K):
        own = ranks[place, shown]
        share, ends = V[own, shown], (low[own, shown], high[own, shown])
        if place and not share.any():
            break
        figure.add_bar(
            name=["main cluster", "second cluster", "third cluster"][place]
            if place < 3
            else f"cluster of rank {place + 1}",
            x=places,
            y=share,
            customdata=shown,
            marker={"color": [colours[k] for k in own], "line_width": 0},
            error_y=WHISKER
            | {"array": ends[1] - share, "arrayminus": share - ends[0], "visible": place == 0},
            hovertext=[
                f"{called[k]}: <b>{s:.0%}</b><br>from {a:.0%} to {b:.0%}"
                for k, s, a, b in zip(own, share, *ends, strict=True)
            ],
            hovertemplate="%{x}<br>%{hovertext}<extra></extra>",
        )
    clusters, inside = order.main_clusters(V), V.any(axis=0)
    order.number_clusters(figure, clusters[shown], K, cluster_names)
    n_firm = int((low.max(axis=0) > 0.5)[inside].sum())
    dress_bars(
        figure,
        places,
        f"Given K = {K}, {n_firm:,} of {counted(int(inside.sum()), 'main cluster')} "
        f"{stay(n_firm)} put",
        [
            f"Stays put: more than half of the task's membership, at {level:.0%}.",
            f"Whisker: where the share in the main cluster, at the bottom, lies at {level:.0%}.",
            "Sorted by main cluster, whose number is above.",
            *order.say_left_out(T, len(shown)),
        ],
        picture=f"A bar for each of {counted(len(shown), 'task')}, split by its clusters, with the "
        "interval of its largest share.",
        height=height,
        room_above=order.ROOM,
        barmode="stack",
        showlegend=False,
    )
    figure.update_yaxes(title_text="share", range=[0, 1.02], tickformat=".0%", showgrid=False)
    return figure


def stay(count: int) -> str:
    return "stays" if count == 1 else "stay"


@remember_call
def kept_clusters(
    kept: ArrayLike,
    pure_share: ArrayLike,
    V: ArrayLike,
    *,
    pure: ArrayLike | None = None,
    task_names: Sequence[object] | None = None,
    cluster_names: Sequence[object] | None = None,
    height: int = 360,
) -> go.Figure:
    """Draw how often each task keeps its main cluster, and how often it is pure.

    Parameters
    ----------
    kept, pure_share : arrays of T shares of resamples, `kept` and `pure` of a `Stability`.

    For the others see `stcmtl.figures`; tasks in no cluster are left out.

    >>> sure = stability(model, train.X, train.y, train.tasks, n_boot=2, random_state=0)
    >>> figures.kept_clusters(sure.kept, sure.pure, V).layout.title.text
    'How often each task keeps its cluster'
    """
    shares, pures = np.asarray(kept, dtype=float), np.asarray(pure_share, dtype=float)
    V = np.asarray(V, dtype=float)
    K, T = V.shape
    if not K:
        return style.draw_words(*ALONE)
    tasks = style.make_labels("task_names", task_names, T)
    inside = np.asarray(V.any(axis=0))
    by_cluster = [i for i in order.tasks_by_cluster(V, pure) if inside[i]]
    shown = order.pick_evenly(by_cluster, MAX_BARS)
    places, colours = [tasks[i] for i in shown], style.task_colours(V)
    looks = {"color": [colours[i] for i in shown], "line_width": 0}
    often = "%{x}<br>%{y:.0%} of resamples: "
    figure = go.Figure(
        [
            go.Bar(
                name="keeps its cluster", x=places, y=shares[shown], customdata=shown,
                marker=looks, hovertemplate=f"{often}the same main cluster<extra></extra>",
            ),
            go.Scatter(
                name="is pure", x=places, y=pures[shown], customdata=shown, mode="markers",
                marker={"color": "white", "symbol": "diamond", "size": 8, "line": style.RIM},
                cliponaxis=False, hovertemplate=f"{often}pure<extra></extra>",
            ),
        ]
    )  # fmt: skip
    order.number_clusters(figure, order.main_clusters(V)[shown], K, cluster_names)
    n_often = int((shares[inside] >= OFTEN).sum())
    dress_bars(
        figure,
        places,
        "How often each task keeps its cluster",
        [
            f"{n_often:,} of {counted(int(inside.sum()), 'task')}: in at least {OFTEN:.0%} of "
            "resamples.",
            "Bar: share of resamples with the same main cluster. Diamond: share in which it is "
            "pure.",
            *order.say_left_out(int(inside.sum()), len(shown)),
        ],
        picture=f"A bar and a diamond for each of {counted(len(shown), 'task')}, by main cluster.",
        height=height,
        room_above=order.ROOM,
        showlegend=False,
    )
    figure.update_yaxes(title_text="share of resamples", range=[0, 1], tickformat=".0%")
    return figure


@remember_call
def co_clustering(
    shares: ArrayLike,
    V: ArrayLike,
    *,
    pure: ArrayLike | None = None,
    purity: ArrayLike | None = None,
    task_names: Sequence[object] | None = None,
    cluster_names: Sequence[object] | None = None,
    height: int = 700,
) -> go.Figure:
    """Draw how often two tasks have the same main cluster, in the order of the similarity.

    Parameters
    ----------
    shares : array of shape (T, T), `co_clustering` of a `Stability`.
    pure, purity : as for `similarity`.

    For the others see `stcmtl.figures`.

    >>> sure = stability(model, train.X, train.y, train.tasks, n_boot=2, random_state=0)
    >>> figures.co_clustering(sure.co_clustering, V).layout.title.text
    'Together: 100% within clusters, 0% across'
    """
    C, V = check_square(shares), np.asarray(V, dtype=float)
    return draw_pairs(
        C,
        V,
        say_together(C, order.main_clusters(V), len(V)),
        [
            "Colour: share of resamples in which two tasks have the same main cluster.",
            "Outlined and numbered: the pure tasks of each cluster.",
        ],
        cells={
            "name": "together",
            "colorscale": style.SEQUENTIAL,
            "zmin": 0.0,
            "zmax": 1.0,
            "hovertemplate": "%{y}<br>%{x}<br>together in <b>%{z:.0%}</b> of resamples"
            "<extra></extra>",
        },
        pure=order.flag_pure(V, pure),
        purity=purity,
        task_names=task_names,
        cluster_names=cluster_names,
        height=height,
    )


def say_together(C: Array, clusters: Index, n_clusters: int) -> str:
    """How often pairs of one cluster, and of two, are together."""
    inside = np.flatnonzero(clusters < n_clusters)
    own = clusters[inside]
    same = own[:, None] == own
    pairs = same & ~np.eye(own.size, dtype=bool)
    shares = C[np.ix_(inside, inside)]
    if not pairs.any() or same.all():
        return "No two clusters to compare" if pairs.any() else "No cluster has two tasks"
    within, across = shares[pairs].mean(), shares[~same].mean()
    return f"Together: {within:.0%} within clusters, {across:.0%} across"


@remember_call
def feature_choices(
    selected: ArrayLike,
    U: ArrayLike,
    *,
    feature_names: Sequence[object] | None = None,
    feature_order: ArrayLike | None = None,
    cluster_names: Sequence[object] | None = None,
    height: int = 550,
) -> go.Figure:
    """Draw how often each cluster uses each feature; features that none ever uses are left out.

    Parameters
    ----------
    selected : array of shape (D, K), shares of resamples: `stability(...).selected.T`.
    U : array of shape (D, K), `model.cluster_coef_.T`: what the fit itself uses is marked.

    For the others see `stcmtl.figures`.

    >>> sure = stability(model, train.X, train.y, train.tasks, n_boot=2, random_state=0)
    >>> figures.feature_choices(sure.selected.T, U).layout.title.text
    '26 of 29 coefficients stay chosen'
    """
    if not np.shape(U)[1]:
        return style.draw_words(*ALONE)
    found = check_matrices(selected=selected, cluster=U)
    shares, used = found["selected"], found["cluster"] != 0
    called = [unescape(name) for name in style.name_clusters(cluster_names, shares.shape[1])]
    shown = choose_window([shares], called, feature_names, True, None, feature_order)
    hover = "%{y}<br>%{x}<br>chosen in <b>%{z:.0%}</b> of resamples<extra></extra>"
    figure = go.Figure(
        shown.heatmap(
            "chosen", shares, colorscale=style.SEQUENTIAL, zmin=0, zmax=1,
            colorbar=style.COLOUR_BAR | {"tickformat": ".0%"}, hovertemplate=hover,
        )
    )  # fmt: skip
    down, across = np.nonzero(shown.of(used))
    figure.add_scatter(
        name="chosen by the fit",
        x=[shown.tasks[k] for k in across],
        y=[shown.features[d] for d in down],
        mode="markers",
        marker={"size": 7, "color": "white", "line": style.RIM},
        hoverinfo="skip",
        showlegend=False,
    )
    n_used, n_often = int(used.sum()), int((shares[used] >= OFTEN).sum())
    n_missed = int((shares[~used] >= 0.5).sum())
    missed = f"Not chosen by the fit, but in half of the resamples: {n_missed:,}."
    dress_map(
        figure,
        shown,
        f"{n_often:,} of {counted(n_used, 'coefficient')} {stay(n_often)} chosen"
        if n_used
        else "The fit chose no coefficient",
        [
            f"In at least {OFTEN:.0%} of resamples.",
            "Colour: share of resamples; circle: chosen by the fit.",
            *([missed] if n_missed else []),
        ],
        picture=f"A heatmap with {len(shown.features)} features down and {len(shown.tasks)} "
        "clusters across.",
        height=height,
        across="cluster",
    )
    return figure
