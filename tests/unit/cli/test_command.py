"""Exit codes, help, and the wiring of ``python -m stcmtl``."""

import argparse
import os
import subprocess
import sys
from inspect import signature
from pathlib import Path
from typing import Any

import pytest

from stcmtl import STCMTLRegressor, __version__, read
from stcmtl import simulate as draw
from stcmtl.cli import main, paper, was_interrupted
from stcmtl.cli.options import describe
from stcmtl.cli.parser import COMMANDS, build_parser
from stcmtl.io.parsing import How
from stcmtl.io.read_like import read_rows_like, read_tasks_like
from tests.unit.cases import together
from tests.unit.cli.small_files import error, run

ROOT = Path(__file__).resolve().parents[3]
SIMULATE = ["simulate", "--out", "tasks.csv"]
Capture = pytest.CaptureFixture[str]
# Of arguments that an option gives: where it is not used, these count.
DEFAULTS = {
    command: {name: known.default for name, known in signature(function).parameters.items()}
    for command, function in {
        "simulate": draw, "fit": STCMTLRegressor, "select": STCMTLRegressor,
    }.items()
}  # fmt: skip
NAMES = ["simulate", "fit", "select", "predict", "report", "paper", "studio"]


def subparsers() -> dict[str, argparse.ArgumentParser]:
    (commands,) = (
        action
        for action in build_parser()._actions
        if isinstance(action, argparse._SubParsersAction)
    )
    return dict(commands.choices)


@pytest.fixture
def in_tmp_path(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


def failing(monkeypatch: pytest.MonkeyPatch, fault: BaseException) -> None:
    def run(**_: Any) -> None:
        raise fault

    monkeypatch.setattr(paper, "simulate", run)


def python(*arguments: str, **options: Any) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, *arguments], cwd=ROOT, capture_output=True, text=True, **options
    )


def test_the_commands() -> None:
    assert list(subparsers()) == NAMES


@pytest.mark.parametrize("name", NAMES)
def test_help_says_all(name: str, capsys: Capture) -> None:
    with pytest.raises(SystemExit) as end:
        main([name, "--help"])
    assert end.value.code == 0
    text = capsys.readouterr().out
    assert f"example:\n  python -m stcmtl {name} " in text
    assert ("With --json the document's keys are: " in text) == (name != "studio")
    for action in subparsers()[name]._actions:
        assert action.help, action
        assert all(option in text for option in action.option_strings)
        default = action.default
        if default is None:
            default = DEFAULTS.get(name, {}).get(action.dest)
        if action.nargs != 0 and not (action.required or default in (None, [], range(1, 10))):
            assert f"(default: {default}" in action.help


@together(
    ("name", "reader"),
    [("fit", read), ("select", read), ("predict", read_rows_like), ("report", read_tasks_like)],
)
def test_readers_take_every_option_about_the_data(name: str, reader: Any) -> None:
    options = {describe(spec)[1]["dest"] for spec in COMMANDS[name].groups["The data"]}
    known = set(signature(reader).parameters)
    written = set(signature(How).parameters) if "how" in known else set()
    assert options - {"data", "test_file"} <= known | written


@together("name", NAMES)
def test_the_example_of_the_help_is_right(name: str) -> None:
    epilog = subparsers()[name].epilog
    assert epilog is not None
    example = epilog.splitlines()[1].split()
    assert example[:3] == ["python", "-m", "stcmtl"]
    assert build_parser().parse_args(example[3:]).command == name


def test_help_needs_nothing_heavy() -> None:
    heavy = "numpy pandas sklearn numba scipy plotly streamlit tqdm"
    code = (
        "import sys\nfrom stcmtl.cli import main\n"
        "try: main(['fit', '--help'])\nexcept SystemExit: pass\n"
        f"sys.exit(str(set('{heavy}'.split()) & set(sys.modules)))"
    )
    assert python("-c", code).stderr.strip() == "set()"


def test_version_as_a_module() -> None:
    done = python("-m", "stcmtl", "--version")
    assert (done.returncode, done.stdout, done.stderr) == (0, f"stcmtl {__version__}\n", "")


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        ([], "the following arguments are required: COMMAND"),
        (["fit"], "the following arguments are required: FILE"),
        (["fit", "a.csv", "--clusters", "some"], "'some': give a whole number, or auto"),
        (["fit", "a.csv", "--clusters", "-1"], "'-1': give a whole number, or auto"),
        (["fit", "a.csv", "--shape", "cube"], "argument --shape: invalid choice: 'cube'"),
        (["select", "a.csv", "--shape", "auto"], "argument --shape: invalid choice: 'auto'"),
        (["fit", "a.csv", "--gamma", "high"], "'high': give mean, cv or a number"),
        (["fit", "a.csv", "--test-share", "1"], "'1': give a share between 0 and 1"),
        (["fit", "a.csv", "--limit", "size=3"], "'size=3': give WHAT=NUMBER"),
        (["select", "a.csv", "--ks", "5:3"], "'5:3': give numbers of clusters such as 1:9 or 1,2"),
        (["select", "a.csv", "--ks", "x"], "'x': give numbers of clusters such as 1:9 or 1,2"),
        (["simulate", "--train", "few"], "'few': give a number of rows such as 100, or a range"),
    ],
)
def test_wrong_usage_is_2(arguments: list[str], sentence: str, capsys: Capture) -> None:
    with pytest.raises(SystemExit) as end:
        main(arguments)
    assert end.value.code == 2
    out, err = capsys.readouterr()
    assert out == ""
    assert sentence in err


@together(("text", "ks"), [("1:4", [1, 2, 3, 4]), ("3:3", [3]), ("1,2,5", [1, 2, 5]), ("7", [7])])
def test_ranges_of_k(text: str, ks: list[int]) -> None:
    assert build_parser().parse_args(["select", "a.csv", "--ks", text]).ks == ks


def test_a_file_that_is_not_there(capsys: Capture) -> None:
    assert error(capsys, "fit", "no-such.csv") == "no-such.csv is not there: check the path."


@pytest.mark.usefixtures("in_tmp_path")
def test_interrupted_is_130(monkeypatch: pytest.MonkeyPatch, capsys: Capture) -> None:
    failing(monkeypatch, KeyboardInterrupt())
    assert run(capsys, *SIMULATE) == (130, "", "")


@pytest.mark.usefixtures("in_tmp_path")
def test_debug_shows_where(monkeypatch: pytest.MonkeyPatch, capsys: Capture) -> None:
    failing(monkeypatch, ZeroDivisionError("by\nnothing"))
    assert "(ZeroDivisionError: by nothing): run it again with --debug" in error(capsys, *SIMULATE)
    code, out, err = run(capsys, *SIMULATE, "--debug")
    assert (code, out) == (1, "")
    assert err.startswith("Traceback")
    assert "ZeroDivisionError" in err


SAYS_A_WORD = """
import sys, types
from stcmtl.cli import main
home = types.ModuleType("stcmtl.cli.paper")
home.run_simulate = lambda args, console: console.say("a word")
sys.modules[home.__name__] = home
sys.exit(main(["simulate", "--out", "tasks.csv"]))
"""


def test_a_closed_pipe_ends_quietly() -> None:
    read_end, write_end = os.pipe()
    os.close(read_end)
    done = subprocess.run(
        [sys.executable, "-c", SAYS_A_WORD],
        cwd=ROOT,
        stdout=write_end,
        stderr=subprocess.PIPE,
        text=True,
    )
    os.close(write_end)
    assert (done.returncode, done.stderr) == (141, "")


def test_ctrl_c_inside_a_compiled_kernel_is_an_interruption() -> None:
    error = SystemError("returned a result with an exception set")
    error.__cause__ = KeyboardInterrupt()
    assert was_interrupted(error)
    assert not was_interrupted(SystemError("of its own"))
