"""Verification of presigned URLs: AWS' Signature Version 4 in the query, computed independently.

The simulation accepts any signature. URLs that nodes receive must be valid at AWS too: signed with the role's
temporary key, with its token, not yet expired.

Source: AWS, "Authenticating Requests: Using Query Parameters (AWS Signature Version 4)", Amazon S3 API reference.
"""

import hashlib
import hmac
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from urllib.parse import parse_qsl, quote, unquote, urlsplit
from xml.etree import ElementTree as ET

LONGEST_S = 7 * 24 * 3600


class Refused(Exception):
    def __init__(self, code: str, words: str) -> None:
        super().__init__(words)
        self.code = code


@dataclass(frozen=True, slots=True)
class _Key:
    secret: str
    token: str
    good_until: datetime


@dataclass
class Keys:
    """Temporary keys that were issued."""

    keys: dict[str, _Key] = field(default_factory=dict)

    def learn(self, answer: bytes) -> None:
        """Store the key issued by an answer to AssumeRole."""
        told = {each.tag.rpartition("}")[2]: each.text or "" for each in ET.fromstring(answer).iter()}  # noqa: S314 - ours
        until = datetime.fromisoformat(told["Expiration"])
        self.keys[told["AccessKeyId"]] = _Key(told["SecretAccessKey"], told["SessionToken"], until)

    def knows(self, key_id: str) -> bool:
        return key_id in self.keys

    def check(self, method: str, url: str, headers: Mapping[str, str]) -> None:
        """Raise if the signature of a URL is invalid or expired."""
        parts = urlsplit(url)
        query = dict(parse_qsl(parts.query, keep_blank_values=True))
        if "X-Amz-Credential" not in query:
            raise Refused(
                "InvalidRequest", "The authorization mechanism is not supported. Please use AWS4-HMAC-SHA256."
            )
        key_id, day, region, service, _ = query["X-Amz-Credential"].split("/")
        key = self.keys.get(key_id)
        if key is None:
            raise Refused("InvalidAccessKeyId", f"no role that was assumed has the key {key_id}")
        if query.get("X-Amz-Security-Token") != key.token:
            raise Refused("InvalidToken", "the token is not the key's")
        signed_at = datetime.strptime(query["X-Amz-Date"], "%Y%m%dT%H%M%SZ").replace(tzinfo=UTC)
        valid_s = int(query["X-Amz-Expires"])
        if valid_s > LONGEST_S:
            raise Refused("AuthorizationQueryParametersError", "X-Amz-Expires must be less than a week")
        if datetime.now(UTC) > min(signed_at + timedelta(seconds=valid_s), key.good_until):
            raise Refused("AccessDenied", "Request has expired")
        given = query.pop("X-Amz-Signature")
        lower = {name.lower(): " ".join(value.split()) for name, value in headers.items()}
        names = query["X-Amz-SignedHeaders"].split(";")
        canonical = "\n".join(
            [
                method,
                quote(unquote(parts.path), safe="/-_.~"),
                "&".join(f"{quote(name, safe='-_.~')}={quote(query[name], safe='-_.~')}" for name in sorted(query)),
                *(f"{name}:{lower.get(name, '')}" for name in names),
                "",
                query["X-Amz-SignedHeaders"],
                "UNSIGNED-PAYLOAD",
            ]
        )
        scope = f"{day}/{region}/{service}/aws4_request"
        text = f"AWS4-HMAC-SHA256\n{query['X-Amz-Date']}\n{scope}\n{hashlib.sha256(canonical.encode()).hexdigest()}"
        signing = f"AWS4{key.secret}".encode()
        for each in (day, region, service, "aws4_request"):
            signing = hmac.digest(signing, each.encode(), "sha256")
        if not hmac.compare_digest(hmac.digest(signing, text.encode(), "sha256").hex(), given):
            raise Refused("SignatureDoesNotMatch", "The request signature we calculated does not match")
