"""Benchmark runs over the API: a quote, its approval, progress, and the results that are accepted."""

import json
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from decimal import Decimal
from threading import Barrier
from typing import Any
from uuid import UUID, uuid4

import pytest
from fastapi.testclient import TestClient

from asked_runs import OTHER, QUESTION, RUNS, SPEC, TYPE, approve, create, measured, read
from outdated import replace_workload
from people import new_member, signed_in, signed_in_as, token_of
from quoted import connected
from quoted import quoted as stored_quote
from reported import ended, launched, move, net_document, report, status
from stowage.api.app import create_app
from stowage.features.benchmarks import runs as use_case
from stowage.features.benchmarks.schemas import Approval
from stowage.features.benchmarks.store import aws_accounts, runs
from stowage.platform.database.database import Database
from stowage.platform.errors import Conflict
from stowage.platform.jobs.queue import Queue
from stowage.runs.pace import Pace
from stowage.web.services import Services


@pytest.fixture
def account(database: Database, org_id: UUID) -> UUID:
    """Connect an account as if it had been checked."""
    return connected(database, org_id)


def test_a_quote_bounds_what_a_run_costs_and_names_each_source(client: TestClient, account: UUID) -> None:
    answer = client.post(f"{RUNS}/quote", json={"spec": SPEC, "account_id": str(account)})
    assert answer.status_code == 200, answer.text
    quote = answer.json()
    price = client.get(f"/api/v1/catalogs/latest/regions/us-east-1/instance-types/{TYPE}").json()
    assert TYPE in json.dumps(price)
    parts = {part["name"]: part for part in quote["parts"]}
    # Each of the four nodes for the whole of 30 min, and a minute for each further attempt.
    assert parts["instances"]["usd"] == pytest.approx(4 * 2.496 * 32 / 60)
    assert quote["total_usd"] == float(quote["total_usd"])
    assert sum(part["usd"] for part in quote["parts"]) <= quote["total_usd"]
    assert quote["total_usd"] < sum(part["usd"] for part in quote["parts"]) + 0.01
    assert all(part["source"] and part["words"] for part in quote["parts"])
    assert quote["longest_s"] == 1_800.0
    assert (quote["problems"], quote["changes"]) == ([], [])
    assert f"${quote['total_usd']:,.2f}" in quote["sentence"]
    assert client.get(RUNS).json() == {"runs": [], "next_cursor": None}


def test_a_longer_limit_more_nodes_and_volumes_cost_more(client: TestClient) -> None:
    def total(**changed: Any) -> float:
        answer = client.post(f"{RUNS}/quote", json={"spec": SPEC | changed})
        assert answer.status_code == 200, answer.text
        return float(answer.json()["total_usd"])

    once = total()
    assert total(time_limit_s=3_600.0) > 1.8 * once
    assert total(nodes=8) > 1.9 * once
    volumes = {"kind": "ebs", "type": "gp3", "size_gib": 500, "count": 4}
    assert total(benchmark="diskbench", storage=volumes, nodes=4) > once
    assert total(market="spot") < once


def test_what_a_run_would_change_in_saved_plans_is_said_before_it_is_paid_for(client: TestClient) -> None:
    plan = client.post("/api/v1/plans", json=QUESTION).json()
    winner = plan["answer"]["configurations"][0]
    assert winner["instance"] == TYPE
    [change] = client.post(f"{RUNS}/quote", json={"spec": SPEC}).json()["changes"]
    assert (change["plan_id"], change["name"]) == (plan["id"], plan["name"])
    assert change["words"].startswith(f"Its winner, {winner['nodes']} × {TYPE}, rests on network")
    redis = {"benchmark": "redis", "storage": {"kind": "instance-store"}, "placement_group": False}
    for other in ({"instance": OTHER}, {"region": "eu-west-1"}, {"placement_group": False}, redis):
        answer = client.post(f"{RUNS}/quote", json={"spec": SPEC | other})
        assert answer.json()["changes"] == [], other
    disks = {"benchmark": "diskbench", "storage": {"kind": "instance-store"}, "placement_group": False}
    [change] = client.post(f"{RUNS}/quote", json={"spec": SPEC | disks}).json()["changes"]
    assert "rests on storage" in change["words"]


def test_a_plan_of_an_earlier_version_is_left_out_of_what_a_run_would_change(
    client: TestClient, database: Database, org_id: UUID
) -> None:
    outdated, plan = (client.post("/api/v1/plans", json=QUESTION).json() for _ in range(2))
    replace_workload(database, org_id, outdated, {**QUESTION, "workload": {"payload": "100 TB"}})
    quoted = client.post(f"{RUNS}/quote", json={"spec": SPEC})
    assert quoted.status_code == 200, quoted.text
    assert [each["plan_id"] for each in quoted.json()["changes"]] == [plan["id"]]


@pytest.mark.parametrize(
    ("changed", "path"),
    [
        ({"nodes": 1}, "spec.nodes"),
        ({"nodes": 201}, "spec.nodes"),
        ({"instance": "i9.vast"}, "spec.instance"),
        ({"region": "mars-north-1"}, "spec.region"),
        ({"zone": "eu-west-1a"}, "spec.zone"),
        ({"time_limit_s": 60.0}, "spec.time_limit_s"),
        ({"benchmark": "diskbench", "nodes": 1}, "spec.storage"),
        ({"benchmark": "diskbench", "instance": "c5.large", "storage": {"kind": "instance-store"}}, "spec.storage"),
        (
            {
                "benchmark": "diskbench",
                "storage": {"kind": "ebs", "type": "gp3", "size_gib": 10, "iops": 999_999},
            },
            "spec.storage.iops",
        ),
    ],
)
def test_what_cannot_be_run_is_refused_at_its_field(
    client: TestClient, account: UUID, changed: dict[str, Any], path: str
) -> None:
    for where, body in (
        ("/quote", {"spec": SPEC | changed}),
        ("", {"name": "No", "account_id": str(account), "spec": SPEC | changed}),
    ):
        answer = client.post(f"{RUNS}{where}", json=body)
        assert answer.status_code == 422, answer.text
        assert path in [error["path"] for error in answer.json()["errors"]], answer.text
    assert client.get(RUNS).json()["runs"] == []


@pytest.mark.parametrize(
    ("spec", "path", "message"),
    [
        (SPEC | {"nodez": 4}, "spec.nodez", "is not a field that is known here"),
        (
            SPEC | {"storage": {"kind": "ebs", "type": "gp3", "size_gib": 10, "iopz": 3_000}},
            "spec.storage.iopz",
            "is not a field that is known here",
        ),
        (
            SPEC | {"storage": {"kind": "instance-store", "count": 2}},
            "spec.storage.count",
            "is not a field that is known here",
        ),
        (SPEC | {"net": 7}, "spec.net", "7 is not a mapping"),
        (SPEC | {"storage": {}}, "spec.storage", "needs 'kind'"),
        (5, "spec", "5 is not a mapping"),
    ],
)
def test_a_specification_of_another_form_is_refused_in_words(
    client: TestClient, account: UUID, spec: object, path: str, message: str
) -> None:
    for where, body in (
        ("/quote", {"spec": spec}),
        ("", {"name": "No", "account_id": str(account), "spec": spec}),
    ):
        answer = client.post(f"{RUNS}{where}", json=body)
        assert answer.status_code == 422, answer.text
        assert answer.json()["errors"] == [{"path": path, "message": message}]


def test_what_speaks_against_a_run_in_an_account_is_said_with_its_price(
    client: TestClient, database: Database, org_id: UUID, account: UUID
) -> None:
    def problems() -> list[str]:
        answer = client.post(f"{RUNS}/quote", json={"spec": SPEC, "account_id": str(account)})
        found: list[str] = answer.json()["problems"]
        return found

    with database.transaction(org_id) as connection:
        aws_accounts.change(connection, account, {"month_limit_usd": Decimal("1.50")})
    [limit] = problems()
    assert limit.startswith("Of the $1.50 that runs in Benchmarks may cost in a month $1.50 are left")
    with database.transaction(org_id) as connection:
        values = {"month_limit_usd": Decimal(100), "state": "failing", "problem": "ec2:RunInstances: denied"}
        aws_accounts.change(connection, account, values)
    assert problems() == ["The last check of Benchmarks did not end well: ec2:RunInstances: denied"]
    assert client.post(f"{RUNS}/quote", json={"spec": SPEC, "account_id": str(uuid4())}).status_code == 404


def test_a_run_is_stored_once_under_its_key_and_not_launched(
    client: TestClient, database: Database, org_id: UUID, account: UUID
) -> None:
    key = str(uuid4())
    run = create(client, account, key=key)
    assert create(client, account, key=key) == run
    assert run["id"] == key
    assert (run["state"], run["can_approve"], run["can_cancel"], run["can_accept"]) == ("quoted", True, True, False)
    assert [step["status"] for step in run["steps"]] == ["now", *["ahead"] * 6]
    assert (run["spent_usd"], run["agreed_usd"], run["nodes"], run["resources"]) == (0.0, None, [], [])
    assert run["spec"]["net"]["measured_s"] == 20.0
    [listed] = client.get(RUNS).json()["runs"]
    assert listed == {name: run[name] for name in listed}
    with database.transaction(org_id) as connection:
        assert runs.claim(connection, UUID(key)) is None
        assert len(runs.key_of(connection, UUID(key))) == 32


def test_the_key_of_a_run_is_in_no_answer(client: TestClient, database: Database, org_id: UUID, account: UUID) -> None:
    run = measured(client, database, org_id, account, 1_000.0, 1_010.0, 990.0, 1_000.0)
    with database.transaction(org_id) as connection:
        key = runs.key_of(connection, UUID(run["id"]))
    address = f"{RUNS}/{run['id']}"
    told = [client.get(address).text, client.get(f"{address}/log").text, client.get(RUNS).text]
    told.append(client.get(f"{RUNS}/compare", params={"ids": run["id"]}).text)
    with client.stream("GET", f"{address}/events") as events:
        told.append("".join(events.iter_text()))
    assert [text for text in told if key.hex() in text or str(key) in text] == []


def test_only_the_sum_that_was_quoted_can_be_agreed_to(client: TestClient, account: UUID) -> None:
    run = create(client, account)
    for wrong in (run["quoted_usd"] - 0.01, run["quoted_usd"] + 0.01):
        answer = client.post(f"{RUNS}/{run['id']}/approve", json={"agreed_usd": wrong})
        assert answer.status_code == 422
        [error] = answer.json()["errors"]
        assert error["path"] == "agreed_usd"
        assert str(run["quoted_usd"]) in error["message"]
    assert read(client, run)["state"] == "quoted"
    approved = approve(client, run)
    assert (approved["state"], approved["agreed_usd"]) == ("approved", run["quoted_usd"])
    # A client that did not receive the answer retries.
    assert approve(client, run)["agreed_at"] == approved["agreed_at"]
    assert [event["kind"] for event in approved["log"]] == ["state", "state"]


def test_a_worker_finds_a_run_once_it_is_approved(
    client: TestClient, database: Database, gate: Database, org_id: UUID, account: UUID
) -> None:
    run = create(client, account)
    approve(client, run)
    with gate.transaction(None) as connection:
        assert UUID(run["id"]) in {run_id for _, run_id in runs.due(connection, 10_000)}
    client.post(f"{RUNS}/{run['id']}/cancel")
    with database.transaction(org_id) as connection:
        held = runs.claim(connection, UUID(run["id"]))
    assert held is not None
    assert held.cancel_asked


def test_an_old_quote_holds_no_more(client: TestClient, database: Database, org_id: UUID, account: UUID) -> None:
    old = stored_quote(database, org_id, account, now=datetime.now(UTC) - timedelta(hours=24, seconds=1))
    run = client.get(f"{RUNS}/{old}").json()
    assert not run["can_approve"]
    answer = client.post(f"{RUNS}/{old}/approve", json={"agreed_usd": run["quoted_usd"]})
    assert answer.status_code == 409
    assert "not valid any more" in answer.json()["detail"]
    with database.transaction(org_id) as connection:
        assert runs.claim(connection, old) is None


def test_a_month_of_an_account_costs_no_more_than_its_limit(
    client: TestClient, database: Database, org_id: UUID, account: UUID
) -> None:
    first, second = create(client, account), create(client, account)
    limit = Decimal(repr(first["quoted_usd"])) + Decimal("0.50")
    with database.transaction(org_id) as connection:
        aws_accounts.change(connection, account, {"month_limit_usd": limit})
    approve(client, first)
    body = {"agreed_usd": second["quoted_usd"]}
    refused = client.post(f"{RUNS}/{second['id']}/approve", json=body)
    assert refused.status_code == 409
    assert "$0.50 are left" in refused.json()["detail"]
    # The unspent part of an approved sum is available again after the run; the spent part is not.
    launched(database, org_id, UUID(first["id"]), 4)
    ended(database, org_id, UUID(first["id"]), 0.40)
    [listed] = client.get("/api/v1/aws-accounts").json()["accounts"]
    assert (listed["month_committed_usd"], listed["open_runs"]) == (0.4, 0)
    assert client.post(f"{RUNS}/{second['id']}/approve", json=body).status_code == 200


def test_of_two_who_agree_at_once_the_month_takes_one(
    client: TestClient, database: Database, queue: Queue, org_id: UUID, account: UUID
) -> None:
    made = [create(client, account) for _ in range(4)]
    with database.transaction(org_id) as connection:
        limit = Decimal(repr(made[0]["quoted_usd"])) * Decimal("1.5")
        aws_accounts.change(connection, account, {"month_limit_usd": limit})
    together = Barrier(len(made))

    def agree(run: dict[str, Any]) -> str:
        together.wait()
        approval, now = Approval(agreed_usd=run["quoted_usd"]), datetime.now(UTC)
        try:
            return use_case.approve_run(database, org_id, queue, UUID(run["id"]), approval, by="Ada", now=now).state
        except Conflict as error:
            return str(error)

    with ThreadPoolExecutor(len(made)) as pool:
        said = sorted(pool.map(agree, made))
    assert said[-1] == "approved"
    assert all("are left, and this run may cost" in each for each in said[:-1])


def test_only_a_planner_or_an_owner_approves_and_no_token_does(
    client: TestClient, anonymous: TestClient, gate: Database, org_id: UUID, account: UUID
) -> None:
    contributor = signed_in_as(anonymous, gate, new_member(gate, org_id, "contributor"))
    run = create(contributor, account)
    body = {"agreed_usd": run["quoted_usd"]}
    assert contributor.post(f"{RUNS}/{run['id']}/approve", json=body).status_code == 404
    token = {"Authorization": f"Bearer {token_of(gate, org_id, ['read', 'plan', 'measure'])}"}
    contributor.cookies.clear()
    assert contributor.get(f"{RUNS}/{run['id']}", headers=token).status_code == 200
    assert contributor.post(f"{RUNS}/{run['id']}/approve", json=body, headers=token).status_code == 404
    planner = signed_in_as(contributor, gate, new_member(gate, org_id, "planner"))
    assert planner.post(f"{RUNS}/{run['id']}/approve", json=body).status_code == 200
    assert client.get(f"{RUNS}/{run['id']}").json()["state"] == "approved"


def test_an_account_that_is_not_checked_launches_nothing(
    client: TestClient, database: Database, org_id: UUID, account: UUID
) -> None:
    run = create(client, account)
    with database.transaction(org_id) as connection:
        aws_accounts.change(connection, account, {"state": "unchecked"})
    answer = client.post(f"{RUNS}/{run['id']}/approve", json={"agreed_usd": run["quoted_usd"]})
    assert answer.status_code == 409
    assert "is not checked yet" in answer.json()["detail"]


def test_a_run_must_fit_its_time_limit_at_the_pace_that_it_is_moved_at(
    client: TestClient, services: Services, gate: Database, org_id: UUID, account: UUID
) -> None:
    create(client, account)
    slow = create_app(replace(services, pace=Pace(tear_down_s=3_000.0)), page=None)
    with TestClient(slow, base_url="http://localhost") as other:
        signed_in(other, gate, org_id)
        for path, asked in (("/quote", {}), ("", {"name": "Slow", "account_id": str(account)})):
            answer = other.post(f"{RUNS}{path}", json=asked | {"spec": SPEC})
            assert answer.status_code == 422, answer.text
            assert [each["path"] for each in answer.json()["errors"]] == ["spec.time_limit_s"]


def test_a_run_can_be_cancelled_at_any_time_and_says_so(
    client: TestClient, database: Database, org_id: UUID, account: UUID
) -> None:
    waiting = create(client, account)
    cancelled = client.post(f"{RUNS}/{waiting['id']}/cancel").json()
    assert (cancelled["state"], cancelled["verified"], cancelled["can_cancel"]) == ("cancelled", True, False)
    assert [step["status"] for step in cancelled["steps"]] == ["ended", *["left-out"] * 5, "ended"]
    refused = client.post(f"{RUNS}/{waiting['id']}/approve", json={"agreed_usd": waiting["quoted_usd"]})
    assert refused.status_code == 409
    under_way = create(client, account)
    approve(client, under_way)
    launched(database, org_id, UUID(under_way["id"]), 4)
    asked = client.post(f"{RUNS}/{under_way['id']}/cancel").json()
    # A worker deletes the resources; until then the run is not over.
    assert (asked["state"], asked["can_cancel"]) == ("running", False)
    assert asked["cancel_asked_at"] is not None
    assert client.post(f"{RUNS}/{under_way['id']}/cancel").json()["cancel_asked_at"] == asked["cancel_asked_at"]


def test_for_a_run_that_ended_in_doubt_its_nodes_are_not_reported_as_ended(
    client: TestClient, database: Database, org_id: UUID, account: UUID
) -> None:
    run = create(client, account)
    approve(client, run)
    run_id = UUID(run["id"])
    up = launched(database, org_id, run_id, 2)
    status(database, org_id, run_id, 0, at=datetime.now(UTC) - timedelta(minutes=5), phase="net-2", words="measures")
    # The account could not be inspected: its nodes are counted until their timers end them, which is in the future.
    counted = tuple(replace(each, ended_at=up.ends_at) for each in up.resources)
    doubt: dict[str, Any] = {
        "state": "failed",
        "outcome": "failed",
        "verified": False,
        "finished_at": datetime.now(UTC),
    }
    move(database, org_id, run_id, resources=counted, **doubt)
    found = read(client, run)
    [heard, never] = found["nodes"]
    assert (heard["state"], heard["words"].endswith(" UTC: measures")) == ("silent", True)
    assert (never["state"], never["words"]) == ("silent", "Nothing was ever heard of it.")
    assert (found["verified"], found["cost_per_hour"]) == (False, 5.0)


def test_what_nodes_say_is_shown_while_they_measure(
    client: TestClient, database: Database, org_id: UUID, account: UUID
) -> None:
    run = create(client, account)
    approve(client, run)
    run_id = UUID(run["id"])
    launched(database, org_id, run_id, 4)
    now = datetime.now(UTC)
    live = {"received_mb_per_s": 870.5}
    status(database, org_id, run_id, 0, at=now, phase="net-4", progress=0.5, words="measures", live=live)
    status(database, org_id, run_id, 1, at=now - timedelta(minutes=5), phase="net-2", words="measures")
    status(database, org_id, run_id, 2, at=now, state="done", words="has no more to do")
    report(database, org_id, run_id, 0, "net-2", net_document(1_000.0, now))
    found = read(client, run)
    assert [(node["state"], node["instance_id"], node["zone"]) for node in found["nodes"]] == [
        ("running", "i-0000", "us-east-1a"),
        ("silent", "i-0001", "us-east-1a"),
        ("done", "i-0002", "us-east-1a"),
        ("awaited", "i-0003", "us-east-1a"),
    ]
    assert found["nodes"][0]["live"] == {
        "read_mb_per_s": None,
        "write_mb_per_s": None,
        "received_mb_per_s": 870.5,
        "sent_mb_per_s": None,
    }
    assert found["cost_per_hour"] == 10.0
    assert found["sentence"] == "4 nodes measure; 1 of 6 reports have come."
    [pair, four] = found["results"]
    assert (pair["phase"], pair["complete"], pair["nodes_missing"]) == ("net-2", False, [1])
    assert (four["phase"], four["metrics"], four["nodes_missing"]) == ("net-4", [], [0, 1, 2, 3])
    assert [(step["state"], step["status"]) for step in found["steps"]][2:5] == [
        ("launching", "ended"),
        ("running", "now"),
        ("collecting", "ahead"),
    ]
    assert client.post(f"{RUNS}/{run['id']}/accept").status_code == 409


def test_a_stream_tells_the_whole_run_and_ends_with_it(
    client: TestClient, database: Database, org_id: UUID, account: UUID
) -> None:
    run = measured(client, database, org_id, account, 1_000.0, 1_010.0, 990.0, 1_000.0)
    with client.stream("GET", f"{RUNS}/{run['id']}/events") as events:
        lines = [line for line in events.iter_lines() if line.startswith(("event:", "data:"))]
    assert lines[0] == "event: run"
    assert json.loads(lines[1].removeprefix("data: ")) == run
    assert len(lines) == 2


def test_the_stream_of_a_run_awaiting_approval_sends_its_state_and_ends(client: TestClient, account: UUID) -> None:
    run = create(client, account)
    with ThreadPoolExecutor(1) as pool:
        stream = pool.submit(client.get, f"{RUNS}/{run['id']}/events")
        try:
            told = stream.result(timeout=30).text
        finally:
            client.post(f"{RUNS}/{run['id']}/cancel")
    assert told.count("event: run") == 1
    assert '"state":"quoted"' in told


def test_a_follower_of_a_run_is_told_how_it_ends(
    client: TestClient, database: Database, org_id: UUID, account: UUID
) -> None:
    run = create(client, account)
    approve(client, run)
    launched(database, org_id, UUID(run["id"]), 4)

    def follow() -> list[dict[str, Any]]:
        with client.stream("GET", f"{RUNS}/{run['id']}/events") as events:
            lines = [line for line in events.iter_lines() if line.startswith("data:")]
        return [json.loads(line.removeprefix("data: ")) for line in lines]

    with ThreadPoolExecutor(1) as pool:
        following = pool.submit(follow)
        ended(database, org_id, UUID(run["id"]), state="cancelled", outcome="cancelled")
        told = following.result(timeout=60)
    assert told[-1] == read(client, run)
    assert told[-1]["state"] == "cancelled"
    assert {each["id"] for each in told} == {run["id"]}


def test_a_list_comes_in_pages_and_by_state(client: TestClient, account: UUID) -> None:
    made = [create(client, account)["id"] for _ in range(3)]
    client.post(f"{RUNS}/{made[1]}/cancel")
    first = client.get(RUNS, params={"limit": 2}).json()
    rest = client.get(RUNS, params={"limit": 2, "cursor": first["next_cursor"]}).json()
    assert [each["id"] for each in first["runs"] + rest["runs"]] == made[::-1]
    assert rest["next_cursor"] is None
    assert [each["id"] for each in client.get(RUNS, params={"state": "cancelled"}).json()["runs"]] == [made[1]]
    assert client.get(RUNS, params={"cursor": "made up"}).status_code == 422


def test_the_log_comes_in_pages(client: TestClient, account: UUID) -> None:
    run = create(client, account)
    approve(client, run)
    client.post(f"{RUNS}/{run['id']}/cancel")
    address = f"{RUNS}/{run['id']}/log"
    first = client.get(address, params={"limit": 2}).json()
    rest = client.get(address, params={"limit": 2, "after": first["events"][-1]["id"]}).json()
    assert (len(first["events"]), first["more"], len(rest["events"]), rest["more"]) == (2, True, 1, False)
    assert first["events"] + rest["events"] == read(client, run)["log"]
    assert "asked for its end" in rest["events"][0]["words"]


def test_what_people_do_with_a_run_is_recorded(
    client: TestClient, database: Database, org_id: UUID, account: UUID
) -> None:
    run = measured(client, database, org_id, account, 1_000.0, 1_000.0, 1_000.0, 1_000.0)
    client.post(f"{RUNS}/{run['id']}/accept")
    other = create(client, account)
    client.post(f"{RUNS}/{other['id']}/cancel")
    told = [event["sentence"] for event in client.get("/api/v1/audit").json()["events"]][::-1]
    who = client.get("/api/v1/session").json()["person"]["name"]
    said = [sentence.removeprefix(f"{who} ") for sentence in told if "run Network of four" in sentence]
    assert said == [
        f"agreed that the run Network of four costs at most {run['quoted_usd']} USD.",
        "kept what the run Network of four has measured.",
        "cancelled the run Network of four.",
    ]


def test_a_run_of_another_team_is_no_run(
    client: TestClient, other_client: TestClient, database: Database, other_org_id: UUID, account: UUID
) -> None:
    run = create(client, account)
    new = {"name": "Mine", "account_id": str(account), "spec": SPEC}
    assert other_client.post(RUNS, json=new).status_code == 404
    assert other_client.post(f"{RUNS}/quote", json={"spec": SPEC, "account_id": str(account)}).status_code == 404
    assert other_client.get(f"{RUNS}/compare", params={"ids": run["id"]}).status_code == 404
    mine = connected(database, other_org_id)
    taken = new | {"account_id": str(mine)}
    assert other_client.post(RUNS, json=taken, headers={"Idempotency-Key": run["id"]}).status_code == 404
    assert read(client, run)["name"] == "Network of four"
