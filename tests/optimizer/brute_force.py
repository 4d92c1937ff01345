"""`bench/brute_force.c`, compiled when it is first needed: the search without bounds, over all candidates."""

import ctypes
import os
import shlex
import shutil
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np

from stowage.optimizer import kernel, problem
from stowage.optimizer.kernel import Answer
from stowage.optimizer.problem import SearchProblem

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT))

from hatch_build import FLAGS  # noqa: E402 - the kernel's own compiler flags: the same bits


class Count(ctypes.Structure):
    """Result of the exhaustive loop.

    ``computed`` candidates, of which ``plain`` used the kernel's own code path; ``within`` the limits; the lowest cost.
    """

    computed: int
    within: int
    plain: int
    cost_usd: float

    _fields_ = (
        ("computed", ctypes.c_int64),
        ("within", ctypes.c_int64),
        ("plain", ctypes.c_int64),
        ("cost_usd", ctypes.c_double),
    )


def compiler() -> list[str] | None:
    """Return the command of the C compiler, chosen as `hatch_build` does; None if there is none."""
    found = next((path for path in map(shutil.which, ("cc", "gcc", "clang")) if path), None)
    named = os.environ.get("CC")
    return shlex.split(named) if named else [found] if found else None


PLAIN = "-O1"
"""Compiles in a third of the time that the kernel's own level takes, and gives the same bits."""


@cache
def library(level: str) -> ctypes.CDLL:
    """Compile at a level of optimization, into a folder that is deleted once the library is loaded."""
    command = compiler()
    if command is None:
        raise FileNotFoundError("no C compiler: install one (apt-get install gcc libc6-dev), or name it in CC")
    with TemporaryDirectory(prefix="stowage-brute-force-") as folder:
        made = Path(folder) / "brute_force.so"
        source = str(ROOT / "bench" / "brute_force.c")
        subprocess.run([*command, *FLAGS, level, "-o", str(made), source, "-lm"], check=True)
        loaded = ctypes.CDLL(str(made))
    if any(loaded.stowage_sizes(which) != kernel.library().stowage_sizes(which) for which in range(6)):
        raise RuntimeError("the kernel that runs is of another version than its source: `make setup`")
    return loaded


class _Instead:
    """Stands in for the kernel's library."""

    def __init__(self, stowage_search: Callable[..., int]) -> None:
        self.stowage_search = stowage_search
        self.stowage_dominators = library(PLAIN).stowage_dominators


@contextmanager
def _instead(stowage_search: Callable[..., int]) -> Iterator[None]:
    with_bounds, chosen = kernel.library, problem._io_per_mb  # noqa: SLF001 - where C and Python meet
    replacement: Any = _Instead(stowage_search)
    everything: Any = lambda *_: (1e-300, np.inf)  # noqa: E731
    try:
        kernel.library = lambda: replacement  # type: ignore[assignment]
        # No ratio of IOPS to throughput is excluded from the chains.
        problem._io_per_mb = everything  # noqa: SLF001
        yield
    finally:
        kernel.library, problem._io_per_mb = with_bounds, chosen  # noqa: SLF001


def every(ask: Callable[[], SearchProblem], most_rows: int | None = None) -> Answer:
    """Answer a question by computing each of its candidates."""
    with _instead(library(PLAIN).stowage_every):
        return ask().answer(most_rows)


def count(ask: Callable[[], SearchProblem], start: int = 0, stride: int = 1, level: str = PLAIN) -> Callable[[], Count]:
    """Prepare a question, and return a function that counts its candidates at every ``stride``-th node count."""
    compiled = library(level)
    with _instead(compiled.stowage_every):
        laid_out = ask()

    def run() -> Count:
        found = Count()

        def counted(asked: object, result: object) -> int:
            places = ctypes.c_int64(start), ctypes.c_int64(stride)
            outcome: int = compiled.stowage_count(asked, result, *places, ctypes.byref(found))
            return outcome

        with _instead(counted):
            laid_out.answer(None, frontier=False)
        return found

    return run
