"""A fit in words and as a table."""

from __future__ import annotations

import numpy as np
import pandas as pd

from stcmtl import summary
from stcmtl.studio.simulated import SimulatedFit


def headline(result: SimulatedFit) -> str:
    """One sentence that says what the fit found and how far it is right."""
    return summary.headline(result.memberships.T, result.pure, result.true_pure)


def account(result: SimulatedFit) -> str:
    """Which run is on the screen."""
    s = result.settings
    method = "refined" if s.refine else "the paper's algorithm"
    return (
        f"{len(result.task_names)} simulated tasks × {s.n_features} features, {s.mixing} mixing, "
        f"K = {s.n_clusters}, seed {s.seed}; {method}, fitted in {result.seconds:.2g} s"
    )


def task_table(result: SimulatedFit) -> pd.DataFrame:
    """One row a task: its cluster, pure or mixed (found and true), its share in each cluster."""
    kinds = {
        name: np.where(flags, "pure", "mixed")
        for name, flags in {"Found": result.pure, "True": result.true_pure}.items()
    }
    shares = {f"Cluster {k}": row for k, row in enumerate(result.memberships, start=1)}
    return pd.DataFrame(
        {"Task": result.task_names, "Main cluster": result.labels + 1, **kinds, **shares}
    )
