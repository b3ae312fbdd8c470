"""Dependencies point one way, and a new module says where it stands."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]

# Lowest first. A module may import from lower layers, and from its own package.
# A new module is not allowed in until it is listed here.
LAYERS: list[set[str]] = [
    {
        "kernels",
        "tasks",
        "threads",
        "alignment",
        "archive",
        "capabilities",
        "phrases",
        "spreadsheet",
        "steps",
        "version",
    },
    {
        "compilation",
        "problem",
        "leads",
        "levels",
        "metrics",
        "paces",
        "validation",
        "simulate",
        "datasets",
        "readers",
    },
    {"rows", "initial", "intercepts", "soup", "memberships", "centers", "linear"},
    {"outliers", "states"},
    {"refinement"},
    {"algorithm"},
    {"robust", "kpath"},
    {"results", "assignment"},
    {"encoding"},
    {"persistence"},
    {"estimators", "baselines"},
    {"warmup", "selection", "stability", "writers", "comparison"},
    {"summary", "verdicts", "paper"},
    {"figures"},
    {"report"},
    {"studio", "cli"},
    {"__main__"},
]
LEVEL = {name: level for level, names in enumerate(LAYERS) for name in names}

# What a page may name: the package's front, its public modules, and what pages share.
PUBLIC = {
    "",
    "baselines",
    "comparison",
    "datasets",
    "figures",
    "metrics",
    "paper",
    "phrases",
    "report",
    "selection",
    "simulate",
    "studio",
    "summary",
    "verdicts",
}

MODULES = sorted((ROOT / "stcmtl").rglob("*.py"))
PAGES = [ROOT / "app.py", *sorted((ROOT / "pages").glob("*.py"))]


def part(path: Path) -> str:
    """The module or subpackage of `stcmtl` a file belongs to; "" for the package's own front."""
    name = path.relative_to(ROOT / "stcmtl").parts[0].removesuffix(".py")
    return "" if name == "__init__" else name


def imported(source: str, package: list[str]) -> Iterator[str]:
    """Every absolute dotted name the source of a file in `package` imports, wherever it does so."""
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            base = package[: len(package) - node.level + 1] if node.level else []
            module = ".".join([*base, *filter(None, [node.module])])
            yield from (f"{module}.{alias.name}" for alias in node.names)


def imported_by(path: Path) -> list[str]:
    package = list(path.relative_to(ROOT).parent.parts)
    return list(imported(path.read_text(encoding="utf-8"), package))


def parts_of(names: list[str]) -> set[str]:
    """The parts of `stcmtl` among imported names; a name of the package's front counts as ""."""
    split = [name.split(".") for name in names]
    seconds = {name[1] if len(name) > 1 else "" for name in split if name[0] == "stcmtl"}
    return {name if name in LEVEL or is_file_of_package(name) else "" for name in seconds}


def is_file_of_package(name: str) -> bool:
    folder = ROOT / "stcmtl"
    return bool(name) and ((folder / name).is_dir() or (folder / f"{name}.py").is_file())


def packages(path: Path) -> set[str]:
    return {name.split(".")[0] for name in imported_by(path)}


def label(path: Path) -> str:
    return str(path.relative_to(ROOT))


@pytest.mark.parametrize("path", MODULES, ids=label)
def test_module_imports_only_from_below(path: Path) -> None:
    here, below = part(path), parts_of(imported_by(path))
    if here == "":
        assert "studio" not in below, "importing stcmtl must not load the dashboard"
        return
    assert here in LEVEL, f"list {here!r} in LAYERS"
    for other in below - {here}:
        assert other, f"{label(path)} imports the package's front: name the module instead"
        assert LEVEL[other] < LEVEL[here], f"{here} must not import {other}"


@pytest.mark.parametrize("path", MODULES, ids=label)
def test_streamlit_only_in_studio(path: Path) -> None:
    assert part(path) == "studio" or "streamlit" not in packages(path)


@pytest.mark.parametrize("path", MODULES, ids=label)
def test_plotly_only_from_figures_up(path: Path) -> None:
    allowed = LEVEL.get(part(path), -1) >= LEVEL["figures"]
    assert allowed or "plotly" not in packages(path)


@pytest.mark.parametrize("path", PAGES, ids=label)
def test_page_uses_the_public_names(path: Path) -> None:
    inner = parts_of(imported_by(path)) - PUBLIC
    assert not inner, f"{label(path)} reaches into {sorted(inner)}"


@pytest.mark.parametrize(
    ("source", "parts"),
    [
        ("import stcmtl", {""}),
        ("from stcmtl import TaskSet", {""}),
        ("from stcmtl import figures", {"figures"}),
        ("from stcmtl.figures.style import TEMPLATE", {"figures"}),
        ("from . import tasks", {"tasks"}),
        ("from .kernels import sweep", {"kernels"}),
        ("def f():\n    import stcmtl.studio", {"studio"}),
        ("import numpy", set()),
    ],
)
def test_imports_are_read_in_every_form(source: str, parts: set[str]) -> None:
    """The rules above are only as good as what they see."""
    assert parts_of(list(imported(source, ["stcmtl"]))) == parts
