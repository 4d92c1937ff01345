"""What lets others in: API tokens and share links, under /api/v1. Each route calls one use case."""

from datetime import UTC, datetime
from typing import Annotated
from uuid import UUID

from fastapi import Query, Request

from stowage.api.addresses import page_address
from stowage.api.admission import Person, SignedIn, needs
from stowage.api.responses import NOT_ACCEPTED, NOT_FOUND, NOT_SIGNED_IN, TOO_MANY
from stowage.api.router import ApiRouter
from stowage.api.services import TeamServices
from stowage.features.reports import links
from stowage.features.reports.link_answers import LinkListAnswer, NewLink, ShareLinkAnswer
from stowage.features.teams.sign_in import tokens
from stowage.features.teams.sign_in.schemas import NewToken, TokenAnswer, TokenListAnswer
from stowage.model.team import LinkKind

router = ApiRouter()

Holding = Annotated[TeamServices, needs("tokens.write")]
Sharing = Annotated[TeamServices, needs("links.write")]
REFUSALS = NOT_FOUND | NOT_ACCEPTED | NOT_SIGNED_IN


@router.get("/tokens", responses=REFUSALS, tags=["tokens"])
def list_tokens(services: Holding) -> TokenListAnswer:
    """List tokens: one's own, of an owner all of the team's."""
    return tokens.list_tokens(services.database, services.org_id, services.asker, datetime.now(UTC))


@router.post("/tokens", status_code=201, responses=REFUSALS, tags=["tokens"])
def make_token(asked: NewToken, _person: Person, services: Holding) -> TokenAnswer:
    """Make a token; it is shown this once."""
    return tokens.make(services.database, services.org_id, services.asker, asked, datetime.now(UTC))


@router.delete("/tokens/current", status_code=204, responses=REFUSALS, tags=["tokens"])
def end_current_token(services: SignedIn) -> None:
    """Revoke the token that this request carries; what `stowage logout` does."""
    tokens.revoke_current(services.database, services.org_id, services.asker, datetime.now(UTC))


@router.delete("/tokens/{token_id}", status_code=204, responses=REFUSALS, tags=["tokens"])
def revoke_token(token_id: UUID, _person: Person, services: Holding) -> None:
    """Revoke a token: one's own, of an owner any of the team's."""
    tokens.revoke(services.database, services.org_id, services.asker, token_id, datetime.now(UTC))


@router.get("/links", responses=REFUSALS, tags=["links"])
def list_links(
    services: Sharing, kind: Annotated[LinkKind, Query()], object_id: Annotated[UUID, Query()]
) -> LinkListAnswer:
    """List the share links of an object."""
    return links.list_links(services.database, services.org_id, kind, object_id)


@router.post("/links", status_code=201, responses=REFUSALS | TOO_MANY, tags=["links"])
def make_link(asked: NewLink, request: Request, services: Sharing) -> ShareLinkAnswer:
    """Make a share link; it is shown this once."""
    return links.make(
        services.database,
        services.org_id,
        asked,
        by=services.actor.name,
        page=page_address(request, services),
        now=datetime.now(UTC),
    )


@router.delete("/links/{link_id}", status_code=204, responses=REFUSALS, tags=["links"])
def revoke_link(link_id: UUID, services: Sharing) -> None:
    """Revoke a share link."""
    links.revoke(services.database, services.org_id, link_id, datetime.now(UTC))
