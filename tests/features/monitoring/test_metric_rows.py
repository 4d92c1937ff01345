"""Stored CloudWatch metrics: late points, missing points, charts of any span, partitions, and tenancy."""

import math
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime, timedelta
from typing import Any, NamedTuple
from uuid import UUID, uuid4

import psycopg
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from sqlalchemy import insert, text
from sqlalchemy.exc import DBAPIError

from database import opened, superuser, undone
from shared_postgres import new_database
from stowage.features.benchmarks.tables import aws_account
from stowage.features.monitoring.store import chart_data, metrics
from stowage.features.monitoring.store.chart_data import Kept, Resolution
from stowage.features.monitoring.store.metrics import SeriesKey
from stowage.platform.database.database import Database
from stowage.platform.database.embedded import APPLICATION_ROLE, GATE_ROLE, DatabaseUrls
from stowage.platform.database.migration import migrate, unmigrate
from stowage.platform.database.orgs import LOCAL_ORG_ID

MINUTE = timedelta(minutes=1)
TABLES = ("metric_point", "metric_five_minutes", "metric_hour")


def hour_before() -> datetime:
    """A recent full hour: older points than the current partitions are refused."""
    return datetime.now(UTC).replace(minute=0, second=0, microsecond=0) - timedelta(hours=3)


def an_account(database: Database, org_id: UUID) -> UUID:
    account_id = uuid4()
    values = {"id": account_id, "name": "lab", "external_id": uuid4().hex, "prefix": "stowage/"}
    with database.transaction(org_id) as connection:
        connection.execute(insert(aws_account), values | {"state": "unchecked", "findings": [], "person": "Ada"})
    return account_id


def a_series(database: Database, org_id: UUID, metric: str = "VolumeReadBytes", volume: str = "vol-0a1b2c3d") -> int:
    key = SeriesKey(
        "AWS/EBS", metric, "VolumeId", volume, "Sum", 60, account_id=an_account(database, org_id), region="us-east-1"
    )
    with database.transaction(org_id) as connection:
        return metrics.series_of(connection, [key])[key]


def put(database: Database, org_id: UUID, points: Mapping[int, Mapping[datetime, float]]) -> int:
    times = [at for each in points.values() for at in each]
    with database.transaction(org_id) as connection:
        metrics.open_partitions(connection, min(times), max(times))
    with database.transaction(org_id) as connection:
        return metrics.put_in(connection, points)


class Bucket(NamedTuple):
    """The points of one step of a chart."""

    at: datetime
    points: int
    total: float
    smallest: float
    largest: float


def drawn(
    database: Database, org_id: UUID, series: int, start: datetime, hours: float, resolution: Resolution
) -> tuple[Bucket, ...]:
    with database.transaction(org_id) as connection:
        found = chart_data.read(connection, [series], start, start + timedelta(hours=hours), resolution)
    if series not in found:
        return ()
    columns = [getattr(found[series], name).tolist() for name in Bucket._fields[1:]]
    steps = [start + number * timedelta(seconds=resolution.step_s) for number in range(len(columns[0]))]
    return tuple(Bucket(*each) for each in zip(steps, *columns, strict=True) if not math.isnan(each[1]))


def by_hand(points: Mapping[datetime, float], step_s: int) -> tuple[Bucket, ...]:
    """Aggregate points in a plain loop."""
    groups: dict[datetime, list[float]] = {}
    for at, value in sorted(points.items()):
        seconds = int(at.timestamp())
        groups.setdefault(datetime.fromtimestamp(seconds - seconds % step_s, UTC), []).append(value)
    return tuple(Bucket(at, len(each), math.fsum(each), min(each), max(each)) for at, each in groups.items())


def same(found: Sequence[Bucket], expected: Sequence[Bucket]) -> bool:
    return [(b.at, b.points, b.smallest, b.largest) for b in found] == [
        (b.at, b.points, b.smallest, b.largest) for b in expected
    ] and [b.total for b in found] == pytest.approx([b.total for b in expected])


@pytest.mark.parametrize(
    "resolution", [Resolution("points", 60), Resolution("five minutes", 300), Resolution("hours", 3600)]
)
def test_what_is_drawn_is_what_a_plain_loop_makes_of_the_points(
    database: Database, org_id: UUID, resolution: Resolution
) -> None:
    series, start = a_series(database, org_id), hour_before()
    # Every seventh minute is missing.
    points = {start + number * MINUTE: float(number**2 % 97) for number in range(150) if number % 7}
    assert put(database, org_id, {series: points}) == 3
    found = drawn(database, org_id, series, start, 3, resolution)
    assert same(found, by_hand(points, resolution.step_s))


@pytest.mark.parametrize("resolution", [Resolution("hours", 86_400), Resolution("hours", 21_600)])
def test_the_last_day_of_a_chart_counts_up_to_its_end(database: Database, org_id: UUID, resolution: Resolution) -> None:
    series, start = a_series(database, org_id), chart_data.begins(hour_before() - timedelta(days=3), 86_400)
    points = {start + number * timedelta(hours=1): float(number**2 % 97) for number in range(60) if number % 7}
    put(database, org_id, {series: points})
    shown = {at: value for at, value in points.items() if at < start + timedelta(hours=30.5)}
    assert same(drawn(database, org_id, series, start, 30.5, resolution), by_hand(shown, resolution.step_s))
    # Late points of a day that is stored.
    late = {start + timedelta(hours=number): 1000.0 + number for number in (14, 21)}
    put(database, org_id, {series: late})
    assert same(
        drawn(database, org_id, series, start, 48, resolution),
        by_hand(
            {at: value for at, value in (points | late).items() if at < start + timedelta(hours=48)}, resolution.step_s
        ),
    )


@pytest.mark.parametrize(("kept", "period_s"), [("points", 60), ("five minutes", 300), ("hours", 3600)])
def test_the_means_of_periods_are_those_of_a_plain_loop(
    database: Database, org_id: UUID, kept: Kept, period_s: int
) -> None:
    series, start = a_series(database, org_id), hour_before()
    points = {start + number * MINUTE: float(number**2 % 97) for number in range(150) if number % 7 and number > 20}
    put(database, org_id, {series: points})
    with database.transaction(org_id) as connection:
        [found] = chart_data.read_means(connection, [series], start, start + timedelta(hours=3), kept).values()
    expected = {bucket.at: bucket.total / bucket.points for bucket in by_hand(points, period_s)}
    assert len(found) == 3 * 3600 // period_s
    for number, mean in enumerate(found.tolist()):
        wanted = expected.get(start + timedelta(seconds=number * period_s))
        assert math.isnan(mean) if wanted is None else mean == pytest.approx(wanted)


def test_a_point_that_comes_late_counts_in_its_minute_its_five_minutes_and_its_hour(
    database: Database, org_id: UUID
) -> None:
    series, start = a_series(database, org_id), hour_before()
    points = {start + number * MINUTE: 10.0 for number in range(60) if number not in {17, 18}}
    put(database, org_id, {series: points})
    before = drawn(database, org_id, series, start, 1, Resolution("hours", 3600))
    late = {start + 17 * MINUTE: 500.0}
    assert put(database, org_id, {series: late}) == 1
    points |= late
    assert before == (Bucket(start, 58, 580.0, 10.0, 10.0),)
    for resolution in (Resolution("points", 60), Resolution("five minutes", 300), Resolution("hours", 3600)):
        assert same(drawn(database, org_id, series, start, 1, resolution), by_hand(points, resolution.step_s))


def test_a_point_is_written_over_what_was_there_and_the_same_again_is_nothing(database: Database, org_id: UUID) -> None:
    series, start = a_series(database, org_id), hour_before()
    assert put(database, org_id, {series: {start: 5.0, start + MINUTE: 6.0}}) == 1
    assert put(database, org_id, {series: {start: 5.0, start + MINUTE: 6.0}}) == 0
    assert put(database, org_id, {series: {start: 7.0, start + MINUTE: 6.0}}) == 1
    assert drawn(database, org_id, series, start, 1, Resolution("hours", 3600)) == (Bucket(start, 2, 13.0, 6.0, 7.0),)


def test_whole_numbers_are_taken_beside_others(database: Database, org_id: UUID) -> None:
    series, start = a_series(database, org_id), hour_before()
    assert put(database, org_id, {series: {start: 5, start + MINUTE: 6.5}}) == 1
    assert drawn(database, org_id, series, start, 1, Resolution("hours", 3600)) == (Bucket(start, 2, 11.5, 5.0, 6.5),)


@settings(max_examples=25, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    batches=st.lists(
        st.dictionaries(st.integers(0, 150), st.floats(0, 1e15, allow_nan=False), min_size=1, max_size=30),
        min_size=1,
        max_size=4,
    )
)
def test_batches_in_any_order_leave_what_the_last_of_each_minute_said(
    database: Database, org_id: UUID, batches: list[dict[int, float]]
) -> None:
    series, start = a_series(database, org_id, volume=f"vol-{uuid4().hex[:17]}"), hour_before()
    points: dict[datetime, float] = {}
    for batch in batches:
        given_now = {start + minute * MINUTE: value for minute, value in batch.items()}
        put(database, org_id, {series: given_now})
        points |= given_now
    for resolution in (Resolution("points", 60), Resolution("five minutes", 300), Resolution("hours", 3600)):
        assert same(drawn(database, org_id, series, start, 3, resolution), by_hand(points, resolution.step_s))


def test_the_series_of_a_key_is_always_the_same_and_another_teams_another(
    database: Database, org_id: UUID, other_org_id: UUID
) -> None:
    account = an_account(database, org_id)
    keys = [
        SeriesKey("AWS/EBS", metric, "VolumeId", "vol-0a1b2c3d", "Sum", 60, account_id=account, region="us-east-1")
        for metric in ("VolumeReadBytes", "VolumeWriteBytes")
    ]
    with database.transaction(org_id) as connection:
        first = metrics.series_of(connection, keys[:1])
        both = metrics.series_of(connection, [*keys, keys[0]])
        found = metrics.find_series(connection, ["vol-0a1b2c3d"])
    assert both[keys[0]] == first[keys[0]]
    assert [(each.key, each.id) for each in found] == [(key, both[key]) for key in keys]
    with database.transaction(other_org_id) as connection:
        assert metrics.find_series(connection, ["vol-0a1b2c3d"]) == ()


def test_points_are_out_of_reach_of_other_teams_through_every_table_and_every_partition(
    postgres: DatabaseUrls, database: Database, org_id: UUID, other_org_id: UUID
) -> None:
    series, start = a_series(database, org_id), hour_before()
    put(database, org_id, {series: {start: 5.0}})
    for resolution in (Resolution("points", 60), Resolution("five minutes", 300), Resolution("hours", 3600)):
        assert drawn(database, other_org_id, series, start, 1, resolution) == ()
        assert drawn(database, org_id, series, start, 1, resolution)
    with superuser(postgres) as connection:
        parts = connection.execute(
            "SELECT relname, relrowsecurity, relforcerowsecurity FROM pg_class "
            "WHERE relnamespace = 'metric_parts'::regnamespace AND relkind = 'r'"
        ).fetchall()
        usage = connection.execute(
            "SELECT has_schema_privilege(%s, 'metric_parts', 'USAGE, CREATE'), "
            "has_schema_privilege(%s, 'metric_parts', 'USAGE, CREATE')",
            [APPLICATION_ROLE, GATE_ROLE],
        ).fetchone()
    assert len(parts) >= 3
    assert {(enabled, forced) for _, enabled, forced in parts} == {(True, True)}
    assert usage == (False, False)
    for name, _, _ in parts:
        with pytest.raises(DBAPIError, match="permission denied"), undone(database, org_id) as connection:
            connection.execute(text(f"SELECT FROM metric_parts.{name}"))


def test_a_team_cannot_overwrite_points_of_another_teams_series(
    database: Database, org_id: UUID, other_org_id: UUID
) -> None:
    series, start = a_series(database, org_id), hour_before()
    put(database, org_id, {series: {start: 5.0}})
    with pytest.raises(DBAPIError, match="row-level security"), database.transaction(other_org_id) as connection:
        metrics.put_in(connection, {series: {start: 6.0}})
    assert drawn(database, org_id, series, start, 1, Resolution("points", 60)) == (Bucket(start, 1, 5.0, 5.0, 5.0),)


@pytest.mark.parametrize("days", [-460, 10])
def test_partitions_of_a_time_that_is_not_kept_are_refused(database: Database, org_id: UUID, days: int) -> None:
    at = datetime.now(UTC) + timedelta(days=days)
    with pytest.raises(DBAPIError, match="are not kept"), undone(database, org_id) as connection:
        metrics.open_partitions(connection, at, at)


def test_a_partition_goes_when_all_of_it_is_too_old_and_the_others_stay() -> None:
    urls = new_database()
    with superuser(urls) as connection, opened(urls.application) as database:
        partitions_before = names_of(connection)
        for name, days in (("metric_point", 20), ("metric_five_minutes", 80), ("metric_hour", 500)):
            old_partition(connection, name, days)
        old_partition(connection, "metric_point", 15)
        kept = names_of(connection)
        with database.transaction(None) as application:
            assert metrics.drop_partitions(application) == 3
            assert metrics.drop_partitions(application) == 0
        left = names_of(connection)
    assert len(kept) == len(partitions_before) + 4
    assert len(left) == len(partitions_before) + 1


def test_stored_points_survive_the_change_to_arrays_and_back() -> None:
    urls, at = new_database(), hour_before()
    # Two days and gaps in each table; the first hour has a single point.
    times = [at - timedelta(hours=30), *(at + number * MINUTE for number in range(150) if number % 7)]
    with superuser(urls) as connection, opened(urls.application) as database:
        points = {moment: float(number**2 % 97) for number, moment in enumerate(times)}
        for name in ("VolumeReadBytes", "VolumeWriteBytes"):
            put(database, LOCAL_ORG_ID, {a_series(database, LOCAL_ORG_ID, name): points})
        arrays = contents(connection)
        unmigrate(urls.owner, APPLICATION_ROLE, GATE_ROLE, "0035")
        rows = contents(connection)
        migrate(urls.owner, APPLICATION_ROLE, GATE_ROLE)
        again = contents(connection)
    assert [len(each) for each in rows] == [2 * len(times), 2 * (1 + 30), 2 * (1 + 3)]
    assert [(moment, value) for series, moment, _, value in rows[0] if series == 1] == list(points.items())
    assert rows[2][0][3:] == (1, 0.0, 0.0, 0.0)
    assert again == arrays


def contents(connection: psycopg.Connection[tuple[object, ...]]) -> list[list[tuple[Any, ...]]]:
    return [connection.execute(f"SELECT * FROM {table} ORDER BY series_id, at".encode()).fetchall() for table in TABLES]


def old_partition(connection: psycopg.Connection[tuple[object, ...]], table: str, days: int) -> None:
    """Create the partition of some days ago, as it was created then."""
    connection.execute(
        f"DO $$ DECLARE width interval := (SELECT width FROM metric_partitioning() WHERE parent = '{table}'); "
        f"starts timestamptz := date_bin(width, now() - interval '{days} days', '2001-01-01 00:00:00+00'); "
        f"BEGIN EXECUTE format('CREATE TABLE metric_parts.%I PARTITION OF {table} FOR VALUES FROM (%L) TO (%L)', "
        f"'{table}' || to_char(starts AT TIME ZONE 'UTC', '_YYYYMMDD'), starts, starts + width); END $$".encode()
    )


def names_of(connection: psycopg.Connection[tuple[object, ...]]) -> set[object]:
    rows = connection.execute(
        "SELECT relname FROM pg_class WHERE relnamespace = 'metric_parts'::regnamespace AND relkind = 'r'"
    )
    return {name for (name,) in rows}


def test_with_a_series_its_points_go(
    postgres: DatabaseUrls, database: Database, gate: Database, org_id: UUID, other_org_id: UUID
) -> None:
    start = hour_before()
    series = {team: a_series(database, team) for team in (org_id, other_org_id)}
    for team, each in series.items():
        put(database, team, {each: {start: 5.0}})
    with gate.transaction(org_id) as connection:
        connection.execute(text("DELETE FROM org WHERE org_id = :org"), {"org": org_id})
    with superuser(postgres) as connection:
        for table in TABLES:
            counted = connection.execute(
                f"SELECT count(*) FILTER (WHERE org_id = %s), count(*) FILTER (WHERE org_id = %s) FROM {table}",
                [org_id, other_org_id],
            ).fetchone()
            assert counted == (0, 1), table


def test_a_chart_is_as_fine_as_its_steps_allow_and_as_what_is_kept() -> None:
    now = datetime(2026, 11, 21, 12, tzinfo=UTC)

    def of(start_days: float, length_days: float) -> Resolution:
        start = now - timedelta(days=start_days)
        return chart_data.resolution(start, start + timedelta(days=length_days), most=500, now=now)

    assert of(0.25, 0.25) == Resolution("points", 60)
    assert of(1, 1) == Resolution("five minutes", 300)
    assert of(16, 0.1) == Resolution("five minutes", 300)
    assert of(60, 60) == Resolution("hours", 10_800)
    assert of(64, 0.1) == Resolution("hours", 3600)
    assert of(455, 455) == Resolution("hours", 86_400)
    assert of(9000, 9000) == Resolution("hours", 3 * 7 * 86_400)


@given(days=st.floats(0.001, 3000), most=st.integers(1, 3000), age=st.floats(0, 3000))
def test_no_chart_has_more_steps_than_asked_but_for_the_one_it_is_cut_by(days: float, most: int, age: float) -> None:
    now = datetime(2026, 11, 21, 12, tzinfo=UTC)
    start = now - timedelta(days=age)
    found = chart_data.resolution(start, start + timedelta(days=days), most=most, now=now)
    assert timedelta(days=days) / timedelta(seconds=found.step_s) <= most
    assert found.step_s % {"points": 60, "five minutes": 300, "hours": 3600}[found.kept] == 0
    first = chart_data.begins(start, found.step_s)
    assert first <= start < first + timedelta(seconds=found.step_s)


def test_the_newest_point_of_each_series_is_found(database: Database, org_id: UUID) -> None:
    start = hour_before()
    one, other = a_series(database, org_id), a_series(database, org_id, "VolumeWriteBytes")
    put(database, org_id, {one: {start: 1.0, start + MINUTE: 2.0}, other: {start: 3.0}})
    with database.transaction(org_id) as connection:
        assert metrics.newest(connection, [one, other], start) == {one: (start + MINUTE, 2.0), other: (start, 3.0)}
        assert metrics.newest(connection, [one, other], start + MINUTE) == {one: (start + MINUTE, 2.0)}
