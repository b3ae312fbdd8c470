"""Tasks given by the row at which each starts, counted from 1 or 0, with or without the end."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray


def look_like_starts(tasks: NDArray[Any], n_rows: int) -> bool:
    """Whole numbers that rise from 1 (or 0) and stay within the rows, fewer than the rows."""
    if tasks.ndim != 1 or tasks.dtype.kind not in "iuf" or not 1 <= tasks.size <= n_rows + 1:
        return False
    numbers = tasks.astype(np.float64)
    if not np.isfinite(numbers).all() or (numbers % 1).any() or numbers[0] not in (0.0, 1.0):
        return False
    rising = bool((np.diff(numbers) > 0).all())
    return rising and tasks.size != n_rows and numbers[-1] <= n_rows + numbers[0]


def labels_from_starts(starts: NDArray[Any], n_rows: int) -> NDArray[np.int64]:
    """A label per row, 1 for the first task; an end one past the last row is no start."""
    first = starts.astype(np.int64) - int(starts[0])
    first = first[first < n_rows]
    return np.repeat(np.arange(1, first.size + 1), np.diff(np.append(first, n_rows)))
