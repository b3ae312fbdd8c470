"""The dashboard in Chromium: seconds to a picture and between pages, sizes, and many at once.

    python benchmarks/dashboard.py                # all of it
    python benchmarks/dashboard.py pages          # one part: pages, sizes or crowd

Needs the system's chromium for the first part. Servers listen on loopback, and end with the run.
"""

from __future__ import annotations

import argparse
import shutil
import socket
import subprocess
import sys
import threading
import time
import urllib.request
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT))  # so that it runs as a script
from benchmarks.visitors import wait_for_chart
from stcmtl import STCMTLRegressor, figures, simulate
from stcmtl.baselines.registry import PLAIN

READY = (
    "[data-testid=stApp][data-test-connection-state=CONNECTED][data-test-script-state=notRunning]"
)
CHART = ".js-plotly-plot .main-svg"
PAGE = "overview"
PRESET = ".st-key-preset-sparse button"
LOOK = 2000  # milliseconds that a visitor looks at a page before the next click
EXPLORE = ["coefficients", "overview", "similarity", "memberships", "convergence", "outliers"]
OTHERS = ["home", "learn", "data", "choose_k", "fit", "new_tasks", "compare", "paper", "report"]


@contextmanager
def server() -> Iterator[tuple[str, int]]:
    """Address and process id of a dashboard of our own."""
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        port = listener.getsockname()[1]
    subprocess.run([sys.executable, "-m", "stcmtl.warmup"], cwd=ROOT, check=True)
    command = [sys.executable, "-m", "streamlit", "run", "app.py"]
    options = ["--server.port", str(port), "--server.headless", "true"]
    process = subprocess.Popen(
        [*command, *options], cwd=ROOT, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
    )
    try:
        address = f"http://localhost:{port}"
        while health(address) is None:
            time.sleep(0.2)
        yield address, process.pid
    finally:
        process.terminate()
        process.wait(timeout=20)


def health(address: str) -> float | None:
    """Seconds that the health check takes, or None without an answer."""
    start = time.perf_counter()
    try:
        with urllib.request.urlopen(f"{address}/_stcore/health", timeout=10) as reply:
            return time.perf_counter() - start if reply.status == 200 else None
    except OSError:
        return None


def pages(repeats: int = 3) -> pd.DataFrame:
    """Seconds in Chromium, medians: a server on which somebody has opened Home, nothing fitted."""
    rows: list[dict[str, float]] = []
    for _ in range(repeats):
        with server() as (address, _), chromium() as browser:
            first = browser.new_page()
            first.goto(address)
            first.locator(PRESET).wait_for()
            first.close()
            page = browser.new_page(viewport={"width": 1440, "height": 900})
            rows.append(dict(visit(page, address)))
            page.close()
    return pd.DataFrame(rows).median().to_frame("seconds")


@contextmanager
def chromium() -> Iterator[Any]:
    from playwright.sync_api import sync_playwright

    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(
            executable_path=shutil.which("chromium"),
            args=["--no-sandbox", "--disable-dev-shm-usage"],
        )
        yield browser
        browser.close()


def visit(page: Any, address: str) -> Iterator[tuple[str, float]]:
    """Open, click a preset that nobody has fitted yet, and go through the pages."""
    start = time.perf_counter()
    page.goto(address)
    page.locator(PRESET).wait_for()
    yield "opening", time.perf_counter() - start
    page.wait_for_selector(READY)
    page.wait_for_timeout(LOOK)
    start = time.perf_counter()
    page.locator(PRESET).click()
    page.wait_for_selector(CHART)
    yield "preset to picture", time.perf_counter() - start
    for name in [*EXPLORE, *OTHERS]:
        page.wait_for_timeout(LOOK)
        target = "" if name == "home" else name
        start = time.perf_counter()
        page.locator(f"[data-testid=stSidebarNav] a[href$='/{target}']").click()
        page.wait_for_url(f"**/{target}?*")
        page.wait_for_selector(READY)
        if name in EXPLORE:
            page.wait_for_selector(CHART)
        yield f"to {name}", time.perf_counter() - start


def sizes() -> pd.DataFrame:
    """Megabytes of the figures sent to the browser at the paper's D = 600."""
    sim = simulate(n_features=600)
    train = sim.train
    model = STCMTLRegressor(5, **PLAIN, n_jobs=-1, random_state=0).fit(
        train.X, train.y, train.tasks
    )
    W, V, true = model.coef_.T, model.memberships_.T, sim.truth
    drawn = {
        "coefficients, true beside estimated": figures.coefficients(W, true.W),
        "zero pattern": figures.selection_pattern(W, true.W),
        "difference": figures.coefficient_errors(W, true.W),
        "clusters": figures.cluster_coefficients(model.cluster_coef_.T),
        "similarity": figures.similarity(model.similarity_, V),
        "simplex": figures.memberships(V, true.V),
        "bars": figures.membership_bars(V),
        "convergence": figures.convergence(model.history_),
        "replay": figures.replay(model.history_),
        "outliers": figures.outliers(model.distances_, V),
    }
    megabytes = {name: len(figure.to_json()) / 1e6 for name, figure in drawn.items()}
    return pd.Series(megabytes, name="MB").sort_values(ascending=False).to_frame()


def crowd(n_sessions: int = 8) -> pd.DataFrame:
    """Many sessions fit D = 200 at once: does all finish, does the server answer?"""
    with server() as (address, pid), ThreadPoolExecutor(n_sessions) as visitors:
        wait_for_chart(address, PAGE, "data=simulated&run=1")  # kernels, imports
        before = memory(pid)
        with asked_all_along(address) as answers:
            links = [f"data=simulated&run=1&draw={100 + i}" for i in range(n_sessions)]
            seconds = list(visitors.map(lambda link: wait_for_chart(address, PAGE, link), links))
        time.sleep(5)
        after = memory(pid)
    return pd.Series(
        {
            f"seconds until the first of {n_sessions} has its chart": min(seconds),
            "seconds until all have": max(seconds),
            "slowest health check, s": max(answers),
            "95 % of health checks within, s": float(np.quantile(answers, 0.95)),
            "memory before, MB": before,
            "memory after the sessions closed, MB": after,
        },
        name="",
    ).to_frame()


@contextmanager
def asked_all_along(address: str) -> Iterator[list[float]]:
    """Seconds of health checks, ten times a second; infinite without an answer."""
    answers: list[float] = []
    over = threading.Event()

    def ask() -> None:
        while not over.wait(0.1):
            answer = health(address)
            answers.append(np.inf if answer is None else answer)

    asking = threading.Thread(target=ask)
    asking.start()
    try:
        yield answers
    finally:
        over.set()
        asking.join()


def memory(pid: int) -> float:
    """Resident megabytes of a process."""
    status = Path(f"/proc/{pid}/status").read_text()
    kilobytes = next(line for line in status.splitlines() if line.startswith("VmRSS")).split()[1]
    return int(kilobytes) / 1024


PARTS = {"pages": pages, "sizes": sizes, "crowd": crowd}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("parts", nargs="*", default=list(PARTS), metavar="PART")
    arguments = parser.parse_args()
    for name in arguments.parts:
        if name not in PARTS:
            parser.error(f"{name} is not one of {', '.join(PARTS)}")
        print(f"\n{PARTS[name].__doc__}")
        print(PARTS[name]().to_string(float_format=lambda x: f"{x:.3g}"), flush=True)


if __name__ == "__main__":
    main()
