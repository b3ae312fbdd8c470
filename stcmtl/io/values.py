"""What array files hold: arrays by name, and cells of arrays."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

ARRAY_KINDS = "biufUS"  # numbers and text; nothing that could hold an object


@dataclass(frozen=True, eq=False)
class Cells:
    """Arrays in a row, one a task as a rule, with names where they were fields."""

    items: list[NDArray[Any]]
    names: tuple[str, ...] = ()

    def __len__(self) -> int:
        return len(self.items)


Value: TypeAlias = NDArray[Any] | Cells
Record: TypeAlias = dict[str, Any]  # a struct: fields that are values or records again


def flattened(variables: Record) -> dict[str, Value]:
    """Values by name: a lone struct is opened, a struct of arrays becomes cells with names."""
    while len(variables) == 1 and isinstance(next(iter(variables.values())), dict):
        variables = next(iter(variables.values()))
    flat: dict[str, Value] = {}
    for name, value in variables.items():
        if isinstance(value, dict):
            items = list(value.values())
            if items and all(isinstance(item, np.ndarray) for item in items):
                flat[name] = Cells(items, tuple(value))
        else:
            flat[name] = value
    return flat


def native(value: Value) -> Value:
    """In this machine's byte order, and fractions as doubles: what pandas computes with."""
    if isinstance(value, Cells):
        return Cells([in_native_order(item) for item in value.items], value.names)
    return in_native_order(value)


def in_native_order(array: NDArray[Any]) -> NDArray[Any]:
    dtype = np.dtype(np.float64) if array.dtype.kind == "f" else array.dtype.newbyteorder("=")
    return array.astype(dtype, copy=False)


def described(values: dict[str, Value], most: int = 8) -> str:
    """The arrays of a file in words, for a sentence that asks which is which."""
    texts = [
        f"{name} ({len(value)} cells)"
        if isinstance(value, Cells)
        else f"{name} ({' x '.join(map(str, value.shape)) or 'one value'})"
        for name, value in list(values.items())[:most]
    ]
    return ", ".join(texts) + (f" and {len(values) - most} more" if len(values) > most else "")


def decoded(array: NDArray[Any]) -> NDArray[Any]:
    """Bytes as text; everything else as it is."""
    if array.dtype.kind != "S":
        return array
    return np.char.decode(array, "latin-1")


def rows_of_letters(letters: str, shape: tuple[int, ...]) -> NDArray[Any]:
    """MATLAB's text: one line as such, a matrix of letters (by columns) as a text a row."""
    n_rows = shape[0] if len(shape) == 2 else 1
    if n_rows < 2 or len(letters) != n_rows * shape[1]:
        return np.array(letters)
    return np.array([letters[row::n_rows].rstrip() for row in range(n_rows)])
