"""Orders for the nodes of a run.

The orders of a node state the phases that it must run. A phase is one benchmark of the run. The roll is a file from
which each instance learns its node number.
"""

import hashlib
import hmac
import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict, field
from typing import Any, Literal
from uuid import UUID

from stowage.frozen import frozen
from stowage.runs.run import Run
from stowage.runs.spec import RunSpec

VERSION = 1
POLL_S = 5.0
DFSIO_PHASES = ("testdfsio-write", "testdfsio-read")

_REDIS_START_S = 30.0
_NET_START_S = 10.0
_INSTALL_S = 120.0
_DFSIO_START_S = 600.0
_DFSIO_LEAST_MB_PER_S = 20.0


@frozen
class Phase:
    """Phase of a run: one benchmark, which its nodes run at the same time."""

    name: str
    kind: Literal["disk", "net", "redis"]
    """Benchmark: of each node's disks without other load, of the network between nodes that all send to each other, or
    of a Redis server on each node that appends every write to a file on the measured disks."""
    nodes: int
    """Number of nodes that take part; they are the first ones of the run."""
    longest_s: float
    """Maximum duration [s]."""
    settings: Mapping[str, Any]
    """Settings of the benchmark, as they are written in orders."""


@frozen
class Addresses:
    """Presigned URLs of the files of one node."""

    orders_url: str | None = None
    """URL from which the node reads its orders again; None if the node is controlled directly."""
    status_url: str | None = None
    """URL to which the node writes its status; None if the node is controlled directly."""
    reports: Mapping[str, str] = field(default_factory=dict)
    """URL to which the node writes its report on each phase, by the name of the phase."""


def phases(spec: RunSpec) -> tuple[Phase, ...]:
    """Return the phases of a run in the order of execution.

    A phase is one benchmark. The network is measured before the disks, so that pending writes do not disturb it. It is
    measured with 2, 4, 8, ... nodes and with all nodes. For screening, it is measured only with all nodes.

    Examples
    --------
    >>> [phase.name for phase in phases(RunSpec("netbench", "i4i.large", 6, "us-east-1"))]
    ['net-2', 'net-4', 'net-6']
    """
    network = _network(spec) if spec.benchmark in {"netbench", "screening"} else ()
    if spec.storage is None:
        return network
    what = spec.storage.kind
    if spec.benchmark in {"diskbench", "screening"}:
        return (*network, *_disks(spec, what))
    if spec.benchmark == "redis":
        return _redis(spec, what)
    return network


def expected(spec: RunSpec) -> frozenset[tuple[int, str]]:
    """Return the node number and the phase of each report of a complete run."""
    if spec.benchmark == "testdfsio":
        return frozenset((0, phase) for phase in DFSIO_PHASES)
    return frozenset((node, phase.name) for phase in phases(spec) for node in range(phase.nodes))


def needed_s(spec: RunSpec) -> float:
    """Estimate the time that the nodes need for all phases [s].

    It begins when all nodes are up.
    """
    if spec.benchmark == "testdfsio":
        moved_mb = spec.dfsio.files_per_node * spec.dfsio.file_mb
        return _DFSIO_START_S + 2 * moved_mb / _DFSIO_LEAST_MB_PER_S
    return _INSTALL_S + sum(phase.longest_s for phase in phases(spec))


def node_key(run_key: bytes, node: int) -> bytes:
    """Derive a node's signing key from the run's key."""
    return hmac.digest(run_key, b"node:%d" % node, hashlib.sha256)


def peers_key(run_key: bytes) -> bytes:
    """Derive the key with which the nodes of a run authenticate each other."""
    return hmac.digest(run_key, b"peers", hashlib.sha256)


def orders(run: Run, node: int, key: bytes, addresses: Addresses, *, revision: int, stop: bool) -> bytes:
    """Build the orders of one node of a launched run.

    Parameters
    ----------
    run : Run
        Run whose nodes are up.
    node : int
    key : bytes
        Key of the run.
    addresses : Addresses
    revision : int
    stop : bool
        Whether the node must stop and send the results that it has.
    """
    peers = [address for _, address in run.nodes]
    ends_at = None if run.ends_at is None else run.ends_at.timestamp()
    return orders_of(run.id, run.spec, peers, node, key, addresses, revision=revision, stop=stop, ends_at=ends_at)


def orders_of(  # noqa: PLR0913 - orders have as many fields
    run_id: UUID,
    spec: RunSpec,
    peers: Sequence[str],
    node: int,
    key: bytes,
    addresses: Addresses,
    *,
    revision: int = 1,
    stop: bool = False,
    ends_at: float | None = None,
) -> bytes:
    """Build the orders of one node.

    The node may also be a machine that Stowage has not launched.

    Parameters
    ----------
    run_id : UUID
    spec : RunSpec
    peers : sequence of str
        IP address of each node, by node number.
    node : int
    key : bytes
        Key from which the nodes' keys are derived.
    addresses : Addresses
    revision : int
    stop : bool
    ends_at : float, optional
        Time at which the node shuts its machine down [s since 1970]; None for never.
    """
    return written(
        {
            "stowage": "orders",
            "version": VERSION,
            "run": str(run_id),
            "node": node,
            "nodes": len(peers),
            "key": node_key(key, node).hex(),
            "peers_key": peers_key(key).hex(),
            "revision": revision,
            "poll_s": POLL_S,
            "orders_url": addresses.orders_url,
            "status_url": addresses.status_url,
            "reports": dict(addresses.reports),
            "peers": [{"node": number, "address": address} for number, address in enumerate(peers)],
            "ends_at": ends_at,
            "stop": stop,
            "phases": [
                {"name": phase.name, "kind": phase.kind, **phase.settings}
                for phase in phases(spec)
                if node < phase.nodes
            ],
        }
    )


def roll(run: Run, orders_urls: Mapping[str, str]) -> bytes:
    """Build the roll of a run.

    The roll is a file with each instance's node number and the URL of its orders.

    Parameters
    ----------
    run : Run
        Run whose nodes are up.
    orders_urls : mapping of str to str
        Presigned URL of each instance's orders, by the instance's id.
    """
    nodes = {
        instance: {"node": number, "orders_url": orders_urls[instance]}
        for number, (instance, _) in enumerate(run.nodes)
    }
    return written({"stowage": "roll", "version": VERSION, "run": str(run.id), "nodes": nodes})


def written(document: Mapping[str, Any]) -> bytes:
    """Encode a document as JSON.

    It raises ValueError if the document contains NaN or infinity.
    """
    return json.dumps(document, separators=(",", ":"), allow_nan=False).encode()


def _network(spec: RunSpec) -> tuple[Phase, ...]:
    sizes = [spec.nodes] if spec.nodes > 1 else []
    if spec.benchmark == "netbench":
        powers = (1 << power for power in range(1, spec.nodes.bit_length()))
        sizes = sorted({*sizes, *(size for size in powers if size <= spec.nodes)})
    found = []
    for place, size in enumerate(sizes):
        compare = spec.net.compare and place == 0
        # The comparison with iperf3 takes as long as the measurement.
        longest_s = (2.0 if compare else 1.0) * (spec.net.warm_up_s + spec.net.measured_s) + _NET_START_S
        settings = {**asdict(spec.net), "nodes": size, "compare": compare}
        found.append(Phase(f"net-{size}", "net", size, longest_s, settings))
    return tuple(found)


def _disks(spec: RunSpec, what: Literal["instance-store", "ebs"]) -> tuple[Phase, ...]:
    plan = spec.disk
    found: list[Phase] = []
    filled = False
    for mode in plan.modes:
        # Disks are filled once, before the first phase that would read unwritten data.
        fill_s = 0.0 if filled or mode == "write" else plan.warm_up_s + plan.measured_s
        filled = filled or mode != "write"
        settings = {
            "mode": mode,
            "measured_s": plan.measured_s,
            "warm_up_s": plan.warm_up_s,
            "block_bytes": plan.block_bytes,
            "what": what,
        } | ({"fill_s": fill_s} if fill_s else {})
        longest_s = fill_s + plan.warm_up_s + plan.measured_s
        found.append(Phase(f"disk-{mode}", "disk", spec.nodes, longest_s, settings))
    return tuple(found)


def _redis(spec: RunSpec, what: Literal["instance-store", "ebs"]) -> tuple[Phase, ...]:
    measured_s = spec.redis.measured_s
    return tuple(
        Phase(
            f"redis-{sync}",
            "redis",
            spec.nodes,
            measured_s + _REDIS_START_S,
            {"appendfsync": sync, "measured_s": measured_s, "what": what},
        )
        for sync in spec.redis.syncs
    )
