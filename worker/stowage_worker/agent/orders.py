"""Parser of the orders of a node, which are untrusted bytes.

Orders list the phases of a run, each of which is one benchmark. Another file, the roll, has the URL of each
node's orders.

Orders are a JSON object::

    {"stowage": "orders", "version": 1, "run": "<uuid>", "node": 3, "nodes": 4, "key": "<hex>", "peers_key": "<hex>",
     "revision": 2, "poll_s": 5, "orders_url": "<GET>", "status_url": "<PUT>", "reports": {"net-2": "<PUT>"},
     "peers": [{"node": 0, "address": "10.0.0.4"}], "ends_at": 1795250000.0, "stop": false,
     "phases": [{"name": "disk-read-write", "kind": "disk", "mode": "read-write", "measured_s": 60, "warm_up_s": 10,
                 "block_bytes": 1048576, "what": "instance-store", "fill_s": 70},
                {"name": "net-2", "kind": "net", "nodes": 2, "measured_s": 20, "warm_up_s": 3, "connections": 1,
                 "processes": null, "compare": true, "gather_s": 120},
                {"name": "redis-always", "kind": "redis", "appendfsync": "always", "measured_s": 30, "what": "ebs"}]}

Unknown fields are ignored, so that later versions can add fields. No field becomes part of a shell command.
"""

from __future__ import annotations

import ipaddress
import json
import math
import re
from dataclasses import dataclass
from typing import Any, Union
from urllib.parse import urlsplit

VERSION = 1
MOST_BYTES = 1 << 20
MOST_NODES = 1000
_MOST_PHASES = 64
_NAME = re.compile(r"[a-z0-9][a-z0-9-]{0,39}\Z")
_HEX = re.compile(r"(?:[0-9a-f]{2}){16,64}\Z")
_RUN = re.compile(r"[0-9a-f]{8}(-?[0-9a-f]{4}){3}-?[0-9a-f]{12}\Z")
_INSTANCE = re.compile(r"[A-Za-z0-9._-]{1,64}\Z")


class BadOrdersError(ValueError):
    """Invalid orders or an invalid roll; the message names the field."""


@dataclass(frozen=True)  # slots are Python 3.10's
class DiskPhase:
    """Disk benchmark of the node."""

    name: str
    mode: str
    """`read-write`, `read` or `write`."""
    measured_s: float
    """[s]."""
    warm_up_s: float
    """[s]."""
    block_bytes: int
    """A multiple of 512."""
    what: str
    """`instance-store` or `ebs`."""
    fill_s: float
    """Time for which disks are filled before the first read [s]."""


@dataclass(frozen=True)
class NetPhase:
    """Network benchmark: the first ``nodes`` nodes all send to each other at once."""

    name: str
    nodes: int
    measured_s: float
    """[s]."""
    warm_up_s: float
    """[s]."""
    connections: int
    """Connections from each node to each other node."""
    processes: int | None
    """Processes per node."""
    compare: bool
    """Whether nodes 0 and 1 also measure with iperf3."""
    gather_s: float
    """Time to wait for other nodes [s]."""


@dataclass(frozen=True)
class RedisPhase:
    """Redis benchmark with an append-only file on the measured disk."""

    name: str
    appendfsync: str
    """`everysec` or `always`."""
    measured_s: float
    """[s]."""
    what: str
    """`instance-store` or `ebs`."""


Phase = Union[DiskPhase, NetPhase, RedisPhase]


@dataclass(frozen=True)
class Orders:
    """Valid orders of a node."""

    run: str
    node: int
    nodes: int
    key: bytes
    """Key of the node."""
    peers_key: bytes
    """Key shared by all nodes of the run; empty if no phase needs it."""
    revision: int
    poll_s: float
    """[s]."""
    orders_url: str | None
    status_url: str | None
    reports: dict[str, str]
    """URL of the report of each phase."""
    peers: dict[int, str]
    """Address of each running node, by number."""
    ends_at: float | None
    """Unix time."""
    stop: bool
    phases: tuple[Phase, ...]


def read_orders(content: bytes) -> Orders:
    """Parse and validate the orders of a node.

    Raises
    ------
    BadOrdersError
    """
    said = _document(content, "orders")
    nodes = _whole(said, "nodes", 1, MOST_NODES)
    phases = tuple(_phase(phase, f"phases[{place}]") for place, phase in enumerate(_list(said, "phases", _MOST_PHASES)))
    names = [phase.name for phase in phases]
    if len(set(names)) != len(names):
        raise BadOrdersError("phases: two of them have the same name")
    return Orders(
        run=_matching(said, "run", _RUN),
        node=_whole(said, "node", 0, nodes - 1),
        nodes=nodes,
        key=bytes.fromhex(_matching(said, "key", _HEX)),
        peers_key=bytes.fromhex(_matching(said, "peers_key", _HEX)) if said.get("peers_key") is not None else b"",
        revision=_whole(said, "revision", 0, 1 << 53, 0),
        poll_s=_number(said, "poll_s", 0.05, 600.0, 5.0),
        orders_url=_url(said.get("orders_url"), "orders_url"),
        status_url=_url(said.get("status_url"), "status_url"),
        reports=_reports(said),
        peers=_peers(said, nodes),
        ends_at=_number(said, "ends_at", 0.0, 1e11) if said.get("ends_at") is not None else None,
        stop=_flag(said, "stop"),
        phases=phases,
    )


def read_roll(content: bytes, instance: str) -> str | None:
    """Return the URL of an instance's orders from the roll.

    Parameters
    ----------
    content : bytes
        ``{"stowage": "roll", "version": 1, "nodes": {"i-0abc": {"node": 0, "orders_url": "<GET>"}}}``.
    instance : str
        Id of the instance.

    Returns
    -------
    str or None
        URL; None if the instance is not on the roll yet.

    Raises
    ------
    BadOrdersError
    """
    nodes = _document(content, "roll").get("nodes")
    if not isinstance(nodes, dict):
        raise BadOrdersError("nodes of the roll is no object of instances")
    found = nodes.get(instance)
    if found is None:
        return None
    url = _url(found.get("orders_url"), f"nodes.{instance}.orders_url") if isinstance(found, dict) else None
    if url is None:
        raise BadOrdersError(f"nodes.{instance} has no orders_url")
    return url


def is_instance(text: str) -> bool:
    """Return whether a text has the form of an instance id."""
    return _INSTANCE.match(text) is not None


def _document(content: bytes, kind: str) -> dict[str, Any]:
    if len(content) > MOST_BYTES:
        raise BadOrdersError(f"the {kind} have more than {MOST_BYTES} bytes")
    try:
        said = json.loads(content)
    except (ValueError, RecursionError) as wrong:
        raise BadOrdersError(f"the {kind} are no JSON: {type(wrong).__name__}") from None
    if not isinstance(said, dict) or said.get("stowage") != kind:
        raise BadOrdersError(f"stowage: this is no document of {kind}")
    version = said.get("version")
    if version is not True and version != VERSION:
        raise BadOrdersError(f"version is {str(version)[:20]}, this agent reads {VERSION}")
    return said


def _phase(said: object, path: str) -> Phase:
    if not isinstance(said, dict):
        raise BadOrdersError(f"{path} is no object")
    kind = said.get("kind")
    try:
        name = _matching(said, "name", _NAME)
        if kind == "disk":
            return _disk_phase(said, name)
        if kind == "net":
            return NetPhase(
                name,
                nodes=_whole(said, "nodes", 2, MOST_NODES),
                measured_s=_number(said, "measured_s", 0.1, 3600.0, 20.0),
                warm_up_s=_number(said, "warm_up_s", 0.0, 600.0, 3.0),
                connections=_whole(said, "connections", 1, 16, 1),
                processes=_whole(said, "processes", 1, 60) if said.get("processes") is not None else None,
                compare=_flag(said, "compare"),
                gather_s=_number(said, "gather_s", 0.1, 3600.0, 120.0),
            )
        if kind == "redis":
            return RedisPhase(
                name,
                appendfsync=_one_of(said, "appendfsync", ("everysec", "always")),
                measured_s=_number(said, "measured_s", 1.0, 3600.0, 30.0),
                what=_one_of(said, "what", ("ebs", "instance-store")),
            )
    except BadOrdersError as wrong:
        raise BadOrdersError(f"{path}.{wrong}") from None
    raise BadOrdersError(f"{path}.kind is none of disk, net, redis")


def _disk_phase(said: dict[str, Any], name: str) -> DiskPhase:
    measured_s = _number(said, "measured_s", 0.1, 3600.0, 60.0)
    warm_up_s = _number(said, "warm_up_s", 0.0, 600.0, 10.0)
    block_bytes = _whole(said, "block_bytes", 512, 64 << 20, 1 << 20)
    if block_bytes % 512:
        raise BadOrdersError("block_bytes is no multiple of 512, as direct I/O needs")
    return DiskPhase(
        name,
        mode=_one_of(said, "mode", ("read-write", "read", "write")),
        measured_s=measured_s,
        warm_up_s=warm_up_s,
        block_bytes=block_bytes,
        what=_one_of(said, "what", ("instance-store", "ebs")),
        fill_s=_number(said, "fill_s", 0.1, 7200.0, measured_s + warm_up_s),
    )


def _reports(said: dict[str, Any]) -> dict[str, str]:
    reports = said.get("reports", {})
    if not isinstance(reports, dict) or len(reports) > _MOST_PHASES:
        raise BadOrdersError("reports is no object of at most 64 addresses")
    found = {}
    for name, url in reports.items():
        address = _url(url, "reports")
        if _NAME.match(name) is None or address is None:
            raise BadOrdersError("reports holds something else than addresses by phases' names")
        found[name] = address
    return found


def _peers(said: dict[str, Any], nodes: int) -> dict[int, str]:
    peers = {}
    for place, peer in enumerate(_list(said, "peers", MOST_NODES)):
        if not isinstance(peer, dict):
            raise BadOrdersError(f"peers[{place}] is no object")
        node, address = _whole(peer, "node", 0, nodes - 1), peer.get("address")
        try:
            # Only IP addresses: nodes could resolve a host name differently.
            peers[node] = str(ipaddress.ip_address(address if isinstance(address, str) else ""))
        except ValueError:
            raise BadOrdersError(f"peers[{place}].address is no IP address") from None
    return peers


def _list(said: dict[str, Any], name: str, most: int) -> list[Any]:
    found = said.get(name, [])
    if not isinstance(found, list) or len(found) > most:
        raise BadOrdersError(f"{name} is no list of at most {most}")
    return found


def _number(said: dict[str, Any], name: str, least: float, most: float, default: float | None = None) -> float:
    found = said.get(name, default)
    if isinstance(found, bool) or not isinstance(found, (int, float)):
        raise BadOrdersError(f"{name} is no number")
    # Compare before converting to float: a very large integer cannot be converted.
    if not (least <= found <= most) or not math.isfinite(found):
        raise BadOrdersError(f"{name} is not between {least:g} and {most:g}")
    return float(found)


def _whole(said: dict[str, Any], name: str, least: int, most: int, default: int | None = None) -> int:
    found = said.get(name, default)
    if isinstance(found, bool) or not isinstance(found, int) or not least <= found <= most:
        raise BadOrdersError(f"{name} is no whole number from {least} to {most}")
    return found


def _flag(said: dict[str, Any], name: str) -> bool:
    found = said.get(name, False)
    if not isinstance(found, bool):
        raise BadOrdersError(f"{name} is neither true nor false")
    return found


def _one_of(said: dict[str, Any], name: str, known: tuple[str, ...]) -> str:
    found = said.get(name, known[0])
    if found not in known:
        raise BadOrdersError(f"{name} is none of {', '.join(known)}")
    return str(found)


def _matching(said: dict[str, Any], name: str, form: re.Pattern[str]) -> str:
    found = said.get(name)
    if not isinstance(found, str) or form.match(found) is None:
        raise BadOrdersError(f"{name} is not of its form")
    return found


def _url(found: object, name: str) -> str | None:
    if found is None:
        return None
    if isinstance(found, str) and len(found) < 8192 and found.isascii() and found.isprintable() and " " not in found:
        try:
            parts = urlsplit(found)
            if parts.scheme in ("http", "https") and parts.hostname and parts.port != 0:
                return found
        except ValueError:
            pass
    raise BadOrdersError(f"{name} is no http or https address")
