"""Metrics of volumes and instances from CloudWatch, and their descriptions from EC2."""

from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Any

from stowage.runs.cloud import MetricQuery, Query
from stowage_worker.aws.account import Account
from stowage_worker.aws.looking import instances_in

MOST_QUERIES = 500
"""Maximum number of queries in one GetMetricData request (CloudWatch API reference, 2026-11-20)."""

_AT_ONCE = 200
"""Maximum number of values of one filter (EC2 API reference, 2026-11-20)."""


def metrics(
    account: Account, queries: Sequence[Query], start: datetime, end: datetime
) -> Mapping[Query, Sequence[tuple[datetime, float]]]:
    """Return the time series of metrics, oldest point first; missing points are left out, so a series may be empty.

    Raises
    ------
    CloudError
    """
    asked = list(dict.fromkeys(queries))
    found: dict[Query, dict[datetime, float]] = {query: {} for query in asked}
    for part in (asked[at : at + MOST_QUERIES] for at in range(0, len(asked), MOST_QUERIES)):
        ids = {f"m{number}": query for number, query in enumerate(part)}
        for result in account.entries(
            "cloudwatch:GetMetricData",
            "MetricDataResults",
            MetricDataQueries=[query_of(name, query) for name, query in ids.items()],
            StartTime=start,
            EndTime=end,
            ScanBy="TimestampAscending",
        ):
            found[ids[result["Id"]]].update(zip(result["Timestamps"], result["Values"], strict=True))
    return {query: tuple(sorted(points.items())) for query, points in found.items()}


def volumes_of(account: Account, volume_ids: Sequence[str]) -> Sequence[Mapping[str, object]]:
    """Return the properties of volumes; missing volumes are left out."""
    found: list[Mapping[str, object]] = []
    for part in (volume_ids[at : at + _AT_ONCE] for at in range(0, len(volume_ids), _AT_ONCE)):
        filters = [{"Name": "volume-id", "Values": list(part)}]
        found += [_described(each) for each in account.entries("ec2:DescribeVolumes", "Volumes", Filters=filters)]
    types = _types(account, sorted({str(each["instance"]) for each in found if each["instance"] is not None}))
    return [{**each, "instance_type": types.get(str(each["instance"]))} for each in found]


def _types(account: Account, instances: Sequence[str]) -> Mapping[str, str]:
    """Return the instance type of each instance, by instance id."""
    types: dict[str, str] = {}
    for at in range(0, len(instances), _AT_ONCE):
        filters = [{"Name": "instance-id", "Values": list(instances[at : at + _AT_ONCE])}]
        types |= {each["InstanceId"]: each["InstanceType"] for each in instances_in(account, filters)}
    return types


def query_of(name: str, query: MetricQuery) -> dict[str, Any]:
    """Build the entry of a GetMetricData request for a time series; `name` is its id in the response."""
    return {
        "Id": name,
        "MetricStat": {
            "Metric": {
                "Namespace": query.namespace,
                "MetricName": query.metric,
                "Dimensions": [{"Name": query.dimension, "Value": query.resource}],
            },
            "Period": query.period_s,
            "Stat": query.statistic,
        },
        "ReturnData": True,
    }


def _described(volume: Any) -> Mapping[str, object]:  # noqa: ANN401 - as EC2 answers
    attached = [each["InstanceId"] for each in volume.get("Attachments", ()) if each.get("InstanceId")]
    return {
        "id": volume["VolumeId"],
        "type": volume["VolumeType"],
        "size_gib": volume["Size"],
        "iops": volume.get("Iops"),
        "throughput_mib_per_s": volume.get("Throughput"),
        "zone": volume["AvailabilityZone"],
        "instance": attached[0] if attached else None,
    }
