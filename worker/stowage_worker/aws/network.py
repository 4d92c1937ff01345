"""Subnets for nodes, one per zone, and their route to S3."""

from collections.abc import Mapping, Sequence
from typing import Any, Literal

from stowage.frozen import frozen
from stowage.runs.observation import CloudError
from stowage_worker.aws.account import Account

USE_TAG = "stowage"
"""Tag that marks the subnets to use, with any value; without marked subnets, those of the default VPC are used. So the
owner of the account chooses the subnets."""

Way = Literal["internet gateway", "other", "none"]

NO_SUBNET = (
    "There is no default VPC in {region}, and no subnet there carries the tag `stowage`: mark those in which nodes may "
    "stand. Local and Wavelength Zones are left out: they are dearer."
)
_ANYWHERE = "0.0.0.0/0"


@frozen
class Subnet:
    """A subnet for nodes."""

    id: str
    vpc: str
    zone: str
    way: Way
    """Route from nodes in the subnet to S3. With an internet gateway each node needs a public IP address; with another
    route (NAT gateway, transit gateway, S3 endpoint) nodes get no public address."""

    @property
    def needs_public_address(self) -> bool:
        """Return whether nodes need a public IP address to reach S3."""
        return self.way == "internet gateway"


def subnets(account: Account) -> Mapping[str, Subnet]:
    """Return one subnet for each zone that has subnets.

    Raises
    ------
    CloudError
    """
    found = _described(account, [{"Name": "tag-key", "Values": [USE_TAG]}])
    if not found:
        vpcs = account.ask("ec2:DescribeVpcs", Filters=[{"Name": "is-default", "Values": ["true"]}])["Vpcs"]
        if not vpcs:
            return {}
        found = _described(account, [{"Name": "vpc-id", "Values": [vpcs[0]["VpcId"]]}])
    found = [each for each in found if is_priced(each["AvailabilityZone"], account.region)]
    # All nodes of a run share a security group, which belongs to one VPC: if several are marked, use the first.
    vpc = min((each["VpcId"] for each in found), default="")
    found = [each for each in found if each["VpcId"] == vpc]
    ways = _ways(account, vpc) if vpc else {}
    chosen: dict[str, Subnet] = {}
    # Use the subnet with the most free addresses; the id breaks ties, so that a repeated launch is identical.
    for each in sorted(found, key=lambda each: (each["AvailableIpAddressCount"], each["SubnetId"])):
        way = ways.get(each["SubnetId"], ways.get("", "none"))
        chosen[each["AvailabilityZone"]] = Subnet(each["SubnetId"], each["VpcId"], each["AvailabilityZone"], way)
    return dict(sorted(chosen.items()))


def is_priced(zone: str, region: str) -> bool:
    """Return whether a zone has its region's prices. Local and Wavelength Zones cost more and have longer names.

    Examples
    --------
    >>> is_priced("us-east-1a", "us-east-1"), is_priced("us-east-1-bos-1a", "us-east-1")
    (True, False)
    """
    return len(zone) == len(region) + 1


def subnet_in(account: Account, zone: str | None) -> Subnet:
    """Return the subnet in which nodes are launched.

    Parameters
    ----------
    account : Account
    zone : str or None
        None for any zone.

    Raises
    ------
    CloudError
        There is no subnet, or launches in it cost more than was quoted.
    """
    offered = subnets(account)
    found = offered.get(zone) if zone is not None else next(iter(offered.values()), None)
    if found is None:
        raise CloudError("capacity" if offered else "invalid", NO_SUBNET.format(region=zone or account.region))
    problem = in_dedicated(account, found.vpc)
    if problem is not None:
        raise CloudError("invalid", problem)
    return found


def in_dedicated(account: Account, vpc: str) -> str | None:
    """Return an error message if a VPC launches instances on dedicated hardware; else None.

    Dedicated hardware costs more than was quoted.
    """
    [described] = account.ask("ec2:DescribeVpcs", VpcIds=[vpc])["Vpcs"]
    if described.get("InstanceTenancy", "default") == "default":
        return None
    return f"{vpc} puts every node on hardware of its own (tenancy): what that costs is not known, so no bound is."


def _described(account: Account, filters: Sequence[Any]) -> list[Any]:
    found = account.entries("ec2:DescribeSubnets", "Subnets", Filters=filters)
    return [each for each in found if each.get("State", "available") == "available"]


def _ways(account: Account, vpc: str) -> dict[str, Way]:
    """Return the kind of route to S3 (`Subnet.way`), by subnet id.

    A subnet without a route table of its own has no entry; the entry with key "" is for all of these.
    """
    ways: dict[str, Way] = {}
    filters = [{"Name": "vpc-id", "Values": [vpc]}]
    for table in account.entries("ec2:DescribeRouteTables", "RouteTables", Filters=filters):
        way = _way(table["Routes"])
        for association in table["Associations"]:
            ways["" if association.get("Main") else association.get("SubnetId", "-")] = way
    return ways


def _way(routes: Sequence[Mapping[str, Any]]) -> Way:
    way: Way = "none"
    for route in routes:
        if route.get("State", "active") != "active":
            continue
        if route.get("DestinationCidrBlock") == _ANYWHERE:
            return "internet gateway" if str(route.get("GatewayId", "")).startswith("igw-") else "other"
        if str(route.get("GatewayId", "")).startswith("vpce-"):
            way = "other"
    return way
