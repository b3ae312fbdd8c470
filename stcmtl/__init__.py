"""Semisoft task clustering for multi-task learning."""

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
    "load": "baselines.saved",
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
