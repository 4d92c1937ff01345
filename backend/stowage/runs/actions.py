"""Actions that a run takes in AWS. All actions are idempotent: they leave existing resources as they are."""

from dataclasses import dataclass
from datetime import datetime


@dataclass(frozen=True, slots=True)
class Prepare:
    """Upload the agent below the run's prefix, and create the security group and the placement group of the run."""


@dataclass(frozen=True, slots=True)
class Launch:
    """Launch all nodes with one request, which launches either all nodes or none.

    Parameters
    ----------
    attempt : int
        Number of the launch attempt, from 0. With the run's id it forms the idempotency token of the request, so that a
        repeated request creates no further nodes.
    zone : str or None
        Availability zone; None to let AWS choose.
    deadline : datetime
        Latest time at which the nodes terminate themselves.
    longest_s : float
        Time from a node's start to its self-termination, independent of the node's clock [s].
    """

    attempt: int
    zone: str | None
    deadline: datetime
    longest_s: float


@dataclass(frozen=True, slots=True)
class Instruct:
    """Write the orders of all nodes, from which each node reads its phases, with new presigned URLs.

    Parameters
    ----------
    revision : int
        Revision of the orders, which increases each time they are written; agents follow the highest revision.
    nodes : tuple of (str, str)
        Id and private IP address of each instance, by node number.
    stop : bool
        Whether nodes must stop and send the results that they have.
    """

    revision: int
    nodes: tuple[tuple[str, str], ...]
    stop: bool = False


@dataclass(frozen=True, slots=True)
class LaunchEmr:
    """Start an EMR cluster that runs TestDFSIO as EMR steps and then terminates itself."""

    deadline: datetime


@dataclass(frozen=True, slots=True)
class Terminate:
    """Terminate instances."""

    instances: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class TerminateEmr:
    """Terminate EMR clusters."""

    clusters: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class DeleteVolumes:
    """Delete volumes that still exist after their instance was terminated."""

    volumes: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class DeleteGroups:
    """Delete security groups and placement groups; possible only when no instance is in them."""

    security_groups: tuple[str, ...]
    placement_groups: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class DeleteObjects:
    """Delete all files below the run's prefix."""


Action = (
    Prepare | Launch | Instruct | LaunchEmr | Terminate | TerminateEmr | DeleteVolumes | DeleteGroups | DeleteObjects
)
