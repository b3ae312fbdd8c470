"""Other methods for many tasks, to compare with: a file for each, one interface.

``registry`` has their names, what they find and what they cost; ``METHODS`` their classes by
these names. Imports `estimators` (their base), `solver` and `data`.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

from stcmtl.baselines.registry import REGISTRY
from stcmtl.progress import Progress

if TYPE_CHECKING:
    from stcmtl.baselines.alone import SingleTaskLasso, SingleTaskRidge
    from stcmtl.baselines.base import Baseline, CVPoint
    from stcmtl.baselines.cmtl import CMTL
    from stcmtl.baselines.flarcc import FLARCC
    from stcmtl.baselines.pooled import Pooled
    from stcmtl.baselines.random_slopes import RandomSlopes
    from stcmtl.baselines.ridge_to_pooled import RidgeToPooled
    from stcmtl.baselines.trace import TraceNorm
    from stcmtl.baselines.vstg import VSTG

    METHODS: dict[str, type[Baseline]]

__all__ = [
    "CMTL",
    "FLARCC",
    "METHODS",
    "VSTG",
    "Baseline",
    "CVPoint",
    "Pooled",
    "Progress",
    "RandomSlopes",
    "RidgeToPooled",
    "SingleTaskLasso",
    "SingleTaskRidge",
    "TraceNorm",
]

# Module and class of every method, and the module of every public name.
BASELINES = {name: method.home.split(".") for name, method in REGISTRY.items() if method.home}
HOMES = {
    "Baseline": "base",
    "CVPoint": "base",
    **{own: module for module, own in BASELINES.values()},
}


def __getattr__(name: str) -> Any:
    """Imported when first asked for, so that names of methods are there at once."""
    if name == "METHODS":
        value: Any = {method: __getattr__(own) for method, (_, own) in BASELINES.items()}
    elif name in HOMES:
        value = getattr(import_module(f"stcmtl.baselines.{HOMES[name]}"), name)
    else:
        raise AttributeError(f"module 'stcmtl.baselines' has no attribute {name!r}")
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted(__all__)
