"""Semisoft task clustering for multi-task learning."""

from importlib import import_module
from typing import TYPE_CHECKING, Any

from stcmtl import metrics
from stcmtl.estimators import STCMTLClassifier, STCMTLRegressor
from stcmtl.persistence import load
from stcmtl.simulate import simulate
from stcmtl.tasks import TaskSet
from stcmtl.version import __version__

if TYPE_CHECKING:
    from stcmtl import datasets

__all__ = [
    "STCMTLClassifier",
    "STCMTLRegressor",
    "TaskSet",
    "__version__",
    "datasets",
    "load",
    "metrics",
    "simulate",
]

LAZY = {"datasets"}  # modules that take a while to import, and that a fit does not need


def __getattr__(name: str) -> Any:
    if name in LAZY:
        return import_module(f"stcmtl.{name}")
    raise AttributeError(f"module 'stcmtl' has no attribute {name!r}")
