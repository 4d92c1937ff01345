"""Implementation of `stowage.features.benchmarks.cloud` with boto3."""

from collections.abc import Callable, Mapping, Sequence
from datetime import UTC, datetime, timedelta
from typing import TypeVar

from stowage.features.benchmarks.cloud import Connection, Finding, LeftBehind, MetricQuery
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
from stowage.runs.observation import CloudError, Observation, Room
from stowage.runs.run import Resource, Run
from stowage.runs.spec import RunSpec
from stowage_worker.aws import checking, emr, groups, launching, looking, mailbox, metrics, removing, room
from stowage_worker.aws.account import Account
from stowage_worker.aws.roles import Roles
from stowage_worker.aws.tags import tags
from stowage_worker.aws.trouble import asking

_PREPARED = timedelta(hours=1)
"""Added to the deadline in the tags of groups, which are created before the nodes' deadline is known."""

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


class AwsCloud:
    """Access to one region of a connected account; see `stowage.features.benchmarks.cloud.Cloud`."""

    def __init__(self, account: Account) -> None:
        self._account = account

    def check(self) -> Sequence[Finding]:
        """Check the assumed identity, and which permissions are granted."""
        return self._asked(lambda: checking.check(self._account))

    def room(self, spec: RunSpec) -> Room:
        """Return the capacity for a run: zones with the instance type, quota, and the outcome of a dry-run launch."""
        return self._asked(lambda: room.room(self._account, spec))

    def look(self, run: Run) -> Observation:
        """Return all resources with the run's tag, and the files under its prefix."""
        return self._asked(lambda: looking.look(self._account, run))

    def do(self, run: Run, action: Action, key: bytes) -> Sequence[Resource]:
        """Carry out an action and return the resources it created."""
        return self._asked(lambda: self._done(run, action, key))

    def fetch(self, run: Run, key: str, most_bytes: int) -> bytes:
        """Return a file under the run's prefix, at most its first `most_bytes` bytes."""
        return self._asked(lambda: mailbox.fetch(self._account, run, key, most_bytes))

    def left_behind(self) -> Sequence[LeftBehind]:
        """Return all resources in the region that carry the tag of any run of this connection."""
        return self._asked(lambda: looking.left_behind(self._account))

    def remove(self, left: Sequence[LeftBehind]) -> None:
        """Remove resources that `left_behind` returned."""
        self._asked(lambda: removing.remove(self._account, left))

    def metrics(
        self, queries: Sequence[MetricQuery], start: datetime, end: datetime
    ) -> Mapping[MetricQuery, Sequence[tuple[datetime, float]]]:
        """Return the time series of metrics; points that CloudWatch does not have yet are left out."""
        return self._asked(lambda: metrics.metrics(self._account, queries, start, end))

    def volumes_of(self, volume_ids: Sequence[str]) -> Sequence[Mapping[str, object]]:
        """Return the properties of volumes."""
        return self._asked(lambda: metrics.volumes_of(self._account, volume_ids))

    def _asked(self, question: Callable[[], T]) -> T:
        try:
            # Also converts errors outside a request, such as an unknown region.
            with asking("a request", self._account.region):
                return question()
        except CloudError as error:
            if error.kind == "denied":
                # The credentials were revoked or the role was recreated: assume it again at the next attempt.
                self._account.forget()
            raise

    def _done(self, run: Run, action: Action, key: bytes) -> Sequence[Resource]:
        account = self._account
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
