"""Other methods for many tasks, to compare with: one file a method, one interface."""

from stcmtl.baselines.base import Baseline, CVPoint, Progress
from stcmtl.baselines.lasso import SingleTaskLasso

__all__ = ["Baseline", "CVPoint", "Progress", "SingleTaskLasso"]
