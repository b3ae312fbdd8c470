"""How a command of the docs is run: in this process, to its options, or as far as can be here.

``WAYS`` has a way for every kind of command, the first that fits; a command without one fails.
"""

import io
import re
import runpy
import shlex
import subprocess
import sys
import tomllib
import venv
from argparse import ArgumentParser
from collections.abc import Callable
from contextlib import redirect_stdout
from functools import cache
from pathlib import Path
from unittest.mock import patch

from stcmtl.cli import main
from stcmtl.cli.parser import build_parser
from stcmtl.solver.machine import kernels_are_cached
from tests.docs.servers import answer_once

ROOT = Path(__file__).resolve().parents[2]


class Accepted(Exception):  # noqa: N818 nothing is wrong
    """A script has understood its options: what comes then takes too long for a test."""


def run_commands(text: str) -> str:
    """What the commands of a block print, one after the other."""
    lines = text.replace("\\\n", " ").splitlines()
    return "".join(run_command(line) for line in lines if line.split("#")[0].strip())


def run_command(line: str) -> str:
    for pattern, way in WAYS.items():
        if re.match(pattern, line):
            return way(shlex.split(line, comments=True))
    raise AssertionError(f"nobody knows how to run {line!r}")


def check_options(line: str) -> None:
    """Of a command within a sentence: that it would be understood."""
    words = shlex.split(line)
    if words[:3] == ["python", "-m", "stcmtl"] or words[0] == "stcmtl":
        build_parser().parse_args(words[3 if words[0] == "python" else 1 :])
    else:
        run_command(line)


def run_cli(words: list[str]) -> str:
    arguments = words[3 if words[0] == "python" else 1 :]
    printed = io.StringIO()
    printed_too = patch("sys.stderr", io.StringIO())  # notes and progress
    with redirect_stdout(printed), printed_too:
        code = main(arguments)
    assert code == 0, f"{shlex.join(words)} ends with {code}"
    return printed.getvalue()


def accept_cli(words: list[str]) -> str:
    build_parser().parse_args(words[3:])
    return ""


@cache
def serve(arguments: tuple[str, ...]) -> str:
    """On a port of our own, until it answers."""
    kept = [word for word in arguments if word not in ("--port", "8600")]
    answer_once([sys.executable, "-m", "stcmtl", *kept, "--no-browser"])
    return ""


def run_example(words: list[str]) -> str:
    printed = io.StringIO()
    with patch("sys.argv", words[1:]), redirect_stdout(printed):
        runpy.run_path(words[1], run_name="__main__")
    return printed.getvalue()


def accept_benchmark(words: list[str]) -> str:
    """Its options are read; then it stops. One without options is there, and compiles."""
    script = ROOT / words[1]
    if "ArgumentParser" not in script.read_text(encoding="utf-8"):
        assert not words[2:], f"{words[1]} takes no options"
        compile(script.read_text(encoding="utf-8"), words[1], "exec")
        return ""
    known = ArgumentParser.parse_args

    def parse_and_stop(self: ArgumentParser) -> None:
        known(self, words[2:])
        raise Accepted

    with patch.object(ArgumentParser, "parse_args", parse_and_stop):
        try:
            runpy.run_path(str(script), run_name="__main__")
        except Accepted:
            return ""
    raise AssertionError(f"{words[1]} has not looked at its options")


def check_install(words: list[str]) -> str:
    """`make release` installs into fresh environments; here what is named has to exist."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    for word in words[2:]:
        if word.endswith(".txt"):
            assert (ROOT / word).exists()
        elif found := re.fullmatch(r"(?:stcmtl|\.)(?:\[([\w,]+)\])?", word):
            extras = set(filter(None, (found[1] or "").split(",")))
            assert extras <= set(project["optional-dependencies"]), word
        else:
            assert word in ("-r", "-e", "pre-commit"), word
    return ""


def ask_make(words: list[str]) -> str:
    command = ["make", "--dry-run", "--no-print-directory", *words[1:]]
    subprocess.run(command, cwd=ROOT, check=True, capture_output=True)
    return ""


def make_environment(words: list[str]) -> str:
    venv.create(words[-1], with_pip=False)
    return ""


def find_activation(words: list[str]) -> str:
    assert Path(words[1]).exists()
    return ""


def check_kernels(words: list[str]) -> str:
    """`make` has run it before the tests."""
    assert kernels_are_cached()
    return ""


def find_file(words: list[str]) -> str:
    """Of a container: no engine is at hand, so `tests/docs/test_container.py` does its steps."""
    assert (ROOT / "Containerfile").exists()
    return ""


def show(words: list[str]) -> str:
    """Asks another machine, or one that only the reader has."""
    return ""


WAYS: dict[str, Callable[[list[str]], str]] = {
    r"stcmtl studio": lambda words: serve(tuple(words[1:])),
    r"python -m stcmtl paper": accept_cli,
    r"(python -m )?stcmtl ": run_cli,
    r"python -m stcmtl\.warmup": check_kernels,
    r"python examples/": run_example,
    r"python benchmarks/": accept_benchmark,
    r"pip install": check_install,
    r"make ": ask_make,
    r"python3 -m venv": make_environment,
    r"\. \.venv/bin/activate": find_activation,
    r"(podman|docker) (build|run)": find_file,
    r"pre-commit install|\.venv/bin/streamlit|systemctl|curl": show,
}
