"""Semisoft task clustering for multi-task learning."""

import sys
from importlib import import_module
from types import ModuleType
from typing import TYPE_CHECKING, Any

from stcmtl.version import __version__

if TYPE_CHECKING:
    from stcmtl import baselines, datasets, figures, metrics
    from stcmtl.estimators import STCMTLClassifier, STCMTLRegressor
    from stcmtl.persistence import load
    from stcmtl.readers import Account, Limits, ReadError, read
    from stcmtl.selection import select_n_clusters
    from stcmtl.simulate import simulate
    from stcmtl.stability import stability
    from stcmtl.tasks import TaskSet

__all__ = [
    "Account",
    "Limits",
    "ReadError",
    "STCMTLClassifier",
    "STCMTLRegressor",
    "TaskSet",
    "__version__",
    "baselines",
    "datasets",
    "figures",
    "load",
    "metrics",
    "read",
    "select_n_clusters",
    "simulate",
    "stability",
]

# Public modules, and public names by their module: imported when first asked for, so that
# ``python -m stcmtl --help`` answers at once.
MODULES = {"baselines", "datasets", "figures", "metrics"}
HOMES = {
    "Account": "readers",
    "Limits": "readers",
    "ReadError": "readers",
    "STCMTLClassifier": "estimators",
    "STCMTLRegressor": "estimators",
    "TaskSet": "tasks",
    "load": "persistence",
    "read": "readers",
    "select_n_clusters": "selection",
    "simulate": "simulate",
    "stability": "stability",
}


def __getattr__(name: str) -> Any:
    if name in MODULES:
        return import_module(f"stcmtl.{name}")
    if name not in HOMES:
        raise AttributeError(f"module 'stcmtl' has no attribute {name!r}")
    if name == "load":  # it finds the classes that are there
        import_module("stcmtl.estimators")
    return getattr(import_module(f"stcmtl.{HOMES[name]}"), name)


def __dir__() -> list[str]:
    return sorted(__all__)


class Front(ModuleType):
    """This package, where a function keeps its name although its module has the same.

    Python binds a module to its package when it is first imported: ``stcmtl.simulate`` would
    be the module from then on.
    """

    def __setattr__(self, name: str, value: Any) -> None:
        hidden = isinstance(value, ModuleType) and HOMES.get(name) == name
        super().__setattr__(name, getattr(value, name) if hidden else value)


sys.modules[__name__].__class__ = Front
