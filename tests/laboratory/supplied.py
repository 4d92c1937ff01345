"""Features of AWS that the simulation lacks, as AWS documents them.

A launch with a used client token returns the first answer ("Ensuring idempotency in Amazon EC2 API requests"); zones
run out of capacity; cluster placement groups; groups in use cannot be deleted ("DeleteSecurityGroup",
"DeletePlacementGroup"); quotas of running instances; and listings with a delay ("Eventual consistency").
"""

import json
import re
import time
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from itertools import count
from threading import Lock
from xml.etree import ElementTree as ET

from laboratory.account import Account
from laboratory.between import Answer, Between, Call, error, no_capacity

_EC2 = "http://ec2.amazonaws.com/doc/2016-11-15/"


@dataclass
class _Group:
    """A placement group."""

    id: str
    name: str
    strategy: str
    tags: Mapping[str, str]

    def xml(self) -> str:
        tags = "".join(f"<item><key>{key}</key><value>{value}</value></item>" for key, value in self.tags.items())
        return (
            f"<groupName>{self.name}</groupName><strategy>{self.strategy}</strategy><state>available</state>"
            f"<groupId>{self.id}</groupId><tagSet>{tags}</tagSet>"
        )

    def fits(self, call: Call) -> bool:
        names, ids = call.listed("GroupName"), call.listed("GroupId")
        if (names and self.name not in names) or (ids and self.id not in ids):
            return False
        return all(self._has(name, values) for name, values in _filters(call))

    def _has(self, name: str, values: list[str]) -> bool:
        told = {"group-name": self.name, "group-id": self.id, "strategy": self.strategy, "state": "available"}
        if name == "tag-key":
            return bool(set(values) & set(self.tags))
        if name.startswith("tag:"):
            return self.tags.get(name.removeprefix("tag:")) in values
        return told[name] in values


@dataclass
class Supplied:
    """Handlers in place of the simulation."""

    account: Account
    room: dict[str, int] = field(default_factory=dict)
    """Zone -> number of further instances that can be launched there; no limit without an entry."""
    quota_vcpus: float = 256.0
    """Quota of every instance family."""
    late_s: float = 0.0
    """Delay until a new instance is listed [s]."""
    in_groups: dict[str, set[str]] = field(default_factory=dict)
    """Instance -> its groups, by id or name."""
    asked: dict[str, Call] = field(default_factory=dict)
    """Instance -> the request that launched it."""
    placement_groups: dict[str, _Group] = field(default_factory=dict)
    _tokens: dict[str, tuple[Mapping[str, str], Answer]] = field(default_factory=dict)
    _born: dict[str, float] = field(default_factory=dict)
    lock: Lock = field(default_factory=Lock)
    """Held while instances are launched, since they have no volumes until then."""
    _numbers: Iterator[int] = field(default_factory=lambda: count(1))

    def stand_in(self, between: Between) -> None:
        """Register the handlers with the endpoint."""
        between.supplies |= {
            "ec2:RunInstances": self.launch,
            "ec2:TerminateInstances": self.terminate,
            "ec2:DescribeInstances": self.listing,
            "ec2:DeleteSecurityGroup": self.delete_security_group,
            "ec2:CreatePlacementGroup": self.create_placement_group,
            "ec2:DescribePlacementGroups": self.describe_placement_groups,
            "ec2:DeletePlacementGroup": self.delete_placement_group,
            "servicequotas:GetServiceQuota": self.quota,
            "servicequotas:ListServiceQuotas": self.quota,
        }

    def launch(self, call: Call, simulate: Callable[[], Answer]) -> Answer:
        """Launch once for each client token, within the capacity of the zone."""
        token = call.parameters.get("ClientToken")
        # Serialized: two requests with one token are one launch.
        with self.lock:
            if token in self._tokens:
                before, answer = self._tokens[token]
                if before != call.parameters:
                    words = "Arguments on this idempotent request are inconsistent with arguments used in previous"
                    return error(call, "IdempotentParameterMismatch", f"{words} request(s).")
                return answer
            group = call.parameters.get("Placement.GroupName")
            if group is not None and group not in self.placement_groups:
                return error(call, "InvalidPlacementGroup.Unknown", f"The Placement Group '{group}' is unknown.")
            if call.parameters.get("DryRun") == "true":
                return simulate()
            zone = self._zone(call)
            wanted = int(call.parameters["MinCount"])
            if self.room.get(zone, wanted) < wanted:
                return no_capacity(call, f"the Availability Zone you requested ({zone})")
            answer = simulate()
            if answer.status == 200:
                if zone in self.room:
                    self.room[zone] -= wanted
                self._remember(call, answer)
                if token is not None:
                    self._tokens[token] = (call.parameters, answer)
            return answer

    def _zone(self, call: Call) -> str:
        subnet = call.parameters.get("SubnetId") or call.parameters.get("NetworkInterface.1.SubnetId")
        if subnet is not None:
            return self.account.zone_of(subnet)
        return call.parameters.get("Placement.AvailabilityZone", f"{call.region}a")

    def _remember(self, call: Call, answer: Answer) -> None:
        groups = set(call.listed("SecurityGroupId")) | set(call.listed("NetworkInterface.1.SecurityGroupId"))
        groups |= {call.parameters[name] for name in ("Placement.GroupName",) if name in call.parameters}
        for each in ET.fromstring(answer.body).findall(".//{*}instanceId"):  # noqa: S314 - the simulation's
            if each.text is not None:
                self.in_groups[each.text] = groups
                self.asked[each.text] = call
                self._born[each.text] = time.monotonic()

    def terminate(self, _: Call, simulate: Callable[[], Answer]) -> Answer:
        """End instances, one request at a time."""
        with self.account.ending:
            return simulate()

    def listing(self, _: Call, simulate: Callable[[], Answer]) -> Answer:
        """List instances, without those that are too new."""
        answer = simulate()
        hidden = {each for each, born in self._born.items() if time.monotonic() - born < self.late_s}
        if answer.status != 200 or not hidden:
            return answer
        root = ET.fromstring(answer.body)  # noqa: S314 - the simulation's
        for instances in root.findall(".//{*}instancesSet"):
            for each in list(instances):
                if each.findtext("{*}instanceId") in hidden:
                    instances.remove(each)
        return Answer(200, ET.tostring(root), answer.headers)

    def delete_security_group(self, call: Call, simulate: Callable[[], Answer]) -> Answer:
        """Delete a group unless an instance is in it."""
        name = call.parameters.get("GroupId", "")
        if self._in_use(name) and call.parameters.get("DryRun") != "true":
            return error(call, "DependencyViolation", f"resource {name} has a dependent object")
        return simulate()

    def _in_use(self, group: str) -> bool:
        return any(group in groups and not self.account.is_gone(each) for each, groups in self.in_groups.items())

    def create_placement_group(self, call: Call, _: Callable[[], Answer]) -> Answer:
        """Create a placement group."""
        name = call.parameters["GroupName"]
        if name in self.placement_groups:
            return error(call, "InvalidPlacementGroup.Duplicate", f"The Placement Group '{name}' already exists.")
        if refused := _dry(call):
            return refused
        tags = {
            value: call.parameters[key.removesuffix("Key") + "Value"]
            for key, value in call.parameters.items()
            if re.fullmatch(r"TagSpecification\.1\.Tag\.\d+\.Key", key)
        }
        group = _Group(f"pg-{next(self._numbers):017x}", name, call.parameters.get("Strategy", "cluster"), tags)
        self.placement_groups[name] = group
        return _xml(call, f"<return>true</return><placementGroup>{group.xml()}</placementGroup>")

    def describe_placement_groups(self, call: Call, _: Callable[[], Answer]) -> Answer:
        """List placement groups."""
        for name in call.listed("GroupName"):
            if name not in self.placement_groups:
                return error(call, "InvalidPlacementGroup.Unknown", f"The Placement Group '{name}' is unknown.")
        if refused := _dry(call):
            return refused
        fitting = [each.xml() for each in self.placement_groups.values() if each.fits(call)]
        items = "".join(f"<item>{each}</item>" for each in fitting)
        return _xml(call, f"<placementGroupSet>{items}</placementGroupSet>")

    def delete_placement_group(self, call: Call, _: Callable[[], Answer]) -> Answer:
        """Delete a placement group unless an instance is in it."""
        name = call.parameters["GroupName"]
        if refused := _dry(call):
            return refused
        if name not in self.placement_groups:
            return error(call, "InvalidPlacementGroup.Unknown", f"The Placement Group '{name}' is unknown.")
        if self._in_use(name):
            return error(call, "InvalidPlacementGroup.InUse", f"The placement group {name} is in use")
        del self.placement_groups[name]
        return _xml(call, "<return>true</return>")

    def quota(self, call: Call, _: Callable[[], Answer]) -> Answer:
        """Return the quota of running vCPUs."""
        wanted = call.parameters.get("QuotaCode", "L-1216C47A")
        quota = {
            "ServiceCode": "ec2",
            "QuotaCode": wanted,
            "QuotaName": "Running On-Demand Standard (A, C, D, H, I, M, R, T, Z) instances",
            "Value": self.quota_vcpus,
            "Adjustable": True,
        }
        told = {"Quota": quota} if call.action.endswith("GetServiceQuota") else {"Quotas": [quota]}
        return Answer(200, json.dumps(told).encode(), (("Content-Type", "application/x-amz-json-1.1"),))


def _filters(call: Call) -> Iterator[tuple[str, list[str]]]:
    for key, name in call.parameters.items():
        if found := re.fullmatch(r"(Filter\.\d+)\.Name", key):
            yield name, call.listed(re.escape(found.group(1)) + r"\.Value")


def _dry(call: Call) -> Answer | None:
    if call.parameters.get("DryRun") == "true":
        return error(call, "DryRunOperation", "Request would have succeeded, but DryRun flag is set.", 412)
    return None


def _xml(call: Call, inner: str) -> Answer:
    name = call.action.partition(":")[2] + "Response"
    body = f'<{name} xmlns="{_EC2}"><requestId>r</requestId>{inner}</{name}>'
    return Answer(200, body.encode(), (("Content-Type", "text/xml"),))
