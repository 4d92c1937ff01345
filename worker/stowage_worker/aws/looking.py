"""Listing of the AWS resources of a run, or of all runs of a connection, by tags."""

import re
from collections.abc import Iterator, Sequence
from datetime import UTC, datetime, timedelta
from typing import Any, cast
from uuid import UUID

from stowage.runs.cloud import LeftBehind
from stowage.runs.observation import InstanceState, Observation, ObservedInstance, ResourceKind
from stowage.runs.run import Run
from stowage.runs.spec import MOST_TIME_LIMIT_S
from stowage_worker.aws.account import Account
from stowage_worker.aws.emr import clusters_of, open_clusters
from stowage_worker.aws.mailbox import files_of, pages
from stowage_worker.aws.tags import attempt_of, deadline_of, of_connection, of_run, read, run_of

_STATES: frozenset[str] = frozenset({"pending", "running", "shutting-down", "terminated", "stopping", "stopped"})
_GONE = frozenset({"deleting", "deleted"})

# EC2 gives the termination time only as text: "User initiated (2026-11-21 07:41:03 GMT)".
_ENDED = re.compile(r"\((\d{4}-\d\d-\d\d \d\d:\d\d:\d\d) (?:GMT|UTC)\)")

MOST_FOLDERS = 20
"""Number of run folders whose files one sweep lists: the team's bucket can contain any number of them."""

_FILES_KEPT = timedelta(seconds=MOST_TIME_LIMIT_S) + timedelta(hours=1)
"""Files have no deadline: a run that wrote nothing for longer than the maximum run time is over."""


def look(account: Account, run: Run) -> Observation:
    """Return all resources with a run's tag, and the files under its prefix.

    Resources are listed in reverse order of their creation, so that none created between two requests is missed.
    """
    filters = of_run(run.id, account.connection.id)
    instances = tuple(seen_instance(each) for each in instances_in(account, filters))
    volumes = tuple(each["VolumeId"] for each in _volumes_in(account, filters))
    placement = run.spec.placement_group
    return Observation(
        at=account.clock(),
        instances=instances,
        volumes=volumes,
        security_groups=tuple(each["GroupId"] for each in _security_groups_in(account, filters)),
        placement_groups=tuple(each["GroupName"] for each in _placement_groups_in(account, filters))
        if placement
        else (),
        emr_clusters=clusters_of(account, run) if run.spec.benchmark == "testdfsio" else {},
        objects=files_of(account, run),
    )


def left_behind(account: Account) -> Sequence[LeftBehind]:
    """List the region's resources with the tag of any run of the connection, and the files of runs in the bucket."""
    filters = of_connection(account.connection.id)
    found: list[LeftBehind] = []
    # Clusters first: EMR ends its instances itself, in its order.
    for cluster, told in open_clusters(account):
        _add(found, account, "emr-cluster", cluster, told)
    for instance in instances_in(account, filters):
        if instance["State"]["Name"] != "terminated":
            _add(found, account, "instance", instance["InstanceId"], read(instance.get("Tags")))
    for volume in _volumes_in(account, filters):
        _add(found, account, "volume", volume["VolumeId"], read(volume.get("Tags")))
    for group in _security_groups_in(account, filters):
        _add(found, account, "security-group", group["GroupId"], read(group.get("Tags")))
    for placement in _placement_groups_in(account, filters):
        _add(found, account, "placement-group", placement["GroupName"], read(placement.get("Tags")))
    if account.region == account.connection.bucket_region:
        found += _files_left(account)
    return found


def instances_in(account: Account, filters: Sequence[Any]) -> Iterator[Any]:
    """Yield instances as EC2 describes them."""
    for reservation in account.entries("ec2:DescribeInstances", "Reservations", Filters=filters):
        yield from reservation["Instances"]


def seen_instance(described: Any) -> ObservedInstance:  # noqa: ANN401 - as EC2 answers
    """Convert EC2's description of an instance to an observed instance."""
    state = described["State"]["Name"]
    reason = described.get("StateReason", {}).get("Code") or None
    words = _ENDED.search(described.get("StateTransitionReason") or "")
    return ObservedInstance(
        id=described["InstanceId"],
        state=cast("InstanceState", state if state in _STATES else "pending"),
        zone=described.get("Placement", {}).get("AvailabilityZone", ""),
        launched_at=described["LaunchTime"],
        launch_index=described.get("AmiLaunchIndex", 0),
        attempt=attempt_of(read(described.get("Tags"))),
        address=described.get("PrivateIpAddress") or None,
        reason=reason,
        ended_at=datetime.fromisoformat(words[1]).replace(tzinfo=UTC) if words else None,
    )


def _volumes_in(account: Account, filters: Sequence[Any]) -> Iterator[Any]:
    found = account.entries("ec2:DescribeVolumes", "Volumes", Filters=filters)
    return (each for each in found if each["State"] not in _GONE)


def _security_groups_in(account: Account, filters: Sequence[Any]) -> Iterator[Any]:
    return account.entries("ec2:DescribeSecurityGroups", "SecurityGroups", Filters=filters)


def _placement_groups_in(account: Account, filters: Sequence[Any]) -> Iterator[Any]:
    # EC2 returns all of them in one response.
    found = account.ask("ec2:DescribePlacementGroups", Filters=filters)["PlacementGroups"]
    return (each for each in found if each.get("State") not in _GONE)


def _files_left(account: Account) -> Iterator[LeftBehind]:
    """Yield the files that runs left in the bucket, as one entry per run.

    Each call lists the folders of a limited number of runs.
    """
    prefix = account.connection.prefix
    found: list[UUID] = []
    for page in pages(account, prefix, Delimiter="/"):
        for each in page.get("CommonPrefixes", ()):
            try:
                found.append(UUID(each["Prefix"].removeprefix(prefix).removesuffix("/")))
            except ValueError:
                continue
    for run_id in _in_turn(found, account.clock()):
        [listed] = pages(account, f"{prefix}{run_id}/", 1)
        # The first page suffices: every file is written after the start of the run.
        newest = max((each["LastModified"] for each in listed.get("Contents", ())), default=None)
        if newest is not None:
            yield LeftBehind(run_id, "objects", f"{prefix}{run_id}/", account.region, newest + _FILES_KEPT)


def _in_turn(found: Sequence[UUID], now: datetime) -> Sequence[UUID]:
    """Return the runs whose files are listed now: all or, if there are too many, a subset that changes every minute."""
    if len(found) <= MOST_FOLDERS:
        return found
    first = int(now.timestamp() // 60) * MOST_FOLDERS % len(found)
    return [*found[first:], *found[:first]][:MOST_FOLDERS]


def _add(found: list[LeftBehind], account: Account, kind: ResourceKind, name: str, told: dict[str, str]) -> None:
    run_id = run_of(told)
    if run_id is not None:
        found.append(LeftBehind(run_id, kind, name, account.region, deadline_of(told)))
