"""Small views of a fit: the patterns of its clusters, and its error beside those of others."""

from collections.abc import Mapping, Sequence

import numpy as np
import plotly.graph_objects as go
from numpy.typing import ArrayLike, NDArray

from stcmtl.data.chance import beyond_chance
from stcmtl.figures.pieces import Array, Index, order, style
from stcmtl.figures.pieces.calls import remember_call
from stcmtl.figures.pieces.heatmaps import name_values, scale_rows
from stcmtl.phrases import counted, listed, say_error

# Names of so many clusters fit above their columns on a phone; those of more stand on end.
FEW, SOME = 4, 6
LETTERS_ABOVE, LETTERS_ON_END = 32, 14  # of all names on a line, and of one
ROOM_FOR_VALUES = 1.3  # beside the longest bar


@remember_call
def cluster_patterns(
    U: ArrayLike,
    *,
    feature_names: Sequence[object] | None = None,
    cluster_names: Sequence[object] | None = None,
    feature_scale: ArrayLike | None = None,
    se: ArrayLike | None = None,
    most: int = 12,
    height: int = 340,
) -> go.Figure:
    """Draw the coefficients (D, K) of the features that matter most to each of the clusters.

    Every cluster brings its largest, in turn, until there are `most`.

    Parameters
    ----------
    se : array (D, K), optional
        Standard errors of U. A cluster with coefficients that stand clear of chance brings these
        alone; one without any brings all.

    For the others see `stcmtl.figures`.

    >>> figures.cluster_patterns(U, feature_names=train.feature_names, most=5).layout.title.text
    'What drives each cluster'
    """
    values = scale_rows(np.asarray(U, dtype=float), feature_scale)
    D, K = values.shape
    brought = values if se is None else np.where(clear_of_chance(U, se), values, 0.0)
    shown = strongest_in_turn(brought, most)
    if not shown.size:
        return style.draw_words("No feature matters", ["Every coefficient is zero."])
    shown = shown[order.features_by_cluster(values[shown])]
    features = style.make_labels("feature_names", feature_names, D)
    clusters = style.name_clusters(cluster_names, K)
    cells = values[shown]
    figure = go.Figure(
        go.Heatmap(
            name="patterns",
            z=cells,
            x=clusters,
            y=[features[d] for d in shown],
            coloraxis="coloraxis",
            hovertemplate="%{y}<br>%{x}<br><b>%{z:,.3~r}</b><extra></extra>",
        )
    )
    in_use, by_chance = values.any(axis=1), values.any(axis=1) & ~brought.any(axis=1)
    style.dress(
        figure,
        "What drives each cluster",
        [
            f"Colour: {name_values(feature_scale)}; blank: an exact zero.",
            f"Shown: {len(shown)} of {counted(int(in_use.sum()), 'feature')} in use.",
            *(["Left out: features that may be chance."] if by_chance.any() else []),
        ],
        picture=f"A heatmap of {len(shown)} features down and {K} clusters across.",
        height=height,
        room_above=28,
        margin={"l": 12, "r": 12, "b": 12},
        coloraxis=style.diverging_axis([cells], showscale=False),
    )
    figure.update_xaxes(
        **style.FRAME,
        labelalias=name_columns(clusters),
        autotickangles=[0, 90],
        dtick=1,
        side="top",
        automargin=False,
    )
    figure.update_yaxes(**style.FRAME, labelalias=style.shorten(features), autorange="reversed")
    figure.update_yaxes(automargin=True, tickfont_size=12, dtick=1)
    return figure


def name_columns(clusters: list[str]) -> dict[str, str]:
    """What stands above a column for the name of its cluster; among many a number will do."""
    K = len(clusters)
    if K <= FEW:
        return {name: style.break_name(name, LETTERS_ABOVE // K) for name in clusters}
    lines = 2 if K <= SOME else 1
    return {
        name: str(k) if name == f"cluster {k}" else style.break_name(name, LETTERS_ON_END, lines)
        for k, name in enumerate(clusters, start=1)
    }


def clear_of_chance(U: ArrayLike, se: ArrayLike) -> NDArray[np.bool_]:
    """Coefficients (D, K) that chance alone does not explain; all of a cluster that has none."""
    U, se = np.asarray(U, dtype=float), np.asarray(se, dtype=float)
    clear = (U != 0.0) & ~(np.abs(U) < beyond_chance(U.size) * se)
    return np.asarray(clear | ~clear.any(axis=0))


def strongest_in_turn(U: Array, most: int) -> Index:
    """Features by rank within any cluster, the largest first among equals."""
    size = np.abs(U)
    if not size.any():
        return np.zeros(0, dtype=np.intp)
    rank = np.argsort(np.argsort(-size, axis=0, kind="stable"), axis=0)
    best = np.where(size > 0, rank, len(U)).min(axis=1)
    order = np.lexsort((-size.max(axis=1), best))
    used = order[best[order] < len(U)]
    return np.asarray(used[:most], dtype=np.intp)


@remember_call
def fit_errors(errors: Mapping[str, float], *, unit: str, height: int = 220) -> go.Figure:
    """Draw errors by what made them, the fit itself first.

    Parameters
    ----------
    errors : the error of the fit under its name, then those of others under theirs.
    unit : what the error is, as RMSE or error rate.

    >>> errors = {"clusters": 0.51, "separate fits": 0.66}
    >>> figures.fit_errors(errors, unit="RMSE").layout.title.text
    'Lowest RMSE: clusters'
    """
    names, values = list(errors), list(errors.values())
    best = min(values)
    figure = go.Figure(
        go.Bar(
            orientation="h",
            x=values,
            y=names,
            marker={"color": [style.NEGATIVE, *[style.NO_CLUSTER] * (len(names) - 1)]},
            text=[say_error(value, unit) for value in values],
            textposition="outside",
            cliponaxis=False,
            hovertemplate=f"%{{y}}<br>{unit} <b>%{{x:,.3~r}}</b><extra></extra>",
        )
    )
    lowest = [name for name, value in errors.items() if value == best]
    style.dress(
        figure,
        f"Lowest {unit}: {listed(lowest)}",
        ["On rows that no fit has seen; shorter is better."],
        picture=", ".join(f"{name} {say_error(value, unit)}" for name, value in errors.items())
        + ".",
        height=height,
        margin={"l": 12, "r": 12, "b": 12},
        bargap=0.25,
        showlegend=False,
    )
    ends = [0.0, ROOM_FOR_VALUES * max(values) or 1.0]
    figure.update_xaxes(range=ends, showgrid=False, showticklabels=False)
    figure.update_yaxes(autorange="reversed", automargin=True, showgrid=False)
    return figure
