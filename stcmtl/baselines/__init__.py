"""Other methods for many tasks, to compare with: one file per method, one interface.

Imports `estimators` (their base), `solver` and `data`.
"""

from stcmtl.baselines.base import Baseline, CVPoint
from stcmtl.baselines.cmtl import CMTL
from stcmtl.baselines.flarcc import FLARCC
from stcmtl.baselines.lasso import SingleTaskLasso
from stcmtl.baselines.pooled import Pooled
from stcmtl.baselines.trace import TraceNorm
from stcmtl.baselines.vstg import VSTG
from stcmtl.progress import Progress

__all__ = [
    "CMTL",
    "FLARCC",
    "METHODS",
    "VSTG",
    "Baseline",
    "CVPoint",
    "Pooled",
    "Progress",
    "SingleTaskLasso",
    "TraceNorm",
]

# By the names that the paper's tables have for them.
METHODS: dict[str, type[Baseline]] = {
    "LASSO": SingleTaskLasso,
    "CMTL": CMTL,
    "Trace": TraceNorm,
    "FLARCC": FLARCC,
    "VSTG-MTL": VSTG,
    "Pooled": Pooled,
}
