"""Arrays and one JSON text in a zip file: written without pickle, read with distrust.

Members are ``model.json`` and ``arrays/<i>.npy``, so that numpy and any zip tool can open what
this package cannot. Nothing is unpacked before its declared size has passed the limits, and no
array is allocated before its header agrees with its member's size.
"""

from __future__ import annotations

import json
import re
import struct
import sys
import zipfile
import zlib
from collections.abc import Sequence
from io import BytesIO
from math import prod
from typing import Any, BinaryIO

import numpy as np
from numpy.typing import NDArray

from stcmtl.errors import InputError

TEXT = "model.json"
MAX_BYTES = 1 << 30  # unpacked, and so packed too: a model of 1 GB is out of proportion
MAX_TEXT = 1 << 26
ZIP_LIMIT = 1 << 31  # beyond it zip needs an extension, which is refused here
MAX_MEMBERS = 50_000
DIRECTORY_ENTRY = 80  # bytes per member in the directory: 46 and a short name

END = struct.Struct("<4s4H2LH")  # zip's last record: entries, size and place of the directory
KINDS = "biufcmMUS"  # dtypes that need no pickle
DTYPE = re.compile(r"[<>|][biufcmMUS]\d{1,9}(\[\w{1,8}\])?")
# The header that numpy writes for such an array, and no other.
HEADER = re.compile(
    rb"\{'descr': '([^']{3,24})', 'fortran_order': (True|False), "
    rb"'shape': \(((?:\d{1,15},? ?){0,32})\), \} *\n"
)
DAMAGE = (zipfile.BadZipFile, zlib.error, EOFError, struct.error, NotImplementedError)


class DamagedError(ValueError):
    """The bytes are not what ``pack`` wrote; the reader above knows the file's name."""


class TooLargeError(ValueError):
    """More bytes than the reader was allowed."""


def pack(document: dict[str, Any], arrays: Sequence[NDArray[Any]]) -> bytes:
    """The bytes of the file; the same content gives the same bytes."""
    n_bytes = sum(array.nbytes for array in arrays)
    if len(arrays) >= MAX_MEMBERS or n_bytes >= ZIP_LIMIT:
        raise InputError(
            f"A model of {len(arrays)} arrays and {n_bytes} bytes cannot be saved",
            remedy="shorten its history_",
        )
    buffer = BytesIO()
    with zipfile.ZipFile(buffer, "w") as archive:
        text = json.dumps(document, allow_nan=False, indent=1).encode()
        archive.writestr(member(TEXT), text)
        for i, array in enumerate(arrays):
            archive.writestr(member(f"arrays/{i}.npy"), npy_bytes(array))
    return buffer.getvalue()


def member(name: str) -> zipfile.ZipInfo:
    """A member dated 1980, zip's first year, so that files do not differ by when they were made."""
    info = zipfile.ZipInfo(name)
    info.compress_type = zipfile.ZIP_DEFLATED
    return info


def npy_bytes(array: NDArray[Any]) -> bytes:
    buffer = BytesIO()
    np.lib.format.write_array(buffer, array, version=(1, 0), allow_pickle=False)
    return buffer.getvalue()


class Archive:
    """A packed file opened for reading, every declared size checked; use it in a ``with``."""

    def __init__(self, stream: BinaryIO, max_bytes: int = MAX_BYTES) -> None:
        check_directory(stream, max_bytes)
        try:
            self._zip = zipfile.ZipFile(stream)
        except (*DAMAGE, ValueError) as error:  # ValueError: names that are not text
            raise DamagedError("its zip directory is unreadable") from error
        self._members = {info.filename: info for info in self._zip.infolist()}
        check_sizes(list(self._members.values()), max_bytes)

    def __enter__(self) -> Archive:
        return self

    def __exit__(self, *_: object) -> None:
        self._zip.close()

    def __contains__(self, name: str) -> bool:
        return name in self._members

    def document(self) -> dict[str, Any]:
        """The JSON text."""
        if self._members[TEXT].file_size > MAX_TEXT:
            raise DamagedError(f"{TEXT} is larger than {MAX_TEXT >> 20} MB")
        try:
            document = json.loads(self._read(TEXT))
        except (ValueError, RecursionError) as error:
            raise DamagedError(f"{TEXT} is not JSON") from error
        if not isinstance(document, dict):
            raise DamagedError(f"{TEXT} is not an object")
        return document

    def array(self, i: int) -> NDArray[Any]:
        """Array ``i``, in the memory order it was saved in."""
        name = f"arrays/{i}.npy"
        if name not in self._members:
            raise DamagedError(f"{name} is missing")
        return parse_npy(self._read(name), name)

    def _read(self, name: str) -> bytes:
        try:
            return self._zip.read(self._members[name])
        except (*DAMAGE, ValueError, OSError) as error:
            raise DamagedError(f"{name} cannot be unpacked") from error


def check_directory(stream: BinaryIO, max_bytes: int) -> None:
    """The directory's size, from the file's last bytes: zipfile would read it whole, unasked."""
    size = stream.seek(0, 2)
    if size > max_bytes:
        raise TooLargeError(f"has {size} bytes")
    stream.seek(max(0, size - END.size - 20))
    tail = stream.read()
    stream.seek(0)
    if len(tail) < END.size or stream.read(4) != b"PK\x03\x04":
        raise DamagedError("it is not a zip file")
    mark, *_, entries, directory, _place, comment = END.unpack(tail[-END.size :])
    # neither a comment nor the zip64 extension occurs in what pack() writes
    if mark != b"PK\x05\x06" or comment or tail[:4] == b"PK\x06\x07":
        raise DamagedError("its end is missing")
    if entries > MAX_MEMBERS or directory > entries * DIRECTORY_ENTRY:
        raise DamagedError(f"it declares {entries} members in {directory} bytes")


def check_sizes(members: Sequence[zipfile.ZipInfo], max_bytes: int) -> None:
    """Plain members only, whose declared sizes add up to no more than the limit."""
    for info in members:
        if info.compress_type not in (zipfile.ZIP_DEFLATED, zipfile.ZIP_STORED):
            raise DamagedError(f"{info.filename} is compressed in another way")
        if info.flag_bits & 1:
            raise DamagedError(f"{info.filename} is encrypted")
    total = sum(info.file_size for info in members)
    if total > max_bytes:
        raise TooLargeError(f"unpacks to {total} bytes")


def parse_npy(data: bytes, name: str) -> NDArray[Any]:
    """An array from its npy bytes; the header is matched, never evaluated."""
    length = int.from_bytes(data[8:10], "little")
    header = HEADER.fullmatch(data[10 : 10 + length])
    if data[:8] != b"\x93NUMPY\x01\x00" or header is None:
        raise DamagedError(f"{name} has no header of a plain array")
    dtype = plain_dtype(header[1].decode("ascii", "replace"))
    shape = tuple(int(n) for n in header[3].replace(b",", b" ").split())
    body = memoryview(data)[10 + length :]
    if prod(shape) * dtype.itemsize != len(body):
        raise DamagedError(f"{name} announces {shape} of {dtype} but holds {len(body)} bytes")
    flat = plain_values(body, dtype)
    if header[2] == b"True":
        return flat.reshape(shape, order="F").copy(order="F")
    return flat.reshape(shape).copy()


def plain_values(data: bytes | memoryview, dtype: np.dtype[Any]) -> NDArray[Any]:
    """Values from their bytes, where truth values are 0 or 1 and letters are letters.

    numpy looks at neither, and fails in odd ways when they are used.
    """
    values = np.frombuffer(data, dtype) if len(data) else np.empty(0, dtype)
    if dtype.kind == "b" and values.view(np.uint8).max(initial=0) > 1:
        raise DamagedError("a truth value is neither 0 nor 1")
    if dtype.kind == "U":
        letters = values.view(np.dtype("u4").newbyteorder(dtype.byteorder))
        if letters.max(initial=0) > sys.maxunicode:
            raise DamagedError("a text holds what is no letter")
    return values


def plain_dtype(text: str) -> np.dtype[Any]:
    """A dtype of numbers, text or times from its code."""
    try:
        dtype = np.dtype(text) if DTYPE.fullmatch(text) else None
    except (TypeError, ValueError, OverflowError):
        dtype = None
    if dtype is None or dtype.itemsize == 0:
        raise DamagedError(f"{text!r} is no kind of plain array")
    return dtype
