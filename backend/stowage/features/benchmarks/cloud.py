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
        Which is assumed.
    external_id : str
        By which the role knows that it is us, for this team.
    bucket, prefix : str
        Where agents and results travel through; the prefix ends with a slash.
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
        As policies name it: ``ec2:RunInstances``.
    outcome : {'granted', 'denied', 'unknown'}
    words : str
    """

    action: str
    outcome: Literal["granted", "denied", "unknown"]
    words: str


@dataclass(frozen=True, slots=True)
class LeftBehind:
    """Something that carries the tag of a run.

    Parameters
    ----------
    run_id : UUID
    kind : ResourceKind
    id : str
    region : str
    deadline : datetime or None
        By its tag; None where it cannot be read.
    """

    run_id: UUID
    kind: ResourceKind
    id: str
    region: str
    deadline: datetime | None


@dataclass(frozen=True, slots=True)
class MetricQuery:
    """A series of CloudWatch.

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
    """One region of a connected account. All methods are idempotent and may raise `CloudError`."""

    def check(self) -> Sequence[Finding]:
        """Return the identity of the assumed role, and which permissions it has, by dry runs."""

    def room(self, spec: RunSpec) -> Room:
        """Return the zones that offer the type, the unused quota, and whether a launch would succeed (dry run)."""

    def look(self, run: Run) -> Observation:
        """Return all resources with the run's tag and all objects under its prefix."""

    def do(self, run: Run, action: Action, key: bytes) -> Sequence[Resource]:
        """Execute an action and return the created resources. `key`: the run's key, which node keys derive from."""

    def fetch(self, run: Run, key: str, most_bytes: int) -> bytes:
        """Read a file under the run's prefix, or its first bytes."""

    def left_behind(self) -> Sequence[LeftBehind]:
        """Return all resources in the region that have the tag of any run of this connection."""

    def remove(self, left: Sequence[LeftBehind]) -> None:
        """Remove such things."""

    def metrics(
        self, queries: Sequence[MetricQuery], start: datetime, end: datetime
    ) -> Mapping[MetricQuery, Sequence[tuple[datetime, float]]]:
        """Read series; points that are not there yet are left out."""

    def volumes_of(self, volume_ids: Sequence[str]) -> Sequence[Mapping[str, object]]:
        """Describe volumes: id, type, size_gib, iops, throughput_mib_per_s, zone, instance."""


class Clouds(Protocol):
    """Reaches connected accounts."""

    def of(self, connection: Connection, region: str) -> Cloud:
        """Assume the role, and give one region of the account. May raise `CloudError`."""
