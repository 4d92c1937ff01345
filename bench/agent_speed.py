"""The agent beside iperf3 and fio on the same resources, in one run, taking turns.

Run: python bench/agent_speed.py [--rounds 6] [--seconds 4] [--folder FOLDER]
NetBench: two nodes over loopback, then in network namespaces of their own (as root; veth, unshaped and shaped by tc tbf
in both directions), then four of them. iperf3 runs both ways at once (--bidir), as NetBench does. DiskBench: a file in
the folder, against fio's command line. Ratios are of rounds: both tools directly after each other, first the one, then
the other.
"""

import argparse
import json
import os
import platform
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from pathlib import Path
from statistics import median

from stowage_worker.agent.bundle import bundle, starter

AGENT = bundle()
KEY = "5a" * 32
RUN = "00000000-0000-4000-8000-000000000000"
NAMES = [f"stwb{os.getpid()}n{number}" for number in range(8)]
SWITCH = f"stwb{os.getpid()}s"


class Place:
    """Where a node runs: this machine, or a namespace.

    Parameters
    ----------
    address : str
    before : tuple of str
        What stands before every command.
    """

    def __init__(self, address: str, *before: str) -> None:
        self.address, self.before = address, before


LOOPBACK = [Place(f"127.0.9.{node + 1}") for node in range(2)]


def run(*command: str) -> None:
    """Run a command that must work."""
    subprocess.run(command, check=True, capture_output=True)  # noqa: S603


@contextmanager
def namespaces(count: int, rate: str | None) -> Iterator[list[Place]]:
    """Make nodes with links of a rate each way, over one switch."""
    try:
        run("ip", "netns", "add", SWITCH)
        run("ip", "-n", SWITCH, "link", "add", "name", "bridge0", "type", "bridge")
        run("ip", "-n", SWITCH, "link", "set", "bridge0", "mtu", "9001", "up")
        for number, name in enumerate(NAMES[:count]):
            there = f"port{number}"
            run("ip", "netns", "add", name)
            run("ip", "-n", name, "link", "add", "eth0", "type", "veth", "peer", "name", there, "netns", SWITCH)
            run("ip", "-n", name, "addr", "add", f"10.209.0.{number + 1}/24", "dev", "eth0")
            run("ip", "-n", name, "link", "set", "lo", "up")
            run("ip", "-n", name, "link", "set", "eth0", "mtu", "9001", "up")
            run("ip", "-n", SWITCH, "link", "set", there, "mtu", "9001", "master", "bridge0", "up")
            if rate is not None:
                shape = ("root", "tbf", "rate", rate, "burst", "256k", "latency", "50ms")
                run("ip", "netns", "exec", name, "tc", "qdisc", "add", "dev", "eth0", *shape)
                run("ip", "netns", "exec", SWITCH, "tc", "qdisc", "add", "dev", there, *shape)
        yield [
            Place(f"10.209.0.{number + 1}", "ip", "netns", "exec", name) for number, name in enumerate(NAMES[:count])
        ]
    finally:
        for name in (*NAMES[:count], SWITCH):
            subprocess.run(["ip", "netns", "del", name], check=False, capture_output=True)  # noqa: S603, S607


def netbench(places: list[Place], seconds: float, connections: int = 1) -> list[float]:
    """Return what each node received [MB/s]."""
    nodes = len(places)
    phase = {"name": "net", "kind": "net", "nodes": nodes, "measured_s": seconds, "warm_up_s": 1.0}
    peers = [{"node": node, "address": place.address} for node, place in enumerate(places)]
    started = []
    for node, place in enumerate(places):
        orders = {"stowage": "orders", "version": 1, "run": RUN, "node": node, "nodes": nodes, "key": KEY}
        orders |= {"peers_key": KEY, "peers": peers, "phases": [{**phase, "connections": connections}]}
        command = [*place.before, "sh", "-c", "exec " + starter(["net-node", "--orders", "-"], AGENT, sys.executable)]
        process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE)  # noqa: S603
        assert process.stdin is not None  # noqa: S101
        process.stdin.write(AGENT + json.dumps(orders).encode() + b"\n")
        process.stdin.flush()
        started.append(process)
    received = []
    for process in started:
        assert process.stdout is not None  # noqa: S101
        events = [json.loads(line) for line in process.stdout]
        process.communicate()
        report = next(event["report"] for event in events if event["event"] == "report")
        if report["status"] != "ok":
            raise SystemExit(f"NetBench: {report['failure']}")
        received.append(float(report["document"]["received_mb_per_s"]))
    return received


def iperf3(places: list[Place], seconds: float, connections: int = 1) -> list[float]:
    """Return what each of two nodes received [MB/s]."""
    here, there = places
    server = subprocess.Popen(  # noqa: S603
        [*there.before, "iperf3", "-s", "-1", "-B", there.address, "-p", "47063"], stdout=subprocess.DEVNULL
    )
    client = [*here.before, "iperf3", "-c", there.address, "-p", "47063", "--bidir", "-J", "-O", "1"]
    client += ["-t", str(round(seconds)), "-P", str(connections)]
    try:
        for _ in range(20):
            time.sleep(0.2)
            done = subprocess.run(client, capture_output=True, check=False)  # noqa: S603
            end = json.loads(done.stdout).get("end", {})
            if "sum_received_bidir_reverse" in end:
                return [end[name]["bits_per_second"] / 8e6 for name in ("sum_received_bidir_reverse", "sum_received")]
        raise SystemExit("iperf3 does not measure both ways here")
    finally:
        server.kill()
        server.wait()


def against_iperf3(name: str, places: list[Place], rounds: int, seconds: float, connections: int = 1) -> None:
    """Print NetBench beside iperf3."""
    ours, theirs, ratios = [], [], []
    for number in range(rounds):
        tools = [netbench, iperf3] if number % 2 == 0 else [iperf3, netbench]
        found = {tool: sum(tool(places, seconds, connections)) / 2 for tool in tools}
        ours.append(found[netbench])
        theirs.append(found[iperf3])
        ratios.append(found[netbench] / found[iperf3])
    print(
        f"| {name} | {connections} | {median(ours):,.1f} | {median(theirs):,.1f} | "
        f"{median(ratios):.3f} | {min(ratios):.3f} to {max(ratios):.3f} |",
        flush=True,
    )


def diskbench(path: Path, mode: str, seconds: float) -> tuple[float, float]:
    """Return what was read and written [MB/s]."""
    command = [sys.executable, "-m", "stowage_worker.agent", "disk", "--path", str(path), "--mode", mode]
    command += ["--measured", str(seconds), "--warm-up", "1"]
    done = subprocess.run(command, capture_output=True, check=True)  # noqa: S603
    result = json.loads(done.stdout)["result"]
    return result.get("read_mb_per_s", 0.0), result.get("write_mb_per_s", 0.0)


def plain_fio(path: Path, mode: str, seconds: float) -> tuple[float, float]:
    """Return what fio read and wrote of the same stretches of the file [MB/s]."""
    half = path.stat().st_size // 2
    jobs = {
        "read": [("read", 0, 2 * half)],
        "write": [("write", 0, 2 * half)],
        "read-write": [("read", 0, half), ("write", half, half)],
    }[mode]
    command = ["fio", "--output-format=json", "--direct=1", "--bs=1M", "--ioengine=libaio", "--iodepth=16"]
    command += ["--time_based", f"--runtime={seconds:g}", "--ramp_time=1", f"--filename={path}", "--thread"]
    for name, offset, size in jobs:
        command += [f"--name={name}", f"--rw={name}", f"--offset={offset}", f"--size={size}"]
    found = json.loads(subprocess.run(command, capture_output=True, check=True).stdout)["jobs"]  # noqa: S603
    rates = [sum(job[way]["bw_bytes"] for job in found) / 1e6 for way in ("read", "write")]
    return rates[0], rates[1]


def against_fio(path: Path, mode: str, rounds: int, seconds: float) -> None:
    """Print DiskBench beside fio."""
    ours, theirs, ratios = [], [], []
    for number in range(rounds):
        tools = [diskbench, plain_fio] if number % 2 == 0 else [plain_fio, diskbench]
        found = {tool: tool(path, mode, seconds) for tool in tools}
        ours.append(found[diskbench])
        theirs.append(found[plain_fio])
        ratios.append(sum(found[diskbench]) / sum(found[plain_fio]))
    shown = [
        " / ".join(f"{median(rates):,.0f}" for rates in zip(*each, strict=True) if any(rates))
        for each in (ours, theirs)
    ]
    print(
        f"| {mode} | {shown[0]} | {shown[1]} | {median(ratios):.3f} | {min(ratios):.3f} to {max(ratios):.3f} |",
        flush=True,
    )


def main() -> None:
    """Print all tables."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--rounds", type=int, default=6)
    parser.add_argument("--seconds", type=float, default=4.0)
    parser.add_argument("--folder", default=tempfile.gettempdir())
    asked = parser.parse_args()
    load = os.getloadavg()[0]
    print(f"{datetime.now(UTC):%Y-%m-%d}, {platform.machine()}, {os.cpu_count()} cores (load {load:.1f}), "
          f"{platform.system()} {platform.release()}, Python {platform.python_version()}\n")  # fmt: skip
    print("| two nodes | connections | NetBench [MB/s] | iperf3 [MB/s] | ratio, median | of the rounds |")
    print("|---|---:|---:|---:|---:|---:|")
    for connections in (1, 4):
        against_iperf3("loopback", LOOPBACK, asked.rounds, asked.seconds, connections)
    if os.geteuid() == 0 and shutil.which("ip") and shutil.which("tc"):
        for rate in (None, "200mbit", "1gbit"):
            with namespaces(2, rate) as places:
                against_iperf3(f"namespaces, {rate or 'not shaped'}", places, asked.rounds, asked.seconds)
        print("\n| four nodes | mean [MB/s] | slowest [MB/s] | of what was shaped |\n|---|---:|---:|---:|")
        for rate, shaped in (("200mbit", 25.0), ("400mbit", 50.0)):
            with namespaces(4, rate) as places:
                found = [netbench(places, asked.seconds) for _ in range(asked.rounds)]
            means, slowest = [sum(each) / 4 for each in found], [min(each) for each in found]
            share = f"{median(means) / shaped:.3f}, slowest {median(slowest) / shaped:.3f}"
            print(f"| namespaces, {rate} | {median(means):.1f} | {median(slowest):.1f} | {share} |", flush=True)
    else:
        print("\nNot run: namespaces need root, ip and tc.")
    print("\n| mode | DiskBench read / written [MB/s] | fio [MB/s] | ratio, median | of the rounds |")
    print("|---|---:|---:|---:|---:|")
    with tempfile.TemporaryDirectory(dir=asked.folder) as folder:
        path = Path(folder) / "data"
        with path.open("wb") as file:
            for _ in range(256):
                file.write(os.urandom(16 << 20))
        for mode in ("read", "write", "read-write"):
            against_fio(path, mode, asked.rounds, asked.seconds)


if __name__ == "__main__":
    main()
