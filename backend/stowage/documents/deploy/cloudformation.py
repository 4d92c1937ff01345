"""CloudFormation: the nodes as an Auto Scaling group of a fixed size.

A template holds at most 500 resources, and a cluster may have more nodes than that, so nodes are not listed one by one.
The group replaces a failed node by a node with blank disks, and handles spot prices and several zones. The drawback:
nodes launch one after the other, and fewer than requested may launch; the group then keeps trying, and the stack
reports the shortage.
"""

import re
from typing import Any

import yaml

from stowage.documents.deploy.boot import user_data
from stowage.documents.deploy.deployment import Deployment
from stowage.documents.deploy.devices import Device, devices
from stowage.documents.deploy.heading import head, tags_of, what

TAKEN_DIRECTLY_BYTES = 51_200
"""Largest template sent directly; a longer one is read from a bucket (CloudFormation user guide, "Understand
CloudFormation quotas": template body size in a request, 2026-11-21)."""

_QUOTED = re.compile(r"!(Ref|GetAtt) '([A-Za-z0-9.]+)'")

MANAGED_POLICY = "iam::aws:policy/AmazonSSMManagedInstanceCore"
"""Policy of the Systems Manager agent: a shell on a node without a key and without an open port."""


class _Call(yaml.YAMLObject):
    """A function of CloudFormation in its short form: ``!Ref Name``."""

    def __init__(self, name: str, value: object) -> None:
        self.name, self.value = name, value


class _Dumper(yaml.SafeDumper):
    """YAML dumper: multi-line texts as blocks, CloudFormation functions in their short form, no aliases."""

    def ignore_aliases(self, data: object) -> bool:  # noqa: ARG002 - PyYAML's signature
        return True


def _write_text(dumper: yaml.SafeDumper, text: str) -> yaml.Node:
    return dumper.represent_scalar("tag:yaml.org,2002:str", text, style="|" if "\n" in text else None)


def _write_call(dumper: yaml.SafeDumper, call: _Call) -> yaml.Node:
    tag = f"!{call.name}"
    if isinstance(call.value, list):
        return dumper.represent_sequence(tag, call.value, flow_style=_is_short(call.value))
    text = str(call.value)
    return dumper.represent_scalar(tag, text, style="|" if "\n" in text else None)


def _is_short(values: list[object]) -> bool:
    return all(_is_word(value) for value in values)


def _is_word(value: object) -> bool:
    if isinstance(value, _Call):
        return _is_word(value.value) if not isinstance(value.value, list) else _is_short(value.value)
    return isinstance(value, str | int | bool)


_Dumper.add_representer(str, _write_text)
_Dumper.add_representer(_Call, _write_call)


def _ref(name: str) -> _Call:
    return _Call("Ref", name)


def _given(condition: str, value: object) -> _Call:
    """Return a property value that CloudFormation applies only if a condition of the template is true."""
    return _Call("If", [condition, value, _ref("AWS::NoValue")])


def template(deployment: Deployment) -> str:
    """Return the CloudFormation template of a deployment, in YAML."""
    document = _document(deployment)
    written = yaml.dump(document, Dumper=_Dumper, sort_keys=False, width=110, allow_unicode=True, indent=2)
    # PyYAML quotes every tagged scalar; CloudFormation's tags also work without quotes, and read better.
    body = _QUOTED.sub(r"!\1 \2", written)
    direct = _head(deployment, bucket=False) + body
    return direct if len(direct.encode()) <= TAKEN_DIRECTLY_BYTES else _head(deployment, bucket=True) + body


def _head(deployment: Deployment, *, bucket: bool) -> str:
    through = " --s3-bucket BUCKET" if bucket else ""
    longer = (
        f"CloudFormation takes {TAKEN_DIRECTLY_BYTES:,} bytes directly and this is longer: BUCKET is one of yours in",
        f"  {deployment.region}, through which the command sends it.",
    )
    how = (
        "aws cloudformation deploy --stack-name NAME --template-file FILE --capabilities CAPABILITY_IAM \\",
        f"  --region {deployment.region}{through} --parameter-overrides VpcId=vpc-... SubnetIds=subnet-...",
        *(longer if bucket else ()),
        "Without VpcId and SubnetIds it goes to the default VPC. Deleting the stack ends all nodes.",
        "A shell on a node: aws ssm start-session --target i-...  Its folders: /etc/stowage/directories.",
    )
    untried = (
        "AWS itself. In Stowage's tests cfn-lint reads such templates, and a simulation of AWS makes the stacks.",
    )
    return head(deployment, "CloudFormation", how, untried) + "\n"


def _document(deployment: Deployment) -> dict[str, Any]:
    return {
        "AWSTemplateFormatVersion": "2010-09-09",
        # No text that a user wrote: CloudFormation accepts 1,024 bytes, and shows them everywhere.
        "Description": f"Stowage: {what(deployment)}"[:1_000],
        "Parameters": _parameters(deployment),
        "Rules": _rules(),
        "Conditions": _conditions(deployment),
        "Resources": _resources(deployment),
        "Outputs": _outputs(deployment),
    }


def _parameters(deployment: Deployment) -> dict[str, Any]:
    zones = deployment.zones
    of_zones = (
        "One subnet of that VPC, with a way out for updates and Systems Manager; empty for the default VPC."
        if zones == 1
        else f"{zones} subnets of that VPC, each in a zone of its own; empty for the default VPC."
    )
    access = "Key pair for SSH; none is needed for Systems Manager, and no port is open to the outside."
    found = {
        "VpcId": _parameter("VPC of the nodes; empty for the default VPC.", AllowedPattern="^(vpc-[0-9a-f]+)?$"),
        "SubnetIds": _parameter(of_zones, kind="CommaDelimitedList"),
        "KeyName": _parameter(access),
        "NodeImage": _image(deployment.images["node"], deployment.processor),
    }
    if deployment.primary is not None:
        found["PrimaryImage"] = _image(deployment.images["primary"], deployment.primary.processor)
    if deployment.object_store:
        words = "Bucket of input and output, which the nodes may then read and write; empty for none."
        found["DataBucket"] = _parameter(words, AllowedPattern=r"^([a-z0-9][a-z0-9.-]{1,61}[a-z0-9])?$")
    if deployment.volumes is not None:
        words = "Whether volumes of data outlive their node, and cost until they are deleted."
        found["KeepVolumes"] = _parameter(words, "yes" if deployment.stays else "no", AllowedValues=["yes", "no"])
    return found


def _parameter(words: str, default: str = "", kind: str = "String", **accepted: object) -> dict[str, Any]:
    return {"Type": kind, "Default": default, **accepted, "Description": words}


def _image(parameter: str, processor: str) -> dict[str, Any]:
    words = f"Amazon Linux 2023 for {processor}, the newest."
    return _parameter(words, parameter, "AWS::SSM::Parameter::Value<AWS::EC2::Image::Id>")


def _rules() -> dict[str, Any]:
    return {
        "BothOrNeither": {
            "RuleCondition": _Call("Not", [_Call("Equals", [_ref("VpcId"), ""])]),
            "Assertions": [
                {
                    "Assert": _Call("Not", [_Call("EachMemberEquals", [_ref("SubnetIds"), ""])]),
                    "AssertDescription": "A VPC needs SubnetIds of it",
                }
            ],
        }
    }


def _conditions(deployment: Deployment) -> dict[str, Any]:
    found: dict[str, Any] = {
        "WithVpc": _Call("Not", [_Call("Equals", [_ref("VpcId"), ""])]),
        "WithSubnets": _Call("Not", [_Call("Equals", [_Call("Join", ["", _ref("SubnetIds")]), ""])]),
        "WithKey": _Call("Not", [_Call("Equals", [_ref("KeyName"), ""])]),
    }
    if deployment.object_store:
        found["WithBucket"] = _Call("Not", [_Call("Equals", [_ref("DataBucket"), ""])])
    if deployment.volumes is not None:
        found["EndWithTheirNode"] = _Call("Equals", [_ref("KeepVolumes"), "no"])
    return found


def _resources(deployment: Deployment) -> dict[str, Any]:
    found: dict[str, Any] = {}
    tags = [{"Key": key, "Value": value} for key, value in tags_of(deployment)]
    if deployment.placement_group:
        found["Together"] = _resource("EC2::PlacementGroup", Strategy="cluster")
    found["SecurityGroup"] = _resource(
        "EC2::SecurityGroup",
        GroupDescription="Nodes reach each other and the outside; no inbound access from the outside",
        VpcId=_given("WithVpc", _ref("VpcId")),
        Tags=tags,
    )
    found["AmongNodes"] = _resource(
        "EC2::SecurityGroupIngress",
        GroupId=_Call("GetAtt", "SecurityGroup.GroupId"),
        SourceSecurityGroupId=_Call("GetAtt", "SecurityGroup.GroupId"),
        IpProtocol="-1",
        Description="Among the nodes",
    )
    found |= _role(deployment, tags)
    found["NodeTemplate"] = _launch_template(deployment, tags)
    found["Nodes"] = _group(deployment, tags, "NodeTemplate", deployment.nodes)
    if deployment.placement_group:
        found["Nodes"]["Properties"]["PlacementGroup"] = _ref("Together")
    if deployment.primary is not None:
        found["PrimaryTemplate"] = _launch_template(deployment, tags, primary=True)
        found["Primary"] = _group(deployment, tags, "PrimaryTemplate", 1)
    return found


def _resource(kind: str, **properties: object) -> dict[str, Any]:
    return {"Type": f"AWS::{kind}", "Properties": properties}


def _role(deployment: Deployment, tags: list[dict[str, str]]) -> dict[str, Any]:
    properties: dict[str, Any] = {
        "AssumeRolePolicyDocument": {
            "Version": "2012-10-17",
            "Statement": [
                {"Effect": "Allow", "Principal": {"Service": "ec2.amazonaws.com"}, "Action": "sts:AssumeRole"}
            ],
        },
        "ManagedPolicyArns": [_Call("Sub", f"arn:${{AWS::Partition}}:{MANAGED_POLICY}")],
    }
    if deployment.object_store:
        statements = [
            {
                "Effect": "Allow",
                "Action": ["s3:ListBucket", "s3:GetBucketLocation"],
                "Resource": _Call("Sub", "arn:${AWS::Partition}:s3:::${DataBucket}"),
            },
            {
                "Effect": "Allow",
                "Action": ["s3:GetObject", "s3:PutObject", "s3:DeleteObject", "s3:AbortMultipartUpload"],
                "Resource": _Call("Sub", "arn:${AWS::Partition}:s3:::${DataBucket}/*"),
            },
        ]
        policy = {"PolicyName": "data", "PolicyDocument": {"Version": "2012-10-17", "Statement": statements}}
        properties["Policies"] = _given("WithBucket", [policy])
    properties["Tags"] = tags
    return {
        "Role": _resource("IAM::Role", **properties),
        "Profile": _resource("IAM::InstanceProfile", Roles=[_ref("Role")]),
    }


def _launch_template(deployment: Deployment, tags: list[dict[str, str]], *, primary: bool = False) -> dict[str, Any]:
    data: dict[str, Any] = {
        "ImageId": _ref("PrimaryImage" if primary else "NodeImage"),
        "InstanceType": deployment.instance_of(primary=primary),
        "KeyName": _given("WithKey", _ref("KeyName")),
        "SecurityGroupIds": [_Call("GetAtt", "SecurityGroup.GroupId")],
        "IamInstanceProfile": {"Arn": _Call("GetAtt", "Profile.Arn")},
        # Version 2 of the metadata service only, and not for containers, which are a hop away.
        "MetadataOptions": {"HttpEndpoint": "enabled", "HttpTokens": "required", "HttpPutResponseHopLimit": 1},
        "BlockDeviceMappings": [_mapping(device) for device in devices(deployment, primary=primary)],
        "TagSpecifications": [{"ResourceType": kind, "Tags": tags} for kind in ("instance", "volume")],
    }
    if not primary:
        if deployment.ebs_optimized:
            data["EbsOptimized"] = True
        if deployment.bursts:
            # By default they continue without credits, and AWS charges for that; no prediction includes the charge.
            data["CreditSpecification"] = {"CpuCredits": "standard"}
        if deployment.spot:
            data["InstanceMarketOptions"] = {"MarketType": "spot", "SpotOptions": {"SpotInstanceType": "one-time"}}
        data["UserData"] = _Call("Base64", user_data(deployment))
    return _resource("EC2::LaunchTemplate", LaunchTemplateData=data)


def _mapping(device: Device) -> dict[str, Any]:
    if device.volume is None:
        return {"DeviceName": device.name, "VirtualName": device.virtual}
    ends: Any = _Call("If", ["EndWithTheirNode", True, False]) if device.kept else True
    return {"DeviceName": device.name, "Ebs": {**device.volume, "DeleteOnTermination": ends}}


def _group(deployment: Deployment, tags: list[dict[str, str]], launch: str, count: int) -> dict[str, Any]:
    zones = [_Call("Select", [place, _Call("GetAZs", "")]) for place in range(deployment.zones)]
    return _resource(
        "AutoScaling::AutoScalingGroup",
        MinSize=str(count),
        MaxSize=str(count),
        DesiredCapacity=str(count),
        LaunchTemplate={
            "LaunchTemplateId": _ref(launch),
            "Version": _Call("GetAtt", f"{launch}.LatestVersionNumber"),
        },
        VPCZoneIdentifier=_given("WithSubnets", _ref("SubnetIds")),
        AvailabilityZones=_Call("If", ["WithSubnets", _ref("AWS::NoValue"), zones]),
        HealthCheckType="EC2",
        # The launch template already tags the nodes.
        Tags=[{**tag, "PropagateAtLaunch": False} for tag in tags],
    )


def _outputs(deployment: Deployment) -> dict[str, Any]:
    found = {
        "NodesGroup": {"Description": "Auto Scaling group of the nodes", "Value": _ref("Nodes")},
        "SecurityGroupId": {"Description": "Of the nodes", "Value": _Call("GetAtt", "SecurityGroup.GroupId")},
    }
    if deployment.primary is not None:
        found["PrimaryGroup"] = {"Description": "Group of the node that holds no data", "Value": _ref("Primary")}
    return found
