"""The package's front: quick to import, and every public name is what it should be."""

import subprocess
import sys
from pathlib import Path
from types import FunctionType, ModuleType

import pytest

import stcmtl
from tests.unit.cases import together
from tests.unit.small import fit, small

ROOT = Path(__file__).resolve().parents[2]


def fresh(code: str, *arguments: str) -> str:
    """What a new process prints."""
    command = [sys.executable, "-c", code, *arguments]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True)
    return done.stdout.strip()


def test_nothing_heavy_is_imported_unasked() -> None:
    code = "import sys, stcmtl; print(sorted({'numpy', 'pandas', 'numba'} & set(sys.modules)))"
    assert fresh(code) == "[]"


@together("name", stcmtl.__all__)
def test_every_name_is_there(name: str) -> None:
    kinds = dict.fromkeys(("baselines", "datasets", "figures", "metrics", "writers"), ModuleType)
    functions = ("load", "read", "select_n_clusters", "simulate", "stability")
    functions += ("assign_partitions", "fit_partitions", "predict_partitions")
    kinds |= dict.fromkeys(functions, FunctionType)
    kinds |= {"__version__": str}
    assert isinstance(getattr(stcmtl, name), kinds.get(name, type))
    assert name in dir(stcmtl)


def test_no_other_name_is() -> None:
    with pytest.raises(AttributeError, match="no attribute 'fit'"):
        stcmtl.fit  # noqa: B018


@together("name", sorted(stcmtl.HOMES))
def test_no_module_has_the_name_of_a_function(name: str) -> None:
    """Python would bind the module to the package, over the function."""
    assert not (ROOT / "stcmtl" / f"{name}.py").exists()


def test_load_knows_the_models_by_itself(tmp_path: Path) -> None:
    path = tmp_path / "model.stcmtl"
    fit(stcmtl.STCMTLRegressor, small(stcmtl.STCMTLRegressor)).save(path)
    code = "import sys, stcmtl; print(type(stcmtl.load(sys.argv[1])).__name__)"
    assert fresh(code, str(path)) == "STCMTLRegressor"


@pytest.mark.parametrize("use", ["from stcmtl import figures", "import stcmtl.report"])
def test_without_plotly_figures_name_what_to_install(use: str) -> None:
    code = (
        "import sys; sys.modules['plotly'] = None\n"
        f"try: {use}\n"
        "except ImportError as error: print(error)"
    )
    assert fresh(code).endswith('install it with pip install "stcmtl[figures]".')
