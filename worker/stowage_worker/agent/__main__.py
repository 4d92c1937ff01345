"""The agent's commands: ``node`` for a node of a run; ``disk`` and ``net-node`` for users; ``phase`` for one phase."""

from __future__ import annotations

import argparse
import os
import select
import shutil
import sys
from pathlib import Path

from stowage_worker.agent import phase
from stowage_worker.agent.events import sayer
from stowage_worker.agent.node import Node
from stowage_worker.agent.orders import MOST_BYTES, BadOrdersError, NetPhase, read_orders
from stowage_worker.agent.own_disks import measure_disks


def main(arguments: list[str] | None = None) -> int:
    """Run a command and return its exit status: 0 success, 1 failed or partial measurement, 2 invalid request."""
    parser = argparse.ArgumentParser(prog="agent", description=__doc__)
    commands = parser.add_subparsers(dest="command", required=True)
    node = commands.add_parser("node", help="be a node of a run")
    node.add_argument("--roll", required=True, help="address of the list of all nodes")
    node.add_argument("--ends-at", type=float, help="Unix time at which the machine shuts down in any case")
    disk = commands.add_parser("disk", help="measure the disks of this machine")
    disk.add_argument("--path", action="append", default=[], help="folder, file or device; all free disks without it")
    disk.add_argument("--mode", action="append", choices=("read-write", "read", "write"), default=[])
    disk.add_argument("--measured", type=float, default=60.0, help="seconds of each mode")
    disk.add_argument("--warm-up", type=float, default=10.0, help="seconds before, left out")
    disk.add_argument("--block", type=int, default=1 << 20, help="bytes of one read or write")
    disk.add_argument("--size", type=int, help="bytes of the file in a folder; twice the memory if there is room")
    disk.add_argument("--destroy", action="store_true", help="overwrite devices that hold something")
    net = commands.add_parser("net-node", help="be a node of a NetBench that is led by hand")
    net.add_argument("--orders", required=True, help="file of orders, - for one line of standard input")
    commands.add_parser("phase", help="run one phase of a node; used by the agent itself")
    asked = parser.parse_args(arguments)
    try:
        if asked.command == "node":
            Node(asked.roll, asked.ends_at, own_command()).run()
            return 0
        if asked.command == "disk":
            return measure_disks(asked)
        if asked.command == "net-node":
            return _net_node(asked.orders)
        return phase.main(sys.stdin.buffer.read())
    finally:
        if "STOWAGE_AGENT_FOLDER" in os.environ and asked.command != "phase":
            shutil.rmtree(os.environ["STOWAGE_AGENT_FOLDER"], ignore_errors=True)


def own_command() -> list[str]:
    """Return the command that runs this agent."""
    if sys.argv[0].endswith(".pyz"):
        return [sys.executable, os.path.realpath(sys.argv[0])]
    return [sys.executable, "-m", "stowage_worker.agent"]


def _net_node(place: str) -> int:
    try:
        orders = read_orders(_one_line() if place == "-" else _content(place))
    except (BadOrdersError, OSError) as wrong:
        sys.stderr.write(f"{wrong}\n")
        return 2
    is_asked = phase.stopping_on_sigterm()
    tether = _Tether() if place == "-" else None
    statuses, left = [], phase.Known()
    write = sayer(sys.stdout)

    def say(event: dict[str, object]) -> None:
        told = event.get("report")
        if isinstance(told, dict):
            statuses.append(told["status"])
        write(event)

    for each in orders.phases:
        if isinstance(each, NetPhase) and phase.takes_part(orders, each):
            left = phase.run(orders, each, left, say, lambda: is_asked() or (tether is not None and tether()))
    return 0 if statuses and set(statuses) == {"ok"} else 1


def _content(place: str) -> bytes:
    with Path(place).open("rb") as file:
        return file.read(MOST_BYTES + 1)


def _one_line() -> bytes:
    """Read one line of standard input byte by byte, without consuming later input."""
    line = b""
    while len(line) <= MOST_BYTES:
        one = os.read(0, 1)
        if not one or one == b"\n":
            break
        line += one
    return line


class _Tether:
    """Link to the parent process: standard input, which the parent holds open while it runs."""

    def __call__(self) -> bool:
        """Return whether the parent process has ended."""
        try:
            return bool(select.select([0], [], [], 0)[0]) and not os.read(0, 4096)
        except OSError:
            return True


if __name__ == "__main__":
    raise SystemExit(main())
