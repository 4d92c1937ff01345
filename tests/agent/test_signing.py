"""Signatures of the messages that a node sends."""

import hashlib
import hmac
import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from stowage_worker.agent.signing import digest, envelope, matches


@given(
    st.dictionaries(st.text(), st.text() | st.integers() | st.none(), max_size=5), st.binary(min_size=1, max_size=64)
)
def test_an_envelope_is_signed_over_its_very_text(said: dict[str, object], key: bytes) -> None:
    found = json.loads(envelope(said, key))
    assert json.loads(found["signed"]) == said
    assert found["hmac_sha256"] == hmac.new(key, found["signed"].encode(), hashlib.sha256).hexdigest()


def test_numbers_that_are_none_are_not_said() -> None:
    with pytest.raises(ValueError, match="Out of range"):
        envelope({"rate": float("nan")}, b"key")


@given(st.lists(st.binary(max_size=4), min_size=2, max_size=4), st.lists(st.binary(max_size=4), min_size=2, max_size=4))
def test_other_parts_have_other_digests(one: list[bytes], other: list[bytes]) -> None:
    assert (digest(b"key", *one) == digest(b"key", *other)) == (one == other)


@given(st.none() | st.integers() | st.text() | st.binary())
def test_what_is_no_digest_does_not_match(said: object) -> None:
    assert not matches(said, "a" * 64)
