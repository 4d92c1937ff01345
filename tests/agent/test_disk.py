"""DiskBench with fio on files of this machine: Stowage reads what it reports."""

import io
import json
import os
import shutil
import signal
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from process import USUAL_SIGNALS
from stowage.measure.reading import Reading
from stowage.measure.tools import diskbench
from stowage_worker.agent.bundle import bundle
from stowage_worker.agent.disk import DiskBench
from stowage_worker.agent.disks import Disk, at
from stowage_worker.agent.fio import FioOutput, Part
from stowage_worker.agent.fio import run as run_fio
from stowage_worker.agent.orders import DiskPhase

pytestmark = pytest.mark.skipif(shutil.which("fio") is None, reason="fio is not installed")
SIZE = 16 << 20


def disks(folder: Path, count: int) -> list[Disk]:
    found = []
    for number in range(count):
        path = folder / f"disk:{number} of 3"  # names that fio's own file lists would split
        with path.open("wb") as file:
            file.truncate(SIZE)
        found.append(at(str(path), destroy=True))
    return found


def phase(mode: str, measured_s: float = 1.0) -> DiskPhase:
    return DiskPhase(f"disk-{mode}", mode, measured_s, 0.2, 1 << 18, "ebs", 0.3)


def measured(found: list[Disk], mode: str, said: list[dict[str, Any]] | None = None) -> dict[str, Any]:
    say = (said if said is not None else []).append
    told = DiskBench(found, phase(mode), say, lambda: False, {}).run()
    assert told.status == "ok", told.failure
    return told.document


def reading_of(document: dict[str, Any]) -> Reading:
    [reading] = diskbench.read(io.BytesIO(json.dumps(document).encode()))
    assert isinstance(reading, Reading), reading
    return reading


ONE_WAY = [pytest.param(mode, marks=pytest.mark.soak("tools")) for mode in ("read", "write")]


@pytest.mark.parametrize("mode", ["read-write", *ONE_WAY])
def test_what_is_told_is_what_stowage_reads(tmp_path: Path, mode: str) -> None:
    said: list[dict[str, Any]] = []
    reading = reading_of(measured(disks(tmp_path, 2), mode, said))
    assert (reading.tool, reading.status, reading.failure) == ("diskbench", "ok", None)
    metrics = {metric.name: metric.value for metric in reading.metrics}
    ways = {"read-write": {"read", "write"}, "read": {"read"}, "write": {"write"}}[mode]
    for way in ways:
        assert metrics[f"{way}_mb_per_s"] > 0
        assert metrics[f"{way}_mb"] > 0
    assert ("storage_mb_per_s" in metrics) == (mode == "read-write")
    if mode == "read-write":
        assert metrics["storage_mb_per_s"] == min(metrics["read_mb_per_s"], metrics["write_mb_per_s"])
    assert reading.settings["mode"] == mode
    assert reading.settings["disks"] == "2"
    assert reading.settings["direct"] == "true"
    assert reading.started_at is not None
    assert reading.host.nodes == 1
    assert any(event["event"] == "progress" for event in said)


def parts_of(count: int, mode: str, tmp_path: Path) -> list[Part]:
    found = [Disk(f"{tmp_path}/{number}", 10 * (1 << 20) + 12345, is_device=False) for number in range(count)]
    filled = {disk.path: 6 << 20 for disk in found}
    return DiskBench(found, phase(mode), lambda _: None, lambda: False, filled)._parts()  # noqa: SLF001


@pytest.mark.parametrize("count", range(1, 9))
def test_half_of_the_disks_read_while_half_write(tmp_path: Path, count: int) -> None:
    parts = parts_of(count, "read-write", tmp_path)
    ways = [part.way for part in parts]
    assert ways.count("read") == ways.count("write") == (count + 1) // 2
    for part in parts:
        assert part.offset_bytes % (1 << 18) == part.size_bytes % (1 << 18) == 0
        assert 0 < part.offset_bytes + part.size_bytes <= 10 * (1 << 20) + 12345
    both = {part.path for part in parts if part.way == "read"} & {part.path for part in parts if part.way == "write"}
    assert len(both) == count % 2
    for path in both:
        read, written = (next(p for p in parts if p.path == path and p.way == way) for way in ("read", "write"))
        assert read.offset_bytes + read.size_bytes <= written.offset_bytes


@pytest.mark.parametrize("mode", ["read", "write"])
def test_all_disks_take_part_in_one_way(tmp_path: Path, mode: str) -> None:
    parts = parts_of(3, mode, tmp_path)
    assert [part.way for part in parts] == [mode] * 3
    # Only data that was written is read; the rest would cost the disk nothing.
    assert all(part.size_bytes == (6 << 20 if mode == "read" else 10 << 20) for part in parts)


def test_before_the_first_reading_disks_are_written(tmp_path: Path) -> None:
    [disk] = disks(tmp_path, 1)
    assert Path(disk.path).stat().st_blocks == 0
    filled: dict[str, int] = {}
    DiskBench([disk], phase("read"), lambda _: None, lambda: False, filled).run()
    assert filled == {disk.path: SIZE}
    assert Path(disk.path).stat().st_blocks * 512 >= SIZE


def test_a_disk_that_goes_wrong_is_told(tmp_path: Path) -> None:
    told = run_fio([Part(f"{tmp_path}/none", "read", 0, 1 << 20)], 1 << 18, 0.0, 1.0, lambda *_: None, lambda: False)
    assert isinstance(told, FioOutput)
    assert told.failure is not None
    assert list(tmp_path.iterdir()) == []


def test_a_failed_measurement_is_read_as_failed(tmp_path: Path) -> None:
    found = [Disk(f"{tmp_path}/none", SIZE, is_device=False)]
    told = DiskBench(found, phase("write"), lambda _: None, lambda: False, {}).run()
    assert told.status == "failed"
    reading = reading_of(told.document)
    assert (reading.status, reading.metrics) == ("failed", ())


def test_what_was_measured_until_a_stop_is_read_as_partial(tmp_path: Path) -> None:
    seconds: list[dict[str, Any]] = []

    def is_stopping() -> bool:
        return sum(1 for event in seconds if event.get("progress")) >= 2

    told = DiskBench(disks(tmp_path, 2), phase("read-write", 600.0), seconds.append, is_stopping, {}).run()
    assert (told.status, told.failure) == ("partial", "it was stopped")
    reading = reading_of(told.document)
    assert reading.status == "partial"
    assert {metric.name for metric in reading.metrics} >= {"storage_mb_per_s", "read_mb_per_s"}
    assert reading.duration_s is not None
    assert reading.duration_s < 60


def command(tmp_path: Path, *arguments: str) -> list[str]:
    (tmp_path / "agent.pyz").write_bytes(bundle())
    return [sys.executable, "-I", str(tmp_path / "agent.pyz"), "disk", *arguments]


def test_by_hand_documents_go_to_standard_output(tmp_path: Path) -> None:
    folder = tmp_path / "data"
    folder.mkdir()
    asked = ["--path", str(folder), "--measured", "1", "--warm-up", "0", "--size", str(8 << 20)]
    asked += ["--mode", "write", "--mode", "read"]
    done = subprocess.run(command(tmp_path, *asked), capture_output=True, check=False)
    assert done.returncode == 0, done.stderr
    readings = list(diskbench.read(io.BytesIO(done.stdout)))
    assert [reading.settings["mode"] for reading in readings if isinstance(reading, Reading)] == [
        "write",
        "read",
    ]
    assert b"MB/s" in done.stderr
    assert list(folder.iterdir()) == []


def test_by_hand_it_is_ended_cleanly(tmp_path: Path) -> None:
    folder = tmp_path / "data"
    folder.mkdir()
    asked = command(tmp_path, "--path", str(folder), "--measured", "100", "--warm-up", "0", "--size", str(8 << 20))
    with subprocess.Popen([*USUAL_SIGNALS, *asked], stdout=subprocess.PIPE, stderr=subprocess.PIPE) as process:
        assert process.stderr is not None
        assert process.stdout is not None
        for line in process.stderr:
            if b"read-write" in line and not line.startswith(b"  0%"):
                break
        os.kill(process.pid, signal.SIGINT)
        told = process.stdout.read()
        assert process.wait() == 1
    [reading] = diskbench.read(io.BytesIO(told))
    assert isinstance(reading, Reading)
    assert reading.status in ("partial", "failed")
    assert list(folder.iterdir()) == []


@pytest.mark.parametrize(
    "asked",
    [
        ["--measured", "0"],
        ["--measured", "nan"],
        ["--warm-up", "-1"],
        ["--block", "1000"],
        ["--size", "1"],
        ["--path", "/nowhere"],
    ],
)
def test_by_hand_what_cannot_be_done_is_2(tmp_path: Path, asked: list[str]) -> None:
    done = subprocess.run(command(tmp_path, *asked), capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout) == (2, "")
    assert asked[-1] in done.stderr
