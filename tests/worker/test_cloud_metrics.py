"""CloudWatch's series and EC2's volumes, in batches and with gaps."""

from collections.abc import Iterator
from datetime import UTC, datetime, timedelta

import pytest

from aws_account import Simulated, connected_account, connection
from laboratory.account import REGION
from stowage.runs.cloud import MetricQuery
from stowage.runs.observation import CloudError
from stowage_worker.aws.clouds import AwsCloud, AwsClouds
from stowage_worker.aws.metrics import MOST_QUERIES


@pytest.fixture(scope="module")
def aws() -> Iterator[Simulated]:
    with connected_account() as simulated:
        yield simulated


@pytest.fixture
def cloud(aws: Simulated) -> Iterator[AwsCloud]:
    yield AwsClouds().of(connection(), REGION)
    aws.between.heal()


def read_bytes(volume: str, period_s: int = 60) -> MetricQuery:
    return MetricQuery("AWS/EBS", "VolumeReadBytes", "VolumeId", volume, "Sum", period_s)


def put(aws: Simulated, volume: str, points: dict[datetime, float]) -> None:
    for at, value in points.items():
        dimension = [{"Name": "VolumeId", "Value": volume}]
        data = {"MetricName": "VolumeReadBytes", "Dimensions": dimension, "Timestamp": at, "Value": value}
        aws.account.cloudwatch.put_metric_data(Namespace="AWS/EBS", MetricData=[data])


def test_points_are_given_as_they_are_and_gaps_stay_gaps(aws: Simulated, cloud: AwsCloud) -> None:
    start = datetime.now(UTC).replace(second=0, microsecond=0) - timedelta(minutes=30)
    points = {start: 60.0e6, start + timedelta(minutes=1): 0.0, start + timedelta(minutes=7): 12.0e6}
    put(aws, "vol-1", points)
    known, unknown = read_bytes("vol-1"), read_bytes("vol-none")
    found = cloud.metrics([known, unknown], start, start + timedelta(minutes=10))
    assert dict(found[known]) == points
    assert list(found[unknown]) == []


def test_many_series_are_asked_for_in_batches(aws: Simulated, cloud: AwsCloud) -> None:
    start = datetime.now(UTC).replace(second=0, microsecond=0) - timedelta(minutes=30)
    queries = [read_bytes(f"vol-many-{number}") for number in range(2 * MOST_QUERIES + 3)]
    put(aws, f"vol-many-{2 * MOST_QUERIES + 1}", {start: 7.0})
    before = aws.between.actions().count("cloudwatch:GetMetricData")
    found = cloud.metrics([*queries, queries[0]], start, start + timedelta(minutes=5))
    assert aws.between.actions().count("cloudwatch:GetMetricData") == before + 3
    assert set(found) == set(queries)
    assert [query.resource for query, told in found.items() if told] == [f"vol-many-{2 * MOST_QUERIES + 1}"]


def test_nothing_is_asked_for_nothing(aws: Simulated, cloud: AwsCloud) -> None:
    before = len(aws.between.calls)
    now = datetime.now(UTC)
    assert cloud.metrics([], now, now) == {}
    assert list(cloud.volumes_of([])) == []
    assert len(aws.between.calls) == before


def test_volumes_are_described_and_missing_ones_left_out(aws: Simulated, cloud: AwsCloud) -> None:
    ec2 = aws.account.ec2
    made = ec2.create_volume(AvailabilityZone=f"{REGION}a", Size=125, VolumeType="gp3", Iops=4000, Throughput=200)
    [told] = cloud.volumes_of([made["VolumeId"], "vol-0123456789abcdef0"])
    assert told["id"] == made["VolumeId"]
    assert (told["type"], told["size_gib"], told["iops"]) == ("gp3", 125, 4000)
    assert (told["zone"], told["instance"], told["instance_type"]) == (f"{REGION}a", None, None)


def test_a_volume_tells_whose_it_is(aws: Simulated, cloud: AwsCloud) -> None:
    ec2 = aws.account.ec2
    launched = ec2.run_instances(ImageId="ami-12c6146b", InstanceType="r5.large", MinCount=1, MaxCount=1)["Instances"][
        0
    ]
    filters = [{"Name": "attachment.instance-id", "Values": [launched["InstanceId"]]}]
    volume = ec2.describe_volumes(Filters=filters)["Volumes"][0]["VolumeId"]
    [told] = cloud.volumes_of([volume])
    assert (told["instance"], told["instance_type"]) == (launched["InstanceId"], "r5.large")


def test_throttling_is_told_as_what_passes(aws: Simulated, cloud: AwsCloud) -> None:
    aws.between.fail("cloudwatch:GetMetricData", "throttle", times=None)
    now = datetime.now(UTC)
    with pytest.raises(CloudError) as caught:
        cloud.metrics([read_bytes("vol-1")], now - timedelta(hours=1), now)
    assert caught.value.kind == "throttled"
