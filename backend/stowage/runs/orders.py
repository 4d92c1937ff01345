"""Orders for the nodes of a run: the phases of each node, and the roll, a file that maps instances to node numbers."""

import hashlib
import hmac
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal
from uuid import UUID

from stowage.runs.run import Run
from stowage.runs.spec import DiskMode, RunSpec, Sync

VERSION = 1
POLL_S = 5.0
DFSIO_PHASES = ("testdfsio-write", "testdfsio-read")

_REDIS_START_S = 30.0
_NET_START_S = 10.0
_INSTALL_S = 120.0
_DFSIO_START_S = 600.0
_DFSIO_LEAST_MB_PER_S = 20.0


@dataclass(frozen=True, slots=True)
class DiskPhase:
    """Benchmark of each node's disks, without other load.

    Parameters
    ----------
    name : str
    mode : DiskMode
    measured_s, warm_up_s, fill_s : float
        Durations of the measurement, of the warm-up before it, and of the writes that fill the disks before the first
        read [s].
    block_bytes : int
    what : {"instance-store", "ebs"}
    """

    name: str
    mode: DiskMode
    measured_s: float
    warm_up_s: float
    fill_s: float
    block_bytes: int
    what: Literal["instance-store", "ebs"]
    kind: Literal["disk"] = "disk"

    def longest_s(self) -> float:
        """Return the planned duration [s]."""
        return self.fill_s + self.warm_up_s + self.measured_s


@dataclass(frozen=True, slots=True)
class NetPhase:
    """Benchmark of the network: the first ``nodes`` nodes all send to each other concurrently.

    Parameters
    ----------
    name : str
    nodes : int
    measured_s, warm_up_s, gather_s : float
        Durations of the measurement and of the warm-up before it, and maximum time that nodes wait for each other [s].
    connections : int
    processes : int or None
    compare : bool
    """

    name: str
    nodes: int
    measured_s: float
    warm_up_s: float
    gather_s: float
    connections: int
    processes: int | None
    compare: bool
    kind: Literal["net"] = "net"

    def longest_s(self) -> float:
        """Return the planned duration, including the comparison with iperf3 if there is one [s]."""
        return (2.0 if self.compare else 1.0) * (self.warm_up_s + self.measured_s) + _NET_START_S


@dataclass(frozen=True, slots=True)
class RedisPhase:
    """Benchmark of a Redis server on each node that appends every write to a file on the measured disks.

    Parameters
    ----------
    name : str
    appendfsync : Sync
    measured_s : float
        Duration of the measurement [s].
    what : {"instance-store", "ebs"}
    """

    name: str
    appendfsync: Sync
    measured_s: float
    what: Literal["instance-store", "ebs"]
    kind: Literal["redis"] = "redis"

    def longest_s(self) -> float:
        """Return the planned duration [s], including the start of Redis."""
        return self.measured_s + _REDIS_START_S


Phase = DiskPhase | NetPhase | RedisPhase


@dataclass(frozen=True, slots=True)
class Addresses:
    """Presigned URLs of one node's files.

    Parameters
    ----------
    orders_url, status_url : str or None
        URL from which the node reads its orders again, and URL to which it writes its status; None if the node is
        controlled directly.
    reports : mapping of str to str
        URL to which the node writes its report on a phase, by the name of the phase.
    """

    orders_url: str | None = None
    status_url: str | None = None
    reports: Mapping[str, str] = field(default_factory=dict)


def phases(spec: RunSpec) -> tuple[Phase, ...]:
    """Return the phases of a run, in the order of execution.

    The network is measured before the disks, so that pending writes do not disturb it. It is measured with 2, 4, 8, ...
    nodes and with all nodes; for screening, only with all nodes.

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
        plan = spec.redis
        return tuple(RedisPhase(f"redis-{sync}", sync, plan.measured_s, what) for sync in plan.syncs)
    return network


def expected(spec: RunSpec) -> frozenset[tuple[int, str]]:
    """Return the node number and the phase of every report that a complete run has."""
    if spec.benchmark == "testdfsio":
        return frozenset((0, phase) for phase in DFSIO_PHASES)
    return frozenset(
        (node, phase.name)
        for phase in phases(spec)
        for node in range(phase.nodes if isinstance(phase, NetPhase) else spec.nodes)
    )


def needed_s(spec: RunSpec) -> float:
    """Estimate the time that the nodes need for all phases once they are up [s]."""
    if spec.benchmark == "testdfsio":
        moved_mb = spec.dfsio.files_per_node * spec.dfsio.file_mb
        return _DFSIO_START_S + 2 * moved_mb / _DFSIO_LEAST_MB_PER_S
    return _INSTALL_S + sum(phase.longest_s() for phase in phases(spec))


def node_key(run_key: bytes, node: int) -> bytes:
    """Derive a node's signing key from the run's key."""
    return hmac.digest(run_key, b"node:%d" % node, hashlib.sha256)


def peers_key(run_key: bytes) -> bytes:
    """Derive the key with which the nodes of a run authenticate each other."""
    return hmac.digest(run_key, b"peers", hashlib.sha256)


def orders(run: Run, node: int, key: bytes, addresses: Addresses, *, revision: int, stop: bool) -> bytes:
    """Build one node's orders.

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
    """Build the orders of one node, which may also be a machine that Stowage has not launched.

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
            "phases": [as_told(phase) for phase in phases(spec) if _takes_part(phase, node)],
        }
    )


def roll(run: Run, orders_urls: Mapping[str, str]) -> bytes:
    """Build the roll, a file with each instance's node number and the URL of its orders.

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


def as_told(phase: Phase) -> dict[str, Any]:
    """Convert a phase to the fields that describe it in orders; without ``fill_s`` if the disks need no filling."""
    found = {field: getattr(phase, field) for field in phase.__dataclass_fields__}
    return {field: value for field, value in found.items() if field != "fill_s" or value > 0.0}


def written(document: Mapping[str, Any]) -> bytes:
    """Encode a document as JSON; raise ValueError if it has NaN or infinity."""
    return json.dumps(document, separators=(",", ":"), allow_nan=False).encode()


def _takes_part(phase: Phase, node: int) -> bool:
    return not isinstance(phase, NetPhase) or node < phase.nodes


def _network(spec: RunSpec) -> tuple[NetPhase, ...]:
    sizes = [spec.nodes] if spec.nodes > 1 else []
    if spec.benchmark == "netbench":
        powers = (1 << power for power in range(1, spec.nodes.bit_length()))
        sizes = sorted({*sizes, *(size for size in powers if size <= spec.nodes)})
    plan = spec.net
    return tuple(
        NetPhase(
            f"net-{size}",
            size,
            plan.measured_s,
            plan.warm_up_s,
            plan.gather_s,
            plan.connections,
            plan.processes,
            compare=plan.compare and place == 0,
        )
        for place, size in enumerate(sizes)
    )


def _disks(spec: RunSpec, what: Literal["instance-store", "ebs"]) -> tuple[DiskPhase, ...]:
    plan = spec.disk
    found: list[DiskPhase] = []
    filled = False
    for mode in plan.modes:
        # Disks are filled once, before the first phase that would read unwritten data.
        fill_s = 0.0 if filled or mode == "write" else plan.warm_up_s + plan.measured_s
        filled = filled or mode != "write"
        found.append(DiskPhase(f"disk-{mode}", mode, plan.measured_s, plan.warm_up_s, fill_s, plan.block_bytes, what))
    return tuple(found)
