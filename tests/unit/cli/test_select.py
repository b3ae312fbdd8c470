"""``select`` shows and writes the curve of ``select_n_clusters``."""

import json
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from stcmtl import STCMTLRegressor, read, select_n_clusters
from stcmtl.cli.fit import describe_curve
from stcmtl.cli.parser import COMMANDS
from stcmtl.estimators.choose_k import KSelection
from stcmtl.evaluation.curve_tables import curve_table
from tests.unit.cli.small_files import error, run, run_json, school_frame, written

Capture = pytest.CaptureFixture[str]
OPTIONS = ["--task", "school", "--target", "score", "--ks", "1:3", "--folds", "3", "--seed", "4"]


@pytest.fixture(scope="module")
def schools(tmp_path_factory: pytest.TempPathFactory) -> str:
    return written(school_frame(), tmp_path_factory.mktemp("select") / "schools.csv")


@pytest.fixture(scope="module")
def expected(schools: str) -> KSelection:
    data, _ = read(schools, task="school", target="score")
    model = STCMTLRegressor(theta=0.7)
    return select_n_clusters(
        data.X, data.y, data.tasks, range(1, 4), 3, estimator=model, random_state=4
    )


def a_curve(*errors: float) -> KSelection:
    ks = np.arange(1, len(errors) + 1)
    tenth = np.full(len(errors), 0.1)
    return KSelection(
        ks=ks,
        error=np.array(errors),
        se=tenth,
        objective=1.0 / ks,
        seconds=tenth,
        singular_ratios=np.array([1.5, 3.0]),
        metric="RMSE",
    )


def test_the_curve(schools: str, expected: KSelection, tmp_path: Path, capsys: Capture) -> None:
    out = tmp_path / "curve.csv"
    arguments = ["select", schools, *OPTIONS, "--theta", "0.7", "--out", str(out)]
    document = run_json(capsys, *arguments)
    assert " ".join(document) == COMMANDS["select"].keys
    assert document["ks"] == [1, 2, 3]
    for name in ("error", "se", "objective", "singular_ratios"):
        assert document[name] == pytest.approx(getattr(expected, name))
    assert (document["one_se"], document["best"]) == (expected.one_se, expected.best)
    assert (document["metric"], document["written"]) == ("RMSE", [str(out)])
    table = pd.read_csv(out)
    assert list(table.columns) == ["K", "error", "se", "objective", "seconds", "choice"]
    assert table["error"].to_numpy() == pytest.approx(expected.error)


def test_a_person_reads_a_table(schools: str, expected: KSelection, capsys: Capture) -> None:
    code, out, err = run(capsys, "select", schools, *OPTIONS, "--theta", "0.7")
    assert (code, err) == (0, "")
    shown = [line.split() for line in out.splitlines()]
    for k, value in zip((1, 2, 3), expected.error, strict=True):
        assert [str(k), f"{value:.4g}"] in [cells[:2] for cells in shown]
    assert f"K = {expected.one_se} is the smallest within one standard error" in out


def test_of_another_shape(schools: str, capsys: Capture) -> None:
    document = run_json(capsys, "select", schools, *OPTIONS, "--shape", "cone")
    data, _ = read(schools, task="school", target="score")
    model = STCMTLRegressor(shape="cone")
    cone = select_n_clusters(
        data.X, data.y, data.tasks, range(1, 4), 3, estimator=model, random_state=4
    )
    assert document["error"] == pytest.approx(cone.error)
    plain = run_json(capsys, "select", schools, *OPTIONS)
    assert document["error"] != plain["error"]


@pytest.mark.parametrize(("text", "ks"), [("0:2", [0, 1, 2]), ("0,2", [0, 2]), ("0", [0])])
def test_every_task_on_its_own(schools: str, capsys: Capture, text: str, ks: list[int]) -> None:
    document = run_json(capsys, "select", schools, *OPTIONS, "--ks", text)
    assert document["ks"] == ks
    data, _ = read(schools, task="school", target="score")
    found = select_n_clusters(data.X, data.y, data.tasks, ks, 3, random_state=4)
    assert document["error"] == pytest.approx(found.error)
    assert document["objective"][0] is None


def test_with_deviations(schools: str, capsys: Capture) -> None:
    document = run_json(capsys, "select", schools, *OPTIONS, "--own", "deviation")
    data, _ = read(schools, task="school", target="score")
    model = STCMTLRegressor(own="deviation")
    found = select_n_clusters(
        data.X, data.y, data.tasks, range(1, 4), 3, estimator=model, random_state=4
    )
    assert document["error"] == pytest.approx(found.error)
    plain = run_json(capsys, "select", schools, *OPTIONS)
    assert plain["error"] != document["error"]
    assert plain["error"] == run_json(capsys, "select", schools, *OPTIONS, "--own", "none")["error"]


def test_written_as_json(schools: str, tmp_path: Path, capsys: Capture) -> None:
    out = tmp_path / "curve.json"
    document = run_json(capsys, "select", schools, *OPTIONS, "--out", str(out))
    assert json.loads(out.read_text(encoding="utf-8")) == document


def test_written_as_a_page(schools: str, tmp_path: Path, capsys: Capture) -> None:
    out = tmp_path / "curve.html"
    assert run(capsys, "select", schools, *OPTIONS, "--out", str(out))[0] == 0
    assert "Plotly.newPlot" in out.read_text(encoding="utf-8")


def test_choices_are_marked() -> None:
    curve = a_curve(2.0, 1.05, 1.0, 1.3)
    assert curve_table(curve)["choice"].tolist() == ["", "one-SE rule", "lowest error", ""]
    assert describe_curve(curve).endswith(
        "K = 2 is the smallest within one standard error of the lowest RMSE; "
        "the lowest is at K = 3."
    )
    same = a_curve(2.0, 1.0, 1.3)
    assert curve_table(same)["choice"].tolist() == ["", "one-SE rule, lowest error", ""]
    assert describe_curve(same).endswith("within one standard error of the lowest RMSE.")


def test_more_clusters_than_tasks(schools: str, capsys: Capture) -> None:
    sentence = error(capsys, "select", schools, *OPTIONS, "--ks", "2,7", "--quiet")
    assert sentence.startswith("--ks holds 7: every number of clusters must be a whole number")


def test_the_file_is_refused_before_the_work(schools: str, capsys: Capture) -> None:
    sentence = error(capsys, "select", schools, *OPTIONS, "--out", "curve.png")
    assert sentence == "curve.png ends in '.png': use .csv, .parquet, .xlsx, .json, .html."
