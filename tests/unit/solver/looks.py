"""How much fits do between two looks at whether they are to stop; run with NUMBA_DISABLE_JIT=1.

Kernels are plain functions then. The loops that all of them are made of tell how many numbers they
touch, and the byte tells when it is looked at. Prints JSON: of each fit, the largest number of
passes over its data between two looks.
"""

import json
import warnings
from collections.abc import Callable
from typing import Any

import numpy as np

from stcmtl import STCMTLClassifier, STCMTLRegressor, simulate
from stcmtl.baselines import FLARCC
from stcmtl.baselines.kernels import fusion
from stcmtl.solver.kernels import (
    clusters,
    gram,
    kmeans,
    label_clusters,
    label_task,
    losses,
    own,
    simplex,
    single,
)
from stcmtl.stopping import stopped_by

KERNELS = (losses, single, label_task, clusters, label_clusters, simplex, kmeans, own, fusion)
FITS: dict[str, tuple[type[Any], dict[str, Any]]] = {
    "paper": (STCMTLRegressor, {"n_clusters": 2, "refine": False, "max_iter": 1}),
    "robust": (STCMTLRegressor, {"n_clusters": 2, "robust": True, "outlier_rule": "paper"}),
    "labels": (STCMTLClassifier, {"n_clusters": 2, "shape": "span", "own": "deviation"}),
    "FLARCC": (FLARCC, {}),
}


class Count:
    """Numbers touched since the last look, and the most that there were."""

    since = most = 0

    def add(self, numbers: int) -> None:
        self.since += numbers
        self.most = max(self.most, self.since)


COUNT = Count()


class Byte(np.ndarray):
    """Never set."""

    def __getitem__(self, place: Any) -> Any:
        COUNT.since = 0
        return super().__getitem__(place)


def counted(loop: Callable[..., Any], place: int = 0) -> Callable[..., Any]:
    """The same loop, which says how many numbers its argument at ``place`` has."""

    def run(*given: Any) -> Any:
        COUNT.add(getattr(given[place], "columns", given[place]).size)
        return loop(*given)

    return run


# The shortest as numpy has them: there are very many.
LOOPS = {
    "dot": counted(np.dot),
    "weighted_square": counted(lambda x, h: h @ x**2),
    "squared_distance": counted(lambda a, b: ((a - b) ** 2).sum()),
    "release": counted(losses.release),
    "add_slopes": counted(losses.add_slopes),
    "release_tasks": counted(losses.release_tasks),
    "sweep_task": counted(single.sweep_task),
    "use_features": counted(gram.use_features, 1),
    "pull_and_square": counted(lambda x, e, h: (x @ e, h @ x**2)),
    "loss_and_model": counted(losses.loss_and_model, 1),
    "total_loss": counted(losses.total_loss, 1),
    "pull_and_stiffness": counted(losses.pull_and_stiffness, 1),
    "shrink": counted(own.shrink),
}


def main() -> None:
    for module in KERNELS:
        for name, loop in LOOPS.items():
            if hasattr(module, name):
                setattr(module, name, loop)
    passes = {}
    for name, (estimator, options) in FITS.items():
        kind = "classification" if estimator is STCMTLClassifier else "regression"
        data = simulate(5, 15, 2, 12, n_test=1, correlation=0.95, task_type=kind).train
        COUNT.since = COUNT.most = 0
        with stopped_by(np.zeros(1, np.uint8).view(Byte)), warnings.catch_warnings():
            warnings.simplefilter("ignore")
            estimator(cv=2, n_jobs=1, random_state=0, **options).fit(data.X, data.y, data.tasks)
        passes[name] = COUNT.most / data.X.size
    print(json.dumps(passes))


if __name__ == "__main__":
    main()
