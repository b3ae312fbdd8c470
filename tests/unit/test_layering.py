"""Rooms of the package: arrows point one way, and every room says what it may import."""

import ast
import re
import subprocess
import sys
from functools import cache
from importlib import import_module
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]

# What each room may import; a room named here comes after all it may import.
MAY_IMPORT: dict[str, set[str]] = {
    "data": set(),
    "solver": {"data"},
    "io": {"data", "solver"},
    "estimators": {"data", "solver", "io"},
    "baselines": {"data", "solver", "estimators"},
    "evaluation": {"data", "solver", "estimators", "baselines"},
    "figures": {"data", "solver", "evaluation"},
    "paper": {"data", "solver", "io", "estimators", "baselines", "evaluation"},
    "report": {"data", "solver", "io", "evaluation", "figures"},
    "cli": {
        *("data", "solver", "io", "estimators", "baselines"),
        *("evaluation", "figures", "paper", "report"),
    },
    "studio": {
        *("data", "solver", "io", "estimators", "baselines"),
        *("evaluation", "figures", "paper", "report"),
    },
}
# Modules at the top: shared by all rooms, or doors into them.
SHARED = {"errors", "phrases", "progress", "stopping", "version"}
DOORS = {"__init__", "__main__", "warmup", "writers"}
# Figures draw what was computed: of the solver they know what needs no compiled kernel.
LIGHT = {"alignment", "records", "thresholds"}


@cache
def imports_of(path: Path) -> list[tuple[str, ...]]:
    """Every dotted name a file imports, wherever it does so; relative imports are not used."""
    found: list[tuple[str, ...]] = []
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            found += [tuple(alias.name.split(".")) for alias in node.names]
        elif isinstance(node, ast.ImportFrom):
            assert not node.level, f"{path} has a relative import: name the module"
            base = tuple((node.module or "").split("."))
            found += [(*base, alias.name) for alias in node.names]
    return found


def files_of(room: str) -> list[Path]:
    return sorted((ROOT / "stcmtl" / room).rglob("*.py"))


def test_rooms_import_what_they_may() -> None:
    broken = [
        f"{path.relative_to(ROOT)} imports {'.'.join(name)}"
        for room, allowed in MAY_IMPORT.items()
        for path in files_of(room)
        for name in imports_of(path)
        if name[0] == "stcmtl" and name[1] not in {room} | allowed | SHARED
    ]
    assert broken == []


def test_no_arrow_points_back() -> None:
    rooms = list(MAY_IMPORT)
    for room, allowed in MAY_IMPORT.items():
        earlier = set(rooms[: rooms.index(room)])
        assert allowed <= earlier, room


def test_the_top_holds_doors_and_what_all_rooms_share() -> None:
    top = {path.stem for path in (ROOT / "stcmtl").glob("*.py")}
    assert top == SHARED | DOORS
    assert {path.parent.name for path in (ROOT / "stcmtl").glob("*/__init__.py")} == set(MAY_IMPORT)
    for module in SHARED:
        names = imports_of(ROOT / "stcmtl" / f"{module}.py")
        assert all(name[0] != "stcmtl" for name in names), f"{module} imports from a room"


def test_every_room_says_what_lives_there() -> None:
    for room in MAY_IMPORT:
        assert "mports" in (import_module(f"stcmtl.{room}").__doc__ or ""), room


def test_streamlit_and_plotly_stay_upstairs() -> None:
    """The dashboard is streamlit's only room; nothing below the figures draws."""
    upstairs = {"streamlit": {"studio"}, "plotly": {"figures", "report", "studio"}}
    for package, rooms in upstairs.items():
        for room in MAY_IMPORT.keys() - rooms:
            users = [p.name for p in files_of(room) for n in imports_of(p) if n[0] == package]
            assert users == [], f"{room} imports {package}"


def test_figures_compute_nothing() -> None:
    known = {
        name[2]
        for path in files_of("figures")
        for name in imports_of(path)
        if name[:2] == ("stcmtl", "solver")
    }
    assert known <= LIGHT


def test_figures_load_without_compiled_kernels() -> None:
    """So that pages draw while numba, joblib and scikit-learn are still being loaded."""
    heavy = ["numba", "joblib", "sklearn", "pandas", "scipy.optimize", "streamlit"]
    code = f"import sys, stcmtl.figures; print([m for m in {heavy} if m in sys.modules])"
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert run.stdout.strip() == "[]"


def test_records_import_nothing_of_ours() -> None:
    records = ROOT / "stcmtl" / "solver" / "records.py"
    assert all(name[0] != "stcmtl" for name in imports_of(records))


def test_the_plan_names_rooms_and_files_that_exist() -> None:
    plan = (ROOT / "docs" / "architecture.md").read_text(encoding="utf-8")
    assert all(f"| `{room}/` |" in plan for room in MAY_IMPORT)
    named = re.findall(r"`((?:stcmtl|tests|pages|benchmarks)/[\w/]*(?:\.py)?)`", plan)
    assert len(named) > 40
    assert [name for name in named if not (ROOT / name).exists()] == []


def test_the_plan_names_every_file() -> None:
    """But for methods, of which the registry has a list, and the loops of a step."""
    plan = (ROOT / "docs" / "architecture.md").read_text(encoding="utf-8")
    listed = {ROOT / "stcmtl" / "baselines", *(ROOT / "stcmtl").rglob("kernels")}
    files = [p for p in (ROOT / "stcmtl").rglob("*.py") if p.name != "__init__.py"]
    unknown = [p for p in files if p.parent not in listed and f"{p.name}`" not in plan]
    assert unknown == []
