"""Refusals by AWS and their meaning for a run, and tags that another person wrote."""

from collections.abc import Iterator
from datetime import UTC, datetime
from urllib.parse import parse_qs, urlsplit

import boto3
import pytest
from botocore.exceptions import ClientError, NoCredentialsError

from aws_account import KEY, Simulated, connected_account, connection, run_of
from laboratory.account import REGION
from stowage.runs.actions import Prepare
from stowage.runs.observation import CloudError
from stowage.runs.spec import RunSpec
from stowage_worker.aws import tags
from stowage_worker.aws.account import FILES
from stowage_worker.aws.clouds import AwsClouds
from stowage_worker.aws.trouble import asking

SPEC = RunSpec("netbench", "m5.large", 2, REGION, placement_group=True)


@pytest.fixture(scope="module")
def aws() -> Iterator[Simulated]:
    with connected_account() as simulated:
        yield simulated


def refused(code: str, status: int = 400, action: str = "ec2:RunInstances") -> CloudError:
    answer = {"Error": {"Code": code, "Message": "Words of AWS."}, "ResponseMetadata": {"HTTPStatusCode": status}}
    with pytest.raises(CloudError) as caught, asking(action, REGION):
        raise ClientError(answer, action.partition(":")[2])  # type: ignore[arg-type]  # not all that AWS answers
    return caught.value


@pytest.mark.parametrize(
    ("code", "status", "kind"),
    [
        ("InsufficientInstanceCapacity", 500, "capacity"),
        ("Unsupported", 400, "capacity"),
        ("SpotMaxPriceTooLow", 400, "capacity"),
        ("VcpuLimitExceeded", 400, "quota"),
        ("MaxSpotInstanceCountExceeded", 400, "quota"),
        ("PendingVerification", 400, "quota"),
        ("RequestLimitExceeded", 503, "throttled"),
        ("SlowDown", 503, "throttled"),
        ("UnauthorizedOperation", 403, "denied"),
        ("ExpiredToken", 400, "denied"),
        ("InvalidClientTokenId", 403, "denied"),
        ("OptInRequired", 401, "denied"),
        ("InternalError", 500, "unreachable"),
        ("InvalidGroup.NotFound", 400, "unreachable"),
        ("InvalidPlacementGroup.Unknown", 400, "unreachable"),
        ("SomethingNew", 503, "unreachable"),
        ("InvalidParameterValue", 400, "invalid"),
        ("SomethingNew", 400, "invalid"),
    ],
)
def test_each_refusal_is_of_its_kind_and_says_what_aws_said(code: str, status: int, kind: str) -> None:
    error = refused(code, status)
    assert error.kind == kind
    assert "ec2:RunInstances" in error.words or kind == "quota"
    assert "Words of AWS." in error.words


def test_a_type_that_a_zone_does_not_have_is_not_said_to_be_sold_out() -> None:
    assert "does not have it in that zone" in refused("Unsupported").words


@pytest.mark.parametrize("code", ["InvalidClientTokenId", "RegionDisabledException"])
def test_a_region_that_is_off_for_stowage_itself_is_not_blamed_on_the_role(code: str) -> None:
    error = refused(code, 403, "sts:AssumeRole")
    assert error.kind == "denied"
    assert "Stowage's own account" in error.words
    assert "Stowage's own account" not in refused("AccessDenied", 403, "sts:AssumeRole").words


def test_without_credentials_of_our_own_it_is_told_whose_fault_that_is() -> None:
    with pytest.raises(CloudError) as caught, asking("sts:AssumeRole", REGION):
        raise NoCredentialsError
    assert caught.value.kind == "denied"
    assert "operator" in caught.value.words


def test_a_region_that_is_none_is_a_trouble_and_no_crash(aws: Simulated) -> None:
    assert aws.between.address
    with pytest.raises(CloudError):
        AwsClouds().of(connection(), "no region!").look(run_of(SPEC))


def test_a_group_that_was_made_and_lost_its_tag_is_found_by_its_name(aws: Simulated) -> None:
    run, cloud = run_of(SPEC), AwsClouds().of(connection(), REGION)
    cloud.do(run, Prepare(), KEY)
    [group] = cloud.look(run).security_groups
    aws.account.ec2.delete_tags(Resources=[group], Tags=[{"Key": "stowage-run"}])
    made = cloud.do(run, Prepare(), KEY)
    assert [each.id for each in made if each.kind == "security-group"] == [group]


@pytest.mark.parametrize("region", ["us-east-1", "eu-central-1", "ap-southeast-3"])
def test_addresses_lead_to_the_region_of_the_bucket(region: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("AWS_ENDPOINT_URL", raising=False)
    files = boto3.Session("AKIA", "key", "token").client("s3", region_name=region, config=FILES)
    for operation in ("get_object", "put_object"):
        address = urlsplit(files.generate_presigned_url(operation, Params={"Bucket": "stowage-1", "Key": "roll.json"}))
        assert (address.scheme, address.hostname) == ("https", f"stowage-1.s3.{region}.amazonaws.com")
        assert parse_qs(address.query)["X-Amz-SignedHeaders"] == ["host"]


@pytest.mark.parametrize("told", ["", "tomorrow", "2026-11-21", "2026-11-21T09:00:00", "9" * 400])
def test_a_deadline_that_cannot_be_read_is_none(told: str) -> None:
    assert tags.deadline_of({tags.DEADLINE: told}) is None


def test_a_deadline_is_read_as_it_was_written() -> None:
    at = datetime(2026, 11, 21, 9, 5, 7, tzinfo=UTC)
    told = tags.read(tags.tags(connection(), run_of(SPEC), at, attempt=3))
    assert tags.deadline_of(told) == at
    assert tags.attempt_of(told) == 3


@pytest.mark.parametrize("told", ["", "-1", "1.5", "٣", "9" * 400])
def test_what_is_no_attempt_is_the_first(told: str) -> None:
    assert tags.attempt_of({tags.ATTEMPT: told}) == 0


@pytest.mark.parametrize("told", ["", "x", "0192d3c4"])
def test_what_names_no_run_is_of_none(told: str) -> None:
    assert tags.run_of({tags.RUN: told}) is None
