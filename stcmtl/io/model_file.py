"""A fitted model as one portable file, to the last bit; nothing in a file is executed.

It is a zip of ``model.json`` (what the constructor was given and every fitted attribute; see
``model_values``) and ``arrays/<i>.npy``, so that numpy and any zip tool can open what this package
cannot. Nothing is unpacked before its declared size has passed the limits, and no array is
allocated before its header agrees with its member's size.
"""

from __future__ import annotations

import json
import os
import re
import struct
import zipfile
import zlib
from collections.abc import Sequence
from io import BytesIO
from pathlib import Path
from typing import Any, BinaryIO

import numpy as np
import sklearn
from numpy.typing import NDArray
from sklearn.base import ClassifierMixin
from sklearn.utils.validation import check_is_fitted

from stcmtl.errors import InputError, Setting
from stcmtl.io.model_values import DamagedError, decode_items, encode, npy_bytes, parse_npy
from stcmtl.version import __version__

TEXT, FORMAT, FORMAT_VERSION = "model.json", "stcmtl-model", 1
MAX_BYTES = 1 << 30  # unpacked, and so packed too: a model of 1 GB is out of proportion
MAX_TEXT = 1 << 26
MAX_MEMBERS = 50_000
ZIP_LIMIT = 1 << 31  # beyond it zip needs an extension, which is refused here
DIRECTORY_ENTRY = 80  # bytes per member in the directory: 46 and a short name
END = struct.Struct("<4s4H2LH")  # zip's last record: entries, size and place of the directory
# What zipfile raises on bytes that are not as declared; ValueError: names that are not text.
DAMAGE = (zipfile.BadZipFile, zlib.error, EOFError, struct.error, NotImplementedError, ValueError)
# What a document with other things in it leads to.
UNFIT = (TypeError, ValueError, KeyError, AttributeError, OverflowError, RecursionError)

FITTED = re.compile(r"[a-z][a-z0-9_]*_")  # scikit-learn's mark of a fitted attribute
# Fitted attributes by tasks T, clusters K and features D: what predict relies on comes first.
NEEDED = {"coef_": "TD", "intercept_": "T", "task_names_": "T"}
SHAPES = NEEDED | {
    "memberships_": "TK",
    "single_task_coef_": "TD",
    "single_task_intercept_": "T",
    "cluster_coef_": "KD",
    "similarity_": "TT",
    "feature_names_in_": "D",
    **dict.fromkeys(("labels_", "pure_", "purity_", "lambdas_", "distances_"), "T"),
    **dict.fromkeys(("outliers_", "losses_"), "T"),
}

Target = str | os.PathLike[str] | BinaryIO


class TooLargeError(ValueError):
    """More bytes than the reader was allowed."""


def save(model: Any, path: Target, classes: Sequence[type]) -> None:
    """Write a fitted model of one of the classes to a file, or to a stream opened for bytes."""
    if type(model) not in classes:
        can = ", ".join(sorted(cls.__name__ for cls in classes))
        raise InputError(f"A {type(model).__name__} cannot be saved", remedy=f"only {can} can")
    check_is_fitted(model)
    fitted = {key: value for key, value in vars(model).items() if FITTED.fullmatch(key)}
    arrays: list[NDArray[Any]] = []
    libraries = {"numpy": np.__version__, "scikit-learn": sklearn.__version__}
    document = {
        "format": FORMAT,
        "format_version": FORMAT_VERSION,
        "versions": {"stcmtl": __version__, **libraries},
        "class": type(model).__name__,
        "parameters": encode_items(model.get_params(deep=False), arrays),
        "attributes": encode_items(fitted, arrays),
    }
    data = pack(document, arrays)
    if not isinstance(path, (str, os.PathLike)):
        path.write(data)
        return
    # beside the target first: an interrupted save leaves the old file whole
    partial = Path(f"{os.fspath(path)}.part")
    try:
        partial.write_bytes(data)
        partial.replace(path)
    except OSError as error:
        raise type(error)(f"{path} cannot be written: {error.strerror}.") from error


def encode_items(values: dict[str, Any], arrays: list[NDArray[Any]]) -> dict[str, Any]:
    encoded = {}
    for key, value in values.items():
        try:
            encoded[key] = encode(value, arrays)
        except TypeError as error:
            raise InputError("cannot be saved", where=key, remedy=str(error)) from error
    return encoded


def pack(document: dict[str, Any], arrays: Sequence[NDArray[Any]]) -> bytes:
    """The bytes of the file; the same content gives the same bytes."""
    n_bytes = sum(array.nbytes for array in arrays)
    if len(arrays) >= MAX_MEMBERS or n_bytes >= ZIP_LIMIT:
        what = f"A model of {len(arrays)} arrays and {n_bytes} bytes cannot be saved"
        raise InputError(what, remedy="shorten its history_")
    buffer = BytesIO()
    with zipfile.ZipFile(buffer, "w") as archive:
        add(archive, TEXT, json.dumps(document, allow_nan=False, indent=1).encode())
        for i, array in enumerate(arrays):
            add(archive, f"arrays/{i}.npy", npy_bytes(array))
    return buffer.getvalue()


def add(archive: zipfile.ZipFile, name: str, content: bytes) -> None:
    """A member dated 1980, zip's first year, so that files do not differ by when they were made."""
    archive.writestr(zipfile.ZipInfo(name), content, zipfile.ZIP_DEFLATED)


def load(path: Target, classes: Sequence[type], max_bytes: int = MAX_BYTES) -> Any:
    """A model of one of the classes; its predictions are the same to the last bit.

    A file that is damaged, of another format version or not a saved model at all ends in an
    InputError. ``max_bytes`` limits the file, packed and unpacked.
    """
    if isinstance(path, (str, os.PathLike)):
        try:
            stream = Path(path).open("rb")  # noqa: SIM115 closed below
        except OSError as error:
            raise type(error)(f"{path} cannot be opened: {error.strerror}.") from error
        with stream:
            return load_stream(stream, Path(path).name, classes, max_bytes)
    data = BytesIO(path.read(max_bytes + 1))  # one more shows that there is more
    return load_stream(data, str(getattr(path, "name", "The file")), classes, max_bytes)


def load_stream(stream: BinaryIO, name: str, classes: Sequence[type], max_bytes: int) -> Any:
    try:
        with open_archive(stream, max_bytes) as archive:
            document = read_document(archive)
            if document.get("format_version") == FORMAT_VERSION:
                return rebuild(document, archive, classes)
    except TooLargeError as error:
        what = f"{error}, more than the limit of {max_bytes}"
        remedy = "raise ", Setting("max_bytes"), " if you trust it"
        raise InputError(what, where=name, remedy=remedy) from error
    except DamagedError as error:
        what = f"is damaged or is not a model saved by stcmtl ({shorten(error, 160)})"
        raise InputError(what, where=name, remedy="save the model again") from error
    versions = document.get("versions")
    writer = versions.get("stcmtl", "unknown") if isinstance(versions, dict) else "unknown"
    raise InputError(
        f"has format version {shorten(document.get('format_version'))}, written by stcmtl "
        f"{shorten(writer)}, and this stcmtl {__version__} reads format version {FORMAT_VERSION}",
        where=name,
        remedy="load it with the version that wrote it",
    )


def shorten(value: Any, length: int = 40) -> str:
    """A value from a file that may hold anything, fit for a sentence."""
    text = "".join(c if c.isprintable() else "?" for c in str(value)[: length + 1])
    return text if len(text) <= length else text[: length - 3] + "..."


def open_archive(stream: BinaryIO, max_bytes: int) -> zipfile.ZipFile:
    """A packed file whose every declared size was checked."""
    check_directory(stream, max_bytes)
    try:
        archive = zipfile.ZipFile(stream)
    except DAMAGE as error:
        raise DamagedError("its zip directory is unreadable") from error
    for info in archive.infolist():
        if info.compress_type not in (zipfile.ZIP_DEFLATED, zipfile.ZIP_STORED):
            raise DamagedError(f"{info.filename} is compressed in another way")
        if info.flag_bits & 1:
            raise DamagedError(f"{info.filename} is encrypted")
    total = sum(info.file_size for info in archive.infolist())
    if total > max_bytes:
        raise TooLargeError(f"unpacks to {total} bytes")
    return archive


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


def read_member(archive: zipfile.ZipFile, name: str, missing: str) -> bytes:
    if name not in archive.NameToInfo:
        raise DamagedError(missing)
    try:
        return archive.read(name)
    except (*DAMAGE, OSError) as error:
        raise DamagedError(f"{name} cannot be unpacked") from error


def read_document(archive: zipfile.ZipFile) -> dict[str, Any]:
    if TEXT in archive.NameToInfo and archive.getinfo(TEXT).file_size > MAX_TEXT:
        raise DamagedError(f"{TEXT} is larger than {MAX_TEXT >> 20} MB")
    try:
        document = json.loads(read_member(archive, TEXT, f"it has no {TEXT}"))
    except DamagedError:
        raise
    except (ValueError, RecursionError) as error:
        raise DamagedError(f"{TEXT} is not JSON") from error
    if not isinstance(document, dict):
        raise DamagedError(f"{TEXT} is not an object")
    if document.get("format") != FORMAT:
        raise DamagedError(f"{TEXT} does not say {FORMAT}")
    return document


def rebuild(document: dict[str, Any], archive: zipfile.ZipFile, classes: Sequence[type]) -> Any:
    name = shorten(document.get("class"))
    cls = {cls.__name__: cls for cls in classes}.get(name)
    if cls is None:
        raise DamagedError(f"{name} is no known model")

    def get(i: int) -> NDArray[Any]:
        member = f"arrays/{i}.npy"
        return parse_npy(read_member(archive, member, f"{member} is missing"), member)

    try:
        parameters = decode_items(document["parameters"], get)
        attributes = decode_items(document["attributes"], get)
        model = cls(**parameters)
    except DamagedError:
        raise
    except UNFIT as error:
        raise DamagedError(f"{TEXT} describes no {name}: {shorten(error)}") from error
    check_fitted(attributes, cls)
    for key, value in attributes.items():
        setattr(model, key, value)
    return model


def check_fitted(attributes: dict[str, Any], cls: type) -> None:
    """The attributes are fitted ones, and their sizes agree with one another."""
    for key in attributes:
        if not FITTED.fullmatch(key) or hasattr(cls, key):
            raise DamagedError(f"{shorten(key)!r} is no fitted attribute")
    for key in (*NEEDED, "n_features_in_"):
        if key not in attributes:
            raise DamagedError(f"{key} is missing")
    sizes: dict[str, Any] = {"D": attributes["n_features_in_"]}
    for key in SHAPES.keys() & attributes.keys():
        array, axes = attributes[key], SHAPES[key]
        if not isinstance(array, np.ndarray) or array.ndim != len(axes):
            raise DamagedError(f"{key} is no array of {len(axes)} dimensions")
        for axis, size in zip(axes, array.shape, strict=True):
            if sizes.setdefault(axis, size) != size:
                raise DamagedError(f"{key} has shape {array.shape}, unlike the other attributes")
    if any(attributes[key].dtype != np.float64 for key in ("coef_", "intercept_")):
        raise DamagedError("its coefficients are not numbers")
    classes = attributes.get("classes_")
    if issubclass(cls, ClassifierMixin) and getattr(classes, "shape", ()) != (2,):
        raise DamagedError("classes_ are not two labels")
