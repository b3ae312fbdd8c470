"""Paths, lists of paths and uploads, as files that are opened the same way."""

import io
import re
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path, PurePosixPath
from typing import Any, BinaryIO

from stcmtl.io.limits import Limits, ReadError, fault

STREAM_ENDING = re.compile(r"\.(gz|bz2|xz)$", re.IGNORECASE)
TABLE_ENDING = re.compile(
    r"\.(csv|tsv|tab|txt|dat|data|parquet|pq|feather|arrow|xlsx|xlsm|json|jsonl|ndjson|dta|z?sav"
    r"|npz|mat|zip|7z|rar|tar|tgz|xls|rds|rdata|rda)(\.(gz|bz2|xz))?$",
    re.IGNORECASE,
)
README = re.compile(r"(^|/)(readme|licen[cs]e|changelog|citation|notice)[^/]*$", re.IGNORECASE)


@dataclass(frozen=True)
class File:
    """A file on disk, or bytes with a name."""

    name: str
    path: Path | None = None
    data: bytes = b""
    beside: bool = False  # in the same folder as the tables, and none of them

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
        if not is_upload(item) and is_folder(item) and len(items) == 1:
            return list_folder(Path(item), limits)
        file = take_upload(item, limits) if is_upload(item) else take_path(item)
        total += file.size
        limits.check(file.name if len(items) == 1 else "The list", bytes_on_disk=total)
        if file.size == 0:
            raise fault(file.name, "is empty", "export or download it again")
        files.append(file)
    return files


def is_folder(item: Any) -> bool:
    try:
        return isinstance(item, (str, Path)) and Path(item).is_dir()
    except (OSError, ValueError):  # a name too long, or with a zero byte
        return False


def list_folder(folder: Path, limits: Limits) -> list[File]:
    """The tables in a folder, in the order people count, then what else is there."""
    there = sorted(
        (path for path in folder.iterdir() if is_shown(path.name)),
        key=lambda path: counting_order(path.name),
    )
    limits.check(str(folder), members=len(there))
    others = [path for path in there if not path.is_file()]
    beside = find_beside([path.name for path in there if path not in others])
    tables = [path for path in there if path not in others and path.name not in beside]
    if not tables:
        raise fault(str(folder), "is a folder without tables", "give one with files in it")
    rest = [path for path in there if path not in tables]
    files = list_files(tables, limits)
    return [*files, *(File(path.name, beside=True) for path in rest)]


def is_shown(name: str) -> bool:
    """Not hidden, nor added by an operating system."""
    parts = name.replace("\\", "/").split("/")
    return bool(parts[-1]) and not any(part.startswith((".", "__MACOSX")) for part in parts)


def find_beside(names: Sequence[str]) -> list[str]:
    """What is kept with tables and is none: all without an ending of one, where some have that."""
    tables = [name for name in names if TABLE_ENDING.search(name) and not README.search(name)]
    return [name for name in names if name not in tables] if tables else []


def counting_order(name: str) -> list[tuple[int, int, str]]:
    """2 before 10, whatever surrounds the numbers."""
    parts = re.findall(r"[0-9]{1,15}|[^0-9]+|[0-9]+", name)
    return [(0, int(p), "") if p.isdecimal() and len(p) < 16 else (1, 0, p) for p in parts]


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
        raise fault(shown, "is a folder, one of several", "give a list of files, or one folder")
    if not regular:
        if there:
            raise fault(shown, "is no regular file", "give a file on disk")
        raise fault(shown, "is not there", "check the path")
    return File(path.name, path=path)


def find_stem(file: str) -> str:
    """The name without folders and extensions: a task's name where a file is a task."""
    name = PurePosixPath(file.replace("\\", "/")).name
    return STREAM_ENDING.sub("", name).rsplit(".", 1)[0] or name


def number_names(names: Sequence[Any]) -> list[Any]:
    """Names 1, 2, 10 as numbers where all are whole numbers, so that they sort as people count."""
    texts = [str(name) for name in names]
    if not all(text.isdecimal() and text.isascii() and len(text) < 16 for text in texts):
        return list(names)
    numbers = [int(text) for text in texts]
    return numbers if len(set(numbers)) == len(set(texts)) else list(names)
