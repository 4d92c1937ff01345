"""Alerts and where they are sent, as the API answers them."""

from datetime import datetime
from typing import Annotated, Literal
from uuid import UUID

from pydantic import Field

from stowage.features.alerts.tables import AlertKind
from stowage.features.alerts.webhooks import LONGEST_ADDRESS
from stowage.platform.described import Answer
from stowage.platform.written import Section

Direction = Literal["regression", "improvement"]


class AlertAnswer(Answer):
    """A change that the team was told of."""

    id: UUID
    profile_key: str | None
    metric: str | None
    """These two are null where it is about a plan."""
    plan_id: UUID | None
    plan_name: str | None
    """As it was called then; these two are null where it is about a profile."""
    words: str
    at: datetime
    """When it changed, as far as it is known."""
    direction: Direction | None
    factor: float | None
    created_at: datetime
    seen_at: datetime | None
    seen_by: str | None


class AlertListAnswer(Answer):
    """Alerts, newest first."""

    alerts: list[AlertAnswer]
    unseen: int
    """Of all."""
    next_cursor: str | None


class NewAddress(Section):
    """Where to tell of changes."""

    kind: AlertKind
    address: Annotated[str, Field(min_length=1, max_length=LONGEST_ADDRESS)]
    """Of a member of the team; or of a webhook: `https://host/path`."""


class AlertAddressRow(Answer):
    """Where the team is told of changes."""

    id: UUID
    kind: AlertKind
    address: str
    person: str
    created_at: datetime


class AlertAddressAnswer(AlertAddressRow):
    """An address that was added."""

    secret: str | None
    """With which what is sent to a webhook is signed; shown this once."""


class AlertAddressListAnswer(Answer):
    """All addresses of the team, oldest first."""

    addresses: list[AlertAddressRow]
    mail: bool
    """Whether this service can send mail."""
