"""A fitted model as one portable file: what the constructor was given, and what was fitted."""

import os
import re
import zipfile
from collections.abc import Sequence
from pathlib import Path
from typing import Any, BinaryIO

import numpy as np
from sklearn.base import ClassifierMixin
from sklearn.utils.validation import check_is_fitted

from stcmtl.data.checks import check_cluster_names
from stcmtl.data.taskset import TASK_TYPES
from stcmtl.errors import InputError
from stcmtl.io import portable
from stcmtl.io.account import shorten
from stcmtl.io.limits import ReadError
from stcmtl.io.sources import File
from stcmtl.io.write import replace_when_whole

OURS = __name__.partition(".")[0]
FORM = portable.Form("model.json", "stcmtl-model", 1, "model")
MAX_BYTES = 1 << 30  # unpacked, and so packed too: a model of 1 GB is out of proportion
FITTED = re.compile(r"[a-z][a-z0-9_]*_")  # scikit-learn's mark of a fitted attribute
# Fitted attributes by tasks T, clusters K and features D: what predict relies on comes first.
NEEDED = {"coef_": "TD", "intercept_": "T", "task_names_": "T"}
SHAPES = NEEDED | {
    **dict.fromkeys(("memberships_", "loadings_"), "TK"),
    "own_coef_": "TD",
    "single_task_coef_": "TD",
    "single_task_intercept_": "T",
    **dict.fromkeys(("cluster_coef_", "cluster_coef_se_"), "KD"),
    "cluster_names_": "K",
    "similarity_": "TT",
    **dict.fromkeys(("feature_names_in_", "feature_scale_"), "D"),
    **dict.fromkeys(("labels_", "pure_", "purity_", "lambdas_", "distances_"), "T"),
    **dict.fromkeys(("outliers_", "losses_", "strength_", "own_share_"), "T"),
}
Target = str | os.PathLike[str] | BinaryIO


def to_bytes(model: Any) -> bytes:
    """A fitted model of ours as the bytes of its file."""
    if type(model).__module__.partition(".")[0] != OURS:  # which no file could bring back
        what = f"A {type(model).__name__} cannot be saved"
        raise InputError(what, remedy=f"only the classes of {OURS} itself can")
    check_is_fitted(model)
    fitted = {key: value for key, value in vars(model).items() if FITTED.fullmatch(key)}
    arrays: portable.Arrays = []
    content = {
        "class": type(model).__name__,
        "parameters": portable.encode_items(model.get_params(deep=False), arrays),
        "attributes": portable.encode_items(fitted, arrays),
    }
    return portable.pack(FORM, content, arrays)


def save(model: Any, path: Target) -> None:
    """Write a fitted model of ours to a file, or to a stream opened for bytes."""
    data = to_bytes(model)
    if not isinstance(path, (str, os.PathLike)):
        path.write(data)
        return
    try:
        with replace_when_whole(path) as beside:
            beside.write_bytes(data)
    except OSError as error:
        raise type(error)(f"{path} cannot be written: {error.strerror}.") from error


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
        with portable.open_file(file, FORM, max_bytes) as (document, archive):
            return rebuild(document, file.name, archive, classes)
    except OSError as error:
        raise type(error)(f"{path} cannot be opened: {error.strerror}.") from error


def rebuild(
    document: dict[str, Any], file: str, archive: zipfile.ZipFile, classes: Sequence[type]
) -> Any:
    name = shorten(document.get("class"))
    cls = {cls.__name__: cls for cls in classes}.get(name)
    if cls is None:
        raise ReadError(f"{name} is no known model")

    try:
        parameters, attributes = decode(document, file, archive)
        model = cls(**parameters)
    except ReadError:
        raise
    except (TypeError, ValueError, KeyError, AttributeError, RecursionError) as error:
        raise ReadError(f"{FORM.text} describes no {name}: {shorten(error)}") from error
    check_fitted(attributes, cls)
    vars(model).update(attributes)
    return model


def decode(
    document: dict[str, Any], file: str, archive: zipfile.ZipFile
) -> tuple[dict[str, Any], dict[str, Any]]:
    """What the constructor was given, and what was fitted."""
    get = portable.read_arrays(file, archive)
    parameters = portable.decode_items(document["parameters"], get)
    return parameters, portable.decode_items(document["attributes"], get)


def check_fitted(attributes: dict[str, Any], cls: type) -> None:
    """The attributes are fitted ones, and their sizes agree with one another."""
    for key in attributes:
        if not FITTED.fullmatch(key) or hasattr(cls, key):
            raise ReadError(f"{shorten(key)!r} is no fitted attribute")
    # of very many tasks coefficients are not kept: they follow from patterns and loadings
    follow = {"coef_"} if {"loadings_", "cluster_coef_"} <= attributes.keys() else set()
    for key in (*NEEDED, "n_features_in_"):
        if key not in attributes and key not in follow:
            raise ReadError(f"{key} is missing")
    sizes: dict[str, Any] = {"D": attributes["n_features_in_"]}
    for key in SHAPES.keys() & attributes.keys():
        array, axes = attributes[key], SHAPES[key]
        portable.check_array(array, len(axes), key)
        for axis, size in zip(axes, array.shape, strict=True):
            if sizes.setdefault(axis, size) != size:
                raise ReadError(f"{key} has shape {array.shape}, unlike the other attributes")
    numbers = attributes.get("coef_", attributes.get("loadings_")), attributes["intercept_"]
    if any(array is None or array.dtype != np.float64 for array in numbers):
        raise ReadError("its coefficients are not numbers")
    if (names := attributes.get("cluster_names_")) is not None:
        try:
            check_cluster_names(names, len(names))
        except InputError as error:
            raise ReadError(str(error)) from error
    classes, labels = attributes.get("classes_"), issubclass(cls, ClassifierMixin)
    if hasattr(cls, "task_type"):  # one class for numbers and for labels
        if attributes.get("task_type_") not in TASK_TYPES:
            raise ReadError("task_type_ is missing")
        labels = attributes["task_type_"] == "classification"
    if labels and getattr(classes, "shape", ()) != (2,):
        raise ReadError("classes_ are not two labels")
