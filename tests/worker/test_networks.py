"""Subnets for nodes, as configured by the owner of an account."""

from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import pytest
from moto.ec2.models import ec2_backends
from moto.ec2.models.availability_zones_and_regions import Zone

from aws_account import KEY, Simulated, asked, connected_account, connection, launch_of, run_of
from laboratory.account import ACCOUNT, REGION
from stowage.runs.actions import Prepare
from stowage.runs.observation import CloudError
from stowage.runs.spec import RunSpec
from stowage_worker.aws.clouds import AwsCloud, AwsClouds
from stowage_worker.aws.room import QUOTAS, family_of

SPEC = RunSpec("netbench", "m5.large", 2, REGION)


@pytest.fixture
def aws() -> Iterator[Simulated]:
    with connected_account() as simulated:
        yield simulated


@pytest.fixture
def cloud(aws: Simulated) -> AwsCloud:
    assert aws.between.address
    return AwsClouds().of(connection(), REGION)


def own_vpc(ec2: Any, *zones: str, tenancy: str = "default") -> tuple[str, list[str]]:
    """Create the owner's VPC with a tagged subnet in each zone; return it and them."""
    vpc = ec2.create_vpc(CidrBlock="10.20.0.0/16", InstanceTenancy=tenancy)["Vpc"]["VpcId"]
    subnets = []
    for number, zone in enumerate(zones):
        made = ec2.create_subnet(VpcId=vpc, CidrBlock=f"10.20.{number}.0/24", AvailabilityZone=f"{REGION}{zone}")
        subnets.append(made["Subnet"]["SubnetId"])
    ec2.create_tags(Resources=subnets, Tags=[{"Key": "stowage", "Value": "yes"}])
    return vpc, subnets


def way_out(ec2: Any, vpc: str, subnet: str, **by: str) -> None:
    table = ec2.create_route_table(VpcId=vpc)["RouteTable"]["RouteTableId"]
    ec2.associate_route_table(RouteTableId=table, SubnetId=subnet)
    ec2.create_route(RouteTableId=table, DestinationCidrBlock="0.0.0.0/0", **by)


def gateway(ec2: Any, vpc: str) -> str:
    made: str = ec2.create_internet_gateway()["InternetGateway"]["InternetGatewayId"]
    ec2.attach_internet_gateway(InternetGatewayId=made, VpcId=vpc)
    return made


def launched_in(cloud: AwsCloud, aws: Simulated, zone: str) -> tuple[str, str]:
    """Launch, and return the subnet and whether nodes would get public addresses."""
    run = run_of(SPEC)
    cloud.do(run, Prepare(), KEY)
    cloud.do(run, launch_of(run, zone=zone), KEY)
    request = asked(aws, run)
    return request["NetworkInterface.1.SubnetId"], request["NetworkInterface.1.AssociatePublicIpAddress"]


@pytest.mark.soak("aws")
def test_marked_subnets_are_the_only_ones_used(cloud: AwsCloud, aws: Simulated) -> None:
    ec2 = aws.account.ec2
    vpc, [first, second] = own_vpc(ec2, "b", "c")
    for subnet in (first, second):
        way_out(ec2, vpc, subnet, GatewayId=gateway(ec2, vpc))
    assert cloud.room(SPEC).zones == (f"{REGION}b", f"{REGION}c")
    with pytest.raises(CloudError) as caught:
        launched_in(cloud, aws, f"{REGION}a")
    assert caught.value.kind == "capacity"
    assert launched_in(cloud, aws, f"{REGION}c") == (second, "true")


def test_where_every_node_gets_hardware_of_its_own_nothing_is_launched(cloud: AwsCloud, aws: Simulated) -> None:
    ec2 = aws.account.ec2
    vpc, [subnet] = own_vpc(ec2, "b", tenancy="dedicated")
    way_out(ec2, vpc, subnet, GatewayId=gateway(ec2, vpc))
    assert "hardware of its own" in (cloud.room(SPEC).problem or "")
    with pytest.raises(CloudError) as caught:
        launched_in(cloud, aws, f"{REGION}b")
    assert caught.value.kind == "invalid"
    assert "instances" not in aws.account.left()


@pytest.mark.soak("aws")
def test_local_zones_are_not_launched_in(cloud: AwsCloud, aws: Simulated) -> None:
    ec2 = aws.account.ec2
    vpc, [local, usual] = own_vpc(ec2, "b", "c")
    for subnet in (local, usual):
        way_out(ec2, vpc, subnet, GatewayId=gateway(ec2, vpc))
    # The simulation has no Local Zones: one of its subnets is moved into one directly.
    behind = ec2_backends[ACCOUNT][REGION].get_subnet(local)
    behind._availability_zone = Zone(f"{REGION}-bos-1a", REGION, "use1-bos1-az1")  # noqa: SLF001
    run = run_of(SPEC)
    cloud.do(run, Prepare(), KEY)
    cloud.do(run, launch_of(run), KEY)
    assert asked(aws, run)["NetworkInterface.1.SubnetId"] == usual
    with pytest.raises(CloudError) as caught:
        launched_in(cloud, aws, f"{REGION}-bos-1a")
    assert caught.value.kind == "capacity"


@pytest.mark.soak("aws")
def test_behind_a_nat_gateway_nodes_have_no_public_address(cloud: AwsCloud, aws: Simulated) -> None:
    ec2 = aws.account.ec2
    vpc, [subnet] = own_vpc(ec2, "b")
    nat = ec2.create_nat_gateway(SubnetId=subnet, ConnectivityType="private")["NatGateway"]["NatGatewayId"]
    way_out(ec2, vpc, subnet, NatGatewayId=nat)
    assert cloud.room(SPEC).problem is None
    assert launched_in(cloud, aws, f"{REGION}b") == (subnet, "false")


def test_a_subnet_without_a_way_to_s3_is_told_before_anything_costs(cloud: AwsCloud, aws: Simulated) -> None:
    _, [subnet] = own_vpc(aws.account.ec2, "b")
    told = cloud.room(SPEC).problem
    assert told is not None
    assert subnet in told


def test_an_account_without_a_network_is_told_what_to_do(cloud: AwsCloud, aws: Simulated) -> None:
    ec2 = aws.account.ec2
    for each in ec2.describe_subnets()["Subnets"]:
        ec2.delete_subnet(SubnetId=each["SubnetId"])
    told = cloud.room(SPEC)
    assert told.zones == ()
    assert told.problem is not None
    assert "stowage" in told.problem
    with pytest.raises(CloudError) as caught:
        cloud.do(run_of(SPEC), Prepare(), KEY)
    assert caught.value.kind == "invalid"


@pytest.mark.soak("aws")
def test_a_zone_that_does_not_offer_the_type_is_told(cloud: AwsCloud) -> None:
    told = cloud.room(replace(SPEC, zone=f"{REGION}z"))
    assert told.zones == ()
    assert told.problem is not None
    assert f"{REGION}z does not offer m5.large" in told.problem


@pytest.mark.parametrize(
    ("instance", "family"),
    [
        ("i4i.32xlarge", "standard"),
        ("hs1.8xlarge", "standard"),
        ("trn1.32xlarge", "Trn"),
        ("x2gd.metal", "X"),
        ("p5.48xlarge", "P"),
        ("vt1.3xlarge", "G"),
        ("f2.6xlarge", "F"),
        ("dl1.24xlarge", "DL"),
        ("d3en.12xlarge", "standard"),
        ("hpc7g.16xlarge", "HPC"),
        ("u7i-12tb.224xlarge", "high memory"),
    ],
)
def test_types_count_against_the_quota_of_their_family(instance: str, family: str) -> None:
    assert family_of(instance) == family
    assert family in QUOTAS


def test_what_runs_already_counts_against_the_quota(cloud: AwsCloud, aws: Simulated) -> None:
    before = cloud.room(SPEC).used_vcpus
    aws.account.ec2.run_instances(ImageId="ami-12c6146b", InstanceType="m5.large", MinCount=3, MaxCount=3)
    after = cloud.room(SPEC).used_vcpus
    assert before is not None
    assert after is not None
    assert after > before
