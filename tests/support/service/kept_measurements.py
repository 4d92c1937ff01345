"""Saved measurements of a team, for tests of their effects rather than of parsing."""

import hashlib
from collections.abc import Sequence
from datetime import UTC, datetime, timedelta
from typing import Any
from uuid import UUID, uuid4

from sqlalchemy import insert

from stowage.features.catalog.catalogs import newest_catalog
from stowage.features.measurements import profiles, stored_readings
from stowage.features.measurements.store.measurements import StoredMeasurement, insert_all
from stowage.features.measurements.tables import VerdictWord, upload
from stowage.measure.reading import Metric, PrintedValue, Reading, Series
from stowage.measure.target import DiskTarget, Target, VolumeTarget
from stowage.platform.database.database import Connection, Database

FIRST = datetime(2026, 11, 1, 12, tzinfo=UTC)


def network(instance: str, nodes: int = 2, region: str = "us-east-1", *, group: bool | None = True) -> Target:
    """Return the target of a pair, or of more nodes, of a type whose network was measured."""
    return Target(instance, region, None, None, nodes, group)


def disks(instance: str, count: int, region: str = "us-east-1") -> Target:
    """Return the target of a node's own disks."""
    return Target(instance, region, None, DiskTarget(count), 1, None)


def volume(instance: str, storage: VolumeTarget, region: str = "us-east-1") -> Target:
    """Return the target of a node's EBS volumes."""
    return Target(instance, region, None, storage, 1, None)


def iperf3(mb_per_s: float, at: datetime, name: str = "iperf3 -c 10.0.0.7 -P 8 -t 3600") -> Reading:
    """Return the result of a good hour of iperf3 between two machines."""
    return Reading(
        tool="iperf3",
        tool_version="iperf 3.16",
        status="ok",
        failure=None,
        name=name,
        line=1,
        metrics=(
            Metric("network_mb_per_s", mb_per_s, PrintedValue(f"{mb_per_s * 8e6:.6e}", "bits/s", "bits_per_second")),
        ),
        settings={"protocol": "TCP", "num_streams": "8", "host": "10.0.0.7", "duration": "3600"},
        started_at=at,
        duration_s=3600.0,
    )


def fio(read_mb_per_s: float, write_mb_per_s: float, at: datetime) -> Sequence[Reading]:
    """Return the results of two good runs of fio over all disks of a node: one reads, one writes."""

    def run(way: str, rate: float) -> Reading:
        settings = {"rw": way, "bs": "1M", "iodepth": "32", "numjobs": "8", "group_reporting": "1", "direct": "1"}
        settings |= {"runtime": "600", "ramp_time": "60", "time_based": "1", "ioengine": "libaio"}
        name = {"read": "read_mb_per_s", "write": "write_mb_per_s"}[way]
        told = PrintedValue(str(rate * 1e6), "B/s", "bw_bytes")
        return Reading(
            tool="fio",
            tool_version="fio-3.33",
            status="ok",
            failure=None,
            name=f"seq-{way}",
            line=1,
            metrics=(Metric(name, rate, told),),
            settings=settings,
            started_at=at,
            duration_s=600.0,
        )

    return run("read", read_mb_per_s), run("write", write_mb_per_s)


def sar(at: datetime, busy: Sequence[float]) -> Reading:
    """Return the idle time of the CPUs, a value every ten seconds, as sar reports it."""
    times = tuple(10.0 * (place + 1) for place in range(len(busy)))
    idle = tuple(1.0 - each for each in busy)
    return Reading(
        tool="sar",
        tool_version="12.6.1",
        status="ok",
        failure=None,
        name="sar -u 10",
        line=1,
        metrics=(),
        started_at=at,
        duration_s=times[-1],
        series=(Series("cpu_idle_share", "all", at, times, idle, idle),),
    )


def keep(
    database: Database, org_id: UUID, measured: Sequence[tuple[Reading, Target]], verdict: VerdictWord = "good"
) -> tuple[UUID, ...]:
    """Save measurements as an upload would, and recompute the team's profiles."""
    catalog = newest_catalog(database)
    with database.transaction(org_id) as connection:
        upload_id = _kept_upload(connection)
        rows = [_row(reading, target, upload_id, at, verdict) for at, (reading, target) in enumerate(measured)]
        insert_all(connection, rows)
        profiles.renew(connection, catalog, f"{len(rows)} measurements kept")
    return tuple(row.id for row in rows)


def keep_network(
    database: Database, org_id: UUID, target: Target, rates: Sequence[float], first: datetime = FIRST
) -> tuple[UUID, ...]:
    """Save a series of iperf3 results, a day apart."""
    days = [first + timedelta(days=day) for day in range(len(rates))]
    return keep(database, org_id, [(iperf3(rate, day), target) for rate, day in zip(rates, days, strict=True)])


def _kept_upload(connection: Connection) -> UUID:
    upload_id = uuid4()
    row: dict[str, Any] = {"id": upload_id, "name": "results.json", "size_bytes": 1, "received_bytes": 1}
    connection.execute(insert(upload).values(**row, state="kept", person="Ada", expires_at=None))
    return upload_id


def _row(reading: Reading, target: Target, upload_id: UUID, position: int, verdict: VerdictWord) -> StoredMeasurement:
    document = stored_readings.written(reading)
    measured_at = document.pop("started_at")
    return StoredMeasurement(
        **document,
        id=uuid4(),
        upload_id=upload_id,
        member="",
        position=position,
        fingerprint=hashlib.sha256(uuid4().bytes).digest(),
        measured_at=None if measured_at is None else datetime.fromisoformat(measured_at),
        target=target.to_dict(),
        instance=target.instance,
        region=target.region,
        verdict=verdict,
        reasons=[],
        source=None,
        person="Ada",
        created_at=datetime.now(UTC),
    )
