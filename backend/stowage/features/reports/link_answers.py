"""Requests and answers about share links, and the answer that a share link shows."""

from datetime import datetime
from typing import Annotated
from uuid import UUID

from pydantic import Field

from stowage.features.planning.schemas import SavedPlanAnswer
from stowage.features.reports.schemas import SharedReportAnswer
from stowage.features.sweeps.schemas import SweepAnswer
from stowage.features.teams.sign_in.schemas import Password
from stowage.model.team import LinkKind
from stowage.platform.described import Answer, RequestBody


class NewLink(RequestBody):
    """Request for a share link."""

    kind: LinkKind
    object_id: UUID
    days: Annotated[int, Field(ge=1, le=366)] = 30
    password: Password | None = None
    """Password that a guest must enter; 12 characters or more, and not easy to guess."""


class LinkRow(Answer):
    """A share link, without its secret."""

    id: UUID
    kind: LinkKind
    object_id: UUID
    locked: bool
    """Whether the link requires a password."""
    created_by: str
    created_at: datetime
    expires_at: datetime
    revoked_at: datetime | None
    views: int
    last_viewed_at: datetime | None


class LinkListAnswer(Answer):
    """Share links of one object, newest first."""

    links: list[LinkRow]


class ShareLinkAnswer(LinkRow):
    """A new share link; its address is shown only once."""

    address: str


class SharedAnswer(Answer):
    """Content of a share link: a plan, a sweep or a report."""

    kind: LinkKind
    expires_at: datetime
    plan: SavedPlanAnswer | None = None
    sweep: SweepAnswer | None = None
    report: SharedReportAnswer | None = None


class Unlocking(RequestBody):
    """Request to unlock a share link."""

    password: Password
