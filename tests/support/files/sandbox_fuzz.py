"""Fuzz of the sandboxed reader with hostile inputs, and a tally of the outcomes.

`python tests/support/files/sandbox_fuzz.py --seed 3 --inputs 50000 --each 1000`: seeds have disjoint inputs, so
tallies add up.
"""

import argparse
import gzip
import io
import json
import random
import sys
import tarfile
import time
import zipfile
from dataclasses import asdict, dataclass

import psutil

from mangled import mangled, originals, scrambled
from stowage.features.measurements.sandboxed_reading import Found, Input, ReaderFault, SandboxedReader, reader
from stowage.measure.errors import Unreadable
from stowage.processes.sandboxed import Stopped


@dataclass(slots=True)
class Tally:
    """Outcomes of inputs."""

    inputs: int = 0
    processes: int = 0
    read: int = 0
    """Inputs that were read to their end."""
    refused: int = 0
    """Inputs that were refused whole, with a reason."""
    stopped: list[str] | None = None
    """Inputs that exceeded a limit or ended their process."""
    faults: list[str] | None = None
    """Inputs in which a reader failed."""
    most_processor_s: float = 0.0
    """Maximum of one process, its start included. [s]"""
    most_memory_mib: float = 0.0
    """Maximum resident size of one process at its end. [MiB]"""


def hostile(number: int, files: tuple[tuple[str, bytes], ...]) -> bytes:
    """Return the input of a number, deterministically: a damaged file, three of four in an archive."""
    content = mangled(files, number)
    kind = number % 4
    if kind == 1:
        packed = io.BytesIO()
        with tarfile.open(fileobj=packed, mode="w", format=tarfile.PAX_FORMAT) as archive:
            member = tarfile.TarInfo("größe/fio.json")
            member.size = len(content)
            archive.addfile(member, io.BytesIO(content))
        content = packed.getvalue()
    elif kind == 2:
        packed = io.BytesIO()
        with zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED) as archive:
            archive.writestr("fio.json", content)
        content = packed.getvalue()
    elif kind == 3:
        content = gzip.compress(content, 1, mtime=0)
    if kind and number % 8 >= 4:
        content = scrambled(content, random.Random(number))  # noqa: S311 - not for secrets
    return content


def fuzz(first: int, inputs: int, each: int) -> Tally:
    """Read inputs with several processes, and tally the outcomes.

    Parameters
    ----------
    first : int
        Number of the first input.
    inputs, each : int
    """
    files = originals()
    tally = Tally(stopped=[], faults=[])
    last = first + inputs
    while first < last:
        with reader(lambda: None) as sandboxed:
            tally.processes += 1
            for number in range(first, min(first + each, last)):
                first = number + 1
                tally.inputs += 1
                if not _read(sandboxed, number, hostile(number, files), tally):
                    break
            _measure(sandboxed, tally)
    return tally


def _read(sandboxed: SandboxedReader, number: int, content: bytes, tally: Tally) -> bool:
    """Read an input; return False if its process has ended."""
    found: list[Found] = []
    try:
        found.extend(sandboxed.read(Input.of("it", content)))
        tally.read += 1
    except Unreadable as error:
        assert error.message
        tally.refused += 1
    except Stopped as error:
        assert tally.stopped is not None
        tally.stopped.append(f"{number}: {error}")
        return False
    except ReaderFault as error:
        assert tally.faults is not None
        tally.faults.append(f"{number}: {error}")
        return False
    return True


def _measure(sandboxed: SandboxedReader, tally: Tally) -> None:
    try:
        process = psutil.Process(sandboxed.process.pid)
        times = process.cpu_times()
        memory = process.memory_info().rss / 2**20
    except psutil.Error:
        return
    tally.most_processor_s = max(tally.most_processor_s, times.user + times.system)
    tally.most_memory_mib = max(tally.most_memory_mib, memory)


def main() -> None:
    """Fuzz with one seed, and print the tally."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seed", type=int, default=0, help="seeds have disjoint inputs")
    parser.add_argument("--inputs", type=int, default=50_000)
    parser.add_argument("--each", type=int, default=1_000, help="inputs per process")
    asked = parser.parse_args()
    started = time.monotonic()
    tally = fuzz(asked.seed * 10_000_000, asked.inputs, asked.each)
    sys.stdout.write(
        json.dumps({"seed": asked.seed, "wall_s": round(time.monotonic() - started, 1), **asdict(tally)}) + "\n"
    )
    sys.exit(1 if tally.stopped or tally.faults else 0)


if __name__ == "__main__":
    main()
