"""Kernels are compiled once per machine: say so when it happens."""

from __future__ import annotations

import logging
import sys
from functools import cache
from pathlib import Path
from typing import Any

from stcmtl.solver.kernels import clusters, kmeans, losses, simplex, single

logger = logging.getLogger("stcmtl")

MESSAGE = "Compiling the numerical kernels (once on this machine, about a minute) ..."
ENTRIES = (  # what the estimators' steps call; the other kernels are compiled into these
    clusters.cluster_path,
    clusters.predict_clusters,
    kmeans.kmeans,
    losses.pull_and_stiffness,
    losses.total_loss,
    simplex.project_simplex,
    simplex.prune_memberships,
    single.l1_cross_validation,
    single.l1_path,
    single.l1_sweeps,
)


def kernels_are_cached(*kernels: Any) -> bool:
    """Whether each, by default each entry, has a compiled form on disk younger than its source."""
    return all(map(is_cached, kernels or ENTRIES))


def is_cached(kernel: Any) -> bool:
    if not hasattr(kernel, "py_func"):  # NUMBA_DISABLE_JIT=1: a plain function, never compiled
        return True
    source = Path(kernel.py_func.__code__.co_filename)
    python = f"py{sys.version_info.major}{sys.version_info.minor}"
    name = f"{source.stem}.{kernel.py_func.__name__}-*.{python}.nbi"
    indices = Path(kernel.stats.cache_path).glob(name)
    return any(index.stat().st_mtime >= source.stat().st_mtime for index in indices)


@cache  # one look per process
def announce_compilation(*kernels: Any) -> None:
    """Of these kernels, or of the estimators' own."""
    if not kernels_are_cached(*kernels):
        say_once()


@cache
def say_once() -> None:
    logger.warning(MESSAGE)
