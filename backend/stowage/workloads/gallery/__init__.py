"""Example workloads for newcomers: workload files whose first line describes the workload in a sentence."""

from functools import cache
from importlib.resources import files

from stowage.frozen import frozen
from stowage.workloads.workload_file import WorkloadFile, read_workload_file


@frozen
class Example:
    """One example workload."""

    name: str
    """Name of its file, without number and suffix."""
    sentence: str
    file: WorkloadFile


@cache
def examples() -> tuple[Example, ...]:
    """Read the example workloads, in the order of their numbers."""
    found = {path.name: path.read_bytes() for path in files(__package__).iterdir() if path.name.endswith(".yaml")}
    return tuple(_read(name, found[name]) for name in sorted(found))


def _read(name: str, content: bytes) -> Example:
    sentence = content.decode().removeprefix("# ").splitlines()[0]
    return Example(name.removesuffix(".yaml").partition("-")[2], sentence, read_workload_file(content))
