"""One colour per cluster, and a task's colour mixed from those of its clusters.

The nine colours were searched for: the least distance between any two (in OKLab) is as large as
could be found under normal vision and under each of the three colour blindnesses, with enough
contrast on white and on the dashboard's dark page, and saturation low enough to be calm. They
are ordered so that the first few are well apart also to the normal eye. A grey rim keeps the light
ones visible on paper.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from stcmtl.figures.pieces import Array

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
NO_CLUSTER = "#87919b"  # an outlier task


def cluster_colours(n_clusters: int) -> list[str]:
    """One colour per cluster; from the tenth on they come again, lighter each time."""
    rounds, places = np.divmod(np.arange(n_clusters), len(CLUSTERS))
    own = to_light([CLUSTERS[place] for place in places])
    paled = 1.0 - (1.0 - own) * 0.6 ** rounds[:, None]
    return to_hex(paled)


def task_colours(V: ArrayLike) -> list[str]:
    """Each task's mixture of the colours of its clusters, in linear light.

    V has shape (K, T). A pure task has its cluster's colour; a task without memberships, an
    outlier, is grey.
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
