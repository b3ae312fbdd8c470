"""Semisoft task clustering for multi-task learning."""

from importlib import import_module
from typing import TYPE_CHECKING, Any

from stcmtl import metrics
from stcmtl.estimators import STCMTLClassifier, STCMTLRegressor
from stcmtl.persistence import load
from stcmtl.selection import select_n_clusters
from stcmtl.simulate import simulate
from stcmtl.stability import stability
from stcmtl.tasks import TaskSet
from stcmtl.version import __version__

if TYPE_CHECKING:
    from stcmtl import datasets, figures
    from stcmtl.readers import Account, Limits, ReadError, read

__all__ = [
    "Account",
    "Limits",
    "ReadError",
    "STCMTLClassifier",
    "STCMTLRegressor",
    "TaskSet",
    "__version__",
    "datasets",
    "figures",
    "load",
    "metrics",
    "read",
    "select_n_clusters",
    "simulate",
    "stability",
]

# What takes a while to import and a fit does not need: imported when first asked for.
LAZY_MODULES = {"datasets", "figures"}
READERS = {"Account", "Limits", "ReadError", "read"}


def __getattr__(name: str) -> Any:
    if name in LAZY_MODULES:
        return import_module(f"stcmtl.{name}")
    if name in READERS:
        return getattr(import_module("stcmtl.readers"), name)
    raise AttributeError(f"module 'stcmtl' has no attribute {name!r}")
