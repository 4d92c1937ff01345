"""NetBench: all nodes send to all others at once, and each reports what it received (SoCC 2015 paper, section 4.3).

Every node measures for the same time, after a warm-up with full traffic; all keep sending until the last node is done.
"""

from __future__ import annotations

import contextlib
import os
import select
import time
from collections.abc import Iterator
from dataclasses import dataclass, field
from datetime import datetime, timezone
from typing import Any, Callable

from stowage_worker.agent.compare import Compared, compare, serve
from stowage_worker.agent.events import Say, log, progress
from stowage_worker.agent.machine import host
from stowage_worker.agent.measured import Measured
from stowage_worker.agent.net_control import CONTROL_PORT, MOST_PROCESSES, Frames, StrangerError, dial, enter
from stowage_worker.agent.net_flow import Flow, Share
from stowage_worker.agent.net_lead import CONNECT_S, SILENT_S, TICK_S, Lead, LeadProcess
from stowage_worker.agent.orders import NetPhase, Orders

INTERVAL_S = 1.0
_LEAST_S = 1.0
_SPARE_S = 15.0
_TOLD_WITHIN_S = 1.0
"""Time for the leader to name the lost node after a connection broke [s]."""


class _EndedError(Exception):
    """The phase ended early."""


@dataclass
class _Window:
    """Traffic counters, read at the start of the measurement and every second from then on."""

    shares: list[Share] = field(default_factory=list)
    started_at: datetime | None = None
    is_whole: bool = False

    @property
    def length_s(self) -> float:
        return self.shares[-1].at - self.shares[0].at if len(self.shares) > 1 else 0.0


class NetBench:
    """Network benchmark of one node in one phase.

    Parameters
    ----------
    orders : Orders
    phase : NetPhase
    lost : frozenset of int
        Nodes that were missing in an earlier phase.
    say : callable
    is_stopping : callable
        Returns whether to stop now and report the results so far.
    """

    def __init__(
        self,
        orders: Orders,
        phase: NetPhase,
        say: Say,
        is_stopping: Callable[[], bool],
        lost: frozenset[int] = frozenset(),
    ) -> None:
        self._orders, self._phase, self._say, self._is_stopping = orders, phase, say, is_stopping
        self._lost = lost
        self._purpose = f"{orders.run}/{phase.name}"
        self._window = _Window()
        self._members: dict[int, tuple[str, int]] = {}
        self._gone: int | None = None
        self._broken_at: float | None = None

    def run(self) -> Measured:
        """Run the benchmark and return its results, also after a failure."""
        orders, phase = self._orders, self._phase
        addresses = {node: address for node, address in orders.peers.items() if node < phase.nodes}
        if not orders.peers_key:
            return self._nothing("the orders have no key that the nodes share")
        if orders.node not in addresses or 0 not in addresses:
            return self._nothing("the orders do not say where this node and node 0 are")
        processes = phase.processes or min(
            os.cpu_count() or 1, 2 * (phase.nodes - 1) * phase.connections, MOST_PROCESSES
        )
        flow = lead = None
        try:
            flow = Flow(orders.node, addresses[orders.node], processes, orders.peers_key, self._purpose)
            if orders.node == 0:
                lead = LeadProcess(self._lead(addresses), addresses[0])
            return self._take_part(flow, addresses[0])
        except OSError as wrong:
            return self._nothing(f"the ports of NetBench cannot be had: {wrong.strerror or type(wrong).__name__}")
        finally:
            if flow is not None:
                flow.close()
            if lead is not None:
                lead.close()

    def _lead(self, addresses: dict[int, str]) -> Lead:
        phase = self._phase
        return Lead(
            self._orders.peers_key,
            self._purpose,
            addresses,
            self._lost | (set(range(phase.nodes)) - set(addresses)),
            phase.gather_s,
            phase.warm_up_s + phase.measured_s + _SPARE_S,
            phase.compare,
        )

    def _take_part(self, flow: Flow, leader: str) -> Measured:
        failure, retransmits, compared = None, 0, Compared(None, None)
        frames = None
        try:
            frames = self._enter(leader, flow.processes)
            self._gather(frames, flow)
            self._measure(frames, flow)
            retransmits = flow.finish()
            compared = self._compare(frames)
        except _EndedError as ended:
            failure = str(ended)
            retransmits = flow.finish(timeout_s=1.0)
        finally:
            if frames is not None:
                frames.close()
        if flow.strangers:
            log(self._say, f"{flow.strangers} connections that were not of this run were turned away")
        return self._measured(failure, flow.processes, retransmits, compared)

    def _enter(self, leader: str, processes: int) -> Frames:
        """Connect to node 0.

        Retries while node 0 is busy with a smaller cluster. Fails if node 0 stays unreachable.
        """
        silent_since = time.monotonic()
        about = {"node": self._orders.node, "processes": processes}
        while True:
            sock = None
            try:
                sock = dial(leader, CONTROL_PORT, 2.0)
                silent_since = time.monotonic()
                return enter(sock, self._orders.peers_key, self._purpose, about)
            except (OSError, StrangerError) as wrong:
                pause_s = 0.25 if sock is None else 1.0
                if sock is not None:
                    sock.close()
                if self._is_stopping():
                    raise _EndedError("it was stopped before it began") from None
                if time.monotonic() - silent_since > self._phase.gather_s:
                    self._gone = 0
                    words = f"node 0 did not answer for {self._phase.gather_s:.0f} s ({type(wrong).__name__})"
                    raise _EndedError(words) from None
            progress(self._say, 0.0, "waiting for node 0")
            time.sleep(pause_s)

    def _gather(self, frames: Frames, flow: Flow) -> None:
        """Wait for the other nodes, connect to them, and wait for the start."""
        connections, is_ready = None, False
        patience_s = self._phase.gather_s + CONNECT_S + _SPARE_S
        for said in self._heard(frames, patience_s, "the others did not come"):
            if said is None:
                if connections is not None and not is_ready and flow.is_connected(connections):
                    is_ready = True
                    self._tell(frames, {"is": "ready"})
                continue
            if said.get("do") == "tick":
                progress(self._say, 0.0, f"{said.get('here')} of {self._phase.nodes} nodes are there")
            elif said.get("do") == "alone":
                raise _EndedError("no other node came")
            elif said.get("do") == "connect":
                self._members = {int(node): (str(at[0]), int(at[1])) for node, at in said["members"].items()}
                connections = (len(self._members) - 1) * self._phase.connections
                flow.connect(self._members, self._orders.node, self._phase.connections)
            elif said.get("do") == "go":
                flow.go()
                return

    def _measure(self, frames: Frames, flow: Flow) -> None:
        """Read the traffic counters while all nodes send, until the last node is done."""
        phase, window = self._phase, self._window
        began = time.monotonic()
        begins, ends = began + phase.warm_up_s, began + phase.warm_up_s + phase.measured_s
        next_read, ticked, before = begins, began, flow.share()
        for said in self._heard(frames, phase.warm_up_s + phase.measured_s + 2 * _SPARE_S, "it took too long", begins):
            now = time.monotonic()
            if said is not None and said.get("do") == "finish" and window.is_whole:
                return
            if not window.is_whole and self._is_broken(frames, flow):
                continue
            if now >= next_read and not window.is_whole:
                window.shares.append(flow.share())
                if window.started_at is None:
                    window.started_at = datetime.now(timezone.utc)
                    # From the actual start, which may be late on a busy machine.
                    ends = window.shares[0].at + phase.measured_s
                # The last interval may be longer but not much shorter: a rate over a short interval is noise.
                next_read = min(max(next_read, window.shares[0].at) + INTERVAL_S, ends)
                if ends - next_read < INTERVAL_S / 2:
                    next_read = ends
                if now >= ends:
                    window.is_whole = True
                    self._tell(frames, {"is": "measured"})
            if now - ticked >= TICK_S:
                share = flow.share()
                live = _rates(before, share)
                before, ticked = share, now
                if not window.is_whole:
                    self._tell(frames, {"is": "tick"})
                done = (now - began) / (ends - began)
                progress(self._say, done, f"{len(self._members)} nodes send to each other", live)

    def _is_broken(self, frames: Frames, flow: Flow) -> bool:
        """Return whether a connection to another node broke.

        The peer may have closed the connection only because a third node died. The leader then names the third node or
        ends the phase. If the leader does neither in time, the peer counts as lost, and an error ends the phase.
        """
        broken = flow.broken
        if broken is None:
            return False
        now = time.monotonic()
        if self._broken_at is None:
            self._broken_at = now
            self._tell(frames, {"is": "broken", "node": broken})
        elif now - self._broken_at > _TOLD_WITHIN_S:
            self._gone = broken
            raise _EndedError(f"the connection to node {broken} broke")
        return True

    def _heard(
        self, frames: Frames, patience_s: float, words: str, soon: float | None = None
    ) -> Iterator[dict[str, Any] | None]:
        """Yield the leader's messages as they arrive.

        Also yields None after each short wait, so that the caller can do other work. Raises an error if the leader is
        lost or ends the phase, if this node must stop, or if the time is over.
        """
        until = time.monotonic() + patience_s
        heard = told = time.monotonic()
        while True:
            wait_s = 0.05 if soon is None else 0.02
            ready = select.select([frames], [], [], wait_s)[0]
            now = time.monotonic()
            if ready:
                try:
                    said = frames.waiting()
                except (OSError, StrangerError):
                    self._gone = 0
                    raise _EndedError("node 0 went away") from None
                heard = now
                for one in said:
                    if one.get("do") == "lost":
                        self._gone = one.get("node") if isinstance(one.get("node"), int) else None
                        raise _EndedError(str(one.get("words"))[:200])
                    yield one
            if now - told > TICK_S and soon is None:
                self._tell(frames, {"is": "tick"})
                told = now
            if self._is_stopping():
                raise _EndedError("it was stopped")
            if now - heard > SILENT_S:
                self._gone = 0
                raise _EndedError(f"node 0 was silent for {SILENT_S:g} s")
            if now > until:
                raise _EndedError(words)
            yield None

    def _compare(self, frames: Frames) -> Compared:
        """Run iperf3 between nodes 0 and 1."""
        phase, node = self._phase, self._orders.node
        if not phase.compare or node > 1 or not {0, 1} <= set(self._members):
            return Compared(None, None)
        address = self._members[node][0]
        try:
            if node == 1:
                return serve(frames, address, phase, self._say)
            return compare(frames, self._members[1][0], phase, self._say)
        except (OSError, StrangerError) as wrong:
            return Compared(None, f"iperf3 did not measure: the other node went away ({type(wrong).__name__})")

    @staticmethod
    def _tell(frames: Frames, said: dict[str, Any]) -> None:
        # A lost leader is noticed at the next read.
        with contextlib.suppress(OSError):
            frames.send(said, timeout_s=1.0)

    def _nothing(self, failure: str) -> Measured:
        return Measured("failed", failure, {}, self._missing())

    def _missing(self) -> tuple[int, ...]:
        here = set(self._members) or set(range(self._phase.nodes))
        gone = set() if self._gone is None else {self._gone}
        return tuple(sorted((set(range(self._phase.nodes)) - here) | gone))

    def _measured(self, failure: str | None, processes: int, retransmits: int, compared: Compared) -> Measured:
        window, phase = self._window, self._phase
        if window.length_s < min(_LEAST_S, phase.measured_s * 0.9):
            return self._nothing(failure or "nothing was measured")
        missing = self._missing()
        if failure is None and missing:
            listed = ", ".join(map(str, missing))
            failure = f"{phase.nodes - len(missing)} of {phase.nodes} nodes took part; missing: {listed}"
        elif failure is not None:
            failure = f"{failure}, after {window.length_s:.0f} of {phase.measured_s:g} s"
        rates = _rates(window.shares[0], window.shares[-1])
        steps = [_rates(one, other) for one, other in zip(window.shares, window.shares[1:])]
        document = {
            **rates,
            "started_at": window.started_at.isoformat() if window.started_at else None,
            "duration_s": window.length_s,
            "connections": phase.connections,
            "processes": processes,
            "retransmits": retransmits,
            "iperf3_mb_per_s": compared.received_mb_per_s,
            "members": sorted(self._members),
            "missing": list(missing),
            "host": host(),
            "intervals": {
                "length_s": INTERVAL_S,
                "received_mb_per_s": [step["received_mb_per_s"] for step in steps],
                "sent_mb_per_s": [step["sent_mb_per_s"] for step in steps],
            },
            "notes": [compared.note] if compared.note else [],
        }
        return Measured("ok" if failure is None else "partial", failure, document, missing)


def _rates(one: Share, other: Share) -> dict[str, float]:
    length_s = max(1e-9, other.at - one.at)
    return {
        "received_mb_per_s": round((other.received - one.received) / length_s / 1e6, 6),
        "sent_mb_per_s": round((other.sent - one.sent) / length_s / 1e6, 6),
    }
