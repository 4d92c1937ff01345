"""Share links: requests, answers, and the shared objects."""

from datetime import datetime
from typing import Annotated
from uuid import UUID

from pydantic import Field

from stowage.features.planning.schemas import SavedPlanAnswer
from stowage.features.reports.schemas import SharedReportAnswer
from stowage.features.sweeps.schemas import SweepAnswer
from stowage.features.teams.sign_in.schemas import Password
from stowage.model.team import LinkKind
from stowage.platform.described import Answer, Asked


class NewLink(Asked):
    """A link to make."""

    kind: LinkKind
    object_id: UUID
    days: Annotated[int, Field(ge=1, le=366)] = 30
    password: Password | None = None
    """Password of the link; 12 characters or more, and not easy to guess."""


class LinkRow(Answer):
    """A share link; never its secret."""

    id: UUID
    kind: LinkKind
    object_id: UUID
    locked: bool
    """Whether it asks for a password."""
    created_by: str
    created_at: datetime
    expires_at: datetime
    revoked_at: datetime | None
    views: int
    last_viewed_at: datetime | None


class LinkListAnswer(Answer):
    """Links of one object, newest first."""

    links: list[LinkRow]


class ShareLinkAnswer(LinkRow):
    """A new link, shown this once."""

    address: str


class SharedAnswer(Answer):
    """Object of a share link: one of the three."""

    kind: LinkKind
    expires_at: datetime
    plan: SavedPlanAnswer | None = None
    sweep: SweepAnswer | None = None
    report: SharedReportAnswer | None = None


class Unlocking(Asked):
    """Requirements of a link."""

    password: Password
