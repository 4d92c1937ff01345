"""Capacity of an account for a run: zones that offer the instance type, quota, and a dry-run launch."""

from collections.abc import Mapping
from typing import Any, Literal

from stowage.runs.observation import CloudError, Room
from stowage.runs.spec import RunSpec
from stowage_worker.aws.account import Account
from stowage_worker.aws.images import facts_of, image_of
from stowage_worker.aws.looking import instances_in
from stowage_worker.aws.network import NO_SUBNET, Subnet, in_dedicated, subnets
from stowage_worker.aws.tags import CONNECTION, tagged
from stowage_worker.aws.trouble import DRY

Family = Literal["standard", "F", "G", "P", "X", "Inf", "Trn", "DL", "HPC", "high memory"]

QUOTAS: Mapping[Family, tuple[str, str | None]] = {
    "standard": ("L-1216C47A", "L-34B43A08"),
    "F": ("L-74FC7D96", "L-88CF9481"),
    "G": ("L-DB2E81BA", "L-3819A6DF"),
    "P": ("L-417A185B", "L-7212CCBC"),
    "X": ("L-7295265B", "L-E3A00192"),
    "Inf": ("L-1945791B", "L-B5D1601B"),
    "Trn": ("L-2C3B7624", "L-6B0D517C"),
    "DL": ("L-6E869C2A", "L-85EED4F7"),
    "HPC": ("L-F7808C92", None),
    "high memory": ("L-43DA4232", None),
}
"""Codes of the quotas of vCPUs, on demand and spot (Service Quotas, service ``ec2``; remembered and, for standard, G
and P, seen in AWS' CLI guide and in public code, 2026-11-21). With a wrong code the quota is unknown."""

_PREFIXES: tuple[tuple[str, Family], ...] = (
    ("inf", "Inf"),
    ("trn", "Trn"),
    ("dl", "DL"),
    ("hpc", "HPC"),
    ("u-", "high memory"),
    ("u7", "high memory"),
    ("vt", "G"),
    ("f", "F"),
    ("g", "G"),
    ("p", "P"),
    ("x", "X"),
)


def family_of(instance: str) -> Family:
    """Return the quota family of an instance type.

    Examples
    --------
    >>> [family_of(name) for name in ("i4i.large", "im4gn.large", "g5.xlarge", "inf2.xlarge", "u-6tb1.metal")]
    ['standard', 'standard', 'G', 'Inf', 'high memory']
    """
    return next((family for prefix, family in _PREFIXES if instance.startswith(prefix)), "standard")


def room(account: Account, spec: RunSpec) -> Room:
    """Return the capacity for a run, without creating anything.

    Raises
    ------
    CloudError
    """
    vcpus = facts_of(account, spec.instance)
    needed = spec.nodes * vcpus.vcpus
    there = subnets(account)
    offered = _offered(account, spec.instance)
    zones = tuple(zone for zone in there if zone in offered and spec.zone in {None, zone})
    family, is_spot = family_of(spec.instance), spec.market == "spot"
    quota = _quota(account, family, is_spot=is_spot)
    used = _used(account, family, is_spot=is_spot)
    problem = _without_zone(account, spec, there, offered) if not zones else None
    if problem is None and quota is not None and (used or 0) + needed > quota:
        left = max(quota - (used or 0), 0)
        problem = (
            f"The account may run {quota:,} vCPUs of this family {'as spot ' if is_spot else ''}in {account.region}, "
            f"and {left:,} of them are free; this run needs {needed:,}: take fewer nodes, or ask AWS for a higher "
            f"quota ({QUOTAS[family][1 if is_spot else 0]})."
        )
    if problem is None and there[zones[0]].way == "none":
        problem = f"Nodes in {there[zones[0]].id} would reach no S3: the subnet needs a route to it."
    if problem is None:
        problem = in_dedicated(account, there[zones[0]].vpc)
    if problem is None:
        problem = _dry(account, spec, there[zones[0]], image_of(account, vcpus.processor))
    return Room(zones, quota, used, needed, problem)


def dry_request(account: Account, spec: RunSpec, subnet: Subnet, image: str) -> dict[str, Any]:
    """Build the dry run of a launch request; it differs from a launch only by the missing security group."""
    listed = [{"Key": CONNECTION, "Value": str(account.connection.id)}]
    request: dict[str, Any] = {
        "DryRun": True,
        "ImageId": image,
        "InstanceType": spec.instance,
        "MinCount": spec.nodes,
        "MaxCount": spec.nodes,
        "SubnetId": subnet.id,
        "InstanceInitiatedShutdownBehavior": "terminate",
        "MetadataOptions": {"HttpEndpoint": "enabled", "HttpTokens": "required", "HttpPutResponseHopLimit": 1},
        "TagSpecifications": tagged(("instance", "volume", "network-interface"), listed),
    }
    if spec.market == "spot":
        request["InstanceMarketOptions"] = {"MarketType": "spot", "SpotOptions": {"SpotInstanceType": "one-time"}}
        request["TagSpecifications"] += tagged(("spot-instances-request",), listed)
    return request


def _dry(account: Account, spec: RunSpec, subnet: Subnet, image: str) -> str | None:
    """Return the reason why a launch would fail; None if no reason is known.

    The request names no security group, so AWS checks the default group. A role that may launch only in security groups
    of runs is denied this, so denials are ignored. Errors about type, zone, image or quota are returned.
    """
    try:
        account.ask("ec2:RunInstances", but={DRY}, **dry_request(account, spec, subnet, image))
    except CloudError as error:
        if error.kind in {"invalid", "quota"}:
            return error.words
    return None


def _offered(account: Account, instance: str) -> frozenset[str]:
    found = account.entries(
        "ec2:DescribeInstanceTypeOfferings",
        "InstanceTypeOfferings",
        LocationType="availability-zone",
        Filters=[{"Name": "instance-type", "Values": [instance]}],
    )
    return frozenset(each["Location"] for each in found)


def _quota(account: Account, family: Family, *, is_spot: bool) -> int | None:
    code = QUOTAS[family][1 if is_spot else 0]
    if code is None:
        return None
    # Without the permission or a response, the quota is unknown and EC2 decides at the launch.
    try:
        answer = account.ask("servicequotas:GetServiceQuota", ServiceCode="ec2", QuotaCode=code)
    except CloudError:
        return None
    return int(answer["Quota"]["Value"])


def _used(account: Account, family: Family, *, is_spot: bool) -> int:
    used = 0
    for each in instances_in(account, [{"Name": "instance-state-name", "Values": ["pending", "running"]}]):
        if family_of(each["InstanceType"]) == family and (each.get("InstanceLifecycle") == "spot") == is_spot:
            options = each.get("CpuOptions", {})
            used += options.get("CoreCount", 1) * options.get("ThreadsPerCore", 1)
    return used


def _without_zone(account: Account, spec: RunSpec, there: Mapping[str, Subnet], offered: frozenset[str]) -> str:
    if not there:
        return NO_SUBNET.format(region=account.region)
    if not offered:
        return f"{account.region} does not offer {spec.instance}."
    if spec.zone is not None and spec.zone not in offered:
        return f"{spec.zone} does not offer {spec.instance}; these do: {', '.join(sorted(offered))}."
    return f"{spec.instance} is offered in {', '.join(sorted(offered))}, and no subnet there can be used."
