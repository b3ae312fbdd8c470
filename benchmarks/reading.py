"""Reading a long CSV of 500,000 rows x 50 columns, beside ``pandas.read_csv`` alone.

    python benchmarks/reading.py

Each is timed in processes of its own, in turn, and the best of the rounds counts. Time, by the
clock and of all cores together, is given as a ratio to pandas; peak memory above an idle start
as a ratio to the numbers themselves (8 bytes each); another target of the file that is open as a
ratio to the first read.
"""

from __future__ import annotations

import argparse
import subprocess
import sys
import tempfile
from pathlib import Path

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.csv

ROOT = Path(__file__).resolve().parents[1]

MEASURE = """
import resource, sys
from time import perf_counter, process_time
import pandas as pd
from stcmtl.io.reading import open_source
from stcmtl.io.tables import Asked
def read_with_pandas(path): return pd.read_csv(path), None
def read_with_stcmtl(path):
    opened = open_source(path)
    return opened.take(Asked()), opened
def peak(): return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024
function = {"pandas": read_with_pandas, "stcmtl": read_with_stcmtl}[sys.argv[1]]
function(sys.argv[2])  # a few rows: whatever is loaded at first use
idle, start, busy = peak(), perf_counter(), process_time()
found, opened = function(sys.argv[3])
first, cores, memory = perf_counter() - start, process_time() - busy, peak() - idle
start = perf_counter()
if opened is not None:
    opened.take(Asked(target="x0"))
print(first, cores, memory, (perf_counter() - start) / first)
"""


def write_long_csv(path: Path, n_rows: int, n_columns: int) -> None:
    """``n_columns`` in all: a task, a target and features with all their digits."""
    rng = np.random.default_rng(0)
    columns = {"task": np.sort(rng.integers(0, 200, n_rows))}
    columns |= {f"x{d}": rng.standard_normal(n_rows) for d in range(n_columns - 2)}
    columns["target"] = rng.standard_normal(n_rows)
    pa.csv.write_csv(pa.table(columns), path)


def measured(method: str, few: Path, many: Path) -> list[float]:
    """Seconds, seconds of all cores together, bytes, and seconds for another target as a ratio."""
    command = [sys.executable, "-c", MEASURE, method, str(few), str(many)]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True)
    return [float(number) for number in done.stdout.split()]


def main() -> None:
    options = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    options.add_argument("--rows", type=int, default=500_000)
    options.add_argument("--columns", type=int, default=50)
    options.add_argument("--rounds", type=int, default=3)
    given = options.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        few, many = Path(folder) / "few.csv", Path(folder) / "many.csv"
        write_long_csv(few, 1000, given.columns)
        write_long_csv(many, given.rows, given.columns)
        rounds = [
            {method: measured(method, few, many) for method in ("pandas", "stcmtl")}
            for _ in range(given.rounds)
        ]
        size = many.stat().st_size
    best = {m: np.min([r[m] for r in rounds], axis=0) for m in ("pandas", "stcmtl")}
    units = [*best["pandas"][:2], 8 * given.rows * given.columns, 1]
    table = pd.DataFrame(
        {method: figures / units for method, figures in best.items()},
        index=[
            "time, pandas = 1",
            "time of all cores, pandas = 1",
            "peak memory, data = 1",
            "another target, first read = 1",
        ],
    )
    print(f"{given.rows:,} rows x {given.columns} columns, {size / 1e6:.0f} MB of text")
    print(f"pandas.read_csv alone took {best['pandas'][0]:.2f} s")
    print(table.round(2).to_string())


if __name__ == "__main__":
    main()
