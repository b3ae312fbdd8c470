"""Simulate tasks, fit them, and keep what a page needs to show of it."""

from __future__ import annotations

import time
from dataclasses import dataclass

import numpy as np
import streamlit as st
from numpy.typing import NDArray

from stcmtl import metrics
from stcmtl.compilation import MESSAGE, kernels_are_cached
from stcmtl.estimators import STCMTLRegressor
from stcmtl.simulate import simulate

NOISE = 0.5  # standard deviation, as in the paper's tables


@dataclass(frozen=True)
class Settings:
    """What a person chooses on the page; equal settings give equal results."""

    n_features: int = 200
    n_clusters: int = 5
    mixing: str = "sparse"
    seed: int = 0
    refine: bool = True


@dataclass(frozen=True)
class Step:
    """One iteration of the fit, without its matrices: results are kept for long."""

    iteration: int
    stage: str
    objective: float
    seconds: dict[str, float]


@dataclass(frozen=True)
class SimulatedFit:
    """A fit beside the truth it should have found, in the paper's orientation (features down)."""

    settings: Settings
    task_names: list[str]
    feature_names: list[str]
    true_coefficients: NDArray[np.float64]
    coefficients: NDArray[np.float64]
    memberships: NDArray[np.float64]
    labels: NDArray[np.integer]
    true_pure: NDArray[np.bool_]
    pure: NDArray[np.bool_]
    history: list[Step]
    rmse: float
    ree: float
    mcc: float
    seconds: float


def waiting_text(settings: Settings) -> str:
    """What the reader waits for."""
    if not kernels_are_cached():
        return MESSAGE
    return f"Fitting {settings.n_clusters} clusters to {settings.n_features} features ..."


@st.cache_data(max_entries=32, show_spinner=False)
def fit(settings: Settings) -> SimulatedFit:
    """Simulate by the settings, fit, and compare with the truth; ValueError says what is wrong."""
    sim = simulate(
        n_features=settings.n_features,
        n_clusters=settings.n_clusters,
        mixing=settings.mixing,
        noise=NOISE,
        structure_seed=settings.seed,
        random_state=settings.seed,
    )
    model = STCMTLRegressor(
        settings.n_clusters, refine=settings.refine, n_jobs=-1, random_state=settings.seed
    )
    started = time.perf_counter()
    model.fit(sim.train.X, sim.train.y, sim.train.tasks)
    seconds = time.perf_counter() - started
    W = model.coef_.T
    return SimulatedFit(
        settings=settings,
        task_names=[str(name) for name in sim.train.task_names],
        feature_names=list(sim.train.feature_names),
        true_coefficients=sim.truth.W,
        coefficients=W,
        memberships=model.memberships_.T,
        labels=model.labels_,
        true_pure=sim.truth.pure,
        pure=model.pure_,
        history=[Step(r.iteration, r.stage, r.objective, r.seconds) for r in model.history_],
        rmse=metrics.rmse(sim.test.y, model.predict(sim.test.X, sim.test.tasks)),
        ree=metrics.ree(sim.truth.W, W),
        mcc=metrics.mcc(sim.truth.W, W),
        seconds=seconds,
    )
