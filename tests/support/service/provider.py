"""An OpenID provider on this machine, without passwords, and with a setting for every kind of invalid answer.

It uses only joserfc, and none of our code: sign-ins are checked against the specifications (OpenID Connect Core 1.0,
RFC 6749, RFC 7636), not against our implementation of them.
"""

import base64
import hashlib
import hmac
import json
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import cache
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Event, Thread
from time import time
from typing import Any
from urllib.parse import parse_qs, urlsplit

from joserfc import jwt
from joserfc.jwk import RSAKey

CLIENT_ID = "stowage-tests"
CLIENT_SECRET = "of the client: 100% secret"  # noqa: S105 - of a test

_GRANTED = "a-code-"


@dataclass(slots=True)
class Provider:
    """The provider: its answers about people who sign in there, and its faults."""

    address: str
    """Its issuer."""
    key: RSAKey
    """Its signing key."""
    claims: dict[str, Any] = field(default_factory=dict)
    """Replace claims of the ID token; a claim that is None is left out."""
    header: dict[str, Any] = field(default_factory=dict)
    """Replaces fields of the ID token's header."""
    signed_by: RSAKey | bytes | None = None
    """Another key than the published one; bytes are a shared secret (`alg: HS256`)."""
    unsigned: bool = False
    """Whether the ID token states `alg: none` and has no signature."""
    publishes: dict[str, Any] = field(default_factory=dict)
    """Replaces fields of its discovery document."""
    userinfo: dict[str, Any] | None = None
    """Answer of its userinfo endpoint; None if it has none."""
    token_answer: bytes | None = None
    """Answer of its token endpoint, instead of a valid one."""
    offline: bool = False
    """Whether it lists the scope of refresh tokens, and gives one to sign-ins that ask for it."""
    rotates: bool = False
    """Whether a refresh token is replaced at each use."""
    refused: set[str] = field(default_factory=set)
    """Refresh tokens that were revoked."""
    refresh_answer: tuple[int, bytes] | None = None
    """Status and body for uses of refresh tokens, instead of a valid answer."""
    given: list[str] = field(default_factory=list)
    tried: list[str] = field(default_factory=list)
    """Issued refresh tokens, and used ones, in order."""
    is_tried: Event = field(default_factory=Event)
    may_answer: Event = field(default_factory=Event)
    """Set when a refresh token is used; and awaited before the answer, if a test clears it."""
    asked: dict[str, dict[str, str]] = field(default_factory=dict)
    """Authorization requests, by the code that was issued for each."""

    def signed_in(self, address: str) -> dict[str, str]:
        """Sign in at an address of the provider, and return the parameters that the browser brings back.

        Raises
        ------
        AssertionError
            The address is not a valid authorization request by RFC 6749, RFC 7636 and OpenID Connect.
        """
        assert address.startswith(f"{self.address}/authorize?"), address
        asked = {name: values[0] for name, values in parse_qs(urlsplit(address).query, strict_parsing=True).items()}
        assert asked["response_type"] == "code"
        assert asked["client_id"] == CLIENT_ID
        assert "openid" in asked["scope"].split()
        assert asked["code_challenge_method"] == "S256"
        assert len(asked["state"]) >= 40
        assert len(asked["nonce"]) >= 40
        code = f"{_GRANTED}{len(self.asked)}"
        self.asked[code] = asked
        return {"code": code, "state": asked["state"]}

    def described(self) -> dict[str, Any]:
        said: dict[str, Any] = {
            "issuer": self.address,
            "authorization_endpoint": f"{self.address}/authorize",
            "token_endpoint": f"{self.address}/token",
            "jwks_uri": f"{self.address}/keys",
        }
        if self.offline:
            said["scopes_supported"] = ["openid", "offline_access"]
        if self.userinfo is not None:
            said["userinfo_endpoint"] = f"{self.address}/userinfo"
        return said | self.publishes

    def answer(self, asked: Mapping[str, str], authorization: str) -> tuple[int, bytes]:
        """Return status and body of the token endpoint, or the configured replacement."""
        status, said = self.token(asked, authorization)
        if asked.get("grant_type") == "refresh_token" and self.refresh_answer is not None:
            return self.refresh_answer
        return status, self.token_answer or json.dumps(said).encode()

    def token(self, asked: Mapping[str, str], authorization: str) -> tuple[int, dict[str, Any]]:
        """Answer the token endpoint: a code is valid once, for the client with the matching challenge."""
        given = base64.b64decode(authorization.removeprefix("Basic ")).decode()
        if asked.get("grant_type") == "refresh_token":
            return self._refreshed(asked, given)
        began = self.asked.pop(asked.get("code", ""), None)
        verifier = hashlib.sha256(asked.get("code_verifier", "").encode()).digest()
        if given != f"{CLIENT_ID}:{CLIENT_SECRET}":
            return 401, {"error": "invalid_client"}
        if (
            began is None
            or asked.get("grant_type") != "authorization_code"
            or asked.get("redirect_uri") != began["redirect_uri"]
            or _encoded(verifier) != began["code_challenge"]
        ):
            return 400, {"error": "invalid_grant"}
        said: dict[str, Any] = {
            "iss": self.address,
            "aud": CLIENT_ID,
            "sub": "ada-at-the-provider",
            "nonce": began["nonce"],
        }
        said |= {"iat": int(time()), "exp": int(time()) + 300, "name": "Ada Lovelace"}
        said = {name: value for name, value in (said | self.claims).items() if value is not None}
        answer = {"access_token": "for-userinfo", "token_type": "Bearer", "id_token": self._signed(said)}
        if self.offline and "offline_access" in began["scope"].split():
            answer["refresh_token"] = self._new_refresh_token()
        return 200, answer

    def _refreshed(self, asked: Mapping[str, str], given: str) -> tuple[int, dict[str, Any]]:
        """Answer the use of a refresh token (RFC 6749, section 6)."""
        token = asked["refresh_token"]
        self.tried.append(token)
        self.is_tried.set()
        assert self.may_answer.wait(30)
        if given != f"{CLIENT_ID}:{CLIENT_SECRET}":
            return 401, {"error": "invalid_client"}
        if "scope" in asked:
            # A refresh may not request scopes beyond the granted ones, which this provider does not record.
            return 400, {"error": "invalid_scope"}
        if token not in self.given or token in self.refused:
            return 400, {"error": "invalid_grant"}
        answer = {"access_token": "for-userinfo", "token_type": "Bearer"}
        if self.rotates:
            self.refused.add(token)
            answer["refresh_token"] = self._new_refresh_token()
        return 200, answer

    def _new_refresh_token(self) -> str:
        self.given.append(f"refresh {len(self.given)}: 100% + more")
        return self.given[-1]

    def _signed(self, said: Mapping[str, Any]) -> str:
        if self.unsigned:
            return f"{_part({'alg': 'none', 'typ': 'JWT'})}.{_part(said)}."
        if isinstance(self.signed_by, bytes):
            signed = f"{_part({'alg': 'HS256', 'typ': 'JWT', 'kid': self.key.kid})}.{_part(said)}"
            return f"{signed}.{_encoded(hmac.digest(self.signed_by, signed.encode(), 'sha256'))}"
        header = {"alg": "RS256", "kid": self.key.kid} | self.header
        return jwt.encode(header, dict(said), self.signed_by or self.key, algorithms=[header["alg"]])

    def keys(self) -> dict[str, Any]:
        return {"keys": [dict(self.key.as_dict(private=False))]}


@contextmanager
def local_provider() -> Iterator[Provider]:
    """Run a provider on a free port."""

    class Answers(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            path = urlsplit(self.path).path
            if path == "/.well-known/openid-configuration":
                self._say(200, provider.described())
            elif path == "/keys":
                self._say(200, provider.keys())
            elif path == "/userinfo" and self.headers["Authorization"] == "Bearer for-userinfo":
                self._say(200, provider.userinfo)
            elif path == "/moved":
                self.send_response(302)
                self.send_header("Location", f"{provider.address}/.well-known/openid-configuration")
                self.end_headers()
            else:
                self._say(404, {})

        def do_POST(self) -> None:
            body = self.rfile.read(int(self.headers["Content-Length"])).decode()
            asked = {name: values[0] for name, values in parse_qs(body).items()}
            self._send(*provider.answer(asked, self.headers["Authorization"] or ""))

        def _say(self, status: int, said: object) -> None:
            self._send(status, json.dumps(said).encode())

        def _send(self, status: int, body: bytes) -> None:
            self.send_response(status)
            self.send_header("Content-Type", "application/json")
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, *_: object) -> None:
            """Log nothing."""

    with ThreadingHTTPServer(("127.0.0.1", 0), Answers) as server:
        provider = Provider(f"http://127.0.0.1:{server.server_port}", _published_key())
        provider.may_answer.set()
        thread = Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02})
        thread.start()
        try:
            yield provider
        finally:
            server.shutdown()
            thread.join()


@cache
def _published_key() -> RSAKey:
    """Return the key of every provider: finding the primes takes a second."""
    return new_key("first")


def new_key(kid: str) -> RSAKey:
    """Create a signing key."""
    return RSAKey.generate_key(2048, parameters={"kid": kid}, private=True)


def _part(said: Mapping[str, Any]) -> str:
    return _encoded(json.dumps(said).encode())


def _encoded(said: bytes) -> str:
    return base64.urlsafe_b64encode(said).rstrip(b"=").decode()
