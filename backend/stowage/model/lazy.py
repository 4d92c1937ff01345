"""Mappings and sequences whose values are built when they are accessed."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, Generic, TypeVar, overload

import numpy as np
from numpy.typing import NDArray

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


class Built(Sequence[Value], Generic[Value]):
    """Sequence whose values are built when they are accessed, many at once.

    Parameters
    ----------
    found : sequence or array
        What each value is built from.
    build : callable
        Function that builds the values of a part of ``found``.

    Examples
    --------
    >>> squares = Built([1, 2, 3], lambda numbers: [number * number for number in numbers])
    >>> squares[-1], list(squares[1:]), squares.at([2, 0])
    (9, [4, 9], [9, 1])
    """

    def __init__(
        self, found: Sequence[Any] | NDArray[Any], build: Callable[[Sequence[Any] | NDArray[Any]], Sequence[Value]]
    ) -> None:
        self._found = found
        self._build = build

    def __len__(self) -> int:
        """Return the number of values."""
        return len(self._found)

    @overload
    def __getitem__(self, index: int) -> Value: ...
    @overload
    def __getitem__(self, index: slice) -> Sequence[Value]: ...
    def __getitem__(self, index: int | slice) -> Value | Sequence[Value]:
        """Return the value at an index, or the values of a slice."""
        if isinstance(index, slice):
            return Built(self._found[index], self._build)
        return self.at([index])[0]

    def at(self, indices: Sequence[int]) -> Sequence[Value]:
        """Return the values at some indices."""
        found = self._found
        return self._build(found[indices] if isinstance(found, np.ndarray) else [found[index] for index in indices])

    def __eq__(self, other: object) -> bool:
        """Return whether another sequence has the same values."""
        return isinstance(other, Sequence) and tuple(self) == tuple(other)

    def __hash__(self) -> int:
        return hash(tuple(self))

    def __repr__(self) -> str:
        return repr(list(self))

    def __iter__(self) -> Iterator[Value]:
        """Yield the values in their order."""
        return iter(self._build(self._found))
