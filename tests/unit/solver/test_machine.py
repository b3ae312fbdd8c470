"""BLAS has one thread while a fit computes, and its own again when nobody does; who waits for
compilation, a minute once, is told so, and only then; what was stopped hands over nothing.
"""

from __future__ import annotations

import logging
import os
import subprocess
import sys
from collections.abc import Generator, Iterator
from pathlib import Path
from threading import Barrier, current_thread
from types import SimpleNamespace

import numpy as np
import pytest
from joblib import delayed, parallel_config
from threadpoolctl import threadpool_info, threadpool_limits

from stcmtl.solver import machine
from stcmtl.solver.centers import update_centers
from stcmtl.solver.kernels.clusters import Clusters, cluster_path
from stcmtl.solver.kernels.losses import SQUARED
from stcmtl.solver.kernels.simplex import project_simplex
from stcmtl.solver.kernels.single import l1_path
from stcmtl.solver.machine import (
    MESSAGE,
    ONE_BLAS_THREAD,
    Threads,
    announce_compilation,
    is_cached,
    kernels_are_cached,
    say_once,
    with_one_blas_thread,
)
from stcmtl.solver.single_task import task_alone
from stcmtl.stopping import Stopped, halt, new_halt, stopped_by
from tests.unit.problems import random_problem
from tests.unit.two_clusters import STCMTLRegressor, fit, rows

PYTHON = "py{}{}".format(*sys.version_info)


def blas_threads() -> set[int]:
    return {pool["num_threads"] for pool in threadpool_info() if pool["user_api"] == "blas"}


@pytest.fixture
def _two_threads() -> Iterator[None]:
    with threadpool_limits(2, user_api="blas"):
        assert blas_threads() == {2}
        yield


@pytest.mark.usefixtures("_two_threads")
def test_the_last_to_leave_restores_the_threads() -> None:
    with ONE_BLAS_THREAD:
        assert blas_threads() == {1}
        with ONE_BLAS_THREAD:
            assert blas_threads() == {1}
        assert blas_threads() == {1}
    assert blas_threads() == {2}


@pytest.mark.usefixtures("_two_threads")
def test_an_error_restores_them_too() -> None:
    with pytest.raises(ValueError, match="no"), ONE_BLAS_THREAD:
        raise ValueError("no")
    assert blas_threads() == {2}


@pytest.mark.usefixtures("_two_threads")
def test_steps_are_limited_and_those_who_wait_are_not() -> None:
    def steps() -> Generator[set[int], None, str]:
        yield blas_threads()
        yield blas_threads()
        return "end"

    limited = with_one_blas_thread(steps())
    assert next(limited) == {1}
    assert blas_threads() == {2}
    assert next(limited) == {1}
    with pytest.raises(StopIteration) as end:
        next(limited)
    assert end.value.value == "end"
    assert blas_threads() == {2}


@pytest.fixture(autouse=True)
def _new_process() -> Iterator[None]:
    """The announcement is made once per process: forget that it was made."""
    forgotten = announce_compilation.cache_clear, say_once.cache_clear
    for forget in forgotten:
        forget()
    yield
    for forget in forgotten:
        forget()


@pytest.fixture
def kernel(tmp_path: Path) -> SimpleNamespace:
    """As numba describes a function ``sweep`` of ``loops.py`` that is cached in a folder."""
    source, folder = tmp_path / "loops.py", tmp_path / "cache"
    source.write_text("def sweep(): ...\n")
    folder.mkdir()
    names: dict[str, object] = {}
    exec(compile(source.read_text(), str(source), "exec"), names)
    os.utime(source, (1000, 1000))
    return SimpleNamespace(py_func=names["sweep"], stats=SimpleNamespace(cache_path=str(folder)))


class TestCache:
    @pytest.mark.parametrize(
        ("forms", "cached"),
        [
            ({}, False),
            ({"loops.sweep-1": 2000}, True),
            ({"loops.sweep-1": 500}, False),  # its source was edited since
            ({"loops.sweep-1": 500, "loops.sweep-2": 2000}, True),
            ({"loops.sweeps-1": 2000, "other.sweep-1": 2000}, False),
        ],
        ids=["none", "younger", "older", "compiled again", "of others"],
    )
    def test_a_compiled_form_younger_than_its_source(
        self, kernel: SimpleNamespace, forms: dict[str, int], cached: bool
    ) -> None:
        for name, seconds in forms.items():
            index = Path(kernel.stats.cache_path) / f"{name}.{PYTHON}.nbi"
            index.touch()
            os.utime(index, (seconds, seconds))
        assert is_cached(kernel) == cached

    def test_no_folder(self, kernel: SimpleNamespace) -> None:
        Path(kernel.stats.cache_path).rmdir()
        assert not is_cached(kernel)

    def test_finds_what_numba_really_writes(self) -> None:
        project_simplex(np.zeros(2))
        assert is_cached(project_simplex)

    def test_one_entry_missing_is_enough_unless_a_baseline_names_its_own(
        self, kernel: SimpleNamespace, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        project_simplex(np.zeros(2))
        for entries, cached in (((project_simplex,), True), ((project_simplex, kernel), False)):
            monkeypatch.setattr(machine, "ENTRIES", entries)
            assert kernels_are_cached() == cached
            assert kernels_are_cached(project_simplex)
            assert not kernels_are_cached(kernel)


CALLED = """
import sys
from stcmtl import STCMTLRegressor, simulate
from stcmtl.solver import machine
K = int(sys.argv[1])
train = simulate(n_tasks=8, n_features=20, n_clusters=2, n_train=30, n_test=2).train
STCMTLRegressor(K, refine=False, random_state=0).fit(train.X, train.y, train.tasks)
for kernel in machine.ENTRIES + (machine.WITH_CLUSTERS if K else ()):
    counts = kernel.stats.cache_hits.values(), kernel.stats.cache_misses.values()
    assert any(map(any, counts)), kernel
"""


@pytest.mark.parametrize("n_clusters", [0, 2])
def test_a_fit_calls_every_kernel_that_is_looked_for(n_clusters: int) -> None:
    """Else the look would find one missing after every such fit, and announce it each time."""
    subprocess.run([sys.executable, "-c", CALLED, str(n_clusters)], check=True)


WITHOUT_COMPILATION = """
import sys
import numpy as np
from stcmtl import STCMTLRegressor
rows = np.load(sys.argv[1])
model = STCMTLRegressor(2, shape="simplex", own="none", cv=2, random_state=0)
model.fit(rows["X"], rows["y"], rows["tasks"])
np.savez(sys.argv[2], coef=model.coef_, memberships=model.memberships_)
"""


def test_kernels_run_as_plain_python_for_those_who_debug_them(tmp_path: Path) -> None:
    """The same but for rounding: compiled sums may be taken in another order."""
    X, y, tasks = rows(n=6, features=3)
    np.savez(tmp_path / "rows.npz", X=X, y=y, tasks=tasks)
    subprocess.run(
        [sys.executable, "-c", WITHOUT_COMPILATION, tmp_path / "rows.npz", tmp_path / "plain.npz"],
        env={**os.environ, "NUMBA_DISABLE_JIT": "1"},
        check=True,
    )
    plain = np.load(tmp_path / "plain.npz")
    model = fit(STCMTLRegressor, X, y, tasks, cv=2)
    np.testing.assert_allclose(plain["coef"], model.coef_, rtol=1e-9, atol=1e-12)
    np.testing.assert_allclose(plain["memberships"], model.memberships_, rtol=1e-9, atol=1e-12)


class TestAnnouncement:
    @pytest.mark.parametrize("cached", [False, True])
    def test_cold_is_announced_once_and_warm_is_silent(
        self, cached: bool, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
    ) -> None:
        monkeypatch.setattr(machine, "kernels_are_cached", lambda: cached)
        announce_compilation()
        announce_compilation()
        assert caplog.record_tuples == ([] if cached else [("stcmtl", logging.WARNING, MESSAGE)])

    def test_reaches_a_person_who_has_set_up_no_logging(
        self, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
    ) -> None:
        monkeypatch.setattr(machine, "kernels_are_cached", lambda: False)
        monkeypatch.setattr(logging.getLogger("stcmtl"), "handlers", [])
        monkeypatch.setattr(logging.getLogger(), "handlers", [])
        announce_compilation()
        assert capsys.readouterr().err.strip() == MESSAGE


def test_threads_know_what_they_work_for_and_hand_over_nothing_that_was_stopped() -> None:
    byte = new_halt()

    def stop_all(i: int) -> int:
        byte[0] = halt() is byte  # as cancelling does, while a call is under way
        return i

    with stopped_by(byte):
        assert Threads(2)(delayed(len)([i]) for i in range(4)) == [1, 1, 1, 1]
        with pytest.raises(Stopped):
            Threads(2)(delayed(stop_all)(i) for i in range(4))
    assert Threads(2)(delayed(stop_all)(i) for i in range(2)) == [0, 1]


def test_threads_keep_the_order_of_calls_and_end_at_the_first_error() -> None:
    begun: list[int] = []

    def fail_at_three(i: int) -> int:
        begun.append(i)
        if i == 3:
            raise IndexError("no such place")
        return i**2

    for n_jobs in (1, 2, 5):
        calls = (delayed(fail_at_three)(i) for i in (5, 4, 0))
        assert Threads(n_jobs)(calls) == [25, 16, 0]
        begun.clear()
        with pytest.raises(IndexError, match="no such place"):
            Threads(n_jobs)(delayed(fail_at_three)(i) for i in range(100))
        assert len(begun) <= 3 + n_jobs
    assert Threads(2)([]) == []


def test_as_many_threads_as_joblib_is_told_and_none_within_threads() -> None:
    def name_thread() -> str:
        both.wait(60)
        return current_thread().name

    def name_within() -> set[str]:
        both.wait(60)
        return set(Threads(2)(delayed(lambda: current_thread().name)() for _ in range(8)))

    both = Barrier(2)
    with parallel_config("threading", n_jobs=2):
        assert len(set(Threads(None)(delayed(name_thread)() for _ in range(2)))) == 2
        first, second = Threads(None)(delayed(name_within)() for _ in range(2))
    assert len(first) == len(second) == 1
    assert first != second
    with parallel_config("sequential"):
        names = Threads(2)(delayed(lambda: current_thread().name)() for _ in range(8))
    assert set(names) == {current_thread().name}


def test_a_fit_that_could_be_stopped_has_the_bits_of_one_that_could_not() -> None:
    plain = fit(STCMTLRegressor, *rows())
    with stopped_by(new_halt()):
        stoppable = fit(STCMTLRegressor, *rows(), n_jobs=2)
    np.testing.assert_array_equal(plain.coef_, stoppable.coef_)
    np.testing.assert_array_equal(plain.memberships_, stoppable.memberships_)


def test_compiled_loops_end_once_the_byte_is_set() -> None:
    problem, levels = random_problem(SQUARED), np.array([0.1, 0.01])
    V = np.ones((1, problem.n_tasks))
    with stopped_by(byte := new_halt()):
        at = Clusters(np.zeros((problem.n_features, 1)), V, np.zeros(problem.n_tasks))
        cluster_path(problem.as_tasks(), at, levels[:, None], 0.0, 1e-9)
        W, _ = l1_path(task_alone(problem, 0), levels, 1e-9)
        assert at.U.any()
        assert W.any()
        byte[0] = 1
        at.U[:] = 0.0
        cluster_path(problem.as_tasks(), at, levels[:, None], 0.0, 1e-9)
        W, _ = l1_path(task_alone(problem, 0), levels, 1e-9)
        assert not at.U.any()
        assert not W.any()
        with pytest.raises(Stopped):
            update_centers(problem, V, at.U, at.b, np.array([0.1]))
