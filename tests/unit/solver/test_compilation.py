"""Compilation takes a minute once: a person is told, and only then."""

from __future__ import annotations

import logging
import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest

from stcmtl.solver import compilation
from stcmtl.solver.compilation import (
    MESSAGE,
    announce_compilation,
    is_cached,
    kernels_are_cached,
    say_once,
)
from stcmtl.solver.kernels.simplex import project_simplex
from tests.unit.two_clusters import STCMTLRegressor, fit, rows


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


def compiled_at(kernel: SimpleNamespace, name: str, seconds: int) -> None:
    index = Path(kernel.stats.cache_path) / name
    index.touch()
    os.utime(index, (seconds, seconds))


class TestCache:
    def test_a_compiled_form_younger_than_its_source(self, kernel: SimpleNamespace) -> None:
        compiled_at(kernel, "loops.sweep-1.py311.nbi", 2000)
        assert is_cached(kernel)

    def test_no_compiled_form(self, kernel: SimpleNamespace) -> None:
        assert not is_cached(kernel)

    def test_no_folder(self, kernel: SimpleNamespace) -> None:
        Path(kernel.stats.cache_path).rmdir()
        assert not is_cached(kernel)

    def test_a_source_edited_since(self, kernel: SimpleNamespace) -> None:
        compiled_at(kernel, "loops.sweep-1.py311.nbi", 500)
        assert not is_cached(kernel)
        compiled_at(kernel, "loops.sweep-2.py311.nbi", 2000)  # and compiled again
        assert is_cached(kernel)

    def test_another_function_or_file(self, kernel: SimpleNamespace) -> None:
        compiled_at(kernel, "loops.sweeps-1.py311.nbi", 2000)
        compiled_at(kernel, "other.sweep-1.py311.nbi", 2000)
        assert not is_cached(kernel)

    def test_finds_what_numba_really_writes(self) -> None:
        project_simplex(np.zeros(2))
        assert is_cached(project_simplex)

    def test_one_kernel_missing_is_enough(
        self, kernel: SimpleNamespace, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        project_simplex(np.zeros(2))
        monkeypatch.setattr(compilation, "ENTRIES", (project_simplex,))
        assert kernels_are_cached()
        monkeypatch.setattr(compilation, "ENTRIES", (project_simplex, kernel))
        assert not kernels_are_cached()

    def test_a_baseline_names_its_own(
        self, kernel: SimpleNamespace, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        project_simplex(np.zeros(2))
        monkeypatch.setattr(compilation, "ENTRIES", (project_simplex,))
        assert not kernels_are_cached(kernel)
        monkeypatch.setattr(compilation, "ENTRIES", (kernel,))
        assert kernels_are_cached(project_simplex)


WITHOUT_COMPILATION = """
import sys
import numpy as np
from tests.unit.two_clusters import fit, rows, STCMTLRegressor
model = fit(STCMTLRegressor, *rows(n=6, features=3), cv=2)
np.savez(sys.argv[1], coef=model.coef_, memberships=model.memberships_)
"""


def test_kernels_run_as_plain_python_for_those_who_debug_them(tmp_path: Path) -> None:
    """The same but for rounding: compiled sums may be taken in another order."""
    subprocess.run(
        [sys.executable, "-c", WITHOUT_COMPILATION, tmp_path / "plain.npz"],
        env={**os.environ, "NUMBA_DISABLE_JIT": "1"},
        check=True,
    )
    plain = np.load(tmp_path / "plain.npz")
    model = fit(STCMTLRegressor, *rows(n=6, features=3), cv=2)
    np.testing.assert_allclose(plain["coef"], model.coef_, rtol=1e-9, atol=1e-12)
    np.testing.assert_allclose(plain["memberships"], model.memberships_, rtol=1e-9, atol=1e-12)


class TestAnnouncement:
    def test_cold_is_announced_once(
        self, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
    ) -> None:
        monkeypatch.setattr(compilation, "kernels_are_cached", lambda: False)
        announce_compilation()
        announce_compilation()
        assert caplog.record_tuples == [("stcmtl", logging.WARNING, MESSAGE)]

    def test_warm_is_silent(
        self, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
    ) -> None:
        monkeypatch.setattr(compilation, "kernels_are_cached", lambda: True)
        announce_compilation()
        assert caplog.record_tuples == []

    def test_reaches_a_person_who_has_set_up_no_logging(
        self, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
    ) -> None:
        monkeypatch.setattr(compilation, "kernels_are_cached", lambda: False)
        monkeypatch.setattr(logging.getLogger("stcmtl"), "handlers", [])
        monkeypatch.setattr(logging.getLogger(), "handlers", [])
        announce_compilation()
        assert capsys.readouterr().err.strip() == MESSAGE
