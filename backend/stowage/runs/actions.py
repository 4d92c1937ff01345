"""Actions that a run takes in AWS.

All actions are idempotent: they leave existing resources as they are.
"""

from datetime import datetime

from stowage.frozen import frozen


@frozen
class Prepare:
    """Upload the agent and create the groups of a run.

    The agent is the program that nodes run. It is stored below the run's prefix in the bucket. The groups are a
    security group and a placement group.
    """


@frozen
class Launch:
    """Launch all nodes with one request.

    The request launches either all nodes or none.
    """

    attempt: int
    """Number of the launch attempt, from 0. This number and the run's id form the idempotency token of the request.
    Therefore a repeated request creates no further nodes."""
    zone: str | None
    """Availability zone; None to let AWS choose."""
    deadline: datetime
    """Latest time at which the nodes terminate themselves."""
    longest_s: float
    """Time from a node's start to its self-termination, independent of the node's clock [s]."""


@frozen
class Instruct:
    """Write the orders of all nodes to the bucket.

    Each node reads from its orders which phases (benchmarks) it must run. The orders contain new presigned URLs.
    """

    revision: int
    """Revision of the orders, which increases each time they are written. Nodes follow the highest revision."""
    nodes: tuple[tuple[str, str], ...]
    """Id and private IP address of each instance, by node number."""
    stop: bool = False
    """Whether nodes must stop and send the results that they have."""


@frozen
class LaunchEmr:
    """Start an EMR cluster that runs TestDFSIO.

    TestDFSIO runs as EMR steps. Then the cluster terminates itself.
    """

    deadline: datetime


@frozen
class Terminate:
    """Terminate instances."""

    instances: tuple[str, ...]


@frozen
class TerminateEmr:
    """Terminate EMR clusters."""

    clusters: tuple[str, ...]


@frozen
class DeleteVolumes:
    """Delete volumes that still exist after the termination of their instances."""

    volumes: tuple[str, ...]


@frozen
class DeleteGroups:
    """Delete security groups and placement groups.

    This is possible only when no instance is in them.
    """

    security_groups: tuple[str, ...]
    placement_groups: tuple[str, ...]


@frozen
class DeleteObjects:
    """Delete all files of the run from the bucket."""


Action = (
    Prepare | Launch | Instruct | LaunchEmr | Terminate | TerminateEmr | DeleteVolumes | DeleteGroups | DeleteObjects
)
