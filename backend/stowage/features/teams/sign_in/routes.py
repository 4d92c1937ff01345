"""Routes for sign-in, sign-out, the account and its sessions, under /api/v1. Each route calls one use case."""

from datetime import UTC, datetime
from typing import Annotated
from uuid import UUID

from fastapi import BackgroundTasks, Query, Request, Response
from fastapi.responses import RedirectResponse

from stowage.features.teams.sign_in import (
    accounts,
    oidc,
    passkeys,
    proofs,
    schemas,
    second_factors,
    sessions,
    signing_in,
)
from stowage.features.teams.sign_in.passkeys import Site, site_at
from stowage.features.teams.sign_in.sessions import Begun, Browser
from stowage.platform.access import Principal
from stowage.platform.errors import SignInNeeded
from stowage.web.admission import Person, Proven, SignedIn, address_of, public
from stowage.web.cookies import OIDC, PENDING, SESSION, refuse_open_line
from stowage.web.reads import principal_of
from stowage.web.responses import CONFLICT, NOT_ACCEPTED, NOT_FOUND, NOT_SIGNED_IN, TOO_MANY, Responses
from stowage.web.router import ApiRouter
from stowage.web.services import TeamServices

router = ApiRouter(tags=["session"])

_REFUSED: Responses = {403: NOT_SIGNED_IN[403]}
_OIDC_LASTS_S = 600

Anybody = Annotated[TeamServices, public("who signs in is not signed in yet")]


@router.get("/session", responses=NOT_ACCEPTED)
def read_session(request: Request, services: Anybody, response: Response) -> schemas.SessionAnswer:
    """Return the caller's session and permissions, or the available ways to sign in if there is no session.

    An old session cookie is renewed.
    """
    try:
        principal = principal_of(request, services.outside)
    except SignInNeeded:
        return _signed_out(
            request, services, second_factors.person_pending(services.gate, PENDING.read(request), _now())
        )
    secret = SESSION.read(request)
    if secret is not None:
        renewed = sessions.renew(services.gate, principal, secret, _now())
        if renewed is not None:
            SESSION.keep(request, response, renewed.secret, renewed.lasts_s)
    return _describe(services, principal)


@router.post("/session", responses=NOT_ACCEPTED | NOT_SIGNED_IN | TOO_MANY)
def sign_in(attempt: schemas.SignIn, request: Request, services: Anybody, response: Response) -> schemas.SessionAnswer:
    """Sign in by e-mail and password."""
    refuse_open_line(request)
    services.outside.demand_passwords()
    try:
        begun = signing_in.by_password(services.gate, attempt, _browser(request), _now())
    except signing_in.Wrong as wrong:
        if wrong.held_back is not None:
            # After the response, which then takes as long as for an unknown account.
            later = BackgroundTasks()
            later.add_task(signing_in.record_held_back, services.gate, wrong.held_back)
            request.state.afterwards = later
        raise
    return admit(begun, request, services, response)


@router.post("/session/link", responses=NOT_ACCEPTED | NOT_SIGNED_IN | TOO_MANY)
def sign_in_by_link(
    link: schemas.WithSecret, request: Request, services: Anybody, response: Response
) -> schemas.SessionAnswer:
    """Sign in by a one-time link."""
    refuse_open_line(request)
    begun = signing_in.by_link(services.gate, link.secret, _browser(request), _now())
    return admit(begun, request, services, response)


@router.post("/session/second-factor", responses=NOT_ACCEPTED | NOT_SIGNED_IN | TOO_MANY)
def finish_sign_in(
    given: schemas.SecondFactorProof, request: Request, services: Anybody, response: Response
) -> schemas.SessionAnswer:
    """Complete a pending sign-in of this browser with a code of the app, a recovery code or a passkey."""
    refuse_open_line(request)
    site = _site(request, services)
    begun = second_factors.finish(services.gate, PENDING.read(request), given, _browser(request), site, _now())
    return admit(begun, request, services, response)


@router.post("/session/passkey", responses=NOT_FOUND | NOT_SIGNED_IN)
def challenge_passkey(request: Request, services: Anybody) -> schemas.PasskeyChallenge:
    """Return a challenge for the passkeys of the signed-in person, or of the person whose sign-in is pending."""
    person_id = second_factors.person_pending(services.gate, PENDING.read(request), _now())
    if person_id is None:
        person_id = principal_of(request, services.outside).person_id
    return schemas.PasskeyChallenge(
        options=passkeys.begin_authentication(services.gate, person_id, _site(request, services), _now())
    )


@router.post("/session/oidc", responses=NOT_ACCEPTED | NOT_FOUND | CONFLICT | TOO_MANY | _REFUSED)
def start_oidc(
    start: schemas.OidcStart, request: Request, services: Anybody, response: Response
) -> schemas.OidcAddress:
    """Start a sign-in at the OpenID provider, and return the address to which the browser is redirected.

    For a signed-in person, the sign-in connects the account at the provider, or reauthenticates the person.
    """
    refuse_open_line(request)
    try:
        principal = principal_of(request, services.outside)
    except SignInNeeded:
        principal = None
    started = oidc.start(
        services.gate,
        services.outside.provider,
        start,
        principal,
        # The provider accepts only the redirect URIs that are registered there.
        redirect_uri=f"{services.outside.public_url or str(request.base_url).rstrip('/')}{request.url.path}/callback",
        address=address_of(request),
        now=_now(),
    )
    OIDC.keep(request, response, started.browser_secret, _OIDC_LASTS_S)
    return schemas.OidcAddress(address=started.address)


@router.get("/session/oidc/callback", responses=NOT_ACCEPTED, response_class=RedirectResponse, status_code=303)
def end_oidc(
    request: Request,
    services: Anybody,
    state: Annotated[str, Query(max_length=200)] = "",
    code: Annotated[str, Query(max_length=2_000)] = "",
    error: Annotated[str, Query(max_length=200)] = "",
) -> RedirectResponse:
    """Complete a sign-in at the provider.

    Redirects to the requested page, or to the sign-in page with the reason of a refusal.
    """
    returned = oidc.Returned(state, code, error, OIDC.read(request))
    try:
        finished = oidc.finish(
            services.gate, services.outside.provider, returned, _browser(request), services.actor, _now()
        )
    except oidc.Failed as failed:
        response = RedirectResponse(f"/sign-in?problem={failed.reason}", status_code=303)
    else:
        response = RedirectResponse(finished.path, status_code=303)
        _keep(finished.entered, request, response)
    OIDC.drop(request, response)
    return response


@router.delete("/session", status_code=204, responses=NOT_SIGNED_IN | NOT_FOUND)
def sign_out(request: Request, services: Person, response: Response) -> None:
    """Sign out of this session."""
    here = services.asker.session_id
    if here is not None:
        sessions.end(services.gate, services.asker, here)
    SESSION.drop(request, response)


@router.put("/session/team", responses=NOT_ACCEPTED | NOT_FOUND | NOT_SIGNED_IN)
def choose_team(choice: schemas.TeamChoice, services: Person) -> schemas.SessionAnswer:
    """Switch the session to another team of the person."""
    return _describe(services, sessions.choose_team(services.gate, services.asker, choice.org_id))


@router.get("/sessions", responses=NOT_SIGNED_IN | NOT_FOUND)
def list_sessions(services: Person) -> schemas.SessionListAnswer:
    """List the sessions of the person."""
    return sessions.list_sessions(services.gate, services.asker, _now())


@router.delete("/sessions/{session_id}", status_code=204, responses=NOT_FOUND | NOT_ACCEPTED | NOT_SIGNED_IN)
def end_session(session_id: UUID, services: Person) -> None:
    """End one session."""
    sessions.end(services.gate, services.asker, session_id)


@router.delete("/sessions", status_code=204, responses=NOT_SIGNED_IN | NOT_FOUND)
def end_all_sessions(request: Request, services: Person, response: Response) -> None:
    """End all sessions of the person, including the current one."""
    sessions.end_all(services.gate, services.asker)
    SESSION.drop(request, response)


@router.post("/session/proof", status_code=204, responses=NOT_ACCEPTED | NOT_FOUND | NOT_SIGNED_IN | TOO_MANY)
def prove(proof: schemas.Proof, request: Request, services: Person) -> None:
    """Reauthenticate by password, and by second factor if the account has one.

    Credentials can be changed for some minutes afterwards.
    """
    if proof.password is not None:
        services.outside.demand_passwords()
    at = second_factors.At(address_of(request), _site(request, services))
    proofs.prove(services.gate, services.asker, proof, at, _now())


@router.patch("/account", responses=NOT_ACCEPTED | NOT_FOUND | NOT_SIGNED_IN)
def change_account(change: schemas.AccountChange, services: Person) -> schemas.PersonAnswer:
    """Change the name of the account."""
    return accounts.rename(services.gate, services.asker, change.name, _now())


@router.patch("/account/credentials", responses=NOT_ACCEPTED | CONFLICT | NOT_FOUND | NOT_SIGNED_IN | TOO_MANY)
def change_credentials(
    change: schemas.CredentialsChange, services: Proven, later: BackgroundTasks
) -> schemas.PersonAnswer:
    """Change e-mail or password after a recent reauthentication.

    A new password ends all other sessions.
    """
    if change.password is not None:
        services.outside.demand_passwords()
    before, outside, now = services.asker.email, services.outside, _now()
    mail = outside.mail
    answer = accounts.change_credentials(services.gate, services.asker, change, now, mail=mail is not None)
    if answer.email is not None and answer.email != before:
        if before is not None:
            later.add_task(accounts.tell_old_address, mail, before, answer.email)
        page = outside.public_url or ""
        later.add_task(accounts.send_verification, services.gate, mail, page, answer.person_id, answer.email, now)
    return answer


@router.post("/account/email/link", status_code=202, responses=CONFLICT | NOT_FOUND | NOT_SIGNED_IN | TOO_MANY)
def send_verification(services: Person, later: BackgroundTasks) -> None:
    """Mail a link that verifies the e-mail address of the account."""
    outside, now = services.outside, _now()
    to = accounts.count_verification(services.gate, outside.mail, services.asker, now)
    if to is not None:
        page, whose = outside.public_url or "", services.asker.person_id
        later.add_task(accounts.send_verification, services.gate, outside.mail, page, whose, to, now)


@router.post("/account/email/verified", status_code=204, responses=NOT_ACCEPTED | NOT_FOUND | TOO_MANY | _REFUSED)
def verify_email(link: schemas.WithSecret, request: Request, services: Anybody) -> None:
    """Verify an e-mail address by the link that was mailed to it.

    Works without a session.
    """
    accounts.verify(services.gate, link.secret, address_of(request), _now())


@router.post("/account/reset", status_code=202, responses=NOT_ACCEPTED | TOO_MANY | _REFUSED)
def request_reset(asked: schemas.ResetRequest, request: Request, services: Anybody, later: BackgroundTasks) -> None:
    """Mail a link for a new password if an account has the e-mail.

    The response does not reveal whether there is such an account.
    """
    services.outside.demand_passwords()
    now = _now()
    accounts.count_reset(services.gate, asked.email, address_of(request), now)
    outside = services.outside
    later.add_task(accounts.send_reset, services.gate, outside.mail, outside.public_url or "", asked.email, now)


@router.post("/account/reset/password", responses=NOT_ACCEPTED | NOT_FOUND | TOO_MANY | _REFUSED)
def reset_password(
    reset: schemas.PasswordReset, request: Request, services: Anybody, response: Response
) -> schemas.SessionAnswer:
    """Set a password by a one-time link, sign out everywhere, and sign in here."""
    refuse_open_line(request)
    services.outside.demand_passwords()
    begun = accounts.reset(services.gate, reset, _browser(request), _now())
    return admit(begun, request, services, response)


@router.post("/account/second-factor", responses=CONFLICT | NOT_FOUND | NOT_SIGNED_IN)
def begin_second_factor(services: Proven) -> schemas.SecondFactorAnswer:
    """Create a secret for an authenticator app.

    The second factor is required once it is confirmed with a code.
    """
    return second_factors.begin(services.gate, services.asker)


@router.post(
    "/account/second-factor/confirmation", responses=NOT_ACCEPTED | CONFLICT | NOT_FOUND | NOT_SIGNED_IN | TOO_MANY
)
def confirm_second_factor(
    given: schemas.SecondFactorCode, request: Request, services: Proven
) -> schemas.RecoveryCodesAnswer:
    """Confirm the authenticator app with a first code.

    The second factor is required from now on, and all other sessions end.
    """
    return second_factors.confirm(services.gate, services.asker, given.code, address_of(request), _now())


@router.post("/account/second-factor/recovery-codes", responses=NOT_FOUND | NOT_SIGNED_IN)
def renew_recovery_codes(services: Proven) -> schemas.RecoveryCodesAnswer:
    """Replace the recovery codes.

    Older codes become invalid.
    """
    return second_factors.renew_codes(services.gate, services.asker)


@router.delete("/account/second-factor", status_code=204, responses=NOT_FOUND | NOT_SIGNED_IN)
def remove_second_factor(services: Proven) -> None:
    """Remove the authenticator app, and the recovery codes if there is no passkey either."""
    second_factors.remove(services.gate, services.asker)


@router.get("/account/passkeys", responses=NOT_FOUND | NOT_SIGNED_IN)
def list_passkeys(request: Request, services: Person) -> schemas.PasskeyListAnswer:
    """List the passkeys of the person."""
    return second_factors.list_passkeys(services.gate, services.asker, _site(request, services))


@router.post("/account/passkeys/challenge", responses=CONFLICT | NOT_FOUND | NOT_SIGNED_IN)
def challenge_new_passkey(request: Request, services: Proven) -> schemas.PasskeyChallenge:
    """Return a challenge with which the browser makes a passkey."""
    site = _site(request, services)
    return schemas.PasskeyChallenge(options=passkeys.begin_registration(services.gate, services.asker, site, _now()))


@router.post("/account/passkeys", status_code=201, responses=NOT_ACCEPTED | CONFLICT | NOT_FOUND | NOT_SIGNED_IN)
def add_passkey(new: schemas.NewPasskey, request: Request, services: Proven) -> schemas.RecoveryCodesAnswer:
    """Add a passkey that the browser made.

    A second factor is required from now on. If the account had none before, recovery codes are created, and all other
    sessions end.
    """
    return second_factors.add_passkey(services.gate, services.asker, new, _site(request, services), _now())


@router.delete("/account/passkeys/{passkey_id}", status_code=204, responses=NOT_ACCEPTED | NOT_FOUND | NOT_SIGNED_IN)
def remove_passkey(passkey_id: UUID, services: Proven) -> None:
    """Remove a passkey."""
    second_factors.remove_passkey(services.gate, services.asker, passkey_id)


@router.get("/me", responses=NOT_SIGNED_IN)
def read_me(services: SignedIn) -> schemas.SessionAnswer:
    """Return the caller, whom a session or token identifies.

    `stowage login` uses this route to check a token.
    """
    return _describe(services, services.asker)


def admit(entered: Begun, request: Request, services: TeamServices, response: Response) -> schemas.SessionAnswer:
    """Return the session after a correct first factor, or an answer that requests the second factor.

    Sets the cookie of the session or of the pending sign-in.
    """
    _keep(entered, request, response)
    if entered.is_pending:
        return _signed_out(request, services, second_factors.person_pending(services.gate, entered.secret, _now()))
    return _describe(services, sessions.authenticate(services.gate, entered.secret, _now()))


def _keep(entered: Begun | None, request: Request, response: Response) -> None:
    if entered is not None and entered.is_pending:
        SESSION.drop(request, response)
        PENDING.keep(request, response, entered.secret, entered.lasts_s)
    elif entered is not None:
        if PENDING.read(request) is not None:
            PENDING.drop(request, response)
        SESSION.keep(request, response, entered.secret, entered.lasts_s)


def _signed_out(request: Request, services: TeamServices, pending: UUID | None) -> schemas.SessionAnswer:
    outside = services.outside
    return schemas.SessionAnswer(
        signed_in=False,
        teams=[],
        permissions=[],
        provider=_provider(services),
        mail=outside.mail is not None,
        passwords=outside.passwords,
        second_factor_needed=pending is not None,
        passkey_fits=pending is not None
        and second_factors.passkey_fits(services.gate, pending, _site(request, services)),
    )


def _site(request: Request, services: TeamServices) -> Site | None:
    return site_at(services.outside.public_url or str(request.base_url))


def _now() -> datetime:
    return datetime.now(UTC)


def _browser(request: Request) -> Browser:
    return Browser(address_of(request), request.headers.get("user-agent"), SESSION.read(request))


def _describe(services: TeamServices, principal: Principal) -> schemas.SessionAnswer:
    outside = services.outside
    return sessions.describe(
        services.gate,
        principal,
        _provider(services),
        mail=outside.mail is not None,
        passwords=outside.passwords,
        now=_now(),
    )


def _provider(services: TeamServices) -> str | None:
    provider = services.outside.provider
    return None if provider is None else provider.name
