"""Zip, gzip, bzip2 and xz, looked through before anything in them is unpacked."""

import bz2
import gzip
import lzma
import re
import struct
import zipfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any, BinaryIO

from stcmtl.io.account import Case, list_names, quote, shorten
from stcmtl.io.limits import MIB, Limits, damage_fault, fault, library_faults
from stcmtl.io.sources import STREAM_ENDING, File, counting_order, find_beside, is_shown

END, END_SIZE = b"PK\x05\x06", 22
END64, LOCATOR64 = b"PK\x06\x06", b"PK\x06\x07"
LARGEST_ENTRY = 1024  # bytes of directory a member may take on average
METHODS = (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED)
ENCRYPTED = 0x1
STREAMS: dict[str, Callable[[BinaryIO], Any]] = {
    "gzip": lambda handle: gzip.GzipFile(fileobj=handle),
    "bzip2": bz2.BZ2File,
    "xz": lzma.LZMAFile,
}
# How a part of a stream begins; very many parts take long to unpack, however little is in them.
BEGINS = {"gzip": b"\x1f\x8b\x08", "bzip2": b"BZh", "xz": b"\xfd7zXZ\0"}
MOST_PARTS = 50_000
PACKED = re.compile(r"\.(zip|7z|rar|tar|tgz)$", re.IGNORECASE)


@contextmanager
def open_zip(file: File, limits: Limits) -> Iterator[zipfile.ZipFile]:
    """The archive, once its directory shows that all of it is safe to unpack."""
    with file.open() as handle:
        check_directory_size(file.name, handle, file.size, limits)
        with library_faults(file.name):
            archive = zipfile.ZipFile(handle)
        with archive:
            check_members(file.name, archive.infolist(), limits)
            yield archive


def check_directory_size(name: str, handle: BinaryIO, size: int, limits: Limits) -> None:
    """zipfile builds an object per member of the directory: bound it before it starts."""
    tail_size = min(size, END_SIZE + 2**16)
    handle.seek(size - tail_size)
    tail = handle.read(tail_size)
    handle.seek(0)
    at = tail.rfind(END)
    if at < 0 or len(tail) - at < END_SIZE:
        raise damage_fault(name)
    n_members, n_bytes = struct.unpack_from("<HI", tail, at + 10)
    if LOCATOR64 in tail[:at]:
        at64 = tail.rfind(END64, 0, at)
        if at64 < 0 or len(tail) - at64 < 56:
            raise damage_fault(name)
        n_members, n_bytes = struct.unpack_from("<QQ", tail, at64 + 32)
    limits.check(name, members=max(n_members, n_bytes // LARGEST_ENTRY))


def check_members(name: str, members: list[zipfile.ZipInfo], limits: Limits) -> None:
    limits.check(name, members=len(members))
    limits.check(name, bytes_unpacked=sum(info.file_size for info in members))
    for info in members:
        if not info.filename:
            raise damage_fault(name)
        path = info.filename.replace("\\", "/")
        if path.startswith("/") or path[1:2] == ":" or ".." in path.split("/"):
            what = f"holds {quote(info.filename)}, a path that leads out of the archive"
            remedy = "nothing of it was read; make the archive again from plain files"
            raise fault(name, what, remedy)
        if info.flag_bits & ENCRYPTED:
            raise fault(name, "is encrypted", "save it without a password")
        if info.compress_type not in METHODS:
            raise fault(name, "is packed in an unusual way", "use plain zip compression")


def read_member(name: str, archive: zipfile.ZipFile, info: zipfile.ZipInfo) -> bytes:
    """A member's bytes: zipfile stops at the size the directory declares, whatever comes out."""
    with library_faults(f"{shorten(info.filename)} in {name}"):
        return archive.read(info)


def list_members(file: File, case: Case) -> list[File]:
    """The files of a zip in the order people count, without what operating systems add."""
    with open_zip(file, case.limits) as archive:
        members = [info for info in archive.infolist() if is_shown(info.filename)]
        beside = find_beside([info.filename for info in members])
        if beside:
            case.dropped[f"files beside the tables: {list_names(beside)}"] = len(beside)
            members = [info for info in members if info.filename not in beside]
        nested = [info.filename for info in members if PACKED.search(info.filename)]
        if nested:
            raise fault(file.name, f"holds the archive {quote(nested[0])}", "unpack that one first")
        if not members:
            raise fault(file.name, "holds no files", "pack the tables again")
        members.sort(key=lambda info: counting_order(info.filename))
        files = [
            File(info.filename, data=read_member(file.name, archive, info)) for info in members
        ]
    for member in files:
        if member.size == 0:
            raise fault(f"{member.name} in {file.name}", "is empty", "export it again")
    return files


def unpack_file(file: File, kind: str, limits: Limits) -> File:
    """The content of a file packed as a stream, no more of it than the limits let out."""
    check_parts(file, kind)
    with library_faults(file.name), file.open() as handle, STREAMS[kind](handle) as unpacker:
        data = unpacker.read(limits.bytes_unpacked + 1)
    limits.check_so_far(file.name, "bytes_unpacked", len(data))
    if not data:
        raise fault(file.name, "is empty inside", "export or download it again")
    return File(STREAM_ENDING.sub("", file.name), data=data)


def check_parts(file: File, kind: str) -> None:
    with file.open() as handle:
        n_parts = sum(part.count(BEGINS[kind]) for part in iter(lambda: handle.read(MIB), b""))
    if n_parts > MOST_PARTS:
        what = f"is packed in {n_parts:,} parts, more than the {MOST_PARTS:,} that are unpacked"
        raise fault(file.name, what, "unpack it, and pack it again as one")
