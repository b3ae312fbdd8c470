"""Does every page of the dashboard open on a server that has only just started?

    python benchmarks/first_page.py                          # all pages, five servers a way
    python benchmarks/first_page.py choose_k --times 20      # one page
    python benchmarks/first_page.py choose_k --ways apptest  # without a server, in a fresh process
    python benchmarks/first_page.py --checkout ../before     # the pages of another checkout
    python benchmarks/first_page.py home --ways hurried --times 50   # five who click all pages

A visitor connects the moment the server answers, and asks for the page at once (`first`), while
Home is being drawn (`during`) or as soon as it is (`after`). The page counts as open when it is
drawn to its end, without an error on the page or in the log. `hurried` are five visitors at once
who click a preset, or every page, within the first second, and wait for the last. The exit code is
1 unless all open.
"""

from __future__ import annotations

import argparse
import random
import re
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from functools import partial
from itertools import product
from pathlib import Path

import pandas as pd
from websockets.exceptions import WebSocketException

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT))  # so that it runs as a script
from benchmarks.visitors import AFTER, DURING, FIRST, Visitor, open_page

APPTEST, HURRIED = "apptest", "hurried"
WAYS = [FIRST, DURING, AFTER, APPTEST, HURRIED]
CROWD, A_MOMENT = 5, 0.06  # visitors in a hurry, and seconds between two of their clicks
AT_ONCE = 2
PATIENCE = 120.0  # seconds until a page counts as not open
AFTERWARDS = 2.0  # seconds in which the server may still stumble
LONGEST = 110  # characters of a fault
FAULT = re.compile(r"^(\w+\.)*\w*(Error|Exception)\b(:.*|$)", re.MULTILINE)
SCRIPT = """
import os
from streamlit.testing.v1 import AppTest
app = AppTest.from_file("app.py", default_timeout={patience}).run()
app.switch_page("pages/{page}.py").run()
for error in app.exception:
    print("Traceback", error.message, flush=True)
os._exit(0)  # threads that still run would complain
"""


@contextmanager
def server(checkout: Path, log: Path) -> Iterator[str]:
    """Where a new server will be; it need not answer yet."""
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        port = str(listener.getsockname()[1])
    command = [sys.executable, "-m", "streamlit", "run", "app.py", "--server.headless", "true"]
    options = ["--server.address", "127.0.0.1", "--server.port", port]
    with log.open("w") as file:
        process = subprocess.Popen([*command, *options], cwd=checkout, stdout=file, stderr=file)
    try:
        yield f"http://127.0.0.1:{port}"
    finally:
        process.terminate()
        try:
            process.wait(timeout=20)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()


def attempt(checkout: Path, page: str, way: str) -> str:
    """What went wrong; nothing if the page is open."""
    return in_apptest(checkout, page) if way == APPTEST else on_server(checkout, page, way)


def on_server(checkout: Path, page: str, way: str) -> str:
    with tempfile.TemporaryDirectory() as folder:
        log = Path(folder) / "log.txt"
        with server(checkout, log) as address:
            try:
                if way == HURRIED:
                    with ThreadPoolExecutor(CROWD) as crowd:
                        faults = crowd.map(partial(hurry, address), range(CROWD))
                        fault = next(filter(None, faults), "")
                else:
                    fault = open_page(address, "" if page == "home" else page, way, PATIENCE)
            except (OSError, WebSocketException) as error:
                fault = f"the server is gone: {error}"
            time.sleep(AFTERWARDS)
            return logged(log.read_text()) or fault


def hurry(address: str, seed: int) -> str:
    """Every page within a second of Home, some a preset before; what goes wrong."""
    rng, faults = random.Random(seed), []
    with Visitor(address, PATIENCE) as visitor:
        visitor.open()
        visitor.wait(lambda visitor: len(visitor.buttons) > seed % 3 or visitor.fault)
        if seed % 2 and visitor.buttons:
            visitor.click(rng.choice([*visitor.buttons]))
        pages = [page for page in visitor.pages if page]
        for page in rng.sample(pages, len(pages)):
            visitor.look(A_MOMENT)
            faults.append(visitor.fault)
            visitor.turn_to(page)
        # a preset leads to its picture, whatever was clicked meanwhile
        visitor.wait(lambda visitor: visitor.is_at(page) or visitor.is_at("overview"))
        return next(filter(None, [*faults, visitor.fault]), "")


def in_apptest(checkout: Path, page: str) -> str:
    """In a fresh process without a server: Home, and the page right after it."""
    script = [sys.executable, "-c", SCRIPT.format(page=page, patience=PATIENCE)]
    limit = 2 * PATIENCE  # both pages
    try:
        child = subprocess.run(script, cwd=checkout, capture_output=True, text=True, timeout=limit)
    except subprocess.TimeoutExpired:
        return f"not open after {limit:.0f} s"
    fault = f"exit code {child.returncode}" if child.returncode else ""
    return logged(child.stderr + child.stdout) or fault


def logged(text: str) -> str:
    """The first fault in a log."""
    if "Traceback" not in text:
        return ""
    found = FAULT.search(text)
    return found.group()[:LONGEST] if found else "a traceback without a name"


def table(tried: pd.DataFrame) -> pd.DataFrame:
    """One row per page: how often it opened each way, and the first fault of all."""
    opened = tried.assign(opened=tried.fault.eq(""))
    counts = opened.pivot_table("opened", "page", "way", "sum", sort=False)
    faults = tried[tried.fault.ne("")].groupby("page").fault.first()
    return counts.join(faults.rename("first fault")).fillna("")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("pages", nargs="*", metavar="PAGE", help="all by default")
    parser.add_argument("--times", type=int, default=5)
    parser.add_argument("--ways", nargs="+", choices=WAYS, default=WAYS[:3])
    parser.add_argument("--checkout", type=Path, default=ROOT)
    arguments = parser.parse_args()
    checkout, times = arguments.checkout.resolve(), range(arguments.times)
    known = sorted(path.stem for path in (checkout / "pages").glob("*.py"))
    if unknown := {*arguments.pages} - {*known}:
        parser.error(f"{', '.join(unknown)}: the pages are {', '.join(known)}")
    asked = list(product(arguments.pages or known, arguments.ways, times))
    with ThreadPoolExecutor(AT_ONCE) as pool:
        faults = list(pool.map(lambda ask: attempt(checkout, *ask[:2]), asked))
    tried = pd.DataFrame(asked, columns=["page", "way", "time"]).assign(fault=faults)
    print(f"Opened of {len(times)}, by when the page was asked for")
    print(table(tried).to_string())
    print(f"{faults.count('')} of {len(faults)} opened")
    sys.exit(any(faults))


if __name__ == "__main__":
    main()
