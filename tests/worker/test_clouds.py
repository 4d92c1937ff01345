"""A connected account with all requests of runs, on a simulation that adds features of AWS and denies like IAM."""

import json
import urllib.request
from collections.abc import Iterator
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from urllib.error import HTTPError

import pytest

from aws_account import KEY, Simulated, asked, connected_account, connection, launch_of, run_of
from laboratory.account import BUCKET, REGION
from laboratory.between import Call
from stowage.runs.actions import (
    DeleteGroups,
    DeleteObjects,
    DeleteVolumes,
    Instruct,
    Prepare,
    Terminate,
)
from stowage.runs.cloud import Connection
from stowage.runs.observation import CloudError
from stowage.runs.orders import node_key
from stowage.runs.run import Run
from stowage.runs.spec import OwnDisks, RunSpec, Volumes
from stowage_worker.aws.clouds import AwsCloud, AwsClouds
from stowage_worker.aws.user_data import MOST_BYTES

NET = RunSpec("netbench", "m5.large", 3, REGION, zone=f"{REGION}b", placement_group=True)
DISK = RunSpec(
    "diskbench", "m5.large", 2, REGION, storage=Volumes("gp3", 100, iops=4000, throughput_mib_per_s=250, count=3)
)


@pytest.fixture(scope="module")
def aws() -> Iterator[Simulated]:
    with connected_account() as simulated:
        yield simulated


@pytest.fixture(scope="module")
def ours() -> Connection:
    return connection()


@pytest.fixture
def connected(aws: Simulated, ours: Connection) -> Iterator[Connection]:
    yield ours
    aws.between.heal()
    aws.supplied.room.clear()
    aws.supplied.late_s = 0.0


@pytest.fixture(scope="module")
def clouds(aws: Simulated) -> AwsClouds:
    """Keep clients: creating them takes longer than most requests."""
    assert aws.between.address
    return AwsClouds()


@pytest.fixture
def cloud(clouds: AwsClouds, connected: Connection) -> AwsCloud:
    return clouds.of(connected, REGION)


def prepared(cloud: AwsCloud, spec: RunSpec) -> Run:
    run = run_of(spec)
    cloud.do(run, Prepare(), KEY)
    return run


def nodes_of(cloud: AwsCloud, run: Run) -> tuple[tuple[str, str], ...]:
    seen = sorted(cloud.look(run).instances, key=lambda each: each.launch_index)
    return tuple((each.id, each.address or "?") for each in seen)


def described(aws: Simulated, run: Run) -> list[dict[str, object]]:
    filters = [{"Name": "tag:stowage-run", "Values": [str(run.id)]}]
    found = aws.account.ec2.describe_instances(Filters=filters)["Reservations"]
    return [each for made in found for each in made["Instances"]]


def get(address: str) -> bytes:
    with urllib.request.urlopen(address, timeout=240) as answer:  # noqa: S310 - of the simulation
        content: bytes = answer.read()
    return content


def test_a_run_is_launched_seen_and_taken_away_until_nothing_is_left(aws: Simulated, cloud: AwsCloud) -> None:
    left_before = aws.account.left()
    run = prepared(cloud, NET)
    made = cloud.do(run, launch_of(run), KEY)
    assert [each.kind for each in made] == ["instance"] * 3
    seen = cloud.look(run)
    assert {each.id for each in seen.instances} == {each.id for each in made}
    assert {each.zone for each in seen.instances} == {NET.zone}
    assert sorted(each.launch_index for each in seen.instances) == [0, 1, 2]
    assert len(seen.volumes) == 3
    assert len(seen.security_groups) == len(seen.placement_groups) == 1
    assert {each.key for each in seen.objects} == {"agent.pyz", "roll.json", "launches/0.json"}

    cloud.do(run, Terminate(tuple(each.id for each in made)), KEY)
    seen = cloud.look(run)
    assert {each.state for each in seen.instances} == {"terminated"}
    assert all(each.ended_at is not None for each in seen.instances)
    cloud.do(run, DeleteVolumes(seen.volumes), KEY)
    cloud.do(run, DeleteGroups(seen.security_groups, seen.placement_groups), KEY)
    cloud.do(run, DeleteObjects(), KEY)
    assert cloud.look(run).is_clear
    assert aws.account.left() == left_before
    assert aws.supplied.placement_groups == {}


def test_nodes_are_launched_as_the_guide_promises(aws: Simulated, cloud: AwsCloud, connected: Connection) -> None:
    run = prepared(cloud, DISK)
    action = launch_of(run)
    cloud.do(run, action, KEY)
    request = asked(aws, run)
    assert request["MinCount"] == request["MaxCount"] == "2"
    assert request["InstanceInitiatedShutdownBehavior"] == "terminate"
    assert request["MetadataOptions.HttpTokens"] == "required"
    assert request["MetadataOptions.HttpPutResponseHopLimit"] == "1"
    assert request["NetworkInterface.1.DeleteOnTermination"] == "true"
    assert not any(name.startswith(("KeyName", "IamInstanceProfile", "SecurityGroup")) for name in request)
    mappings = {name: value for name, value in request.items() if name.startswith("BlockDeviceMapping.")}
    assert {value for name, value in mappings.items() if name.endswith("DeleteOnTermination")} == {"true"}
    assert sum(name.endswith("DeleteOnTermination") for name in mappings) == 4
    assert mappings["BlockDeviceMapping.2.Ebs.Throughput"] == "250"
    told = {each: tags_of(request, each) for each in ("instance", "volume", "network-interface")}
    assert told["instance"] == told["volume"] == told["network-interface"]
    assert told["instance"]["stowage-run"] == str(run.id)
    assert told["instance"]["stowage-connection"] == str(connected.id)
    assert datetime.fromisoformat(told["instance"]["stowage-deadline"]) == action.deadline


def test_a_spot_node_is_offered_what_was_quoted_and_no_more(aws: Simulated, cloud: AwsCloud) -> None:
    run = prepared(cloud, replace(DISK, market="spot"))
    cloud.do(run, launch_of(run), KEY)
    request = asked(aws, run)
    assert request["InstanceMarketOptions.SpotOptions.MaxPrice"] == "0.0417"
    assert request["InstanceMarketOptions.SpotOptions.SpotInstanceType"] == "one-time"
    assert request["InstanceMarketOptions.SpotOptions.InstanceInterruptionBehavior"] == "terminate"
    assert tags_of(request, "spot-instances-request")["stowage-run"] == str(run.id)


def test_a_launch_that_is_repeated_is_one_launch(aws: Simulated, cloud: AwsCloud, connected: Connection) -> None:
    run = prepared(cloud, NET)
    action = launch_of(run)
    first = cloud.do(run, action, KEY)
    # Another process, with other credentials and later.
    again = AwsClouds().of(connected, REGION).do(run, action, KEY)
    assert [each.id for each in again] == [each.id for each in first]
    assert len(described(aws, run)) == 3


def test_a_launch_whose_answer_was_lost_is_found_again(aws: Simulated, cloud: AwsCloud) -> None:
    run = prepared(cloud, NET)
    action = launch_of(run)
    aws.between.fail("ec2:RunInstances", "lose", times=None)
    with pytest.raises(CloudError) as caught:
        cloud.do(run, action, KEY)
    assert caught.value.kind == "unreachable"
    aws.between.heal()
    assert len(cloud.do(run, action, KEY)) == 3
    assert len(described(aws, run)) == 3


@pytest.mark.soak("aws")
def test_a_launch_is_found_again_even_where_what_was_written_down_is_gone(aws: Simulated, cloud: AwsCloud) -> None:
    run = prepared(cloud, NET)
    action = launch_of(run)
    first = cloud.do(run, action, KEY)
    aws.account.s3.delete_object(Bucket=BUCKET, Key=f"stowage/{run.id}/launches/0.json")
    later = replace(action, deadline=action.deadline + timedelta(minutes=1))
    assert {each.id for each in cloud.do(run, later, KEY)} == {each.id for each in first}


@pytest.mark.parametrize(
    "change",
    [
        "MinCount",
        pytest.param("InstanceType", marks=pytest.mark.soak("aws")),
        pytest.param("all of it", marks=pytest.mark.soak("aws")),
        "no document",
        pytest.param("another attempt's", marks=pytest.mark.soak("aws")),
    ],
)
def test_an_altered_intention_is_not_launched(aws: Simulated, cloud: AwsCloud, change: str) -> None:
    run = prepared(cloud, NET)
    aws.between.fail("ec2:RunInstances", "capacity", times=None)
    for attempt in (0, 1):
        with pytest.raises(CloudError):
            cloud.do(run, launch_of(run, attempt), KEY)
    aws.between.heal()
    place, files = f"stowage/{run.id}/launches/0.json", aws.account.s3
    content = files.get_object(Bucket=BUCKET, Key=place)["Body"].read()
    if change == "all of it":
        content = b'{"request": "{}", "hmac_sha256": "' + b"0" * 64 + b'"}'
    elif change == "no document":
        content = b"[" * 100_000
    elif change == "another attempt's":
        content = files.get_object(Bucket=BUCKET, Key=place.replace("0.json", "1.json"))["Body"].read()
    else:
        said = json.loads(content)
        request = json.loads(said["request"]) | {change: 200 if change == "MinCount" else "p5.48xlarge"}
        content = json.dumps(said | {"request": json.dumps(request)}).encode()
    files.put_object(Bucket=BUCKET, Key=place, Body=content)
    with pytest.raises(CloudError) as caught:
        cloud.do(run, launch_of(run), KEY)
    assert caught.value.kind == "invalid"
    assert place in caught.value.words
    assert described(aws, run) == []


@pytest.mark.soak("aws")
def test_another_attempt_is_another_launch(aws: Simulated, cloud: AwsCloud) -> None:
    run = prepared(cloud, NET)
    aws.supplied.room[f"{REGION}b"] = 2
    with pytest.raises(CloudError) as caught:
        cloud.do(run, launch_of(run), KEY)
    assert caught.value.kind == "capacity"
    assert described(aws, run) == []
    assert len(cloud.do(run, launch_of(run, 1, f"{REGION}c"), KEY)) == 3
    seen = cloud.look(run)
    assert {(each.zone, each.attempt) for each in seen.instances} == {(f"{REGION}c", 1)}


@pytest.mark.soak("aws")
def test_preparing_again_changes_nothing(aws: Simulated, cloud: AwsCloud) -> None:
    run = prepared(cloud, NET)
    before = cloud.look(run)
    cloud.do(run, Prepare(), KEY)
    assert replace(cloud.look(run), at=before.at) == before
    group = aws.account.ec2.describe_security_groups(GroupIds=list(before.security_groups))["SecurityGroups"][0]
    itself = {"GroupId": group["GroupId"], "UserId": group["OwnerId"]}
    ins = [(each["FromPort"], each["ToPort"], each["UserIdGroupPairs"]) for each in group["IpPermissions"]]
    assert [(first, last) for first, last, _ in ins] == [(47000, 47063)]
    assert [pair["GroupId"] for pair in ins[0][2]] == [itself["GroupId"]]
    assert group["IpPermissions"][0]["IpRanges"] == []
    outs = {(each["IpProtocol"], each.get("FromPort")) for each in group["IpPermissionsEgress"]}
    assert outs == {("tcp", 443), ("tcp", 80), ("tcp", 47000)}


@pytest.mark.parametrize(
    ("action", "fault", "kind"),
    [
        pytest.param("ec2:RunInstances", "throttle", "throttled", marks=pytest.mark.soak("aws")),
        ("ec2:RunInstances", "deny", "denied"),
        ("ec2:RunInstances", "broken", "unreachable"),
        ("ec2:RunInstances", "cut", "unreachable"),
        ("s3:PutObject", "deny", "denied"),
        ("s3:PutObject", "throttle", "throttled"),
        ("ssm:GetParameter", "deny", "denied"),
        pytest.param("ec2:DescribeSubnets", "cut", "unreachable", marks=pytest.mark.soak("aws")),
    ],
)
def test_a_refused_launch_leaves_nothing_and_says_why(
    aws: Simulated, cloud: AwsCloud, action: str, fault: str, kind: str
) -> None:
    run = prepared(cloud, NET)
    aws.between.fail(action, fault, times=None)  # type: ignore[arg-type]  # one of its literals
    with pytest.raises(CloudError) as caught:
        cloud.do(run, launch_of(run), KEY)
    assert caught.value.kind == kind
    assert action in caught.value.words
    assert described(aws, run) == []


def test_orders_reach_each_node_by_addresses_alone(cloud: AwsCloud, aws: Simulated) -> None:
    run = prepared(cloud, NET)
    cloud.do(run, launch_of(run), KEY)
    script = user_data_of(aws, run)
    roll_url = script.partition("--roll ")[2].split("'")[1]
    assert json.loads(get(roll_url))["nodes"] == {}

    run = replace(run, nodes=nodes_of(cloud, run), ends_at=datetime(2026, 11, 21, 9, tzinfo=UTC))
    cloud.do(run, Instruct(1, run.nodes), KEY)
    roll = json.loads(get(roll_url))["nodes"]
    assert {name: told["node"] for name, told in roll.items()} == {name: n for n, (name, _) in enumerate(run.nodes)}
    for number, (name, _) in enumerate(run.nodes):
        orders = json.loads(get(roll[name]["orders_url"]))
        assert orders["node"] == number
        assert orders["key"] == node_key(KEY, number).hex()
        assert [each["address"] for each in orders["peers"]] == [address for _, address in run.nodes]
    kind = {"Content-Type": "application/json"}
    request = urllib.request.Request(orders["status_url"], b'{"signed":"x"}', kind, method="PUT")  # noqa: S310
    with urllib.request.urlopen(request, timeout=240):  # noqa: S310 - of the simulation
        pass
    assert cloud.fetch(run, "nodes/0002/status.json", 8) == b'{"signed'
    with pytest.raises(HTTPError) as caught:
        get(orders["status_url"])
    assert caught.value.code == 403
    caught.value.close()


def test_user_data_fits_and_holds_no_key(cloud: AwsCloud, aws: Simulated) -> None:
    run = prepared(cloud, NET)
    cloud.do(run, launch_of(run), KEY)
    script = user_data_of(aws, run)
    assert len(script.encode()) < MOST_BYTES / 2
    assert KEY.hex() not in script
    assert node_key(KEY, 0).hex() not in script


@pytest.mark.soak("aws")
def test_what_is_not_there_can_be_ended_and_deleted(cloud: AwsCloud) -> None:
    run = prepared(cloud, NET)
    made = cloud.do(run, launch_of(run), KEY)
    cloud.do(run, Terminate(("i-0123456789abcdef0", *(each.id for each in made))), KEY)
    assert {each.state for each in cloud.look(run).instances} == {"terminated"}
    cloud.do(run, DeleteVolumes(("vol-0123456789abcdef0",)), KEY)
    cloud.do(run, DeleteGroups(("sg-0123456789abcdef0",), ("stowage-none",)), KEY)


def test_a_resource_with_only_one_of_the_tags_is_not_ours(aws: Simulated, cloud: AwsCloud) -> None:
    run = prepared(cloud, NET)
    made = cloud.do(run, launch_of(run), KEY)
    aws.account.ec2.delete_tags(Resources=[made[0].id], Tags=[{"Key": "stowage-connection"}])
    assert [each.id for each in cloud.look(run).instances] == [each.id for each in made[1:]]


@pytest.mark.soak("aws")
def test_what_may_not_be_ended_keeps_nothing_else_from_it(aws: Simulated, cloud: AwsCloud) -> None:
    run = prepared(cloud, NET)
    made = [each.id for each in cloud.do(run, launch_of(run), KEY)]

    def names_the_first(call: Call) -> bool:
        return made[0] in call.parameters.values()

    aws.between.fail("ec2:TerminateInstances", "deny", None, names_the_first)
    aws.between.fail("ec2:DeleteSecurityGroup", "deny", None)
    try:
        with pytest.raises(CloudError) as caught:
            cloud.remove([each for each in cloud.left_behind() if each.run_id == run.id])
    finally:
        aws.between.heal()
    assert "ec2:TerminateInstances" in caught.value.words
    found = cloud.look(run)
    assert {each.id for each in found.instances if not each.is_ending} == {made[0]}
    assert found.objects == ()


@pytest.mark.soak("aws")
def test_what_was_left_behind_is_found_by_its_connection_alone(
    cloud: AwsCloud,
) -> None:
    # A sweep lists a bounded number of run folders: files of other tests' runs would take their places.
    while others := [each for each in cloud.left_behind() if each.kind == "objects"]:
        cloud.remove(others)
    run = prepared(cloud, NET)
    action = launch_of(run)
    cloud.do(run, action, KEY)
    other = AwsClouds().of(connection(), REGION)
    assert [each for each in other.left_behind() if each.kind != "objects"] == []
    left = cloud.left_behind()
    mine = [each for each in left if each.run_id == run.id]
    assert {each.kind for each in mine} == {"instance", "volume", "security-group", "placement-group", "objects"}
    assert {each.deadline for each in mine if each.kind == "instance"} == {action.deadline}
    cloud.remove(mine)
    cloud.remove([each for each in cloud.left_behind() if each.run_id == run.id])
    assert cloud.look(run).is_clear


def test_a_role_that_is_taken_back_is_denied_and_found_again(aws: Simulated, connected: Connection) -> None:
    clouds = AwsClouds()
    cloud = clouds.of(connected, REGION)
    run = run_of(NET)
    assert cloud.look(run).instances == ()
    aws.between.revoked = True
    try:
        with pytest.raises(CloudError) as caught:
            cloud.look(run)
        assert caught.value.kind == "denied"
        with pytest.raises(CloudError) as caught:
            clouds.of(connected, REGION)
        assert caught.value.kind == "denied"
    finally:
        aws.between.revoked = False
    assert clouds.of(connected, REGION).look(run).instances == ()


@pytest.mark.soak("aws")
def test_credentials_are_taken_once_and_renewed_in_time(aws: Simulated, connected: Connection) -> None:
    now = datetime.now(UTC)
    clouds = AwsClouds(lambda: now)
    before = aws.between.actions().count("sts:AssumeRole")
    for _ in range(3):
        clouds.of(connected, REGION).look(run_of(NET))
    assert aws.between.actions().count("sts:AssumeRole") == before + 1
    now += timedelta(minutes=51)
    clouds.of(connected, REGION)
    assert aws.between.actions().count("sts:AssumeRole") == before + 2


def test_another_teams_id_does_not_open_the_account(aws: Simulated) -> None:
    assert aws.between.external_id is not None
    with pytest.raises(CloudError) as caught:
        AwsClouds().of(connection("stowage-of-another-team"), REGION)
    assert caught.value.kind == "denied"


def test_a_check_finds_what_is_granted_and_what_is_not(cloud: AwsCloud, aws: Simulated) -> None:
    found = {each.action: each.outcome for each in cloud.check()}
    assert found["sts:AssumeRole"] == found["sts:ExternalId"] == found["s3:PutObject"] == "granted"
    assert set(found.values()) == {"granted", "unknown"}
    assert {action for action, outcome in found.items() if outcome == "unknown"} == {
        "ec2:RunInstances",
        "ec2:TerminateInstances",
        "ec2:DeleteVolume",
        "ec2:DeleteSecurityGroup",
        "ec2:DeletePlacementGroup",
    }
    assert described(aws, run_of(NET)) == []
    aws.between.fail("ec2:CreateSecurityGroup", "deny", times=None)
    aws.between.fail("s3:PutObject", "deny", times=None)
    found = {each.action: each.outcome for each in cloud.check()}
    denied = {action for action, outcome in found.items() if outcome == "denied"}
    assert denied == {"ec2:CreateSecurityGroup", "s3:PutObject"}


def test_a_check_goes_on_where_subnets_may_not_be_listed(cloud: AwsCloud, aws: Simulated) -> None:
    aws.between.fail("ec2:DescribeSubnets", "deny", times=None)
    found = {each.action: each.outcome for each in cloud.check()}
    assert [action for action, outcome in found.items() if outcome == "denied"] == ["ec2:DescribeSubnets"]
    assert found["ec2:RunInstances"] == "unknown"
    assert found["servicequotas:GetServiceQuota"] == "granted"


def test_a_role_that_anybody_may_have_is_found_out(aws: Simulated) -> None:
    before, aws.between.external_id = aws.between.external_id, None
    aws.enforced.open_to_anybody = True
    try:
        found = [each for each in AwsClouds().of(connection(), REGION).check() if each.action == "sts:ExternalId"]
    finally:
        aws.enforced.open_to_anybody = False
        aws.between.external_id = before
    assert [each.outcome for each in found] == ["denied"]
    assert "without an external id" in found[0].words


@pytest.mark.usefixtures("aws")
def test_a_role_of_another_account_is_found_out() -> None:
    found = AwsClouds().of(connection(account="999999999999"), REGION).check()
    assert found[0].outcome == "denied"
    assert "999999999999" in found[0].words


def test_room_is_what_zones_and_quotas_leave(cloud: AwsCloud, aws: Simulated) -> None:
    room = cloud.room(replace(DISK, zone=None))
    assert room.problem is None
    assert room.needed_vcpus == 4
    assert room.quota_vcpus == 256
    assert f"{REGION}a" in room.zones
    assert cloud.room(NET).zones == (NET.zone,)
    aws.supplied.quota_vcpus = 5.0
    try:
        told = cloud.room(NET).problem
    finally:
        aws.supplied.quota_vcpus = 256.0
    assert told is not None
    assert "L-1216C47A" in told
    with pytest.raises(CloudError) as caught:
        cloud.room(replace(NET, instance="m5.huge"))
    assert caught.value.kind == "invalid"


def test_a_quota_that_may_not_be_asked_for_is_not_known(cloud: AwsCloud, aws: Simulated) -> None:
    aws.between.fail("servicequotas:GetServiceQuota", "deny", times=None)
    room = cloud.room(NET)
    assert room.quota_vcpus is None
    assert room.problem is None


@pytest.mark.soak("aws")
def test_a_processor_that_lives_on_credits_never_costs_more_than_its_hour(cloud: AwsCloud, aws: Simulated) -> None:
    for instance, credit in (("t3.micro", "standard"), ("t4g.micro", "standard"), ("m5.large", None)):
        run = prepared(cloud, RunSpec("netbench", instance, 2, REGION))
        cloud.do(run, launch_of(run), KEY)
        assert asked(aws, run).get("CreditSpecification.CpuCredits") == credit


def test_orders_are_good_for_longer_than_the_next_take_to_come(aws: Simulated, connected: Connection) -> None:
    now = datetime.now(UTC)
    clouds = AwsClouds(lambda: now)
    cloud = clouds.of(connected, REGION)
    run = prepared(cloud, NET)
    before = aws.between.actions().count("sts:AssumeRole")
    cloud.do(run, Instruct(1, (("i-1", "10.0.0.1"),)), KEY)
    assert aws.between.actions().count("sts:AssumeRole") == before
    now += timedelta(minutes=26)
    # The credentials that sign a URL limit it: of their hour 34 minutes are left.
    clouds.of(connected, REGION).look(run)
    assert aws.between.actions().count("sts:AssumeRole") == before
    clouds.of(connected, REGION).do(run, Instruct(2, (("i-1", "10.0.0.1"),)), KEY)
    assert aws.between.actions().count("sts:AssumeRole") > before


@pytest.mark.soak("aws")
def test_own_disks_bring_no_volumes(cloud: AwsCloud, aws: Simulated) -> None:
    run = prepared(cloud, RunSpec("diskbench", "i3.large", 1, REGION, storage=OwnDisks()))
    cloud.do(run, launch_of(run), KEY)
    assert sum(name.endswith("DeleteOnTermination") for name in asked(aws, run) if "BlockDevice" in name) == 1


def user_data_of(aws: Simulated, run: Run) -> str:
    ids = {each["InstanceId"] for each in described(aws, run)}
    return next(aws.account.user_data(each) for each in aws.account.instances() if each.id in ids).decode()


def tags_of(request: dict[str, str], kind: str) -> dict[str, str]:
    number = next(
        name.split(".")[1] for name, value in request.items() if name.endswith("ResourceType") and value == kind
    )
    prefix = f"TagSpecification.{number}.Tag."
    keys = {
        name.split(".")[3]: value for name, value in request.items() if name.startswith(prefix) and name.endswith("Key")
    }
    return {key: request[f"{prefix}{place}.Value"] for place, key in keys.items()}
