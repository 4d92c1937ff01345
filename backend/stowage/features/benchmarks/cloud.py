"""Interface between runs and an AWS account; implemented by `stowage_worker.aws`."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Literal, Protocol
from uuid import UUID

from stowage.runs.actions import Action
from stowage.runs.observation import Observation, ResourceKind, Room
from stowage.runs.run import Resource, Run
from stowage.runs.spec import RunSpec


@dataclass(frozen=True, slots=True)
class Connection:
    """An AWS account that a team has connected.

    Parameters
    ----------
    id : UUID
    org_id : UUID
    account : str
        Twelve digits.
    role_arn : str
        ARN of the role to assume.
    external_id : str
        External id in the trust policy of the role; unique to this connection.
    bucket, prefix : str
        Place in S3 for agents and results; the prefix ends with a slash.
    bucket_region : str
    """

    id: UUID
    org_id: UUID
    account: str
    role_arn: str
    external_id: str
    bucket: str
    prefix: str
    bucket_region: str


@dataclass(frozen=True, slots=True)
class Finding:
    """Result of a dry run of one permission.

    Parameters
    ----------
    action : str
        Name as in IAM policies: ``ec2:RunInstances``.
    outcome : {'granted', 'denied', 'unknown'}
    words : str
    """

    action: str
    outcome: Literal["granted", "denied", "unknown"]
    words: str


@dataclass(frozen=True, slots=True)
class LeftBehind:
    """An AWS resource that carries the tag of a run.

    Parameters
    ----------
    run_id : UUID
    kind : ResourceKind
    id : str
    region : str
    deadline : datetime or None
        Deadline in the tag of the resource; None if the tag cannot be read.
    """

    run_id: UUID
    kind: ResourceKind
    id: str
    region: str
    deadline: datetime | None


@dataclass(frozen=True, slots=True)
class MetricQuery:
    """Query of one CloudWatch time series.

    Parameters
    ----------
    namespace, metric : str
        ``AWS/EBS``, ``VolumeReadBytes``.
    dimension, resource : str
        ``VolumeId``, ``vol-...``.
    statistic : {'Sum', 'Average', 'Minimum', 'Maximum'}
    period_s : int
    """

    namespace: str
    metric: str
    dimension: str
    resource: str
    statistic: Literal["Sum", "Average", "Minimum", "Maximum"]
    period_s: int


class Cloud(Protocol):
    """One region of a connected account. Every method can be repeated, and every method may raise `CloudError`."""

    def check(self) -> Sequence[Finding]:
        """Check the identity of the assumed role, and find out by dry runs which permissions it has."""

    def room(self, spec: RunSpec) -> Room:
        """Return the zones that offer a run's instance type, the vCPU quota, and the result of a dry-run launch."""

    def look(self, run: Run) -> Observation:
        """Return all resources with the run's tag, and the files under the run's prefix."""

    def do(self, run: Run, action: Action, key: bytes) -> Sequence[Resource]:
        """Carry out an action of a run; return the created resources. Keys of nodes are derived from the run's key."""

    def fetch(self, run: Run, key: str, most_bytes: int) -> bytes:
        """Return a file under the run's prefix, at most its first `most_bytes` bytes."""

    def left_behind(self) -> Sequence[LeftBehind]:
        """Return all resources in the region that carry the tag of any run of this connection."""

    def remove(self, left: Sequence[LeftBehind]) -> None:
        """Remove resources that `left_behind` returned."""

    def metrics(
        self, queries: Sequence[MetricQuery], start: datetime, end: datetime
    ) -> Mapping[MetricQuery, Sequence[tuple[datetime, float]]]:
        """Return the time series of several queries; points that CloudWatch does not have yet are left out."""

    def volumes_of(self, volume_ids: Sequence[str]) -> Sequence[Mapping[str, object]]:
        """Return the properties of volumes: id, type, size_gib, iops, throughput_mib_per_s, zone, instance."""


class Clouds(Protocol):
    """Access to connected accounts."""

    def of(self, connection: Connection, region: str) -> Cloud:
        """Assume the role of a connection, and return one region of its account. May raise `CloudError`."""
