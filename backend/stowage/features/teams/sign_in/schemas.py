"""Requests and answers about people, teams, tokens and the audit log, shared by API, CLI and page."""

from datetime import datetime
from typing import Annotated, Any
from unicodedata import normalize
from uuid import UUID

from pydantic import AfterValidator, Field, StringConstraints

from stowage.features.teams.sign_in.store.team import TeamOfPerson
from stowage.model.team import ProofKind, Scope, SessionKind
from stowage.platform.access import Permission
from stowage.platform.described import Answer, RequestBody
from stowage.platform.written import Name

_LONGEST_EMAIL = 254


def _email(text: str) -> str:
    local, at, domain = text.strip().lower().rpartition("@")
    plain = text.isprintable() and not any(mark in text for mark in ' ,;<>"()[]\\')
    # Some characters are two in lower case.
    if not (at and local and domain and plain) or "@" in local or len(f"{local}@{domain}") > _LONGEST_EMAIL:
        raise ValueError("is no e-mail address; one looks like ada@example.org")
    return f"{local}@{domain}"


Email = Annotated[str, Field(min_length=3, max_length=_LONGEST_EMAIL), AfterValidator(_email)]
Secret = Annotated[str, Field(min_length=20, max_length=100, pattern=r"^[A-Za-z0-9_-]+$")]
Password = Annotated[str, Field(min_length=1, max_length=128)]
FactorCode = Annotated[str, Field(min_length=6, max_length=40)]
"""Six digits of an authenticator app, or a recovery code; spaces and hyphens are ignored."""
Credential = Annotated[dict[str, Any], Field(min_length=1, max_length=20)]
"""Response of `navigator.credentials`, as JSON (`PublicKeyCredential.toJSON`)."""
OwnName = Annotated[Name, StringConstraints(strip_whitespace=True, min_length=1, max_length=100)]

_OURS = {"schedule", "stowage demo", "stowage", "unknown user", "unnamed user", "somebody", "somebody with the link"}
"""Reserved names: jobs and audit events store their actor by name, and none of these is a person."""


def _not_ours(name: str) -> str:
    # Also in full-width characters.
    if " ".join(normalize("NFKC", name).casefold().split()) in _OURS:
        raise ValueError("is what Stowage calls itself; accepted: any other name")
    return name


PersonName = Annotated[OwnName, AfterValidator(_not_ours)]


class SignIn(RequestBody):
    """E-mail and password of an attempt to sign in."""

    email: Annotated[str, Field(max_length=254)]
    password: Password


class WithSecret(RequestBody):
    """Secret of a one-time link."""

    secret: Secret


class OidcStart(RequestBody):
    """A request to sign in, reauthenticate or connect an account at the OpenID provider."""

    return_to: Annotated[str, Field(max_length=2_000)] = "/"
    """A path of this page; anything else is replaced by `/`."""
    invitation: Secret | None = None
    prove: bool = False
    """Whether this reauthenticates the signed-in person instead of connecting an account."""


class OidcAddress(Answer):
    """Address to which the browser is redirected."""

    address: str


class TeamChoice(RequestBody):
    """The team to switch to."""

    org_id: UUID


class PersonAnswer(Answer):
    """The signed-in person."""

    person_id: UUID
    name: str
    email: str | None
    email_verified: bool
    """Whether the address was verified by a mailed link or by the operator; an unverified address gets no mail."""
    has_password: bool
    proofs: list[ProofKind]
    """Ways to reauthenticate; empty if only a new one-time link works."""
    second_factor: bool
    """Whether a sign-in and a reauthentication need a code or a passkey as well."""
    authenticator_app: bool
    """Whether an app shows codes for the account."""
    passkeys: int
    """Number of passkeys, at all domains."""
    recovery_codes: int
    """Number of unused recovery codes."""
    identified: bool
    """Whether the person has just signed in at the provider, so that only the second factor is missing."""


class SessionAnswer(Answer):
    """The caller and the caller's permissions.

    Without a session, `signed_in` is false, and the answer has the available ways to sign in.
    """

    signed_in: bool
    person: PersonAnswer | None = None
    team: TeamOfPerson | None = None
    teams: Annotated[list[TeamOfPerson], Field(default_factory=list)]
    permissions: Annotated[list[Permission], Field(default_factory=list)]
    csrf: str | None = None
    """Token that every unsafe request repeats as `X-CSRF-Token`."""
    provider: str | None = None
    """Name of the OpenID provider at which people can sign in."""
    mail: bool = False
    """Whether links are sent by mail; otherwise they are shown to the owner."""
    passwords: bool = True
    """Whether passwords are accepted; otherwise people sign in at the provider."""
    second_factor_needed: bool = False
    """Whether this browser has a pending sign-in, which lacks only the second factor."""
    passkey_fits: bool = False
    """Whether a passkey of the account can complete it at this address."""


class SessionRow(Answer):
    """A session of the person."""

    id: UUID
    is_this: bool
    how: SessionKind
    created_at: datetime
    seen_at: datetime
    ends_at: datetime
    address: str | None
    agent: str | None


class SessionListAnswer(Answer):
    """Sessions of the person, most recently used first."""

    sessions: list[SessionRow]


class AccountChange(RequestBody):
    """A new name for the person."""

    name: PersonName


class CredentialsChange(RequestBody):
    """New e-mail or password.

    A field that is not given keeps its value.
    """

    email: Email | None = None
    password: Password | None = None


class Proof(RequestBody):
    """Password and second factor with which the person of a session reauthenticates."""

    password: Password | None = None
    """Not needed right after a sign-in at the provider."""
    code: FactorCode | None = None
    """Code of the authenticator app, if the account has a second factor, or a recovery code."""
    passkey: Credential | None = None
    """Instead of a code."""


class SecondFactorCode(RequestBody):
    """A code of the authenticator app."""

    code: FactorCode


class SecondFactorProof(RequestBody):
    """A second factor: a code of the authenticator app, a recovery code, or a passkey's response to its challenge."""

    code: FactorCode | None = None
    passkey: Credential | None = None
    """Instead of a code."""


class PasskeyChallenge(Answer):
    """Options that the browser passes to the authenticator."""

    options: dict[str, Any]
    """Options of `navigator.credentials.create` or `navigator.credentials.get`, as JSON (Web Authentication)."""


class NewPasskey(RequestBody):
    """A passkey that the browser made."""

    name: OwnName
    passkey: Credential


class PasskeyRow(Answer):
    """A passkey of the person."""

    id: UUID
    name: str
    domain: str
    """Browsers offer it only at this domain."""
    created_at: datetime
    used_at: datetime | None


class PasskeyListAnswer(Answer):
    """Passkeys of the person, oldest first."""

    domain: str | None
    """Domain of new passkeys; null if browsers do not support passkeys at this address (no https, or an IP address)."""
    passkeys: list[PasskeyRow]


class SecondFactorAnswer(Answer):
    """Secret to set up in an authenticator app.

    The second factor is required once it is confirmed with a code.
    """

    secret: str
    """Secret in base 32, to type without a camera; shown only once."""
    uri: str
    """Address that opens an app on the same machine: `otpauth://totp/...`."""
    qr: str
    """QR code of that address, as an SVG image: `data:image/svg+xml...`."""


class RecoveryCodesAnswer(Answer):
    """New recovery codes, shown only once.

    Each can be used once in place of a code of the authenticator app.
    """

    codes: list[str]


class ResetRequest(RequestBody):
    """A request for a link that resets a forgotten password."""

    email: Annotated[str, Field(max_length=254)]


class PasswordReset(RequestBody):
    """A new password, set by a one-time link."""

    secret: Secret
    password: Password


class NewToken(RequestBody):
    """A token to create."""

    name: OwnName
    scopes: Annotated[list[Scope], Field(min_length=1, max_length=4)]
    days: Annotated[int, Field(ge=1, le=366)] = 90


class TokenRow(Answer):
    """A token without its secret."""

    id: UUID
    name: str
    hint: str
    scopes: list[Scope]
    person: str
    created_at: datetime
    expires_at: datetime
    last_used_at: datetime | None
    revoked_at: datetime | None
    paused_since: datetime | None
    """Since when it is paused, because its owner has not signed in for 30 days or was refused by the provider; the next
    sign-in resumes it."""
    refused_by_provider: bool
    """Whether it is paused because the OpenID provider no longer accepts its owner's account."""


class TokenListAnswer(Answer):
    """Tokens of the team that the caller may see, newest first.

    An owner sees the tokens of all members, every other caller only their own.
    """

    tokens: list[TokenRow]


class TokenAnswer(TokenRow):
    """A new token.

    Its secret is shown only once.
    """

    secret: str
