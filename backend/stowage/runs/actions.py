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
        From 0. With the run's id it forms the request's idempotency token, so a repeated launch creates no more nodes.
    zone : str or None
        None to let AWS choose.
    deadline : datetime
        Time at which the nodes terminate themselves at the latest.
    longest_s : float
        Time after its start at which a node terminates itself, independent of its clock [s].
    """

    attempt: int
    zone: str | None
    deadline: datetime
    longest_s: float


@dataclass(frozen=True, slots=True)
class Instruct:
    """Write the orders of the nodes again, with new presigned URLs.

    Parameters
    ----------
    revision : int
        Increases; agents follow the orders with the highest.
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
