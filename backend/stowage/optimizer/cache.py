"""Caches of computed results, which never become invalid because their input never changes."""

from collections import OrderedDict
from collections.abc import Callable, Hashable
from threading import Lock
from typing import Generic, TypeVar

Key = TypeVar("Key", bound=Hashable)
Value = TypeVar("Value")


class Cache(Generic[Key, Value]):
    """Cache of the most recently used values.

    A key must identify the content from which its value is computed, as a digest does. Cached values are then never
    stale. If several threads request a missing value, one of them computes it and the others wait.

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
        """Return the value of a key.

        If the value is not cached, it is computed with ``make``. Exceptions of ``make`` are not cached.
        """
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
