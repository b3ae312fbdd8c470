"""Where compiled kernels are kept."""

import os
from collections.abc import Callable
from errno import ENOSPC
from pathlib import Path
from runpy import run_path
from typing import Any

import numba
import pytest

from stcmtl.solver import kept_kernels
from stcmtl.solver.kernels import losses


def test_a_folder_of_somebody_else_is_not_used(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What lies in it is executed."""
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    mine = kept_kernels.temporary_folder()
    assert mine == tmp_path / f"stcmtl-{os.getuid()}"
    assert kept_kernels.temporary_folder() == mine
    mine.chmod(0o777)
    other = kept_kernels.temporary_folder()
    assert other != mine
    assert other.stat().st_mode & 0o077 == 0


def test_what_is_given_or_can_be_written_is_left_alone(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv(kept_kernels.VARIABLE, raising=False)
    monkeypatch.setattr(kept_kernels, "BESIDE", tmp_path / "beside")
    assert kept_kernels.settle_folder() == tmp_path / "beside"
    monkeypatch.setattr(kept_kernels, "BESIDE", Path("/proc/none"))
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "user"))
    assert kept_kernels.settle_folder() == tmp_path / "user" / "numba"
    assert kept_kernels.VARIABLE not in os.environ
    monkeypatch.setenv(kept_kernels.VARIABLE, str(tmp_path / "given"))
    assert kept_kernels.settle_folder() == tmp_path / "given"


def test_a_folder_that_is_given_and_cannot_be_written_is_not_used(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """numba would refuse to define a kernel."""
    monkeypatch.setenv(kept_kernels.VARIABLE, "/proc/none")
    monkeypatch.setattr(kept_kernels, "BESIDE", tmp_path / "beside")
    assert kept_kernels.settle_folder() == tmp_path / "beside"


# Whatever its files have come to, a kernel is there


@pytest.fixture
def define(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[[], Any]:
    """A kernel that is kept in a folder of its own, defined anew by every call."""
    monkeypatch.setattr(numba.config, "CACHE_DIR", str(tmp_path / "kept"))
    source = tmp_path / "halves.py"
    source.write_text("def halve(x):\n    return x / 2\n")

    def defined() -> Any:
        return losses.compiled(run_path(str(source))["halve"])

    return defined


def times_loaded(kernel: Any) -> int:
    assert kernel(3.0) == 1.5
    return sum(kernel.stats.cache_hits.values())


def spoil(data: bytes) -> bytes:
    """Other machine code, of the same length."""
    middle = len(data) // 2
    return data[:middle] + bytes(64) + data[middle + 64 :]


def cut(data: bytes) -> bytes:
    return data[: len(data) // 2]


@pytest.mark.parametrize("ending", ["nbi", "nbc"])
@pytest.mark.parametrize("damage", [cut, spoil, lambda _: b"not a kernel"])
def test_a_damaged_file_is_as_good_as_none(
    ending: str, damage: Callable[[bytes], bytes], define: Callable[[], Any], tmp_path: Path
) -> None:
    assert [times_loaded(define()) for _ in range(2)] == [0, 1]
    [file] = (tmp_path / "kept").rglob(f"*.{ending}")
    file.write_bytes(damage(file.read_bytes()))
    assert [times_loaded(define()) for _ in range(2)] == [0, 1]


def test_where_the_disk_is_full_kernels_are_compiled_and_not_kept(
    define: Callable[[], Any], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(*_: object) -> None:
        raise OSError(ENOSPC, "No space left on device")

    monkeypatch.setattr("numba.core.caching.IndexDataCacheFile._open_for_write", fail)
    assert [times_loaded(define()) for _ in range(2)] == [0, 0]
    assert not list((tmp_path / "kept").rglob("*.nb?"))
