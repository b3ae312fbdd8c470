"""A bar for each task: its shares, patterns added and subtracted, the part that is its own."""

from collections.abc import Sequence
from typing import Any

import numpy as np
import plotly.graph_objects as go
from numpy.typing import ArrayLike

from stcmtl.figures.pieces import Array, Index, order, style
from stcmtl.figures.pieces.calls import remember_call
from stcmtl.figures.plots.memberships import ALONE
from stcmtl.phrases import counted, digits

MAX_BARS = 400
APART = 30  # tasks with room between their bars, on the narrowest screen too
FEW = 12  # bars that are no wider than among so many


@remember_call
def membership_bars(
    V: ArrayLike,
    *,
    pure: ArrayLike | None = None,
    task_names: Sequence[object] | None = None,
    cluster_names: Sequence[object] | None = None,
    height: int = 350,
) -> go.Figure:
    """Draw the memberships as stacked bars, tasks sorted by cluster; see `stcmtl.figures`.

    >>> figures.membership_bars(truth.V, task_names=model.task_names_).layout.title.text
    '3 clusters of 3 to 5 tasks'
    """
    V = np.asarray(V, dtype=float)
    K, T = V.shape
    if not K:
        return style.draw_words(*ALONE)
    names = style.make_labels("task_names", task_names, T)
    clusters, flags = order.main_clusters(V), order.flag_pure(V, pure)
    shown = order.pick_evenly(order.tasks_by_cluster(V, flags), MAX_BARS)
    places, called = [names[i] for i in shown], style.name_clusters(cluster_names, K)
    figure = go.Figure(
        [
            go.Bar(
                name=called[k],
                x=places,
                y=V[k, shown],
                customdata=shown,
                marker={"color": colour, "line_width": 0},
                hovertemplate="%{x}<br>%{fullData.name}: <b>%{y:,.3~r}</b><extra></extra>",
            )
            for k, colour in enumerate(style.cluster_colours(K))
        ]
    )
    order.number_clusters(figure, clusters[shown], K, cluster_names)
    sizes = np.bincount(clusters[clusters < K], minlength=K)
    above = f"Sorted by main cluster, whose {name_or_number(called)} is above;"
    sentences = [f"{above} a bar of one colour is pure."]
    mixed = V[:, ~flags & V.any(axis=0)]
    if mixed.size:
        mean = np.count_nonzero(mixed > 0.01, axis=0).mean()
        sentences.append(f"Mixed tasks share {mean:.2g} clusters on average.")
    dress_bars(
        figure,
        places,
        say_sizes(sizes[sizes > 0]),
        [*sentences, *order.say_left_out(T, len(shown))],
        picture=f"A bar for each of {counted(len(shown), 'task')}, split by its clusters; tasks "
        f"by main cluster: {', '.join(map(str, sizes))}.",
        height=height,
        room_above=order.ROOM,
        barmode="stack",
        showlegend=False,
    )
    figure.update_yaxes(title_text="share", range=[0, 1], tickformat=".0%", showgrid=False)
    return figure


def say_sizes(sizes: Index) -> str:
    """The sizes of the clusters that have tasks."""
    if len(sizes) == 0:
        return "No task belongs to a cluster"
    if len(sizes) == 1:
        return f"All {counted(int(sizes[0]), 'task')} in one cluster"
    if sizes.min() == sizes.max():
        return f"{len(sizes)} clusters of {counted(int(sizes[0]), 'task')} each"
    return f"{len(sizes)} clusters of {sizes.min():,} to {sizes.max():,} tasks"


@remember_call
def loading_bars(
    loadings: ArrayLike,
    *,
    task_names: Sequence[object] | None = None,
    cluster_names: Sequence[object] | None = None,
    height: int = 420,
) -> go.Figure:
    """Draw how much of each pattern a task adds, above zero, or subtracts, below it.

    Parameters
    ----------
    loadings : array of shape (K, T), `model.loadings_.T` of a fit in the cone or the span.

    Tasks are sorted by the pattern of their largest loading, from adding most of it to
    subtracting most. For the others see `stcmtl.figures`.

    >>> figures.loading_bars([[1.2, -0.4, 0.0], [0.0, 0.7, 0.9]]).layout.title.text
    '1 of 3 tasks subtracts a pattern'
    """
    L = np.asarray(loadings, dtype=float)
    K, T = L.shape
    if not K:
        return style.draw_words(*ALONE)
    names = style.make_labels("task_names", task_names, T)
    clusters = order.main_clusters(L)
    shown = order.pick_evenly(sort_tasks(L, clusters), MAX_BARS)
    places, called = [names[i] for i in shown], style.name_clusters(cluster_names, K, "pattern")
    figure = go.Figure(
        [
            go.Bar(
                name=called[k],
                x=places,
                y=L[k, shown],
                customdata=shown,
                marker={"color": colour, "line_width": 0},
                hovertext=[say_loading(called[k], value) for value in L[k, shown]],
                hovertemplate="%{x}<br>%{hovertext}<extra></extra>",
            )
            for k, colour in enumerate(style.cluster_colours(K))
        ]
    )
    if K > 1:
        order.number_clusters(figure, clusters[shown], K, cluster_names)
    n_negative = int((L < 0).any(axis=0).sum())
    strengths = np.abs(L).sum(axis=0)[L.any(axis=0)]
    n_idle, above = T - strengths.size, name_or_number(called)
    dress_bars(
        figure,
        places,
        say_range(strengths)
        if strengths.size and not n_negative
        else say_signs(n_negative, strengths.size),
        [
            *([f"Sorted by main pattern, whose {above} is above."] if min(K, T) > 1 else []),
            *(["Above zero a pattern is added, below it subtracted."] if n_negative else []),
            "The whole length of a bar is a task's strength.",
            *([f"In no cluster: {counted(n_idle, 'task')}."] if n_idle else []),
            *order.say_left_out(T, len(shown)),
        ],
        picture=f"A bar for each of {counted(len(shown), 'task')}, from zero upwards for patterns "
        "added and downwards for those subtracted.",
        height=height,
        room_above=order.ROOM,
        barmode="relative",
        legend=style.LEGEND_BELOW if K > 1 else None,
        showlegend=K > 1,
    )
    figure.update_yaxes(title_text="loading", zeroline=True, zerolinecolor=style.RULE)
    figure.update_yaxes(zerolinewidth=2)
    return figure


def sort_tasks(L: Array, clusters: Index) -> Index:
    """By main pattern, those that add most of it first; tasks without any last."""
    padded = np.vstack([L, np.zeros(L.shape[1])])
    return np.lexsort((-padded[clusters, np.arange(L.shape[1])], clusters))


def say_loading(pattern: str, value: float) -> str:
    if value == 0:
        return f"nothing of {pattern}"
    verb = "adds" if value > 0 else "subtracts"
    return f"{verb} <b>{digits(abs(value))}</b> × {pattern}"


def say_signs(n_negative: int, n_tasks: int) -> str:
    if n_tasks == 0:
        return "No task follows any pattern"
    if n_tasks == 1:
        return "It subtracts a pattern"
    subtract = "subtracts" if n_negative == 1 else "subtract"
    return f"{n_negative:,} of {n_tasks:,} tasks {subtract} a pattern"


def say_range(strengths: Array) -> str:
    low, high = digits(strengths.min()), digits(strengths.max())
    return f"Strengths from {low} to {high}" if low != high else f"Strength {low}"


@remember_call
def own_shares(
    shares: ArrayLike,
    V: ArrayLike,
    *,
    task_names: Sequence[object] | None = None,
    cluster_names: Sequence[object] | None = None,
    height: int = 350,
) -> go.Figure:
    """Draw how much of what is fitted for a task is its own, most first.

    Parameters
    ----------
    shares : array of T shares of variance, `model.own_share_`.

    For the others see `stcmtl.figures`. A task in no cluster is all its own.

    >>> figures.own_shares(model.own_share_, V).layout.title.text
    "How much of each task's fit is its own"
    """
    own, V = np.asarray(shares, dtype=float), np.asarray(V, dtype=float)
    T = own.size
    names = style.make_labels("task_names", task_names, T)
    shown = order.pick_evenly(np.argsort(-own, kind="stable"), MAX_BARS)
    places = [names[i] for i in shown]
    colours, hover = style.task_colours(V), order.add_clusters(names, V, cluster_names)
    figure = go.Figure(
        go.Bar(
            name="own share",
            x=places,
            y=own[shown],
            customdata=shown,
            marker={"color": [colours[i] for i in shown], "line_width": 0},
            hovertext=[hover[i] for i in shown],
            hovertemplate="%{hovertext}<br>its own: <b>%{y:.1%}</b><extra></extra>",
            showlegend=False,
        )
    )
    inside = V.any(axis=0)
    of_clusters = own[inside] if inside.any() else own
    n_outside = int((~inside).sum()) if len(V) else 0
    dress_bars(
        figure,
        places,
        "How much of each task's fit is its own",
        [
            "Of the variance of each task's fit: the part that its clusters do not make.",
            f"{say_extent(of_clusters)}; in the colours of clusters.",
            *([f"All their own: {counted(n_outside, 'task')} in no cluster."] if n_outside else []),
            *order.say_left_out(T, len(shown)),
        ],
        picture=f"A bar for each of {counted(len(shown), 'task')}, the largest own share first.",
        height=height,
    )
    top = min(1.0, 1.15 * float(own.max())) or 1.0
    figure.update_yaxes(title_text="own share", range=[0, top], tickformat=".2~%")
    return figure


def say_extent(shares: Array) -> str:
    """The mean of own shares, and between which they lie where that says more."""
    if f"{shares.max():.0%}" == "0%":
        return "Less than 1% of each"
    span = f"from {shares.min():.0%} to {shares.max():.0%}"
    return f"{say_share(shares.mean())} on average, {span}"


def say_share(share: float) -> str:
    return f"{share:.0%}" if share >= 0.01 else "Less than 1%"


def name_or_number(called: Sequence[str]) -> str:
    """What stands above the tasks of a cluster."""
    is_named = any(name.split()[0] not in ("cluster", "pattern") for name in called)
    return "name" if is_named else "number"


def dress_bars(
    figure: go.Figure,
    places: list[str],
    title: str,
    sentences: list[str],
    *,
    height: int,
    **words_and_layout: Any,
) -> None:
    """Words above the bars, and the names of tasks below them."""
    room = style.longest_tick(places)
    below = 40 if words_and_layout.get("legend") else 0
    style.dress(
        figure,
        title,
        sentences,
        height=height + room + below,
        margin={"b": 40 + room + below},
        bargap=max(0.1, 1 - len(places) / FEW) if len(places) <= APART else 0,
        **words_and_layout,
    )
    axis = style.names_below(places, "task")
    figure.update_xaxes(**axis, ticks="outside", tickcolor=style.GRID, showgrid=False)
