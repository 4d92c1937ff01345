"""Actions of a run in AWS. Each may be repeated at any point: existing resources are left as they are."""

from dataclasses import dataclass
from datetime import datetime


@dataclass(frozen=True, slots=True)
class Prepare:
    """Put the agent under the run's prefix, and make the security group and the placement group it needs."""


@dataclass(frozen=True, slots=True)
class Launch:
    """Launch all nodes, in one request: all of them or none.

    Parameters
    ----------
    attempt : int
        From 0. With the run's id it makes the request's token: the same launch twice is one.
    zone : str or None
        None for whichever AWS chooses.
    deadline : datetime
        When the nodes terminate themselves at the latest.
    longest_s : float
        Time after its start at which a node terminates itself, independent of its clock [s].
    """

    attempt: int
    zone: str | None
    deadline: datetime
    longest_s: float


@dataclass(frozen=True, slots=True)
class Instruct:
    """Write the nodes' orders again, with addresses that are valid.

    Parameters
    ----------
    revision : int
        Rises; agents take the newest.
    nodes : tuple of (str, str)
        Id and private address of each instance, in the order of their numbers.
    stop : bool
        Whether they are to end what they do and send what they have.
    """

    revision: int
    nodes: tuple[tuple[str, str], ...]
    stop: bool = False


@dataclass(frozen=True, slots=True)
class LaunchEmr:
    """Start a cluster of EMR with TestDFSIO as its steps, that ends itself."""

    deadline: datetime


@dataclass(frozen=True, slots=True)
class Terminate:
    """End instances."""

    instances: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class TerminateEmr:
    """End clusters of EMR."""

    clusters: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class DeleteVolumes:
    """Delete volumes that outlived their instance."""

    volumes: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class DeleteGroups:
    """Delete security groups and placement groups; they can go when no instance is in them."""

    security_groups: tuple[str, ...]
    placement_groups: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class DeleteObjects:
    """Delete everything under the run's prefix."""


Action = (
    Prepare | Launch | Instruct | LaunchEmr | Terminate | TerminateEmr | DeleteVolumes | DeleteGroups | DeleteObjects
)
