"""AWS accounts over the API: connected by an assumed role, checked by dry runs, and disconnected."""

import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from typing import Any
from uuid import UUID, uuid4

import pytest
from fastapi.testclient import TestClient

from aws_account import Simulated, connected_account
from laboratory.account import ACCOUNT, BUCKET, REGION, ROLE
from people import new_member, signed_in, signed_in_as, token_of
from quoted import approved, connected
from reported import ended, launched
from stowage.api.app import create_app
from stowage.features.benchmarks import aws_accounts
from stowage.features.benchmarks.store import aws_accounts as store
from stowage.model.job import JobKind
from stowage.platform.database.database import Database
from stowage.platform.jobs import jobs
from stowage.platform.jobs.fair_queue import Part
from stowage.platform.jobs.queue import Queue
from stowage.runs.cloud import Cloud, Clouds, Connection
from stowage.web.services import Services
from stowage_worker.aws.clouds import AwsClouds

ACCOUNTS = "/api/v1/aws-accounts"
PRINCIPAL = "arn:aws:iam::111122223333:role/stowage-worker"


@pytest.fixture(scope="module")
def aws() -> Iterator[Simulated]:
    """Yield a simulated account with a role and a bucket."""
    with connected_account() as simulated:
        yield simulated


def stack_made(aws: Simulated, external_id: str) -> None:
    """Make the role trust the service by an external id, as the template does."""
    aws.between.external_id = external_id
    aws.enforced.trust(external_id)


def begin(client: TestClient, name: str = "Benchmarks", **headers: str) -> dict[str, Any]:
    answer = client.post(ACCOUNTS, json={"name": name, "bucket_region": REGION}, headers=headers)
    assert answer.status_code == 201, answer.text
    account: dict[str, Any] = answer.json()
    assert answer.headers["location"] == f"{ACCOUNTS}/{account['id']}"
    return account


def change(client: TestClient, account: dict[str, Any], **changed: Any) -> dict[str, Any]:
    answer = client.patch(f"{ACCOUNTS}/{account['id']}", json=changed)
    assert answer.status_code == 200, answer.text
    found: dict[str, Any] = answer.json()
    return found


def check(client: TestClient, account: dict[str, Any]) -> dict[str, Any]:
    answer = client.post(f"{ACCOUNTS}/{account['id']}/check")
    assert answer.status_code == 202, answer.text
    found: dict[str, Any] = answer.json()
    return found


def work(database: Database, queue: Queue, org_id: UUID, account: dict[str, Any], clouds: Clouds | None = None) -> None:
    """Process the job that checks an account, as a worker does."""
    part = Part(org_id, UUID(account["job"]["id"]), "account", 0)
    reached = clouds or AwsClouds()
    works: dict[JobKind, jobs.Work] = {"account": lambda held: aws_accounts.check_part(held, reached)}
    jobs.work_on_part(database, queue, part, works, time.monotonic)


@dataclass
class Interrupted:
    """Connection to AWS that calls a function first."""

    first: Callable[[], object]
    """Called before the connection is made."""

    def of(self, connection: Connection, region: str) -> Cloud:
        self.first()
        return AwsClouds().of(connection, region)


def test_an_account_begins_with_an_external_id_of_its_own(client: TestClient) -> None:
    key = str(uuid4())
    first = begin(client, **{"Idempotency-Key": key})
    assert begin(client, "Another name", **{"Idempotency-Key": key}) == first
    second = begin(client, "Second")
    assert first["external_id"] != second["external_id"]
    assert len(first["external_id"]) >= 40
    assert (first["state"], first["account"], first["role_arn"], first["bucket"]) == ("unchecked", None, None, None)
    assert (first["prefix"], first["month_limit_usd"], first["open_runs"]) == ("stowage/", 100.0, 0)
    listed = client.get(ACCOUNTS).json()["accounts"]
    assert listed == [first, second]


def test_the_template_is_filled_in_for_the_connection_and_holds_no_key(
    client: TestClient, services: Services, gate: Database, org_id: UUID, anonymous: TestClient
) -> None:
    account = begin(client)
    assert client.get(f"{ACCOUNTS}/{account['id']}/template").json()["principal"] is None
    app = create_app(replace(services, aws_principal=PRINCIPAL), page=None)
    with TestClient(app, base_url="http://localhost") as known:
        template = signed_in(known, gate, org_id).get(f"{ACCOUNTS}/{account['id']}/template").json()
    assert account["external_id"] in template["template"]
    assert account["id"] in template["template"]
    assert "AKIA" not in template["template"]
    assert template["principal"] == PRINCIPAL
    assert PRINCIPAL in template["template"]
    assert template["command"].startswith(f"aws cloudformation deploy --region {REGION} ")
    assert template["console_url"].startswith(f"https://{REGION}.console.aws.amazon.com/")
    assert anonymous.get(f"{ACCOUNTS}/{account['id']}/template").status_code == 401


def test_a_role_that_can_be_assumed_and_does_all_that_is_needed_connects_the_account(
    client: TestClient, database: Database, queue: Queue, org_id: UUID, aws: Simulated
) -> None:
    account = begin(client)
    stack_made(aws, account["external_id"])
    known = change(client, account, role_arn=ROLE, bucket=BUCKET)
    assert (known["account"], known["state"]) == (ACCOUNT, "unchecked")
    checking = check(client, account)
    assert (checking["state"], checking["job"]["kind"]) == ("checking", "account")
    # While a check is in progress, no second one starts.
    assert check(client, account)["job"]["id"] == checking["job"]["id"]
    work(database, queue, org_id, checking)
    found = client.get(f"{ACCOUNTS}/{account['id']}").json()
    assert (found["state"], found["problem"], found["job"]) == ("connected", None, None), found
    assert {each["outcome"] for each in found["findings"]} <= {"granted", "unknown"}
    assert "ec2:RunInstances" in {each["action"] for each in found["findings"]}
    assert found["checked_at"] is not None
    # Another bucket invalidates all checks.
    moved = change(client, account, bucket="another-bucket")
    assert (moved["state"], moved["findings"], moved["checked_at"]) == ("unchecked", [], None)


def test_a_role_that_does_not_know_us_says_so(
    client: TestClient, database: Database, queue: Queue, org_id: UUID, aws: Simulated
) -> None:
    account = begin(client)
    stack_made(aws, "of-another-team")
    change(client, account, role_arn=ROLE, bucket=BUCKET)
    work(database, queue, org_id, check(client, account))
    found = client.get(f"{ACCOUNTS}/{account['id']}").json()
    assert found["state"] == "failing"
    assert found["problem"]
    assert account["external_id"] not in found["problem"]


def test_what_a_check_found_of_another_role_is_not_said_of_this_one(
    client: TestClient, database: Database, queue: Queue, org_id: UUID, aws: Simulated
) -> None:
    account = begin(client)
    stack_made(aws, account["external_id"])
    change(client, account, role_arn=ROLE, bucket=BUCKET)
    checking = check(client, account)

    meanwhile = Interrupted(lambda: change(client, account, role_arn=f"{ROLE}-2"))
    work(database, queue, org_id, checking, meanwhile)
    found = client.get(f"{ACCOUNTS}/{account['id']}").json()
    assert (found["state"], found["findings"]) == ("unchecked", [])


def test_without_a_role_there_is_nothing_to_check(client: TestClient) -> None:
    account = begin(client)
    answer = client.post(f"{ACCOUNTS}/{account['id']}/check")
    assert answer.status_code == 409
    assert "role is not known yet" in answer.json()["detail"]


@pytest.mark.parametrize(
    ("changed", "path"),
    [
        ({"role_arn": "arn:aws:iam::12345:role/stowage"}, "role_arn"),
        ({"role_arn": "arn:aws:iam::123456789012:user/ada"}, "role_arn"),
        ({"role_arn": "arn:aws:iam::123456789012:role/a\nb"}, "role_arn"),
        ({"bucket": "Not_A_Bucket"}, "bucket"),
        ({"bucket": "a/b"}, "bucket"),
        ({"bucket_region": "us-east-1/../"}, "bucket_region"),
        ({"month_limit_usd": -1.0}, "month_limit_usd"),
        ({"month_limit_usd": None}, "month_limit_usd"),
        ({"name": None}, "name"),
        ({"external_id": "mine"}, "external_id"),
        ({"prefix": "elsewhere/"}, "prefix"),
        ({"access_key": "AKIA"}, "access_key"),
    ],
)
def test_what_is_no_role_no_bucket_no_sum_is_refused_at_its_field(
    client: TestClient, changed: dict[str, Any], path: str
) -> None:
    account = begin(client)
    answer = client.patch(f"{ACCOUNTS}/{account['id']}", json=changed)
    assert answer.status_code == 422
    assert [error["path"] for error in answer.json()["errors"]] == [path]
    assert client.get(f"{ACCOUNTS}/{account['id']}").json() == account


def test_an_account_is_not_let_go_of_while_a_run_is_open_in_it(
    client: TestClient, database: Database, org_id: UUID
) -> None:
    account_id = connected(database, org_id)
    address = f"{ACCOUNTS}/{account_id}"
    run_id = approved(database, org_id, account_id)
    for refused in (client.delete(address), client.patch(address, json={"role_arn": f"{ROLE}-2"})):
        assert refused.status_code == 409
        assert "A run is open in it" in refused.json()["detail"]
    assert client.patch(address, json={"name": "Ours", "month_limit_usd": 5.0}).json()["month_limit_usd"] == 5.0
    launched(database, org_id, run_id, 2)
    ended(database, org_id, run_id)
    assert client.delete(address).status_code == 204
    assert client.get(address).status_code == 404
    assert client.get(ACCOUNTS).json()["accounts"] == []
    # Its run can still be read, and names its account.
    run = client.get(f"/api/v1/runs/{run_id}").json()
    assert (run["account_id"], run["account_name"]) == (None, "Ours")


def test_an_account_is_kept_as_it_is_while_a_run_of_it_is_in_doubt(
    client: TestClient, database: Database, org_id: UUID
) -> None:
    account_id = connected(database, org_id)
    address = f"{ACCOUNTS}/{account_id}"
    run_id = approved(database, org_id, account_id)
    launched(database, org_id, run_id, 2)
    ended(database, org_id, run_id, state="failed", outcome="failed", verified=False)
    for refused in (
        client.patch(address, json={"role_arn": "arn:aws:iam::222222222222:role/stowage"}),
        client.patch(address, json={"bucket": "another-bucket"}),
        client.patch(address, json={"bucket_region": "eu-west-1"}),
        client.delete(address),
    ):
        assert refused.status_code == 409
        assert "it was not seen that nothing is left" in refused.json()["detail"]
    # Another role in the same account, as after the stack was recreated, finds the first one's resources.
    same = {"role_arn": "arn:aws:iam::123456789012:role/stowage-2"}
    assert client.patch(address, json=same).json()["state"] == "unchecked"
    now = datetime.now(UTC) + aws_accounts.DOUBT
    aws_accounts.remove_account(database, org_id, account_id, now=now)
    told = [each["words"] for each in client.get(f"/api/v1/runs/{run_id}").json()["log"]]
    assert told[-1] == "The account was removed: resources that may be left are no longer looked for."


def test_an_account_is_not_connected_before_it_is_known_that_its_role_demands_the_external_id(
    client: TestClient, database: Database, queue: Queue, org_id: UUID, aws: Simulated
) -> None:
    account = begin(client)
    stack_made(aws, account["external_id"])
    change(client, account, role_arn=ROLE, bucket=BUCKET)
    ours, aws.between.external_id = account["external_id"], None
    aws.between.fail("sts:AssumeRole", "broken", None, lambda call: call.parameters.get("ExternalId") != ours)
    work(database, queue, org_id, check(client, account))
    aws.between.heal()
    found = client.get(f"{ACCOUNTS}/{account['id']}").json()
    assert found["state"] == "failing"
    assert found["problem"].startswith("sts:ExternalId: It was not found out: ")


def test_a_viewer_sees_no_external_id_and_changes_nothing(
    client: TestClient, anonymous: TestClient, gate: Database, org_id: UUID
) -> None:
    account = change(client, begin(client), role_arn=ROLE, bucket=BUCKET)
    address = f"{ACCOUNTS}/{account['id']}"
    planner = signed_in_as(anonymous, gate, new_member(gate, org_id, "planner"))
    hidden = dict.fromkeys(("account", "role_arn", "external_id", "bucket"))
    assert planner.get(address).json() == account | hidden
    assert ACCOUNT not in planner.get(ACCOUNTS).text
    assert account["external_id"] not in planner.get(ACCOUNTS).text
    assert planner.get(f"{address}/template").status_code == 404
    assert planner.patch(address, json={"month_limit_usd": 1e6}).status_code == 404
    planner.cookies.clear()
    token = {"Authorization": f"Bearer {token_of(gate, org_id, ['read', 'plan', 'measure'])}"}
    assert planner.get(address, headers=token).json()["external_id"] is None
    for answer in (
        planner.post(ACCOUNTS, json={"name": "By token"}, headers=token),
        planner.patch(address, json={"month_limit_usd": 1e6}, headers=token),
        planner.get(f"{address}/template", headers=token),
        planner.delete(address, headers=token),
    ):
        assert answer.status_code == 404
    assert client.get(address).json() == account


def test_an_account_of_another_team_is_no_account(client: TestClient, other_client: TestClient) -> None:
    account = begin(client)
    address = f"{ACCOUNTS}/{account['id']}"
    for answer in (
        other_client.get(address),
        other_client.get(f"{address}/template"),
        other_client.patch(address, json={"name": "Mine"}),
        other_client.post(f"{address}/check"),
        other_client.delete(address),
        other_client.post(ACCOUNTS, json={"name": "Mine"}, headers={"Idempotency-Key": account["id"]}),
    ):
        assert answer.status_code == 404
    assert client.get(address).json() == account


def test_a_team_has_so_many_accounts(client: TestClient) -> None:
    for _ in range(aws_accounts.MOST_ACCOUNTS):
        begin(client)
    refused = client.post(ACCOUNTS, json={"name": "One more"})
    assert refused.status_code == 409
    assert f"{aws_accounts.MOST_ACCOUNTS} accounts" in refused.json()["detail"]


def test_what_is_done_with_an_account_is_recorded_without_its_external_id(client: TestClient) -> None:
    account = begin(client)
    change(client, account, role_arn=ROLE, bucket=BUCKET)
    change(client, account, name="Ours")
    change(client, account, month_limit_usd=20.0)
    client.delete(f"{ACCOUNTS}/{account['id']}")
    answer = client.get("/api/v1/audit")
    who = client.get("/api/v1/session").json()["person"]["name"]
    told = [event["sentence"] for event in answer.json()["events"] if event["action"].startswith("aws_account.")]
    assert [sentence.removeprefix(f"{who} ") for sentence in told[::-1]] == [
        "began to connect the AWS account Benchmarks.",
        "said which role is assumed in the AWS account Benchmarks.",
        "renamed the AWS account Benchmarks to Ours.",
        "limited a month of Ours to 20.0 USD.",
        "removed the AWS account Ours.",
    ]
    assert account["external_id"] not in answer.text


def test_an_outcome_of_another_version_is_unknown(client: TestClient, database: Database, org_id: UUID) -> None:
    account_id = connected(database, org_id)
    findings = [{"action": "ec2:RunInstances", "outcome": "deferred", "words": "Later."}]
    with database.transaction(org_id) as connection:
        store.change(connection, account_id, {"findings": findings})
    assert client.get(f"{ACCOUNTS}/{account_id}").json()["findings"] == [findings[0] | {"outcome": "unknown"}]
