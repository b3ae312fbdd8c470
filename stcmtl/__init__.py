"""Semisoft task clustering for multi-task learning."""

from stcmtl import metrics
from stcmtl.estimators import STCMTLClassifier, STCMTLRegressor
from stcmtl.persistence import load
from stcmtl.simulate import simulate
from stcmtl.tasks import TaskSet
from stcmtl.version import __version__

__all__ = [
    "STCMTLClassifier",
    "STCMTLRegressor",
    "TaskSet",
    "__version__",
    "load",
    "metrics",
    "simulate",
]
