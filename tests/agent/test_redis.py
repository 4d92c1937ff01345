"""Redis with an append-only file on a disk: Stowage reads what Redis' own tools print."""

import io
import shutil
from pathlib import Path

import pytest

from stowage.measure import recognise
from stowage.measure.reading import Reading
from stowage_worker.agent.disks import at
from stowage_worker.agent.orders import RedisPhase
from stowage_worker.agent.redis import Redis

pytestmark = pytest.mark.skipif(
    shutil.which("redis-server") is None or shutil.which("redis-benchmark") is None, reason="Redis is not installed"
)


@pytest.mark.parametrize("sync", ["everysec", pytest.param("always", marks=pytest.mark.soak("tools"))])
def test_what_redis_benchmark_prints_is_what_stowage_reads(tmp_path: Path, sync: str) -> None:
    path = tmp_path / "disk"
    path.write_bytes(bytes(1 << 20))
    phase = RedisPhase(f"redis-{sync}", sync, 0.3, "ebs")
    told = Redis([at(str(path), destroy=True)], phase, lambda _: None, lambda: False).run()
    assert told.status == "ok", told.failure
    document = told.document
    assert (document["tool"], document["appendfsync"]) == ("redis-benchmark", sync)
    reader, whole = recognise.recognise(io.BytesIO(document["text"].encode()))
    readings = [found for found in reader.read(whole) if isinstance(found, Reading)]
    assert {reading.tool for reading in readings} == {"redis-benchmark"}
    assert all(metric.value > 0 for metric in readings[0].metrics if metric.name == "requests_per_s")
    # Every write was in the file before it was acknowledged: a value of 100 bytes each.
    assert document["append_only_mb"] > 0.2
    assert [left.name for left in tmp_path.iterdir()] == ["disk"]


def test_a_stop_leaves_nothing(tmp_path: Path) -> None:
    path = tmp_path / "disk"
    path.write_bytes(bytes(1 << 20))
    phase = RedisPhase("redis-always", "always", 600.0, "ebs")
    told = Redis([at(str(path), destroy=True)], phase, lambda _: None, lambda: True).run()
    assert (told.status, told.failure) == ("failed", "it was stopped")
    assert [left.name for left in tmp_path.iterdir()] == ["disk"]
