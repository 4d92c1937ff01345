"""Routes for managing share links under /api/v1. Each route calls one service."""

from datetime import UTC, datetime
from typing import Annotated
from uuid import UUID

from fastapi import Query, Request

from stowage.features.reports import links
from stowage.features.reports.link_answers import LinkListAnswer, NewLink, ShareLinkAnswer
from stowage.model.team import LinkKind
from stowage.web.addresses import page_address
from stowage.web.admission import needs
from stowage.web.responses import NOT_ACCEPTED, NOT_FOUND, NOT_SIGNED_IN, TOO_MANY
from stowage.web.router import ApiRouter
from stowage.web.services import TeamServices

router = ApiRouter(tags=["links"], responses=NOT_FOUND | NOT_ACCEPTED | NOT_SIGNED_IN)

Sharing = Annotated[TeamServices, needs("links.write")]


@router.get("/links")
def list_links(
    services: Sharing, kind: Annotated[LinkKind, Query()], object_id: Annotated[UUID, Query()]
) -> LinkListAnswer:
    """List the share links of an object."""
    return links.list_links(services.database, services.org_id, kind, object_id)


@router.post("/links", status_code=201, responses=TOO_MANY)
def make_link(asked: NewLink, request: Request, services: Sharing) -> ShareLinkAnswer:
    """Create a share link; its address is shown only once."""
    return links.make(
        services.database,
        services.org_id,
        asked,
        by=services.actor.name,
        page=page_address(request, services),
        now=datetime.now(UTC),
    )


@router.delete("/links/{link_id}", status_code=204)
def revoke_link(link_id: UUID, services: Sharing) -> None:
    """Revoke a share link."""
    links.revoke(services.database, services.org_id, link_id, datetime.now(UTC))
