"""Compile every kernel ahead of the first fit: ``python -m stcmtl.warmup``."""

from stcmtl.estimators import STCMTLRegressor
from stcmtl.simulate import simulate


def main() -> None:
    """Fit a tiny problem, which goes through all of them."""
    tiny = simulate(n_tasks=12, n_features=20, n_clusters=3, n_train=20, n_test=1).train
    STCMTLRegressor(n_clusters=3, random_state=0).fit(tiny.X, tiny.y, tiny.tasks)


if __name__ == "__main__":
    main()
