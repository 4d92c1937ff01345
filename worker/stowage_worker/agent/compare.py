"""Comparison of NetBench with iperf3, a standard tool.

Directly after NetBench, iperf3 measures between two nodes in both directions at once.
"""

from __future__ import annotations

import json
import subprocess
import time
from dataclasses import dataclass
from typing import Any

from stowage_worker.agent.events import Say, log
from stowage_worker.agent.net_control import COMPARE_PORT, Frames
from stowage_worker.agent.orders import NetPhase
from stowage_worker.agent.programs import found, output, start

_SPARE_S = 20.0


@dataclass(frozen=True)
class Compared:
    """Results of iperf3 for a node."""

    received_mb_per_s: float | None
    note: str | None
    """Reason that there is no result."""


def serve(frames: Frames, address: str, phase: NetPhase, say: Say) -> Compared:
    """Run the iperf3 server of one test, and return this node's result.

    The node that runs the client sends the result.

    Raises
    ------
    OSError, StrangerError
        The connection to the other node is lost.
    """
    program = found("iperf3")
    server = None
    try:
        if program is not None:
            # -1: exit after one test, so that no server keeps listening.
            server = start([program, "-s", "-1", "-B", address, "-p", str(COMPARE_PORT)])
            log(say, "iperf3 measures the same two nodes")
        frames.send({"is": "serving", "figures": {"here": program is not None}})
        figures = _wait(frames, "compared", phase.warm_up_s + phase.measured_s + _SPARE_S)
        return _compared(figures, "1")
    finally:
        if server is not None:
            server.kill()
            server.wait()


def compare(frames: Frames, address: str, phase: NetPhase, say: Say) -> Compared:
    """Run the iperf3 client of one test, and return this node's result.

    The results of both nodes are also sent to the other node.

    Raises
    ------
    OSError, StrangerError
        The connection to the other node is lost.
    """
    offer = _wait(frames, "serving", _SPARE_S)
    program = found("iperf3")
    figures: dict[str, Any] = {"note": "iperf3 is not installed on both nodes"}
    if program is not None and offer.get("here") is True:
        log(say, "iperf3 measures the same two nodes")
        figures = _client(program, address, phase)
    frames.send({"is": "compared", "figures": figures})
    return _compared(figures, "0")


def _client(program: str, address: str, phase: NetPhase) -> dict[str, Any]:
    command = [program, "-c", address, "-p", str(COMPARE_PORT), "--bidir", "-J"]
    command += [
        "-t",
        str(max(1, round(phase.measured_s))),
        "-O",
        str(round(phase.warm_up_s)),
        "-P",
        str(phase.connections),
    ]
    wrong = "it did not start"
    for _ in range(5):  # the server may need a moment to listen
        try:
            _, told = output(command, phase.warm_up_s + phase.measured_s + _SPARE_S / 2)
            end = json.loads(told)["end"]
            # From client to server, and from server to client.
            there, back = end["sum_received"], end["sum_received_bidir_reverse"]
            return {"0": float(back["bits_per_second"]) / 8e6, "1": float(there["bits_per_second"]) / 8e6}
        except (KeyError, TypeError, ValueError, AttributeError):
            wrong = "it told nothing of both directions"
        except subprocess.TimeoutExpired:
            return {"note": "iperf3 did not end in time"}
        time.sleep(0.3)
    return {"note": f"iperf3 did not measure: {wrong}"}


def _wait(frames: Frames, told: str, timeout_s: float) -> dict[str, Any]:
    until = time.monotonic() + timeout_s
    while True:
        said = frames.receive(max(0.01, until - time.monotonic()))
        if said.get("do") == told:
            figures = said.get("figures")
            return figures if isinstance(figures, dict) else {}


def _compared(figures: dict[str, Any], node: str) -> Compared:
    rate, note = figures.get(node), figures.get("note")
    if isinstance(rate, (int, float)) and not isinstance(rate, bool) and 0 <= rate < 1e9:
        return Compared(round(float(rate), 6), None)
    return Compared(None, str(note)[:200] if note else "iperf3 did not measure")
