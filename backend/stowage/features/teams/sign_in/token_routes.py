"""Routes of API tokens under /api/v1. Each route calls one use case."""

from datetime import UTC, datetime
from typing import Annotated
from uuid import UUID

from stowage.features.teams.sign_in import tokens
from stowage.features.teams.sign_in.schemas import NewToken, TokenAnswer, TokenListAnswer
from stowage.web.admission import Person, SignedIn, needs
from stowage.web.responses import NOT_ACCEPTED, NOT_FOUND, NOT_SIGNED_IN
from stowage.web.router import ApiRouter
from stowage.web.services import TeamServices

router = ApiRouter(tags=["tokens"], responses=NOT_FOUND | NOT_ACCEPTED | NOT_SIGNED_IN)

Holding = Annotated[TeamServices, needs("tokens.write")]


@router.get("/tokens")
def list_tokens(services: Holding) -> TokenListAnswer:
    """List the caller's tokens of the team.

    An owner sees the tokens of all members.
    """
    return tokens.list_tokens(services.database, services.org_id, services.asker, datetime.now(UTC))


@router.post("/tokens", status_code=201)
def make_token(asked: NewToken, _person: Person, services: Holding) -> TokenAnswer:
    """Create a token.

    Its secret is shown only once.
    """
    return tokens.make(services.database, services.org_id, services.asker, asked, datetime.now(UTC))


@router.delete("/tokens/current", status_code=204)
def end_current_token(services: SignedIn) -> None:
    """Revoke the token of this request.

    `stowage logout` uses this route.
    """
    tokens.revoke_current(services.database, services.org_id, services.asker, datetime.now(UTC))


@router.delete("/tokens/{token_id}", status_code=204)
def revoke_token(token_id: UUID, _person: Person, services: Holding) -> None:
    """Revoke one of the caller's tokens.

    An owner can revoke any token of the team.
    """
    tokens.revoke(services.database, services.org_id, services.asker, token_id, datetime.now(UTC))
