"""Semisoft task clustering for multi-task learning.

Examples in docstrings go on from here:

>>> from stcmtl import STCMTLRegressor, simulate, stability
>>> from stcmtl import baselines, datasets, figures, metrics, writers
>>> sim = simulate(n_tasks=12, n_features=20, n_clusters=3, n_train=40)
>>> train, test, truth = sim.train, sim.test, sim.truth
>>> model = STCMTLRegressor(3, shape="simplex", own="none", random_state=0)
>>> model = model.fit(train.X, train.y, train.tasks)
>>> U, V, W = model.cluster_coef_.T, model.memberships_.T, model.coef_.T
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

from stcmtl.version import __version__ as __version__

if TYPE_CHECKING:
    from stcmtl import baselines as baselines
    from stcmtl import figures as figures
    from stcmtl import writers as writers
    from stcmtl.baselines.saved import load as load
    from stcmtl.data import datasets as datasets
    from stcmtl.data.simulation import simulate as simulate
    from stcmtl.data.taskset import TaskSet as TaskSet
    from stcmtl.estimators.choose_k import select_n_clusters as select_n_clusters
    from stcmtl.estimators.partitions import assign_partitions as assign_partitions
    from stcmtl.estimators.partitions import fit_partitions as fit_partitions
    from stcmtl.estimators.partitions import predict_partitions as predict_partitions
    from stcmtl.estimators.resampling import stability as stability
    from stcmtl.estimators.semisoft import STCMTLClassifier as STCMTLClassifier
    from stcmtl.estimators.semisoft import STCMTLRegressor as STCMTLRegressor
    from stcmtl.evaluation import metrics as metrics
    from stcmtl.io.account import Account as Account
    from stcmtl.io.limits import Limits as Limits
    from stcmtl.io.limits import ReadError as ReadError
    from stcmtl.io.reading import read as read

# Public names by their home: imported when first asked for, so that ``import stcmtl`` and
# ``stcmtl --help`` answer at once.
MODULES = {
    "baselines": "baselines",
    "datasets": "data.datasets",
    "figures": "figures",
    "metrics": "evaluation.metrics",
    "writers": "writers",
}
HOMES = {
    "Account": "io.account",
    "Limits": "io.limits",
    "ReadError": "io.limits",
    "STCMTLClassifier": "estimators.semisoft",
    "STCMTLRegressor": "estimators.semisoft",
    "TaskSet": "data.taskset",
    "assign_partitions": "estimators.partitions",
    "fit_partitions": "estimators.partitions",
    "load": "baselines.saved",
    "predict_partitions": "estimators.partitions",
    "read": "io.reading",
    "select_n_clusters": "estimators.choose_k",
    "simulate": "data.simulation",
    "stability": "estimators.resampling",
}
__all__ = sorted(["__version__", *MODULES, *HOMES])


def __getattr__(name: str) -> Any:
    if name in MODULES:
        return import_module(f"stcmtl.{MODULES[name]}")
    if name not in HOMES:
        raise AttributeError(f"module 'stcmtl' has no attribute {name!r}")
    return getattr(import_module(f"stcmtl.{HOMES[name]}"), name)


def __dir__() -> list[str]:
    return __all__
