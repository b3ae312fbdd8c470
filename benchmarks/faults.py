"""Machines that are not ideal: it starts and fits, or one sentence says what is wrong.

    python benchmarks/faults.py                     # ten minutes on two cores
    python benchmarks/faults.py --only disk         # those of one kind

Each fault has a checkout and folders of its own. The command line or a server runs there, as a user
who may write nothing but what is given to him (if root runs this): from a checkout that cannot be
written, without a home, on a full disk, with a kernel cache that is damaged, foreign or out of
reach, two at once, with the port taken, without a network, ended in mid-fit; and `make run` is
interrupted again and again. Of a server, a visitor must get the picture of a fit.
"""

from __future__ import annotations

import argparse
import os
import platform
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager, suppress
from importlib.metadata import version
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT))  # so that it runs as a script
from benchmarks.container import AS_USER, VARIABLE, copy_checkout, give, take_kernels
from benchmarks.endurance import HEAVY, SMALL
from benchmarks.first_page import logged
from benchmarks.visitors import Visitor, wait_for_chart
from tests.docs.servers import free_port

SIMULATED = ["--tasks", "8", "--features", "20", "--clusters", "2", "--train", "20", "--test", "5"]
NOWHERE = "/nonexistent"
PATIENCE = 600  # seconds: kernels may have to be compiled, on a busy machine
SOON = 10.0  # seconds in which a server ends that is told to: then containers are killed
LATE = f"it goes on for {SOON:.0f} s after it was told to end (on a busy machine: try again)"
TOLD, LONGEST = "Traceback", 300  # what nobody is to see; letters of a fault
FIT = """
from stcmtl import STCMTLRegressor, simulate
s = simulate(8, 20, 2, 20, 5, random_state=0).train
m = STCMTLRegressor(2, shape="simplex", own="none", refine=False, max_iter=2, random_state=0)
print(repr(m.fit(s.X, s.y, s.tasks).coef_.sum()))
"""
ON_A_FULL_DISK = """
import resource, signal, sys
signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
resource.setrlimit(resource.RLIMIT_FSIZE, (2000, 2000))
"""
Process = subprocess.Popen[str]


class Faulty:
    """A checkout, folders that the user may write to, and the kernels that are compiled here."""

    def __init__(self, folder: Path) -> None:
        folder.chmod(0o755)
        self.checkout = copy_checkout(folder / "checkout")
        self.out, self.temporary = give(folder / "out"), give(folder / "temporary")
        self.cache, self.port = folder / "cache", free_port()
        self.cache.mkdir()
        take_kernels(self.checkout, self.cache)
        self.hand_over()
        self.log = folder / "log.txt"

    def hand_over(self) -> None:
        """The cache, to the user."""
        if os.geteuid() == 0:
            for path in (self.cache, *self.cache.rglob("*")):
                os.chown(path, *2 * [self.out.stat().st_uid])

    def start(self, *words: str, before: tuple[str, ...] = (), **changes: str) -> Process:
        own = {name: value for name, value in os.environ.items() if "PYTHON" not in name}
        own |= {VARIABLE: str(self.cache), "HOME": str(self.out), "TMPDIR": str(self.temporary)}
        user = AS_USER if os.geteuid() == 0 else []
        return subprocess.Popen(
            [*before, *user, sys.executable, "-B", *words],
            cwd=self.checkout, env=own | changes, text=True,
            stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
        )  # fmt: skip

    def run(self, *words: str, before: tuple[str, ...] = (), **changes: str) -> tuple[int, str]:
        process = self.start(*words, before=before, **changes)
        try:
            said = process.communicate(timeout=PATIENCE)[0]
        except subprocess.TimeoutExpired:
            process.kill()
            return -1, f"no end after {PATIENCE} s: {process.communicate()[0]}"
        return process.returncode, said

    def serve(self, port: int, **changes: str) -> Process:
        words = ("--server.headless", "true", "--server.address", "127.0.0.1", "--server.port")
        return self.start("-m", "streamlit", "run", "app.py", *words, str(port), **changes)


def is_sentence(said: str) -> bool:
    lines = [line for line in said.splitlines() if line.strip()]
    return TOLD not in said and 1 <= len(lines) <= 4


def ended(process: Process) -> str:
    """All that a server has said, once it is told to end; else that it does not."""
    process.send_signal(signal.SIGTERM)
    try:
        return process.communicate(timeout=SOON)[0]
    except subprocess.TimeoutExpired:
        process.kill()
        return f"{TOLD}: {LATE}. {process.communicate()[0]}"


def shows_picture(port: int, process: Process) -> str:
    """What is wrong with a server that is to fit and draw; it is ended."""
    fault = ""
    try:
        wait_for_chart(f"http://127.0.0.1:{port}", "overview", SMALL, PATIENCE)
    except (OSError, TimeoutError) as error:
        fault = str(error)
    said = ended(process)
    if LATE in said:
        return LATE
    return logged(said) or (fault and f"{fault}: {said[-LONGEST:]}")


def fit(faulty: Faulty, before: str = "", **changes: str) -> str:
    """What a fit comes to, or how it fails."""
    code, said = faulty.run("-W", "ignore", "-c", before + FIT, **changes)
    return said[-LONGEST:] if code else said.splitlines()[-1]


def differs(faulty: Faulty, expected: str, before: str = "", **changes: str) -> str:
    """What is wrong with a fit, which is to be as expected."""
    found = fit(faulty, before, **changes)
    return "" if found == expected and found.startswith("np.float64") else found


# The faults: each gives what went wrong, or nothing.


def read_only_checkout(faulty: Faulty) -> str:
    """And no home, and no folder named: kernels are compiled among the temporary files."""
    process = faulty.serve(faulty.port, HOME=NOWHERE, **{VARIABLE: ""})
    return shows_picture(faulty.port, process)


def cache_out_of_reach(faulty: Faulty) -> str:
    home = {"HOME": NOWHERE, "TMPDIR": str(give(faulty.temporary / "kernels"))}
    return differs(faulty, fit(faulty), **home, **{VARIABLE: NOWHERE})


def damaged_cache(faulty: Faulty) -> str:
    """Files cut in the middle, as after a full disk, or of something else."""
    first = fit(faulty)
    for number, path in enumerate(sorted(faulty.cache.rglob("*.nb?"))):
        data = path.read_bytes()
        path.write_bytes(data[: len(data) // 2] if number % 2 else b"not a kernel")
    return differs(faulty, first)


def foreign_cache(faulty: Faulty) -> str:
    """Of another version of numba, and of another machine."""
    first = fit(faulty)
    for number, path in enumerate(sorted(faulty.cache.rglob("*.nbi"))):
        name = version("numba") if number % 2 else platform.machine()
        data, other = path.read_bytes(), "0" * len(name)  # as long: the file stays whole
        if name.encode() not in data:
            return f"{path.name} does not name {name}"
        path.write_bytes(data.replace(name.encode(), other.encode()))
    return differs(faulty, first)


def two_servers_at_once(faulty: Faulty) -> str:
    """From one checkout, with an empty cache."""
    shutil.rmtree(faulty.cache)
    faulty.cache.mkdir()
    faulty.hand_over()
    ports = free_port(), free_port()
    pair = [faulty.serve(port) for port in ports]
    with ThreadPoolExecutor(2) as visitors:
        return next(filter(None, visitors.map(shows_picture, ports, pair)), "")


def full_disk(faulty: Faulty) -> str:
    """No file may grow: what is written is whole or not there."""
    target = faulty.out / "full.csv"
    words = ["stcmtl", "simulate", *SIMULATED, "--out", str(target)]
    start = f"sys.argv = {words!r}\nfrom stcmtl.__main__ import main\nsys.exit(main())"
    code, said = faulty.run("-c", ON_A_FULL_DISK + start)
    if target.exists():
        return "a file is there that is not whole"
    return "" if code and is_sentence(said) else said[-LONGEST:]


def full_disk_for_kernels(faulty: Faulty) -> str:
    """They are compiled and not kept, and once there is room what is left there does no harm."""
    first = fit(faulty)
    shutil.rmtree(faulty.cache)
    faulty.cache.mkdir()
    faulty.hand_over()
    return differs(faulty, first, ON_A_FULL_DISK) or differs(faulty, first)


def port_taken(faulty: Faulty) -> str:
    with socket.socket() as other:
        other.bind(("127.0.0.1", faulty.port))
        other.listen()
        for words in (("stcmtl", "studio", "--no-browser", "--port"), MAKE_RUN):
            code, said = faulty.run("-m", *words, str(faulty.port))
            if not code or not is_sentence(said):
                return said[-LONGEST:] or "nothing is said"
    return ""


MAKE_RUN = ("streamlit", "run", "app.py", "--server.port")  # as in the Makefile


def no_network(faulty: Faulty) -> str:
    """Not even this machine's own, where that can be had; else proxies that lead nowhere."""
    nowhere = dict.fromkeys(("http_proxy", "https_proxy", "ALL_PROXY"), "http://127.0.0.1:9")
    alone = ("unshare", "-n")
    code, said = faulty.run("-c", FIT, before=alone if can(*alone, "true") else (), **nowhere)
    return "" if code == 0 else said[-LONGEST:]


def can(*words: str) -> bool:
    try:
        return subprocess.run(words, capture_output=True).returncode == 0
    except OSError:
        return False


def ended_while_fitting(faulty: Faulty) -> str:
    """By SIGTERM and by SIGKILL: no model is there, or a whole one."""
    data, model = faulty.out / "sim.csv", faulty.out / "fit" / "model.stcmtl"
    code, said = faulty.run("-m", "stcmtl", "simulate", *SIMULATED, "--out", str(data))
    if code:
        return said[-LONGEST:]
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


def server_ended_while_fitting(faulty: Faulty) -> str:
    """By SIGTERM it ends soon and says nothing; after SIGKILL another one starts in its place."""
    address = f"http://127.0.0.1:{faulty.port}"
    process = faulty.serve(faulty.port)
    visitors = [Visitor(address, PATIENCE) for _ in HEAVY]
    for visitor, query in zip(visitors, HEAVY, strict=True):
        visitor.open("overview", query)
        visitor.look(3.0)
    if TOLD in (said := ended(process)):
        return said[:LONGEST]
    process = faulty.serve(faulty.port)
    with Visitor(address, PATIENCE) as visitor:
        visitor.open("overview", HEAVY[0])
        visitor.look(5.0)
        process.kill()
        process.communicate()
    return shows_picture(faulty.port, faulty.serve(faulty.port))


def interrupted_install(faulty: Faulty) -> str:
    """`make run`, stopped in the middle of whatever it does, by Ctrl-C and by force."""
    own = {name: value for name, value in os.environ.items() if name not in ("VIRTUAL_ENV", "HOME")}
    command = ["make", "run", f"PORT={faulty.port}", f"PYTHON={sys.executable}"]

    def run() -> Process:
        with faulty.log.open("w") as log:
            return subprocess.Popen(
                command, cwd=faulty.checkout, env=own | {"HOME": str(faulty.out)},
                stdout=log, stderr=log, text=True, start_new_session=True,
            )  # fmt: skip

    def stop(process: Process, how: signal.Signals) -> None:
        with suppress(ProcessLookupError):
            os.killpg(process.pid, how)
        process.wait()
        time.sleep(1.0)

    for wait, how in ((2.0, signal.SIGINT), (12.0, signal.SIGKILL), (25.0, signal.SIGINT)):
        process = run()
        time.sleep(wait)
        stop(process, how)
    process = run()
    try:
        wait_for_chart(f"http://127.0.0.1:{faulty.port}", "overview", SMALL, PATIENCE)
    except (OSError, TimeoutError) as error:
        return f"{error}: {faulty.log.read_text()[-LONGEST:]}"
    finally:
        stop(process, signal.SIGTERM)
    return logged(faulty.log.read_text())


FAULTS: tuple[Callable[[Faulty], str], ...] = (
    read_only_checkout, cache_out_of_reach, damaged_cache, foreign_cache, two_servers_at_once,
    full_disk, full_disk_for_kernels, port_taken, no_network,
    ended_while_fitting, server_ended_while_fitting, interrupted_install,
)  # fmt: skip


@contextmanager
def machine() -> Iterator[Faulty]:
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as folder:
        yield Faulty(Path(folder))


def main() -> int:
    options = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    options.add_argument("--only", default="", help="faults whose name has this text")
    given = options.parse_args()
    # A script in the background may not heed Ctrl-C, and nor would what it starts.
    signal.signal(signal.SIGINT, signal.default_int_handler)
    failed = 0
    for fault in FAULTS:
        if given.only in fault.__name__:
            start = time.perf_counter()
            with machine() as faulty:
                wrong = fault(faulty)
            failed += bool(wrong)
            said = f"FAILS: {wrong}" if wrong else "fine"
            print(f"{fault.__name__:28} {time.perf_counter() - start:4.0f} s  {said}", flush=True)
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
