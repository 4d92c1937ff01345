"""Home page: what was found, changed, waits and costs money, with the parts that a caller may read."""

from datetime import UTC, datetime, timedelta
from typing import Any
from uuid import UUID, uuid4

import pytest
from fastapi.testclient import TestClient
from sqlalchemy import event, text

from asked_runs import approve, create
from database import superuser
from kept_measurements import FIRST, disks, fio, keep
from people import signed_in, token_of
from published import AUTHOR, publish
from quoted import connected
from reported import launched
from stowage.features.alerts import store as alert_store
from stowage.platform.access import GRANTS
from stowage.platform.database.database import Database
from stowage.platform.database.embedded import DatabaseUrls
from stowage.platform.jobs.queue import Queue

HOME = "/api/v1/home"
PLANS = "/api/v1/plans"
SORT: dict[str, Any] = {
    "workload": {"data": "10 TB", "runs_per_month": 30.0},
    "place": {"catalog": "paper-2014"},
    "limits": {"max_nodes": 200},
    "assume": {"usual": "ignored"},
}
PARTS = {
    "begun": "plans.read",
    "savings": "plans.read",
    "changed": "plans.read",
    "runs": "runs.read",
    "results": "measurements.read",
    "reports": "reports.read",
    "activity": "audit.read",
}


def home(client: TestClient, **asked: Any) -> dict[str, Any]:
    answer = client.get(HOME, params=asked)
    assert answer.status_code == 200, answer.text
    found: dict[str, Any] = answer.json()
    return found


def save(
    client: TestClient, name: str, nodes: int | None = None, data: str = "10 TB", runs: float = 30.0
) -> dict[str, Any]:
    today = None if nodes is None else {"instance": "i2.8xlarge", "nodes": nodes}
    file = SORT | {
        "workload": {**SORT["workload"], "name": name, "data": data, "runs_per_month": runs},
        "decided": {"today": today},
    }
    answer = client.post(PLANS, json=file)
    assert answer.status_code == 201, answer.text
    plan: dict[str, Any] = answer.json()
    return plan


def mark(client: TestClient, plan: dict[str, Any], state: str) -> None:
    body = {"state": state, "reason": "Reserved until 2027"}
    assert client.put(f"{PLANS}/{plan['id']}/saving", json=body).status_code == 200


def alert(database: Database, org_id: UUID, plan: dict[str, Any], words: str, at: datetime) -> UUID:
    new = alert_store.NewAlert(uuid4(), None, None, words, {"direction": "regression"}, at, UUID(plan["id"]))
    with database.transaction(org_id) as connection:
        alert_store.add(connection, new)
    return new.id


@pytest.fixture
def account(database: Database, org_id: UUID) -> UUID:
    return connected(database, org_id)


def test_a_new_team_has_nothing_yet(client: TestClient) -> None:
    found = home(client)
    assert found["begun"] == {"plans": 0, "baselines": 0, "results": 0}
    nothing = {"rows": [], "size": 0, "month_usd": 0.0, "done": 0, "done_month_usd": 0.0}
    assert found["savings"] == nothing
    assert found["changed"] == {"rows": [], "size": 0, "watched": 0}
    assert (found["runs"]["rows"], found["results"], found["reports"]) == ([], [], [])


def test_savings_that_are_not_marked_are_listed_and_added_up(client: TestClient) -> None:
    larger, smaller = save(client, "Larger", 150), save(client, "Smaller", 60, "5 TB")
    save(client, "Without a baseline")
    found = home(client)
    assert [row["plan_id"] for row in found["savings"]["rows"]] == [larger["id"], smaller["id"]]
    assert [row["saving"] for row in found["savings"]["rows"]] == [larger["saving"], smaller["saving"]]
    sums = [plan["saving"]["month_usd"] for plan in (larger, smaller)]
    assert found["savings"]["month_usd"] == pytest.approx(sum(sums))
    assert found["begun"] == {"plans": 3, "baselines": 2, "results": 0}
    mark(client, larger, "dismissed")
    assert [row["name"] for row in home(client)["savings"]["rows"]] == ["Smaller"]
    mark(client, smaller, "done")
    after = home(client)["savings"]
    assert (after["rows"], after["size"], after["done"]) == ([], 0, 1)
    assert after["done_month_usd"] == pytest.approx(sums[1])
    mark(client, larger, "open")
    assert [row["name"] for row in home(client)["savings"]["rows"]] == ["Larger"]


def test_a_plan_that_costs_more_than_its_baseline_saves_nothing(client: TestClient) -> None:
    plan = save(client, "Better as it is", 150)
    best = plan["answer"]["configurations"][0]
    body = {"today": {name: best[name] for name in ("instance", "nodes", "storage")}}
    same = client.put(f"{PLANS}/{plan['id']}/decided", json=body).json()
    assert same["saving"]["sentence"].startswith("Costs the same")
    assert home(client)["savings"]["size"] == 0


def test_copies_of_a_plan_count_once_and_share_its_mark(client: TestClient) -> None:
    plan = save(client, "Nightly", 150)
    copy = client.post(f"{PLANS}/{plan['id']}/duplicate").json()
    found = home(client)["savings"]
    assert [row["plan_id"] for row in found["rows"]] == [copy["id"]]
    assert found["month_usd"] == plan["saving"]["month_usd"]
    mark(client, plan, "dismissed")
    assert home(client)["savings"]["size"] == 0


def test_one_job_saved_with_other_runs_a_month_counts_once(client: TestClient) -> None:
    save(client, "Nightly", 150)
    once = save(client, "Once", 150, runs=1.0)
    assert once["saving"]["per"] == "run"
    found = home(client)["savings"]
    assert [row["plan_id"] for row in found["rows"]] == [once["id"]]
    assert found["month_usd"] == pytest.approx(once["saving"]["month_usd"])


def test_one_job_with_a_given_cost_of_its_baseline_counts_once(client: TestClient) -> None:
    """The cost of one run is a share of the given monthly cost, so it differs with the runs per month."""
    today = {"instance": "i2.8xlarge", "nodes": 150, "cost_per_month": "$100,000"}
    for runs in (30.0, 60.0):
        file = SORT | {"workload": {**SORT["workload"], "runs_per_month": runs}, "decided": {"today": today}}
        last = client.post(PLANS, json=file).json()
        assert last["saving"]["month_usd"] > 0.0
    found = home(client)["savings"]
    assert [row["plan_id"] for row in found["rows"]] == [last["id"]]
    dearer = SORT | {"decided": {"today": {**today, "cost_per_month": "$200,000"}}}
    client.post(PLANS, json=dearer)
    assert home(client)["savings"]["size"] == 2


def test_deleted_plans_are_left_out(client: TestClient, database: Database, org_id: UUID) -> None:
    plan = save(client, "Nightly", 150)
    alert(database, org_id, plan, "98 × i2.8xlarge comes first.", datetime.now(UTC))
    client.put(f"{PLANS}/{plan['id']}/watch", json={"every": "week"})
    client.delete(f"{PLANS}/{plan['id']}")
    found = home(client)
    assert (found["savings"]["size"], found["changed"]["size"], found["changed"]["watched"]) == (0, 0, 0)
    assert found["begun"]["plans"] == 0


def test_watched_plans_show_their_newest_change_until_it_is_seen(
    client: TestClient, database: Database, org_id: UUID
) -> None:
    plan, now = save(client, "Nightly"), datetime.now(UTC)
    client.put(f"{PLANS}/{plan['id']}/watch", json={"every": "week"})
    alert(database, org_id, plan, "Older.", now - timedelta(days=2))
    alert(database, org_id, plan, "It costs $35 more a month.", now - timedelta(days=1))
    changed = home(client)["changed"]
    [row] = changed["rows"]
    assert (changed["size"], changed["watched"]) == (1, 1)
    assert (row["name"], row["words"], row["direction"]) == ("Nightly", "It costs $35 more a month.", "regression")
    with database.transaction(org_id) as connection:
        connection.execute(text("UPDATE alert SET seen_at = now(), seen_by = 'Ada'"))
    assert home(client)["changed"] == {"rows": [], "size": 0, "watched": 1}


def test_runs_await_approval_or_cost_money_now(
    client: TestClient, database: Database, postgres: DatabaseUrls, org_id: UUID, account: UUID
) -> None:
    waiting, running = create(client, account), create(client, account)
    approve(client, running)
    launched(database, org_id, UUID(running["id"]), 4)
    found = home(client)["runs"]
    assert [(row["id"], row["state"], row["usd_per_hour"]) for row in found["rows"]] == [
        (waiting["id"], "quoted", 0.0),
        (running["id"], "running", 10.0),
    ]
    assert found["rows"][0]["quoted_usd"] == waiting["quoted_usd"]
    assert found["rows"][0]["until"] == waiting["quote"]["valid_until"]
    assert (found["awaiting"], found["in_progress"], found["usd_per_hour"]) == (1, 1, 10.0)
    with superuser(postgres) as connection:
        late = '{"valid_until": "2026-01-01T00:00:00+00:00"}'
        connection.execute("UPDATE run SET quote = %s WHERE id = %s", [late, waiting["id"]])
    assert home(client)["runs"]["awaiting"] == 0
    client.post(f"/api/v1/runs/{running['id']}/cancel")
    assert home(client)["runs"]["in_progress"] == 1


def test_new_results_name_the_plans_in_which_their_types_come_first(
    client: TestClient, database: Database, org_id: UUID
) -> None:
    plan = save(client, "Nightly")
    first = plan["answer"]["configurations"][0]["instance"]
    keep(database, org_id, [(reading, disks(first, 1)) for reading in fio(400.0, 300.0, FIRST)])
    keep(database, org_id, [(reading, disks("m5d.large", 1)) for reading in fio(400.0, 300.0, FIRST)])
    keep(database, org_id, [(reading, disks(first, 1)) for reading in fio(1.0, 1.0, FIRST)], verdict="rejected")
    save(client, "Saved with them")
    found = home(client)
    assert [(row["instances"], row["plans"]) for row in found["results"]] == [(["m5d.large"], 0), ([first], 1)]
    assert found["results"][0]["results"] == len(fio(400.0, 300.0, FIRST))
    assert found["begun"]["results"] > 0


def test_reports_and_activity_are_the_newest(
    client: TestClient, database: Database, queue: Queue, org_id: UUID
) -> None:
    report = publish(database, queue, org_id, title="For the board")
    save(client, "Nightly")
    found = home(client)
    assert [(row["id"], row["name"], row["author"]) for row in found["reports"]] == [
        (str(report.id), "For the board", AUTHOR)
    ]
    assert found["activity"][0]["sentence"].endswith("saved the plan Nightly.")
    assert not any("signed in" in each["sentence"] for each in found["activity"])


@pytest.mark.parametrize("role", ["viewer", "contributor", "planner", "owner"])
def test_a_part_is_shown_to_those_who_may_read_it(
    anonymous: TestClient, gate: Database, org_id: UUID, role: Any
) -> None:
    found = home(signed_in(anonymous, gate, org_id, role))
    assert {part for part, value in found.items() if value is not None} == {
        part for part, permission in PARTS.items() if permission in GRANTS[role]
    }


def test_a_token_reads_the_parts_of_its_scopes(anonymous: TestClient, gate: Database, org_id: UUID) -> None:
    def ask(*scopes: Any) -> Any:
        return anonymous.get(HOME, headers={"Authorization": f"Bearer {token_of(gate, org_id, scopes)}"})

    assert ask("audit").status_code == 404
    assert ask("read").json()["activity"] is None
    assert ask("read", "audit").json()["activity"] is not None


def test_a_page_of_many_plans_takes_a_few_queries(client: TestClient, database: Database, org_id: UUID) -> None:
    asked: list[str] = []
    for number in range(7):
        save(client, f"Plan {number}", 150 + number)
    with database.transaction(org_id) as connection:
        engine = connection.engine

    def note(*given: Any) -> None:
        asked.append(given[2])

    event.listen(engine, "before_cursor_execute", note)
    try:
        found = home(client)["savings"]
    finally:
        event.remove(engine, "before_cursor_execute", note)
    assert (len(found["rows"]), found["size"]) == (5, 7)
    assert len([query for query in asked if "FROM plan" in query]) <= 4
