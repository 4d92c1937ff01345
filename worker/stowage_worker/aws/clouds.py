"""Implementation of `stowage.runs.cloud` with boto3."""

from collections.abc import Callable, Sequence
from datetime import UTC, datetime, timedelta
from functools import wraps
from typing import Concatenate, ParamSpec, TypeVar

from stowage.runs.actions import (
    Action,
    DeleteGroups,
    DeleteObjects,
    DeleteVolumes,
    Instruct,
    Launch,
    LaunchEmr,
    Prepare,
    Terminate,
    TerminateEmr,
)
from stowage.runs.cloud import Connection
from stowage.runs.observation import CloudError
from stowage.runs.run import Resource, Run
from stowage_worker.aws import checking, emr, groups, launching, looking, mailbox, metrics, removing, room
from stowage_worker.aws.account import Account
from stowage_worker.aws.roles import Roles
from stowage_worker.aws.tags import tags
from stowage_worker.aws.trouble import asking

_PREPARED = timedelta(hours=1)
"""Added to the deadline in the tags of groups, which are created before the nodes' deadline is known."""

P = ParamSpec("P")
T = TypeVar("T")


def _now() -> datetime:
    return datetime.now(UTC)


class AwsClouds:
    """Access to connected accounts; caches the credentials of their roles in memory.

    Parameters
    ----------
    clock : callable
        Returns the current time.
    """

    def __init__(self, clock: Callable[[], datetime] = _now) -> None:
        self._clock = clock
        self._roles = Roles(clock)

    def of(self, connection: Connection, region: str) -> "AwsCloud":
        """Assume the role of a connection, and return access to one region of the account.

        Raises
        ------
        CloudError
            The role cannot be assumed.
        """
        account = Account(connection, region, self._roles, self._clock)
        account.reach()
        return AwsCloud(account)


def _in_account(request: Callable[Concatenate[Account, P], T]) -> "Callable[Concatenate[AwsCloud, P], T]":
    """Return a method of `AwsCloud` that calls a function with the account."""

    @wraps(request)
    def method(self: "AwsCloud", /, *arguments: P.args, **named: P.kwargs) -> T:
        try:
            # Also converts errors outside a request, such as an unknown region.
            with asking("a request", self.account.region):
                return request(self.account, *arguments, **named)
        except CloudError as error:
            if error.kind == "denied":
                # The credentials were revoked or the role was recreated: assume it again at the next attempt.
                self.account.forget()
            raise

    return method


def _do(account: Account, run: Run, action: Action, key: bytes) -> Sequence[Resource]:
    """Carry out an action and return the resources it created."""
    made: Sequence[Resource] = ()
    match action:
        case Prepare():
            deadline = run.ends_at or account.clock() + timedelta(seconds=run.spec.time_limit_s) + _PREPARED
            listed = tags(account.connection, run, deadline)
            made = [mailbox.put_agent(account, run), *groups.make_groups(account, run, listed)]
        case Launch():
            made = launching.launch(account, run, action, key)
        case LaunchEmr():
            made = emr.launch_emr(account, run, action, key)
        case Instruct():
            mailbox.instruct(account, run, action, key)
        case Terminate(instances):
            removing.terminate(account, instances)
        case TerminateEmr(clusters):
            emr.terminate_clusters(account, clusters)
        case DeleteVolumes(volumes):
            removing.delete_volumes(account, volumes)
        case DeleteGroups(security_groups, placement_groups):
            removing.delete_groups(account, security_groups, placement_groups)
        case DeleteObjects():
            mailbox.delete_files(account, account.key(run))
    return made


def _fetch(account: Account, run: Run, key: str, most_bytes: int) -> bytes:
    """Return a file under the run's prefix, at most its first `most_bytes` bytes."""
    return mailbox.fetch(account, account.key(run, key), most_bytes)


class AwsCloud:
    """Access to one region of a connected account; see `stowage.runs.cloud.Cloud`."""

    def __init__(self, account: Account) -> None:
        self.account = account

    check = _in_account(checking.check)
    room = _in_account(room.room)
    look = _in_account(looking.look)
    do = _in_account(_do)
    fetch = _in_account(_fetch)
    left_behind = _in_account(looking.left_behind)
    remove = _in_account(removing.remove)
    volumes_of = _in_account(metrics.volumes_of)
    metrics = _in_account(metrics.metrics)
