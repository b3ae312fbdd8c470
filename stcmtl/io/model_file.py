"""A fitted model as one portable file, to the last bit; nothing in a file is executed.

It is a zip of ``model.json`` (what the constructor was given and every fitted attribute; see
``model_values``) and ``arrays/<i>.npy``, so that numpy and any zip tool can open what this package
cannot. It is read with the same distrust as an upload (see ``archives``).
"""

from __future__ import annotations

import json
import os
import re
import sys
import zipfile
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
from stcmtl.io.archives import open_zip, read_member
from stcmtl.io.limits import Limits, ReadError
from stcmtl.io.model_values import decode_items, encode, npy_bytes
from stcmtl.io.npz import parse_npy
from stcmtl.io.sources import File
from stcmtl.io.write import replace_when_whole
from stcmtl.version import __version__

TEXT, FORMAT, FORMAT_VERSION = "model.json", "stcmtl-model", 1
MAX_BYTES = 1 << 30  # unpacked, and so packed too: a model of 1 GB is out of proportion
MAX_TEXT = 1 << 26
MAX_MEMBERS = 50_000
ZIP_LIMIT = 1 << 31  # beyond it zip needs an extension, which is refused here
ZIP_LIMITS = Limits(bytes_unpacked=sys.maxsize, members=MAX_MEMBERS)  # bytes: by max_bytes
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
    **dict.fromkeys(("feature_names_in_", "feature_scale_"), "D"),
    **dict.fromkeys(("labels_", "pure_", "purity_", "lambdas_", "distances_"), "T"),
    **dict.fromkeys(("outliers_", "losses_"), "T"),
}

Target = str | os.PathLike[str] | BinaryIO


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
    try:
        with replace_when_whole(path) as beside:
            beside.write_bytes(data)
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
        file = File(Path(path).name, path=Path(path))
    else:  # one byte more shows that there are more
        file = File(str(getattr(path, "name", "The file")), data=path.read(max_bytes + 1))
    try:
        check_size(f"has {file.size} bytes", file.size, max_bytes, file)
        with open_zip(file, ZIP_LIMITS) as archive:
            total = sum(info.file_size for info in archive.infolist())
            check_size(f"unpacks to {total} bytes", total, max_bytes, file)
            document = read_document(file.name, archive)
            if document.get("format_version") == FORMAT_VERSION:
                return rebuild(document, file.name, archive, classes)
    except OSError as error:
        raise type(error)(f"{path} cannot be opened: {error.strerror}.") from error
    except ReadError as error:
        what = error.what if error.where == file.name else f"{error.where} {error.what}".strip()
        what = f"is damaged or is not a model saved by stcmtl ({shorten(what, 160)})"
        raise InputError(what, where=file.name, remedy="save the model again") from error
    versions = document.get("versions")
    writer = versions.get("stcmtl", "unknown") if isinstance(versions, dict) else "unknown"
    raise InputError(
        f"has format version {shorten(document.get('format_version'))}, written by stcmtl "
        f"{shorten(writer)}, and this stcmtl {__version__} reads format version {FORMAT_VERSION}",
        where=file.name,
        remedy="load it with the version that wrote it",
    )


def check_size(what: str, size: int, max_bytes: int, file: File) -> None:
    if size > max_bytes:
        remedy = "raise ", Setting("max_bytes"), " if you trust it"
        what = f"{what}, more than the limit of {max_bytes}"
        raise InputError(what, where=file.name, remedy=remedy)


def shorten(value: Any, length: int = 40) -> str:
    """A value from a file that may hold anything, fit for a sentence."""
    text = "".join(c if c.isprintable() else "?" for c in str(value)[: length + 1])
    return text if len(text) <= length else text[: length - 3] + "..."


def read_document(name: str, archive: zipfile.ZipFile) -> dict[str, Any]:
    info = archive.NameToInfo.get(TEXT)
    if info is None or info.file_size > MAX_TEXT:
        raise ReadError(f"it has no {TEXT} of less than {MAX_TEXT >> 20} MB")
    try:
        document = json.loads(read_member(name, archive, info))
    except (UnicodeDecodeError, json.JSONDecodeError, RecursionError) as error:
        raise ReadError(f"{TEXT} is not JSON") from error
    if not isinstance(document, dict) or document.get("format") != FORMAT:
        raise ReadError(f"{TEXT} does not say {FORMAT}")
    return document


def rebuild(
    document: dict[str, Any], file: str, archive: zipfile.ZipFile, classes: Sequence[type]
) -> Any:
    name = shorten(document.get("class"))
    cls = {cls.__name__: cls for cls in classes}.get(name)
    if cls is None:
        raise ReadError(f"{name} is no known model")

    def get(i: int) -> NDArray[Any]:
        info = archive.NameToInfo.get(f"arrays/{i}.npy")
        if info is None:
            raise ReadError(f"arrays/{i}.npy is missing")
        return parse_npy(read_member(file, archive, info), info.filename).copy(order="K")

    try:
        parameters = decode_items(document["parameters"], get)
        attributes = decode_items(document["attributes"], get)
        model = cls(**parameters)
    except ReadError:
        raise
    except UNFIT as error:
        raise ReadError(f"{TEXT} describes no {name}: {shorten(error)}") from error
    check_fitted(attributes, cls)
    for key, value in attributes.items():
        setattr(model, key, value)
    return model


def check_fitted(attributes: dict[str, Any], cls: type) -> None:
    """The attributes are fitted ones, and their sizes agree with one another."""
    for key in attributes:
        if not FITTED.fullmatch(key) or hasattr(cls, key):
            raise ReadError(f"{shorten(key)!r} is no fitted attribute")
    for key in (*NEEDED, "n_features_in_"):
        if key not in attributes:
            raise ReadError(f"{key} is missing")
    sizes: dict[str, Any] = {"D": attributes["n_features_in_"]}
    for key in SHAPES.keys() & attributes.keys():
        array, axes = attributes[key], SHAPES[key]
        if not isinstance(array, np.ndarray) or array.ndim != len(axes):
            raise ReadError(f"{key} is no array of {len(axes)} dimensions")
        for axis, size in zip(axes, array.shape, strict=True):
            if sizes.setdefault(axis, size) != size:
                raise ReadError(f"{key} has shape {array.shape}, unlike the other attributes")
    if any(attributes[key].dtype != np.float64 for key in ("coef_", "intercept_")):
        raise ReadError("its coefficients are not numbers")
    classes = attributes.get("classes_")
    if issubclass(cls, ClassifierMixin) and getattr(classes, "shape", ()) != (2,):
        raise ReadError("classes_ are not two labels")
