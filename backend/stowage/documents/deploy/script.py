"""boto3 script that launches the nodes, each batch completely or not at all, and tears the cluster down."""

import hashlib
import json
from pprint import pformat
from typing import Any

from stowage.documents.deploy.boot import user_data
from stowage.documents.deploy.cloudformation import MANAGED_POLICY
from stowage.documents.deploy.deployment import Deployment
from stowage.documents.deploy.devices import Device, devices
from stowage.documents.deploy.heading import head, tags_of
from stowage.documents.deploy.quoting import file_stem, python_string

BATCH = 100
"""Nodes per request (EC2 API reference, RunInstances: five requests of 100 rather than one of 500; 2026-11-20)."""

_BODY = '''

def main(arguments=None):
    """Read the command line; without a command, show what a launch would ask for, and ask for nothing."""
    parser = argparse.ArgumentParser(description="Launches this cluster, and takes it down again.")
    parser.add_argument("command", nargs="?", default="show", choices=("show", "launch", "teardown"))
    parser.add_argument("--cluster", default=CLUSTER, help="name of the cluster in tags and resources")
    parser.add_argument("--region", default=REGION)
    parser.add_argument("--subnet", action="append", default=[], help=f"{ZONES} of them; else the default VPC's")
    parser.add_argument("--key-name", help="key pair for SSH; none is needed for Systems Manager")
    parser.add_argument("--profile", help="of the AWS configuration")
    parser.add_argument("--bucket", help="bucket that the nodes may read and write")
    parser.add_argument("--keep-volumes", action=argparse.BooleanOptionalAction, default=KEEP_VOLUMES)
    parser.add_argument("--delete-volumes", action="store_true", help="with teardown: volumes of data too")
    parser.add_argument("--yes", action="store_true", help="with teardown: end what it has listed")
    asked = parser.parse_args(arguments)
    if re.fullmatch(r"(?!sg-)[a-z0-9][a-z0-9-]{0,59}", asked.cluster) is None:
        parser.error("--cluster takes lower-case letters, digits and hyphens, at most 60, and does not begin with sg-")
    if asked.subnet and len(asked.subnet) != ZONES:
        parser.error(f"--subnet is needed {ZONES} times, or not at all")
    if asked.command == "show":
        made = requests(asked, ["subnet-..."] * ZONES, "sg-...", dict.fromkeys(IMAGES, "ami-..."))
        print(json.dumps([request for request, _ in made], indent=2))
        print("Nothing was asked for. `launch` launches this; `teardown` ends it.", file=sys.stderr)
        return 0
    session = boto3.Session(profile_name=asked.profile, region_name=asked.region)
    work = launch if asked.command == "launch" else teardown
    try:
        return work(asked, session)
    except (ClientError, BotoCoreError, WaiterError) as error:
        print(f"{asked.command}: {error}", file=sys.stderr)
        print(f"What there is carries the tag {TAG}={asked.cluster}; `teardown` lists it.", file=sys.stderr)
        return 1


def requests(asked, subnets, group, images):
    """Give every request of RunInstances with its token: batches of nodes for each zone, and the primary."""
    tags = [{"Key": key, "Value": value} for key, value in TAGS] + [{"Key": TAG, "Value": asked.cluster}]
    kinds = ["instance", "volume"] + (["spot-instances-request"] if SPOT else [])

    def request(base, image, count, subnet, kinds):
        made = copy.deepcopy(base)
        made["ImageId"] = images[image]
        made["MinCount"] = made["MaxCount"] = count
        there = {"DeviceIndex": 0, "SubnetId": subnet, "Groups": [group], "DeleteOnTermination": True}
        made["NetworkInterfaces"] = [there]
        made["IamInstanceProfile"] = {"Name": asked.cluster}
        made["TagSpecifications"] = [{"ResourceType": kind, "Tags": tags} for kind in kinds]
        if asked.key_name:
            made["KeyName"] = asked.key_name
        if asked.keep_volumes:
            for mapping in made["BlockDeviceMappings"]:
                if mapping["DeviceName"] in DATA_DEVICES:
                    mapping["Ebs"]["DeleteOnTermination"] = False
        return made

    for place, subnet in enumerate(subnets):
        left = NODES // ZONES + (place < NODES % ZONES)
        number = 0
        while left:
            count = min(left, BATCH)
            made = request(NODE, "node", count, subnet, kinds)
            if TOGETHER:
                made["Placement"] = {"GroupName": asked.cluster}
            yield made, token(asked, f"nodes-{place}-{number}")
            left, number = left - count, number + 1
    if PRIMARY is not None:
        yield request(PRIMARY, "primary", 1, subnets[0], ["instance", "volume"]), token(asked, "primary")


def token(asked, part):
    """Give the token by which EC2 knows a request again: asked twice, it is launched once."""
    return hashlib.sha256(f"{asked.cluster}/{asked.region}/{part}".encode()).hexdigest()


def launch(asked, session):
    """Make what the nodes need, launch them, and wait until they run; what fails half way is ended again."""
    ec2, iam, ssm = session.client("ec2"), session.client("iam"), session.client("ssm")
    subnets = asked.subnet or default_subnets(ec2)
    vpc = ec2.describe_subnets(SubnetIds=subnets[:1])["Subnets"][0]["VpcId"]
    images = {name: ssm.get_parameter(Name=path)["Parameter"]["Value"] for name, path in IMAGES.items()}
    tags = [{"Key": key, "Value": value} for key, value in TAGS] + [{"Key": TAG, "Value": asked.cluster}]
    make_role(asked, iam, tags)
    group = security_group(asked, ec2, vpc, tags)
    if TOGETHER and not placement_groups(asked, ec2):
        tagged = [{"ResourceType": "placement-group", "Tags": tags}]
        ec2.create_placement_group(GroupName=asked.cluster, Strategy="cluster", TagSpecifications=tagged)
    launched = []
    try:
        for request, once in requests(asked, subnets, group, images):
            made = run(ec2, request, once)
            launched += [instance["InstanceId"] for instance in made]
            if any(instance["State"]["Name"] in ("shutting-down", "terminated") for instance in made):
                raise SystemExit(f"{asked.cluster} was launched and ended before: give another --cluster")
            print(f"{len(launched)} of {NODES + (PRIMARY is not None)} are launched", file=sys.stderr)
    except (ClientError, BotoCoreError):
        # A part of a cluster costs and computes nothing.
        end(ec2, launched)
        raise
    for ids in batches(launched):
        ec2.get_waiter("instance_running").wait(InstanceIds=ids)
    for instance in instances(asked, ec2):
        print(instance["InstanceId"], instance.get("PrivateIpAddress", ""))
    print(f"All {len(launched)} run. `teardown --cluster {asked.cluster} --yes` ends them.", file=sys.stderr)
    return 0


def run(ec2, request, once):
    """Launch a batch; a role that was just made is not known everywhere yet."""
    for attempt in range(12):
        try:
            return ec2.run_instances(**request, ClientToken=once)["Instances"]
        except ClientError as error:
            if "instance profile" not in str(error).lower() or attempt == 11:
                raise
            time.sleep(5)


def default_subnets(ec2):
    """Give one subnet of the default VPC in each of the first zones that have the types."""
    types = {node["InstanceType"] for node in (NODE, PRIMARY) if node is not None}
    offered = ec2.describe_instance_type_offerings(
        LocationType="availability-zone", Filters=[{"Name": "instance-type", "Values": sorted(types)}]
    )["InstanceTypeOfferings"]
    pairs = {(each["Location"], each["InstanceType"]) for each in offered}
    zones = {zone for zone, _ in pairs if all((zone, each) in pairs for each in types)}
    found = ec2.describe_subnets(Filters=[{"Name": "default-for-az", "Values": ["true"]}])["Subnets"]
    every = sorted((each["AvailabilityZone"], each["SubnetId"]) for each in found)
    fitting = [(zone, subnet) for zone, subnet in every if zone in zones]
    if len(fitting) < ZONES:
        raise SystemExit(f"{len(fitting)} zones of the default VPC have {', '.join(types)}; give --subnet")
    return [subnet for _, subnet in fitting[:ZONES]]


def make_role(asked, iam, tags):
    """Make the role of the nodes: Systems Manager, and the bucket where one is named."""
    trust = {"Effect": "Allow", "Principal": {"Service": "ec2.amazonaws.com"}, "Action": "sts:AssumeRole"}
    document = json.dumps({"Version": "2012-10-17", "Statement": [trust]})
    once(iam.create_role, RoleName=asked.cluster, AssumeRolePolicyDocument=document, Tags=tags)
    partition = "aws-cn" if asked.region.startswith("cn-") else "aws-us-gov" if "-gov-" in asked.region else "aws"
    iam.attach_role_policy(RoleName=asked.cluster, PolicyArn=f"arn:{partition}:" + MANAGED_POLICY)
    if asked.bucket:
        where = f"arn:{partition}:s3:::{asked.bucket}"
        objects = ["s3:GetObject", "s3:PutObject", "s3:DeleteObject", "s3:AbortMultipartUpload"]
        statements = [
            {"Effect": "Allow", "Action": ["s3:ListBucket", "s3:GetBucketLocation"], "Resource": where},
            {"Effect": "Allow", "Action": objects, "Resource": where + "/*"},
        ]
        policy = json.dumps({"Version": "2012-10-17", "Statement": statements})
        iam.put_role_policy(RoleName=asked.cluster, PolicyName="data", PolicyDocument=policy)
    once(iam.create_instance_profile, InstanceProfileName=asked.cluster, Tags=tags)
    profile = iam.get_instance_profile(InstanceProfileName=asked.cluster)["InstanceProfile"]
    if not profile["Roles"]:
        iam.add_role_to_instance_profile(InstanceProfileName=asked.cluster, RoleName=asked.cluster)


def once(make, **what):
    """Make something that may be there already."""
    try:
        make(**what)
    except ClientError as error:
        if error.response["Error"]["Code"] != "EntityAlreadyExists":
            raise


def security_group(asked, ec2, vpc, tags):
    """Make the group in which nodes reach each other; no inbound access from the outside."""
    there = security_groups(asked, ec2)
    if there:
        return there[0]
    group = ec2.create_security_group(
        GroupName=asked.cluster,
        Description="Nodes reach each other and the outside; no inbound access from the outside",
        VpcId=vpc,
        TagSpecifications=[{"ResourceType": "security-group", "Tags": tags}],
    )["GroupId"]
    among = [{"IpProtocol": "-1", "UserIdGroupPairs": [{"GroupId": group}]}]
    ec2.authorize_security_group_ingress(GroupId=group, IpPermissions=among)
    return group


def ours(asked):
    return [{"Name": f"tag:{TAG}", "Values": [asked.cluster]}]


def instances(asked, ec2):
    """Give the nodes that have not ended."""
    alive = [{"Name": "instance-state-name", "Values": ["pending", "running", "stopping", "stopped"]}]
    pages = ec2.get_paginator("describe_instances").paginate(Filters=ours(asked) + alive)
    return [each for page in pages for made in page["Reservations"] for each in made["Instances"]]


def security_groups(asked, ec2):
    return [each["GroupId"] for each in ec2.describe_security_groups(Filters=ours(asked))["SecurityGroups"]]


def placement_groups(asked, ec2):
    return [each["GroupName"] for each in ec2.describe_placement_groups(Filters=ours(asked))["PlacementGroups"]]


def volumes(asked, ec2):
    """Give the volumes that hang on no node any more."""
    free = [{"Name": "status", "Values": ["available"]}]
    pages = ec2.get_paginator("describe_volumes").paginate(Filters=ours(asked) + free)
    return [each["VolumeId"] for page in pages for each in page["Volumes"]]


def batches(ids):
    return [ids[place : place + BATCH] for place in range(0, len(ids), BATCH)]


def end(ec2, ids):
    """End nodes, and wait until they are gone."""
    for some in batches(ids):
        ec2.terminate_instances(InstanceIds=some)
    for some in batches(ids):
        ec2.get_waiter("instance_terminated").wait(InstanceIds=some)


def teardown(asked, session):
    """List what the cluster consists of, and end it where --yes is given."""
    ec2, iam = session.client("ec2"), session.client("iam")
    nodes = [each["InstanceId"] for each in instances(asked, ec2)]
    groups = security_groups(asked, ec2)
    together = placement_groups(asked, ec2) if TOGETHER else []
    free = len(volumes(asked, ec2))
    print(f"{len(nodes)} nodes, {len(groups) + len(together)} groups, {free} free volumes", file=sys.stderr)
    if not asked.yes:
        print("Nothing was ended: --yes ends it.", file=sys.stderr)
        return 0
    end(ec2, nodes)
    left = volumes(asked, ec2)
    if asked.delete_volumes:
        for volume in left:
            ec2.delete_volume(VolumeId=volume)
    elif left:
        print(f"{len(left)} volumes stay, and cost: --delete-volumes deletes them", file=sys.stderr)
    for group in groups:
        ec2.delete_security_group(GroupId=group)
    for name in together:
        ec2.delete_placement_group(GroupName=name)
    remove_role(asked, iam)
    return 0


def remove_role(asked, iam):
    """Take the role away, as far as it is there."""

    def gone(take, **what):
        try:
            return take(**what)
        except ClientError as error:
            if error.response["Error"]["Code"] != "NoSuchEntity":
                raise
            return {}

    gone(iam.remove_role_from_instance_profile, InstanceProfileName=asked.cluster, RoleName=asked.cluster)
    gone(iam.delete_instance_profile, InstanceProfileName=asked.cluster)
    for name in gone(iam.list_role_policies, RoleName=asked.cluster).get("PolicyNames", []):
        iam.delete_role_policy(RoleName=asked.cluster, PolicyName=name)
    for policy in gone(iam.list_attached_role_policies, RoleName=asked.cluster).get("AttachedPolicies", []):
        iam.detach_role_policy(RoleName=asked.cluster, PolicyArn=policy["PolicyArn"])
    gone(iam.delete_role, RoleName=asked.cluster)


if __name__ == "__main__":
    sys.exit(main())
'''


def script(deployment: Deployment) -> str:
    """Return the launch script of a deployment, which needs Python 3.9 or newer with boto3."""
    values: dict[str, Any] = {
        "REGION": deployment.region,
        "CLUSTER": _cluster(deployment),
        "TAG": "stowage:cluster",
        "TAGS": list(tags_of(deployment)),
        "NODES": deployment.nodes,
        "ZONES": deployment.zones,
        "BATCH": BATCH,
        "SPOT": deployment.spot,
        "TOGETHER": deployment.placement_group,
        "KEEP_VOLUMES": deployment.volumes is not None and deployment.stays,
        "DATA_DEVICES": [device.name for device in devices(deployment) if device.kept],
        "IMAGES": deployment.images,
        "MANAGED_POLICY": MANAGED_POLICY,
        "PRIMARY": None if deployment.primary is None else _node(deployment, primary=True),
        "NODE": _node(deployment),
    }
    literals = "".join(f"{name} = {_literal(value)}\n" for name, value in values.items())
    imports = (
        "import argparse\nimport copy\nimport hashlib\nimport json\nimport re\nimport sys\nimport time\n\n"
        "import boto3\nfrom botocore.exceptions import BotoCoreError, ClientError, WaiterError\n\n"
    )
    script_lines = "".join(f"    {python_string(line)}\n" for line in user_data(deployment).splitlines(keepends=True))
    boot = f'\n# What a node does at each start.\nNODE["UserData"] = (\n{script_lines})\n'
    return "#!/usr/bin/env python3\n" + _head(deployment) + "\n" + imports + literals + boot + _BODY


def _head(deployment: Deployment) -> str:
    how = (
        "python3 FILE                      shows what would be asked for; asks for nothing",
        "python3 FILE launch               launches it, and waits until all nodes run",
        "python3 FILE teardown --yes       ends it",
        "Credentials: those of your AWS configuration; none are in here. Repeated, a launch launches nothing twice.",
        "A shell on a node: aws ssm start-session --target i-...  Its folders: /etc/stowage/directories.",
    )
    untried = ("AWS itself. In Stowage's tests such scripts run against a simulation of AWS.",)
    return head(deployment, "Script for boto3", how, untried)


def _cluster(deployment: Deployment) -> str:
    """Return the cluster's name: readable, and unique by a hash of the configuration."""
    what = json.dumps([deployment.name, deployment.region, _node(deployment), deployment.nodes, deployment.zones])
    return f"{file_stem(deployment.name)}-{hashlib.sha256(what.encode('utf-8', 'replace')).hexdigest()[:8]}"


def _node(deployment: Deployment, *, primary: bool = False) -> dict[str, Any]:
    request: dict[str, Any] = {
        "InstanceType": deployment.instance_of(primary=primary),
        "MetadataOptions": {"HttpEndpoint": "enabled", "HttpTokens": "required", "HttpPutResponseHopLimit": 1},
        "BlockDeviceMappings": [_mapping(device) for device in devices(deployment, primary=primary)],
    }
    if not primary:
        request |= {"EbsOptimized": True} if deployment.ebs_optimized else {}
        request |= {"CreditSpecification": {"CpuCredits": "standard"}} if deployment.bursts else {}
        if deployment.spot:
            options = {"SpotInstanceType": "one-time", "InstanceInterruptionBehavior": "terminate"}
            request["InstanceMarketOptions"] = {"MarketType": "spot", "SpotOptions": options}
    return request


def _mapping(device: Device) -> dict[str, Any]:
    if device.volume is None:
        return {"DeviceName": device.name, "VirtualName": device.virtual}
    return {"DeviceName": device.name, "Ebs": {**device.volume, "DeleteOnTermination": True}}


def _literal(value: object) -> str:
    """Format a value as Python, in ASCII; strings are not split over lines."""
    if isinstance(value, str):
        return python_string(value)
    if isinstance(value, list) and value and isinstance(value[0], tuple):
        return "[\n" + "".join(f"    {pair!a},\n" for pair in value) + "]"
    text = pformat(value, width=110, sort_dicts=False)
    if not text.isascii():
        raise ValueError("only tags contain text of users")
    return text
