"""Files of results: what is written is read again, and what ships is what a run gives."""

from dataclasses import replace
from pathlib import Path

import pytest

from stcmtl.paper import SETTING_NAMES, results
from stcmtl.paper.experiments import experiment_steps
from stcmtl.paper.settings import draw_rows
from tests.unit.paper.tiny import drained, run_of

LASSO = run_of("dense-200", "LASSO", 0.65625, 0.6875, ree=0.03125, mcc=0.5, seconds=1.5)
REFINED = run_of("dense-200", "STCMTL refined", 0.5, ree=0.0078125, mcc=1.0, mcc_exact=1.0)


def test_the_file(tmp_path: Path) -> None:
    (path,) = results.save_runs([LASSO], tmp_path)
    assert path == tmp_path / "dense-200.csv"
    lines = path.read_text(encoding="utf-8").splitlines()
    assert "seconds is not reproducible" in lines[0]
    command = (
        "python -m stcmtl paper --setting dense-200 --method lasso --reps 2 --seed 0 "
        "--output results"
    )
    assert lines[1] == f"# LASSO | seed 0 | {command} | {results.versions()}"
    for library in ("stcmtl", "numpy", "scipy", "scikit-learn", "numba"):
        assert f"{library} " in lines[1]
    assert lines[2:] == [
        "method,repetition,error,ree,mcc,mcc_exact,clusters,seconds",
        "LASSO,0,0.65625,0.03125,0.5,,,1.5",
        "LASSO,1,0.6875,0.03125,0.5,,,1.5",
    ]
    assert results.read_runs(path) == [LASSO]


def test_other_methods_in_the_file_stay(tmp_path: Path) -> None:
    results.save_runs([LASSO], tmp_path)
    results.save_runs([REFINED], tmp_path)
    anew = replace(LASSO, scores=LASSO.scores[:1])
    (path,) = results.save_runs([anew], tmp_path)
    assert results.read_runs(path) == [anew, REFINED]


def test_an_oracle_that_has_seen_more_stays(tmp_path: Path) -> None:
    long, short = (run_of("dense-200", "oracle", *errors) for errors in ((0.5, 0.6), (0.5,)))
    results.save_runs([short], tmp_path)
    for run in (long, short):
        (path,) = results.save_runs([run], tmp_path)
    assert results.read_runs(path) == [long]
    other_seed = replace(short, seed=1)
    assert results.read_runs(*results.save_runs([other_seed], tmp_path)) == [other_seed]


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("seed 0 |", "seed |"),
        ("seed 0 |", ""),
        (results.WARNING, "task,y"),
        ("LASSO,0,", "LASSO,x,"),
    ],
)
def test_a_file_of_others_is_neither_read_nor_written_over(
    tmp_path: Path, old: str, new: str
) -> None:
    (path,) = results.save_runs([LASSO], tmp_path)
    text = path.read_text()
    assert old in text
    path.write_text(text.replace(old, new))
    with pytest.raises(ValueError, match=r"^dense-200\.csv holds no results that can be read"):
        results.save_runs([LASSO], tmp_path)
    path.write_bytes(b"\xff\xfe")
    with pytest.raises(ValueError, match=r"^dense-200\.csv holds no results that can be read"):
        results.read_runs(path)


def test_what_ships_is_whole() -> None:
    settings = results.list_shipped()
    assert {"sparse-200", "dense-200", "digits-40"} <= set(settings) <= set(SETTING_NAMES)
    for setting in settings:
        runs = results.read_shipped(setting)
        assert {"LASSO", "Pooled", "STCMTL refined"} <= {run.method for run in runs}
        for run in runs:
            assert [score.repetition for score in run.scores] == list(range(run.repetitions))


@pytest.mark.parametrize(("setting", "method"), [("sparse-200", "LASSO"), ("digits-40", "Pooled")])
def test_what_ships_comes_out_again(setting: str, method: str) -> None:
    """One repetition of a quick method, as the command in the header runs it."""
    _, scores = drained(experiment_steps(setting, [method], 1, seed=0))
    shipped = {run.method: run.scores[0] for run in results.read_shipped(setting)}
    for again in scores:
        known = shipped[again.method]
        for name in ("error", "ree", "mcc", "mcc_exact"):
            value = getattr(again, name)
            expected = getattr(known, name)
            assert value == expected or value == pytest.approx(expected, rel=2e-5)


def test_repetitions_are_paired() -> None:
    """The rows of a repetition do not depend on who asks."""
    first, second = draw_rows("digits-10", 0, 1), draw_rows("digits-10", 0, 1)
    assert (first.train.X == second.train.X).all()
    assert (first.train.X != draw_rows("digits-10", 0, 0).train.X).any()
