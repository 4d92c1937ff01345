"""Start-up time of the program that reads uploads, and its time for a small file."""

import resource
import statistics
import sys
import time
from pathlib import Path

from stowage.features.measurements.sandboxed_reading import Input, reader

ROUNDS = 20
FILE = Path(__file__).parents[1] / "tests" / "uploads" / "fio-3.33.json"


def main() -> None:
    """Print medians."""
    content = FILE.read_bytes()
    ready, read, processor = [], [], []
    for _ in range(ROUNDS):
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        started = time.perf_counter()
        with reader(lambda: None) as sandboxed:
            ready.append(time.perf_counter() - started)
            started = time.perf_counter()
            list(sandboxed.read(Input.of("fio.json", content)))
            read.append(time.perf_counter() - started)
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        processor.append(after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime)
    print(f"{ROUNDS} starts; median [ms] (least)", file=sys.stderr)
    for name, values in (
        ("until ready, wall", ready),
        ("reading one run of fio, wall", read),
        ("processor, both", processor),
    ):
        print(f"{name:<32}{statistics.median(values) * 1000:7.0f} ({min(values) * 1000:.0f})")


if __name__ == "__main__":
    main()
