"""Roles in connected accounts: assumed with their external id, for an hour, and kept in memory alone."""

from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from threading import Lock
from typing import Any

import boto3

from stowage.features.benchmarks.cloud import Connection
from stowage_worker.aws.session import config
from stowage_worker.aws.trouble import asking

LASTS_S = 3600
"""What a role gives where nothing else was configured, and all that one role may ask of another (IAM user guide,
"Methods to assume a role", 2026-11-20)."""

LEAST = timedelta(minutes=10)
"""Credentials that end sooner are not used any more."""

_MOST_KEPT = 200


def _now() -> datetime:
    return datetime.now(UTC)


@dataclass(frozen=True, slots=True)
class Assumed:
    """Credentials of a role.

    Parameters
    ----------
    session : boto3.Session
    until : datetime
    clients : dict
        Service and region -> client: to make one takes longer than most questions.
    """

    session: boto3.Session
    until: datetime
    clients: dict[tuple[str, str], Any] = field(default_factory=dict)


class Roles:
    """Assumes roles, and caches their credentials while they are valid.

    Parameters
    ----------
    clock : callable
        Says what time it is.
    """

    def __init__(self, clock: Callable[[], datetime] = _now) -> None:
        self._clock = clock
        self._kept: dict[tuple[str, str], Assumed] = {}
        self._lock = Lock()

    def assumed(self, connection: Connection, lasts: timedelta = LEAST) -> Assumed:
        """Return credentials of a connection's role.

        Parameters
        ----------
        connection : Connection
        lasts : timedelta
            For so long they must be good at least.

        Raises
        ------
        CloudError
            The role is not to be had.
        """
        key = connection.role_arn, connection.external_id
        with self._lock:
            kept = self._kept.get(key)
            if kept is not None and kept.until - self._clock() > lasts:
                return kept
            while len(self._kept) >= _MOST_KEPT:
                self._kept.pop(next(iter(self._kept)))
            self._kept[key] = assume(connection, connection.external_id)
            return self._kept[key]

    def forget(self, connection: Connection) -> None:
        """Assume the role again the next time: the credentials were refused."""
        with self._lock:
            self._kept.pop((connection.role_arn, connection.external_id), None)


def assume(connection: Connection, external_id: str | None) -> Assumed:
    """Assume a connection's role.

    Parameters
    ----------
    connection : Connection
    external_id : str or None
        None to find out whether it can be had without.

    Raises
    ------
    CloudError
        It is not to be had.
    """
    with asking("sts:AssumeRole", connection.bucket_region):
        client = boto3.client("sts", region_name=connection.bucket_region, config=config())
        answer = client.assume_role(
            RoleArn=connection.role_arn,
            RoleSessionName=f"stowage-{connection.id}",
            DurationSeconds=LASTS_S,
            **({} if external_id is None else {"ExternalId": external_id}),
        )
    given = answer["Credentials"]
    session = boto3.Session(given["AccessKeyId"], given["SecretAccessKey"], given["SessionToken"])
    return Assumed(session, given["Expiration"])
