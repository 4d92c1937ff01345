"""Hypervisor: boots a machine with its user data for each instance that the simulated EC2 reports as running.

Machines measure their own links and disks; no result is made up. A machine that powers itself off follows its
shutdown behaviour, EC2 ends a machine that crashes, and a machine that EC2 ends is killed.
"""

import json
from collections.abc import Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack
from dataclasses import dataclass, field
from datetime import UTC, datetime
from ipaddress import IPv4Interface, IPv4Network
from pathlib import Path
from threading import Event, RLock, Thread
from time import monotonic, time
from typing import Any, Self

from laboratory.account import Account
from laboratory.books import Books
from laboratory.machine import Machine, disks
from laboratory.metadata import metadata, outlet
from laboratory.meter import Meter
from laboratory.namespaces import Link, Switch
from laboratory.supplied import Supplied

OWN_DISKS: Mapping[str, int] = {
    "m5d.large": 1,
    "c5d.large": 1,
    "i3.large": 1,
    "i4i.large": 1,
    "c5d.9xlarge": 1,
    "m5d.4xlarge": 2,
}
"""Number of instance store disks by type (AWS, "Instance store volume specifications")."""

_ROOTS = {"/dev/xvda", "/dev/sda1"}
_LOOK_S = 0.1

PATIENCE_S = 240.0
"""Timeout for a busy machine; it delays no success."""


@dataclass
class Node:
    """A booted instance."""

    id: str
    index: int
    """Position in its launch."""
    machine: Machine
    link: Link
    meter: Meter
    stack: ExitStack
    hears: bool = True
    interrupted_at: datetime | None = None


@dataclass
class Hypervisor:
    """Watches the simulation, and boots machines for its launches."""

    account: Account
    supplied: Supplied
    switch: Switch
    endpoint: tuple[str, int]
    folder: Path
    mbit_per_s: float = 400.0
    """Rate of the link of a new machine, in each direction [Mbit/s]."""
    disk_mib: int = 64
    """Size of a disk, regardless of the size of its volume [MiB]."""
    metered_s: float = 10.0
    """Interval at which the machines' counters are written to CloudWatch [s]."""
    mute: set[int] = field(default_factory=set)
    """Indexes of instances that never reach the endpoint: their agents report nothing."""
    stillborn: set[int] = field(default_factory=set)
    """Indexes of instances that EC2 ends at once, as it does without capacity for the last machine of a launch."""
    doomed: set[int] = field(default_factory=set)
    """Indexes of instances whose hardware fails as soon as they run."""
    nodes: dict[str, Node] = field(default_factory=dict)
    books: Books = field(default_factory=Books)
    problems: list[BaseException] = field(default_factory=list)
    consoles: dict[str, str] = field(default_factory=dict)
    _done: Event = field(default_factory=Event)
    _lock: RLock = field(default_factory=RLock)
    _changed: Event = field(default_factory=Event)
    _prefixes: dict[str, int] = field(default_factory=dict)
    _thread: Thread | None = None

    def __enter__(self) -> Self:
        self._thread = Thread(target=self._watch)
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._done.set()
        if self._thread is not None:
            self._thread.join()

    def _watch(self) -> None:
        # Machines end with the thread that started them: one thread starts all of them, and stays.
        with ThreadPoolExecutor(1) as starter:
            try:
                while not self._done.wait(_LOOK_S):
                    self._look(starter)
                    self._measure()
            except BaseException as error:  # noqa: BLE001 - tests report every kind of error
                self.problems.append(error)
            finally:
                for node in list(self.nodes.values()):
                    self._off(node)

    def _look(self, starter: ThreadPoolExecutor) -> None:
        with self.supplied.lock, self.account.ending:
            instances = {each.id: each for each in self.account.instances()}
            self._keep_books(instances.values())
        for name, instance in instances.items():
            if instance.state == "running" and name not in self.nodes and name not in self.consoles:
                self._power_on(instance, starter)
        for node in list(self.nodes.values()):
            ending = node.machine.ended()
            instance = instances[node.id]
            if ending == "powered off" and instance.instance_initiated_shutdown_behavior == "stop":
                self.account.stop(node.id)
            elif ending == "powered off":
                self.account.end(node.id, "Client.InstanceInitiatedShutdown", "Instance initiated shutdown")
            elif ending == "crashed" and instance.state == "running":
                self.account.end(node.id, "Server.InternalError", "The hardware of the instance failed")
            if ending or instance.state != "running":
                self._off(node)

    def _power_on(self, instance: Any, starter: ThreadPoolExecutor) -> None:
        if instance.ami_launch_index in self.stillborn:
            self.account.end(instance.id, "Server.InsufficientInstanceCapacity", "There is not enough capacity")
            self.consoles[instance.id] = ""
            return
        try:
            node = starter.submit(self._boot, instance).result()
        except Exception:
            if instance.state == "running":
                raise
            # The instance was ended while its machine was built.
            self.consoles[instance.id] = ""
            return
        with self._lock:
            self.nodes[instance.id] = node
        if node.index in self.doomed:
            node.machine.kill()

    def _measure(self) -> None:
        """Write the counters to CloudWatch; more often than AWS, because these runs last less than minutes."""
        for node in list(self.nodes.values()):
            if time() - node.meter.at >= self.metered_s:
                for namespace, datum in node.meter.read(time()):
                    self.account.cloudwatch.put_metric_data(Namespace=namespace, MetricData=[datum])

    def _keep_books(self, instances: Sequence[Any] | Any) -> None:
        now = time()
        there = set()
        for each in instances:
            since = each.launch_time.replace(tzinfo=UTC).timestamp()
            self.books.instance(each.id, each.instance_type, since, public=bool(each.public_ip))
            if each.state not in {"terminated", "stopped"}:
                there.add(each.id)
        for each in self.account.volumes():
            there.add(each.id)
            holder = next((one.instance.id for one in (each.attachment,) if one), None)
            asked = self.supplied.asked.get(holder or "")
            size, iops, mib_per_s = _provisioned(asked.parameters if asked else {}, each)
            created = datetime.fromisoformat(str(each.create_time))
            created = created if created.tzinfo else created.replace(tzinfo=UTC)
            self.books.volume(each.id, created.timestamp(), each.volume_type, size, iops, mib_per_s)
        for name in set(self.books.held) - there:
            self.books.gone(name, now)

    def _boot(self, instance: Any) -> Node:
        name = str(instance.id)
        folder = self.folder / name
        folder.mkdir()
        stack = ExitStack()
        try:
            address = IPv4Interface(f"{instance.private_ip}/{self._prefix(instance.vpc_id)}")
            link = self.switch.plug(name, address, self.mbit_per_s)
            stack.callback(self.switch.remove, name)
            stack.enter_context(metadata(link.namespace, lambda: self._told(instance)))
            stack.enter_context(outlet(link.namespace, self.endpoint, lambda: self._hears(name)))
            mapped = instance.block_device_mapping.items()
            volumes = [each.volume_id for path, each in mapped if path not in _ROOTS]
            count = len(volumes) + OWN_DISKS.get(instance.instance_type, 0)
            devices = stack.enter_context(disks(folder, count, self.disk_mib))
            user_data = self.account.user_data(instance)
            host = "ip-" + str(address.ip).replace(".", "-")
            meter = Meter(name, link, dict(zip(volumes, devices, strict=False)), time())
            machine = Machine(folder / "machine", link.namespace, host, user_data, devices)
            stack.callback(machine.kill)
        except BaseException:
            stack.close()
            raise
        hears = instance.ami_launch_index not in self.mute
        return Node(name, instance.ami_launch_index, machine, link, meter, stack, hears)

    def _prefix(self, vpc_id: str) -> int:
        if vpc_id not in self._prefixes:
            self._prefixes[vpc_id] = IPv4Network(self.account.cidr_of(vpc_id)).prefixlen
        return self._prefixes[vpc_id]

    def _hears(self, name: str) -> bool:
        node = self.nodes.get(name)
        return node is None or node.hears

    def _told(self, instance: Any) -> Mapping[str, str]:
        node = self.nodes.get(instance.id)
        told = {
            "meta-data/instance-id": instance.id,
            "meta-data/instance-type": instance.instance_type,
            "meta-data/instance-life-cycle": instance.lifecycle or "on-demand",
            "meta-data/local-ipv4": instance.private_ip,
            "meta-data/ami-launch-index": str(instance.ami_launch_index),
            "meta-data/placement/availability-zone": instance.availability_zone,
            "meta-data/placement/region": instance.region_name,
        }
        if node is not None and node.interrupted_at is not None:
            at = node.interrupted_at.strftime("%Y-%m-%dT%H:%M:%SZ")
            told["meta-data/spot/instance-action"] = json.dumps({"action": "terminate", "time": at})
        return told

    def _off(self, node: Node) -> None:
        with self._lock:
            if self.nodes.pop(node.id, None) is None:
                return
            self.consoles[node.id] = node.machine.console()
        node.stack.close()

    def running(self, count: int, within_s: float = PATIENCE_S) -> list[Node]:
        """Wait until a number of machines run; return them by their index."""
        deadline = monotonic() + within_s
        while len(self.nodes) < count and monotonic() < deadline and not self.problems:
            self._done.wait(_LOOK_S / 2)
        assert not self.problems, self.problems
        found = sorted([*self.nodes.values()], key=lambda node: node.index)
        assert len(found) >= count, f"{len(found)} machines run"
        return found

    def empty(self, within_s: float = PATIENCE_S) -> None:
        """Wait until no machine runs."""
        deadline = monotonic() + within_s
        while self.nodes and monotonic() < deadline and not self.problems:
            self._done.wait(_LOOK_S / 2)
        assert not self.problems, self.problems
        assert not self.nodes, list(self.nodes)

    def kill(self, node: Node) -> None:
        """Simulate a hardware failure."""
        node.machine.kill()

    def let_timers_fire(self) -> list[float]:
        """Fire the power-off timers of all machines now; return the times for which they were set [s]."""
        due = []
        for node in list(self.nodes.values()):
            due += node.machine.timers()
            if node.machine.timers():
                node.machine.power_off()
        return due

    def shape(self, mbit_per_s: float) -> None:
        """Set the rate of all links, and of those of new machines [Mbit/s]."""
        self.mbit_per_s = mbit_per_s
        for node in list(self.nodes.values()):
            node.link.shape(mbit_per_s)

    def console(self) -> str:
        """Return the console output of all machines, including ended ones."""
        said = self.consoles | {name: node.machine.console() for name, node in list(self.nodes.items())}
        return "\n".join(f"--- {name}\n{text}" for name, text in said.items())


def _provisioned(asked: Mapping[str, str], volume: Any) -> tuple[int, int, int]:
    """Return a volume's requested settings; the simulation forgets provisioned values [GiB, IOPS, MiB/s]."""
    for key, value in asked.items():
        if key.startswith("BlockDeviceMapping.") and key.endswith(".DeviceName"):
            prefix = key.removesuffix("DeviceName") + "Ebs."
            if volume.attachment.device == value:
                iops = int(asked.get(prefix + "Iops", 3000))
                return int(volume.size), iops, int(asked.get(prefix + "Throughput", 125))
    return int(volume.size), 3000, 125
