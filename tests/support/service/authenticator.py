"""A software authenticator that creates passkeys and signs with them, in browsers' formats (Web Authentication 2)."""

import hashlib
import json
import os
from base64 import urlsafe_b64decode, urlsafe_b64encode
from dataclasses import dataclass, field
from typing import Any

import cbor2
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.hazmat.primitives.hashes import SHA256

ORIGIN = "http://localhost"
_PRESENT, _HAS_KEY = 0x01, 0x40


@dataclass
class Authenticator:
    """A key of P-256."""

    count: int = 0
    """Signatures so far, which it states."""
    credential_id: bytes = field(default_factory=lambda: os.urandom(32))
    key: ec.EllipticCurvePrivateKey = field(default_factory=lambda: ec.generate_private_key(ec.SECP256R1()))

    def make(self, options: dict[str, Any], origin: str = ORIGIN) -> dict[str, Any]:
        """Answer PublicKeyCredentialCreationOptions, without attestation."""
        numbers = self.key.public_key().public_numbers()
        # COSE: kty EC2, alg ES256, crv P-256 (RFC 9053).
        public = {1: 2, 3: -7, -1: 1, -2: numbers.x.to_bytes(32, "big"), -3: numbers.y.to_bytes(32, "big")}
        made = (16 * b"\0") + len(self.credential_id).to_bytes(2, "big") + self.credential_id + cbor2.dumps(public)
        data = self._data(options["rp"]["id"], _PRESENT | _HAS_KEY) + made
        attested = cbor2.dumps({"fmt": "none", "attStmt": {}, "authData": data})
        client = _client("webauthn.create", options["challenge"], origin)
        return self._credential({"clientDataJSON": text(client), "attestationObject": text(attested)})

    def sign(self, options: dict[str, Any], origin: str = ORIGIN) -> dict[str, Any]:
        """Answer PublicKeyCredentialRequestOptions."""
        self.count += 1
        data = self._data(options["rpId"], _PRESENT)
        client = _client("webauthn.get", options["challenge"], origin)
        signature = self.key.sign(data + hashlib.sha256(client).digest(), ec.ECDSA(SHA256()))
        return self._credential(
            {"clientDataJSON": text(client), "authenticatorData": text(data), "signature": text(signature)}
        )

    def _data(self, domain: str, flags: int) -> bytes:
        return hashlib.sha256(domain.encode()).digest() + bytes([flags]) + self.count.to_bytes(4, "big")

    def _credential(self, response: dict[str, str]) -> dict[str, Any]:
        name = text(self.credential_id)
        return {
            "id": name,
            "rawId": name,
            "type": "public-key",
            "response": response,
            "clientExtensionResults": {},
        }


def text(octets: bytes) -> str:
    """Return octets in base64url without padding."""
    return urlsafe_b64encode(octets).rstrip(b"=").decode()


def octets(of: str) -> bytes:
    """Return the octets of a base64url text without padding."""
    return urlsafe_b64decode(of + "=" * (-len(of) % 4))


def _client(kind: str, challenge: str, origin: str) -> bytes:
    return json.dumps({"type": kind, "challenge": challenge, "origin": origin, "crossOrigin": False}).encode()
