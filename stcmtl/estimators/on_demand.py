"""What a model does not hold, and makes when it is asked for: the similarity of tasks, and the
coefficients of very many tasks, which it keeps as loadings and patterns.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from stcmtl.data.taskset import Array
from stcmtl.solver.soup import MOST_TASKS


def make_on_demand(model: Any, name: str) -> Any:
    """As it follows from what is held. A similarity of 10,000 tasks takes 800 MB."""
    held = vars(model)
    if name == "similarity_" and (
        "coef_" in held or 0 < len(held.get("loadings_", ())) <= MOST_TASKS
    ):
        return measure_similarity(model)
    if "loadings_" in held:
        if name == "coef_":
            return held["loadings_"] @ held["cluster_coef_"]
        if name == "own_coef_":
            return np.zeros((len(held["loadings_"]), held["n_features_in_"]))
    raise AttributeError(f"{type(model).__name__!r} object has no attribute {name!r}")


def measure_similarity(model: Any) -> Array:
    """S = W'W: units make no tasks alike."""
    W = model.coef_
    if getattr(model, "standardized_", False):
        W = W * np.where(model.feature_scale_ > 0, model.feature_scale_, 1.0)
    return np.asarray(W @ W.T)


def coefficients_of(model: Any, labels: NDArray[Any]) -> tuple[pd.Index, Array, Array]:
    """Names, coefficients (T, D) and intercepts of all tasks, or of those that are asked for."""
    names, held = pd.Index(model.task_names_), vars(model)
    if "coef_" in held:
        return names, held["coef_"], held["intercept_"]
    asked = names.get_indexer(pd.unique(pd.Series(labels)))
    asked = asked[asked >= 0]
    coef = held["loadings_"][asked] @ held["cluster_coef_"]
    return names[asked], coef, held["intercept_"][asked]
