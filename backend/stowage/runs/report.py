"""Reports and statuses of nodes, parsed from untrusted bytes.

Their signature, run, node, size and nesting depth are checked.
"""

import hashlib
import hmac
import json
from collections.abc import Mapping, Sequence
from typing import Any, Literal, cast
from uuid import UUID

from stowage.frozen import frozen

VERSION = 1
REPORT_MOST_BYTES = 1 << 21
STATUS_MOST_BYTES = 1 << 16
MOST_DEPTH = 12

ReportStatus = Literal["ok", "partial", "failed"]
NodeState = Literal["waiting", "running", "done", "failed"]
RATES = ("read_mb_per_s", "write_mb_per_s", "received_mb_per_s", "sent_mb_per_s")

_MOST_TEXT = 500
_MOST_LOG = 50
_MOST_RATE = 1e7
_MOST_AT = 4e9
_MOST_NUMBER = 1e18


@frozen
class Report:
    """Results of one node in one phase.

    A phase is one benchmark of the run.
    """

    node: int
    phase: str
    status: ReportStatus
    failure: str | None
    """Reason of a status other than ok; None if it is ok."""
    document: Mapping[str, Any]
    """JSON document with the results. For a disk phase, it is a DiskBench document. For a network phase, it has the
    amounts of data that this node sent and received."""
    sha256: str
    """Hash of the signed content; equal reports have equal hashes."""


@frozen
class Status:
    """Progress of one node, which it sends as its heartbeat."""

    node: int
    at: float
    """Time by the node's clock [s since 1970]."""
    state: NodeState
    phase: str | None
    progress: float
    """Progress of the phase, from 0 to 1."""
    words: str
    """Description of the current activity, for people."""
    log: tuple[str, ...]
    """Newest lines of the node's log."""
    live: Mapping[str, float]
    """Current throughput, by its name in `RATES` [MB/s]."""


@frozen
class Refused:
    """One rejected report or status, with the reason for the run's log."""

    words: str


class _Wrong(Exception):
    """Error for a report or status that must be rejected."""


def read_report(content: bytes, key: bytes, run_id: UUID, node: int, phase: str) -> Report | Refused:
    """Parse and check a report of a node.

    Parameters
    ----------
    content : bytes
        File as stored in the bucket.
    key : bytes
        Key of the node (`orders.node_key`).
    run_id : UUID
    node : int
    phase : str
        Phase to which the report must belong. It must also belong to the given run and node.
    """
    try:
        said, signed = _said(content, key, REPORT_MOST_BYTES)
        _check_origin(said, "report", run_id, node)
        _check_phase(said, phase)
        status, failure = _outcome(said)
        document = _mapping(said, "document")
    except _Wrong as wrong:
        return Refused(f"the report of node {node} on {phase} is rejected: {wrong}")
    digest = hashlib.sha256(signed).hexdigest()
    return Report(node, phase, status, failure, document, digest)


def read_status(content: bytes, key: bytes, run_id: UUID, node: int) -> Status | Refused:
    """Parse and check a status of a node.

    The parameters are those of `read_report`.
    """
    try:
        said, _ = _said(content, key, STATUS_MOST_BYTES)
        _check_origin(said, "status", run_id, node)
        log, live = _list(said, "log"), _mapping(said, "live")
        return Status(
            node,
            _number(said, "at", _MOST_AT),
            cast("NodeState", _one_of(said, "state", ("waiting", "running", "done", "failed"))),
            None if said.get("phase") is None else _text(said, "phase"),
            _number(said, "progress", 1.0),
            "" if said.get("words") is None or said["words"] == "" else _text(said, "words"),
            tuple(_printable(line) for line in log[-_MOST_LOG:] if isinstance(line, str)),
            {name: _number(live, name, _MOST_RATE) for name in RATES if live.get(name) is not None},
        )
    except _Wrong as wrong:
        return Refused(f"the status of node {node} is rejected: {wrong}")


def _said(content: bytes, key: bytes, most_bytes: int) -> tuple[Mapping[str, Any], bytes]:
    """Check the signature of an envelope, and return the signed content.

    The content is returned both parsed and as bytes.
    """
    if len(content) > most_bytes:
        raise _Wrong(f"it is larger than {most_bytes:,} bytes")
    envelope = _object(content, "the envelope")
    signed, mac = envelope.get("signed"), envelope.get("hmac_sha256")
    if not isinstance(signed, str) or not isinstance(mac, str):
        raise _Wrong("signed or hmac_sha256 is missing")
    text = signed.encode(errors="replace")
    if not hmac.compare_digest(hmac.new(key, text, hashlib.sha256).hexdigest().encode(), mac.encode(errors="replace")):
        raise _Wrong("its signature is not the node's")
    return _object(text, "what was signed"), text


def _object(text: bytes, what: str) -> Mapping[str, Any]:
    try:
        found = json.loads(text, parse_constant=_no_constant, object_pairs_hook=_once)
    except (ValueError, RecursionError) as error:
        raise _Wrong(f"{what} is no JSON: {str(error)[:80]}") from None
    if not isinstance(found, dict):
        raise _Wrong(f"{what} is no object")
    _check(found, MOST_DEPTH)
    return found


def _check(value: object, depth: int) -> None:
    """Check that a parsed value can be stored and printed.

    It must not be nested too deeply, and must not contain certain characters or too large numbers.
    """
    if depth == 0:
        raise _Wrong(f"it is nested deeper than {MOST_DEPTH}")
    if isinstance(value, dict):
        for name, held in value.items():
            _check(name, depth - 1)
            _check(held, depth - 1)
    elif isinstance(value, list):
        for held in value:
            _check(held, depth - 1)
    elif isinstance(value, str):
        # PostgreSQL cannot store NUL, and UTF-8 cannot encode unpaired surrogates.
        if "\0" in value or any("\ud800" <= letter <= "\udfff" for letter in value):
            raise _Wrong("it has a character that cannot be stored")
    elif isinstance(value, int | float) and not -_MOST_NUMBER <= value <= _MOST_NUMBER:
        raise _Wrong("it has a number that is too large")


def _no_constant(word: str) -> float:
    raise ValueError(f"{word} is no number of JSON")


def _once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) != len(pairs):
        raise ValueError("a field is duplicated")
    return found


def _check_origin(said: Mapping[str, Any], kind: str, run_id: UUID, node: int) -> None:
    if said.get("stowage") != kind or said.get("version") != VERSION:
        raise _Wrong(f"it is no {kind}, version {VERSION}")
    if said.get("run") != str(run_id):
        raise _Wrong("it is of another run")
    if said.get("node") != node or isinstance(said.get("node"), bool):
        raise _Wrong("it is of another node")


def _check_phase(said: Mapping[str, Any], phase: str) -> None:
    if said.get("phase") != phase:
        raise _Wrong(f"it is of another phase than {phase}")


def _outcome(said: Mapping[str, Any]) -> tuple[ReportStatus, str | None]:
    status = _one_of(said, "status", ("ok", "partial", "failed"))
    failure = None if said.get("failure") is None else _text(said, "failure")
    if (status == "ok") != (failure is None):
        raise _Wrong("failure is needed where the status is not ok, and nowhere else")
    return cast("ReportStatus", status), failure


def _mapping(said: Mapping[str, Any], name: str) -> Mapping[str, Any]:
    found = said.get(name)
    if not isinstance(found, dict):
        raise _Wrong(f"{name} is no object")
    return found


def _list(said: Mapping[str, Any], name: str) -> Sequence[Any]:
    found = said.get(name)
    if not isinstance(found, list):
        raise _Wrong(f"{name} is no list")
    return found


def _one_of(said: Mapping[str, Any], name: str, known: tuple[str, ...]) -> str:
    found = said.get(name)
    if not isinstance(found, str) or found not in known:
        raise _Wrong(f"{name} is none of {', '.join(known)}")
    return found


def _text(said: Mapping[str, Any], name: str) -> str:
    found = said.get(name)
    if not isinstance(found, str) or not found:
        raise _Wrong(f"{name} is no text")
    return _printable(found)


def _printable(text: str) -> str:
    return "".join(letter if letter.isprintable() else " " for letter in text[:_MOST_TEXT])


def _number(said: Mapping[str, Any], name: str, most: float) -> float:
    found = said.get(name)
    if isinstance(found, bool) or not isinstance(found, int | float) or not 0 <= found <= most:
        raise _Wrong(f"{name} is no number from 0 to {most:g}")
    return float(found)
