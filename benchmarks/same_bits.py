"""Are the numbers the same to the bit before and after a change?

    git worktree add ../before HEAD~1
    python benchmarks/same_bits.py ../before                    # about three minutes a side
    python benchmarks/same_bits.py ../before --quick            # small tasks, half a minute a side
    python benchmarks/same_bits.py ../before --blas-threads 1   # on both sides

Fits, predictions, curves over K, new tasks, comparisons and figures on the dashboard's presets
(see `digests.py`), in a process a side. Files saved before are loaded after. The exit code is 1 if
anything differs.

Kernels are compiled before, in a process of their own: where the compiler may reorder sums, a
process that compiles can differ in the last bits (5e-11 in a coefficient) from one that loads
what was compiled, and two checkouts would differ by which of them had run before.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path
from time import perf_counter

import pandas as pd

ROOT = Path(__file__).resolve().parents[1]
SCRIPT = Path(__file__).with_name("digests.py").resolve()  # this one for both sides
BLAS = ("OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS", "OMP_NUM_THREADS")
NAMED = 4  # of those that differ
Digests = dict[str, dict[str, str]]


def run(checkout: Path, saved: str, quick: bool, threads: int | None) -> Digests:
    """The digests of one side, by what was computed and by the name of the array."""
    given = {} if threads is None else dict.fromkeys(BLAS, str(threads))
    python = [sys.executable, "-W", "ignore"]
    options = {"cwd": checkout, "env": os.environ | given | {"PYTHONPATH": str(checkout)}}
    subprocess.run([*python, "-m", "stcmtl.warmup"], **options, check=True)
    started = perf_counter()
    command = [*python, str(SCRIPT), saved, *(["--quick"] * quick)]
    child = subprocess.run(command, **options, stdout=subprocess.PIPE)
    if child.returncode:
        raise SystemExit(f"{checkout}: nothing to compare, the run has failed.")
    print(f"{checkout}: {perf_counter() - started:.0f} s", file=sys.stderr)
    said = json.loads(child.stdout)
    if not Path(said["package"]).resolve().is_relative_to(checkout):
        raise SystemExit(f"{checkout} is no checkout: stcmtl came from {said['package']}.")
    return said["digests"]


def table(before: Digests, after: Digests) -> pd.DataFrame:
    """A row for everything computed: how many arrays, and which of them differ."""
    rows = {}
    for what in before | after:
        old, new = before.get(what, {}), after.get(what, {})
        names = [name for name in old | new if old.get(name) != new.get(name)]
        rows[what] = len(old | new), verdict(names, old, new)
    return pd.DataFrame.from_dict(rows, orient="index", columns=["arrays", "before and after"])


def verdict(names: list[str], old: dict[str, str], new: dict[str, str]) -> str:
    if not names:
        return "equal"
    words = [f"{name}{'' if name in old and name in new else ' (one side only)'}" for name in names]
    more = [f"and {len(names) - NAMED} more"] if len(names) > NAMED else []
    return ", ".join(["DIFFER: " + words[0], *words[1:NAMED], *more])


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("before", type=Path, help="a checkout of the earlier commit")
    parser.add_argument("--quick", action="store_true", help="small tasks only")
    parser.add_argument("--blas-threads", type=int, metavar="N", help="as they are by default")
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory() as saved:
        sides = [
            run(checkout, saved, arguments.quick, arguments.blas_threads)
            for checkout in (arguments.before.resolve(), ROOT)
        ]
    found = table(*sides)
    print(found.to_string(max_colwidth=None))
    differ = int((found["before and after"] != "equal").sum())
    print(f"{found['arrays'].sum()} arrays; {differ or 'none'} of {len(found)} rows differ")
    sys.exit(differ > 0)


if __name__ == "__main__":
    main()
