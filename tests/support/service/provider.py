"""An OpenID provider on this machine, whose people need no password and whose word can be spoilt in every way.

Of libraries it takes joserfc alone, and of ours nothing: what signs in there is held against the specifications
(OpenID Connect Core 1.0, RFC 6749, RFC 7636), not against itself.
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
    """The provider: what it says of whoever signs in there, and how it errs.

    Parameters
    ----------
    address : str
        Its issuer.
    key : RSAKey
        It signs with.
    claims : dict
        Put over what it says; a claim that is None is left out.
    header : dict
        Put over the header of the ID token.
    signed_by : RSAKey, bytes or None
        Another key than the one it publishes; bytes are taken for a shared secret (``alg: HS256``).
    unsigned : bool
        The ID token says so (``alg: none``) and has no signature.
    publishes : dict
        Put over its discovery document.
    userinfo : dict or None
        What its userinfo endpoint says; None: it has none.
    token_answer : bytes or None
        Instead of what its token endpoint answers.
    """

    address: str
    key: RSAKey
    claims: dict[str, Any] = field(default_factory=dict)
    header: dict[str, Any] = field(default_factory=dict)
    signed_by: RSAKey | bytes | None = None
    unsigned: bool = False
    publishes: dict[str, Any] = field(default_factory=dict)
    userinfo: dict[str, Any] | None = None
    token_answer: bytes | None = None
    offline: bool = False
    """Whether it lists the scope of refresh tokens, and gives one to sign-ins that ask for it."""
    rotates: bool = False
    """Whether a refresh token is replaced at each use."""
    refused: set[str] = field(default_factory=set)
    """Refresh tokens that were revoked."""
    refresh_answer: tuple[int, bytes] | None = None
    """Status and body that it answers tries of refresh tokens with instead."""
    given: list[str] = field(default_factory=list)
    tried: list[str] = field(default_factory=list)
    """Refresh tokens that it gave, and that were tried, in order."""
    is_tried: Event = field(default_factory=Event)
    may_answer: Event = field(default_factory=Event)
    """Set by a try; and awaited by it, if a test clears it."""
    asked: dict[str, dict[str, str]] = field(default_factory=dict)
    """What was asked for, by the code that was given for it."""

    def signed_in(self, address: str) -> dict[str, str]:
        """Be somebody who signs in at an address of the provider: what the browser brings back.

        Raises
        ------
        AssertionError
            The address is none that RFC 6749, RFC 7636 and OpenID Connect let a client send somebody to.
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
        """Return status and body of the token endpoint, or what they are to be instead."""
        status, said = self.token(asked, authorization)
        if asked.get("grant_type") == "refresh_token" and self.refresh_answer is not None:
            return self.refresh_answer
        return status, self.token_answer or json.dumps(said).encode()

    def token(self, asked: Mapping[str, str], authorization: str) -> tuple[int, dict[str, Any]]:
        """Answer the token endpoint: a code is good once, for who was sent there with the same challenge."""
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
        """Answer a try of a refresh token (RFC 6749, section 6)."""
        token = asked["refresh_token"]
        self.tried.append(token)
        self.is_tried.set()
        assert self.may_answer.wait(30)
        if given != f"{CLIENT_ID}:{CLIENT_SECRET}":
            return 401, {"error": "invalid_client"}
        if "scope" in asked:
            # None may be asked for that was not granted, and what was is not known.
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
            """Say nothing."""

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
    """Make a key to sign with."""
    return RSAKey.generate_key(2048, parameters={"kid": kid}, private=True)


def _part(said: Mapping[str, Any]) -> str:
    return _encoded(json.dumps(said).encode())


def _encoded(said: bytes) -> str:
    return base64.urlsafe_b64encode(said).rstrip(b"=").decode()
