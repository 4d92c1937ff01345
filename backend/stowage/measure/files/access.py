"""Access patterns of storage benchmarks, derived from the settings in their output.

A pattern has, for example, sequential or random I/O, a block size, a queue depth, and direct or buffered I/O.
"""

import math
import re
from collections.abc import Mapping
from typing import Literal

from stowage.frozen import frozen
from stowage.measure.reading import Reading
from stowage.measure.tool import SEQUENTIAL
from stowage.model.units import UnitError, parse_duration

Pattern = Literal["sequential", "random"]

LARGE_KIB = 128.0
"""I/Os of at least this size are large: throughput limits them, not IOPS [KiB]."""
SMALL_KIB = 16.0
"""I/Os up to this size are small: AWS states EBS IOPS for 16 KiB [KiB]."""

_FIO_SYNCHRONOUS = ("sync", "psync", "vsync", "pvsync", "pvsync2", "mmap")
_KIB = {"": 1 / 1024, "b": 1 / 1024, "k": 1.0, "m": 1024.0, "g": 1024.0**2, "t": 1024.0**3, "p": 1024.0**4}
_BYTES = re.compile(
    r"\s*(?:\([A-Za-z]\)\s*)?([0-9]{1,15}(?:\.[0-9]{1,6})?)\s*([kmgtp]?)(?:i?b?)?(?![a-z])", re.IGNORECASE
)
_WHOLE = re.compile(r"\s*([0-9]{1,9})\b")


@frozen
class Access:
    """Access pattern of a benchmark: how it reads and writes storage.

    Fields that the file does not state are None.
    """

    pattern: Pattern | None
    block_kib: float | None
    """Size of one I/O [KiB]."""
    under_way: int | None
    """Number of I/Os in flight, over all jobs of the measurement."""
    direct: bool | None
    """Whether the page cache is bypassed."""
    size_gib: float | None
    """Size of the file, or of the part of the device that was accessed [GiB]."""
    warm_up_s: float | None
    """Warm-up time before the measurement [s]."""
    one_of: int
    """Number of concurrent jobs, if the measurement covers only one of these jobs; otherwise 1."""
    mixed: bool
    """Whether reads and writes ran at the same time."""

    @property
    def is_large(self) -> bool | None:
        """Return whether the I/Os are large, so that throughput limits them.

        The result is False if IOPS limit the I/Os, and None if this is unclear.
        """
        if self.block_kib is not None and self.block_kib >= LARGE_KIB:
            return True
        if self.pattern == "sequential":
            # The kernel and EBS merge consecutive I/Os that are queued at the same time.
            return True if self.block_kib is None or self.direct is False else None
        if self.pattern == "random" and self.block_kib is not None and self.block_kib <= SMALL_KIB:
            return False
        return None


def access_of(reading: Reading) -> Access:
    """Derive the access pattern of a benchmark from its settings and its results.

    Notes
    -----
    A block size that the file does not state is computed from the results as bytes per I/O. If a file lists the options
    of a fio job, options that are not listed have fio's defaults: sequential reads of 4 KiB, queue depth 1, through the
    page cache.
    """
    settings, tool = reading.settings, tool_of(reading)
    mixed = all(_positive(reading, f"{name}_mb_per_s", f"{name}_iops") for name in ("read", "write"))
    if tool == "sysbench":
        return _of_sysbench(reading, mixed=mixed)
    rw = _first(settings, "rw", "readwrite").partition(":")[0].strip().lower()
    pattern: Pattern | None = None
    if rw or tool in SEQUENTIAL:
        pattern = "random" if rw.startswith("rand") else "sequential"
    # fio's normal format prints only these options.
    listed = tool == "fio" and bool(rw) and not settings.keys() <= _PRINTED
    block = _kib(_first(settings, "bs", "blocksize", "block_size", "block_bytes"))
    if block is None:
        block = _block_of_figures(reading)
    jobs = _count(_first(settings, "numjobs")) or 1
    beside = max((int(found[1]) for found in map(_ONE_OF.match, reading.notes) if found), default=1)
    depth = _count(_first(settings, "iodepth", "queue_depth", "io_depth"))
    if tool == "fio" and (_first(settings, "ioengine").lower() in _FIO_SYNCHRONOUS or (depth is None and listed)):
        depth = 1
    size = _kib(_first(settings, "size", "filesize", "file_size"))
    return Access(
        pattern=pattern,
        block_kib=4.0 if block is None and listed else block,
        under_way=None if depth is None else depth * (jobs if beside == 1 else 1),
        direct=_is_on(settings, "direct") if listed or "direct" in settings else None,
        size_gib=None if size is None else size / 1024.0**2 * jobs,
        warm_up_s=_seconds(_first(settings, "ramp_time", "ramp_s", "warmup")),
        one_of=beside,
        mixed=mixed,
    )


_PRINTED = frozenset({"rw", "bs", "ioengine", "iodepth", "numjobs", "jobs", "disk_util"})
_ONE_OF = re.compile(r"One of ([0-9]{1,6}) jobs")
_SPOKEN_OF = frozenset({"csv", "perfkit"})


def tool_of(reading: Reading) -> str:
    """Return the tool that made the measurement.

    For a CSV table or PerfKitBenchmarker, it is the tool that the settings name.
    """
    if reading.tool in _SPOKEN_OF and reading.settings.get("tool"):
        return reading.settings["tool"].strip().lower()
    return reading.tool


def _of_sysbench(reading: Reading, *, mixed: bool) -> Access:
    settings = reading.settings
    mode = _first(settings, "file-test-mode", "test_mode", "mode").strip().lower()
    pattern: Pattern | None = "random" if mode.startswith(("rnd", "random")) else None
    if mode.startswith("seq"):
        pattern = "sequential"
    flags = _first(settings, "file-extra-flags", "extra_flags", "extra file open flags").lower()
    block = _kib(_first(settings, "file-block-size", "block_size", "block size"))
    size = _kib(_first(settings, "file-total-size", "total_file_size", "total file size"))
    return Access(
        pattern=pattern,
        block_kib=_block_of_figures(reading) if block is None else block,
        under_way=_count(_first(settings, "threads", "num-threads", "number of threads")),
        direct="direct" in flags if flags else None,
        size_gib=None if size is None else size / 1024.0**2,
        warm_up_s=_seconds(_first(settings, "warmup-time", "warmup")),
        one_of=1,
        mixed=mixed,
    )


def _positive(reading: Reading, *names: str) -> float:
    return next((metric.value for metric in reading.metrics if metric.name in names and metric.value > 0.0), 0.0)


def _block_of_figures(reading: Reading) -> float | None:
    for name in ("read", "write"):
        rate, per_s = _positive(reading, f"{name}_mb_per_s"), _positive(reading, f"{name}_iops")
        if rate and per_s:
            kib = rate * 1e6 / 1024.0 / per_s
            # Rates are rounded; block sizes are usually powers of two.
            nearest = 2.0 ** round(math.log2(kib))
            return nearest if abs(kib / nearest - 1.0) < 0.05 else kib
    return None


def _first(settings: Mapping[str, str], *names: str) -> str:
    return next((settings[name] for name in names if settings.get(name)), "")


def _is_on(settings: Mapping[str, str], name: str) -> bool:
    # A fio option without a value is on.
    return name in settings and settings[name].strip().lower() not in {"0", "false", "no", "off"}


def _kib(text: str) -> float | None:
    found = _BYTES.match(text)
    if found is None or float(found[1]) == 0.0 or "%" in text:
        return None
    return float(found[1]) * _KIB[found[2].lower()]


def _count(text: str) -> int | None:
    found = _WHOLE.match(text)
    return None if found is None else int(found[1])


def _seconds(text: str) -> float | None:
    """Parse a duration; without a unit, it is in seconds, as in fio."""
    try:
        return float(text)
    except ValueError:
        pass
    try:
        return parse_duration(text)
    except UnitError:
        return None
