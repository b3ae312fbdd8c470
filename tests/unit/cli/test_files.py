"""No command destroys what it was given, nor what somebody else has put where it writes."""

import os
import shutil
from collections.abc import Callable
from hashlib import sha256
from pathlib import Path
from typing import Any

import pytest

from stcmtl import load
from stcmtl.cli import files, main
from stcmtl.evaluation.tables import result_tables
from tests.unit.cli.small_files import error, run, run_json, school_frame, written
from tests.unit.paper.tiny import shrink

Capture = pytest.CaptureFixture[str]
FIT = ["--task", "school", "--target", "score", "--clusters", "2", "--paper"]
SELECT = ["--task", "school", "--target", "score", "--ks", "1:2", "--folds", "2", "--paper"]
PAPER = ["--setting", "sparse-200", "--method", "lasso", "--reps", "1"]
SMALL = ["--tasks", "4", "--features", "15", "--clusters", "2", "--train", "5", "--test", "3"]


@pytest.fixture(scope="session")
def stock(school_model: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A model, data in files of several kinds, test rows; no results."""
    folder = tmp_path_factory.mktemp("stock")
    for name in ("m.stcmtl", "model.html"):
        shutil.copy(school_model, folder / name)
    frame = school_frame()
    for name in ("new.csv", "tasks.csv", "memberships.parquet", "page.html"):
        written(frame, folder / name)
    (folder / "parts").mkdir()
    for school, part in frame.groupby("school"):
        written(part, folder / "parts" / f"{school}.csv")
    return folder


@pytest.fixture
def folder(stock: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Where one works."""
    shutil.copytree(stock, tmp_path, dirs_exist_ok=True)
    monkeypatch.chdir(tmp_path)
    return tmp_path


def hashes(folder: Path) -> dict[str, str]:
    files = [path for path in sorted(folder.rglob("*")) if path.is_file()]
    return {str(path): sha256(path.read_bytes()).hexdigest() for path in files}


def refused(capsys: Capture, folder: Path, *arguments: str) -> str:
    """The sentence; nothing was read, nothing has changed."""
    before = hashes(folder)
    sentence = error(capsys, *arguments)
    assert hashes(folder) == before
    return sentence


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (["fit", "tasks.csv", *FIT, "--out", "."], "tasks.csv is an input: give --out another fol"),
        (
            ["fit", "new.csv", *FIT, "--out", ".", "--test-file", "tasks.csv"],
            "tasks.csv is an input: give --out another folder.",
        ),
        (
            ["fit", "memberships.parquet", *FIT, "--out", ".", "--format", "parquet"],
            "memberships.parquet is an input: give --out another folder.",
        ),
        (["predict", "m.stcmtl", "new.csv", "--out", "new.csv"], "new.csv is an input: give --out"),
        (
            ["predict", "m.stcmtl", "parts/up.csv", "new.csv", "--out", "parts/up.csv"],
            "parts/up.csv is an input: give --out another name.",
        ),
        (["select", "new.csv", *SELECT, "--out", "new.csv"], "new.csv is an input: give --out ano"),
        (
            ["report", "model.html", "--out", "model.html"],
            "model.html is an input: give --out another name.",
        ),
        (
            ["report", "m.stcmtl", "--data", "page.html", "--out", "page.html"],
            "page.html is an input: give --out another name.",
        ),
        (
            ["report", "m.stcmtl", "--test-file", "page.html", "--out", "page.html"],
            "page.html is an input: give --out another name.",
        ),
    ],
)
@pytest.mark.parametrize("force", [[], ["--force"]])
def test_an_input_is_never_an_output(
    folder: Path, capsys: Capture, arguments: list[str], sentence: str, force: list[str]
) -> None:
    assert sentence in refused(capsys, folder, *arguments, *force)


def link(name: str) -> str:
    Path(name).symlink_to("new.csv")
    return name


def hard_link(name: str) -> str:
    Path(name).hardlink_to("new.csv")
    return name


@pytest.mark.parametrize(
    ("respell", "out"),
    [
        (link, "link.csv"),
        (hard_link, "hard.csv"),
        (lambda name: name, "parts/../new.csv"),
        (lambda name: str(Path(name).absolute()), "new.csv"),
        (lambda name: name, "NEW.csv"),
    ],
)
@pytest.mark.parametrize("command", [["predict", "m.stcmtl"], ["select", *SELECT]])
def test_an_input_is_known_by_any_path(
    folder: Path, capsys: Capture, command: list[str], respell: Callable[[str], str], out: str
) -> None:
    out = respell(out)
    said = refused(capsys, folder, *command, "new.csv", "--out", out, "--force")
    assert said == f"{out} is the input new.csv: give --out another name."


@pytest.mark.parametrize(
    "command", [["fit", *FIT, "--out", "."], ["predict", "m.stcmtl", "--out", "tasks.csv"]]
)
def test_a_file_that_comes_through_standard_input_is_known(
    folder: Path, capsys: Capture, command: list[str]
) -> None:
    before = os.dup(0)
    with Path("tasks.csv").open() as stream:
        os.dup2(stream.fileno(), 0)
    try:
        said = refused(capsys, folder, *command, "-", "--force")
    finally:
        os.dup2(before, 0)
        os.close(before)
    assert said.startswith("tasks.csv is standard input: give --out another ")


def test_a_link_that_is_an_input_keeps_what_it_points_to(folder: Path, capsys: Capture) -> None:
    Path("data.csv").symlink_to("tasks.csv")
    said = refused(capsys, folder, "fit", "data.csv", *FIT, "--out", ".", "--force")
    assert said == "tasks.csv is the input data.csv: give --out another folder."


def test_nothing_is_added_to_a_folder_that_is_read(folder: Path, capsys: Capture) -> None:
    command = ["fit", "parts", "--target", "score", "--clusters", "2", "--paper", "--out"]
    assert refused(capsys, folder, *command, "parts", "--force") == (
        "parts/model.stcmtl would be among the inputs in parts: give --out another folder."
    )
    said = refused(capsys, folder, "predict", "m.stcmtl", "parts", "--out", "parts/up.csv")
    assert said == "parts/up.csv is an input: give --out another name."


@pytest.mark.parametrize(
    ("named", "sentence"),
    [
        (["--out", "s.csv", "--test-out", "s.csv"], "s.csv is named by --out and by --test-out"),
        (["--out", "s.csv", "--test-out", "S.csv"], "S.csv is named by --out and by --test-out"),
        (["--out", "s.csv", "--test-out", "./parts/../s.csv"], "is named by --out and by --test"),
        (["--out", "s.npz", "--truth-out", "s.npz"], "s.npz is named by --out and by --truth-out"),
        (
            ["--out", "a.npz", "--test-out", "s.npz", "--truth-out", "s.npz"],
            "s.npz is named by --test-out and by --truth-out: give one of them another name.",
        ),
    ],
)
def test_two_outputs_are_two_files(
    folder: Path, capsys: Capture, named: list[str], sentence: str
) -> None:
    assert sentence in refused(capsys, folder, "simulate", *SMALL, *named, "--force")


@pytest.mark.parametrize(
    "arguments",
    [
        ["predict", "m.stcmtl", "new.csv", "--out", "theirs.csv"],
        ["select", "new.csv", *SELECT, "--out", "theirs.json"],
        ["simulate", *SMALL, "--out", "theirs.npz"],
        ["simulate", *SMALL, "--out", "mine.csv", "--test-out", "theirs.csv"],
        ["report", "m.stcmtl", "--out", "theirs.html"],
    ],
)
def test_a_file_of_others_is_replaced_by_force_alone(
    folder: Path, capsys: Capture, arguments: list[str]
) -> None:
    out = next(Path(name) for name in arguments if name.startswith("theirs"))
    out.write_text("theirs")
    option = arguments[arguments.index(out.name) - 1]
    said = refused(capsys, folder, *arguments)
    assert said == (
        f"{out} exists already: give {option} another name, or pass --force to replace it."
    )
    before = hashes(folder)
    assert run(capsys, *arguments, "--force")[0] == 0
    after = hashes(folder)
    assert b"theirs" not in out.read_bytes()[:10]
    assert {name for name in before if before[name] != after[name]} == {str(out.absolute())}


# A folder of results


@pytest.mark.parametrize("format", ["csv", "parquet", "xlsx"])
def test_results_may_be_written_again(folder: Path, capsys: Capture, format: str) -> None:
    arguments = ["fit", "new.csv", *FIT, "--format", format, "--out", "results"]
    first = run_json(capsys, *arguments)["written"]
    Path("results/notes.txt").write_text("mine")
    again = run_json(capsys, *arguments, "--seed", "3")["written"]
    assert first == again
    assert load("results/model.stcmtl").random_state == 3
    assert set(map(str, Path("results").iterdir())) == {"results/notes.txt", *first}
    assert Path("results/notes.txt").read_text() == "mine"


@pytest.mark.parametrize(
    "name", ["model.stcmtl", "account.txt", "tasks.csv", "coefficients.parquet", "results.xlsx"]
)
@pytest.mark.parametrize("beside_a_model", [False, True])
def test_files_of_others_stay_in_a_folder_of_results(
    folder: Path, capsys: Capture, name: str, beside_a_model: bool
) -> None:
    path = Path("results") / name
    path.parent.mkdir()
    if beside_a_model:
        shutil.copy("m.stcmtl", "results/model.stcmtl")
    if path.suffix in (".csv", ".parquet"):
        written(school_frame(), path)
    elif path.suffix == ".xlsx":
        school_frame().to_excel(path)
    else:
        path.write_text("mine")
    format = path.suffix[1:] if path.suffix in (".parquet", ".xlsx") else "csv"
    arguments = ["fit", "new.csv", *FIT, "--format", format, "--out", "results"]
    first = "results/model.stcmtl" if name == "model.stcmtl" else str(path)
    assert refused(capsys, folder, *arguments) == (
        f"{first} exists and is not of an earlier fit: "
        "give --out another folder, or pass --force to replace it."
    )
    assert run(capsys, *arguments, "--force")[0] == 0
    assert files.is_model(Path("results/model.stcmtl"))
    assert files.is_result(path)


def test_tables_begin_as_is_said(school_model: Path) -> None:
    tables = result_tables(load(school_model))
    assert list(tables) == list(files.TABLES)
    for name, begin in files.TABLES.items():
        assert list(tables[name].columns[: len(begin)]) == begin


def test_tables_of_an_earlier_fit_are_named(folder: Path, capsys: Capture) -> None:
    arguments = ["fit", "new.csv", *FIT, "--out", "results", "--format"]
    assert run(capsys, *arguments, "parquet")[2] == ""
    written(school_frame(), Path("results/tasks.csv"))
    Path("results/tasks.parquet").unlink()
    note = (
        "Note: results also has tables of an earlier fit: "
        "cluster_coefficients.parquet, cluster_standard_errors.parquet, coefficients.parquet "
        "and memberships.parquet.\n"
    )
    assert run(capsys, *arguments, "xlsx")[2] == note
    assert "results.xlsx" in run(capsys, *arguments, "csv", "--force")[2]


# Nothing is half written


FULL = OSError(28, "No space left on device")


def fails_the_second_time(
    arguments: list[str], folder: Path, monkeypatch: pytest.MonkeyPatch, what: str, how: Any
) -> None:
    """The files of the first time stay, and nothing else comes."""
    assert main([*arguments, "--quiet"]) == 0
    before = hashes(folder)
    monkeypatch.setattr(what, how)
    force = [] if arguments[0] in ("fit", "paper") else ["--force"]
    assert main([*arguments, *force, "--quiet"]) in (1, 130)
    assert hashes(folder) == before


@pytest.mark.parametrize(
    ("arguments", "fault"),
    [
        (["fit", "new.csv", *FIT, "--out", "results"], FULL),
        (["fit", "new.csv", *FIT, "--out", "results"], KeyboardInterrupt()),
        (["predict", "m.stcmtl", "new.csv", "--out", "out.csv"], FULL),
        (["simulate", *SMALL, "--out", "out.csv"], FULL),
    ],
)
def test_a_table_that_breaks_off(
    folder: Path, monkeypatch: pytest.MonkeyPatch, arguments: list[str], fault: BaseException
) -> None:
    def write_half(table: Any, path: Path) -> None:
        path.write_text("half")
        raise fault

    what = "stcmtl.io.write.write_csv"
    fails_the_second_time(arguments, folder, monkeypatch, what, write_half)


@pytest.mark.parametrize(
    ("arguments", "fault"),
    [
        (["fit", "new.csv", *FIT, "--out", "results"], FULL),
        (["fit", "new.csv", *FIT, "--out", "results"], KeyboardInterrupt()),
        (["select", "new.csv", *SELECT, "--out", "curve.html"], FULL),
        (["select", "new.csv", *SELECT, "--out", "curve.json"], FULL),
        (["simulate", *SMALL, "--out", "out.npz", "--truth-out", "truth.npz"], FULL),
        (["report", "m.stcmtl", "--out", "report.html"], FULL),
        (["paper", *PAPER, "--output", "."], FULL),
    ],
)
def test_a_command_that_ends_before_the_last_step(
    folder: Path, monkeypatch: pytest.MonkeyPatch, arguments: list[str], fault: BaseException
) -> None:
    def replace(self: Path, target: Path) -> None:
        raise fault

    shrink(monkeypatch)
    fails_the_second_time(arguments, folder, monkeypatch, "pathlib.Path.replace", replace)


def test_a_fit_that_fails_makes_no_folder(folder: Path, capsys: Capture) -> None:
    error(capsys, "fit", "new.csv", "--task", "nothing", "--out", "results", "--quiet")
    assert not Path("results").exists()
