"""Caches of results computed from content that never changes."""

from collections import OrderedDict
from collections.abc import Callable, Hashable
from threading import Lock
from typing import Generic, TypeVar

Key = TypeVar("Key", bound=Hashable)
Value = TypeVar("Value")


class Cache(Generic[Key, Value]):
    """Cache of the most recently used values; concurrent requests for a missing value wait for a single computation.

    A key must identify the content from which its value is computed, as a digest does, so that cached values are never
    stale.

    Parameters
    ----------
    most : int
        Maximum number of cached values, at least 1.
    """

    def __init__(self, most: int) -> None:
        self._most = most
        self._lock = Lock()
        self._entries: OrderedDict[Key, _Entry[Value]] = OrderedDict()

    def get(self, key: Key, make: Callable[[], Value]) -> Value:
        """Return the cached value of a key, or compute it with `make`; exceptions of `make` are not cached."""
        with self._lock:
            entry = self._entries.setdefault(key, _Entry())
            self._entries.move_to_end(key)
            if len(self._entries) > self._most:
                self._entries.popitem(last=False)
        with entry.lock:
            if not entry.made:
                entry.made.append(make())
            return entry.made[0]


class _Entry(Generic[Value]):
    def __init__(self) -> None:
        self.lock = Lock()
        self.made: list[Value] = []
