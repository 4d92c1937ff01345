"""Roles in connected accounts, assumed with their external id; credentials last an hour and stay in memory."""

from collections.abc import Callable
from dataclasses import field
from datetime import datetime, timedelta
from functools import cache
from threading import Lock
from typing import Any

import boto3
from botocore.loaders import Loader
from botocore.session import Session, get_session

from stowage.frozen import frozen
from stowage.runs.cloud import Connection
from stowage_worker.aws.session import config
from stowage_worker.aws.trouble import asking

LASTS_S = 3600
"""Default session length of a role and the maximum for role chaining [s] (IAM user guide,
"Methods to assume a role", 2026-11-20)."""

LEAST = timedelta(minutes=10)
"""Minimum remaining lifetime of credentials that are reused."""

_MOST_KEPT = 200


@frozen
class Assumed:
    """Credentials of a role."""

    session: Session
    until: datetime
    clients: dict[tuple[str, str], Any] = field(default_factory=dict)
    """Cached clients, by service and region; creating a client takes longer than most requests."""


class Roles:
    """Cache of the credentials of assumed roles.

    Parameters
    ----------
    clock : callable
        Returns the current time.
    """

    def __init__(self, clock: Callable[[], datetime]) -> None:
        self._clock = clock
        self._kept: dict[tuple[str, str], Assumed] = {}
        self._lock = Lock()

    def assumed(self, connection: Connection, lasts: timedelta = LEAST) -> Assumed:
        """Return credentials of a connection's role.

        Parameters
        ----------
        connection : Connection
        lasts : timedelta
            Minimum remaining lifetime.

        Raises
        ------
        CloudError
            The role cannot be assumed.
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
        """Drop the cached credentials of a role because AWS refused them."""
        with self._lock:
            self._kept.pop((connection.role_arn, connection.external_id), None)


def assume(connection: Connection, external_id: str | None) -> Assumed:
    """Assume a connection's role.

    Parameters
    ----------
    connection : Connection
    external_id : str or None
        None to test whether the role can be assumed without an external id.

    Raises
    ------
    CloudError
        The role cannot be assumed.
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
    session = get_session()
    session.register_component("data_loader", _descriptions())
    session.set_credentials(given["AccessKeyId"], given["SecretAccessKey"], given["SessionToken"])
    return Assumed(session, given["Expiration"])


@cache
def _descriptions() -> Loader:
    """Return the descriptions of AWS services, which all sessions share: parsing that of EC2 takes 0.2 s and 15 MB."""
    loader: Loader = get_session().get_component("data_loader")
    return loader
