"""Observation of an account: resources of a run as AWS lists them, and errors in listing them."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import Literal

ResourceKind = Literal["instance", "volume", "security-group", "placement-group", "emr-cluster", "objects"]
InstanceState = Literal["pending", "running", "shutting-down", "terminated", "stopping", "stopped"]

TroubleKind = Literal["capacity", "quota", "throttled", "denied", "unreachable", "invalid", "interrupted"]
"""What stands in the way. capacity: AWS has no more of the type there; quota: the account may not have more; throttled
and unreachable: it will do later; denied: the role may not, or not any more; invalid: AWS does not take the request;
interrupted: AWS took a spot instance back."""


class CloudError(Exception):
    """AWS did not do what was asked.

    Parameters
    ----------
    kind : TroubleKind
    words : str
        For people: what was asked, what AWS said, what to do.
    """

    def __init__(self, kind: TroubleKind, words: str) -> None:
        super().__init__(words)
        self.kind: TroubleKind = kind
        self.words = words


@dataclass(frozen=True, slots=True)
class Room:
    """Whether an account has room for a run.

    Parameters
    ----------
    zones : tuple of str
        That offer the type and have a subnet to launch in; the wanted one alone, if one is wanted.
    quota_vcpus, used_vcpus : int or None
        None where it could not be found out.
    needed_vcpus : int
    problem : str or None
        Why it cannot be launched, in words; None where nothing speaks against it.
    """

    zones: tuple[str, ...]
    quota_vcpus: int | None
    used_vcpus: int | None
    needed_vcpus: int
    problem: str | None = None


@dataclass(frozen=True, slots=True)
class ObservedInstance:
    """An instance that carries the tag of a run.

    Parameters
    ----------
    id : str
    state : InstanceState
    zone : str
    launched_at : datetime
    launch_index : int
        In its launch, from 0.
    attempt : int
        Which attempt of launching it comes from, by its tag.
    address : str or None
        Private, as long as it has one.
    reason : str or None
        Why it changed its state, in AWS' code: ``Server.InsufficientInstanceCapacity``.
    ended_at : datetime or None
        When it was ended, where AWS says so.
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
        """Return whether it has ended or is about to; it is not billed for any more."""
        return self.state in {"shutting-down", "terminated"}


@dataclass(frozen=True, slots=True)
class ObservedObject:
    """A file under the run's prefix.

    Parameters
    ----------
    key : str
        Behind the run's prefix: ``nodes/0003/net-4.json``.
    size_bytes : int
    etag : str
        Changes with the content.
    """

    key: str
    size_bytes: int
    etag: str


@dataclass(frozen=True, slots=True)
class Observation:
    """All that carries the tag of a run, at one moment.

    Parameters
    ----------
    at : datetime
    instances : tuple of ObservedInstance
        Those that are ended too, as long as AWS lists them.
    volumes : tuple of str
    security_groups, placement_groups : tuple of str
    emr_clusters : mapping of str to str
        Id -> state, of those that have not ended.
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
        """Return whether nothing is left that costs or stands around."""
        return not (
            any(each.state != "terminated" for each in self.instances)
            or self.volumes
            or self.security_groups
            or self.placement_groups
            or self.emr_clusters
            or self.objects
        )
