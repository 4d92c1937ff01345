"""`stowage bench` on this machine: hosts are loopback addresses, and a shell stands in for ssh."""

import json
import os
import shlex
import signal
import socket
import subprocess
import sys
import threading
from pathlib import Path
from typing import Any

import pytest

from commands import stowage
from process import USUAL_SIGNALS

SSH = shlex.join(["sh", "-c", 'exec sh -c "$1"'])
SHORT = ["--measured", "1", "--warm-up", "0"]
# An address of its own: the ports of 127.0.0.1 may be in use.
HOSTS = "127.0.73.1,127.0.73.2"
STOWAGE = [sys.executable, "-m", "stowage"]


def measured(folder: Path, name: str, printed: str) -> dict[str, Any]:
    """Run `stowage measure` on what was printed."""
    file = folder / name
    file.write_text(printed)
    found = stowage("measure", "--dry-run", "--json", str(file))
    assert found.returncode == 0, found.stderr
    document: dict[str, Any] = json.loads(found.stdout)
    assert document["problems"] == []
    return document


def test_disks_are_measured_and_measure_reads_what_is_printed(tmp_path: Path) -> None:
    folder = tmp_path / "disk"
    folder.mkdir()
    found = stowage(
        "bench", "disk", "--path", str(folder), "--size", str(32 << 20), *SHORT, "--mode", "write", "--json"
    )
    assert found.returncode == 0, found.stderr
    (document,) = [json.loads(line) for line in found.stdout.splitlines()]
    assert document["result"]["write_mb_per_s"] > 0
    (measurement,) = measured(tmp_path, "disk.json", found.stdout)["measurements"]
    assert (measurement["tool"], measurement["status"]) == ("diskbench", "ok")
    assert list(folder.iterdir()) == []


def test_a_table_of_disks_names_what_was_measured(tmp_path: Path) -> None:
    found = stowage("bench", "disk", "--path", str(tmp_path), "--size", str(32 << 20), *SHORT)
    assert found.returncode == 0, found.stderr
    assert "read and written at once, each" in found.stdout
    assert "100%" in found.stderr


def test_a_place_that_is_not_there_is_bad_input() -> None:
    found = stowage("bench", "disk", "--path", "/nonexistent/place", *SHORT)
    assert found.returncode == 2
    assert "/nonexistent/place" in found.stderr


def test_the_network_is_measured_and_measure_reads_what_is_printed(tmp_path: Path) -> None:
    found = stowage("bench", "net", "--hosts", HOSTS, "--ssh", SSH, *SHORT, "--json")
    assert found.returncode == 0, found.stderr
    (document,) = [json.loads(line) for line in found.stdout.splitlines()]
    assert document["host"]["nodes"] == 2
    (measurement,) = measured(tmp_path, "net.json", found.stdout)["measurements"]
    assert (measurement["tool"], measurement["status"]) == ("netbench", "ok")
    names = {metric["name"] for metric in measurement["metrics"]}
    assert {"network_mb_per_s", "network_slowest_mb_per_s"} <= names


@pytest.mark.soak("tools")
def test_the_network_is_measured_at_every_size(tmp_path: Path) -> None:
    found = stowage("bench", "net", "--hosts", f"{HOSTS},127.0.73.3", "--ssh", SSH, *SHORT, "--json")
    assert found.returncode == 0, found.stderr
    assert [json.loads(line)["host"]["nodes"] for line in found.stdout.splitlines()] == [2, 3]
    measurements = measured(tmp_path, "net.json", found.stdout)["measurements"]
    assert [(each["tool"], each["status"]) for each in measurements] == [("netbench", "ok")] * 2


@pytest.mark.parametrize(
    ("hosts", "words"),
    [
        ("127.0.0.1", "not from 2 to"),
        ("127.0.0.1,127.0.0.1", "the same address"),
        ("127.0.0.1,", "is no host"),
        ("127.0.0.1,-oProxyCommand=x", "is no host"),
        ("127.0.0.1,a=no.such.host.invalid", "no address of"),
    ],
)
def test_hosts_that_cannot_be_measured_are_bad_input(hosts: str, words: str) -> None:
    found = stowage("bench", "net", "--hosts", hosts, "--ssh", SSH, *SHORT)
    assert found.returncode == 2
    assert words in found.stderr


def test_a_host_that_cannot_be_reached_is_said_in_its_own_words() -> None:
    ssh = shlex.join(["sh", "-c", "echo no route to host >&2; exit 255"])
    found = stowage("bench", "net", "--hosts", HOSTS, "--ssh", ssh, *SHORT)
    assert found.returncode == 1
    assert "127.0.73.1: no route to host" in found.stderr
    assert "internal error" not in found.stderr


@pytest.mark.parametrize("ssh", ["/nonexistent/ssh", ""])
def test_a_command_that_is_not_there_is_named(ssh: str) -> None:
    found = stowage("bench", "net", "--hosts", HOSTS, "--ssh", ssh, *SHORT)
    assert found.returncode == 1
    assert "stowage: " in found.stderr
    assert "internal error" not in found.stderr


@pytest.mark.soak("tools")
def test_hosts_may_be_named_and_what_they_say_that_is_no_event_is_passed_over() -> None:
    noisy = shlex.join(["sh", "-c", 'echo Welcome; echo "{broken"; echo "{}"; exec sh -c "$1"'])
    found = stowage("bench", "net", "--hosts", "one=127.0.73.1,two=127.0.73.2", "--ssh", noisy, *SHORT)
    assert found.returncode == 0, found.stderr
    assert "slowest MB/s" in found.stdout


@pytest.mark.soak("tools")
def test_a_screening_names_the_hosts_to_drop(tmp_path: Path) -> None:
    hosts = ",".join(f"127.0.73.{node}" for node in range(1, 5))
    found = stowage("bench", "screen", "--hosts", hosts, "--ssh", SSH, *SHORT, "--json")
    assert found.returncode == 0, found.stderr
    document = json.loads(found.stdout)
    assert len(document["measured"][0]["hosts"]) == 4
    assert "nodes compared" in document["words"]
    with_disks = stowage("bench", "screen", "--hosts", HOSTS, "--ssh", SSH, *SHORT, "--path", str(tmp_path))
    assert "too few" in with_disks.stdout, with_disks.stderr


def test_stopped_from_the_keyboard_it_leaves_no_agent_behind(tmp_path: Path) -> None:
    marker = tmp_path / "agents"
    marker.touch()
    # The stand-in for ssh writes down the process that becomes the agent.
    ssh = shlex.join(["sh", "-c", f'echo $$ >> {shlex.quote(str(marker))}; exec sh -c "exec $1"'])
    command = [*USUAL_SIGNALS, *STOWAGE, "bench", "net", "--hosts", HOSTS, "--ssh", ssh, "--measured", "600"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as child:
        assert child.stderr is not None
        first = child.stderr.readline()
        assert "nodes are there" in first
        child.send_signal(signal.SIGINT)
        threading.Thread(target=child.stderr.read, daemon=True).start()
        assert child.wait(60) == 1
    agents = [int(line) for line in marker.read_text().split()]
    assert len(agents) == 2
    for agent in agents:
        with pytest.raises(ProcessLookupError):
            os.kill(agent, 0)
    for host in HOSTS.split(","):
        with socket.socket() as port:
            port.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            port.bind((host, 47000))
