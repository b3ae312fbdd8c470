"""Does the dashboard run as a service does? The steps of the Containerfile, without an engine.

    python benchmarks/container.py             # a fresh environment, kernels compiled: minutes
    python benchmarks/container.py --present   # with the packages and kernels that are here

The files that git knows are copied and made read-only. Another user (if root runs this), without a
home and with one folder to write to, starts ``stcmtl studio``, opens a page and has tasks fitted:
once with a folder named for its kernels, as in the container, once with nothing but a temporary
one. Nothing may be written elsewhere. The exit code is 1 unless all bars are met.
"""

from __future__ import annotations

import argparse
import os
import re
import shutil
import subprocess
import sys
import tempfile
import venv
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT))  # so that it runs as a script
from benchmarks.visitors import wait_for_chart
from tests.docs.servers import running, wait_until_well

USER = "65534"  # nobody
# Interpreters often lie in somebody's home: all may be read, and nothing written.
AS_USER = ["setpriv", "--reuid", USER, "--regid", USER, "--clear-groups"]
AS_USER += ["--inh-caps", "+dac_read_search", "--ambient-caps", "+dac_read_search"]
TASKS = "data=simulated&tasks=18&features=30&clusters=3&run=1"
PATIENCE = 300.0  # seconds, for a page whose kernels are compiled first
VARIABLE = "NUMBA_CACHE_DIR"
WHOLE = 1_767_225_600  # seconds since 1970

Check = tuple[str, str, bool]  # what, what came out, whether that is as it should be


def copy_checkout(folder: Path) -> Path:
    """The files that git knows, or would take; read-only afterwards."""
    listed = subprocess.run(
        ["git", "ls-files", "-co", "--exclude-standard"],
        cwd=ROOT, check=True, capture_output=True, text=True,
    )  # fmt: skip
    for name in filter(None, listed.stdout.splitlines()):
        if (ROOT / name).is_file():
            (folder / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy2(ROOT / name, folder / name)
    return folder


def build_environment(folder: Path, checkout: Path) -> Path:
    """A fresh one with the checkout installed; its Python."""
    venv.create(folder, with_pip=True)
    python = folder / "bin" / "python"
    command = [str(python), "-m", "pip", "install", "--quiet", f"{checkout}[studio]"]
    subprocess.run(command, check=True)
    return python


def compile_kernels(python: str, environment: Path, kernels: Path) -> None:
    """As the image is built: sources have a time of whole seconds, as it will keep them."""
    for source in environment.rglob("kernels/*.py"):
        os.utime(source, (WHOLE, WHOLE))
    own = {name: value for name, value in os.environ.items() if not name.startswith("PYTHON")}
    command = [python, "-m", "stcmtl.warmup"]
    subprocess.run(command, check=True, env={**own, VARIABLE: str(kernels)}, cwd=kernels.parent)


def forget_fractions(folder: Path) -> None:
    """What becomes of the times of files in the layers of an image."""
    for path in folder.rglob("*"):
        if not path.is_symlink():
            os.utime(path, (WHOLE, int(path.stat().st_mtime)))


def take_kernels(checkout: Path, kernels: Path) -> None:
    """Those compiled here, under the names that numba gives to files of the copy."""
    from numba.core.caching import UserProvidedCacheLocator

    for room in ("solver", "baselines"):
        copied = checkout / "stcmtl" / room / "kernels"
        place = UserProvidedCacheLocator.get_suitable_cache_subpath(str(copied / "own.py"))
        (kernels / place).mkdir(parents=True)
        for found in (ROOT / "stcmtl" / room / "kernels" / "__pycache__").glob("*.nb[ic]"):
            shutil.copy2(found, kernels / place)


def protect(folder: Path) -> None:
    for path in (folder, *folder.rglob("*")):
        if not path.is_symlink():
            path.chmod(path.stat().st_mode & ~0o222 | 0o444 | (0o111 if path.is_dir() else 0))


def give(folder: Path) -> Path:
    folder.mkdir(mode=0o755)
    if os.getuid() == 0:
        os.chown(folder, int(USER), int(USER))
    return folder


def names_in(folder: Path) -> set[str]:
    return {str(path) for path in folder.rglob("*")}


def times_in(folder: Path) -> dict[str, int]:
    """Of indices of compiled kernels, which numba writes anew when it compiles."""
    return {str(path): path.stat().st_mtime_ns for path in folder.rglob("*.nbi")}


def try_service(
    python: str, checkout: Path | None, cache: Path, kernels: Path | None, named: bool
) -> Iterator[Check]:
    """Start it with ``cache`` to write to, to which ``kernels``, if any, are copied first."""
    variables = {"PATH": os.environ["PATH"], "HOME": "/nonexistent", "TMPDIR": str(cache)}
    variables |= {"PYTHONDONTWRITEBYTECODE": "1"}
    if checkout is not None:
        variables["PYTHONPATH"] = str(checkout)
    user = AS_USER if os.getuid() == 0 else []
    case, expected = "no folder named", cache / f"stcmtl-{USER if user else os.getuid()}"
    if named:
        case, expected = "as the container", cache / "kernels"
        variables[VARIABLE] = str(expected)
    subprocess.run([*user, "mkdir", "-m", "700", str(expected)], check=True)
    if kernels is not None:
        subprocess.run([*user, "cp", "-r", f"{kernels}/.", str(expected)], check=True)
    copied = times_in(expected)
    command = [*user, python, "-m", "stcmtl", "studio", "--no-browser"]
    log = cache.parent / f"{cache.name}.log"
    with running(command, log, cache, variables) as address:
        wait_until_well(address, log)
        yield f"{case}: starts, and is well", "yes", True
        said = re.search(r"kernels are kept in (\S+)\.$", log.read_text(), re.MULTILINE)
        place = said[1] if said else "not said"
        yield f"{case}: says where its cache is", place, place == str(expected)
        seconds = wait_for_chart(address, "memberships", TASKS, PATIENCE)
        yield f"{case}: fits, and draws", f"after {seconds:.1f} s", True
        if kernels is not None:
            again = len(times_in(expected).items() - copied.items())
            yield f"{case}: kernels compiled again", str(again), not again


def check_all(folder: Path, present: bool) -> Iterator[Check]:
    checkout = copy_checkout(folder / "checkout")
    built = folder / "kernels"
    built.mkdir()
    if present:
        python, imported = sys.executable, checkout
        take_kernels(checkout, built)
    else:
        environment, imported = folder / "environment", None
        python = str(build_environment(environment, checkout))
        compile_kernels(python, environment, built)
        forget_fractions(environment)
    protect(checkout)
    if not present:
        protect(environment)
    before = names_in(folder)
    places = ("cache", "temporary")
    for place, named in zip(places, (True, False), strict=True):
        # a first start without a folder compiles for a minute, which the full run waits for
        kernels = built if named or present else None
        yield from try_service(python, imported, give(folder / place), kernels, named)
    new = names_in(folder) - before
    strange = [n for n in new if not n.startswith(tuple(str(folder / place) for place in places))]
    yield "written elsewhere", ", ".join(strange) or "nothing", not strange


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--present", action="store_true", help="use what is installed here")
    options = parser.parse_args()
    failed = False
    folder = Path(tempfile.mkdtemp(prefix="stcmtl-service-"))
    folder.chmod(0o755)
    try:
        for what, measured, met in check_all(folder, options.present):
            print(f"{what:<50} {measured:<30} {'yes' if met else 'NO'}", flush=True)
            failed = failed or not met
    finally:
        for path in (folder, *folder.rglob("*")):  # so that it can be removed again
            if path.is_dir() and not path.is_symlink():
                path.chmod(0o755)
        shutil.rmtree(folder, ignore_errors=True)
    sys.exit(failed)


if __name__ == "__main__":
    main()
