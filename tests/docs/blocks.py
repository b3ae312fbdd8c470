"""The blocks of README and docs, and what each prints when it is run.

    python -m tests.docs.blocks docs/index.md     # writes what its blocks print into the page

A block of ``python`` runs after those above it, in one namespace a page. A block of ``sh`` is run
command by command (``commands.py`` says how). A block of ``text`` is what the one before prints,
where ``...`` stands for anything. What is shown and not run is in ``SHOWN``, with the reason.
"""

import io
import os
import re
import shutil
import sys
import tempfile
import warnings
from collections.abc import Iterator
from contextlib import contextmanager, redirect_stdout
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tests.docs.commands import run_commands

ROOT = Path(__file__).resolve().parents[2]
PAGES = [
    *(ROOT / name for name in ("README.md", "CONTRIBUTING.md", "SECURITY.md")),
    *sorted((ROOT / "docs").glob("*.md")),
]
SHOWN = {
    "nginx": "needs a proxy of the reader's own",
    "ini": "needs systemd",
    "csv": "is a part of examples/stores.csv, which is read",
}
FENCE = re.compile(r"^```(?P<language>\w*)[^\n]*\n(?P<text>.*?)^```$", re.MULTILINE | re.DOTALL)
INLINE = re.compile(r"`((?:python (?:benchmarks|-m stcmtl)|stcmtl|make|pip install) [^`]*)`")


@dataclass(frozen=True)
class Block:
    """``start`` and ``end`` are where its text is in the page."""

    language: str
    text: str
    line: int
    start: int
    end: int


def blocks_of(page: Path) -> list[Block]:
    text = page.read_text(encoding="utf-8")
    return [
        Block(
            found["language"],
            found["text"],
            text.count("\n", 0, found.start()) + 1,
            *found.span("text"),
        )
        for found in FENCE.finditer(text)
    ]


def inline_commands(page: Path) -> list[str]:
    return INLINE.findall(FENCE.sub("", page.read_text(encoding="utf-8")))


@contextmanager
def reader_folder() -> Iterator[Path]:
    """A folder as a reader of the page has it: with the examples, and nothing else."""
    before = Path.cwd()
    with tempfile.TemporaryDirectory() as name:
        shutil.copytree(ROOT / "examples", Path(name) / "examples")
        shutil.copy(ROOT / "examples" / "stores.csv", name)
        os.chdir(name)
        try:
            yield Path(name)
        finally:
            os.chdir(before)


def run_page(page: Path) -> Iterator[tuple[Block, str]]:
    """Every block of a page with what it prints; of what is shown only, nothing."""
    names: dict[str, Any] = {"__name__": "__main__"}
    with reader_folder():
        for block in blocks_of(page):
            if block.language == "python":
                yield block, run_python(block, names, page)
            elif block.language == "sh":
                yield block, run_commands(block.text)
            elif block.language == "text" or block.language in SHOWN:
                yield block, ""
            else:
                raise AssertionError(f"nobody knows how to run a block of {block.language!r}")


def run_python(block: Block, names: dict[str, Any], page: Path) -> str:
    # Empty lines before it, so that a fault is told by its line in the page.
    code = compile("\n" * block.line + block.text, str(page), "exec")
    printed = io.StringIO()
    with redirect_stdout(printed), warnings.catch_warnings():
        warnings.simplefilter("error", UserWarning)
        exec(code, names)
    return printed.getvalue()


SECONDS = re.compile(r"\d+(?:\.\d+)? s\b")  # which are others every time


def write_outputs(page: Path) -> None:
    text, moved, printed = page.read_text(encoding="utf-8"), 0, ""
    for block, output in run_page(page):
        if block.language == "text":
            text = text[: block.start + moved] + printed + text[block.end + moved :]
            moved += len(printed) - len(block.text)
        printed = SECONDS.sub("... s", output)
    page.write_text(text, encoding="utf-8")


if __name__ == "__main__":
    for name in sys.argv[1:]:
        write_outputs(Path(name).resolve())
