"""Groups of a run's nodes: a security group that admits only these nodes, and a placement group."""

from collections.abc import Sequence
from typing import Any

from stowage.runs.observation import CloudError
from stowage.runs.run import Resource, Run
from stowage_worker.aws.account import Account
from stowage_worker.aws.network import NO_SUBNET, subnets
from stowage_worker.aws.tags import of_run, tagged

PORTS = 47000, 47063
"""Ports on which agents listen for each other; unassigned, and outside Linux' ephemeral range."""

_OUT = 443, 80
"""Outbound ports: S3 and the repositories of Amazon Linux; HTTP for other systems' signed repositories."""

_AS_IT_WAS = frozenset({"InvalidPermission.Duplicate", "InvalidPermission.NotFound"})


def name_of(run: Run) -> str:
    """Return the name of a run's groups."""
    return f"stowage-{run.id}"


def make_groups(account: Account, run: Run, listed: list[dict[str, str]]) -> list[Resource]:
    """Create the groups of a run unless they exist.

    Returns
    -------
    list of Resource
        The security group and, if the run uses one, the placement group.
    """
    now = account.clock()
    made = [Resource("security-group", _security_group(account, run, listed), 0.0, now)]
    if run.spec.placement_group:
        made.append(Resource("placement-group", _placement_group(account, run, listed), 0.0, now))
    return made


def security_group_of(account: Account, run: Run) -> str | None:
    """Return the id of a run's security group; None if the run has no security group."""
    return _group_in(account, of_run(run.id, account.connection.id))


def _group_in(account: Account, filters: Sequence[Any]) -> str | None:
    found = account.ask("ec2:DescribeSecurityGroups", Filters=filters)["SecurityGroups"]
    return found[0]["GroupId"] if found else None


def _security_group(account: Account, run: Run, listed: list[dict[str, str]]) -> str:
    """Create the security group of a run, and return its id.

    If an earlier attempt created the group, only missing rules are added.
    """
    vpcs = sorted({each.vpc for each in subnets(account).values()})
    if not vpcs:
        raise CloudError("invalid", NO_SUBNET.format(region=account.region))
    group = security_group_of(account, run)
    if group is None:
        made = account.ask(
            "ec2:CreateSecurityGroup",
            but={"InvalidGroup.Duplicate"},
            GroupName=name_of(run),
            Description="Nodes of a benchmark run of Stowage: they reach each other, and nothing else reaches them",
            VpcId=vpcs[0],
            TagSpecifications=tagged(["security-group"], listed),
        )
        group = _by_name(account, name_of(run), vpcs[0]) if made is None else str(made["GroupId"])
    _rules(account, group)
    return group


def _by_name(account: Account, name: str, vpc: str) -> str:
    found = _group_in(account, [{"Name": "group-name", "Values": [name]}, {"Name": "vpc-id", "Values": [vpc]}])
    if found is None:
        raise CloudError("unreachable", f"AWS has made the security group {name}, and does not list it yet")
    return found


def _rules(account: Account, group: str) -> None:
    first, last = PORTS
    itself: dict[str, Any] = {
        "IpProtocol": "tcp",
        "FromPort": first,
        "ToPort": last,
        "UserIdGroupPairs": [{"GroupId": group, "Description": "the nodes of this run"}],
    }
    anywhere = [{"CidrIp": "0.0.0.0/0", "Description": "S3, and packages of the system"}]
    out = [{"IpProtocol": "tcp", "FromPort": port, "ToPort": port, "IpRanges": anywhere} for port in _OUT]
    everything = {"IpProtocol": "-1", "IpRanges": [{"CidrIp": "0.0.0.0/0"}]}
    for action, permissions in (
        ("ec2:AuthorizeSecurityGroupIngress", [itself]),
        ("ec2:AuthorizeSecurityGroupEgress", [itself, *out]),
        # Last, remove the default rule that allows all outbound traffic.
        ("ec2:RevokeSecurityGroupEgress", [everything]),
    ):
        # One by one: if one of several rules exists already, AWS creates none of them.
        for permission in permissions:
            account.ask(action, but=_AS_IT_WAS, GroupId=group, IpPermissions=[permission])


def _placement_group(account: Account, run: Run, listed: list[dict[str, str]]) -> str:
    name = name_of(run)
    account.ask(
        "ec2:CreatePlacementGroup",
        but={"InvalidPlacementGroup.Duplicate"},
        GroupName=name,
        Strategy="cluster",
        TagSpecifications=tagged(["placement-group"], listed),
    )
    return name
