"""Runs of fio: simultaneous reads and writes of disk ranges, with rates every second and results at the end."""

from __future__ import annotations

import json
import os
import select
import signal
import subprocess
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Any, Callable, cast

from stowage_worker.agent.programs import found, output, start

_ENGINES = ("libaio", "io_uring")
UNDER_WAY_BYTES = 16 << 20
MOST_UNDER_WAY = 256
_SPARE_S = 30.0
_LONGEST = 1 << 26


@dataclass(frozen=True)
class Part:
    """A range of a disk to read or write."""

    path: str
    way: str
    """`read` or `write`."""
    offset_bytes: int
    size_bytes: int


@dataclass(frozen=True)
class Done:
    """Results of fio for one disk range (`Part`)."""

    part: Part
    bytes_moved: int
    mb_per_s: float
    iops: float
    latency_us: float | None
    """Mean time from submission of an I/O to its completion [µs]."""
    error: int
    """0 for none, else the system's errno."""


@dataclass(frozen=True)
class FioOutput:
    """Complete output of a run of fio."""

    parts: tuple[Done, ...]
    runtime_s: float
    """Measured time without warm-up [s]."""
    seconds: tuple[tuple[float, float], ...]
    """Read and write rates in each interval of one second [MB/s]."""
    settings: dict[str, Any]
    failure: str | None


def run(
    parts: list[Part],
    block_bytes: int,
    warm_up_s: float,
    measured_s: float,
    heard: Callable[[float, float, float], None],
    is_stopping: Callable[[], bool],
    *,
    once: bool = False,
) -> FioOutput:
    """Read or write all given disk ranges at once, each sequentially with direct I/O.

    Parameters
    ----------
    parts : list of Part
    block_bytes : int
    warm_up_s, measured_s : float
        [s].
    heard : callable
        Called with the seconds since the start and the read and write rates of the last second [MB/s].
    is_stopping : callable
        Returns whether fio should stop and report its results so far.
    once : bool
        Whether to process each range only once; if False, each range is repeated until the time is over.
    """
    program = found("fio")
    if program is None:
        return FioOutput((), 0.0, (), {}, failure="fio is not installed")
    engine = _engine(program)
    depth = max(1, min(MOST_UNDER_WAY, UNDER_WAY_BYTES // block_bytes))
    settings = {"engine": engine, "iodepth": depth, "direct": True, "block_bytes": block_bytes}
    with tempfile.TemporaryDirectory(prefix="stowage-fio-") as folder:
        job = Path(folder) / "job.fio"
        job.write_text(_job(parts, block_bytes, warm_up_s, measured_s, engine, depth, once=once), encoding="utf-8")
        command = [program, "--output-format=json", "--status-interval=1", f"--aux-path={folder}", str(job)]
        process = start(command, subprocess.PIPE, subprocess.PIPE, folder=Path(folder))
        listened = _Listened(process, parts, heard)
        stopped = listened.until_end(is_stopping, warm_up_s + measured_s + _SPARE_S)
    done = _done(listened.last, parts)
    settings["fio"] = str((listened.last or {}).get("fio version", ""))
    failure = _failure(done, listened, process.returncode, stopped)
    longest_s = max(_runtimes(listened.last), default=0.0)
    return FioOutput(tuple(done), longest_s, tuple(listened.seconds), settings, failure or stopped)


class _Listened:
    """Reader of fio's output: a JSON object every second, the last one when fio ends."""

    def __init__(
        self, process: subprocess.Popen[bytes], parts: list[Part], heard: Callable[[float, float, float], None]
    ) -> None:
        self._process, self._parts, self._heard = process, parts, heard
        self._text, self._before = "", (0.0, 0, 0)
        self._began = time.monotonic()
        self.last: dict[str, Any] | None = None
        self.seconds: list[tuple[float, float]] = []
        self.errors = ""

    def until_end(self, is_stopping: Callable[[], bool], patience_s: float) -> str | None:
        """Read the output until fio exits; return the reason if fio was stopped early."""
        stopped = None
        asked_at = None
        printed, wrong = cast("IO[bytes]", self._process.stdout), cast("IO[bytes]", self._process.stderr)
        streams = {printed.fileno(): True, wrong.fileno(): False}
        while streams:
            for place in select.select(list(streams), [], [], 0.2)[0]:
                content = os.read(place, 1 << 16)
                if not content:
                    del streams[place]
                elif streams[place]:
                    self._take(content.decode("utf-8", "replace"))
                else:
                    self.errors = (self.errors + content.decode("utf-8", "replace"))[-2000:]
            now = time.monotonic()
            if asked_at is None and (is_stopping() or now - self._began > patience_s):
                stopped = "it was stopped" if is_stopping() else f"fio had not ended after {patience_s:.0f} s"
                asked_at = now
                self._process.send_signal(signal.SIGINT)  # fio reports its results, then exits
            elif asked_at is not None and now - asked_at > 5.0:
                self._process.kill()
                asked_at = now
        self._process.wait()
        printed.close()
        wrong.close()
        return stopped

    def _take(self, text: str) -> None:
        self._text = (self._text + text)[-_LONGEST:]
        decoder = json.JSONDecoder()
        while True:
            start = self._text.find("\n{") + 1 if not self._text.startswith("{") else 0
            if not self._text.startswith("{") and not start:
                return
            try:
                found, end = decoder.raw_decode(self._text, start)
            except ValueError:
                return
            self._text = self._text[end:]
            if isinstance(found, dict) and isinstance(found.get("jobs"), list):
                self.last = found
                self._step(found)

    def _step(self, found: dict[str, Any]) -> None:
        read = sum(_number(job, "read", "io_bytes") for job in found["jobs"])
        written = sum(_number(job, "write", "io_bytes") for job in found["jobs"])
        at_s = float(max(_runtimes(found), default=0.0))
        before_s, before_read, before_written = self._before
        if at_s < before_s or read < before_read or written < before_written:
            # The warm-up is over: fio's counters restart at 0.
            self.seconds.clear()
            before_s, before_read, before_written = 0.0, 0, 0
        length_s = at_s - before_s
        self._before = (at_s, int(read), int(written))
        if length_s > 0.5:
            rates = (read - before_read) / length_s / 1e6, (written - before_written) / length_s / 1e6
            self.seconds.append(rates)
            self._heard(time.monotonic() - self._began, *rates)


def _job(
    parts: list[Part],
    block_bytes: int,
    warm_up_s: float,
    measured_s: float,
    engine: str,
    depth: int,
    *,
    once: bool,
) -> str:
    lines = [
        "[global]",
        f"ioengine={engine}",
        f"iodepth={depth}",
        f"bs={block_bytes}",
        "direct=1",
        "thread=1",
        "group_reporting=0",
        "randrepeat=0",
        "allow_file_create=0",
        f"runtime={max(0.1, measured_s):.3f}",
    ]
    if not once:
        lines.append("time_based=1")
    if warm_up_s > 0:
        lines.append(f"ramp_time={warm_up_s:.3f}")
    for place, part in enumerate(parts):
        # fio treats ":" as a separator of file names.
        name = part.path.replace("\\", "\\\\").replace(":", "\\:")
        lines += [f"[part-{place}]", f"filename={name}", f"rw={part.way}"]
        lines += [f"offset={part.offset_bytes}", f"size={part.size_bytes}"]
    return "\n".join(lines) + "\n"


def _engine(program: str) -> str:
    """Return the name of an asynchronous I/O engine that the installed fio supports."""
    try:
        _, told = output([program, "--enghelp"], 20.0)
    except (OSError, subprocess.TimeoutExpired):
        return _ENGINES[0]
    known = told.split()
    return next((engine for engine in _ENGINES if engine in known), _ENGINES[0])


def _done(last: dict[str, Any] | None, parts: list[Part]) -> list[Done]:
    found = []
    for place, job in enumerate((last or {}).get("jobs", [])[: len(parts)]):
        part = parts[place]
        moved, runtime_ms = _number(job, part.way, "io_bytes"), _number(job, part.way, "runtime")
        error = job["error"] if isinstance(job.get("error"), int) else 0
        if runtime_ms <= 0:
            found.append(Done(part, 0, 0.0, 0.0, None, error))
            continue
        iops = _number(job, part.way, "total_ios") / runtime_ms * 1e3
        latency_us = _latency(job.get(part.way, {}))
        found.append(Done(part, int(moved), moved / runtime_ms * 1e-3, iops, latency_us, error))
    return found


def _failure(found: list[Done], listened: _Listened, status: int, stopped: str | None) -> str | None:
    errors = [each for each in found if each.error]
    if errors:
        return f"{errors[0].part.path}: {os.strerror(errors[0].error)}"
    if not found or (status and stopped is None):
        words = " ".join(listened.errors.split())[-300:]
        return f"fio ended with status {status}" + (f": {words}" if words else "")
    return None


def _runtimes(found: dict[str, Any] | None) -> list[float]:
    jobs = (found or {}).get("jobs", [])
    return [_number(job, way, "runtime") / 1e3 for job in jobs for way in ("read", "write")]


def _number(job: object, way: str, name: str) -> float:
    told = job.get(way) if isinstance(job, dict) else None
    found = told.get(name) if isinstance(told, dict) else None
    return float(found) if isinstance(found, (int, float)) and not isinstance(found, bool) else 0.0


def _latency(told: dict[str, Any]) -> float | None:
    found = told.get("clat_ns", {}).get("mean")
    return found / 1e3 if isinstance(found, (int, float)) and found > 0 else None
