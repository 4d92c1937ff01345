"""NetBench between processes of this machine, each with an address of its own, started as `ssh` would start them."""

import json
import os
import signal
import socket
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from tempfile import TemporaryDirectory
from typing import Any

import pytest

from agent_nodes import RUN, address, net_phase, orders
from stowage_worker.agent.bundle import bundle, starter
from stowage_worker.agent.net_control import CONTROL_PORT, FIRST_DATA_PORT, StrangerError, enter, welcome

AGENT = bundle()


class Node:
    """One node and the events that it reports."""

    def __init__(self, said: dict[str, Any]) -> None:
        command = starter(["net-node", "--orders", "-"], AGENT, sys.executable)
        # Remove the files that a killed node leaves there.
        self.folder = TemporaryDirectory()
        self.process = subprocess.Popen(
            ["/bin/sh", "-c", "exec " + command],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            start_new_session=True,
            env={**os.environ, "TMPDIR": self.folder.name},
        )
        assert self.process.stdin is not None
        self.process.stdin.write(AGENT + json.dumps(said).encode() + b"\n")
        self.process.stdin.flush()

    def until(self, is_so: Callable[[dict[str, Any]], bool]) -> dict[str, Any]:
        assert self.process.stdout is not None
        for line in self.process.stdout:
            event = json.loads(line)
            assert isinstance(event, dict)
            if is_so(event):
                return event
        raise AssertionError("it ended before")

    def report(self) -> dict[str, Any]:
        found = self.until(lambda event: event["event"] == "report")["report"]
        assert isinstance(found, dict)
        return found

    def kill(self) -> None:
        """Kill the node and every process that it started, like a machine that is switched off."""
        os.killpg(self.process.pid, signal.SIGKILL)
        self.process.wait()

    def close(self) -> None:
        assert self.process.stdin is not None
        assert self.process.stdout is not None
        self.process.stdin.close()
        self.process.stdout.close()
        if self.process.poll() is None:
            self.kill()
        self.folder.cleanup()


@contextmanager
def nodes(*said: dict[str, Any]) -> Iterator[list[Node]]:
    with ExitStack() as stack:
        found = []
        for each in said:
            found.append(Node(each))
            stack.callback(found[-1].close)
        yield found


def moves(event: dict[str, Any]) -> bool:
    return event["event"] == "progress" and bool(event["live"].get("received_mb_per_s"))


def test_every_node_says_what_it_received_at_every_size() -> None:
    phases = [net_phase(2), net_phase(3)]
    with nodes(*(orders(node, 3, phases[node == 2 :]) for node in range(3))) as all_nodes:
        reports = [[node.report() for _ in range(1 if place == 2 else 2)] for place, node in enumerate(all_nodes)]
        assert [node.process.wait() for node in all_nodes] == [0, 0, 0]
    for node, of_node in enumerate(reports):
        for report in of_node:
            assert (report["run"], report["node"], report["status"], report["failure"]) == (RUN, node, "ok", None)
            document = report["document"]
            assert document["received_mb_per_s"] > 0
            assert document["sent_mb_per_s"] > 0
            assert document["duration_s"] >= 0.5
            assert document["missing"] == []
            assert len(document["intervals"]["received_mb_per_s"]) >= 1
    assert reports[2][0]["document"]["members"] == [0, 1, 2]


@pytest.mark.soak("tools")
def test_what_is_sent_arrives() -> None:
    """Compare two nodes over loopback: nothing is lost, so bytes received equal bytes sent, except for data in
    socket buffers at the edges of the window (at most a few MB)."""
    phases = [net_phase(2, measured_s=1, connections=4, processes=3)]
    with nodes(*(orders(node, 2, phases) for node in range(2))) as both:
        here, there = (node.report()["document"] for node in both)
    for one, other in ((here, there), (there, here)):
        assert (one["connections"], one["processes"]) == (4, 3)
        sent, received = one["sent_mb_per_s"] * one["duration_s"], other["received_mb_per_s"] * other["duration_s"]
        assert received == pytest.approx(sent, rel=0.2, abs=30)


@pytest.mark.parametrize("killed", [0, pytest.param(2, marks=pytest.mark.soak("tools"))])
def test_a_node_that_dies_leaves_partial_results_of_the_others(killed: int) -> None:
    phases = [net_phase(3, measured_s=600)]
    with nodes(*(orders(node, 3, phases) for node in range(3))) as all_nodes:
        for node in all_nodes:
            node.until(lambda event: moves(event) and event["progress"] > 0.002)
        all_nodes[killed].kill()
        for place, node in enumerate(all_nodes):
            if place == killed:
                continue
            report = node.report()
            assert report["status"] == "partial", report
            assert report["failure"]
            assert report["document"]["received_mb_per_s"] > 0
            assert report["document"]["missing"] == [killed]
            assert node.process.wait() == 1


@pytest.mark.soak("tools")
def test_a_node_that_hangs_is_lost() -> None:
    """The node is stopped, not dead: its connections stay open, and no data arrives."""
    phases = [net_phase(3, measured_s=600)]
    with nodes(*(orders(node, 3, phases) for node in range(3))) as all_nodes:
        for node in all_nodes:
            node.until(lambda event: moves(event) and event["progress"] > 0.002)
        os.killpg(all_nodes[1].process.pid, signal.SIGSTOP)
        for node in (all_nodes[0], all_nodes[2]):
            report = node.report()
            assert report["status"] == "partial"
            assert report["document"]["missing"] == [1]


@pytest.mark.soak("tools")
def test_a_node_that_never_comes_is_missed_and_hardly_waited_for_again() -> None:
    phases = [net_phase(3, gather_s=3), net_phase(3, gather_s=600)]
    phases[1]["name"] = "net-again"
    with nodes(*(orders(node, 3, phases) for node in range(2))) as both:
        for node in both:
            for _ in phases:
                report = node.report()
                assert (report["status"], report["document"]["missing"]) == ("partial", [2])
                assert report["failure"] == "2 of 3 nodes took part; missing: 2"


def test_a_node_that_is_alone_says_so() -> None:
    with nodes(orders(0, 2, [net_phase(2, gather_s=0.5)]), orders(1, 2, [net_phase(2, gather_s=0.5)])) as both:
        both[1].kill()
        report = both[0].report()
    assert (report["status"], report["document"]) == ("failed", {})


def test_a_node_without_its_leader_says_so() -> None:
    with nodes(orders(1, 2, [net_phase(2, gather_s=0.5)])) as [node]:
        assert node.report()["failure"].startswith("node 0 did not answer for")


def test_a_node_ends_when_its_parent_process_is_gone() -> None:
    with nodes(orders(0, 2, [net_phase(2, gather_s=600)])) as [node]:
        node.until(lambda event: event["event"] == "progress")
        assert node.process.stdin is not None
        node.process.stdin.close()
        assert node.report()["status"] == "failed"


def test_strangers_are_turned_away() -> None:
    """Another run's key, no key and noise are all dropped, and the other nodes complete their measurement."""
    phases = [net_phase(2, gather_s=600)]
    with nodes(orders(0, 2, phases)) as [first]:
        first.until(lambda event: event["event"] == "progress" and "1 of 2" in event["words"])
        for port in (CONTROL_PORT, FIRST_DATA_PORT):
            with socket.create_connection((address(0), port), 10) as sock, pytest.raises((StrangerError, OSError)):
                enter(sock, b"another run's key", f"{RUN}/net-2", {"node": 1, "processes": 1})
            with socket.create_connection((address(0), port), 10) as sock:
                sock.sendall(os.urandom(300))
                with pytest.raises((StrangerError, OSError)):
                    drained(sock)
        with nodes({**orders(1, 2, phases), "peers_key": "cd" * 32}) as [imposter]:
            # It reports that it waits each time that it is rejected.
            imposter.until(lambda event: event["event"] == "progress")
        with nodes(orders(1, 2, phases)) as [second]:
            for node in (first, second):
                assert node.report()["status"] == "ok"


def drained(sock: socket.socket) -> None:
    sock.settimeout(10)
    while sock.recv(1 << 16):
        pass
    raise ConnectionResetError


def test_a_greeting_cannot_be_played_back() -> None:
    key = b"k" * 32
    ours, theirs = socket.socketpair()
    with ours, theirs:
        theirs.sendall(b"")
        frames = json.dumps({"nonce": "00" * 16, "who": "{}", "mac": "00" * 32}).encode()
        theirs.sendall(len(frames).to_bytes(4, "big") + frames)
        with pytest.raises(StrangerError, match="key"):
            welcome(ours, key, "run/net-2")


@pytest.mark.soak("tools")
def test_iperf3_measures_the_same_two_nodes() -> None:
    phases = [net_phase(2, compare=True)]
    with nodes(*(orders(node, 2, phases) for node in range(2))) as both:
        for node in both:
            document = node.report()["document"]
            assert document["notes"] == []
            assert document["iperf3_mb_per_s"] > 0
