"""Recording: the model's arithmetic on arrays, as a list of operations.

The model is run once on symbols. For the model a symbol is an array; but it has no elements, and numpy passes each
operation on it to the recorder. So the list of operations is the model's arithmetic itself, not a second copy of its
equations. Equal operations are recorded once.

For arrays the model skips arithmetic that no configuration needs (`range.shares`). For symbols nothing is skipped: what
would be skipped adds zeros, so the results are the same.
"""

from collections.abc import Callable, Mapping
from dataclasses import fields, is_dataclass, replace
from typing import Any, NamedTuple

import numpy as np

from stowage.optimizer.arrays import Floats

COMPILED = (
    *("add", "subtract", "multiply", "divide", "maximum", "minimum", "less", "less_equal", "equal", "logical_and"),
    *("where", "take", "copy", "sqrt", "absolute", "negative", "ceil"),
    *("expm1 (vectorized)", "log1p (vectorized)", "multiply_add"),
)
"""Operations of `csrc/bulk.c`, in its order, by their names in numpy. Vectorized are functions of the C library
(`numpy.frompyfunc`), whose last bits differ from those of numpy's own."""

BY_NUMPY = ("exp", "log")
"""Functions that numpy computes: the last bits of other libraries differ."""

_SWAPPED = {"greater": "less", "greater_equal": "less_equal"}
_NEUTRAL = {("multiply", 1.0), ("divide", 1.0), ("subtract", 0.0)}


class Value(NamedTuple):
    """One operand: the result of an earlier operation, an array, or a constant."""

    number: int = -1
    """Index of the operation; -1 for other operands."""
    array: int = -1
    """Index of the array; -1 for other operands."""
    constant: float = 0.0


class Operation(NamedTuple):
    """One operation on its operands."""

    name: str
    operands: tuple[Value, ...]


class Recorder:
    """List of operations on symbols.

    Parameters
    ----------
    size : int
        Number of configurations, and of elements of each array.
    """

    def __init__(self, size: int) -> None:
        self.size = size
        self.operations: list[Operation] = []
        self.arrays: list[Floats] = []
        """Arrays with an element for each configuration, and tables."""
        self.tables: set[int] = set()
        """Indices of those arrays that are tables."""
        self._numbers: dict[Operation, int] = {}
        self._known: dict[int, Value] = {}

    def symbol(self, array: Floats) -> "Symbol":
        """Return the symbol of an array with an element for each configuration."""
        return Symbol.of(self, self.value(array))

    def record(self, name: str, *arguments: Any) -> "Symbol":  # noqa: ANN401 - symbols, arrays and numbers
        """Record an operation, and return the symbol of its result."""
        operands = tuple([self.value(argument) for argument in arguments])
        if name in _SWAPPED:
            name, operands = _SWAPPED[name], operands[::-1]
        last = operands[-1]
        if last.number < 0 and last.array < 0 and (name, last.constant) in _NEUTRAL:
            return Symbol.of(self, operands[0])
        return self._recorded(Operation(name, operands))

    def look_up(self, table: Floats, index: "Symbol") -> "Symbol":
        """Record a look-up of elements of a table."""
        number = self._array(table)
        self.tables.add(number.array)
        return self._recorded(Operation("take", (index.value, number)))

    def value(self, argument: Any) -> Value:  # noqa: ANN401 - a symbol, an array or a number
        """Return an argument of an operation as an operand.

        Raises
        ------
        ValueError
            The argument is an array with another number of elements.
        """
        if isinstance(argument, Symbol):
            return argument.value
        if isinstance(argument, np.ndarray) and argument.ndim > 0:
            if argument.shape != (self.size,):
                raise ValueError(f"an array of shape {argument.shape} among {self.size:,} configurations")
            return self._array(argument)
        return Value(constant=float(argument))

    def _array(self, array: Floats) -> Value:
        if id(array) not in self._known:
            self._known[id(array)] = Value(array=len(self.arrays))
            self.arrays.append(array)
        return self._known[id(array)]

    def _recorded(self, operation: Operation) -> "Symbol":
        number = self._numbers.setdefault(operation, len(self.operations))
        if number == len(self.operations):
            self.operations.append(operation)
        return Symbol.of(self, Value(number))


class Symbol(np.ndarray[Any, np.dtype[np.float64]]):
    """An array for the model, whose operations are recorded."""

    recorder: Recorder
    value: Value

    @classmethod
    def of(cls, recorder: Recorder, value: Value) -> "Symbol":
        """Build the symbol of a value."""
        symbol = np.ndarray.__new__(cls, (0,))
        symbol.recorder, symbol.value = recorder, value
        return symbol

    def __array_ufunc__(self, ufunc: np.ufunc, method: str, *inputs: Any, **options: Any) -> Any:  # noqa: ANN401 - as numpy
        """Record an operation that numpy would apply to each element."""
        name = ufunc.__name__
        known = name in COMPILED or name in BY_NUMPY or name in _SWAPPED
        # An operation in place makes a new symbol, which takes the place of the old one.
        if not known or method != "__call__" or options.keys() - {"out"}:
            return NotImplemented
        return self.recorder.record(name, *inputs)

    def __array_function__(self, func: Callable[..., Any], types: Any, args: Any, kwargs: Any) -> Any:  # noqa: ANN401 - as numpy
        """Record another function of numpy, or answer a question about the array."""
        if func in {np.any, np.all}:
            # Some configurations may need what the model could skip, and others may not.
            return func is np.any
        if func is np.ndim:
            return 1
        if func is np.where and len(args) == 3:
            return self.recorder.record("where", *args)
        if func is np.take_along_axis:
            return self.recorder.look_up(*args)
        return NotImplemented

    def __bool__(self) -> bool:
        """Refuse to decide: all configurations of an array take the same way through the model."""
        raise TypeError("a symbol has no value")

    def _same(self, *_: object, **__: object) -> Any:  # noqa: ANN401 - as numpy
        """Return the symbol itself: all values are floats, and all arrays have one dimension."""
        return self

    astype = ravel = reshape = _same

    def max(self, *_: object, **__: object) -> Any:  # noqa: ANN401 - as numpy
        """Return the largest element of the array that the symbol stands for."""
        return self.recorder.arrays[self.value.array].max()


def symbols(value: Any, recorder: Recorder) -> Any:  # noqa: ANN401 - an offer, or a part of one
    """Return a value with symbols in place of its arrays, at any depth."""
    if isinstance(value, np.ndarray):
        return recorder.symbol(value) if value.ndim else value
    if is_dataclass(value) and not isinstance(value, type):
        changed = _changed({field.name: getattr(value, field.name) for field in fields(value) if field.init}, recorder)
        return replace(value, **changed) if changed else value
    if isinstance(value, Mapping):
        return {**value, **_changed(value, recorder)}
    if isinstance(value, tuple):
        parts = [symbols(part, recorder) for part in value]
        if all(new is old for new, old in zip(parts, value, strict=True)):
            return value
        return type(value)._make(parts) if hasattr(value, "_make") else tuple(parts)
    return value


def _changed(parts: Mapping[Any, Any], recorder: Recorder) -> dict[Any, Any]:
    found = {key: symbols(part, recorder) for key, part in parts.items()}
    return {key: new for key, new in found.items() if new is not parts[key]}
