"""Interface through which runs use an AWS account; `stowage_worker.aws` implements it."""

from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Literal, Protocol, TypeVar
from uuid import UUID

from stowage.frozen import frozen
from stowage.runs.actions import Action
from stowage.runs.observation import Observation, ResourceKind, Room
from stowage.runs.run import Resource, Run
from stowage.runs.spec import RunSpec

Outcome = Literal["granted", "denied", "unknown"]
MetricStatistic = Literal["Sum", "Average", "Minimum", "Maximum"]
"""CloudWatch's names of the statistics of a period."""


@frozen
class Connection:
    """An AWS account that a team has connected."""

    id: UUID
    org_id: UUID
    account: str
    """Account number of twelve digits."""
    role_arn: str
    """ARN of the role to assume."""
    external_id: str
    """External id in the trust policy of the role; unique to this connection."""
    bucket: str
    """S3 bucket for agents and results."""
    prefix: str
    """Prefix of agents and results in `bucket`; ends with a slash."""
    bucket_region: str


@frozen
class Finding:
    """Result of a dry run of one permission."""

    action: str
    """Name as in IAM policies: `ec2:RunInstances`."""
    outcome: Outcome
    words: str


@frozen
class LeftBehind:
    """An AWS resource with the tag of a run, found by the sweep."""

    run_id: UUID
    kind: ResourceKind
    id: str
    region: str
    deadline: datetime | None
    """Deadline in the tag of the resource; None if the tag cannot be read."""


@frozen
class MetricQuery:
    """Query of one CloudWatch time series, with examples of its fields."""

    namespace: str
    """`AWS/EBS`."""
    metric: str
    """`VolumeReadBytes`."""
    dimension: str
    """`VolumeId`."""
    resource: str
    """`vol-...`."""
    statistic: MetricStatistic
    period_s: int


Query = TypeVar("Query", bound=MetricQuery)


class Cloud(Protocol):
    """One region of a connected account.

    Every method can be repeated. Every method may raise `CloudError`.
    """

    def check(self) -> Sequence[Finding]:
        """Check the identity of the assumed role, and try its permissions by dry runs."""

    def room(self, spec: RunSpec) -> Room:
        """Return what limits the launch of a run in this region.

        The limits are the zones that offer the instance type, the vCPU quota, and the result of a dry-run launch.
        """

    def look(self, run: Run) -> Observation:
        """Return all AWS resources with the run's tag, and the files under the run's prefix in S3."""

    def do(self, run: Run, action: Action, key: bytes) -> Sequence[Resource]:
        """Carry out an action of a run, and return the created AWS resources.

        The keys of the nodes are derived from the run's `key`.
        """

    def fetch(self, run: Run, key: str, most_bytes: int) -> bytes:
        """Return at most the first `most_bytes` bytes of a file in S3.

        The file is under the prefix of the run.
        """

    def left_behind(self) -> Sequence[LeftBehind]:
        """Return all AWS resources in the region that have the tag of any run of this connection."""

    def remove(self, left: Sequence[LeftBehind]) -> None:
        """Remove AWS resources that `left_behind` returned."""

    def metrics(
        self, queries: Sequence[Query], start: datetime, end: datetime
    ) -> Mapping[Query, Sequence[tuple[datetime, float]]]:
        """Return the time series of several queries.

        Points that CloudWatch does not have yet are left out.
        """

    def volumes_of(self, volume_ids: Sequence[str]) -> Sequence[Mapping[str, object]]:
        """Return the properties of EBS volumes.

        The properties are id, type, size_gib, iops, throughput_mib_per_s, zone and instance.
        """


class Clouds(Protocol):
    """Access to connected accounts."""

    def of(self, connection: Connection, region: str) -> Cloud:
        """Assume the role of a connection, and return one region of its account.

        Raises
        ------
        CloudError
            The role cannot be assumed.
        """
