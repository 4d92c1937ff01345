"""Mappings whose values are built on first access."""

from collections.abc import Callable, Iterator, Mapping
from typing import Any, Generic, TypeVar

Value = TypeVar("Value")


class Lazy(Mapping[str, Value], Generic[Value]):
    """Mapping that builds each value from its name and its row on first access.

    Examples
    --------
    >>> doubled = Lazy({"a": 1, "b": 2}, lambda name, number: f"{name} {2 * number}")
    >>> doubled["b"], len(doubled)
    ('b 4', 2)
    """

    def __init__(self, rows: Mapping[str, Any], make: Callable[[str, Any], Value]) -> None:
        self._rows, self._make = rows, make
        self._made: dict[str, Value] = {}

    def __getitem__(self, name: str) -> Value:
        if name not in self._made:
            self._made[name] = self._make(name, self._rows[name])
        return self._made[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._rows)

    def __len__(self) -> int:
        return len(self._rows)

    def __contains__(self, name: object) -> bool:
        return name in self._rows
