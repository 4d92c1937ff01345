"""How fast benchmark output is read, and in how much memory: 100 MB of each tool, made of what the tool really wrote.

Each copy of the output has other decimals, so that nothing is gained by remembering figures.

Run: python bench/readers.py [--megabytes 100] [tool ...]
Each file is read in a process of its own: peak memory and processor time are its own. The memory of one that read 1 MB
of the same is taken away: what is left grows with the file, or does not.
"""

import argparse
import io
import json
import platform
import random
import re
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path

from stowage.measure import recognise
from stowage.measure.files.archive import files_of
from stowage.measure.reading import Reading

FILES = Path(__file__).parents[1] / "tests" / "measure" / "files"
SAMPLES = {
    "fio json": "fio/json-normal-mixed.txt:json",
    "fio normal": "fio/normal.txt",
    "fio terse": "fio/terse3.txt",
    "sysbench": "sysbench/rndrw.txt",
    "iperf3 json": "iperf3/tcp.json",
    "iperf": "iperf/tcp.txt",
    "netperf": "netperf/tcp_stream.txt",
    "redis-benchmark": "redis_benchmark/text.txt",
    "memtier json": "memtier/memtier.json",
    "testdfsio": "testdfsio/hadoop-2.log",
    "iostat": "iostat/x.txt",
    "sar": "sar/all.txt",
    "perfkit": "perfkit/samples.json",
    "csv": "../../../backend/stowage/measure/seeds/st1-2023.csv",
}

DECIMALS = re.compile(rb'(?<=[0-9]\.)[0-9]{2,}(?![0-9."%t])')
"""Decimals of figures, but not of percentiles (`99.900000%`, `"99.900000"`, `99.90th`)."""


def pieces(sample: str, megabytes: float) -> Iterator[bytes]:
    """Repeat a file until it is so large; of a table the head comes once."""
    path, _, part = sample.partition(":")
    content = (FILES / path).read_bytes()
    if part == "json":
        text = content.decode()
        start = text.index("{")
        content = text[start : start + json.JSONDecoder().raw_decode(text[start:])[1]].encode() + b"\n"
    head, body = b"", content
    if path.endswith(".csv"):
        lines = content.splitlines(keepends=True)
        named = next(number for number, line in enumerate(lines) if not line.startswith(b"#"))
        head, body = b"".join(lines[: named + 1]), b"".join(lines[named + 1 :])
    yield head
    chance = random.Random(1)  # noqa: S311 - no secret
    for _ in range(max(1, int(megabytes * 1e6 / len(body)))):
        yield DECIMALS.sub(lambda found: b"%0*d" % (len(found[0]), chance.randrange(10 ** len(found[0]))), body)


def read(path: str) -> dict[str, float]:
    """Read a file as an upload is read, and say what it took."""
    started, readings, remarks = time.process_time(), 0, 0
    with Path(path).open("rb") as file:
        size = file.seek(0, io.SEEK_END)
        file.seek(0)
        for _, stream in files_of(file, "it"):
            # All of it, without the bound on measurements: this is about speed.
            reader, whole = recognise.recognise(stream)
            for found in reader.read(whole):
                readings += isinstance(found, Reading)
                remarks += not isinstance(found, Reading)
    return {
        "mb_per_s": size / 1e6 / (time.process_time() - started),
        "readings": readings,
        "remarks": remarks,
        "peak_mb": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1e3,
    }


def measure(sample: str, megabytes: float) -> dict[str, float]:
    """Make a file, and have it read by another process."""
    with tempfile.NamedTemporaryFile(suffix=".txt") as file:
        for piece in pieces(sample, megabytes):
            file.write(piece)
        file.flush()
        told = subprocess.run(  # noqa: S603 - this program itself
            [sys.executable, __file__, "--read", file.name], check=True, capture_output=True, text=True
        )
    found: dict[str, float] = json.loads(told.stdout)
    return found


def main() -> None:
    """Print a table."""
    arguments = argparse.ArgumentParser(description=__doc__)
    arguments.add_argument("--megabytes", type=float, default=100.0)
    arguments.add_argument("--read", help=argparse.SUPPRESS)
    arguments.add_argument("tools", nargs="*", choices=[*SAMPLES, []])
    asked = arguments.parse_args()
    if asked.read:
        print(json.dumps(read(asked.read)))
        return
    print(f"{datetime.now(UTC):%Y-%m-%d}, {platform.machine()}, Python {platform.python_version()}, one core")
    print(f"{'tool':18} {'MB/s':>7} {'readings':>9} {'remarks':>8} {'peak MB':>8} {'over 1 MB':>10}")
    for tool in asked.tools or SAMPLES:
        small, large = measure(SAMPLES[tool], 1.0), measure(SAMPLES[tool], asked.megabytes)
        print(
            f"{tool:18} {large['mb_per_s']:7.1f} {large['readings']:9,.0f} {large['remarks']:8,.0f} "
            f"{large['peak_mb']:8.0f} {large['peak_mb'] - small['peak_mb']:+10.0f}",
            flush=True,
        )


if __name__ == "__main__":
    main()
