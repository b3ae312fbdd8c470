"""Files of simulated tasks hold what ``simulate`` draws."""

from pathlib import Path

import numpy as np
import pytest

from stcmtl import read, simulate
from tests.unit.cli.small_files import error, run, run_json

SMALL = ["--tasks", "6", "--features", "20", "--clusters", "2", "--train", "8:12", "--test", "5"]
DRAWN = {"n_tasks": 6, "n_features": 20, "n_clusters": 2, "n_train": (8, 12), "n_test": 5}
Capture = pytest.CaptureFixture[str]


def test_files_hold_the_draw(tmp_path: Path, capsys: Capture) -> None:
    paths = [tmp_path / name for name in ("train.csv", "test.npz", "truth.npz")]
    train, test, truth = (str(path) for path in paths)
    options = ["--seed", "3", "--structure-seed", "4", "--mixing", "dense", "--outliers", "1"]
    document = run_json(
        capsys, "simulate", *SMALL, *options, "--noise", "0.1",
        "--out", train, "--test-out", test, "--truth-out", truth,
    )  # fmt: skip
    sim = simulate(
        **DRAWN, random_state=3, structure_seed=4, mixing="dense", n_outliers=1, noise=0.1
    )
    for path, drawn in ((train, sim.train), (test, sim.test)):
        data, _ = read(path)
        assert np.array_equal(data.X, drawn.X)
        assert np.array_equal(data.y, drawn.y)
        assert data.tasks.tolist() == drawn.tasks.tolist()
    with np.load(truth) as arrays:
        assert {name: arrays[name].tolist() for name in arrays} == {
            name: getattr(sim.truth, name).tolist() for name in ("U", "V", "W", "pure", "outliers")
        }
    assert document == {
        "tasks": 7,
        "features": 20,
        "clusters": 2,
        "rows": len(sim.train.X),
        "task_type": "regression",
        "outliers": ["task7"],
        "written": [train, test, truth],
    }


def test_labels(tmp_path: Path, capsys: Capture) -> None:
    path = tmp_path / "labels.parquet"
    code, out, _ = run(capsys, "simulate", *SMALL, "--classification", "--out", str(path))
    assert code == 0
    assert out.endswith(f"Wrote {path}.\n")
    data, _ = read(str(path))
    assert data.task_type == "classification"
    assert np.array_equal(data.y, simulate(**DRAWN, task_type="classification").train.y)


@pytest.mark.parametrize(
    ("options", "sentence"),
    [
        (["--features", "5"], "2 clusters need at least 15 features, not 5."),
        (["--noise", "-1"], "--noise is -1.0: a standard deviation is finite"),
        (["--out", "tasks.doc"], "tasks.doc ends in '.doc': use .csv, .parquet, .xlsx, .npz."),
        (["--out", "no/such/tasks.csv"], "there is no folder no/such."),
    ],
)
def test_what_cannot_be(tmp_path: Path, capsys: Capture, options: list[str], sentence: str) -> None:
    out = ["--out", str(tmp_path / "tasks.csv")]
    assert sentence in error(capsys, "simulate", *SMALL, *out, *options)
    assert list(tmp_path.iterdir()) == []
