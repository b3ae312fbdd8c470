"""Every public function and class has an example, and every example prints what it says."""

import doctest
import inspect
import os
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

import stcmtl
from stcmtl import report

HOMES = {"stcmtl": stcmtl, "report": report} | {
    name: getattr(stcmtl, name)
    for name in ("baselines", "datasets", "figures", "metrics", "writers")
}
NEEDS_FILES = {"load_school", "load_isolet", "load_usps", "load_mnist"}


def public_things(home: ModuleType) -> dict[str, Any]:
    found = {name: getattr(home, name) for name in home.__all__}
    return {name: thing for name, thing in found.items() if callable(thing)}


def examples_of(thing: Any, name: str, names: dict[str, Any]) -> doctest.DocTest:
    text = inspect.getdoc(thing) or ""
    return doctest.DocTestParser().get_doctest(text, names, name, None, None)


def run(test: doctest.DocTest) -> str:
    """What went wrong, if anything did."""
    said: list[str] = []
    doctest.DocTestRunner(verbose=False).run(test, out=said.append, clear_globs=False)
    return "".join(said)


@pytest.fixture(scope="module")
def usual_names() -> dict[str, Any]:
    """What examples begin with, as the package's own docstring has it."""
    test = examples_of(stcmtl, "stcmtl", {})
    assert run(test) == ""
    return test.globs


@pytest.mark.parametrize("home", HOMES)
def test_examples_print_what_they_say(
    home: str, usual_names: dict[str, Any], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    faults = []
    for name, thing in public_things(HOMES[home]).items():
        test = examples_of(thing, name, dict(usual_names))
        for example in test.examples:
            if example.options.get(doctest.SKIP) and "STCMTL_DATA" in os.environ:
                example.options[doctest.SKIP] = False  # the files are here
        faults += [run(test)]
    assert "".join(faults) == ""


def test_every_public_name_has_an_example() -> None:
    """None is skipped, but for what needs files that cannot be shipped."""
    without, skipped = [], set()
    for home in HOMES.values():
        for name, thing in public_things(home).items():
            examples = examples_of(thing, name, {}).examples
            if not examples:
                without.append(name)
            if any(example.options.get(doctest.SKIP) for example in examples):
                skipped.add(name)
    assert without == []
    assert skipped == NEEDS_FILES
