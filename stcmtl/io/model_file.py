"""``model.save(path)`` and ``load(path)``: a fitted model as one portable file, to the last bit.

The file holds what the constructor was given and every fitted attribute: ``encoding`` says how
values are written, ``archive`` how they are packed. Nothing in a file is executed.
"""

from __future__ import annotations

import os
import re
from io import BytesIO
from pathlib import Path
from typing import Any, BinaryIO, TypeVar

import numpy as np
import sklearn
from sklearn.base import ClassifierMixin
from sklearn.utils.validation import check_is_fitted

from stcmtl.errors import InputError, Setting
from stcmtl.io.archive import MAX_BYTES, TEXT, Archive, DamagedError, TooLargeError, pack
from stcmtl.io.encoding import Decoder, Encoder
from stcmtl.version import __version__

FORMAT, FORMAT_VERSION = "stcmtl-model", 1
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
Model = TypeVar("Model")
CLASSES: dict[str, type] = {}


def loadable(cls: type[Model]) -> type[Model]:
    """Class decorator: models of this class can be saved, and are found again by its name."""
    CLASSES[cls.__name__] = cls
    return cls


def save(model: Any, path: Target) -> None:
    """Write a fitted model to a file, or to a stream opened for bytes."""
    cls = type(model)
    name = cls.__name__
    if CLASSES.get(name) is not cls:
        what, can = f"A {name} cannot be saved", ", ".join(sorted(CLASSES))
        raise InputError(what, remedy=f"only {can} can")
    check_is_fitted(model)
    encoder = Encoder()
    fitted = {key: value for key, value in vars(model).items() if FITTED.fullmatch(key)}
    document = {
        "format": FORMAT,
        "format_version": FORMAT_VERSION,
        "versions": {
            "stcmtl": __version__,
            "numpy": np.__version__,
            "scikit-learn": sklearn.__version__,
        },
        "class": name,
        "parameters": encoder.items(model.get_params(deep=False)),
        "attributes": encoder.items(fitted),
    }
    data = pack(document, encoder.arrays)
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


def load(path: Target, max_bytes: int = MAX_BYTES) -> Any:
    """A model written by ``save``; its predictions are the same to the last bit.

    A file that is damaged, of another format version or not a saved model at all ends in a
    ValueError of one sentence. ``max_bytes`` limits the file, packed and unpacked.
    """
    if isinstance(path, (str, os.PathLike)):
        try:
            stream = Path(path).open("rb")  # noqa: SIM115 closed below
        except OSError as error:
            raise type(error)(f"{path} cannot be opened: {error.strerror}.") from error
        with stream:
            return load_stream(stream, Path(path).name, max_bytes)
    data = BytesIO(path.read(max_bytes + 1))  # one more shows that there is more
    return load_stream(data, str(getattr(path, "name", "The file")), max_bytes)


def load_stream(stream: BinaryIO, name: str, max_bytes: int) -> Any:
    try:
        with Archive(stream, max_bytes) as archive:
            if TEXT not in archive:
                raise DamagedError(f"it has no {TEXT}")
            document = archive.document()
            if document.get("format") != FORMAT:
                raise DamagedError(f"{TEXT} does not say {FORMAT}")
            if document.get("format_version") == FORMAT_VERSION:
                return rebuild(document, Decoder(archive.array))
    except TooLargeError as error:
        what = f"{error}, more than the limit of {max_bytes}"
        remedy = "raise ", Setting("max_bytes"), " if you trust it"
        raise InputError(what, where=name, remedy=remedy) from error
    except DamagedError as error:
        what = f"is damaged or is not a model saved by stcmtl ({short(error, 160)})"
        raise InputError(what, where=name, remedy="save the model again") from error
    raise InputError(
        f"has format version {short(document.get('format_version'))}, written by stcmtl "
        f"{short(version_of(document))}, and this stcmtl {__version__} reads format version "
        f"{FORMAT_VERSION}",
        where=name,
        remedy="load it with the version that wrote it",
    )


def version_of(document: dict[str, Any]) -> Any:
    versions = document.get("versions")
    return versions.get("stcmtl", "unknown") if isinstance(versions, dict) else "unknown"


def short(value: Any, length: int = 40) -> str:
    """A value from a file that may hold anything, fit for a sentence."""
    text = "".join(c if c.isprintable() else "?" for c in str(value)[: length + 1])
    return text if len(text) <= length else text[: length - 3] + "..."


def rebuild(document: dict[str, Any], decoder: Decoder) -> Any:
    cls = CLASSES.get(short(document.get("class")))
    if cls is None:
        raise DamagedError(f"{short(document.get('class'))} is no known model")
    try:
        parameters = decoder.items(document.get("parameters"))
        attributes = decoder.items(document.get("attributes"))
        model = cls(**parameters)
    except DamagedError:
        raise
    except (TypeError, ValueError, OverflowError, RecursionError) as error:
        raise DamagedError(f"{TEXT} describes no {cls.__name__}: {short(error)}") from error
    check_fitted(attributes, cls)
    for key, value in attributes.items():
        setattr(model, key, value)
    return model


def check_fitted(attributes: dict[str, Any], cls: type) -> None:
    """The attributes are fitted ones, and their sizes agree with one another."""
    for key in attributes:
        if not FITTED.fullmatch(key) or hasattr(cls, key):
            raise DamagedError(f"{short(key)!r} is no fitted attribute")
    for key in (*NEEDED, "n_features_in_"):
        if key not in attributes:
            raise DamagedError(f"{key} is missing")
    sizes: dict[str, Any] = {"D": attributes["n_features_in_"]}
    for key, axes in SHAPES.items():
        array = attributes.get(key)
        if array is None and key not in attributes:
            continue
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
