"""Models fitted by the command line, for tests of what comes after."""

from pathlib import Path

import pytest

from stcmtl.cli import main
from tests.unit.cli.small_files import school_frame, written


def fit_schools(folder: Path, n: int, labels: bool) -> Path:
    file = written(school_frame(n, labels=labels), folder / "schools.csv")
    options = ["--task", "school", "--target", "score", "--clusters", "2", "--shape", "simplex"]
    options += ["--own", "none", "--quiet"]
    assert main(["fit", file, *options, "--out", str(folder)]) == 0
    return folder / "model.stcmtl"


@pytest.fixture(scope="session")
def school_model(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A regression on columns a to e and a colour."""
    return fit_schools(tmp_path_factory.mktemp("school"), 20, labels=False)


@pytest.fixture(scope="session")
def passing_model(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A classification with the labels fail and pass."""
    return fit_schools(tmp_path_factory.mktemp("passing"), 40, labels=True)
