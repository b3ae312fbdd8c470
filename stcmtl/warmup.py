"""Compile every kernel ahead of the first fit: ``python -m stcmtl.warmup``."""

from functools import partial

import numpy as np

from stcmtl.baselines import METHODS
from stcmtl.data.simulation import simulate
from stcmtl.estimators.partitions import fit_partitions
from stcmtl.estimators.semisoft import STCMTLClassifier, STCMTLRegressor
from stcmtl.solver.kernels.simplex import project_simplex


def main() -> None:
    """Fit tiny tasks by all methods, labels alone, and partitions: all kernels but one are used."""
    draw = partial(simulate, n_tasks=12, n_features=20, n_clusters=3, n_train=20, n_test=1)
    tiny, labels = draw().train, draw(task_type="classification").train
    STCMTLClassifier(n_clusters=0, random_state=0).fit(labels.X, labels.y, labels.tasks)
    STCMTLRegressor(n_clusters=3, random_state=0).fit(tiny.X, tiny.y, tiny.tasks)
    for method in METHODS.values():
        method(random_state=0).fit(tiny.X, tiny.y, tiny.tasks)
    fit_partitions([tiny.to_frame()], task="task", target="target", n_clusters=3, random_state=0)
    project_simplex(np.zeros(2))


if __name__ == "__main__":
    main()
