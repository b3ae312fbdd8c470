"""Damaged files by the thousand: every read ends in tasks or in one sentence, and soon.

    python benchmarks/mutations.py --count 2000

Files of every format are damaged (bytes flipped, overwritten, cut out, inserted, spliced from
another file, cut short), half of the archives inside their members with sums made right
again. Each is read as an upload on the Data page is, session files as its own tab does.
"""

from __future__ import annotations

import argparse
import io
import sys
import zipfile
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from time import perf_counter

import numpy as np

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT))  # so that it runs as a script
from benchmarks.layouts import LAYOUTS, school_like
from stcmtl import Limits, read
from stcmtl.errors import InputError

KINDS = ("flip", "overwrite", "cut", "insert", "splice", "truncate")
ENDED = "sentence on a crash"  # of a native library, in the child
FINE = ("read", "sentence", ENDED)
LONGEST = 400  # letters of a sentence
MOST_GROWTH = 50  # MB
NOTABLE = 5.0  # seconds from which a file is named
LIMITS = Limits(seconds=10, memory=2**30)


@dataclass(frozen=True)
class Edit:
    """One damage: where (as a share of the file), how many bytes, and which."""

    kind: str
    at: float
    size: int
    seed: int


def damaged(data: bytes, edits: list[Edit], donor: bytes = b"") -> bytes:
    for edit in edits:
        at, rng = int(edit.at * len(data)), np.random.default_rng(edit.seed)
        end = min(len(data), at + edit.size)
        noise = rng.choice([rng.bytes(edit.size), b"\xff" * edit.size, b"\0" * edit.size])
        if edit.kind == "flip" and at < len(data):
            data = data[:at] + bytes([data[at] ^ (1 << edit.seed % 8)]) + data[at + 1 :]
        elif edit.kind == "overwrite":
            data = data[:at] + bytes(noise)[: end - at] + data[end:]
        elif edit.kind == "cut":
            data = data[:at] + data[end:]
        elif edit.kind == "insert":
            data = data[:at] + bytes(noise) + data[at:]
        elif edit.kind == "splice" and donor:
            start = int(rng.integers(len(donor)))
            data = data[:at] + donor[start : start + edit.size] + data[end:]
        elif edit.kind == "truncate":
            data = data[:at]
    return data


def damaged_inside(data: bytes, edits: list[Edit], donor: bytes = b"") -> bytes:
    """One member of an archive damaged, and the archive made whole again around it."""
    buffer = io.BytesIO()
    with zipfile.ZipFile(io.BytesIO(data)) as old, zipfile.ZipFile(buffer, "w") as new:
        members = old.infolist()
        chosen = members[edits[0].seed % len(members)].filename
        for info in members:
            content = old.read(info)
            if info.filename == chosen:
                content = damaged(content, edits, donor)
            new.writestr(info.filename, content, zipfile.ZIP_DEFLATED)
    return buffer.getvalue()


def single_files() -> dict[str, tuple[str, bytes]]:
    """Every layout that is one file, as a name and bytes."""
    written = {layout: write(school_like())[0] for layout, write in LAYOUTS.items()}
    return {layout: source for layout, source in written.items() if isinstance(source, tuple)}


def random_edits(rng: np.random.Generator) -> list[Edit]:
    return [
        Edit(
            kind=str(rng.choice(KINDS, p=(0.3, 0.25, 0.1, 0.1, 0.15, 0.1))),
            at=float(rng.choice([rng.random(), rng.random() ** 4, 1 - rng.random() ** 4])),
            size=int(rng.choice([1, 2, 4, 8, 64, 512])),
            seed=int(rng.integers(2**31)),
        )
        for _ in range(int(rng.choice([1, 1, 2, 4, 16])))
    ]


def outcome(name: str, data: bytes, bounded: bool = False, limits: Limits = LIMITS) -> str:
    return judge(lambda: read((name, data), limits=limits, bounded=bounded))


def judge(attempt: Callable[[], object]) -> str:
    try:
        attempt()
    except InputError as fault:
        said = str(fault)
        if "ended the process" in said:
            return ENDED
        return "sentence" if "\n" not in said and len(said) < LONGEST else f"odd sentence: {said}"
    return "read"


class Growth:
    """How far this process's memory rose above where it was, by the kernel's own account."""

    def __enter__(self) -> Growth:
        Path("/proc/self/clear_refs").write_text("5")  # the highest so far is forgotten
        self.start = self.highest()
        return self

    def __exit__(self, *_: object) -> None:
        self.megabytes = self.highest() - self.start

    def highest(self) -> float:
        status = Path("/proc/self/status").read_text()
        return int(status.partition("VmHWM:")[2].split()[0]) / 1024


def main() -> int:
    options = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    options.add_argument("--count", type=int, default=2000)
    options.add_argument("--seed", type=int, default=0)
    options.add_argument("--only", default="", help="layouts whose name has this text")
    options.add_argument("--keep", type=Path, help="a folder for the files that end badly")
    given = options.parse_args()
    from benchmarks.by_page import SESSION, a_session, outcome_on_page

    rng = np.random.default_rng(given.seed)
    files = single_files() | {"session": (SESSION, a_session())}
    files = {layout: file for layout, file in files.items() if given.only in layout}
    layouts = list(files)
    for name, data in files.values():  # what is loaded once is no growth
        outcome_on_page(name, data)
        outcome_on_page(name, data[: len(data) // 2])
    counts, times = Counter[str](), [0.0]
    with Growth() as growth:
        for number in range(given.count):
            layout = layouts[number % len(layouts)]
            name, data = files[layout]
            donor = files[layouts[int(rng.integers(len(layouts)))]][1]
            edits = random_edits(rng)
            inside = data.startswith(b"PK") and rng.random() < 0.5
            data = (damaged_inside if inside else damaged)(data, edits, donor)
            start = perf_counter()
            try:
                result = outcome_on_page(name, data)
            except Exception as fault:  # noqa: BLE001 - what this script is here to find
                result = f"{type(fault).__name__}: {str(fault)[:200]}"
            times.append(perf_counter() - start)
            counts[result if result in FINE else "other"] += 1
            if result not in FINE[:2] or times[-1] > NOTABLE:
                print(f"{number} {layout}: {result}, {times[-1]:.1f} s", flush=True)
                if given.keep:
                    (given.keep / f"{number}-{name}").write_bytes(data)
    print(f"{given.count} damaged files of {len(layouts)} layouts, seed {given.seed}")
    print(f"read as tasks {counts['read']}, one sentence {counts['sentence']}", end=", ")
    print(f"one sentence after a crash in the child {counts[ENDED]}", end=", ")
    print(f"other {counts['other']}; median {1000 * np.median(times):.0f} ms, ", end="")
    print(f"slowest {max(times):.2f} s; this process grew by {growth.megabytes:.0f} MB")
    return 1 if counts["other"] or growth.megabytes > MOST_GROWTH else 0


if __name__ == "__main__":
    sys.exit(main())
