"""The hypervisor: instances launched in the simulation really run, at the rate of their links, until they are ended."""

import subprocess
import sys
import time
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from ipaddress import IPv4Interface
from pathlib import Path
from signal import SIGKILL

import psutil
import pytest

import laboratory.machine
from laboratory.books import Books
from laboratory.customer import Customer
from laboratory.hypervisor import Node
from laboratory.lab import Laboratory, hindrance, require
from laboratory.machine import Machine
from laboratory.namespaces import PREFIX, owner, run, sweep, switch
from process import lives

PATIENCE_S = 240.0


def until(come: Callable[[], bool], told: Callable[[], str] = str) -> None:
    deadline = time.monotonic() + PATIENCE_S
    while not come():
        assert time.monotonic() < deadline, told()
        time.sleep(0.02)


def test_user_data_runs_on_a_machine_that_knows_who_it_is_and_has_nothing_of_the_test(
    lab: Laboratory, connected: Customer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("STOWAGE_SECRET_OF_THE_TEST", "yes")
    data = """#!/bin/bash
        token=$(curl -s -X PUT -H 'X-aws-ec2-metadata-token-ttl-seconds: 60' http://169.254.169.254/latest/api/token)
        echo "i am $(curl -s -H "X-aws-ec2-metadata-token: $token" http://169.254.169.254/latest/meta-data/instance-id)"
        echo "without a token: $(curl -s -o /dev/null -w '%{http_code}' http://169.254.169.254/latest/meta-data/)"
        echo "processes: $(ls /proc | grep -c '^[0-9]')"
        echo "the test's: $(env | grep -c SECRET)"
        echo "outside: $(curl -s -m 2 -o /dev/null http://192.0.2.1/ && echo reached || echo not reached)"
        touch /etc/written-by-a-machine
        echo done
        """
    (name,) = connected.launch(data)
    (node,) = lab.hypervisor.running(1)
    until(lambda: "\ndone" in node.machine.console(), node.machine.console)
    said = node.machine.console().splitlines()
    assert f"i am {name}" in said
    assert "without a token: 401" in said
    assert "the test's: 0" in said
    assert "outside: not reached" in said
    (processes,) = [int(line.rpartition(" ")[2]) for line in said if line.startswith("processes: ")]
    assert processes < 10
    assert not Path("/etc/written-by-a-machine").exists()


@pytest.mark.parametrize(
    ("behaviour", "state"),
    [("terminate", "terminated"), pytest.param("stop", "stopped", marks=pytest.mark.soak("aws"))],
)
def test_a_machine_that_powers_itself_off_is_what_its_shutdown_behaviour_says(
    lab: Laboratory, connected: Customer, behaviour: str, state: str
) -> None:
    (name,) = connected.launch("#!/bin/bash\nshutdown -h now\n", InstanceInitiatedShutdownBehavior=behaviour)
    until(lambda: connected.described(name)["State"]["Name"] == state, lab.hypervisor.console)
    lab.hypervisor.empty()
    left = {"security groups": [connected.group]}
    assert (lab.left() == left) == (behaviour == "terminate"), "a volume of a stopped instance goes on to cost"


@pytest.mark.soak("aws")
def test_a_timer_is_seen_and_can_be_taken_back(lab: Laboratory, connected: Customer) -> None:
    connected.launch("#!/bin/bash\nshutdown -h +30\nshutdown -c\nshutdown -h +45 'the time is over'\necho set\n")
    (node,) = lab.hypervisor.running(1)
    until(lambda: "set" in node.machine.console(), node.machine.console)
    (due,) = node.machine.timers()
    # The timer may have been set a while ago, on a busy machine.
    assert 35 * 60 < due - time.time() <= 45 * 60


def received_mbit_per_s(lab: Laboratory, connected: Customer, shaped: float) -> float:
    """Send from one machine to another by plain sockets; return the rate that the receiver counted."""
    lab.hypervisor.mbit_per_s = shaped
    # The first second is ignored: it fills the sockets' buffers and the shaper's own.
    receiver = """#!/usr/bin/python3
import socket, time
sender, _ = socket.create_server(("", 47000)).accept()
count, since = 0, time.monotonic() + 1
while time.monotonic() < since:
    sender.recv(1 << 16)
while time.monotonic() < since + 3:
    count += len(sender.recv(1 << 16))
print("received", count * 8 / (time.monotonic() - since) / 1e6, flush=True)
"""
    (first,) = connected.launch(receiver)
    address = connected.described(first)["PrivateIpAddress"]
    sender = f"""#!/usr/bin/python3
import socket, time
while True:
    try:
        receiver = socket.create_connection(("{address}", 47000), timeout=5)
        break
    except OSError:
        time.sleep(0.1)
while True:
    receiver.send(bytes(1 << 16))
"""
    (second,) = connected.launch(sender)
    lab.hypervisor.running(2)
    node = lab.hypervisor.nodes[first]
    until(lambda: "received" in node.machine.console(), lab.hypervisor.console)
    measured = float(node.machine.console().split()[1])
    connected.ec2.terminate_instances(InstanceIds=[first, second])
    lab.hypervisor.empty()
    return measured


@pytest.mark.soak("aws")
def test_a_cable_is_as_fast_as_it_was_shaped(lab: Laboratory, connected: Customer) -> None:
    # Benchmark runs test the exact rate; this test shows that the shaped rate applies, and not the machine's.
    slow, fast = (received_mbit_per_s(lab, connected, shaped) for shaped in (20.0, 80.0))
    assert 2 < fast / slow < 6
    assert slow < 30


def processes_of(node: Node) -> list[psutil.Process]:
    top = psutil.Process(node.machine.pid)
    return [top, *top.children(recursive=True)]


def test_a_machine_that_crashes_is_ended_by_ec2_and_one_that_ec2_ends_is_gone(
    lab: Laboratory, connected: Customer
) -> None:
    names = connected.launch("#!/bin/bash\nsleep 1000 & sleep 1000\n", 2)
    nodes = {node.id: node for node in lab.hypervisor.running(2)}
    family = [each for node in nodes.values() for each in processes_of(node)]
    lab.hypervisor.kill(nodes[names[0]])
    until(lambda: connected.described(names[0])["State"]["Name"] == "terminated")
    assert connected.described(names[0])["StateReason"]["Code"] == "Server.InternalError"
    assert connected.described(names[1])["State"]["Name"] == "running"
    connected.ec2.terminate_instances(InstanceIds=[names[1]])
    lab.hypervisor.empty()
    psutil.wait_procs(family, timeout=60)
    assert [each for each in family if lives(each)] == []


@pytest.mark.soak("aws")
def test_the_books_have_each_machine_and_each_volume_from_launch_to_end(lab: Laboratory, connected: Customer) -> None:
    data = {"VolumeType": "gp3", "VolumeSize": 100, "Iops": 4000, "Throughput": 250, "DeleteOnTermination": True}
    connected.launch("#!/bin/bash\nshutdown -h now\n", BlockDeviceMappings=[{"DeviceName": "/dev/sdf", "Ebs": data}])
    until(lambda: any(each.until for each in lab.books.held.values()), lab.hypervisor.console)
    lab.hypervisor.empty()
    month = 100 * 0.08 + 1000 * 0.005 + 125 * 0.04
    hourly = [each.usd_per_hour for each in lab.books.held.values()]
    assert sorted(hourly) == pytest.approx(sorted([0.096 + 0.005, month / 672]))
    # Each costs at least a minute, and existed for hardly longer.
    assert sum(hourly) / 60 <= lab.books.usd(time.time()) + 1e-12
    for each in lab.books.held.values():
        assert each.until is not None
        assert each.until - each.since >= 0
        assert each.usd(time.time()) == each.usd(each.until), "a resource that is gone costs no more"


def test_the_books_add_up_seconds_and_a_minute_at_least() -> None:
    books = Books()
    books.instance("i-short", "m5.large", 1000.0, public=False)
    books.instance("i-long", "m5.large", 1000.0, public=True)
    books.volume("vol-long", 1000.0, "gp3", 84, 3000, 125)
    books.gone("i-short", 1030.0)
    books.gone("i-long", 1089.5)
    books.puts = 2000
    # 0.096 USD an hour, for a minute; with an address for 90 s; 84 GiB at 0.08 USD a month are 0.01 USD an hour.
    assert books.usd(1360.0) == pytest.approx(0.096 / 60 + 0.101 * 90 / 3600 + 0.01 * 360 / 3600 + 0.01)


@pytest.mark.soak("aws")
def test_cloudwatch_has_what_went_to_a_disk(lab: Laboratory, connected: Customer) -> None:
    lab.hypervisor.metered_s = 0.2
    data = {"VolumeType": "gp3", "VolumeSize": 100, "DeleteOnTermination": True}
    connected.launch(
        "#!/bin/bash\ndd if=/dev/zero of=$STOWAGE_AGENT_DISKS bs=1M count=32 oflag=direct\nsleep 1000\n",
        BlockDeviceMappings=[{"DeviceName": "/dev/sdf", "Ebs": data}],
    )
    lab.hypervisor.running(1)
    (volume,) = lab.left()["volumes"]
    now = datetime.now(UTC)

    def written() -> float:
        told = lab.account.cloudwatch.get_metric_statistics(
            Namespace="AWS/EBS",
            MetricName="VolumeWriteBytes",
            Dimensions=[{"Name": "VolumeId", "Value": volume}],
            StartTime=now - timedelta(minutes=5),
            EndTime=now + timedelta(minutes=5),
            Period=3600,
            Statistics=["Sum"],
        )
        return float(sum(each["Sum"] for each in told["Datapoints"]))

    until(lambda: written() == 32 << 20, lab.hypervisor.console)


def test_nothing_of_a_laboratory_is_left_on_this_machine(lab: Laboratory, connected: Customer) -> None:
    volume = {"VolumeType": "gp3", "VolumeSize": 1, "DeleteOnTermination": True}
    connected.launch("#!/bin/bash\nsleep 1000\n", 2, BlockDeviceMappings=[{"DeviceName": "/dev/sdf", "Ebs": volume}])
    nodes = lab.hypervisor.running(2)
    family = [each for node in nodes for each in processes_of(node)]
    assert names() != []
    assert loops(lab) != []
    lab.hypervisor.__exit__()
    assert [each for each in family if lives(each)] == []
    assert loops(lab) == []
    lab.hypervisor.switch.close()
    assert names() == []


def names() -> list[str]:
    return [path.name for path in Path("/run/netns").glob(f"{owner()}-*")]


def loops(lab: Laboratory) -> list[str]:
    return [line for line in run("losetup", "--list").splitlines() if str(lab.hypervisor.folder) in line]


_KILLED = """
import sys
from ipaddress import IPv4Interface
from pathlib import Path
from laboratory.machine import Machine, disks
from laboratory.namespaces import owner, switch
UP = b"#!/bin/bash\\necho up\\nsleep 1000\\n"
with switch() as plugged, disks(Path(sys.argv[1]), 1, 1) as devices:
    link = plugged.plug("node", IPv4Interface("172.31.0.4/16"), 10)
    machine = Machine(Path(sys.argv[1]) / "machine", link.namespace, "node", UP, devices)
    while "up" not in machine.console():
        pass
    print(owner(), machine.pid, *devices, flush=True)
    sys.stdin.read()
"""


def test_a_machine_that_is_killed_ends_before_its_first_process_is_tied_to_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    require()
    untied = tmp_path / "bin/unshare"
    untied.parent.mkdir()
    untied.write_text('#!/bin/bash\nexec /usr/bin/unshare "${@:1:2}" "${@:4}"\n')
    untied.chmod(0o755)
    monkeypatch.setattr(laboratory.machine, "_PATH", f"{untied.parent}:{laboratory.machine._PATH}")  # noqa: SLF001
    with switch() as plugged:
        link = plugged.plug("node", IPv4Interface("172.31.0.4/16"), 10)
        machine = Machine(tmp_path / "machine", link.namespace, "node", b"#!/bin/bash\necho up\nsleep 1000\n", [])
        until(lambda: "up" in machine.console())
        (first,) = psutil.Process(machine.pid).children()
        assert not any("--kill-child" in word for word in psutil.Process(machine.pid).cmdline())
        machine.kill()
        assert not lives(first)


def test_what_a_killed_test_leaves_behind_is_removed_by_the_next(tmp_path: Path) -> None:
    require()
    with subprocess.Popen(
        [sys.executable, "-c", _KILLED, str(tmp_path)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
        cwd=Path(__file__).parents[1],
    ) as process:
        assert process.stdout is not None
        owned, pid, device = process.stdout.readline().split()
        assert owned.startswith(PREFIX)
        machine = psutil.Process(int(pid))
        process.send_signal(SIGKILL)
    psutil.wait_procs([machine], timeout=60)
    assert not lives(machine)
    until(lambda: device not in run("losetup", "--list").split())
    sweep()
    assert [path.name for path in Path("/run/netns").glob(f"{owned}-*")] == []


def test_where_there_can_be_no_laboratory_it_is_said_by_name_and_fails_where_nothing_may_be_left_out(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("PATH", "")
    hindrance.cache_clear()
    try:
        monkeypatch.delenv("STOWAGE_SOAK", raising=False)
        with pytest.raises(pytest.skip.Exception, match="no laboratory: not on this machine: ip, tc"):
            require()
        monkeypatch.setenv("STOWAGE_SOAK", "1")
        with pytest.raises(pytest.fail.Exception, match="no laboratory: not on this machine: ip, tc"):
            require()
    finally:
        hindrance.cache_clear()
