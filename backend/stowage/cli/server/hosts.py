"""Agent processes on this machine and on other hosts: start, output, and termination."""

import json
import queue
import secrets
import shlex
import socket
import subprocess
import sys
import threading
import uuid
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from typing import Any

import click

from stowage.frozen import frozen
from stowage.runs.orders import Addresses, orders_of
from stowage.runs.report import Report
from stowage.runs.spec import MOST_NODES, RunSpec
from stowage_worker.agent.bundle import bundle, starter

_ENDS_IN_S = 10.0
_LAST_WORDS = 20
_LONGEST_LINE = 1 << 21

Take = Callable[[int, dict[str, Any]], None]


@frozen
class Host:
    """A machine that is reached by a command such as ssh."""

    name: str
    """Name by which the command reaches the machine."""
    address: str
    """IP address in the measured network."""


class UnknownHost(ValueError):
    """A list of hosts is invalid; the message is for users."""


def hosts_of(text: str) -> list[Host]:
    """Parse a list of host names, with or without IP addresses: ``a,b`` or ``a=10.0.0.4,b=10.0.0.5``.

    Raises
    ------
    UnknownHost
    """
    found = []
    for part in text.split(","):
        name, _, address = part.strip().partition("=")
        if not name or name.startswith("-"):
            raise UnknownHost(f"{part[:80]!r} is no host")
        # ssh accepts a user before the host name; DNS does not.
        looked_up = address or name.rpartition("@")[2]
        try:
            found.append(Host(name, str(socket.getaddrinfo(looked_up, None, type=socket.SOCK_STREAM)[0][4][0])))
        except OSError:
            raise UnknownHost(f"no address of {looked_up[:80]!r} is known; say NAME=ADDRESS") from None
    if not 2 <= len(found) <= MOST_NODES:
        raise UnknownHost(f"{len(found)} hosts are not from 2 to {MOST_NODES}")
    if len({host.address for host in found}) < len(found):
        raise UnknownHost("two of them have the same address")
    return found


def here(arguments: Sequence[str]) -> tuple[int, list[dict[str, Any]]]:
    """Run the agent on this machine, with its progress on standard error.

    Returns
    -------
    int
        Exit status: 0 success, 1 failed or partial measurement, 2 invalid request.
    list of dict
        Documents that the agent printed.
    """
    command = [sys.executable, "-m", "stowage_worker.agent", *arguments]
    with _all_ended() as started:
        child = subprocess.Popen(  # noqa: S603 - our own program
            command, stdout=subprocess.PIPE, stdin=subprocess.DEVNULL
        )
        started.append(child)
        documents = [json.loads(line) for line in child.stdout or ()]
        return child.wait(), documents


def measure_network(hosts: Sequence[Host], ssh: str, spec: RunSpec) -> tuple[int, list[Report]]:
    """Run NetBench on hosts.

    Returns
    -------
    int
        0 if every host reported success; 1 otherwise.
    list of Report
    """
    key, run_id = secrets.token_bytes(32), uuid.uuid4()
    addresses = [host.address for host in hosts]
    reports: list[Report] = []

    def take(node: int, event: dict[str, Any]) -> None:
        said = event.get("report")
        if isinstance(said, dict):
            reports.append(_report(node, said))
        elif node == 0 and event.get("event") == "progress":
            click.echo(f"{event['progress']:4.0%} {event['words']}", err=True)
        elif event.get("event") == "log":
            click.echo(f"{hosts[node].name}: {event['words']}", err=True)

    lines = [orders_of(run_id, spec, addresses, node, key, Addresses()) + b"\n" for node in range(len(hosts))]
    status = _together(hosts, ssh, ["net-node", "--orders", "-"], take, lines)
    return status, reports


def measure_disks(hosts: Sequence[Host], ssh: str, arguments: Sequence[str]) -> tuple[int, list[Report]]:
    """Run DiskBench on all hosts at once.

    The results are a status and the reports, as those of `measure_network`.
    """
    reports: list[Report] = []

    def take(node: int, document: dict[str, Any]) -> None:
        settings = document.get("settings")
        mode = settings.get("mode") if isinstance(settings, dict) else None
        said = {"phase": f"disk-{mode}", "document": document, **document}
        reports.append(_report(node, said))

    status = _together(hosts, ssh, list(arguments), take, [b""] * len(hosts))
    return status, reports


def _report(node: int, said: Mapping[str, Any]) -> Report:
    """Convert an agent's JSON output to a report.

    The report has no signature, because this process started the agent.
    """
    status, document = said.get("status", "ok"), said.get("document")
    return Report(
        node,
        str(said.get("phase")),
        status if status in {"ok", "partial"} else "failed",
        None if said.get("failure") is None else str(said["failure"]),
        document if isinstance(document, dict) else {},
        "",
    )


def _together(hosts: Sequence[Host], ssh: str, arguments: list[str], take: Take, lines: Sequence[bytes]) -> int:
    """Run the agent on all hosts at once, and pass each JSON object that it prints to `take`.

    Return 0 if all agents succeed, else 1.

    Parameters
    ----------
    hosts : sequence of Host
    ssh : str
        Command that reaches a host, such as ``ssh``.
    arguments : list of str
        Command line arguments of the agent.
    take : Take
        Called with the number of the host and the object.
    lines : sequence of bytes
        Input of the agent on each host.
    """
    content = bundle()
    command = [*shlex.split(ssh)]
    said: queue.SimpleQueue[tuple[int, bytes | None]] = queue.SimpleQueue()
    with _all_ended() as started:
        for host in hosts:
            far = [*command, host.name, starter(arguments, content)]
            try:
                child = subprocess.Popen(  # noqa: S603 - the user's own command
                    far, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE
                )
            except OSError as error:
                click.echo(f"stowage: {command[0] if command else '--ssh'}: {error}", err=True)
                return 1
            started.append(child)
        last_words: list[list[str]] = [[] for _ in hosts]
        listeners = [
            threading.Thread(target=listener, args=(node, child, *more), daemon=True)
            for node, child in enumerate(started)
            for listener, more in (
                (_hear, (said,)),
                (_overhear, (last_words[node],)),
                (_hand_over, (content, lines[node])),
            )
        ]
        for listener in listeners:
            listener.start()
        open_nodes = set(range(len(hosts)))
        while open_nodes:
            node, line = said.get()
            if line is None:
                open_nodes.discard(node)
            elif line.strip().startswith(b"{"):
                _taken(node, line, take)
        statuses = [child.wait() for child in started]
        for listener in listeners:
            listener.join(_ENDS_IN_S)
    for node, status in enumerate(statuses):
        if status:
            why = "; ".join(last_words[node][-3:]) or f"ended with status {status}"
            click.echo(f"stowage: {hosts[node].name}: {why}", err=True)
    return 1 if any(statuses) else 0


def _taken(node: int, line: bytes, take: Take) -> None:
    try:
        found = json.loads(line)
    except ValueError:
        return
    if isinstance(found, dict):
        take(node, found)


def _hear(node: int, child: subprocess.Popen[bytes], said: "queue.SimpleQueue[tuple[int, bytes | None]]") -> None:
    if child.stdout is not None:
        while line := child.stdout.readline(_LONGEST_LINE):
            said.put((node, line))
    said.put((node, None))


def _overhear(_node: int, child: subprocess.Popen[bytes], words: list[str]) -> None:
    if child.stderr is not None:
        while line := child.stderr.readline(_LONGEST_LINE):
            words.append(line.decode(errors="replace").strip()[:500])
            del words[:-_LAST_WORDS]


def _hand_over(_node: int, child: subprocess.Popen[bytes], content: bytes, line: bytes) -> None:
    """Send the agent's code and its line of input to a host.

    The pipe stays open afterwards, because the agent exits when it is closed.
    """
    if child.stdin is not None:
        try:
            child.stdin.write(content + line)
            child.stdin.flush()
        except OSError:
            # It exited before reading everything: its exit status and its last messages give the reason.
            return


@contextmanager
def _all_ended() -> Iterator[list[subprocess.Popen[bytes]]]:
    """Yield a list for processes that the block starts, and stop these processes after the block.

    Their standard input is closed first. Processes that do not exit are terminated, and finally killed.
    """
    started: list[subprocess.Popen[bytes]] = []
    try:
        yield started
    finally:
        for child in started:
            if child.stdin is not None:
                with suppress(OSError):
                    child.stdin.close()
        # At first they are only waited for: they exit by themselves after their standard input is closed.
        for end in (subprocess.Popen.poll, subprocess.Popen.terminate, subprocess.Popen.kill):
            _end([child for child in started if child.poll() is None], end)
        for child in started:
            for stream in (child.stdout, child.stderr):
                if stream is not None:
                    stream.close()


def _end(children: Sequence[subprocess.Popen[bytes]], end: Callable[[subprocess.Popen[bytes]], object]) -> None:
    for child in children:
        end(child)
    for child in children:
        with suppress(subprocess.TimeoutExpired):
            child.wait(_ENDS_IN_S)
