"""Results and tasks that are kept for another look, within a number of bytes."""

from collections import OrderedDict
from collections.abc import Hashable
from threading import Lock
from typing import Any


class Store:
    """Results kept for another look: the most recently used, within a number of bytes."""

    def __init__(self, max_bytes: float) -> None:
        self._values: OrderedDict[Hashable, tuple[Any, int]] = OrderedDict()
        self._lock = Lock()
        self._max_bytes = max_bytes

    def get(self, key: Hashable) -> Any:
        with self._lock:
            if key not in self._values:
                return None
            self._values.move_to_end(key)
            return self._values[key][0]

    def put(self, key: Hashable, value: Any, n_bytes: int) -> None:
        with self._lock:
            self._values[key] = value, n_bytes
            self._values.move_to_end(key)
            while len(self._values) > 1 and self.n_bytes > self._max_bytes:
                self._values.popitem(last=False)

    @property
    def n_bytes(self) -> int:
        return sum(size for _, size in self._values.values())
