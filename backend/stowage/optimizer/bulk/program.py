"""Programs: recorded arithmetic (`recording`) as `csrc/bulk.c` executes it.

A program has steps. Each is a list of operations for C, and then the functions of numpy that need their results. The
operations of a step are executed block by block: intermediate results are in registers, which are arrays of a block's
length in the first-level cache of a CPU. What later steps need is in buffers, which have the length of a chunk.
"""

import ctypes
from collections import Counter
from collections.abc import Mapping, Sequence
from functools import cache
from itertools import groupby
from typing import Any

import numpy as np

from stowage.frozen import frozen
from stowage.optimizer.arrays import Floats, Records
from stowage.optimizer.bulk.recording import BY_NUMPY, COMPILED, Operation, Recorder, Value
from stowage.optimizer.kernel import LIBRARY, address

CHUNK = 8_192
"""Configurations of a chunk [1]: its buffers stay in a second-level cache of 2 MiB."""

_STRIDE = 128 + 8
"""Elements from one register to the next [1], as in `csrc/bulk.c`."""

_LINE_BYTES = 64
"""Size of a line of the cache [byte]."""

_REGISTER, _ARRAY, _CONSTANT = range(3)
_OPERAND = np.dtype([("kind", np.int32), ("index", np.int32)])
_OPERATION = np.dtype([("code", np.int32), ("reserved", np.int32), *((name, _OPERAND) for name in ("out", *"abc"))])
_RESOLVED = np.dtype((np.int64, 9))

_Place = tuple[int, int]
"""Kind and index of an operand."""


@frozen
class _Step:
    """Operations that C executes together, and functions of numpy that come after them."""

    operations: Records
    by_numpy: tuple[tuple[np.ufunc, int, int], ...]
    """A function, and the indices of the arrays that it reads and writes."""


class Program:
    """Recorded arithmetic, ready to be executed.

    Parameters
    ----------
    recorder : Recorder
    results : sequence of Value
        Values that are written into arrays of the caller.
    """

    def __init__(self, recorder: Recorder, results: Sequence[Value]) -> None:
        self.arrays = [np.ascontiguousarray(array, np.float64) for array in recorder.arrays]
        self.tables = recorder.tables
        self.buffers = self.registers = 0
        operations = list(recorder.operations)
        self._results = _results(operations, results)
        self._constants: dict[float, int] = {}
        self.steps = self._compiled(_with_sums(operations, self._results))
        self.constants = np.array([*self._constants, 0.0])

    def _compiled(self, operations: Sequence[Operation]) -> tuple[_Step, ...]:
        places: dict[int, _Place] = {}
        free: dict[int, list[int]] = {_REGISTER: [], _ARRAY: []}
        steps = []
        for _, of_step in groupby(_in_order(operations, self._results), lambda placed: placed.step):
            rows: list[tuple[Any, ...]] = []
            by_numpy: list[tuple[np.ufunc, int, int]] = []
            for placed in of_step:
                name, values = operations[placed.number]
                operands = [self._place(value, places) for value in values]
                for number in placed.ends:
                    kind, index = places.pop(number)
                    free[kind].append(index)
                out = self._next_place(placed, free)
                places[placed.number] = out
                if name in BY_NUMPY:
                    by_numpy.append((getattr(np, name), operands[0][1], out[1]))
                else:
                    missing = [(_CONSTANT, 0)] * (3 - len(operands))
                    rows.append((COMPILED.index(name), 0, out, *operands, *missing))
            steps.append(_Step(np.array(rows, _OPERATION), tuple(by_numpy)))
        return tuple(steps)

    def _place(self, value: Value, places: Mapping[int, _Place]) -> _Place:
        if value.number >= 0:
            return places[value.number]
        if value.array >= 0:
            return (_ARRAY, value.array)
        return (_CONSTANT, self._constants.setdefault(value.constant, len(self._constants)))

    def _next_place(self, placed: "_Placed", free: Mapping[int, list[int]]) -> _Place:
        if placed.number in self._results:
            return (_ARRAY, len(self.arrays) + self._results[placed.number])
        if free[placed.kind]:
            return (placed.kind, free[placed.kind].pop())
        if placed.kind == _REGISTER:
            self.registers += 1
            return (_REGISTER, self.registers - 1)
        self.buffers += 1
        return (_ARRAY, len(self.arrays) + len(self._results) + self.buffers - 1)


class Execution:
    """Execution of a program by one thread, with memory of its own.

    Parameters
    ----------
    program : Program
    results : sequence of array
        Arrays that are overwritten, in the order of the program's results.
    """

    def __init__(self, program: Program, results: Sequence[Floats]) -> None:
        whole = [*program.arrays, *results]
        registers, buffers = _aligned(program.registers, _STRIDE), _aligned(program.buffers, CHUNK + _STRIDE)
        longest = max((step.operations.size for step in program.steps), default=0)
        self._arrays: list[Floats] = [*whole, *buffers]
        self._moves = [number < len(whole) and number not in program.tables for number in range(len(self._arrays))]
        self._origins = np.array([address(array) for array in self._arrays], np.int64)
        self._strides = np.where(self._moves, 8, 0)
        self._addresses = np.empty_like(self._origins)
        self._memory = (self._addresses, program.constants, registers, np.empty(longest, _RESOLVED))
        self._given = [ctypes.c_void_p(address(array)) for array in self._memory]
        self._steps = [(step, ctypes.c_void_p(address(step.operations))) for step in program.steps]

    def run(self, start: int, stop: int) -> None:
        """Execute the program for the configurations from ``start`` to before ``stop``, at most a chunk."""
        size, execute = stop - start, _library().stowage_bulk
        np.add(self._origins, self._strides * start, out=self._addresses)

        def part(number: int) -> Floats:
            return self._arrays[number][slice(start, stop) if self._moves[number] else slice(size)]

        for step, operations in self._steps:
            execute(operations, step.operations.size, *self._given, size)
            for function, read, written in step.by_numpy:
                function(part(read), out=part(written))


def _results(operations: list[Operation], results: Sequence[Value]) -> dict[int, int]:
    """Return the operations that compute results, each with the place of its result.

    For results that no operation computes, or that are the same, operations that copy them are appended.
    """
    places: dict[int, int] = {}
    for place, value in enumerate(results):
        number = value.number
        if number < 0 or number in places:
            number = len(operations)
            operations.append(Operation("copy", (value,)))
        places[number] = place
    return places


def _with_sums(operations: Sequence[Operation], results: Mapping[int, int]) -> list[Operation]:
    """Return operations in which sums compute those products that only they need: both are rounded as before."""
    uses = Counter(value.number for operation in operations for value in operation.operands)
    found = list(operations)
    for number, (name, operands) in enumerate(operations):
        for product, other in (operands, operands[::-1]) if name == "add" else ():
            own = product.number >= 0 and uses[product.number] == 1 and product.number not in results
            if own and operations[product.number].name == "multiply":
                # In C only the second factor may be a constant.
                first, second = sorted(operations[product.number].operands, key=lambda value: value[:2] == (-1, -1))
                found[number] = Operation("multiply_add", (first, second, other))
                break
    return found


@frozen
class _Placed:
    """One operation in the order of execution."""

    number: int
    step: int
    kind: int
    """Place of its result: a register or a buffer."""
    ends: tuple[int, ...]
    """Operations whose results are not needed after this one."""


def _in_order(operations: Sequence[Operation], results: Mapping[int, int]) -> list[_Placed]:
    """Return the operations that the results need, in the order of execution."""
    needed = set(results)
    for number in reversed(range(len(operations))):
        if number in needed:
            needed.update(_sources(operations[number]))
    steps: dict[int, int] = {}
    for number in sorted(needed):
        sources = _sources(operations[number])
        steps[number] = max((steps[source] + _is_by_numpy(operations[source]) for source in sources), default=0)
    order = sorted(needed, key=lambda number: (steps[number], _is_by_numpy(operations[number]), number))
    last: dict[int, int] = {}
    lasting = {number for number in needed if _is_by_numpy(operations[number])}
    for number in order:
        for source in _sources(operations[number]):
            last[source] = number
            if _is_by_numpy(operations[number]) or steps[number] > steps[source]:
                lasting.add(source)
    ends: dict[int, list[int]] = {}
    for source, number in last.items():
        if source not in results:
            ends.setdefault(number, []).append(source)
    return [
        _Placed(number, steps[number], _ARRAY if number in lasting else _REGISTER, tuple(ends.get(number, ())))
        for number in order
    ]


def _sources(operation: Operation) -> list[int]:
    return [value.number for value in operation.operands if value.number >= 0]


def _is_by_numpy(operation: Operation) -> bool:
    return operation.name in BY_NUMPY


def _aligned(count: int, length: int) -> Floats:
    """Allocate arrays that begin with a line of the cache."""
    whole = np.empty(count * length + _LINE_BYTES // 8)
    first = -address(whole) % _LINE_BYTES // 8
    return whole[first : first + count * length].reshape(count, length)


@cache
def _library() -> ctypes.CDLL:
    library = ctypes.CDLL(str(LIBRARY))
    library.stowage_bulk_sizes.restype = ctypes.c_int64
    if [library.stowage_bulk_sizes(which) for which in range(2)] != [_OPERATION.itemsize, _RESOLVED.itemsize]:
        raise RuntimeError(f"{LIBRARY.name} was built from another version of its source")
    pointer, number = ctypes.c_void_p, ctypes.c_int64
    library.stowage_bulk.argtypes = (pointer, number, pointer, pointer, pointer, pointer, number)
    library.stowage_bulk.restype = None
    return library
