import hashlib
import hmac
import json
from typing import Any
from uuid import UUID

import pytest
from hypothesis import given
from hypothesis import strategies as st

from stowage.runs.orders import node_key
from stowage.runs.report import (
    REPORT_MOST_BYTES,
    STATUS_MOST_BYTES,
    Refused,
    Report,
    Status,
    read_report,
    read_status,
)
from stowage_worker.agent.signing import envelope

RUN = UUID("00000000-0000-4000-8000-000000000009")
KEY = node_key(bytes(32), 3)
REPORT: dict[str, Any] = {
    "stowage": "report",
    "version": 1,
    "run": str(RUN),
    "node": 3,
    "phase": "net-4",
    "status": "ok",
    "failure": None,
    "document": {"received_mb_per_s": 1200.5},
}
STATUS: dict[str, Any] = {
    "stowage": "status",
    "version": 1,
    "run": str(RUN),
    "node": 3,
    "at": 1795250000.5,
    "state": "running",
    "phase": "net-4",
    "progress": 0.5,
    "words": "4 nodes send to each other",
    "log": ["fio is there", "line\twith a tab"],
    "live": {"received_mb_per_s": 1200.5, "sent_mb_per_s": None},
}


def report(content: bytes) -> Report | Refused:
    return read_report(content, KEY, RUN, 3, "net-4")


def status(content: bytes) -> Status | Refused:
    return read_status(content, KEY, RUN, 3)


def signed(text: str) -> bytes:
    mac = hmac.new(KEY, text.encode(errors="replace"), hashlib.sha256).hexdigest()
    return json.dumps({"signed": text, "hmac_sha256": mac}).encode()


def test_what_the_agent_signs_is_read_to_the_last_field() -> None:
    found = report(envelope(REPORT, KEY))
    assert isinstance(found, Report)
    assert (found.node, found.phase, found.status, found.failure) == (3, "net-4", "ok", None)
    assert found.document == {"received_mb_per_s": 1200.5}
    told = status(envelope(STATUS, KEY))
    assert told == Status(
        3,
        1795250000.5,
        "running",
        "net-4",
        0.5,
        "4 nodes send to each other",
        ("fio is there", "line with a tab"),
        {"received_mb_per_s": 1200.5},
    )


def test_the_same_report_twice_has_the_same_digest_and_another_has_not() -> None:
    one, again = report(envelope(REPORT, KEY)), report(envelope(dict(REPORT), KEY))
    other = report(envelope({**REPORT, "document": {}}, KEY))
    assert isinstance(one, Report)
    assert isinstance(again, Report)
    assert isinstance(other, Report)
    assert one.sha256 == again.sha256 != other.sha256


@pytest.mark.parametrize("words", [None, ""])
def test_a_node_without_words_or_phase_is_between_phases(words: str | None) -> None:
    told = status(envelope({**STATUS, "words": words, "phase": None}, KEY))
    assert isinstance(told, Status)
    assert (told.words, told.phase) == ("", None)


@pytest.mark.parametrize(
    ("changed", "because"),
    [
        ({"run": str(UUID(int=1))}, "another run"),
        ({"node": 2}, "another node"),
        ({"node": True}, "another node"),
        ({"phase": "net-2"}, "another phase"),
        ({"version": 2}, "version 1"),
        ({"stowage": "status"}, "no report"),
        ({"status": "fine"}, "status is none of"),
        ({"status": ["ok"]}, "status is none of"),
        ({"failure": "x"}, "failure is needed"),
        ({"status": "failed"}, "failure is needed"),
        ({"status": "failed", "failure": 7}, "failure is no text"),
        ({"document": []}, "document is no object"),
        ({"document": {"a": 1e300}}, "too large"),
        ({"document": {"a": [10**19]}}, "too large"),
        ({"document": {"a": "\0"}}, "cannot be stored"),
        ({"document": {"\ud800": 1}}, "cannot be stored"),
    ],
)
def test_a_signed_report_that_is_wrong_is_refused_in_words(changed: dict[str, Any], because: str) -> None:
    found = report(envelope({**REPORT, **changed}, KEY))
    assert isinstance(found, Refused)
    assert because in found.words


@pytest.mark.parametrize(
    ("changed", "because"),
    [
        ({"at": -1}, "at is no number"),
        ({"at": True}, "at is no number"),
        ({"progress": 1.5}, "progress"),
        ({"state": "happy"}, "state is none of"),
        ({"log": {}}, "log is no list"),
        ({"live": []}, "live is no object"),
        ({"live": {"read_mb_per_s": "much"}}, "read_mb_per_s"),
        ({"words": []}, "words is no text"),
    ],
)
def test_a_signed_status_that_is_wrong_is_refused_in_words(changed: dict[str, Any], because: str) -> None:
    found = status(envelope({**STATUS, **changed}, KEY))
    assert isinstance(found, Refused)
    assert because in found.words


@pytest.mark.parametrize(
    "content",
    [
        b"",
        b"[]",
        b"{}",
        b'{"signed": 1, "hmac_sha256": "00"}',
        b'{"signed": "{}", "hmac_sha256": 1}',
        b'{"signed": "{}", "hmac_sha256": "\xc3\xa4"}',
        b"\xff\xfe",
        b'{"signed": "{}", "signed": "{}", "hmac_sha256": "00"}',
        b"[" * 100_000,
        b'{"a":' * 100_000,
        json.dumps({"signed": json.dumps(REPORT), "hmac_sha256": "0" * 64}).encode(),
        envelope(REPORT, node_key(bytes(32), 2)),
        signed("not JSON"),
        signed('{"a": NaN}'),
        signed("[1]"),
        signed("\ud800"),
        signed('{"a":' * 50 + "1" + "}" * 50),
    ],
)
def test_what_is_not_signed_or_no_json_is_refused(content: bytes) -> None:
    assert isinstance(report(content), Refused)
    assert isinstance(status(content), Refused)


def test_what_is_too_large_is_refused_before_it_is_looked_at() -> None:
    found = report(b" " * (REPORT_MOST_BYTES + 1))
    assert isinstance(found, Refused)
    assert "larger than" in found.words
    assert isinstance(status(b" " * (STATUS_MOST_BYTES + 1)), Refused)


VALUES = st.recursive(
    st.one_of(st.none(), st.booleans(), st.integers(), st.floats(allow_nan=False, allow_infinity=False), st.text()),
    lambda held: st.one_of(st.lists(held, max_size=4), st.dictionaries(st.text(max_size=8), held, max_size=4)),
    max_leaves=20,
)


@given(st.one_of(st.binary(max_size=300), VALUES.map(lambda value: json.dumps(value).encode())))
def test_nothing_that_anybody_writes_there_is_believed_or_makes_it_fail(content: bytes) -> None:
    assert isinstance(report(content), Refused)
    assert isinstance(status(content), Refused)


@given(st.dictionaries(st.sampled_from(sorted(REPORT.keys() | STATUS.keys())), VALUES, max_size=6))
def test_what_a_node_signs_is_taken_as_it_must_be_or_refused(changed: dict[str, Any]) -> None:
    found = report(signed(json.dumps({**REPORT, **changed})))
    if isinstance(found, Report):
        json.dumps(found.document).encode()
        assert (found.status == "ok") == (found.failure is None)
    told = status(signed(json.dumps({**STATUS, **changed})))
    if isinstance(told, Status):
        assert 0.0 <= told.progress <= 1.0
        assert told.words.isprintable()
        assert all(line.isprintable() for line in told.log)
