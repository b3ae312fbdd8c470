"""Compile every kernel ahead of the first fit: ``python -m stcmtl.warmup``."""

import numpy as np

from stcmtl.baselines import METHODS
from stcmtl.data.simulation import simulate
from stcmtl.estimators.semisoft import STCMTLRegressor
from stcmtl.solver.kernels.simplex import project_simplex


def main() -> None:
    """Fit a tiny problem by all methods, which go through all kernels but one."""
    tiny = simulate(n_tasks=12, n_features=20, n_clusters=3, n_train=20, n_test=1).train
    STCMTLRegressor(n_clusters=3, random_state=0).fit(tiny.X, tiny.y, tiny.tasks)
    for method in METHODS.values():
        method(random_state=0).fit(tiny.X, tiny.y, tiny.tasks)
    project_simplex(np.zeros(2))


if __name__ == "__main__":
    main()
