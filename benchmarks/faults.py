"""Machines that are not ideal: it starts and fits, or one sentence says what is wrong.

    python benchmarks/faults.py

Each fault is a short run of the command line in a folder of its own: as another user, from a
checkout that cannot be written, without a home, on a full disk, with a damaged kernel cache, two
at once, with the port taken, ended in mid-fit. Nothing half written may be read back.
"""

from __future__ import annotations

import argparse
import os
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
NOBODY = 65534
SMALL = ["--tasks", "8", "--features", "20", "--clusters", "2", "--train", "20", "--test", "5"]
PATIENCE = 1200  # seconds: kernels may have to be compiled, on a busy machine


class Faulty:
    """A checkout of its own, data to fit, and a cache of kernels that may be harmed."""

    def __init__(self, folder: Path, port: int) -> None:
        self.folder, self.port = folder, port
        self.checkout, self.cache, self.home = (folder / n for n in ("checkout", "cache", "home"))
        skipped = shutil.ignore_patterns(".git", ".venv", "__pycache__", ".*_cache")
        shutil.copytree(ROOT, self.checkout, ignore=skipped)
        for each in (self.cache, self.home, folder / "out"):
            each.mkdir()
        folder.chmod(0o755)
        (folder / "out").chmod(0o777)

    def start(self, *words: str, user: int = 0, **changes: str) -> subprocess.Popen[str]:
        environment = {k: v for k, v in os.environ.items() if k != "PYTHONPATH"}
        environment |= {"NUMBA_CACHE_DIR": str(self.cache), "HOME": str(self.home)}
        drop = user and os.geteuid() == 0
        return subprocess.Popen(
            [sys.executable, *words],
            cwd=self.checkout,
            env=environment | changes,
            user=user if drop else None,
            group=user if drop else None,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
        )

    def run(self, *words: str, user: int = 0, **changes: str) -> tuple[int, str]:
        process = self.start(*words, user=user, **changes)
        try:
            said = process.communicate(timeout=PATIENCE)[0]
        except subprocess.TimeoutExpired:
            process.kill()
            return -1, f"no end after {PATIENCE} s: {process.communicate()[0]}"
        return process.returncode, said

    def simulate(self, name: str = "sim.csv", **changes: str) -> tuple[int, str]:
        out = str(self.folder / "out" / name)
        return self.run("-m", "stcmtl", "simulate", *SMALL, "--out", out, "--force", **changes)


def is_sentence(said: str) -> bool:
    lines = [line for line in said.splitlines() if line.strip()]
    return "Traceback" not in said and 1 <= len(lines) <= 4


def serves(faulty: Faulty, **more: object) -> str:
    """A server that says it is well, and ends when told to."""
    process = faulty.start(
        "-m", "streamlit", "run", "app.py", "--server.port", str(faulty.port),
        "--server.headless", "true", "--server.address", "127.0.0.1", **more,
    )  # fmt: skip
    try:
        return "" if wait_for_port(faulty.port, process) else "did not start: " + tail(process)
    finally:
        process.send_signal(signal.SIGTERM)
        try:
            process.wait(20)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()


def wait_for_port(port: int, process: subprocess.Popen[str]) -> bool:
    end = time.monotonic() + PATIENCE
    while time.monotonic() < end and process.poll() is None:
        with socket.socket() as probe:
            if probe.connect_ex(("127.0.0.1", port)) == 0:
                return True
        time.sleep(0.2)
    return False


def tail(process: subprocess.Popen[str]) -> str:
    process.kill()
    return (process.communicate()[0] or "")[-200:]


# The faults: each gives what went wrong, or nothing.


def another_user(faulty: Faulty) -> str:
    """Who may write neither the checkout, nor the cache, nor a home."""
    return serves(faulty, user=NOBODY, HOME="/nonexistent")


def without_home(faulty: Faulty) -> str:
    code, said = faulty.simulate(HOME="/nonexistent", NUMBA_CACHE_DIR="/nonexistent/cache")
    return "" if code == 0 or is_sentence(said) else said[-300:]


def damaged_cache(faulty: Faulty) -> str:
    """Every file in it is cut in the middle, as after a full disk, or is of something else."""

    code, first = faulty.run("-c", FIT)
    if code:
        return first[-300:]
    for number, path in enumerate(sorted(faulty.cache.rglob("*.nb?"))):
        data = path.read_bytes()
        path.write_bytes(data[: len(data) // 2] if number % 2 else b"not a kernel")
    code, again = faulty.run("-c", FIT)
    return "" if code == 0 and again == first else f"{again[-300:]} where it was {first}"


FIT = """
from stcmtl import STCMTLRegressor, simulate
s = simulate(8, 20, 2, 20, 5, random_state=0).train
m = STCMTLRegressor(2, shape="simplex", own="none", refine=False, max_iter=2, random_state=0)
print(repr(m.fit(s.X, s.y, s.tasks).coef_.sum()))
"""


def full_disk(faulty: Faulty) -> str:
    """A file may not grow: what is written is whole or not there."""
    target = faulty.folder / "out" / "full.csv"
    code = (
        "import resource, signal, sys; signal.signal(signal.SIGXFSZ, signal.SIG_IGN);"
        "resource.setrlimit(resource.RLIMIT_FSIZE, (2000, 2000));"
        f"sys.argv = ['stcmtl', 'simulate', *{SMALL!r}, '--out', {str(target)!r}];"
        "from stcmtl.__main__ import main; sys.exit(main())"
    )
    status, said = faulty.run("-c", code)
    if target.exists():
        return "a file is there that is not whole"
    return "" if status and is_sentence(said) else said[-300:]


def two_at_once(faulty: Faulty) -> str:
    """From one checkout with an empty cache."""
    pair = [faulty.start("-c", FIT) for _ in range(2)]
    said = [process.communicate(timeout=PATIENCE)[0] for process in pair]
    fine = all(process.returncode == 0 for process in pair) and said[0] == said[1]
    return "" if fine else "\n".join(said)[-300:]


def port_taken(faulty: Faulty) -> str:
    with socket.socket() as other:
        other.bind(("127.0.0.1", faulty.port))
        other.listen()
        words = ("-m", "stcmtl", "studio", "--port", str(faulty.port), "--no-browser")
        code, said = faulty.run(*words)
    return "" if code and is_sentence(said) else said[-300:]


def no_network(faulty: Faulty) -> str:
    """Proxies that lead nowhere: a fit asks nobody."""
    nowhere = dict.fromkeys(("http_proxy", "https_proxy", "ALL_PROXY"), "http://127.0.0.1:9")
    code, said = faulty.run("-c", FIT, **nowhere)
    return "" if code == 0 else said[-300:]


def ended_while_fitting(faulty: Faulty) -> str:
    """By SIGTERM and by SIGKILL: no model is there, or a whole one."""
    data, model = faulty.folder / "out" / "sim.csv", faulty.folder / "out" / "fit" / "model.stcmtl"
    code, said = faulty.simulate()
    if code:
        return said[-300:]
    for how in (signal.SIGTERM, signal.SIGKILL):
        for wait in (0.5, 2.0, 4.0):
            words = ("-m", "stcmtl", "fit", str(data), "--out", str(model.parent), "--force")
            process = faulty.start(*words)
            time.sleep(wait)
            process.send_signal(how)
            process.communicate(timeout=60)
            if model.exists():
                load = f"from stcmtl import load; load({str(model)!r})"
                if faulty.run("-c", load)[0]:
                    return f"a model that is not whole after {how.name} at {wait} s"
    return ""


FAULTS: tuple[Callable[[Faulty], str], ...] = (
    without_home, damaged_cache, two_at_once, full_disk, port_taken, no_network,
    ended_while_fitting, another_user,
)  # fmt: skip


@contextmanager
def machine(port: int) -> Iterator[Faulty]:
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as folder:
        yield Faulty(Path(folder), port)


def main() -> int:
    options = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    options.add_argument("--only", default="", help="faults whose name has this text")
    options.add_argument("--port", type=int, default=8650)
    given = options.parse_args()
    failed = 0
    for fault in FAULTS:
        if given.only in fault.__name__:
            with machine(given.port) as faulty:
                wrong = fault(faulty)
            failed += bool(wrong)
            print(f"{fault.__name__:20} {'fine' if not wrong else f'FAILS: {wrong}'}", flush=True)
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
