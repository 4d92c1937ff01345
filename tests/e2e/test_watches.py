"""Monitored volumes on the page: added, drawn beside the model, shown for longer spans, and ended."""

from datetime import UTC, datetime, timedelta
from uuid import UUID

import pytest
from playwright.sync_api import Page, expect

from browsing import violations
from quoted import connected
from stowage.features.monitoring import watched_metrics
from stowage.features.monitoring.store import metrics, watches
from stowage.features.monitoring.store.metrics import SeriesKey
from stowage.platform.database.database import Database

VOLUME = "vol-0123456789abcdef0"
COUNTED = {"VolumeReadBytes": 9.8e7 * 60, "VolumeWriteBytes": 0.0, "VolumeReadOps": 3_000 * 60.0, "VolumeWriteOps": 0.0}


def measured(database: Database, org_id: UUID, watch_id: UUID) -> None:
    """Store half an hour of CloudWatch metrics as a worker does: a gp2 volume that drains its bucket."""
    with database.transaction(org_id) as connection:
        watch = watches.get(connection, watch_id)
        assert watch is not None
        watches.describe(connection, watch_id, {"type": "gp2", "size_gib": 100, "iops": 300, "instance": "i-0a1b2c"})
        first = datetime.now(UTC).replace(second=0, microsecond=0) - timedelta(minutes=32)
        times = [first + timedelta(minutes=number) for number in range(30)]
        metrics.open_partitions(connection, times[0], times[-1])
    told = {name: dict.fromkeys(times, value) for name, value in COUNTED.items()}
    told["BurstBalance"] = {at: 100 * (1 - (number + 0.5) * 0.03) for number, at in enumerate(times)}
    keys = {
        name: SeriesKey(
            "AWS/EBS",
            name,
            "VolumeId",
            VOLUME,
            each.statistic,
            60,
            account_id=watch.account_id,
            region=watch.region,
        )
        for name in told
        for each in [watched_metrics.ALL["AWS/EBS", name]]
    }
    with database.transaction(org_id) as connection:
        series = metrics.series_of(connection, list(keys.values()))
        metrics.put_in(connection, {series[keys[name]]: points for name, points in told.items()})


@pytest.mark.soak("pages")
def test_a_volume_is_watched_drawn_and_let_go(page: Page, database: Database, org_id: UUID) -> None:
    connected(database, org_id)
    page.goto("/benchmarks/monitored")
    page.get_by_role("button", name="Monitor a volume").click()
    expect(page).to_have_url("/benchmarks/monitored?add=yes")
    page.get_by_label("Volume", exact=True).fill("vol-wrong")
    page.get_by_role("button", name="Start monitoring").click()
    expect(page.get_by_role("textbox", name="Volume", exact=True)).to_have_attribute("aria-invalid", "true")
    page.get_by_label("Volume", exact=True).fill(VOLUME)
    page.get_by_role("button", name="Start monitoring").click()
    expect(page.get_by_role("heading", name=VOLUME)).to_be_visible()
    measured(database, org_id, UUID(page.url.rpartition("/")[2]))
    page.reload()
    expect(page.get_by_text("gp2, 100 GiB, 300 IOPS, attached to i-0a1b2c")).to_be_visible()
    for title in ("Throughput", "Burst balance", "I/O operations"):
        expect(page.get_by_role("img", name=title)).to_be_visible()
    # The stored balance is that of a bucket of 5.4 million credits at 3,000 I/Os per second.
    balance = page.get_by_role("region", name="Burst balance")
    expect(balance).to_contain_text("Dashed: what the model expects, at most 1.5% of the bucket apart.")
    assert violations(page) == []
    page.get_by_text("24 h", exact=True).click()
    expect(page).to_have_url(f"{page.url.partition('?')[0]}?span=24h")
    expect(page.get_by_role("region", name="Throughput")).to_contain_text("Each step is 5 min")
    page.get_by_role("button", name="Stop monitoring").click()
    page.get_by_role("button", name="Stop", exact=True).click()
    expect(page.get_by_text("monitored until")).to_be_visible()
    page.goto("/benchmarks/monitored")
    expect(page.get_by_text("No volume is monitored yet.")).to_be_visible()
    page.get_by_label("With those that ended").check()
    expect(page.get_by_role("link", name=VOLUME)).to_be_visible()
