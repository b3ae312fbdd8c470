"""The estimators with nothing left to choose, as most tests want them.

A search for the shape, and for what is a task's own, takes several fits, and would hide what a
test is about.
"""

from typing import Any

GIVEN = {"shape": "simplex", "own": "none"}


def plain_model(model: Any, n_clusters: int | str, **options: Any) -> Any:
    """Mixtures of that many clusters, without a part of any task's own."""
    return model(n_clusters, **{**GIVEN, **options})
