"""Observation of an account: resources of a run as AWS lists them, and errors of requests to AWS."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import Literal

ResourceKind = Literal["instance", "volume", "security-group", "placement-group", "emr-cluster", "objects"]
InstanceState = Literal["pending", "running", "shutting-down", "terminated", "stopping", "stopped"]

TroubleKind = Literal["capacity", "quota", "throttled", "denied", "unreachable", "invalid", "interrupted"]
"""Kind of an AWS error. capacity: AWS has no capacity of the type in the zone; quota: the account's quota is exhausted;
throttled and unreachable: a retry will succeed later; denied: the role lacks the permission, or lost it; invalid: AWS
rejects the request; interrupted: AWS reclaimed a spot instance."""


class CloudError(Exception):
    """A request to AWS failed.

    Parameters
    ----------
    kind : TroubleKind
    words : str
        Message for people: the request, AWS' answer, and what to do.
    """

    def __init__(self, kind: TroubleKind, words: str) -> None:
        super().__init__(words)
        self.kind: TroubleKind = kind
        self.words = words


@dataclass(frozen=True, slots=True)
class Room:
    """Zones and vCPU quota that an account has for a run.

    Parameters
    ----------
    zones : tuple of str
        Zones that offer the instance type and have a subnet; if the run requests a zone, only that zone.
    quota_vcpus, used_vcpus : int or None
        Quota of vCPUs, and vCPUs in use; None if unknown.
    needed_vcpus : int
        vCPUs of all nodes of the run.
    problem : str or None
        Reason why the run cannot be launched; None if it can.
    """

    zones: tuple[str, ...]
    quota_vcpus: int | None
    used_vcpus: int | None
    needed_vcpus: int
    problem: str | None = None


@dataclass(frozen=True, slots=True)
class ObservedInstance:
    """An instance with the tag of a run.

    Parameters
    ----------
    id : str
    state : InstanceState
    zone : str
    launched_at : datetime
    launch_index : int
        Index of the instance within its launch, from 0.
    attempt : int
        Number of the launch attempt, according to the instance's tag.
    address : str or None
        Private IP address; None before an address is assigned and after termination.
    reason : str or None
        AWS' code for the last state change: ``Server.InsufficientInstanceCapacity``.
    ended_at : datetime or None
        Time of the termination; None if AWS states no such time.
    """

    id: str
    state: InstanceState
    zone: str
    launched_at: datetime
    launch_index: int = 0
    attempt: int = 0
    address: str | None = None
    reason: str | None = None
    ended_at: datetime | None = None

    @property
    def is_ending(self) -> bool:
        """Return whether the instance has ended or is shutting down, and so is no longer billed."""
        return self.state in {"shutting-down", "terminated"}


@dataclass(frozen=True, slots=True)
class ObservedObject:
    """A file under the run's prefix.

    Parameters
    ----------
    key : str
        Key relative to the run's prefix: ``nodes/0003/net-4.json``.
    size_bytes : int
    etag : str
        Etag, which changes with the content.
    """

    key: str
    size_bytes: int
    etag: str


@dataclass(frozen=True, slots=True)
class Observation:
    """All resources with the tag of a run, at one moment.

    Parameters
    ----------
    at : datetime
    instances : tuple of ObservedInstance
        Instances, including terminated instances as long as AWS lists them.
    volumes : tuple of str
    security_groups, placement_groups : tuple of str
    emr_clusters : mapping of str to str
        State of each EMR cluster that has not ended, by its id.
    objects : tuple of ObservedObject
    """

    at: datetime
    instances: tuple[ObservedInstance, ...] = ()
    volumes: tuple[str, ...] = ()
    security_groups: tuple[str, ...] = ()
    placement_groups: tuple[str, ...] = ()
    emr_clusters: Mapping[str, str] = field(default_factory=dict)
    objects: tuple[ObservedObject, ...] = ()

    @property
    def is_clear(self) -> bool:
        """Return whether the account has no resource of the run left."""
        return not (
            any(each.state != "terminated" for each in self.instances)
            or self.volumes
            or self.security_groups
            or self.placement_groups
            or self.emr_clusters
            or self.objects
        )
