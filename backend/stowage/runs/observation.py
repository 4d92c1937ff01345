"""Observation of an account: the resources of a run as AWS lists them.

It also defines the error of a request to AWS.
"""

from collections.abc import Mapping
from dataclasses import field
from datetime import datetime
from typing import Literal

from stowage.frozen import frozen

ResourceKind = Literal["instance", "volume", "security-group", "placement-group", "emr-cluster", "objects"]
InstanceState = Literal["pending", "running", "shutting-down", "terminated", "stopping", "stopped"]

TroubleKind = Literal["capacity", "quota", "throttled", "denied", "unreachable", "invalid", "interrupted"]
"""Kind of an AWS error. capacity: AWS has no capacity of the type in the zone; quota: the account's quota is exhausted;
throttled and unreachable: a retry will succeed later; denied: the role lacks the permission, or lost it; invalid: AWS
rejects the request; interrupted: AWS reclaimed a spot instance."""


class CloudError(Exception):
    """Error of a request to AWS.

    Parameters
    ----------
    kind : TroubleKind
    words : str
        Message for people. It states the request, AWS' response, and what to do.
    """

    def __init__(self, kind: TroubleKind, words: str) -> None:
        super().__init__(words)
        self.kind: TroubleKind = kind
        self.words = words


@frozen
class Room:
    """Zones and vCPU quota that an account has for a run.

    They are looked up before the launch, to know whether and where the run can be launched.
    """

    zones: tuple[str, ...]
    """Zones that offer the instance type and have a subnet. If the run requests a zone, only that zone."""
    quota_vcpus: int | None
    """Quota of vCPUs; None if unknown."""
    used_vcpus: int | None
    """vCPUs in use; None if unknown."""
    needed_vcpus: int
    """vCPUs of all nodes of the run."""
    problem: str | None = None
    """Reason why the run cannot be launched; None if it can."""


@frozen
class ObservedInstance:
    """One instance with the tag of a run, as AWS lists it."""

    id: str
    state: InstanceState
    zone: str
    launched_at: datetime
    launch_index: int = 0
    """Index of the instance within its launch, from 0."""
    attempt: int = 0
    """Number of the launch attempt, according to the instance's tag."""
    address: str | None = None
    """Private IP address; None before an address is assigned and after termination."""
    reason: str | None = None
    """AWS' code for the last state change, such as `Server.InsufficientInstanceCapacity`."""
    ended_at: datetime | None = None
    """Time of the termination; None if AWS states no such time."""

    @property
    def is_ending(self) -> bool:
        """Return whether the instance has ended or is shutting down.

        Such an instance is no longer billed.
        """
        return self.state in {"shutting-down", "terminated"}


@frozen
class ObservedObject:
    """One file below the run's prefix, as S3 lists it."""

    key: str
    """Key relative to the run's prefix, such as `nodes/0003/net-4.json`."""
    size_bytes: int
    etag: str
    """Etag of S3, which changes when the content changes."""


@frozen
class Observation:
    """All resources with the tag of a run, as AWS lists them at one moment."""

    at: datetime
    instances: tuple[ObservedInstance, ...] = ()
    """Instances, including terminated instances as long as AWS lists them."""
    volumes: tuple[str, ...] = ()
    security_groups: tuple[str, ...] = ()
    placement_groups: tuple[str, ...] = ()
    emr_clusters: Mapping[str, str] = field(default_factory=dict)
    """State of each EMR cluster that has not ended, by its id."""
    objects: tuple[ObservedObject, ...] = ()

    @property
    def is_clear(self) -> bool:
        """Return whether no resource of the run is left in the account."""
        return not (
            any(each.state != "terminated" for each in self.instances)
            or self.volumes
            or self.security_groups
            or self.placement_groups
            or self.emr_clusters
            or self.objects
        )
