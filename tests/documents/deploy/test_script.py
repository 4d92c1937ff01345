"""The boto3 script: its output, and its effects on a simulation of AWS."""

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import boto3
import pytest
from moto.iam.models import AWSManagedPolicy, iam_backends

from deployed import SHAPES, shape, texts
from documents_checked import faults_of_request, run_script, shown_requests
from laboratory.account import ACCOUNT, REGION, ROLE, Account, account
from laboratory.between import between
from laboratory.supplied import Supplied

SCRIPTS = [name for name in SHAPES if name != "no image"]


@pytest.mark.parametrize("name", SCRIPTS)
def test_without_a_command_it_shows_requests_that_aws_own_model_takes(name: str, tmp_path: Path) -> None:
    requests = shown_requests(texts(name)["boto3"], tmp_path)
    assert [faults_of_request("ec2", "RunInstances", each) for each in requests] == [""] * len(requests)
    made = shape(name)
    assert sum(each["MinCount"] for each in requests) == made.nodes + (made.primary is not None)
    assert max(each["MaxCount"] for each in requests) <= 100


@dataclass
class Simulated:
    """An account, and the capacity of its zones."""

    account: Account
    supplied: Supplied


@pytest.fixture(scope="module")
def simulated() -> Iterator[Simulated]:
    """Yield an account in which placement groups and tokens work as in AWS."""
    with pytest.MonkeyPatch.context() as patch, account() as behind, between(behind.moto) as endpoint:
        supplied = Supplied(behind, quota_vcpus=1e9)
        supplied.stand_in(endpoint)
        _know_the_policy()
        for name, value in {
            "AWS_ENDPOINT_URL": endpoint.address,
            "AWS_ACCESS_KEY_ID": "AKIADEPLOYMENT",
            "AWS_SECRET_ACCESS_KEY": "none",
            "AWS_EC2_METADATA_DISABLED": "true",
            "AWS_MAX_ATTEMPTS": "1",
            "AWS_CONFIG_FILE": "/nonexistent",
            "AWS_SHARED_CREDENTIALS_FILE": "/nonexistent",
        }.items():
            patch.setenv(name, value)
        given = boto3.client("sts", REGION).assume_role(RoleArn=ROLE, RoleSessionName="deployment")["Credentials"]
        patch.setenv("AWS_ACCESS_KEY_ID", given["AccessKeyId"])
        patch.setenv("AWS_SECRET_ACCESS_KEY", given["SecretAccessKey"])
        patch.setenv("AWS_SESSION_TOKEN", given["SessionToken"])
        yield Simulated(behind, supplied)


def _know_the_policy() -> None:
    """Register with the simulation the one AWS policy that nodes need; loading all of them takes ten seconds."""
    day = {"CreateDate": "2019-03-15T17:39:08+00:00", "UpdateDate": "2019-05-23T16:54:21+00:00"}
    policy = AWSManagedPolicy.from_data(
        "AmazonSSMManagedInstanceCore", ACCOUNT, "aws", {"Path": "/", "DefaultVersionId": "v1", "Document": {}, **day}
    )
    iam_backends[ACCOUNT]["aws"].managed_policies[policy.arn] = policy


def running(simulated: Simulated) -> list[Any]:
    return [each for each in simulated.account.instances() if each.state in {"pending", "running"}]


@pytest.mark.parametrize("name", ["emr on spot", pytest.param("nvme divided", marks=pytest.mark.soak("tools"))])
def test_launched_it_is_the_cluster_and_torn_down_nothing_is_left(
    name: str, simulated: Simulated, tmp_path: Path
) -> None:
    made, text = shape(name), texts(name)["boto3"]
    status, printed, complained = run_script(text, tmp_path, "launch")
    assert status == 0, complained
    assert len(printed.splitlines()) == made.nodes + (made.primary is not None)
    types = Counter(each.instance_type for each in running(simulated))
    assert types.total() == made.nodes + (made.primary is not None)

    again, _, _ = run_script(text, tmp_path, "launch")
    assert again == 0
    assert Counter(each.instance_type for each in running(simulated)) == types, "launched twice"

    asked, _, _ = run_script(text, tmp_path, "teardown")
    assert asked == 0
    assert len(running(simulated)) == types.total(), "ended without --yes"

    status, _, complained = run_script(text, tmp_path, "teardown", "--yes", "--delete-volumes")
    assert status == 0, complained
    assert simulated.account.left() == {}


def test_what_fails_half_way_is_ended_again(
    simulated: Simulated, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    text = texts("arm")["boto3"].replace("BATCH = 100", "BATCH = 4")
    for letter in "abcdef":
        monkeypatch.setitem(simulated.supplied.room, f"{REGION}{letter}", 4)
    status, _, complained = run_script(text, tmp_path, "launch")
    assert status == 1
    assert "4 of 6 are launched" in complained
    assert "InsufficientInstanceCapacity" in complained
    assert running(simulated) == []
    assert run_script(text, tmp_path, "teardown", "--yes")[0] == 0
    assert simulated.account.left() == {}


@pytest.mark.parametrize("name", ["Nightly; rm -rf /", "sg-1", "x" * 61])
def test_a_cluster_needs_a_name_that_aws_takes(name: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as ended:
        run_script(texts("arm")["boto3"], tmp_path, "launch", "--cluster", name)
    assert ended.value.code == 2
    assert capsys.readouterr().out == ""


def test_it_holds_no_keys() -> None:
    assert "aws_secret" not in texts("paper")["boto3"].lower()
