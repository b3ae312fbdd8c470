"""The numbers behind the figures, as tables to look at and to download."""

from __future__ import annotations

import numpy as np
import pandas as pd

from stcmtl import figures
from stcmtl.estimators.choose_k import KSelection
from stcmtl.solver.purity import purity_scores
from stcmtl.studio.words import findings
from stcmtl.studio.work.fits import Fitted

Array = np.ndarray


def curve(path: KSelection) -> pd.DataFrame:
    columns = {"k": "ks", "error": "error", "standard error": "se", "seconds": "seconds"}
    return pd.DataFrame({name: getattr(path, own) for name, own in columns.items()})


def singular_ratios(path: KSelection) -> pd.DataFrame:
    ratios = path.singular_ratios
    return pd.DataFrame({"speaks for k": np.arange(len(ratios)) + 2, "ratio": ratios})


def memberships(result: Fitted) -> pd.DataFrame:
    """A row a task: what it is, and its share in each cluster."""
    model = result.model
    kind = np.where(model.outliers_, "outlier", np.where(model.pure_, "pure", "mixed"))
    shares = {f"cluster {k + 1}": v for k, v in enumerate(model.memberships_.T)}
    return pd.DataFrame({"task": model.task_names_, "kind": kind, **shares})


def coefficients(result: Fitted) -> pd.DataFrame:
    """A row a task and a column a feature."""
    table = pd.DataFrame(result.model.coef_, columns=list(result.data.train.feature_names))
    table.insert(0, "task", result.model.task_names_, allow_duplicates=True)
    return table


def cluster_coefficients(result: Fitted) -> pd.DataFrame:
    """A row a cluster and a column a feature."""
    U = result.model.cluster_coef_
    table = pd.DataFrame(U, columns=list(result.data.train.feature_names))
    table.insert(0, "cluster", np.arange(len(U)) + 1, allow_duplicates=True)
    return table


def single_task_similarity(result: Fitted) -> tuple[Array, Array]:
    """S and the purity scores of every task's own fit; outliers take no part in SOUP."""
    own = result.model.single_task_coef_
    S = own @ own.T
    inside = ~result.model.outliers_
    purity = np.zeros(len(S))
    purity[inside] = purity_scores(S[np.ix_(inside, inside)], result.model.epsilon)
    return S, purity


def similarity(result: Fitted, S: Array) -> pd.DataFrame:
    names = list(result.model.task_names_)
    table = pd.DataFrame(S, columns=names)
    table.insert(0, "task", names, allow_duplicates=True)
    return table


def purity(result: Fitted, scores: Array) -> pd.DataFrame:
    model = result.model
    return pd.DataFrame({"task": model.task_names_, "purity": scores, "pure": model.pure_})


def iterations(result: Fitted) -> pd.DataFrame:
    """A row an iteration: the objective, what moved, and the milliseconds of its steps."""
    history = result.model.history_
    of_U, of_V = figures.largest_changes(history)
    return pd.DataFrame(
        {
            "iteration": [state.iteration for state in history],
            "stage": [state.stage for state in history],
            "objective": [state.objective for state in history],
            "change in U": [np.nan, *of_U],
            "change in V": [np.nan, *of_V],
            **{f"{step}, ms": milliseconds(history, step) for step in ("V", "gamma", "U", "W")},
        }
    )


def milliseconds(history: list, step: str) -> list[float]:
    return [1000.0 * state.seconds.get(step, np.nan) for state in history]


def distances(result: Fitted, factor: float) -> pd.DataFrame:
    """A row a task, the farthest first."""
    model = result.model
    table = pd.DataFrame(
        {
            "task": model.task_names_,
            "distance": model.distances_,
            "beyond the fence": findings.beyond(result, factor),
            "set aside by the fit": model.outliers_,
        }
    )
    return table.sort_values("distance", ascending=False, kind="stable")
