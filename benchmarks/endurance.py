"""Does a server stay up? Visitors who come and go for hours, many at once, and links that ask much.

    python benchmarks/endurance.py                     # all of it: about an hour on two cores
    python benchmarks/endurance.py load heavy          # parts: stops, load, heavy, bits, soak
    python benchmarks/endurance.py soak --times 40     # shorter

Each part prints what it measured beside its bar, and the exit code is 1 if one is missed. Visitors
have no browsers (see `visitors.py`); servers listen on loopback, and end with the run.
"""

from __future__ import annotations

import argparse
import random
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from itertools import count
from pathlib import Path
from statistics import median
from typing import NamedTuple

import pandas as pd
import psutil

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT))  # so that it runs as a script
from benchmarks.dashboard import asked_all_along, health
from benchmarks.first_page import logged, server
from benchmarks.visitors import Visitor

SMALL = "data=simulated&run=1&tasks=18&features=30&clusters=3&rows=60&mixed=4&k=3"
USUAL = "data=simulated&run=1"
# The largest that the forms and the address allow, each in its own way.
HEAVY = [
    "data=simulated&run=1&tasks=400&features=1000&rows=39&test_rows=10&clusters=9&model=automatic",
    "data=simulated&run=1&tasks=36&features=1000&rows=500&test_rows=10&k=20&shape=span&own=auto",
    "data=simulated&run=1&tasks=350&features=100&rows=500&test_rows=10&kind=classification"
    "&model=automatic&folds=10",
    "data=simulated&run=1&tasks=400&features=1000&rows=39&test_rows=10&k=20&method=robust",
]
PAGES = ["overview", "coefficients", "similarity", "memberships", "convergence", "data"]
IDLE, SECONDS_IDLE = 0.1, 3  # of a core; in a row
FORGOTTEN = 125.0  # seconds after which a session that was left is freed
new_draws = count(1)


class Result(NamedTuple):
    """What was measured, and what it must not exceed."""

    what: str
    value: float
    most: float


class Server(NamedTuple):
    """Where it answers, what it is to the operating system, and what it has written."""

    address: str
    process: psutil.Process
    log: Path

    @property
    def usage(self) -> dict[str, float]:
        self.process.oneshot()
        return {
            "memory, MB": self.process.memory_info().rss / 2**20,
            "threads": self.process.num_threads(),
            "open files": self.process.num_fds(),
        }

    @property
    def fault(self) -> str:
        return logged(self.log.read_text())


@contextmanager
def new_server() -> Iterator[Server]:
    """A server that has drawn its first picture."""
    with tempfile.TemporaryDirectory() as folder, server(ROOT, Path(folder) / "log.txt") as address:
        while health(address) is None:
            time.sleep(0.1)
        [process] = [
            p for p in psutil.Process().children() if any(address[-5:] in a for a in p.cmdline())
        ]
        see_picture(address, "overview", SMALL)
        yield Server(address, process, Path(folder) / "log.txt")


def see_picture(address: str, page: str, query: str, timeout: float = 300.0) -> float:
    with Visitor(address, timeout) as visitor:
        visitor.open(page, query)
        return visitor.wait(lambda visitor: visitor.has_picture or visitor.fault)


def visit(address: str, query: str, pages: list[str]) -> float:
    """Open data by a link, fit them, look at pages and leave: seconds in which one has waited."""
    with Visitor(address, 300.0) as visitor:
        visitor.open("overview", query)
        waited = visitor.wait(lambda visitor: visitor.has_picture or visitor.fault)
        for page in pages:
            visitor.turn_to(page)
            waited += visitor.wait(lambda visitor, page=page: visitor.is_at(page) or visitor.fault)
        if visitor.fault:
            raise RuntimeError(f"{visitor.fault}: {visitor.said}")
        return waited


def ask_curve(address: str) -> None:
    """The curve over K on tasks that nobody has had, by the button of its page."""
    with Visitor(address, 300.0) as visitor:
        visitor.open(
            "choose_k", f"{SMALL}&draw={next(new_draws)}&k.look=K+alone".replace("&run=1", "")
        )
        visitor.wait(lambda visitor: visitor.is_drawn)
        visitor.click("k.run")
        visitor.wait(lambda visitor: any("k-curve" in key for key in visitor.charts))


def soak(times: int = 200) -> list[Result]:
    """Visitors one after the other, and after a tenth of them the server holds no more."""
    rng, after_some = random.Random(0), {}
    with new_server() as one:
        for i in range(times):
            visit(one.address, f"{SMALL}&draw={next(new_draws)}", rng.sample(PAGES, 2))
            if i % 4 == 0:
                ask_curve(one.address)
            if i == times // 10:
                after_some = usage_at_rest(one)
            if i % 20 == 0:
                print(i, {name: round(value) for name, value in one.usage.items()}, flush=True)
        at_end, fault = usage_at_rest(one), one.fault
    growth = {name: at_end[name] / after_some[name] for name in at_end}
    return [
        Result("memory after the last, of that after a tenth", growth["memory, MB"], 1.15),
        Result("threads, likewise", growth["threads"], 1.15),
        Result("open files, likewise", growth["open files"], 1.15),
        Result(f"errors in the log {fault}", float(bool(fault)), 0.0),
    ]


def usage_at_rest(one: Server) -> dict[str, float]:
    """When Streamlit has forgotten who left, which it does at the next visit after two minutes."""
    time.sleep(FORGOTTEN)
    with Visitor(one.address) as visitor:
        visitor.open()
        visitor.wait(lambda visitor: visitor.is_drawn)
    time.sleep(1.0)
    usage = one.usage
    print(usage, flush=True)
    return usage


def load(times: int = 20) -> list[Result]:
    """So many visitors at once, each with fits that nobody has asked for yet and some pages."""
    rng = random.Random(1)

    def come(i: int) -> float:
        time.sleep(0.2 * rng.random())
        waited = visit(one.address, f"{USUAL}&draw={1000 + i}", rng.sample(PAGES, 2))
        return waited + visit(one.address, f"{SMALL}&draw={1000 + i}", rng.sample(PAGES, 2))

    with new_server() as one, ThreadPoolExecutor(times) as visitors:
        with asked_all_along(one.address) as answers:
            waited = list(visitors.map(come, range(times)))
        fault = one.fault
    print(f"seconds: median {median(waited):.1f}, longest {max(waited):.1f}")
    return [
        Result("longest wait, of the median", max(waited) / median(waited), 3.0),
        Result("slowest health check, s", max(answers), 1.0),
        Result(f"errors in the log {fault}", float(bool(fault)), 0.0),
    ]


def heavy(times: int = 4) -> list[Result]:
    """Visitors open the largest links and leave at once; another one comes, then all is quiet."""
    with new_server() as one:
        alone = see_picture(one.address, "overview", f"{USUAL}&draw=1")
        left = [Visitor(one.address) for _ in range(times)]
        for visitor, query in zip(left, HEAVY * times, strict=False):
            visitor.open("overview", query)
        time.sleep(3.0)  # until their work has begun
        for visitor in left:
            visitor.leave()
        gone = time.perf_counter()
        with asked_all_along(one.address) as answers:
            seconds = see_picture(one.address, "overview", USUAL)
        wait_until_idle(one.process, gone + 600.0)
        quiet, fault, memory = (
            time.perf_counter() - gone - SECONDS_IDLE,
            one.fault,
            one.usage["memory, MB"],
        )
    print(f"seconds until a visitor alone has a picture: {alone:.1f}; memory: {memory:.0f} MB")
    return [
        Result("seconds until the next visitor has a picture", seconds, 10.0),
        Result("slowest health check meanwhile, s", max(answers), 1.0),
        Result("seconds until the cores are idle", quiet, 70.0),
        Result(f"errors in the log {fault}", float(bool(fault)), 0.0),
    ]


def wait_until_idle(process: psutil.Process, end: float) -> None:
    """For a few seconds in a row: work that gives way to others may pause for one."""
    quiet = 0
    while quiet < SECONDS_IDLE and time.perf_counter() < end:
        busy = process.cpu_percent(interval=1.0) > 100.0 * IDLE
        quiet = 0 if busy else quiet + 1


def stops(times: int = 10) -> list[Result]:
    """The largest fits are cancelled at some moment: seconds until nothing runs any more."""
    from urllib.parse import parse_qsl

    from stcmtl.studio.state.choices import DataChoice, FitChoice
    from stcmtl.studio.state.loading import load as load_tasks
    from stcmtl.studio.work import jobs
    from stcmtl.studio.work.fits import fit_steps

    rng, took = random.Random(2), []
    for i in range(times):
        query = dict(parse_qsl(HEAVY[i % len(HEAVY)]))
        data = load_tasks(DataChoice.from_query(query))
        choice = FitChoice.from_query(query)
        job = jobs.Job(lambda data=data, choice=choice: fit_steps(data, choice))
        job.wait(rng.uniform(0.5, 20.0))
        asked = time.perf_counter()
        job.cancel()
        while job in jobs.at_work:
            time.sleep(0.01)
        took.append(time.perf_counter() - asked)
        print(f"link {i % len(HEAVY)}, at {asked - (job.started or asked):.1f} s: {took[-1]:.2f} s")
    return [Result("longest, s", max(took), 2.0)]


def bits(times: int = 2) -> list[Result]:
    """The same link on several servers, and the same file by Python and by the command line."""
    charts = []
    for _ in range(times):
        with new_server() as one, Visitor(one.address) as visitor:
            seen: dict[str, str] = {}
            visitor.open("overview", f"{SMALL}&draw=5")
            visitor.wait(lambda visitor: visitor.has_picture)
            for page in PAGES[:4]:
                visitor.turn_to(page)
                visitor.wait(lambda visitor, page=page: visitor.is_at(page))
                seen |= visitor.charts
            charts.append(seen)
    differ = sum(seen != charts[0] for seen in charts)
    print(f"{len(charts[0])} figures on each of {times} servers")
    return [
        Result("servers with another figure", differ, 0.0),
        Result("arrays that the command line has otherwise", count_other_arrays(), 0.0),
    ]


def count_other_arrays() -> int:
    """Of a fit by the command line, beside one in Python."""
    import stcmtl

    with tempfile.TemporaryDirectory() as folder:
        file, results = Path(folder) / "tasks.csv", Path(folder) / "results"
        rows = stcmtl.simulate(12, 20, 3, 40, n_test=1).train
        frame = pd.DataFrame(rows.X, columns=[f"x{d}" for d in range(20)])
        frame.assign(task=rows.tasks, y=rows.y).to_csv(file, index=False)
        command = [sys.executable, "-m", "stcmtl", "fit", str(file), "--out", str(results)]
        options = ["--task", "task", "--target", "y", "--seed", "3", "--quiet"]
        subprocess.run([*command, *options], cwd=ROOT, check=True)
        theirs = stcmtl.load(results / "model.stcmtl")
        data, _ = stcmtl.read(file, task="task", target="y")
        ours = stcmtl.STCMTLRegressor(random_state=3).fit(data.X, data.y, data.tasks)
    names = ("coef_", "intercept_", "cluster_coef_", "loadings_", "memberships_", "purity_")
    return sum(getattr(ours, name).tobytes() != getattr(theirs, name).tobytes() for name in names)


PARTS: dict[str, Callable[..., list[Result]]] = {
    "stops": stops,
    "load": load,
    "heavy": heavy,
    "bits": bits,
    "soak": soak,
}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("parts", nargs="*", default=list(PARTS), metavar="PART")
    parser.add_argument("--times", type=int, help="visitors, fits or sessions, for shorter runs")
    arguments = parser.parse_args()
    missed = False
    for name in arguments.parts:
        if name not in PARTS:
            parser.error(f"{name} is not one of {', '.join(PARTS)}")
        print(f"\n{name}: {PARTS[name].__doc__}", flush=True)
        found = PARTS[name](*([arguments.times] if arguments.times else []))
        table = pd.DataFrame(found).set_index("what")
        print(table.to_string(float_format=lambda x: f"{x:.3g}"), flush=True)
        missed |= bool((table["value"] > table["most"]).any())
    sys.exit(missed)


if __name__ == "__main__":
    main()
