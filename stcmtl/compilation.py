"""Kernels are compiled once a machine: say so when it happens."""

from __future__ import annotations

import logging
from functools import cache
from pathlib import Path

from stcmtl.kernels import clusters, kmeans, simplex, single

logger = logging.getLogger("stcmtl")

MESSAGE = "Compiling the numerical kernels (once on this machine, about a minute) ..."
LAST_COMPILED = {
    single: "l1_sweeps",
    clusters: "cluster_path",
    simplex: "prune_memberships",
    kmeans: "kmeans",
}


def kernels_are_cached() -> bool:
    """Whether every kernel file has a compiled form on disk that is not older than itself."""
    for module, kernel in LAST_COMPILED.items():
        source = Path(str(module.__file__))
        folder = Path(getattr(module, kernel).stats.cache_path)
        indices = list(folder.glob(f"{source.stem}.{kernel}-*.nbi"))
        if not any(index.stat().st_mtime >= source.stat().st_mtime for index in indices):
            return False
    return True


@cache  # once a process
def announce_compilation() -> None:
    if not kernels_are_cached():
        logger.warning(MESSAGE)
