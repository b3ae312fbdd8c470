"""A dashboard of its own on a free port, and a Chromium to look at it with."""

import os
import shutil
import socket
import subprocess
import sys
import time
import urllib.error
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page, expect, sync_playwright

ROOT = Path(__file__).resolve().parents[2]
OUTPUT = ROOT / "test-output"
START_SECONDS = 60
expect.set_options(timeout=30_000)  # a busy machine may take long over what takes no time


def free_port() -> int:
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        return int(listener.getsockname()[1])


def answers(address: str) -> bool:
    try:
        with urllib.request.urlopen(f"{address}/_stcore/health", timeout=2) as reply:
            return bool(reply.status == 200)
    except (urllib.error.URLError, ConnectionError, TimeoutError):
        return False


def wait_until_it_answers(address: str, server: subprocess.Popen[bytes]) -> None:
    deadline = time.monotonic() + START_SECONDS
    while not answers(address):
        if server.poll() is not None or time.monotonic() > deadline:
            pytest.fail(f"the dashboard did not start: see {OUTPUT / 'server.log'}")
        time.sleep(0.2)


@contextmanager
def serve(name: str) -> Iterator[str]:
    """Address of a dashboard that runs as long as it is needed."""
    OUTPUT.mkdir(exist_ok=True)
    port = free_port()
    command = [sys.executable, "-m", "streamlit", "run", "app.py"]
    options = ["--server.port", str(port), "--server.headless", "true"]
    with (OUTPUT / f"{name}.log").open("wb") as log:
        server = subprocess.Popen([*command, *options], cwd=ROOT, stdout=log, stderr=log)
        try:
            address = f"http://localhost:{port}"
            wait_until_it_answers(address, server)
            yield address
        finally:
            server.terminate()
            server.wait(timeout=60)


@pytest.fixture(scope="session")
def dashboard() -> Iterator[str]:
    """Address of a running dashboard."""
    with serve("server") as address:
        yield address


@pytest.fixture(scope="session")
def chromium() -> Iterator[Browser]:
    """The system's Chromium; without one the tests are skipped, unless they must run."""
    found = shutil.which("chromium") or shutil.which("chromium-browser")
    if found is None:
        reason = "no Chromium on this machine: install your system's chromium package"
        if os.environ.get("STCMTL_REQUIRE_BROWSER") == "1":
            pytest.fail(reason)
        pytest.skip(reason)
    with sync_playwright() as playwright:
        # Containers run as root and have little shared memory.
        arguments = ["--no-sandbox", "--disable-dev-shm-usage"]
        browser = playwright.chromium.launch(executable_path=found, args=arguments)
        yield browser
        browser.close()


@pytest.fixture
def page(chromium: Browser, dashboard: str, request: pytest.FixtureRequest) -> Iterator[Page]:
    """The dashboard's first page in a window of its own; a screenshot is kept at the end.

    Faults of the page's scripts and requests to any other machine fail the test.
    """
    options = getattr(request, "param", {})
    window = chromium.new_page(viewport={"width": 1280, "height": 1400}, **options)
    faults: list[str] = []
    window.on("pageerror", lambda fault: faults.append(str(fault)))
    at_home = (dashboard, "data:", "blob:")
    window.on("request", lambda r: r.url.startswith(at_home) or faults.append(f"asked {r.url}"))
    window.goto(dashboard)
    yield window
    window.screenshot(path=OUTPUT / f"{request.node.name}.png")
    window.close()
    assert not faults
