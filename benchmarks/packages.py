"""Is what people install what they need? Builds wheel and sdist, and tries them where nothing is.

    python benchmarks/packages.py                  # the wheel, in two fresh environments
    python benchmarks/packages.py --dist dist      # and the sdist; both are kept: make release

With the core alone the README's first example prints what it should, `import stcmtl` is quick, and
nothing of the extras is loaded. With `[studio]`, `stcmtl studio` serves every page from a folder
outside the checkout, and fits. It takes some minutes, most of them for pip and for compiling
kernels in each environment. The exit code is 1 unless all bars are met.
"""

from __future__ import annotations

import argparse
import os
import re
import shutil
import socket
import statistics
import subprocess
import sys
import tempfile
import venv
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from websockets.exceptions import WebSocketException

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT))  # so that it runs as a script
from benchmarks.visitors import FIRST, open_page, wait_for_chart

IMPORT_SECONDS = 0.2
REPEATS = 5
PATIENCE = 120.0  # seconds until a page counts as not open
TASKS = "data=simulated&tasks=18&features=30&clusters=3&run=1"
EXAMPLE = r"```python\n(.*?)```\n\n```text\n(.*?)```"
EXTRAS = ["h5py", "openpyxl", "plotly", "pyarrow", "streamlit"]
INSTALLED = f"from importlib.util import find_spec; print(*filter(find_spec, {EXTRAS}))"
IMPORT = "from time import perf_counter as now; t = now(); import stcmtl; print(now() - t)"
# pandas loads pyarrow by itself where there is one: what it has loaded is not counted as ours.
LOADED = f"""
import sys, stcmtl
alone = set(sys.modules)
import pandas
by_pandas = set(sys.modules) - alone
stcmtl.STCMTLRegressor, stcmtl.STCMTLClassifier, stcmtl.select_n_clusters, stcmtl.stability
stcmtl.simulate, stcmtl.read, stcmtl.load, stcmtl.metrics, stcmtl.baselines, stcmtl.datasets
print(stcmtl.__file__, *(set({EXTRAS}) & (set(sys.modules) - by_pandas)))
"""


class Environment:
    """A virtual environment with the wheel, used from a folder with nothing of ours in it."""

    def __init__(self, folder: Path, requirement: str) -> None:
        self.programs = folder / ("Scripts" if os.name == "nt" else "bin")
        self.outside = folder / "outside"
        self.variables = {k: v for k, v in os.environ.items() if not k.startswith("PYTHON")}
        venv.create(folder, with_pip=True)
        self.outside.mkdir()
        self.run("python", "-m", "pip", "install", "--quiet", requirement)

    def run(self, program: str, *arguments: str) -> str:
        """What a command prints; its errors, if it fails, are raised."""
        done = subprocess.run(
            [str(self.programs / program), *arguments],
            cwd=self.outside,
            env=self.variables,
            capture_output=True,
            text=True,
        )
        if done.returncode:
            raise RuntimeError(done.stderr.strip().splitlines()[-1])
        return done.stdout.strip()

    @contextmanager
    def studio(self) -> Iterator[str]:
        """Address of a dashboard that ``stcmtl studio`` is starting."""
        with socket.socket() as listener:
            listener.bind(("127.0.0.1", 0))
            port = str(listener.getsockname()[1])
        server = subprocess.Popen(
            [str(self.programs / "stcmtl"), "studio", "--port", port, "--no-browser"],
            cwd=self.outside,
            env=self.variables,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )
        try:
            yield f"http://localhost:{port}"
        finally:
            server.terminate()
            try:
                server.wait(timeout=20)
            except subprocess.TimeoutExpired:  # it would finish compiling kernels first
                server.kill()
                server.wait()


Check = tuple[str, str, bool]  # what, what came out, whether that is as it should be


def build_wheel(folder: Path) -> Path:
    command = [sys.executable, "-m", "pip", "wheel", "--quiet", "--no-deps", "-w", str(folder)]
    subprocess.run([*command, str(ROOT)], check=True)
    return next(folder.glob("*.whl"))


def build_both(folder: Path) -> list[Path]:
    """The sdist, and a wheel made from it, so that nothing is missing there."""
    shutil.rmtree(folder, ignore_errors=True)
    command = [sys.executable, "-m", "build", "--outdir", str(folder), str(ROOT)]
    subprocess.run(command, check=True, capture_output=True)
    return [next(folder.glob("*.whl")), next(folder.glob("*.tar.gz"))]


def check_index(built: list[Path]) -> Check:
    """What an index would refuse, or show badly."""
    command = [sys.executable, "-m", "twine", "check", "--strict", *map(str, built)]
    done = subprocess.run(command, capture_output=True, text=True)
    return "twine check", "passed" if not done.returncode else done.stdout, not done.returncode


def check_core(core: Environment) -> Iterator[Check]:
    installed = core.run("python", "-c", INSTALLED)
    yield "core: installed of the extras", installed or "none", not installed
    seconds = statistics.median(float(core.run("python", "-c", IMPORT)) for _ in range(REPEATS))
    quick = seconds < IMPORT_SECONDS
    yield f"core: import stcmtl (bar {IMPORT_SECONDS} s)", f"{seconds:.3f} s", quick
    readme = (ROOT / "README.md").read_text(encoding="utf-8")
    example, printed = re.findall(EXAMPLE, readme, re.DOTALL)[0]
    yield "core: the README's first example", *outcome(core, example, printed.strip())
    yield "core: every name but figures", *outcome(core, LOADED)


def check_studio(studio: Environment) -> Iterator[Check]:
    home, *loaded = studio.run("python", "-c", LOADED).split()
    outside = not home.startswith(str(ROOT))
    yield "studio: loaded of the extras, unasked", ", ".join(loaded) or "none", not loaded
    yield "studio: imported from the wheel", str(outside).lower(), outside
    pages = sorted(path.stem for path in (ROOT / "pages").glob("*.py"))
    with studio.studio() as address:
        faults = {page: try_page(address, page) for page in pages}
        fitted = check_fit(address)
    faults = {page: fault for page, fault in faults.items() if fault}
    opened = f"{len(pages) - len(faults)} of {len(pages)}"
    said = "".join(f"; {page}: {fault}" for page, fault in faults.items())
    yield "studio: pages that open", f"{opened}{said}", not faults
    yield fitted


def check_fit(address: str) -> Check:
    """Kernels are compiled first."""
    try:
        seconds = wait_for_chart(address, "memberships", TASKS, PATIENCE)
    except (AssertionError, OSError, WebSocketException) as error:
        return "studio: fits, and draws", str(error) or "no chart", False
    return "studio: fits, and draws", f"after {seconds:.0f} s", True


def outcome(environment: Environment, script: str, expected: str | None = None) -> tuple[str, bool]:
    """Whether a script runs and, if that is known, prints what it should."""
    try:
        printed = environment.run("python", "-c", script)
    except RuntimeError as error:
        return str(error), False
    if expected is None:
        return "runs", True
    return ("as printed" if printed == expected else printed), printed == expected


def try_page(address: str, page: str) -> str:
    """Why a page does not open; nothing if it does."""
    try:
        return open_page(address, "" if page == "home" else page, FIRST, PATIENCE)
    except (OSError, WebSocketException) as error:
        return f"the server is gone: {error}"


def check_all(folder: Path, dist: Path | None) -> Iterator[Check]:
    built = [build_wheel(folder)] if dist is None else build_both(dist)
    if dist is not None:
        yield check_index(built)
    for package in built:
        kind = "wheel" if package.suffix == ".whl" else "sdist"
        for extra, check in (("", check_core), ("[studio]", check_studio)):
            place = folder / f"{kind}-{extra.strip('[]') or 'core'}"
            for what, measured, met in check(Environment(place, f"{package}{extra}")):
                yield f"{kind}, {what}", measured, met


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--dist", type=Path, help="folder for wheel and sdist, both of them tried")
    dist, failed = parser.parse_args().dist, False
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as name:
        for what, measured, met in check_all(Path(name), dist and dist.resolve()):
            print(f"{what:<50} {measured:<10} {'yes' if met else 'NO'}", flush=True)
            failed = failed or not met
    sys.exit(failed)


if __name__ == "__main__":
    main()
