"""A fresh server: whichever page is first, whoever else imports at the same time."""

import ast
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
PAGES = sorted((ROOT / "pages").glob("*.py"))


def in_fresh_process(*lines: str) -> str:
    """What a script prints that has an ``app`` to run."""
    app = f"app = AppTest.from_file({str(ROOT / 'app.py')!r}, default_timeout=60)"
    code = "\n".join(["import sys", "from streamlit.testing.v1 import AppTest", app, *lines])
    done = subprocess.run(
        [sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, check=True
    )
    return done.stdout.strip()


def test_home_is_drawn_before_scikit_learn_is_loaded() -> None:
    """Which takes longer than all the rest, and is loaded while one reads."""
    said = in_fresh_process(
        "from stcmtl.studio import start",
        "start.warm_up = lambda: None",  # which begins once Home stands
        "app.run()",
        "print(len(app.exception), len(app.title), 'sklearn' in sys.modules)",
    )
    assert said == "0 1 False"


def test_a_page_waits_for_what_the_warm_up_is_importing() -> None:
    said = in_fresh_process(
        "app.run()",
        "app.switch_page('pages/choose_k.py').run()",
        "print([e.value for e in app.exception], app.title[0].value)",
    )
    assert said == "[] Choose K"


@pytest.mark.parametrize("path", PAGES, ids=lambda path: path.stem)
def test_a_page_imports_nothing_before_it_has_asked(path: Path) -> None:
    _, imported, asked, *_ = ast.parse(path.read_text()).body
    assert ast.unparse(imported) == "from stcmtl.studio.start import require"
    assert ast.unparse(asked) == "require(__file__)"


def test_the_router_has_imported_all_that_home_imports() -> None:
    """So that Home need not wait for the lock, nor imports beside the warm-up."""

    def imports(path: Path) -> list[str]:
        found = ast.walk(ast.parse(path.read_text()))
        return [
            ast.unparse(node) for node in found if isinstance(node, ast.Import | ast.ImportFrom)
        ]

    said = in_fresh_process(
        *imports(ROOT / "app.py"),
        "before = set(sys.modules)",
        *imports(ROOT / "pages/home.py"),
        "print(set(sys.modules) - before)",
    )
    assert said == "set()"
