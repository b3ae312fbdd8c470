"""A cluster of two processes gives the bits of one, though one of the two dies in mid-fit."""

from __future__ import annotations

import os
import pickle
import signal
from collections.abc import Iterable, Iterator
from typing import Any

import joblib
import numpy as np
import pandas as pd
import pytest

from stcmtl import STCMTLRegressor, fit_partitions, simulate
from stcmtl.estimators import clustering, partitions
from stcmtl.solver.problem import Problem

distributed = pytest.importorskip("distributed")

K = 3
GIVEN: dict[str, Any] = {"n_clusters": K, "shape": "simplex", "own": "none", "random_state": 0}
TRAIN = simulate(n_tasks=24, n_features=20, n_clusters=K, n_train=24, random_state=0).train


@pytest.fixture(scope="module")
def client() -> Iterator[Any]:
    shape = {"n_workers": 2, "threads_per_worker": 1, "dashboard_address": None}
    with distributed.LocalCluster(**shape) as cluster, distributed.Client(cluster) as client:
        yield client


def kill_one(client: Any) -> None:
    os.kill(next(iter(client.run(os.getpid).values())), signal.SIGKILL)


def deadly(client: Any, solve: Any) -> Any:
    """The solver's loop, during which a worker dies."""

    def steps(*given: Any) -> Iterable[Any]:
        for number, state in enumerate(solve(*given)):
            if number == 1:
                kill_one(client)
            yield state

    return steps


def test_jobs_of_a_fit_in_memory(client: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    rows = TRAIN.X, TRAIN.y, TRAIN.tasks
    alone = STCMTLRegressor(**GIVEN).fit(*rows)
    sent = []

    def reduce(problem: Problem, protocol: Any) -> Any:
        sent.append(problem.n_tasks)
        return object.__reduce_ex__(problem, protocol)

    monkeypatch.setattr(Problem, "__reduce_ex__", reduce)
    monkeypatch.setattr(clustering, "solve", deadly(client, clustering.solve))
    with joblib.parallel_config("dask", client=client):
        together = STCMTLRegressor(**GIVEN).fit(*rows)
    np.testing.assert_array_equal(together.coef_, alone.coef_)
    np.testing.assert_array_equal(together.intercept_, alone.intercept_)
    # Each task goes to its own fit once, and Dask pickles it twice. All go to the two curves of the
    # penalty, which are ten jobs at least.
    assert sum(n for n in sent if n < 24) == 2 * 24
    assert sent.count(24) < 10


def test_partitions(client: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    frame = pd.DataFrame(TRAIN.X, columns=[f"x{d}" for d in range(20)])
    frame = frame.assign(task=TRAIN.tasks, y=TRAIN.y)
    parts = [part for _, part in frame.groupby(frame["task"].str[-1].astype(int) % 3)]
    given: dict[str, Any] = {"task": "task", "target": "y", "n_clusters": K, "random_state": 0}
    alone = fit_partitions(parts, **given)
    monkeypatch.setattr(partitions, "solve", deadly(client, partitions.solve))
    together = fit_partitions(parts, **given, client=client)
    assert pickle.dumps(together.loadings_) == pickle.dumps(alone.loadings_)
    np.testing.assert_array_equal(together.coef_, alone.coef_)
    np.testing.assert_array_equal(together.intercept_, alone.intercept_)


def test_a_dask_data_frame(client: Any) -> None:
    dataframe = pytest.importorskip("dask.dataframe")
    frame = pd.DataFrame(TRAIN.X, columns=[f"x{d}" for d in range(20)])
    frame = frame.assign(task=TRAIN.tasks, y=TRAIN.y).set_index("task", drop=False)
    frame.index.name = None
    source = dataframe.from_pandas(frame, npartitions=2)
    given: dict[str, Any] = {"task": "task", "target": "y", "n_clusters": K, "random_state": 0}
    alone = fit_partitions([frame], **given)
    for cluster in (client, None):
        found = fit_partitions(source, **given, client=cluster)
        np.testing.assert_allclose(found.coef_, alone.coef_, atol=1e-8)
