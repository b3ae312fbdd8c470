"""``stcmtl studio``: the server's command, wherever the dashboard's files are."""

import sys
from pathlib import Path

import pytest

from stcmtl.cli import main, studio

ROOT = Path(__file__).resolve().parents[3]


@pytest.fixture
def started(monkeypatch: pytest.MonkeyPatch) -> list[list[str]]:
    """Commands that have taken this process's place."""
    commands: list[list[str]] = []
    monkeypatch.setattr(studio.os, "execv", lambda _, command: commands.append(command))
    return commands


def test_a_checkout_serves_its_own_router(started: list[list[str]]) -> None:
    assert main(["studio"]) == 0
    assert started == [[sys.executable, "-P", "-m", "streamlit", "run", str(ROOT / "app.py")]]


def test_port_and_browser_can_be_chosen(started: list[list[str]]) -> None:
    main(["studio", "--port", "8600", "--no-browser"])
    assert started[0][6:] == ["--server.port", "8600", "--server.headless", "true"]


def test_a_wheel_serves_the_router_among_its_files(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    router = tmp_path / "studio" / "site" / "app.py"
    router.parent.mkdir(parents=True)
    router.touch()
    monkeypatch.setattr(studio, "PACKAGE", tmp_path)
    assert studio.find_router() == router


@pytest.mark.parametrize("package", ["streamlit", "plotly"])
def test_what_is_missing_is_told_with_its_extra(
    package: str,
    started: list[list[str]],
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.setitem(sys.modules, package, None)
    assert main(["studio"]) == 1
    assert not started
    assert capsys.readouterr().err == (
        f"stcmtl: The dashboard needs {package}, which is not installed: "
        'install it with pip install "stcmtl[studio]".\n'
    )
