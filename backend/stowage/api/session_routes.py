"""Signing in and out, one's own account and its sessions, under /api/v1. Each route calls one use case."""

from typing import Annotated
from uuid import UUID

from fastapi import APIRouter, Query, Request, Response
from fastapi.responses import RedirectResponse

from stowage.api.admission import Person, SignedIn, public
from stowage.api.responses import CONFLICT, NOT_ACCEPTED, NOT_FOUND, NOT_SIGNED_IN, TOO_MANY
from stowage.api.services import TeamServices
from stowage.usecases.people_answers import (
    AccountChange,
    OidcAddress,
    OidcStart,
    PasswordReset,
    PersonAnswer,
    ResetRequest,
    SessionAnswer,
    SessionListAnswer,
    SignIn,
    TeamChoice,
    WithSecret,
)

router = APIRouter(tags=["session"])

Anybody = Annotated[TeamServices, public("who signs in is not signed in yet")]


@router.get("/session", responses=NOT_ACCEPTED)
def read_session(request: Request, services: Anybody, response: Response) -> SessionAnswer:
    """Say who is signed in and what they may do; that nobody is, is an answer. Renews the cookie when it is old."""
    raise NotImplementedError


@router.post("/session", responses=NOT_ACCEPTED | NOT_SIGNED_IN | TOO_MANY)
def sign_in(attempt: SignIn, request: Request, services: Anybody, response: Response) -> SessionAnswer:
    """Sign in by e-mail and password."""
    raise NotImplementedError


@router.post("/session/link", responses=NOT_ACCEPTED | NOT_SIGNED_IN | TOO_MANY)
def sign_in_by_link(link: WithSecret, request: Request, services: Anybody, response: Response) -> SessionAnswer:
    """Sign in by a one-time link."""
    raise NotImplementedError


@router.post("/session/oidc", responses=NOT_ACCEPTED | NOT_FOUND)
def start_oidc(start: OidcStart, request: Request, services: Anybody, response: Response) -> OidcAddress:
    """Say where to sign in at the OpenID provider."""
    raise NotImplementedError


@router.get("/session/oidc/callback", responses=NOT_ACCEPTED, response_class=RedirectResponse, status_code=303)
def end_oidc(
    request: Request,
    services: Anybody,
    state: Annotated[str, Query(max_length=200)] = "",
    code: Annotated[str, Query(max_length=2_000)] = "",
    error: Annotated[str, Query(max_length=200)] = "",
) -> RedirectResponse:
    """Come back from the provider: to the page that was asked for, or to the sign-in with a reason."""
    raise NotImplementedError


@router.delete("/session", status_code=204, responses=NOT_SIGNED_IN)
def sign_out(services: Person, response: Response) -> None:
    """Sign out here."""
    raise NotImplementedError


@router.put("/session/team", responses=NOT_ACCEPTED | NOT_FOUND | NOT_SIGNED_IN)
def choose_team(choice: TeamChoice, request: Request, services: Person, response: Response) -> SessionAnswer:
    """Look at another team that one is in."""
    raise NotImplementedError


@router.get("/sessions", responses=NOT_SIGNED_IN | NOT_FOUND)
def list_sessions(services: Person) -> SessionListAnswer:
    """List where one is signed in."""
    raise NotImplementedError


@router.delete("/sessions/{session_id}", status_code=204, responses=NOT_FOUND | NOT_ACCEPTED | NOT_SIGNED_IN)
def end_session(session_id: UUID, services: Person) -> None:
    """Sign out in one place."""
    raise NotImplementedError


@router.delete("/sessions", status_code=204, responses=NOT_SIGNED_IN | NOT_FOUND)
def end_all_sessions(services: Person, response: Response) -> None:
    """Sign out everywhere, here too."""
    raise NotImplementedError


@router.patch("/account", responses=NOT_ACCEPTED | CONFLICT | NOT_FOUND | NOT_SIGNED_IN | TOO_MANY)
def change_account(change: AccountChange, request: Request, services: Person, response: Response) -> PersonAnswer:
    """Change name, e-mail or password; a new password signs out everywhere else."""
    raise NotImplementedError


@router.post("/account/reset", status_code=202, responses=NOT_ACCEPTED | TOO_MANY)
def request_reset(asked: ResetRequest, request: Request, services: Anybody) -> None:
    """Send a link for a new password, if there is somebody to send it to; the answer does not tell."""
    raise NotImplementedError


@router.post("/account/reset/password", responses=NOT_ACCEPTED | NOT_FOUND | TOO_MANY)
def reset_password(reset: PasswordReset, request: Request, services: Anybody, response: Response) -> SessionAnswer:
    """Set a password by a one-time link, sign out everywhere, and sign in here."""
    raise NotImplementedError


@router.get("/me", responses=NOT_SIGNED_IN)
def read_me(services: SignedIn) -> SessionAnswer:
    """Say who asks, by session or token; what `stowage login` tries a token on."""
    raise NotImplementedError
