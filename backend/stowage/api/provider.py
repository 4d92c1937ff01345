"""Client of an OpenID provider: discovery document, code flow with PKCE, and verification of ID tokens."""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from threading import Lock
from time import monotonic
from typing import Any
from urllib.parse import urlsplit

import requests
from authlib.common.errors import AuthlibBaseError
from authlib.integrations.requests_client import OAuth2Session
from authlib.oidc.core import CodeIDToken
from joserfc import jwt
from joserfc.errors import InvalidKeyIdError, JoseError
from joserfc.jwk import KeySet

from stowage.frozen import frozen
from stowage.platform.outside import Claims, ProviderFailed, ProviderRefused
from stowage.settings import THIS_MACHINE

_TIMEOUTS_S = (5.0, 10.0)
"""Timeout to connect, and between two parts of a response [s]."""
_REFRESH_TIMEOUTS_S = (3.0, 5.0)
"""The same for refresh tokens: no request waits for them, but each occupies a thread [s]."""
_SCOPE = "openid email profile"
_OFFLINE = "offline_access"
"""Scope of refresh tokens (OpenID Connect Core 1.0, section 11)."""
_KEPT_S = 3_600.0
"""Time for which the discovery document is cached [s]."""
_LEEWAY_S = 60
"""Tolerated difference between the clocks [s]."""
_SIGNED_BY = ("RS256", "RS384", "RS512", "PS256", "PS384", "PS512", "ES256", "ES384", "ES512", "EdDSA")
"""Algorithms with a private key of the provider: never ``none``, and no HMAC with the client secret."""
_LONGEST_SUBJECT = 255
"""OpenID Connect Core 1.0, section 2."""
_LONGEST_REFRESH_TOKEN = 16_384
"""Longer ones are not stored; those of known providers have up to some 2,000 characters."""


@frozen
class _Described:
    """Fields of a provider's discovery document that the client uses, and the time at which they were read."""

    issuer: str
    authorization: str
    token: str
    keys: str
    userinfo: str | None
    secret_in: str
    offline: bool
    at: float


@dataclass(eq=False, slots=True)
class OidcProvider:
    """An OpenID provider; its discovery document is read at the first sign-in."""

    issuer: str
    """URL of the provider, stored without a trailing slash; the discovery document has an address below it."""
    client_id: str
    """Id of this service at the provider."""
    client_secret: str | None = field(repr=False)
    """Secret of this service at the provider; None for a public client, which only PKCE protects."""
    name: str
    """Name shown to people."""
    requests_refresh_tokens: bool = field(default=True, kw_only=True)
    """Whether refresh tokens are requested if the provider lists their scope. A provider may refuse sign-ins of a
    client that requests them without permission."""
    _lock: Lock = field(default_factory=Lock, init=False, repr=False)
    _described: _Described | None = field(default=None, init=False, repr=False)
    _keys: KeySet | None = field(default=None, init=False, repr=False)

    def __post_init__(self) -> None:
        self.issuer = self.issuer.rstrip("/")

    def start(self, *, redirect_uri: str, state: str, nonce: str, verifier: str, reauthenticate: bool = False) -> str:
        """Return the address at which the browser signs in, as `stowage.platform.outside.Provider` describes."""
        described = self._description()
        # A reauthentication needs no second refresh token. Without `prompt=consent`, which would ask people at every
        # sign-in, a provider may ignore the scope (OpenID Connect Core 1.0, section 11).
        scope = f"{_SCOPE} {_OFFLINE}" if described.offline and not reauthenticate else _SCOPE
        with self._session(described, redirect_uri, scope) as session:
            # OpenID Connect Core 1.0, section 3.1.2.1; with `max_age` the provider returns `auth_time`.
            more = {"prompt": "login", "max_age": "0"} if reauthenticate else {}
            address, _ = session.create_authorization_url(
                described.authorization, state=state, nonce=nonce, code_verifier=verifier, **more
            )
        return str(address)

    def finish(self, *, redirect_uri: str, code: str, nonce: str, verifier: str) -> Claims:
        """Exchange the code of a completed sign-in for the provider's claims about the person.

        `stowage.platform.outside.Provider` describes parameters and errors.
        """
        described = self._description()
        with self._session(described, redirect_uri) as session:
            try:
                token = session.fetch_token(
                    described.token, code=code, code_verifier=verifier, allow_redirects=False, timeout=_TIMEOUTS_S
                )
            # ValueError, TypeError: the response is no JSON, or no object.
            except (requests.RequestException, AuthlibBaseError, ValueError, TypeError) as error:
                raise ProviderFailed(f"no token for a code: {type(error).__name__}") from error
            said = self._believed(described, token, nonce)
            if said.get("email") is None and described.userinfo is not None:
                said = {**self._asked(session, described.userinfo, said["sub"]), **said}
        return replace(_claims(described.issuer, said), refresh_token=_refresh_token(token))

    def refresh(self, token: str) -> str:
        """Send a refresh token to the provider, and return the next refresh token.

        `stowage.platform.outside.Provider` describes parameters and errors. An ID token in the response is not
        verified, because it is not used.

        **Source** RFC 6749, sections 5.2 and 6.
        """
        described = self._description()
        # Without a scope the response covers the granted one; a wider one would be refused.
        with self._session(described) as session:
            try:
                said = session.refresh_token(
                    described.token, refresh_token=token, allow_redirects=False, timeout=_REFRESH_TIMEOUTS_S
                )
            except AuthlibBaseError as error:
                if error.error == "invalid_grant":
                    raise ProviderRefused(error.error) from error
                raise ProviderFailed(f"a refresh token was not tried: {error.error!r}") from error
            except (requests.RequestException, ValueError, TypeError) as error:
                raise ProviderFailed(f"a refresh token was not tried: {type(error).__name__}") from error
        if not isinstance(said.get("access_token"), str):
            raise ProviderFailed("a refresh token was not tried: the answer holds no access token")
        return _refresh_token(said) or token

    def _session(
        self, described: _Described, redirect_uri: str | None = None, scope: str | None = None
    ) -> OAuth2Session:
        return OAuth2Session(
            self.client_id,
            self.client_secret,
            token_endpoint_auth_method=described.secret_in if self.client_secret else "none",
            scope=scope,
            redirect_uri=redirect_uri,
            code_challenge_method="S256",
        )

    def _description(self) -> _Described:
        with self._lock:
            known = self._described
        if known is not None and monotonic() - known.at < _KEPT_S:
            return known
        said = _read(f"{self.issuer}/.well-known/openid-configuration")
        issuer = said.get("issuer")
        if not isinstance(issuer, str) or issuer.rstrip("/") != self.issuer:
            raise ProviderFailed(f"{self.issuer} describes itself as {issuer!r}")
        methods = said.get("token_endpoint_auth_methods_supported", ["client_secret_basic"])
        scopes = said.get("scopes_supported")
        described = _Described(
            issuer=issuer,
            authorization=_endpoint(said, "authorization_endpoint"),
            token=_endpoint(said, "token_endpoint"),
            keys=_endpoint(said, "jwks_uri"),
            userinfo=_endpoint(said, "userinfo_endpoint") if "userinfo_endpoint" in said else None,
            secret_in="client_secret_basic" if "client_secret_basic" in methods else "client_secret_post",
            offline=self.requests_refresh_tokens and isinstance(scopes, list) and _OFFLINE in scopes,
            at=monotonic(),
        )
        with self._lock:
            self._described, self._keys = described, None
        return described

    def _believed(self, described: _Described, token: Mapping[str, Any], nonce: str) -> dict[str, Any]:
        """Return the claims of an ID token after its verification.

        **Source** OpenID Connect Core 1.0, section 3.1.3.7.
        """
        id_token = token.get("id_token")
        if not isinstance(id_token, str):
            raise ProviderFailed("there is no ID token")
        try:
            try:
                read = jwt.decode(id_token, self._key_set(described), algorithms=_SIGNED_BY)
            except InvalidKeyIdError:
                # The provider may have rotated its keys: load them again.
                read = jwt.decode(id_token, self._key_set(described, reload=True), algorithms=_SIGNED_BY)
            claims = CodeIDToken(
                read.claims,
                read.header,
                options={
                    "iss": {"essential": True, "value": described.issuer},
                    "aud": {"essential": True, "value": self.client_id},
                    "sub": {"essential": True},
                },
                params={"nonce": nonce, "client_id": self.client_id, "access_token": token.get("access_token")},
            )
            claims.validate(leeway=_LEEWAY_S)
        except (JoseError, AuthlibBaseError, ValueError) as error:
            raise ProviderFailed(f"the ID token does not hold: {type(error).__name__}: {error}") from error
        return dict(read.claims)

    def _key_set(self, described: _Described, *, reload: bool = False) -> KeySet:
        with self._lock:
            known = self._keys
        if known is not None and not reload:
            return known
        said = _read(described.keys)
        try:
            keys = KeySet.import_key_set(said)  # type: ignore[arg-type] # it refuses other types
        except (JoseError, ValueError, KeyError, TypeError, AttributeError) as error:
            raise ProviderFailed(f"{described.keys} holds no keys: {type(error).__name__}") from error
        with self._lock:
            self._keys = keys
        return keys

    def _asked(self, session: OAuth2Session, address: str, subject: str) -> dict[str, Any]:
        """Return the claims of the provider's userinfo endpoint, for use when the ID token lacks some.

        Raises
        ------
        ProviderFailed
            The endpoint does not answer, or its claims are about another person.
        """
        try:
            said = _json(session.get(address, allow_redirects=False, timeout=_TIMEOUTS_S))
        except (requests.RequestException, AuthlibBaseError, ValueError, TypeError) as error:
            raise ProviderFailed(f"{address} tells nothing: {type(error).__name__}") from error
        if said.get("sub") != subject:
            raise ProviderFailed(f"{address} describes another person")
        return said


def _read(address: str) -> dict[str, Any]:
    try:
        return _json(requests.get(address, allow_redirects=False, timeout=_TIMEOUTS_S))
    except (requests.RequestException, ValueError, TypeError) as error:
        raise ProviderFailed(f"{address} tells nothing: {type(error).__name__}: {error}") from error


def _json(answer: requests.Response) -> dict[str, Any]:
    if answer.status_code != requests.codes.ok:
        raise ValueError(f"status {answer.status_code}")
    said = answer.json()
    if not isinstance(said, dict):
        raise TypeError("no object")
    return said


def _endpoint(said: Mapping[str, Any], name: str) -> str:
    """Return the address of an endpoint from a provider's discovery document.

    Raises
    ------
    ProviderFailed
        The address is missing, or it neither uses TLS nor is on this machine.
    """
    address = said.get(name)
    if not isinstance(address, str):
        raise ProviderFailed(f"it names no {name}")
    parts = urlsplit(address)
    if parts.scheme != "https" and not (parts.scheme == "http" and parts.hostname in THIS_MACHINE):
        raise ProviderFailed(f"its {name} {address!r} is not reached over TLS")
    return address


def _claims(issuer: str, said: Mapping[str, Any]) -> Claims:
    subject, email, name = said["sub"], said.get("email"), said.get("name")
    if not isinstance(subject, str) or not 0 < len(subject) <= _LONGEST_SUBJECT or not subject.isprintable():
        raise ProviderFailed("its ID token has no valid subject")
    return Claims(
        issuer=issuer,
        subject=subject,
        email=email if isinstance(email, str) else None,
        # Some providers send it as text.
        email_verified=said.get("email_verified") in (True, "true"),
        name=name if isinstance(name, str) else None,
        authenticated_at=_moment(said.get("auth_time")),
    )


def _refresh_token(said: Mapping[str, Any]) -> str | None:
    """Return the refresh token of a response; None if it is missing or invalid (RFC 6749, appendix A.17)."""
    token = said.get("refresh_token")
    if not isinstance(token, str) or not 0 < len(token) <= _LONGEST_REFRESH_TOKEN:
        return None
    return token if token.isascii() and token.isprintable() else None


def _moment(said: object) -> datetime | None:
    try:
        return datetime.fromtimestamp(said, UTC) if isinstance(said, int) else None
    except (OverflowError, ValueError, OSError) as error:
        raise ProviderFailed(f"auth_time {said!r} is not a Unix time") from error
