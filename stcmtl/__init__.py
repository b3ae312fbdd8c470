"""Semisoft task clustering for multi-task learning."""

from stcmtl import metrics
from stcmtl.estimators import STCMTLClassifier, STCMTLRegressor
from stcmtl.simulate import simulate
from stcmtl.tasks import TaskSet

__version__ = "0.1.0"

__all__ = ["STCMTLClassifier", "STCMTLRegressor", "TaskSet", "metrics", "simulate"]
