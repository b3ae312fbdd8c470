"""``paper`` runs an experiment, prints it beside the paper, and writes what can be run again."""

import json
from pathlib import Path

import pytest

from stcmtl.baselines import METHODS
from stcmtl.baselines.registry import name_option
from stcmtl.cli import main
from stcmtl.cli.parser import COMMANDS
from stcmtl.paper import results
from stcmtl.paper.experiments import experiment_steps
from tests.unit.cli.small_files import error, run, run_json
from tests.unit.paper.tiny import drained, shrink

Capture = pytest.CaptureFixture[str]
OPTIONS = ["paper", "--setting", "sparse-200", "--method", "lasso", "--reps", "2", "--seed", "5"]


@pytest.fixture(autouse=True)
def _tiny(monkeypatch: pytest.MonkeyPatch) -> None:
    shrink(monkeypatch)


def test_table_and_file(tmp_path: Path, capsys: Capture) -> None:
    folder = tmp_path / "new"
    code, out, _ = run(capsys, *OPTIONS, "--output", str(folder))
    assert code == 0
    _, scores = drained(experiment_steps("sparse-200", ["LASSO"], 2, seed=5))
    mean = sum(score.error for score in scores if score.method == "LASSO") / 2
    row = next(line for line in out.splitlines() if line.split()[0:1] == ["LASSO"]).split()
    assert row[1] == "0.659"
    assert float(row[2]) == pytest.approx(mean, rel=1e-3)
    assert float(row[3]) == pytest.approx(mean / 0.659, rel=1e-3)
    assert "contradiction: This REE and its RMSE" in out
    assert f"Wrote {folder / 'sparse-200.csv'}." in out
    written = {run.method: run for run in results.read_runs(folder / "sparse-200.csv")}
    assert set(written) == {"LASSO", "oracle"}
    assert written["LASSO"].scores[1].error == pytest.approx(scores[2].error, rel=1e-5)


def test_the_command_in_a_header_writes_the_same_file(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    assert main([*OPTIONS, "--quiet", "--output", "first"]) == 0
    first = Path("first/sparse-200.csv").read_text().splitlines()
    command = first[1].split(" | ")[2].split()
    assert command[:4] == ["python", "-m", "stcmtl", "paper"]
    assert main([*command[3:], "--quiet"]) == 0
    again = Path("results/sparse-200.csv").read_text().splitlines()
    assert [line.rpartition(",")[0] for line in again] == [
        line.rpartition(",")[0] for line in first
    ]  # seconds come last
    assert len(first) == 1 + 2 + 1 + 4


def test_the_document(capsys: Capture) -> None:
    document = run_json(capsys, *OPTIONS)
    assert " ".join(document) == COMMANDS["paper"].keys
    (table,) = document["tables"]
    lasso = table["measures"]["REE"][0]
    assert (lasso["method"], lasso["paper"]) == ("LASSO", 0.030)
    assert lasso["ours"] == pytest.approx(
        sum(s["ree"] for s in document["scores"] if s["method"] == "LASSO") / 2
    )
    assert json.loads(json.dumps(document["scores"])) == document["scores"]


def test_what_is_refused(capsys: Capture, tmp_path: Path) -> None:
    assert "--reps is 0: there must be at least one." in error(capsys, *OPTIONS[:5], "--reps", "0")
    (tmp_path / "sparse-200.csv").write_text("mine")
    refused = error(capsys, *OPTIONS, "--output", str(tmp_path))
    assert "sparse-200.csv holds no results that can be read: move it away" in refused
    assert (tmp_path / "sparse-200.csv").read_text() == "mine"
    assert "--output is empty: name a folder." in error(capsys, *OPTIONS, "--output", "")
    for option, wrong, said in (
        ("--setting", "sparse-201", "invalid choice: 'sparse-201'"),
        ("--method", "ols", "invalid choice: 'ols'"),
        ("--seed", "-1", "'-1': give a whole number from 0 to 4294967295"),
    ):
        with pytest.raises(SystemExit) as usage:
            main(["paper", option, wrong])
        assert usage.value.code == 2
        assert said in capsys.readouterr().err


def test_missing_data_are_an_error_where_asked_for_and_a_note_elsewhere(
    capsys: Capture, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("STCMTL_DATA", str(tmp_path))
    sentence = f"School was not found: put school.mat in {tmp_path}."
    assert sentence in error(capsys, "paper", "--setting", "school", "--method", "lasso")
    monkeypatch.setattr("stcmtl.cli.paper.SETTING_NAMES", ("school", "sparse-200"))
    code, out, notes = run(capsys, "paper", "--method", "lasso", "--reps", "1")
    assert code == 0
    assert f"Note: school is left out. {sentence}" in notes
    assert "(sparse-200)" in out


def test_every_method_has_a_word_of_its_own() -> None:
    words = [name_option(method) for method in METHODS]
    assert len(set(words)) == len(words)
    assert all(" " not in word for word in words)
