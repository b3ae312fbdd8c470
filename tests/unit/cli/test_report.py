"""``report`` hands the page what it is to show: the model, its data and test rows, K's curve."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from stcmtl import load, read
from stcmtl.cli.parser import COMMANDS
from stcmtl.studio.state.choices import FitChoice
from stcmtl.studio.state.loading import Loaded
from stcmtl.studio.words import findings
from stcmtl.studio.work.fits import judge
from tests.unit.cli.small_files import error, run, run_json, school_frame, written

Capture = pytest.CaptureFixture[str]


@pytest.fixture
def handed(monkeypatch: pytest.MonkeyPatch) -> dict[str, Any]:
    """What the page is made from, once it is."""
    values: dict[str, Any] = {}

    def write_report(path: str, model: Any, data: Any = None, **options: Any) -> None:
        values.update(path=path, model=model, data=data, **options)

    monkeypatch.setattr("stcmtl.report.write_report", write_report)
    return values


def test_the_page_gets_the_rows_as_the_model_knows_them(
    handed: dict[str, Any], school_model: Path, tmp_path: Path, capsys: Capture
) -> None:
    data = written(school_frame(), tmp_path / "schools.csv")
    shuffled = school_frame(5, seed=3)[school_frame().columns[::-1]]
    test = written(shuffled, tmp_path / "test.parquet")
    page = str(tmp_path / "report.html")
    options = ["--data", data, "--test-file", test, "--title", "Schools", "--out", page]
    document = run_json(capsys, "report", str(school_model), *options)
    assert " ".join(document) == COMMANDS["report"].keys
    assert document.pop("doubts") == handed["doubts"]
    assert document == {"tasks": 6, "features": 8, "clusters": 2, "written": [page]}
    first, _ = read(data, task="school", target="score")
    assert (handed["path"], handed["title"]) == (page, "Schools")
    assert np.array_equal(handed["model"].coef_, load(school_model).coef_)
    assert np.array_equal(handed["data"].X, first.X)
    assert np.array_equal(handed["data"].y, first.y)
    assert handed["test"].feature_names == first.feature_names
    assert handed["test"].y.tolist() == shuffled["score"].tolist()


def test_clusters_that_do_not_help_are_doubted_as_on_pages(
    handed: dict[str, Any], school_model: Path, tmp_path: Path, capsys: Capture
) -> None:
    """By the same errors and in the same words; of a target that is noise, features help nobody."""
    data = written(school_frame(), tmp_path / "schools.csv")
    noise = np.random.default_rng(0).normal(size=120)
    rows = school_frame(20, seed=3)
    page = str(tmp_path / "report.html")
    for test, speaks in ((rows, False), (rows.assign(score=noise[: len(rows)]), True)):
        file = written(test, tmp_path / "test.csv")
        run_json(
            capsys, "report", str(school_model), "--data", data, "--test-file", file, "--out", page
        )
        model, train = handed["model"], handed["data"]
        loaded = Loaded("schools", "schools.csv", train, handed["test"])
        banner = findings.no_help(judge(FitChoice(k=2), loaded, model, 0.0))
        assert handed["doubts"] == [banner] * speaks
        assert bool(banner) == speaks


def test_labels_are_the_models(
    handed: dict[str, Any], passing_model: Path, tmp_path: Path, capsys: Capture
) -> None:
    frame = school_frame(40, labels=True)
    data = written(frame, tmp_path / "schools.csv")
    page = str(tmp_path / "report.html")
    code, out, _ = run(capsys, "report", str(passing_model), "--data", data, "--out", page)
    assert (code, out.splitlines()[-1]) == (0, f"Wrote {page}.")
    assert handed["data"].y.tolist() == frame["score"].tolist()
    assert handed["test"] is None


def test_data_may_be_left_out(
    handed: dict[str, Any], school_model: Path, tmp_path: Path, capsys: Capture
) -> None:
    page = str(tmp_path / "report.html")
    assert run(capsys, "report", str(school_model), "--out", page)[0] == 0
    assert handed["data"] is None


def test_the_page_is_written(school_model: Path, tmp_path: Path, capsys: Capture) -> None:
    data = written(school_frame(), tmp_path / "schools.csv")
    page = tmp_path / "report.html"
    options = ["--data", data, "--title", "Schools of my town", "--out", str(page)]
    assert run(capsys, "report", str(school_model), *options)[0] == 0
    text = page.read_text(encoding="utf-8")
    assert "Schools of my town" in text
    assert "north" in text


def test_a_page_is_html(school_model: Path, capsys: Capture) -> None:
    sentence = error(capsys, "report", str(school_model), "--out", "report.pdf")
    assert sentence == "report.pdf ends in '.pdf': use .html, .htm."


def test_errors_count_rows_as_the_fit_did(
    handed: dict[str, Any], tmp_path: Path, capsys: Capture
) -> None:
    """By the column that the fit was told of, where a file has it, or by another one."""
    frame = school_frame().assign(people=np.arange(120) % 3 + 1, voices=1.0)
    data = written(frame, tmp_path / "schools.csv")
    plain = written(school_frame(5, seed=3), tmp_path / "plain.csv")
    fit = ["--task", "school", "--target", "score", "--clusters", "2", "--weight", "people"]
    options = [*fit, "--exclude", "voices", "--shape", "simplex", "--own", "none"]
    run_json(capsys, "fit", data, *options, "--out", str(tmp_path / "out"))
    model, page = str(tmp_path / "out" / "model.stcmtl"), str(tmp_path / "page.html")
    given = ["--data", data, "--test-file", plain, "--out", page]
    code, said, _ = run(capsys, "report", model, *given)
    assert code == 0
    assert "by the weight in column 'people', from 1 to 3." in said
    assert "There is no column 'people' to count rows by: all count alike." in said
    np.testing.assert_array_equal(handed["data"].weight, frame["people"])
    assert handed["test"].weight is None
    run_json(capsys, "report", model, *given[:2], "--weight", "voices", "--out", page)
    np.testing.assert_array_equal(handed["data"].weight, 1.0)
    said = error(capsys, "report", model, *given, "--weight", "voices", "--quiet")
    assert said.startswith("plain.csv has no column 'voices': it has school, a, b, c")
    document = run_json(capsys, "predict", model, data)
    assert document["notes"] == ["Column 'voices' is no feature of the model and not used"]
