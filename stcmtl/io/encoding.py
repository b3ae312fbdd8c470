"""What a fitted model holds, as JSON and a list of arrays, and back.

JSON keeps None, truth values, whole numbers, finite floats, text and lists as they are. Anything
else becomes an object with one key that names its kind, as in ``{"array": 3}``.
"""

from __future__ import annotations

import base64
import binascii
import datetime
import math
from collections.abc import Callable
from dataclasses import fields
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from stcmtl.errors import InputError
from stcmtl.io.archive import KINDS, DamagedError, plain_dtype, plain_values
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


class Encoder:
    """Values to JSON; ``arrays`` collects what ``{"array": i}`` stands for."""

    def __init__(self) -> None:
        self.arrays: list[NDArray[Any]] = []

    def items(self, values: dict[str, Any]) -> dict[str, Any]:
        """A dictionary's values encoded; one that cannot be is named."""
        encoded = {}
        for key, value in values.items():
            try:
                encoded[key] = self.value(value)
            except TypeError as error:
                raise InputError("cannot be saved", where=key, remedy=str(error)) from error
        return encoded

    def value(self, value: Any) -> Any:
        # exact types: a subclass, such as np.float64 of float, would come back as its base
        if value is None or type(value) in (bool, int, str):
            return value
        if type(value) is float:
            return value if math.isfinite(value) else {"float": repr(value)}
        if type(value) is list:
            return [self.value(item) for item in value]
        return self.tagged(value)

    def tagged(self, value: Any) -> dict[str, Any]:
        if isinstance(value, np.ndarray):
            return self.array(value)
        if isinstance(value, np.generic) and value.dtype.kind in KINDS:
            return {"numpy": [value.dtype.str, base64.b64encode(value.tobytes()).decode()]}
        if type(value) is tuple:
            return {"tuple": [self.value(item) for item in value]}
        if type(value) is dict and all(type(key) is str for key in value):
            return {"dict": {key: self.value(item) for key, item in value.items()}}
        if type(value) is datetime.date:
            return {"date": value.isoformat()}
        if kind := KIND_OF_RECORD.get(type(value)):
            return {kind: {f.name: self.value(getattr(value, f.name)) for f in fields(value)}}
        if isinstance(value, np.random.RandomState):
            return self.random_state(value)
        raise TypeError(f"it holds a {type(value).__name__}, which has no portable form")

    def array(self, array: NDArray[Any]) -> dict[str, Any]:
        kind = array.dtype.kind
        if kind in OBJECTS:
            items = [self.value(item) for item in array.ravel().tolist()]
            return {"objects": [kind, list(array.shape), items]}
        if kind not in KINDS:
            raise TypeError(f"it is an array of {array.dtype}, which has no portable form")
        self.arrays.append(array)
        return {"array": len(self.arrays) - 1}

    def random_state(self, generator: np.random.RandomState) -> dict[str, Any]:
        name, key, pos, has_gauss, gauss = generator.get_state(legacy=True)
        if name != "MT19937":
            raise TypeError(f"its random state is of kind {name}: give a seed instead")
        return {"random_state": [self.value(key), int(pos), int(has_gauss), float(gauss)]}


class Decoder:
    """The way back; whatever the encoder cannot have written is a DamagedError."""

    def __init__(self, array: Callable[[int], NDArray[Any]]) -> None:
        self._array = array
        self._kinds: dict[str, Callable[[Any], Any]] = {
            "array": self.array,
            "date": lambda text: datetime.date.fromisoformat(text),
            "dict": self.items,
            "float": lambda text: NOT_FINITE[text],
            "numpy": self.scalar,
            "objects": self.objects,
            "random_state": self.random_state,
            "tuple": lambda items: tuple(self.items_of(items)),
            **{kind: partial(self.record, kind) for kind in RECORDS},
        }

    def items(self, values: Any) -> dict[str, Any]:
        if not isinstance(values, dict):
            raise DamagedError("a table of values is missing")
        return {key: self.value(value) for key, value in values.items()}

    def items_of(self, values: Any) -> list[Any]:
        if not isinstance(values, list):
            raise DamagedError("a list is missing")
        return [self.value(value) for value in values]

    def value(self, value: Any) -> Any:
        if isinstance(value, list):
            return self.items_of(value)
        if not isinstance(value, dict):
            return value
        if len(value) != 1 or (kind := next(iter(value))) not in self._kinds:
            raise DamagedError("a value is of no known kind")
        try:
            return self._kinds[kind](value[kind])
        except (TypeError, KeyError, IndexError, AttributeError, OverflowError) as error:
            raise DamagedError(f"a value is no {kind}") from error

    def array(self, i: Any) -> NDArray[Any]:
        if type(i) is not int:
            raise DamagedError("an array has no number")
        return self._array(i)

    def record(self, kind: str, values: Any) -> Any:
        decoded = self.items(values)
        record = RECORDS[kind](**decoded)
        for name, ndim in DIMENSIONS[kind].items():
            array = decoded[name]
            if not isinstance(array, np.ndarray) or array.ndim != ndim:
                raise DamagedError(f"{name} of the {kind} is no array of {ndim} dimensions")
        return record

    def scalar(self, value: Any) -> np.generic:
        code, text = value
        dtype, data = plain_dtype(code), decode_bytes(text)
        if len(data) != dtype.itemsize:
            raise DamagedError("a number has the wrong length")
        return plain_values(data, dtype)[0]

    def objects(self, value: Any) -> NDArray[Any]:
        kind, shape, items = value
        array = np.empty(len(items), dtype=OBJECTS[kind])
        array[:] = self.items_of(items)
        return array.reshape(shape)

    def random_state(self, value: Any) -> np.random.RandomState:
        key, pos, has_gauss, gauss = value
        words = self.value(key)
        # numpy trusts the position, and would read beyond the words
        if words.shape != (MERSENNE_WORDS,) or not 0 <= pos <= MERSENNE_WORDS:
            raise DamagedError("its random state is out of range")
        generator = np.random.RandomState()
        generator.set_state(("MT19937", words, pos, int(has_gauss), float(gauss)))
        return generator


def decode_bytes(text: str) -> bytes:
    try:
        return base64.b64decode(text, validate=True)
    except binascii.Error as error:
        raise DamagedError("a number is unreadable") from error
