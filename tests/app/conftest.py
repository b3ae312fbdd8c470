"""How long a page waits for the jobs that it starts."""

import pytest

from stcmtl.studio.widgets import progress


@pytest.fixture
def patient(monkeypatch: pytest.MonkeyPatch) -> None:
    """Jobs end before the page is drawn."""
    monkeypatch.setattr(progress, "SOON", 120.0)


@pytest.fixture
def hasty(monkeypatch: pytest.MonkeyPatch) -> None:
    """The page is drawn while they run."""
    monkeypatch.setattr(progress, "SOON", 0.0)
