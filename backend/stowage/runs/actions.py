"""Actions of a run in AWS. All are idempotent: existing resources are left as they are."""

from dataclasses import dataclass
from datetime import datetime


@dataclass(frozen=True, slots=True)
class Prepare:
    """Upload the agent under the run's prefix, and create the security group and placement group of the run."""


@dataclass(frozen=True, slots=True)
class Launch:
    """Launch all nodes, in one request: all of them or none.

    Parameters
    ----------
    attempt : int
        Number of the launch attempt, from 0. With the run's id it forms the idempotency token of the request, so that a
        repeated request creates no further nodes.
    zone : str or None
        None to let AWS choose.
    deadline : datetime
        Time at which the nodes terminate themselves at the latest.
    longest_s : float
        Time from a node's start to its self-termination, independent of the node's clock [s].
    """

    attempt: int
    zone: str | None
    deadline: datetime
    longest_s: float


@dataclass(frozen=True, slots=True)
class Instruct:
    """Write the nodes' orders, in which each node reads its phases, with new presigned URLs.

    Parameters
    ----------
    revision : int
        Number that increases with each writing; agents follow the orders with the highest revision.
    nodes : tuple of (str, str)
        Id and private IP address of each instance, by node number.
    stop : bool
        Whether nodes must stop and send the results they have.
    """

    revision: int
    nodes: tuple[tuple[str, str], ...]
    stop: bool = False


@dataclass(frozen=True, slots=True)
class LaunchEmr:
    """Start an EMR cluster that runs TestDFSIO as its steps and terminates itself."""

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
    """Delete volumes that remain after their instance was terminated."""

    volumes: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class DeleteGroups:
    """Delete security groups and placement groups; possible only when no instance is in them."""

    security_groups: tuple[str, ...]
    placement_groups: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class DeleteObjects:
    """Delete everything under the run's prefix."""


Action = (
    Prepare | Launch | Instruct | LaunchEmr | Terminate | TerminateEmr | DeleteVolumes | DeleteGroups | DeleteObjects
)
