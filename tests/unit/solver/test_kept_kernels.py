"""Where compiled kernels are kept."""

import os
from pathlib import Path

import pytest

from stcmtl.solver import kept_kernels


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
    monkeypatch.setenv(kept_kernels.VARIABLE, "elsewhere")
    assert kept_kernels.settle_folder() == Path("elsewhere")
