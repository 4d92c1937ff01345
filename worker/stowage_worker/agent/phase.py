"""Execution of a phase in a separate process, so that a hang or crash does not affect the rest of the node."""

from __future__ import annotations

import json
import signal
import sys
from dataclasses import dataclass
from typing import Any, Callable

from stowage_worker.agent.disk import DiskBench
from stowage_worker.agent.disks import Disk, NoDiskError, find, remove
from stowage_worker.agent.events import Say, sayer
from stowage_worker.agent.measured import Measured
from stowage_worker.agent.net import NetBench
from stowage_worker.agent.orders import DiskPhase, NetPhase, Orders, Phase, RedisPhase, read_orders
from stowage_worker.agent.programs import install
from stowage_worker.agent.redis import Redis


@dataclass(frozen=True)
class Known:
    """State that phases of a node leave for later phases."""

    lost: frozenset[int] = frozenset()
    """Nodes that were missing or lost in a phase."""
    filled: dict[str, int] | None = None
    """Filled size of each disk, from its start [bytes]."""

    def as_json(self) -> dict[str, Any]:
        """Return the state in the form that `known` parses."""
        return {"lost": sorted(self.lost), "filled": self.filled or {}}


def known(said: object) -> Known:
    """Parse the state that a phase of this agent left; return an empty state if the content is invalid."""
    if not isinstance(said, dict):
        return Known()
    lost, filled = said.get("lost"), said.get("filled")
    return Known(
        frozenset(node for node in lost if isinstance(node, int)) if isinstance(lost, list) else frozenset(),
        {str(disk): int(size) for disk, size in filled.items()} if isinstance(filled, dict) else {},
    )


def report(orders: Orders, phase: Phase, status: str, failure: str | None, document: dict[str, Any]) -> dict[str, Any]:
    """Return the report of a node about a phase."""
    return {
        "stowage": "report",
        "version": 1,
        "run": orders.run,
        "node": orders.node,
        "phase": phase.name,
        "status": status,
        "failure": failure[:500] if failure else None,
        "document": document,
    }


def takes_part(orders: Orders, phase: Phase) -> bool:
    """Return whether a node takes part in a phase; network phases may use only the first nodes of the run."""
    return not isinstance(phase, NetPhase) or orders.node < phase.nodes


def run(orders: Orders, phase: Phase, left: Known, say: Say, is_stopping: Callable[[], bool]) -> Known:
    """Run a phase and emit its report.

    Parameters
    ----------
    orders : Orders
    phase : Phase
    left : Known
    say : callable
    is_stopping : callable
        Returns whether to stop now and report the results so far.

    Returns
    -------
    Known
        State for later phases.
    """
    if isinstance(phase, NetPhase):
        if phase.compare and orders.node < 2:
            install("iperf3", say)
        bench = NetBench(orders, phase, say, is_stopping, left.lost)
        found = bench.run()
        left = Known(left.lost | set(found.missing), left.filled)
        said = report(orders, phase, found.status, found.failure, found.document)
    elif isinstance(phase, DiskPhase):
        filled = dict(left.filled or {})
        said = _on_disks(orders, phase, say, lambda disks: DiskBench(disks, phase, say, is_stopping, filled).run())
        left = Known(left.lost, filled)
    else:
        said = _on_disks(orders, phase, say, lambda disks: Redis(disks, phase, say, is_stopping).run())
    say({"event": "known", "known": left.as_json()})
    say({"event": "report", "report": said})
    return left


def main(content: bytes) -> int:
    """Run a phase in a child process; write events to standard output for the parent process.

    Parameters
    ----------
    content : bytes
        JSON object with ``orders`` (text), ``phase`` (name) and ``known`` (`Known` of earlier phases).

    Returns
    -------
    int
        The exit status.
    """
    handed = json.loads(content)
    orders = read_orders(handed["orders"].encode())
    phase = next(each for each in orders.phases if each.name == handed["phase"])
    run(orders, phase, known(handed.get("known")), sayer(sys.stdout), stopping_on_sigterm())
    return 0


def stopping_on_sigterm() -> Callable[[], bool]:
    """Catch SIGTERM, SIGINT and SIGHUP from now on.

    Returns
    -------
    callable
        Returns whether one of these signals has arrived.
    """
    asked: list[int] = []
    for number in (signal.SIGTERM, signal.SIGINT, signal.SIGHUP):
        signal.signal(number, lambda which, _: asked.append(which))
    return lambda: bool(asked)


def _on_disks(
    orders: Orders, phase: DiskPhase | RedisPhase, say: Say, measure: Callable[[list[Disk]], Measured]
) -> dict[str, Any]:
    try:
        # The machine was launched only for this run, so its disks hold no other data.
        disks = find(phase.what, say, destroy=True)
    except NoDiskError as none:
        return report(orders, phase, "failed", str(none), {})
    try:
        measured = measure(disks)
    finally:
        remove(disks)
    return report(orders, phase, measured.status, measured.failure, measured.document)
