"""Requests and answers about alerts and the addresses to which they are sent."""

from datetime import datetime
from typing import Annotated
from uuid import UUID

from pydantic import Field

from stowage.features.alerts.store import StoredAddress
from stowage.features.alerts.tables import AlertKind
from stowage.frozen import frozen
from stowage.measure.profiling.changes import Trend
from stowage.platform.described import Answer
from stowage.platform.webhooks import LONGEST_ADDRESS
from stowage.platform.written import Section


class AlertAnswer(Answer):
    """An alert about a change of a measured metric or of a watched plan."""

    id: UUID
    profile_key: str | None
    metric: str | None
    """Null if the alert is about a plan, like `profile_key`."""
    plan_id: UUID | None
    plan_name: str | None
    """Name at the time of the alert; null if the alert is about a profile, like `plan_id`."""
    words: str
    at: datetime
    """Estimated time of the change."""
    direction: Trend | None
    factor: float | None
    created_at: datetime
    seen_at: datetime | None
    seen_by: str | None


class AlertListAnswer(Answer):
    """Alerts, newest first."""

    alerts: list[AlertAnswer]
    unseen: int
    """Number of unseen alerts, on all pages."""
    next_cursor: str | None


class NewAddress(Section):
    """Request to add an address to which alerts are sent."""

    kind: AlertKind
    address: Annotated[str, Field(min_length=1, max_length=LONGEST_ADDRESS)]
    """E-mail of a member of the team, or URL of a webhook: `https://host/path`."""


@frozen(kw_only=True)
class AlertAddressAnswer(StoredAddress):
    """An address that was just added, with the secret of a webhook."""

    secret: str | None
    """Secret with which messages to a webhook are signed; shown only once."""


class AlertAddressListAnswer(Answer):
    """All addresses to which the team's alerts are sent, oldest first."""

    addresses: list[StoredAddress]
    mail: bool
    """Whether this service can send mail."""
