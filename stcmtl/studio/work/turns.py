"""A visitor's jobs one after the other, in a pool that all visitors share."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor
from threading import Lock
from typing import Any


class Turns:
    """A queue of one's own: it takes one place in the pool, however many jobs are in it."""

    def __init__(self, pool: ThreadPoolExecutor) -> None:
        self._pool = pool
        self._waiting: deque[tuple[Future[Any], Callable[[], Any]]] = deque()
        self._lock = Lock()
        self._has_place = False

    def submit(self, run: Callable[..., Any], *arguments: Any) -> Future[Any]:
        future: Future[Any] = Future()
        with self._lock:
            self._waiting.append((future, lambda: run(*arguments)))
            if not self._has_place:
                self._has_place = True
                self._pool.submit(self._next)
        return future

    def _next(self) -> None:
        """Do the first job that waits, then stand in line again behind other visitors."""
        with self._lock:
            if not self._waiting:
                self._has_place = False
                return
            future, work = self._waiting.popleft()
        if future.set_running_or_notify_cancel():
            try:
                future.set_result(work())
            except Exception as error:  # noqa: BLE001 told to who waits for it
                future.set_exception(error)
        self._pool.submit(self._next)
