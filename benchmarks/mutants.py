"""Would the tests notice? Small faults are put into the code, one at a time, and the tests run.

    python benchmarks/mutants.py                        # 25 of each kind: half an hour on two cores
    python benchmarks/mutants.py --seed 1 --each 10     # fewer, and others
    python benchmarks/mutants.py --only io/guess.py     # of one file
    python benchmarks/mutants.py --list

A fault is a comparison turned round or moved by its boundary, another operator, another number, a
"not" that is dropped, a function that returns nothing. Of every file the tests run that mirror it
or import it, in a copy of the checkout; a mutant that they let pass has survived.
"""

from __future__ import annotations

import argparse
import ast
import random
import re
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from copy import deepcopy
from functools import cache
from pathlib import Path
from queue import SimpleQueue
from time import perf_counter
from typing import NamedTuple

import pandas as pd

ROOT = Path(__file__).resolve().parents[1]
LEAST = 0.8  # share that must die
AT_ONCE = 2
LONGEST = 300.0  # seconds, beyond which a mutant's tests do not end
KINDS = {
    "the solver's steps": [
        f"solver/{step}.py"
        for step in ("soup", "thresholds", "alignment", "memberships", "single_task")
    ],
    "the choice": [
        f"solver/{step}.py" for step in ("model_choice", "trials", "penalty_choice", "own_choice")
    ],
    "the readers' guesses": [
        "io/guess.py",
        *(f"io/cells/{part}.py" for part in ("columns", "dates", "interpret", "levels")),
        *(f"io/cells/{part}.py" for part in ("notation", "numbers", "signs", "times")),
    ],
    "the rules of sentences": [
        "studio/words/rules.py", "studio/words/findings.py", "evaluation/verdicts.py",
    ],
}  # fmt: skip
# Tests that go through a file without importing it, or where most of it is tested.
ALSO = {
    "solver/trials.py": ["solver/test_model_choice.py"],
    "io/guess.py": ["io/test_reading.py", "io/test_messy_files.py"],
    "io/cells/": [
        f"io/test_{name}.py"
        for name in ("messy_files", "odd_contents", "formats", "reading", "read_like", "guess")
    ],
    "studio/words/": ["studio/test_rules.py"],
}
SWAPS: dict[type[ast.AST], tuple[type[ast.AST], ...]] = {
    ast.Lt: (ast.GtE, ast.LtE), ast.LtE: (ast.Gt, ast.Lt),
    ast.Gt: (ast.LtE, ast.GtE), ast.GtE: (ast.Lt, ast.Gt),
    ast.Eq: (ast.NotEq,), ast.NotEq: (ast.Eq,), ast.In: (ast.NotIn,), ast.NotIn: (ast.In,),
    ast.Is: (ast.IsNot,), ast.IsNot: (ast.Is,), ast.And: (ast.Or,), ast.Or: (ast.And,),
    ast.Add: (ast.Sub,), ast.Sub: (ast.Add,), ast.Mult: (ast.Div,), ast.Div: (ast.Mult,),
    ast.FloorDiv: (ast.Mult,), ast.Mod: (ast.Mult,), ast.Pow: (ast.Mult,),
    ast.BitAnd: (ast.BitOr,), ast.BitOr: (ast.BitAnd,),
}  # fmt: skip


class Mutant(NamedTuple):
    """One fault: the file and line, what stood there, what stands there now, and the file so."""

    file: str
    line: int
    before: str
    after: str
    source: str

    def __str__(self) -> str:
        return f"{self.file}:{self.line}: {self.before}  ->  {self.after}"


def faults_of(file: str) -> list[tuple[str, int, int]]:
    """All that a file may have: where, and which of those that are possible there."""
    there = enumerate(map(node_at, places(parse(file))))
    return [(file, place, which) for place, node in there for which in range(len(faults(node)))]


def parse(file: str) -> ast.Module:
    return ast.parse((ROOT / "stcmtl" / file).read_text())


def places(tree: ast.AST) -> Iterator[tuple[ast.AST, str, int | None]]:
    """Every node that may be changed, as its owner, field and index; annotations are no code."""
    for field, value in ast.iter_fields(tree):
        if field in ("annotation", "returns", "decorator_list", "type_params"):
            continue
        for index, node in enumerate(value) if isinstance(value, list) else [(None, value)]:
            if isinstance(node, ast.AST):
                if faults(node):
                    yield tree, field, index
                yield from places(node)


def mutate(file: str, place: int, which: int) -> Mutant:
    tree = parse(file)
    owner, field, index = found = list(places(tree))[place]
    node = node_at(found)
    fault = faults(node)[which]
    if index is None:
        setattr(owner, field, fault)
    else:
        getattr(owner, field)[index] = fault
    source = ast.unparse(ast.fix_missing_locations(tree))
    return Mutant(file, getattr(node, "lineno", 0), ast.unparse(node), ast.unparse(fault), source)


def node_at(place: tuple[ast.AST, str, int | None]) -> ast.AST:
    owner, field, index = place
    value = getattr(owner, field)
    return value if index is None else value[index]


def faults(node: ast.AST) -> list[ast.AST]:
    """What may stand in a node's place."""
    if isinstance(node, ast.Compare) and len(node.ops) == 1:
        return [changed(node, ops=[other()]) for other in SWAPS[type(node.ops[0])]]
    if isinstance(node, ast.BinOp | ast.BoolOp | ast.AugAssign):
        return [changed(node, op=other()) for other in SWAPS.get(type(node.op), ())]
    if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.Not | ast.USub):
        return [node.operand]
    if isinstance(node, ast.Return) and node.value is not None:
        return [] if is_none(node.value) else [changed(node, value=ast.Constant(None))]
    if isinstance(node, ast.Constant) and isinstance(node.value, bool | int | float):
        return [changed(node, value=other_number(node.value))]
    return []


def is_none(node: ast.AST) -> bool:
    return isinstance(node, ast.Constant) and node.value is None


def other_number(number: float) -> float:
    if isinstance(number, bool):
        return not number
    return number + 1 if isinstance(number, int) else 2.0 * number or 1.0


def changed(node: ast.AST, **fields: object) -> ast.AST:
    other = deepcopy(node)
    for name, value in fields.items():
        setattr(other, name, value)
    return other


@cache
def tests_of(file: str) -> tuple[str, ...]:
    """Those that mirror it first, then those that import it, then those that go through it."""
    room, _, name = file.rpartition("/")
    module = f"stcmtl.{file.removesuffix('.py').replace('/', '.')}"
    package, _, leaf = module.rpartition(".")
    imports = re.compile(rf"{re.escape(module)}\b|from {re.escape(package)} import .*\b{leaf}\b")
    units = ROOT / "tests" / "unit"
    mirror = [units / place / f"test_{name}" for place in (room, room.split("/")[0])]
    naming = [path for path in units.rglob("test_*.py") if imports.search(path.read_text())]
    through = [units / t for part, tests in ALSO.items() if file.startswith(part) for t in tests]
    found = dict.fromkeys(path for path in (*mirror, *sorted(naming), *through) if path.exists())
    return tuple(str(path.relative_to(ROOT)) for path in found)


class Copies:
    """Copies of the checkout, with kernels that are compiled; whoever has one has it alone."""

    def __init__(self, folder: Path) -> None:
        self.free: SimpleQueue[Path] = SimpleQueue()
        skipped = shutil.ignore_patterns(".git", ".venv", ".*_cache", ".hypothesis", "build")
        for number in range(AT_ONCE):
            shutil.copytree(ROOT, folder / str(number), ignore=skipped)
            self.free.put(folder / str(number))

    def run(self, mutant: Mutant) -> bool:
        """Whether the tests of a file pass in time, with the mutant in its place."""
        copy = self.free.get()
        place = copy / "stcmtl" / mutant.file
        try:
            place.write_text(mutant.source)
            return passes(copy, tests_of(mutant.file), LONGEST)
        finally:
            shutil.copy2(ROOT / "stcmtl" / mutant.file, place)
            self.free.put(copy)


def passes(copy: Path, tests: tuple[str, ...], limit: float | None) -> bool:
    command = [sys.executable, "-B", "-m", "pytest", "-x", "-q", "-p", "no:cacheprovider", *tests]
    process = subprocess.Popen(
        command, cwd=copy, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
    )
    try:
        return process.wait(timeout=limit) == 0
    except subprocess.TimeoutExpired:
        return False
    finally:
        process.kill()
        process.wait()


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--each", type=int, default=25, help="mutants of each kind of files")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--minutes", type=float, default=60.0, help="after which no more is tried")
    parser.add_argument("--only", default="", help="files whose name has this text")
    parser.add_argument("--list", action="store_true", help="the mutants, and run nothing")
    given = parser.parse_args()
    chosen: list[tuple[str, Mutant]] = []
    for kind, files in KINDS.items():
        found = [fault for file in files if given.only in file for fault in faults_of(file)]
        print(f"{kind}: {len(found)} mutants", flush=True)
        rng = random.Random(f"{given.seed} {kind}")
        chosen += [(kind, mutate(*f)) for f in rng.sample(found, min(given.each, len(found)))]
    if given.list:
        print(*(mutant for _, mutant in chosen), sep="\n")
        return 0
    random.Random(given.seed).shuffle(chosen)  # so that a part of them tells as much
    tests = {test for _, mutant in chosen for test in tests_of(mutant.file)}
    end = perf_counter() + 60.0 * given.minutes
    with tempfile.TemporaryDirectory() as folder, ThreadPoolExecutor(AT_ONCE) as pool:
        copies = Copies(Path(folder))
        if not passes(Path(folder) / "0", tuple(sorted(tests)), None):
            raise SystemExit("The tests fail without a mutant.")

        def died(mutant: Mutant) -> bool | None:
            if perf_counter() > end:
                return None
            alive = copies.run(mutant)
            print(f"{'SURVIVES' if alive else 'died'}: {mutant}", flush=True)
            return not alive

        fates = list(pool.map(died, (mutant for _, mutant in chosen)))
    table = pd.DataFrame({"kind": [kind for kind, _ in chosen], "died": fates})
    table = table.dropna().astype({"died": bool})
    print(table.groupby("kind", sort=False).died.agg(["size", "sum", "mean"]).to_string())
    share = float(table.died.mean())
    print(f"{share:.0%} of {len(table)} mutants died, seed {given.seed}; the bar is {LEAST:.0%}")
    return 0 if share >= LEAST else 1


if __name__ == "__main__":
    sys.exit(main())
