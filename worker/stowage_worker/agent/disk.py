"""DiskBench: half of a node's disks are read while the other half are written (SoCC 2015 paper, section 4.2).

Disks are filled first, because reading unwritten blocks needs no disk access. Then all disks are measured at once with
sequential direct I/O in large blocks; the warm-up does not count. The result is a DiskBench document, version 1.
"""

from __future__ import annotations

from datetime import datetime, timezone
from typing import Any, Callable

from stowage_worker.agent import fio
from stowage_worker.agent.disks import Disk
from stowage_worker.agent.events import Say, log, progress
from stowage_worker.agent.fio import Done, FioOutput, Part
from stowage_worker.agent.machine import host, memory_bytes
from stowage_worker.agent.measured import Measured
from stowage_worker.agent.orders import DiskPhase
from stowage_worker.agent.programs import install

_LEAST_S = 1.0


class DiskBench:
    """Disk benchmark of a node in one mode.

    Parameters
    ----------
    disks : list of Disk
    phase : DiskPhase
    say : callable
    is_stopping : callable
        Returns whether to stop now and report the results so far.
    filled : dict of str to int
        Filled size of each disk, from its start [bytes]; updated by the benchmark.
    """

    def __init__(
        self, disks: list[Disk], phase: DiskPhase, say: Say, is_stopping: Callable[[], bool], filled: dict[str, int]
    ) -> None:
        self._disks, self._phase, self._say = disks, phase, say
        self._is_stopping, self._filled = is_stopping, filled
        self._notes: list[str] = []

    def run(self) -> Measured:
        """Run the benchmark and return its results, also after a failure."""
        phase = self._phase
        if not install("fio", self._say):
            return self._told(None, "fio is not installed and could not be")
        if phase.mode != "write":
            failure = self._fill()
            if failure is not None:
                return self._told(None, failure)
        parts = self._parts()
        started_at = datetime.now(timezone.utc)
        told = fio.run(
            parts, phase.block_bytes, phase.warm_up_s, phase.measured_s, self._progress(""), self._is_stopping
        )
        if phase.mode == "write":
            for done in told.parts:
                size = min(done.bytes_moved, done.part.size_bytes)
                self._filled[done.part.path] = max(size, self._filled.get(done.part.path, 0))
        return self._told(told, told.failure, started_at)

    def _fill(self) -> str | None:
        """Fill disks from their start, so that reads find data; return the failure, if any."""
        phase = self._phase
        parts = [
            Part(disk.path, "write", 0, self._whole(disk.size_bytes))
            for disk in self._disks
            if disk.path not in self._filled
        ]
        if not parts:
            return None
        log(self._say, f"disks are written for up to {phase.fill_s:g} s first, so that reading finds data")
        # Always in blocks of 1 MiB, which is fast.
        told = fio.run(
            parts,
            max(1 << 20, phase.block_bytes),
            0.0,
            phase.fill_s,
            self._progress("filling "),
            self._is_stopping,
            once=True,
        )
        for done in told.parts:
            self._filled[done.part.path] = min(done.bytes_moved, done.part.size_bytes)
        if told.failure is not None:
            return f"while disks were filled: {told.failure}"
        small = [done.part.path for done in told.parts if done.bytes_moved < 4 * phase.block_bytes]
        return f"{small[0]} took hardly anything in {phase.fill_s:g} s" if small else None

    def _parts(self) -> list[Part]:
        """Return the disk ranges to read or write.

        In mode read-write, half of the disks are read and the other half written.
        """
        mode, disks = self._phase.mode, self._disks
        if mode == "read":
            return [self._reader(disk, disk.size_bytes) for disk in disks]
        if mode == "write":
            return [self._writer(disk, 0) for disk in disks]
        half = len(disks) // 2
        parts = [self._reader(disk, disk.size_bytes) for disk in disks[:half]]
        parts += [self._writer(disk, 0) for disk in disks[half : 2 * half]]
        if len(disks) % 2:
            # With an odd number, the last disk is split: one half is read while the other half is written.
            last, middle = disks[-1], disks[-1].size_bytes // 2
            parts += [self._reader(last, middle), self._writer(last, middle)]
            self._notes.append(
                "the one disk was read in one half and written in the other at once"
                if len(disks) == 1
                else f"of {len(disks)} disks {half} were read, {half} written, and one read and written at once"
            )
        return parts

    def _reader(self, disk: Disk, most_bytes: int) -> Part:
        return Part(disk.path, "read", 0, self._whole(min(self._filled.get(disk.path, 0) or most_bytes, most_bytes)))

    def _writer(self, disk: Disk, from_bytes: int) -> Part:
        begin = from_bytes // self._phase.block_bytes * self._phase.block_bytes
        return Part(disk.path, "write", begin, self._whole(disk.size_bytes - begin))

    def _whole(self, size_bytes: int) -> int:
        block_bytes = self._phase.block_bytes
        return max(block_bytes, size_bytes // block_bytes * block_bytes)

    def _progress(self, words: str) -> Callable[[float, float, float], None]:
        phase = self._phase
        whole_s = phase.fill_s if words else phase.warm_up_s + phase.measured_s

        def heard(at_s: float, read: float, written: float) -> None:
            live = {"read_mb_per_s": round(read, 3), "write_mb_per_s": round(written, 3)}
            said = f"{words}{_count(len(self._disks))}" + ("" if words else f", {phase.mode}")
            progress(self._say, 0.0 if words else at_s / whole_s, said, live)

        return heard

    def _told(self, told: FioOutput | None, failure: str | None, started_at: datetime | None = None) -> Measured:
        phase = self._phase
        is_partial = told is not None and failure is not None and self._is_partial(told)
        status = "ok" if failure is None else "partial" if is_partial else "failed"
        document: dict[str, Any] = {
            "stowage": "diskbench",
            "version": 1,
            "name": f"{_count(len(self._disks))}, {phase.mode}",
            "status": status,
            "host": {**host(), "nodes": 1},
            "settings": {
                "mode": phase.mode,
                "disks": len(self._disks),
                "block_bytes": phase.block_bytes,
                "warm_up_s": phase.warm_up_s,
                "measured_s": phase.measured_s,
                "what": phase.what,
                **(told.settings if told is not None else {}),
            },
            "result": {},
        }
        if failure is not None:
            document["failure"] = failure[:190]
        if started_at is not None:
            document["started_at"] = started_at.isoformat()
        if told is not None and status != "failed":
            document["duration_s"] = round(told.runtime_s, 3)
            document["result"] = _result(phase.mode, told)
            document["intervals"] = _intervals(phase.mode, told)
            self._notes += _per_disk(told) + self._on_sizes(told)
        document["notes"] = self._notes[:20]
        return Measured(status, failure, document)

    @staticmethod
    def _is_partial(told: FioOutput) -> bool:
        """Return whether a stopped run of fio is worth reporting: it ran long enough and had no I/O errors."""
        return (
            told.runtime_s >= _LEAST_S
            and bool(told.seconds)
            and not any(done.error for done in told.parts)
            and all(done.bytes_moved for done in told.parts)
        )

    def _on_sizes(self, told: FioOutput) -> list[str]:
        read = [done.part.size_bytes for done in told.parts if done.part.way == "read"]
        memory = memory_bytes()
        if read and sum(read) < 2 * memory:
            words = (
                f"{sum(read) / 1e9:.3g} GB were read again and again, less than twice the memory of "
                f"{memory / 1e9:.3g} GB; direct I/O keeps this machine's page cache out of it"
            )
            return [words]
        return []


def _result(mode: str, told: FioOutput) -> dict[str, float]:
    """Return the combined results of the disks.

    Mode read-write also has a storage rate: the lower one of the read and write rates.
    """
    found: dict[str, float] = {}
    sums = {}
    for way in ("read", "write"):
        of_way = [done for done in told.parts if done.part.way == way]
        if not of_way:
            continue
        sums[way] = sum(done.mb_per_s for done in of_way)
        found[f"{way}_mb_per_s"] = round(sums[way], 6)
        found[f"{way}_iops"] = round(sum(done.iops for done in of_way), 3)
        found[f"{way}_mb"] = round(sum(done.bytes_moved for done in of_way) / 1e6, 6)
        latencies = [done.latency_us for done in of_way if done.latency_us is not None]
        if latencies:
            found[f"{way}_latency_us"] = round(sum(latencies) / len(latencies), 3)
    if mode == "read-write":
        found["storage_mb_per_s"] = round(min(sums.values()), 6)
    return found


def _intervals(mode: str, told: FioOutput) -> dict[str, Any]:
    found: dict[str, Any] = {"length_s": 1}
    if mode != "write":
        found["read_mb_per_s"] = [round(max(0.0, read), 3) for read, _ in told.seconds]
    if mode != "read":
        found["write_mb_per_s"] = [round(max(0.0, written), 3) for _, written in told.seconds]
    return found


def _per_disk(told: FioOutput) -> list[str]:
    """Return notes with the results of all disks, six disks per note."""
    words = [_words(done) for done in told.parts]
    return ["; ".join(words[place : place + 6]) for place in range(0, len(words), 6)]


def _words(done: Done) -> str:
    way = "read" if done.part.way == "read" else "written"
    name = done.part.path.rsplit("/", 1)[-1][-40:]
    return f"{name} {way} at {done.mb_per_s:.1f} MB/s"


def _count(disks: int) -> str:
    return f"{disks} disk" + ("" if disks == 1 else "s")
