"""Enforcement of the template's policies on every request to the simulated account, as IAM does."""

import json
import re
from collections.abc import Iterator, Mapping
from typing import Any
from uuid import UUID

from aws_policy import PRINCIPAL, Asked, Template, allows
from laboratory.account import ACCOUNT, Account
from laboratory.between import Answer, Call, Supply, error
from laboratory.supplied import Supplied

_FREE = frozenset({"sts:GetCallerIdentity"})
"""Actions that need no permission."""

_OF_RESOURCE = {
    "GroupId": "security-group",
    "VolumeId": "volume",
    "GroupName": "placement-group",
}
_CREATES = {"ec2:CreateSecurityGroup": "security-group", "ec2:CreatePlacementGroup": "placement-group"}


class Enforced(dict[str, Supply]):
    """Handlers that deny a request that the role's policies do not allow, and otherwise forward it.

    Parameters
    ----------
    supplies : mapping
        Handlers of allowed requests.
    account : Account
    supplied : Supplied
    bucket : str
        Name of the stack's bucket.
    """

    def __init__(self, supplies: Mapping[str, Supply], account: Account, supplied: Supplied, bucket: str) -> None:
        super().__init__(supplies)
        self.account, self.supplied, self.bucket = account, supplied, bucket
        self.refused: list[Asked] = []
        self.asked: list[Asked] = []
        self.open_to_anybody = False
        self._external_id = ""
        self._roles: dict[str, Template] = {}
        self._statements: dict[str, list[Any]] = {}

    def get(self, action: str, _: Any = None) -> Supply:
        inner = super().get(action)

        def supply(call: Call, simulate: Any) -> Answer:
            if call.action == "sts:AssumeRole":
                return self._assume(call, simulate)
            if call.action not in _FREE:
                for asked in self._of(call):
                    self.asked.append(asked)
                    if not allows(self._statements[call.key_id], asked):
                        self.refused.append(asked)
                        code = "AccessDenied" if call.service == "s3" else "UnauthorizedOperation"
                        words = f"not authorized to perform: {asked.action} on resource: {asked.resource}"
                        return error(
                            call, code if call.service in {"s3", "ec2"} else "AccessDeniedException", words, 403
                        )
            answer: Answer = inner(call, simulate) if inner else simulate()
            return answer

        return supply

    def _assume(self, call: Call, simulate: Any) -> Answer:
        session = call.parameters["RoleSessionName"]
        template = Template(UUID(session.removeprefix("stowage-")), EnableEmr="yes")
        template.values["ExternalId"] = self._external_id
        template.bucket = self.bucket
        context = {"sts:RoleSessionName": session}
        if "ExternalId" in call.parameters:
            context["sts:ExternalId"] = call.parameters["ExternalId"]
        [trust] = template.trust()
        assert trust["Principal"] == {"AWS": PRINCIPAL}
        if not self.open_to_anybody and not allows([trust], Asked("sts:AssumeRole", "*", context)):
            return error(call, "AccessDenied", "not authorized to perform: sts:AssumeRole", 403)
        answer: Answer = simulate()
        key = re.search(rb"<AccessKeyId>(\w+)</AccessKeyId>", answer.body)
        assert key is not None
        self._roles[key[1].decode()] = template
        self._statements[key[1].decode()] = template.statements()
        return answer

    def trust(self, external_id: str) -> None:
        """Set the external id of the stacks."""
        self._external_id = external_id

    def _of(self, call: Call) -> Iterator[Asked]:
        region = {"aws:RequestedRegion": call.region}
        if call.service == "s3":
            yield from self._of_files(call)
        elif call.action == "ssm:GetParameter":
            yield Asked(call.action, f"arn:aws:ssm:{call.region}::parameter{call.parameters['Name']}")
        elif call.action == "ec2:RunInstances":
            yield from self._of_launch(call)
        elif call.action in _CREATES:
            yield from self._of_create(call, _CREATES[call.action])
        elif call.service == "ec2" and not call.action.startswith("ec2:Describe"):
            for kind, name in self._named(call):
                tags = self._tags(kind, name)
                # EC2 checks that a resource exists before permissions: a missing one is reported as such.
                if tags is not None:
                    yield Asked(call.action, _arn(call, kind, name), region | tags)
        elif call.service == "elasticmapreduce":
            yield from self._of_clusters(call)
        else:
            yield Asked(call.action, "*", region)

    def _of_clusters(self, call: Call) -> Iterator[Asked]:
        told = json.loads(call.body or b"{}")
        region = {"aws:RequestedRegion": call.region}
        if call.action == "elasticmapreduce:RunJobFlow":
            tags = {f"aws:RequestTag/{each['Key']}": each["Value"] for each in told["Tags"]}
            yield Asked(call.action, "*", region | tags)
            yield Asked("elasticmapreduce:AddTags", _cluster(call, "*"), tags)
            template = self._roles[call.key_id]
            for asked, role, service in (
                ("ServiceRole", "EmrRole", "elasticmapreduce.amazonaws.com"),
                ("JobFlowRole", "EmrNodesRole", "ec2.amazonaws.com"),
            ):
                name = template.resource(role)["RoleName"]
                resource = f"<{role}.Arn>" if told[asked] == name else f"arn:aws:iam::{ACCOUNT}:role/{told[asked]}"
                yield Asked("iam:PassRole", resource, {"iam:PassedToService": service})
        elif call.action == "elasticmapreduce:ListClusters":
            yield Asked(call.action, "*", region)
        else:
            for name in told.get("JobFlowIds", [told.get("ClusterId")]):
                tags = self.account.emr.describe_cluster(ClusterId=name)["Cluster"]["Tags"]
                context = {f"aws:ResourceTag/{each['Key']}": each["Value"] for each in tags}
                yield Asked(call.action, _cluster(call, name), context)

    def _of_files(self, call: Call) -> Iterator[Asked]:
        bucket, mine = f"arn:aws:s3:::{call.parameters['Bucket']}", {"aws:ResourceAccount": ACCOUNT}
        if call.action == "s3:ListBucket":
            yield Asked(call.action, bucket, {**mine, "s3:prefix": call.parameters.get("prefix", "")})
        elif call.action == "s3:DeleteObjects":
            for key in re.findall(rb"<Key>([^<]+)</Key>", call.body):
                yield Asked("s3:DeleteObject", f"{bucket}/{key.decode()}", mine)
        else:
            yield Asked(call.action, f"{bucket}/{call.parameters['Key']}", mine)
            if call.action == "s3:GetObject" and not self._is_there(call.parameters["Key"]):
                # Without permission to list without a prefix, a missing file is reported as denied.
                yield Asked("s3:ListBucket", bucket, mine)

    def _is_there(self, key: str) -> bool:
        listed = self.account.s3.list_objects_v2(Bucket=self.bucket, Prefix=key).get("Contents", [])
        return any(each["Key"] == key for each in listed)

    def _of_launch(self, call: Call) -> Iterator[Asked]:
        told, region = call.parameters, {"aws:RequestedRegion": call.region}
        subnet = told.get("SubnetId") or told["NetworkInterface.1.SubnetId"]
        yield Asked(call.action, f"arn:aws:ec2:{call.region}::image/{told['ImageId']}", {"ec2:Owner": "amazon"})
        yield Asked(call.action, _arn(call, "subnet", subnet), region)
        groups = call.listed("NetworkInterface.1.SecurityGroupId") or ["default"]
        for group in groups:
            yield Asked(call.action, _arn(call, "security-group", group), self._tags("security-group", group) or {})
        if "Placement.GroupName" in told:
            name = told["Placement.GroupName"]
            yield Asked(call.action, _arn(call, "placement-group", name), self._tags("placement-group", name) or {})
        of_instance = {"ec2:InstanceType": told["InstanceType"]}
        if "MetadataOptions.HttpTokens" in told:
            of_instance["ec2:MetadataHttpTokens"] = told["MetadataOptions.HttpTokens"]
        kinds = ["instance", "volume", "network-interface"]
        kinds += ["spot-instances-request"] if "InstanceMarketOptions.MarketType" in told else []
        for kind in kinds:
            tags = _request_tags(call, kind)
            yield Asked(call.action, _arn(call, kind, "*"), region | tags | (of_instance if kind == "instance" else {}))
            if tags:
                yield _tagging(call, kind, tags)

    def _of_create(self, call: Call, kind: str) -> Iterator[Asked]:
        tags = _request_tags(call, kind)
        yield Asked(call.action, _arn(call, kind, "*"), {"aws:RequestedRegion": call.region, **tags})
        if "VpcId" in call.parameters:
            yield Asked(call.action, _arn(call, "vpc", call.parameters["VpcId"]))
        if tags:
            yield _tagging(call, kind, tags)

    def _named(self, call: Call) -> Iterator[tuple[str, str]]:
        for name in call.listed("InstanceId"):
            yield "instance", name
        for parameter, kind in _OF_RESOURCE.items():
            if parameter in call.parameters:
                yield kind, call.parameters[parameter]

    def _tags(self, kind: str, name: str) -> dict[str, str] | None:
        """Return the tags of a resource as a context; None if there is no such resource."""
        if kind == "placement-group":
            group = self.supplied.placement_groups.get(name)
            tags = None if group is None else dict(group.tags)
        elif name == "default":
            tags = {}
        else:
            filters = [{"Name": "resource-id", "Values": [name]}]
            found = self.account.ec2.describe_tags(Filters=filters)["Tags"]
            tags = {each["Key"]: each["Value"] for each in found} or None
        return None if tags is None else {f"aws:ResourceTag/{key}": value for key, value in tags.items()}


def _arn(call: Call, kind: str, name: str) -> str:
    return f"arn:aws:ec2:{call.region}:{ACCOUNT}:{kind}/{name}"


def _cluster(call: Call, name: str) -> str:
    return f"arn:aws:elasticmapreduce:{call.region}:{ACCOUNT}:cluster/{name}"


def _tagging(call: Call, kind: str, tags: Mapping[str, Any]) -> Asked:
    """Return the additional action that EC2 authorizes if a resource is tagged at its creation."""
    keys = [name.removeprefix("aws:RequestTag/") for name in tags if name.startswith("aws:RequestTag/")]
    context = {**tags, "ec2:CreateAction": call.action.removeprefix("ec2:"), "aws:TagKeys": keys}
    return Asked("ec2:CreateTags", _arn(call, kind, "*"), context)


def _request_tags(call: Call, kind: str) -> dict[str, str]:
    """Return the tags in a request for resources of a kind, as a context."""
    told = call.parameters
    found: dict[str, str] = {}
    for name, value in told.items():
        part = re.fullmatch(r"TagSpecification\.(\d+)\.ResourceType", name)
        if part and value == kind:
            keys = re.compile(rf"TagSpecification\.{part[1]}\.Tag\.(\d+)\.Key")
            for each, key in told.items():
                if place := keys.fullmatch(each):
                    found[f"aws:RequestTag/{key}"] = told[f"TagSpecification.{part[1]}.Tag.{place[1]}.Value"]
    return found
