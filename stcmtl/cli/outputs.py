"""Files that a subcommand writes: refused early, before the work, where they cannot be."""

from __future__ import annotations

import os
from pathlib import Path

from stcmtl.io.write import TABLE_ENDINGS

TASK_ENDINGS = (*TABLE_ENDINGS, ".npz")


def check_file(name: str | None, endings: tuple[str, ...]) -> None:
    """Whether a file of this name can be written, as far as one can tell."""
    if name is None:
        return
    path = Path(name)
    if path.suffix.lower() not in endings:
        ending = repr(path.suffix) if path.suffix else "nothing"
        raise ValueError(f"{name or '--out'} ends in {ending}: use {', '.join(endings)}.")
    if path.is_dir():
        raise ValueError(f"{name} is a folder: give the name of a file.")
    if not path.parent.is_dir():
        raise ValueError(f"{name} cannot be written: there is no folder {path.parent}.")
    check_writable(path if path.exists() else path.parent, name)


def make_folder(name: str, option: str = "--out") -> Path:
    """The folder, made where there is none."""
    if not name:
        raise ValueError(f"{option} is empty: name a folder.")
    folder = Path(name)
    if any(path.exists() and not path.is_dir() for path in (folder, *folder.parents)):
        raise ValueError(f"{name} cannot be a folder: a file is in its place.")
    folder.mkdir(parents=True, exist_ok=True)
    check_writable(folder, name)
    return folder


def check_writable(path: Path, name: str) -> None:
    if not os.access(path, os.W_OK):
        raise ValueError(f"{name} cannot be written: you have no right to write there.")
