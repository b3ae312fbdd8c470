"""What a fitted model holds, as JSON and a list of arrays, and back.

JSON keeps None, truth values, whole numbers, finite floats, text and lists as they are. Anything
else becomes an object with one key that names its kind, as in ``{"array": 3}``. An array is the
bytes that numpy saves. Whatever cannot have been written here is a ReadError of a few words.
"""

from __future__ import annotations

import base64
import datetime
import math
from collections.abc import Callable
from dataclasses import fields
from functools import partial
from io import BytesIO
from typing import Any

import numpy as np
from numpy.typing import NDArray

from stcmtl.io.limits import ReadError
from stcmtl.io.npz import check_values
from stcmtl.solver.records import Iteration, KSelection

NOT_FINITE = {"nan": math.nan, "inf": math.inf, "-inf": -math.inf}
# Records by their kind, and the dimensions of the arrays in them.
RECORDS: dict[str, type] = {"iteration": Iteration, "selection": KSelection}
KIND_OF_RECORD = {cls: kind for kind, cls in RECORDS.items()}
DIMENSIONS = {
    "iteration": {"U": 2, "V": 2, "W": 2, "b": 1, "pure": 1, "purity": 1, "outliers": 1},
    "selection": dict.fromkeys(("ks", "error", "se", "objective", "seconds"), 1),
}
MERSENNE_WORDS = 624  # the state of numpy's RandomState
OBJECTS: dict[str, np.dtype[Any]] = {"O": np.dtype(object), "T": np.dtypes.StringDType()}
KINDS = "biufcmMUS"  # dtypes that need no pickle

GetArray = Callable[[int], NDArray[Any]]


def encode(value: Any, arrays: list[NDArray[Any]]) -> Any:
    """A value as JSON; ``arrays`` collects what ``{"array": i}`` stands for."""
    # exact types: a subclass, such as np.float64 of float, would come back as its base
    if value is None or type(value) in (bool, int, str):
        return value
    if type(value) is float and math.isfinite(value):
        return value
    if type(value) is list:
        return [encode(item, arrays) for item in value]
    kind, content = tag(value, arrays)
    return {kind: content}


def tag(value: Any, arrays: list[NDArray[Any]]) -> tuple[str, Any]:
    """The kind of a value, and its content as JSON."""
    if type(value) is float:
        return "float", repr(value)
    if isinstance(value, np.ndarray):
        return tag_array(value, arrays)
    if isinstance(value, np.generic) and value.dtype.kind in KINDS:
        return "numpy", [value.dtype.str, base64.b64encode(value.tobytes()).decode()]
    if type(value) is tuple:
        return "tuple", encode(list(value), arrays)
    if type(value) is dict and all(type(key) is str for key in value):
        return "dict", {key: encode(item, arrays) for key, item in value.items()}
    if type(value) is datetime.date:
        return "date", value.isoformat()
    if kind := KIND_OF_RECORD.get(type(value)):
        return kind, {f.name: encode(getattr(value, f.name), arrays) for f in fields(value)}
    if isinstance(value, np.random.RandomState):
        name, key, pos, has_gauss, gauss = value.get_state(legacy=True)
        if name != "MT19937":
            raise TypeError(f"its random state is of kind {name}: give a seed instead")
        return "random_state", [encode(key, arrays), int(pos), int(has_gauss), float(gauss)]
    raise TypeError(f"it holds a {type(value).__name__}, which has no portable form")


def tag_array(array: NDArray[Any], arrays: list[NDArray[Any]]) -> tuple[str, Any]:
    if (kind := array.dtype.kind) in OBJECTS:
        return "objects", [kind, list(array.shape), encode(array.ravel().tolist(), arrays)]
    if kind not in KINDS:
        raise TypeError(f"it is an array of {array.dtype}, which has no portable form")
    arrays.append(array)
    return "array", len(arrays) - 1


def decode(value: Any, get: GetArray) -> Any:
    """The way back; ``get`` finds an array by its number."""
    if isinstance(value, list):
        return [decode(item, get) for item in value]
    if not isinstance(value, dict):
        return value
    if len(value) != 1 or (kind := next(iter(value))) not in DECODERS:
        raise ReadError("a value is of no known kind")
    try:
        return DECODERS[kind](value[kind], get)
    except (TypeError, KeyError, IndexError, AttributeError, OverflowError) as error:
        raise ReadError(f"a value is no {kind}") from error


def decode_items(values: dict[str, Any], get: GetArray) -> dict[str, Any]:
    return {key: decode(value, get) for key, value in values.items()}


def decode_record(kind: str, values: dict[str, Any], get: GetArray) -> Any:
    decoded = decode_items(values, get)
    record = RECORDS[kind](**decoded)
    for name, ndim in DIMENSIONS[kind].items():
        if np.ndim(decoded[name]) != ndim or not isinstance(decoded[name], np.ndarray):
            raise ReadError(f"{name} of the {kind} is no array of {ndim} dimensions")
    return record


def decode_scalar(value: list[str], get: GetArray) -> np.generic:
    code, text = value
    dtype, data = np.dtype(code), base64.b64decode(text, validate=True)
    if dtype.kind not in KINDS or not len(data) == dtype.itemsize > 0:
        raise ReadError("a number has the wrong length")
    values = np.frombuffer(data, dtype)
    check_values(values, "a number")
    return values[0]


def decode_objects(value: list[Any], get: GetArray) -> NDArray[Any]:
    kind, shape, items = value
    array = np.empty(len(items), dtype=OBJECTS[kind])
    array[:] = [decode(item, get) for item in items]
    return array.reshape(shape)


def decode_random_state(value: list[Any], get: GetArray) -> np.random.RandomState:
    key, pos, has_gauss, gauss = value
    words = decode(key, get)
    # numpy trusts the position, and would read beyond the words
    if words.shape != (MERSENNE_WORDS,) or not 0 <= pos <= MERSENNE_WORDS:
        raise ReadError("its random state is out of range")
    generator = np.random.RandomState()
    generator.set_state(("MT19937", words, pos, int(has_gauss), float(gauss)))
    return generator


DECODERS: dict[str, Callable[[Any, GetArray], Any]] = {
    "array": lambda number, get: get(number),
    "date": lambda text, _: datetime.date.fromisoformat(text),
    "dict": decode_items,
    "float": lambda text, _: NOT_FINITE[text],
    "numpy": decode_scalar,
    "objects": decode_objects,
    "random_state": decode_random_state,
    "tuple": lambda items, get: tuple(decode(item, get) for item in items),
    **{kind: partial(decode_record, kind) for kind in RECORDS},
}


def npy_bytes(array: NDArray[Any]) -> bytes:
    buffer = BytesIO()
    np.lib.format.write_array(buffer, array, version=(1, 0), allow_pickle=False)
    return buffer.getvalue()
