"""Termination and deletion of resources. Missing resources are no error; resources in use are retried later."""

from collections.abc import Callable, Iterable, Sequence
from functools import partial
from typing import TypeVar

from stowage.runs.cloud import LeftBehind
from stowage.runs.observation import CloudError
from stowage_worker.aws.account import Account
from stowage_worker.aws.emr import terminate_clusters
from stowage_worker.aws.mailbox import delete_files

_AT_ONCE = 100

T = TypeVar("T")

_GONE = frozenset(
    {
        "InvalidInstanceID.NotFound",
        "InvalidVolume.NotFound",
        "InvalidGroup.NotFound",
        "InvalidPlacementGroup.Unknown",
        "NotFound",
    }
)
_IN_USE = frozenset(
    {"VolumeInUse", "DependencyViolation", "InvalidGroup.InUse", "InvalidPlacementGroup.InUse", "IncorrectState"}
)


def terminate(account: Account, instances: Sequence[str]) -> None:
    """Terminate instances."""
    starts = range(0, len(instances), _AT_ONCE)
    _each(lambda start: _terminate(account, list(instances[start : start + _AT_ONCE])), starts)


def delete_volumes(account: Account, volumes: Sequence[str]) -> None:
    """Delete volumes, except attached ones: EC2 deletes these together with their instance."""
    _each(lambda volume: account.ask("ec2:DeleteVolume", but=_GONE | _IN_USE, VolumeId=volume), volumes)


def delete_groups(account: Account, security_groups: Sequence[str], placement_groups: Sequence[str]) -> None:
    """Delete groups; this is possible once the last instance in them has terminated."""
    requests = [
        *(("ec2:DeleteSecurityGroup", {"GroupId": each}) for each in security_groups),
        *(("ec2:DeletePlacementGroup", {"GroupName": each}) for each in placement_groups),
    ]
    _each(lambda request: account.ask(request[0], but=_GONE | _IN_USE, **request[1]), requests)


def remove(account: Account, left: Sequence[LeftBehind]) -> None:
    """Remove resources that runs left behind, beginning with those that cost money."""
    here = [each for each in left if each.region == account.region]
    by_kind = {kind: tuple(each.id for each in here if each.kind == kind) for kind in {each.kind for each in here}}
    steps: tuple[Callable[[], None], ...] = (
        lambda: terminate_clusters(account, by_kind.get("emr-cluster", ())),
        lambda: terminate(account, by_kind.get("instance", ())),
        lambda: delete_volumes(account, by_kind.get("volume", ())),
        lambda: delete_groups(account, by_kind.get("security-group", ()), by_kind.get("placement-group", ())),
        *(partial(delete_files, account, prefix) for prefix in by_kind.get("objects", ())),
    )
    _each(lambda step: step(), steps)


def _each(do: Callable[[T], object], things: Iterable[T]) -> None:
    """Call `do` for each item, even after failures; then raise the first failure."""
    first: CloudError | None = None
    for thing in things:
        try:
            do(thing)
        except CloudError as error:
            first = first or error
    if first is not None:
        raise first


def _terminate(account: Account, part: list[str]) -> None:
    try:
        is_ended = _ended(account, part)
    except CloudError as error:
        if error.kind not in {"denied", "invalid"} or len(part) == 1:
            raise
        is_ended = False
    if not is_ended and len(part) > 1:
        # AWS terminates none of several instances if one is unknown or protected.
        _each(lambda one: _ended(account, [one]), part)


def _ended(account: Account, part: list[str]) -> bool:
    return account.ask("ec2:TerminateInstances", but=_GONE, InstanceIds=part) is not None
