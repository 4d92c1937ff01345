"""The laboratory's endpoint: it fails as AWS does, and refuses what AWS would refuse."""

import urllib.error
import urllib.request
from typing import Any

import pytest
from botocore.exceptions import ClientError, ConnectionClosedError

from laboratory.account import BUCKET
from laboratory.between import FaultKind
from laboratory.customer import Customer, code, customer
from laboratory.lab import Laboratory

IDLE = "#!/bin/bash\nsleep 1000\n"


def refused(**request: Any) -> str:
    """Return the name of the error that a request raises."""
    call = request.pop("call")
    with pytest.raises(ClientError) as caught:
        call(**request)
    return code(caught.value)


def test_a_launch_with_the_same_token_is_the_first_one(lab: Laboratory, connected: Customer) -> None:
    first = connected.launch(IDLE, 2, ClientToken="one")
    assert connected.launch(IDLE, 2, ClientToken="one") == first
    other = connected.request("#!/bin/bash\nsleep 1\n", 2, ClientToken="one")
    assert refused(call=connected.ec2.run_instances, **other) == "IdempotentParameterMismatch"
    assert sorted(lab.left()["instances"]) == sorted(first)


def test_an_answer_that_is_lost_leaves_what_was_done(lab: Laboratory, connected: Customer) -> None:
    lab.between.fail("ec2:RunInstances", "lose")
    with pytest.raises(ConnectionClosedError):
        connected.launch(IDLE, ClientToken="lost")
    assert connected.launch(IDLE, ClientToken="lost") == lab.left()["instances"]


@pytest.mark.soak("aws")
def test_a_request_that_is_cut_does_nothing(lab: Laboratory, connected: Customer) -> None:
    lab.between.fail("ec2:RunInstances", "cut")
    with pytest.raises(ConnectionClosedError):
        connected.launch(IDLE)
    assert "instances" not in lab.left()


@pytest.mark.parametrize(
    ("kind", "name"),
    [
        ("throttle", "RequestLimitExceeded"),
        pytest.param("deny", "UnauthorizedOperation", marks=pytest.mark.soak("aws")),
        pytest.param("capacity", "InsufficientInstanceCapacity", marks=pytest.mark.soak("aws")),
        pytest.param("broken", "InternalError", marks=pytest.mark.soak("aws")),
    ],
)
def test_a_fault_is_met_as_often_as_it_was_put_in(
    lab: Laboratory, connected: Customer, kind: FaultKind, name: str
) -> None:
    fault = lab.between.fail("ec2:Run*", kind, 2)
    request = connected.request(IDLE)
    assert refused(call=connected.ec2.run_instances, **request) == name
    assert refused(call=connected.ec2.run_instances, **request) == name
    assert fault.met == 2
    assert connected.launch(IDLE)


def test_a_zone_that_has_no_room_for_the_last_of_them_gives_none(lab: Laboratory, connected: Customer) -> None:
    lab.supplied.room["us-east-1a"] = 3
    request = connected.request(IDLE, 4)
    assert refused(call=connected.ec2.run_instances, **request) == "InsufficientInstanceCapacity"
    assert "instances" not in lab.left()
    assert len(connected.launch(IDLE, 3)) == 3
    assert refused(call=connected.ec2.run_instances, **connected.request(IDLE)) == "InsufficientInstanceCapacity"


@pytest.mark.soak("aws")
def test_an_instance_that_is_stillborn_says_why(lab: Laboratory, connected: Customer) -> None:
    lab.hypervisor.stillborn = {1}
    names = connected.launch(IDLE, 2)
    lab.hypervisor.running(1)
    while connected.described(names[1])["State"]["Name"] != "terminated":
        pass
    assert connected.described(names[1])["StateReason"]["Code"] == "Server.InsufficientInstanceCapacity"


@pytest.mark.soak("aws")
def test_a_listing_can_be_behind(lab: Laboratory, connected: Customer) -> None:
    lab.supplied.late_s = 3600.0
    connected.launch(IDLE, 2)
    reservations = connected.ec2.describe_instances()["Reservations"]
    assert [each for made in reservations for each in made["Instances"]] == []
    lab.supplied.late_s = 0.0
    reservations = connected.ec2.describe_instances()["Reservations"]
    assert len([each for made in reservations for each in made["Instances"]]) == 2


def test_groups_stay_while_an_instance_is_in_them(lab: Laboratory, connected: Customer) -> None:
    tags = [{"ResourceType": "placement-group", "Tags": [{"Key": "stowage-run", "Value": "one"}]}]
    connected.ec2.create_placement_group(GroupName="together", Strategy="cluster", TagSpecifications=tags)
    assert (
        refused(call=connected.ec2.create_placement_group, GroupName="together", Strategy="cluster")
        == "InvalidPlacementGroup.Duplicate"
    )
    for value, found in (("one", ["together"]), ("other", [])):
        wanted = [{"Name": "tag:stowage-run", "Values": [value]}]
        listed = connected.ec2.describe_placement_groups(Filters=wanted)["PlacementGroups"]
        assert [each["GroupName"] for each in listed] == found
    names = connected.launch(IDLE, Placement={"GroupName": "together"})
    assert refused(call=connected.ec2.delete_placement_group, GroupName="together") == "InvalidPlacementGroup.InUse"
    assert refused(call=connected.ec2.delete_security_group, GroupId=connected.group) == "DependencyViolation"
    connected.ec2.terminate_instances(InstanceIds=names)
    connected.ec2.delete_placement_group(GroupName="together")
    connected.ec2.delete_security_group(GroupId=connected.group)
    lab.hypervisor.empty()
    assert lab.left() == {}


def fetched(url: str) -> int:
    try:
        with urllib.request.urlopen(url, timeout=240) as answer:  # noqa: S310 - an address of the test's own
            return int(answer.status)
    except urllib.error.HTTPError as error:
        with error:
            return error.code


def test_an_address_holds_as_it_was_signed_and_for_as_long(lab: Laboratory, connected: Customer) -> None:
    wanted = {"Bucket": BUCKET, "Key": "orders/0 1.json"}
    connected.s3.put_object(**wanted, Body=b"{}")
    good = connected.s3.generate_presigned_url("get_object", Params=wanted, ExpiresIn=900)
    assert fetched(good) == 200
    assert fetched(good.replace("0%201", "0%202")) == 403
    assert fetched(good.replace("X-Amz-Expires=900", "X-Amz-Expires=9000")) == 403
    assert fetched(connected.s3.generate_presigned_url("get_object", Params=wanted, ExpiresIn=-1)) == 403
    assert fetched(connected.s3.generate_presigned_url("put_object", Params=wanted, ExpiresIn=900)) == 403
    lab.between.revoked = True
    assert fetched(good) == 403


def test_a_role_that_was_taken_back_is_worth_nothing(lab: Laboratory, connected: Customer) -> None:
    lab.between.revoked = True
    assert refused(call=connected.ec2.describe_instances) == "UnauthorizedOperation"
    with pytest.raises(ClientError, match="AccessDenied"), customer(lab.between.address):
        pass


@pytest.mark.soak("aws")
def test_a_role_is_not_for_whom_has_another_external_id(lab: Laboratory) -> None:
    lab.between.external_id = "of another team"
    with pytest.raises(ClientError, match="AccessDenied"), customer(lab.between.address):
        pass


def test_every_call_is_written_down(lab: Laboratory, connected: Customer) -> None:
    connected.s3.list_objects_v2(Bucket=BUCKET)
    assert lab.between.actions() == [
        "sts:AssumeRole",
        "ec2:DescribeSubnets",
        "ec2:CreateSecurityGroup",
        "s3:ListBucket",
    ]
