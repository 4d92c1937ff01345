"""Reading CloudWatch for watched volumes and runs: late, missing and refused points, and charts."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from decimal import Decimal
from typing import Any
from uuid import UUID, uuid4

import pytest
from sqlalchemy import update

from aws_account import Simulated, connected_account
from database import superuser
from laboratory.account import ACCOUNT, BUCKET, REGION, ROLE
from quoted import approved
from stowage.features.benchmarks.store import aws_accounts, runs
from stowage.features.benchmarks.store.aws_accounts import StoredAccount
from stowage.features.benchmarks.stored_runs import reconciled, run_of
from stowage.features.monitoring import watches as views
from stowage.features.monitoring import watching
from stowage.features.monitoring.schemas import MetricsAnswer, MetricSeriesAnswer
from stowage.features.monitoring.store import metrics, watches
from stowage.features.monitoring.store.watches import NewWatch, StoredWatch
from stowage.features.monitoring.tables import watch
from stowage.platform.database.database import Database
from stowage.platform.database.embedded import DatabaseUrls
from stowage.platform.jobs.queue import METRICS_EVERY_S, Queue
from stowage.runs.run import Resource
from stowage.runs.spec import RunSpec, Volumes
from stowage_worker.aws.clouds import AwsClouds

MINUTE = timedelta(minutes=1)


@pytest.fixture(scope="module")
def simulation() -> Iterator[Simulated]:
    with connected_account() as simulated:
        yield simulated


@pytest.fixture
def aws(simulation: Simulated, monkeypatch: pytest.MonkeyPatch) -> Iterator[Simulated]:
    for name, value in simulation.answers().items():
        monkeypatch.setenv(name, value)
    yield simulation
    simulation.between.heal()
    simulation.between.revoked = False


@pytest.fixture
def account_id(database: Database, org_id: UUID, aws: Simulated) -> UUID:
    """Connect the simulated account, whose role from now on trusts only this connection."""
    account_id = uuid4()
    aws.enforced.trust(f"external-{account_id}")
    aws.between.external_id = f"external-{account_id}"
    account = StoredAccount(
        id=account_id,
        name="Benchmarks",
        account=ACCOUNT,
        role_arn=ROLE,
        external_id=f"external-{account_id}",
        bucket=BUCKET,
        prefix="stowage/",
        bucket_region=REGION,
        month_limit_usd=Decimal(100),
        state="connected",
        findings=[],
        problem=None,
        checked_at=None,
        person="Ada",
        created_at=datetime.now(UTC),
    )
    with database.transaction(org_id) as connection:
        assert aws_accounts.add(connection, account)
    return account_id


def now() -> datetime:
    return datetime.now(UTC).replace(second=30, microsecond=0)


def a_volume(aws: Simulated, kind: str = "gp2", size_gib: int = 100, **settings: int) -> str:
    zone = f"{REGION}a"
    made = aws.account.ec2.create_volume(AvailabilityZone=zone, Size=size_gib, VolumeType=kind, **settings)
    volume_id: str = made["VolumeId"]
    return volume_id


def measured(
    aws: Simulated,
    resource: str,
    metric: str,
    points: Mapping[datetime, float],
    *,
    of: tuple[str, str] = ("AWS/EBS", "VolumeId"),
) -> None:
    """Store points in CloudWatch."""
    data: list[Any] = [
        {"MetricName": metric, "Dimensions": [{"Name": of[1], "Value": resource}], "Timestamp": at, "Value": value}
        for at, value in points.items()
    ]
    aws.account.cloudwatch.put_metric_data(Namespace=of[0], MetricData=data)


def watched(database: Database, org_id: UUID, account_id: UUID, volume_id: str) -> UUID:
    watch_id, at = uuid4(), datetime.now(UTC) - MINUTE
    with database.transaction(org_id) as connection:
        assert watches.add(connection, NewWatch(watch_id, account_id, REGION, volume_id, "Ada", at, at))
    return watch_id


def read_again(database: Database, org_id: UUID, at: datetime) -> None:
    """Read as if it were due."""
    with database.transaction(org_id) as connection:
        connection.execute(update(watch).values(next_read_at=at - MINUTE))
    watching.read(database, AwsClouds(), org_id, at)


def stored(database: Database, org_id: UUID, watch_id: UUID) -> StoredWatch:
    with database.transaction(org_id) as connection:
        found = watches.get(connection, watch_id)
    assert found is not None
    return found


def drawn(database: Database, org_id: UUID, watch_id: UUID, at: datetime, minutes: int = 60) -> MetricsAnswer:
    start = at - timedelta(minutes=minutes)
    return views.read_series(database, org_id, watch_id, start=start, end=at, most=1000, now=at)


def named(answer: MetricsAnswer, name: str) -> MetricSeriesAnswer:
    [found] = [each for each in answer.series if each.name == name]
    return found


def mean_at(answer: MetricsAnswer, name: str, at: datetime) -> float | None:
    return named(answer, name).mean[(at - answer.start) // timedelta(seconds=answer.step_s)]


def test_throughput_is_the_sum_of_a_minute_by_its_seconds_and_what_is_missing_stays_missing(
    aws: Simulated, database: Database, org_id: UUID, account_id: UUID
) -> None:
    at, volume_id = now(), a_volume(aws)
    minute = at.replace(second=0) - 10 * MINUTE
    measured(aws, volume_id, "VolumeReadBytes", {minute: 6e9, minute + 2 * MINUTE: 3e9})
    measured(aws, volume_id, "VolumeQueueLength", {minute: 3.5})
    measured(aws, volume_id, "BurstBalance", {minute: 87.0})
    watch_id = watched(database, org_id, account_id, volume_id)
    watching.read(database, AwsClouds(), org_id, at)
    answer = drawn(database, org_id, watch_id, at)
    assert mean_at(answer, "read_mb_per_s", minute) == pytest.approx(100.0)
    assert mean_at(answer, "read_mb_per_s", minute + MINUTE) is None
    assert mean_at(answer, "read_mb_per_s", minute + 2 * MINUTE) == pytest.approx(50.0)
    assert mean_at(answer, "queue_length", minute) == pytest.approx(3.5)
    assert mean_at(answer, "burst_balance", minute) == pytest.approx(0.87)
    told = views.read(database, org_id, watch_id, now=at)
    assert told.volume is not None
    assert (told.volume.type, told.volume.size_gib, told.volume.instance) == ("gp2", 100, None)
    assert told.volume.words.endswith("not attached")
    assert {each.name: each.value for each in told.latest}["read_mb_per_s"] == pytest.approx(50.0)
    assert told.problem is None
    assert told.read_until == at


def test_a_point_that_comes_late_is_in_the_next_reading_and_is_drawn(
    aws: Simulated, database: Database, org_id: UUID, account_id: UUID
) -> None:
    at, volume_id = now(), a_volume(aws)
    minute = at.replace(second=0) - 12 * MINUTE
    measured(aws, volume_id, "VolumeWriteBytes", {minute: 6e8, minute + 2 * MINUTE: 6e8})
    watch_id = watched(database, org_id, account_id, volume_id)
    watching.read(database, AwsClouds(), org_id, at)
    assert mean_at(drawn(database, org_id, watch_id, at), "write_mb_per_s", minute + MINUTE) is None
    measured(aws, volume_id, "VolumeWriteBytes", {minute + MINUTE: 1.2e9})
    later = at + 5 * MINUTE
    read_again(database, org_id, later)
    answer = drawn(database, org_id, watch_id, later)
    told = [mean_at(answer, "write_mb_per_s", minute + number * MINUTE) for number in range(3)]
    assert told == pytest.approx([10.0, 20.0, 10.0])


def test_after_a_failure_nothing_that_cloudwatch_still_has_is_missing(
    aws: Simulated, database: Database, org_id: UUID, account_id: UUID
) -> None:
    at, volume_id = now() - timedelta(hours=3), a_volume(aws)
    minutes = [at.replace(second=0) + number * MINUTE for number in range(-5, 150)]
    watch_id = watched(database, org_id, account_id, volume_id)
    measured(aws, volume_id, "VolumeReadBytes", {each: 6e7 for each in minutes if each < at})
    read_again(database, org_id, at)
    aws.between.fail("cloudwatch:GetMetricData", "deny", times=None)
    measured(aws, volume_id, "VolumeReadBytes", {each: 6e7 for each in minutes if each >= at})
    for minutes_later in (60, 120):
        read_again(database, org_id, at + minutes_later * MINUTE)
    failed = stored(database, org_id, watch_id)
    assert failed.problem is not None
    assert "cloudwatch:GetMetricData" in failed.problem
    assert failed.read_until == at
    aws.between.heal()
    end = now()
    read_again(database, org_id, end)
    answer = drawn(database, org_id, watch_id, end, minutes=240)
    assert [mean_at(answer, "read_mb_per_s", each) for each in minutes] == pytest.approx([1.0] * len(minutes))
    assert stored(database, org_id, watch_id).problem is None


@pytest.mark.parametrize(
    ("kind", "settings", "asked", "never"),
    [
        ("gp2", {}, "BurstBalance", "VolumeThroughputPercentage"),
        ("st1", {}, "BurstBalance", "VolumeThroughputPercentage"),
        ("gp3", {}, "VolumeQueueLength", "BurstBalance"),
        ("io2", {"Iops": 1000}, "VolumeThroughputPercentage", "BurstBalance"),
    ],
)
def test_a_volume_is_asked_for_the_metrics_that_its_type_has(
    aws: Simulated,
    database: Database,
    org_id: UUID,
    account_id: UUID,
    kind: str,
    settings: dict[str, int],
    asked: str,
    never: str,
) -> None:
    at, volume_id = now(), a_volume(aws, kind, 500, **settings)
    minute = at.replace(second=0) - 10 * MINUTE
    # The simulated CloudWatch has both: metrics that were not requested are not stored.
    for metric in (asked, never):
        measured(aws, volume_id, metric, {minute: 50.0})
    watch_id = watched(database, org_id, account_id, volume_id)
    watching.read(database, AwsClouds(), org_id, at)
    assert {each.metric for each in drawn(database, org_id, watch_id, at).series} == {asked}


@pytest.mark.soak("aws")
def test_of_an_attached_volume_the_instances_link_and_network_are_read_too_and_hold_for_five_minutes(
    aws: Simulated, database: Database, org_id: UUID, account_id: UUID
) -> None:
    ec2, volume_id, at = aws.account.ec2, a_volume(aws), now()
    image = ec2.describe_images()["Images"][0]["ImageId"]
    [made] = ec2.run_instances(
        ImageId=image, MinCount=1, MaxCount=1, InstanceType="m5.large", Placement={"AvailabilityZone": f"{REGION}a"}
    )["Instances"]
    ec2.attach_volume(VolumeId=volume_id, InstanceId=made["InstanceId"], Device="/dev/sdf")
    five = datetime.fromtimestamp(at.timestamp() // 300 * 300 - 600, UTC)
    measured(aws, made["InstanceId"], "EBSByteBalance%", {five: 64.0}, of=("AWS/EC2", "InstanceId"))
    measured(aws, made["InstanceId"], "NetworkIn", {five: 3e10}, of=("AWS/EC2", "InstanceId"))
    watch_id = watched(database, org_id, account_id, volume_id)
    watching.read(database, AwsClouds(), org_id, at)
    answer = drawn(database, org_id, watch_id, at)
    held = [mean_at(answer, "link_byte_balance", five + number * MINUTE) for number in range(-1, 6)]
    assert held[0] is held[6] is None
    assert held[1:6] == pytest.approx([0.64] * 5)
    assert mean_at(answer, "received_mb_per_s", five) == pytest.approx(100.0)
    ec2.terminate_instances(InstanceIds=[made["InstanceId"]])


def test_what_is_in_the_way_is_said_at_the_volume(
    aws: Simulated, database: Database, org_id: UUID, account_id: UUID
) -> None:
    gone = watched(database, org_id, account_id, "vol-0123456789abcdef0")
    at = now()
    watching.read(database, AwsClouds(), org_id, at)
    assert stored(database, org_id, gone).problem == (
        "us-east-1 of the account has no volume vol-0123456789abcdef0. It was deleted, or is elsewhere."
    )
    aws.between.revoked = True
    read_again(database, org_id, at + 5 * MINUTE)
    problem = stored(database, org_id, gone).problem
    assert problem is not None
    assert "has no volume" not in problem
    with database.transaction(org_id) as connection:
        aws_accounts.change(connection, account_id, {"removed_at": at})
    read_again(database, org_id, at + 10 * MINUTE)
    assert stored(database, org_id, gone).problem == "The AWS account is not connected."


def test_nothing_is_read_by_a_role_that_was_not_found_to_know_this_connection(
    aws: Simulated, database: Database, org_id: UUID, account_id: UUID
) -> None:
    watch_id, at = watched(database, org_id, account_id, a_volume(aws)), now()
    for number, state in enumerate(("failing", "unchecked", "checking")):
        with database.transaction(org_id) as connection:
            aws_accounts.change(connection, account_id, {"state": state})
        asked = len(aws.between.calls)
        read_again(database, org_id, at + 5 * number * MINUTE)
        assert stored(database, org_id, watch_id).problem == "The AWS account is not connected."
        assert len(aws.between.calls) == asked
    with database.transaction(org_id) as connection:
        aws_accounts.change(connection, account_id, {"state": "connected"})
    read_again(database, org_id, at + 20 * MINUTE)
    assert stored(database, org_id, watch_id).problem is None


def test_a_volume_is_due_every_five_minutes_for_one_worker_and_not_after_its_end(
    aws: Simulated, database: Database, gate: Database, org_id: UUID, account_id: UUID
) -> None:
    watch_id, at = watched(database, org_id, account_id, a_volume(aws)), datetime.now(UTC)

    def due() -> bool:
        with gate.transaction(None) as connection:
            return org_id in watches.due_teams(connection)

    assert due()
    with database.transaction(org_id) as connection:
        taken = watches.take_due(connection, at, at + watching.READ_EVERY)
        assert [each.id for each in taken] == [watch_id]
        assert watches.take_due(connection, at, at + watching.READ_EVERY) == ()
        assert watches.take_due(connection, at + 5 * MINUTE, at + 10 * MINUTE) != ()
    assert not due()
    with database.transaction(org_id) as connection:
        connection.execute(update(watch).values(next_read_at=at - MINUTE))
    assert due()
    views.end(database, org_id, watch_id, now=at)
    assert not due()


def test_what_a_run_has_launched_is_read_while_it_lasts_and_drawn_together(
    aws: Simulated, postgres: DatabaseUrls, database: Database, gate: Database, org_id: UUID, account_id: UUID
) -> None:
    at = now()
    launched_at = at - 30 * MINUTE
    spec = RunSpec("diskbench", "m5.large", 2, REGION, storage=Volumes("gp2", 100, count=1))
    run_id = approved(database, org_id, account_id, spec=spec)
    boot, *volumes = a_volume(aws, "gp3", 8), a_volume(aws), a_volume(aws)
    minute = at.replace(second=0) - 20 * MINUTE
    other = dict.fromkeys((minute, minute + MINUTE, minute + 2 * MINUTE), 0.0)
    for metric in ("VolumeWriteBytes", "VolumeReadOps", "VolumeWriteOps"):
        for volume_id in (boot, *volumes):
            measured(aws, volume_id, metric, other | ({} if metric != "VolumeReadOps" else {minute: 60_000.0}))
    measured(aws, boot, "VolumeReadBytes", other)
    for number, volume_id in enumerate(volumes):
        measured(aws, volume_id, "VolumeReadBytes", {minute: 6e9 * (number + 1), minute + (number + 1) * MINUTE: 6e9})
        measured(aws, volume_id, "BurstBalance", {minute: 90.0 - 30 * number})
    run = _launched(database, org_id, run_id, [boot, *volumes], launched_at)
    with gate.transaction(None) as connection:
        assert org_id in watches.due_teams(connection)
    watching.read(database, AwsClouds(), org_id, at)
    answer = views.read_run_metrics(database, org_id, run_id, most=1000, now=at)
    assert run.launched_at is not None
    assert answer.start <= run.launched_at
    assert mean_at(answer, "read_mb_per_s", minute) == pytest.approx(300.0)
    # One of two is missing: the sum of one would look as if the other were idle.
    assert mean_at(answer, "read_mb_per_s", minute + MINUTE) is None
    assert named(answer, "read_mb_per_s").of == "sum of 3 volumes"
    assert mean_at(answer, "burst_balance", minute) == pytest.approx(0.6)
    assert named(answer, "burst_balance").of == "lowest of 2 volumes"
    # Of the two that burst, each has 60,000 I/Os in the minute: more than the 18,000 that it earns in it.
    assert answer.expected is not None
    spent = (60_000 - 18_000) / 5.4e6
    expected = answer.expected.balance[(minute - answer.start) // timedelta(seconds=answer.step_s)]
    assert expected == pytest.approx(0.6 - spent / 2)
    with superuser(postgres) as connection:
        ended = [at - timedelta(hours=1), run_id]
        connection.execute("UPDATE run SET state = 'done', next_look_at = NULL, finished_at = %s WHERE id = %s", ended)
    with gate.transaction(None) as connection:
        assert org_id not in watches.due_teams(connection)


def test_of_a_run_no_more_is_asked_than_its_quote_counts(
    aws: Simulated, database: Database, org_id: UUID, account_id: UUID
) -> None:
    launched_at = now()
    spec = RunSpec("diskbench", "m5.large", 1, REGION, storage=Volumes("gp2", 100, count=1), time_limit_s=600.0)
    run_id = approved(database, org_id, account_id, spec=spec)
    run = _launched(database, org_id, run_id, ["vol-b0", "vol-b1", "i-b0"], launched_at, earlier=["vol-a0", "i-a0"])
    [counted] = [part.words for part in run.quote.parts if part.name == "CloudWatch"]
    clouds, before = AwsClouds(), len(aws.between.calls)
    # Its teardown lasts as long as its metrics can be read.
    for number in range(60):
        watching.read(database, clouds, org_id, launched_at + number * timedelta(seconds=METRICS_EVERY_S))
    asked = [call.body for _, call, _ in aws.between.calls[before:] if call.action == "cloudwatch:GetMetricData"]
    assert len(asked) == (600 + watching.LATE.total_seconds()) / METRICS_EVERY_S + 1
    assert sum(body.count(b"vol-b") + body.count(b"i-b0") for body in asked) == 18 * len(asked)
    assert not any(b"a0" in body for body in asked)
    assert 18 * len(asked) <= int(counted.split()[0].replace(",", ""))


def _launched(
    database: Database, org_id: UUID, run_id: UUID, ids: list[str], launched_at: datetime, earlier: Sequence[str] = ()
) -> Any:
    """Set a run's launched instances, and earlier ones whose launch failed."""
    with database.transaction(org_id) as connection:
        found = runs.get(connection, run_id)
        held = runs.claim(connection, run_id)
        assert found is not None
        assert held is not None
        resources = tuple(
            Resource("volume" if each.startswith("vol-") else "instance", each, 0.01, launched_at, attempt)
            for attempt, of_one in ((1, ids), (0, earlier))
            for each in of_one
        )
        run = replace(run_of(found), state="running", launched_at=launched_at, resources=resources, attempt=1)
        run = replace(run, deadline=launched_at + timedelta(seconds=run.spec.time_limit_s))
        runs.release(connection, held, reconciled(run, 0.1), 60.0)
    return run


def test_points_are_stored_in_batches_of_whole_series(
    aws: Simulated, database: Database, org_id: UUID, account_id: UUID, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(watching, "STORED_AT_ONCE", 5)
    at, volume_id = now(), a_volume(aws)
    minute = at.replace(second=0) - 10 * MINUTE
    names = {"VolumeReadBytes": "read_mb_per_s", "VolumeWriteBytes": "write_mb_per_s", "VolumeReadOps": "read_iops"}
    for metric in names:
        measured(aws, volume_id, metric, {minute + number * MINUTE: 6e9 for number in range(3)})
    stored_at_once = []
    put_in = metrics.put_in

    def counted(connection: Any, points: Mapping[int, Mapping[datetime, float]]) -> int:
        stored_at_once.append([len(each) for each in points.values()])
        return put_in(connection, points)

    monkeypatch.setattr(metrics, "put_in", counted)
    watch_id = watched(database, org_id, account_id, volume_id)
    watching.read(database, AwsClouds(), org_id, at)
    assert stored_at_once == [[3], [3], [3]]
    answer = drawn(database, org_id, watch_id, at)
    for name in names.values():
        assert None not in [mean_at(answer, name, minute + number * MINUTE) for number in range(3)]


def test_one_message_a_team_is_sent(
    aws: Simulated, database: Database, gate: Database, queue: Queue, org_id: UUID, account_id: UUID
) -> None:
    watched(database, org_id, account_id, a_volume(aws))
    watched(database, org_id, account_id, a_volume(aws))
    sent: list[tuple[str, ...]] = []

    class Listening(Queue):
        def send_each(self, task: str, arguments: Any, expires_s: float, queue: Any = "runs") -> bool:
            sent.extend(arguments)
            return super().send_each(task, arguments, expires_s, queue)

    with Listening(queue.url) as listening:
        watching.send_due(gate, database, listening)
    assert sent.count((str(org_id),)) == 1


def test_the_model_follows_the_measured_balance_of_a_volume_that_bursts(
    aws: Simulated, database: Database, org_id: UUID, account_id: UUID
) -> None:
    at, volume_id = now(), a_volume(aws, "gp2", 100)
    first = at.replace(second=0) - 50 * MINUTE
    balance, points = 1.0, dict[datetime, float]()
    for number in range(40):
        # 3,000 I/Os a second out, 300 in, of 5.4 million; CloudWatch gives the mean of the minute.
        after = max(0.0, balance - 2_700 * 60 / 5.4e6)
        points[first + number * MINUTE] = 100 * (balance + after) / 2
        balance = after
    measured(aws, volume_id, "BurstBalance", points)
    ios = {each: 3_000.0 * 60 if number < 33 else 300.0 * 60 for number, each in enumerate(points)}
    for metric, share in (("VolumeReadOps", 0.75), ("VolumeWriteOps", 0.25)):
        measured(aws, volume_id, metric, {each: value * share for each, value in ios.items()})
    for metric in ("VolumeReadBytes", "VolumeWriteBytes"):
        measured(aws, volume_id, metric, {each: value * 8192 for each, value in ios.items()})
    watch_id = watched(database, org_id, account_id, volume_id)
    watching.read(database, AwsClouds(), org_id, at)
    answer = drawn(database, org_id, watch_id, at)
    assert answer.expected is not None
    assert answer.expected.furthest is not None
    # It begins with the mean of the first minute instead of its beginning.
    assert answer.expected.furthest < 0.02
    assert "each I/O takes one credit" in answer.expected.words
    at_first = (first - answer.start) // MINUTE
    assert answer.expected.balance[at_first + 40 :] == [None] * len(answer.expected.balance[at_first + 40 :])
    # A longer span shows the same curve, and not one that coarser steps would give.
    coarse = views.read_series(database, org_id, watch_id, start=at - timedelta(days=7), end=at, most=400, now=at)
    assert coarse.step_s == 1800
    assert coarse.expected is not None
    assert coarse.expected.furthest == pytest.approx(answer.expected.furthest)
    assert len(coarse.expected.balance) == coarse.steps
    told = named(coarse, "burst_balance").mean
    apart = [abs(a - b) for a, b in zip(told, coarse.expected.balance, strict=True) if a is not None and b is not None]
    assert apart
    assert max(apart) < 0.02
