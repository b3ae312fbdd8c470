"""Paths, lists of paths and uploads, as files that are opened the same way."""

from __future__ import annotations

import io
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path, PurePosixPath
from typing import Any, BinaryIO

from stcmtl.io.limits import Limits, ReadError, fault


@dataclass(frozen=True)
class File:
    """A file on disk, or bytes with a name."""

    name: str
    path: Path | None = None
    data: bytes = b""

    @property
    def size(self) -> int:
        return self.path.stat().st_size if self.path else len(self.data)

    @property
    def extension(self) -> str:
        return PurePosixPath(self.name.lower()).suffix

    def open(self) -> BinaryIO:
        try:
            return self.path.open("rb") if self.path else io.BytesIO(self.data)
        except OSError as error:
            raise fault(self.name, "cannot be opened", error.strerror or "check it") from None

    def read(self) -> bytes:
        if self.path is None:
            return self.data
        with self.open() as handle:
            return handle.read()

    def head(self, n_bytes: int) -> bytes:
        with self.open() as handle:
            return handle.read(n_bytes)


def list_files(source: Any, limits: Limits) -> list[File]:
    """Every file of a source, none empty, all within the limit on disk."""
    items = source if isinstance(source, (list, tuple)) and not is_upload(source) else [source]
    if not items:
        raise ReadError("There is no file to read", remedy="the list is empty")
    limits.check("The list", members=len(items))
    files: list[File] = []
    total = 0
    for item in items:
        file = take_upload(item, limits) if is_upload(item) else take_path(item)
        total += file.size
        limits.check(file.name if len(items) == 1 else "The list", bytes_on_disk=total)
        if file.size == 0:
            raise fault(file.name, "is empty", "export or download it again")
        files.append(file)
    return files


def is_upload(item: Any) -> bool:
    """A (name, bytes or file object) pair, or a file object that knows its name."""
    if hasattr(item, "read"):
        return True
    if not isinstance(item, tuple) or len(item) != 2 or not isinstance(item[0], str):
        return False
    return isinstance(item[1], (bytes, bytearray, memoryview)) or hasattr(item[1], "read")


def take_upload(item: Any, limits: Limits) -> File:
    name, content = item if isinstance(item, tuple) else (getattr(item, "name", "upload"), item)
    name = Path(str(name)).name or "upload"
    if hasattr(content, "read"):
        content = content.read(limits.bytes_on_disk + 1)
        limits.check_so_far(name, "bytes_on_disk", len(content))
    if isinstance(content, str):
        content = content.encode()
    return File(name, data=bytes(content))


def take_path(item: Any) -> File:
    if not isinstance(item, (str, Path)):
        raise ReadError(
            f"What was given ({type(item).__name__}) is no source",
            remedy="give a path, a list of paths, or a pair of a name and bytes",
        )
    path = Path(item)
    shown = str(path) if str(path).isprintable() else repr(str(path))
    try:
        folder, there, regular = path.is_dir(), path.exists(), path.is_file()
    except (OSError, ValueError):  # a name too long, or with a zero byte
        raise fault(shown[:80], "is no path to a file", "check it") from None
    if folder:
        raise fault(shown, "is a folder", "give a list of its files")
    if not regular:
        if there:
            raise fault(shown, "is no regular file", "give a file on disk")
        raise fault(shown, "is not there", "check the path")
    return File(path.name, path=path)


def find_stem(file: str) -> str:
    """The name without folders and extensions: a task's name where a file is a task."""
    name = PurePosixPath(file.replace("\\", "/")).name
    return name.removesuffix(".gz").rsplit(".", 1)[0] or name


def number_names(names: Sequence[Any]) -> list[Any]:
    """Names 1, 2, 10 as numbers where all are whole numbers, so that they sort as people count."""
    texts = [str(name) for name in names]
    if not all(text.isdecimal() and text.isascii() and len(text) < 16 for text in texts):
        return list(names)
    numbers = [int(text) for text in texts]
    return numbers if len(set(numbers)) == len(set(texts)) else list(names)
