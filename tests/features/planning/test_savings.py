"""Savings of plans against their baseline: computed once, stored, marked as done or dismissed, and undone."""

import json
from typing import Any
from uuid import UUID

import pytest
from fastapi.testclient import TestClient
from sqlalchemy import text

from database import superuser
from outdated import change_answers
from shared_postgres import new_database
from stowage.features.planning.saving import to_store
from stowage.features.planning.schemas import DecidedAnswer
from stowage.model.money.price_terms import PriceTerms
from stowage.platform.database.database import Database
from stowage.platform.database.embedded import APPLICATION_ROLE, GATE_ROLE
from stowage.platform.database.migration import migrate, unmigrate
from stowage.platform.database.orgs import LOCAL_ORG_ID
from stowage.workloads.answers import PlanAnswer
from stowage.workloads.of_catalog import TermsAnswer
from stowage.workloads.saving import CostedCluster, SavingAnswer

PLANS = "/api/v1/plans"
NIGHTLY: dict[str, Any] = {
    "workload": {"data": "100 TB", "name": "Nightly", "runs_per_month": 30.0},
    "place": {"catalog": "paper-2014"},
    "limits": {"deadline": "30 min", "max_nodes": 200},
    "assume": {"usual": "ignored"},
}
BASELINE = {"instance": "i2.8xlarge", "nodes": 178}
OPEN = {"state": "open", "reason": "", "person": None, "at": None}


def save(client: TestClient, file: dict[str, Any] = NIGHTLY, **decided: Any) -> dict[str, Any]:
    response = client.post(PLANS, json={**file, "decided": decided})
    assert response.status_code == 201, response.text
    saved: dict[str, Any] = response.json()
    return saved


def mark(client: TestClient, plan: dict[str, Any], state: str, reason: str = "") -> dict[str, Any]:
    response = client.put(f"{PLANS}/{plan['id']}/saving", json={"state": state, "reason": reason})
    assert response.status_code == 200, response.text
    marked: dict[str, Any] = response.json()
    return marked


def costs(run_usd: float, month_usd: float, nodes: int = 178) -> CostedCluster:
    return CostedCluster(
        instance="i2.8xlarge", nodes=nodes, storage_words="4 disks", run_usd=run_usd, month_usd=month_usd
    )


@pytest.mark.parametrize(
    ("before", "after", "per", "sentence"),
    [
        (costs(500, 15_000), costs(320, 9_600, 98), "run", "Saves $180 a run (−36%) against 178 × i2.8xlarge."),
        (
            costs(500, 15_000),
            costs(320, 9_600, 98),
            "month",
            "Saves $5,400 a month at 30 runs (−36%) against 178 × i2.8xlarge.",
        ),
        (costs(500, 50_000), costs(320, 40_000, 98), "month", "Saves $10,000 a month (−20%) against 178 × i2.8xlarge."),
        (costs(500, 500), costs(535, 535, 98), "run", "Costs $35 a run more (+7%) than 178 × i2.8xlarge."),
        (costs(500, 500), costs(501, 501, 98), "run", "Costs the same as 178 × i2.8xlarge."),
        (costs(500, 500), costs(400, 400), "run", "Saves $100 a run (−20%) against 178 × i2.8xlarge (4 disks)."),
        (costs(0, 0), costs(400, 400, 98), "run", "Costs $400 a run more than 178 × i2.8xlarge."),
    ],
    ids=["a run", "a month", "always on", "more", "same", "same name", "free"],
)
def test_the_sentence_states_the_saving_of_its_period(
    before: CostedCluster, after: CostedCluster, per: Any, sentence: str
) -> None:
    saving = SavingAnswer(baseline=before, chosen=after, per=per, runs_per_month=30.0, same_durability=True)
    assert saving.sentence == sentence
    assert saving.three_years_usd == 36 * (before.month_usd - after.month_usd)


def test_a_plan_with_a_baseline_stores_what_it_saves(client: TestClient) -> None:
    saved = save(client, today=BASELINE)
    saving, best, before = saved["saving"], saved["answer"]["configurations"][0], saved["decided"]["today"]["answer"]
    assert saving["run_usd"] == before["cost_usd"]["p50"] - best["cost_usd"]["p50"]
    assert saving["month_usd"] == before["cost_per_month_usd"]["p50"] - best["cost_per_month_usd"]["p50"]
    assert (saving["per"], saving["runs_per_month"], saving["same_durability"]) == ("month", 30.0, True)
    assert saving["sentence"].endswith("against 178 × i2.8xlarge.")
    assert saved["saving_mark"] == OPEN
    [listed] = client.get(PLANS).json()["plans"]
    assert (listed["saving"], listed["saving_mark"]) == (saving, OPEN)


def test_a_month_of_an_always_on_cluster_and_a_run_once_a_month(client: TestClient) -> None:
    always = save(client, {**NIGHTLY, "objective": "month"}, today=BASELINE)
    best, before = always["answer"]["configurations"][0], always["decided"]["today"]["answer"]
    assert always["saving"]["per"] == "month"
    assert always["saving"]["month_usd"] == before["cost_always_on_usd"] - best["cost_always_on_usd"]
    once = save(client, {**NIGHTLY, "workload": {"data": "100 TB"}}, today=BASELINE)["saving"]
    assert once["per"] == "run"
    assert once["month_usd"] == once["run_usd"]


def test_nothing_is_saved_without_a_baseline_that_can_run_the_job_or_without_an_answer(client: TestClient) -> None:
    impossible = {**NIGHTLY, "limits": {"deadline": "5 min", "max_nodes": 100}}
    for plan in (
        save(client),
        save(client, today={"instance": "i2.8xlarge", "nodes": 1}),
        save(client, impossible, today=BASELINE),
    ):
        assert plan["saving"] is None
        refused = client.put(f"{PLANS}/{plan['id']}/saving", json={"state": "done"})
        assert refused.status_code == 409, refused.text


def test_costs_under_different_price_terms_are_no_saving(client: TestClient) -> None:
    saved = save(client, today=BASELINE)
    decided, answer = DecidedAnswer.model_validate(saved["decided"]), PlanAnswer.model_validate(saved["answer"])
    [first, *_] = answer.configurations
    assert to_store(decided, answer, first) is not None
    discounted = answer.model_copy(update={"price_terms": TermsAnswer.of(PriceTerms(overall=12.0))})
    assert to_store(decided, discounted, first) is None


def test_a_mark_stays_with_its_baseline_and_is_undone(client: TestClient) -> None:
    saved = save(client, today=BASELINE)
    done = mark(client, saved, "done")
    assert (done["saving_mark"]["state"], done["saving"]) == ("done", saved["saving"])
    dismissed = mark(client, saved, "dismissed", "Reserved until 2027")["saving_mark"]
    assert (dismissed["state"], dismissed["reason"]) == ("dismissed", "Reserved until 2027")
    assert dismissed["at"] is not None
    assert client.post(f"{PLANS}/{saved['id']}/duplicate").json()["saving_mark"] == dismissed
    kept = client.put(f"{PLANS}/{saved['id']}/decided", json={"today": BASELINE, "notes": "Ask Ada"}).json()
    assert kept["saving_mark"] == dismissed
    assert mark(client, saved, "open")["saving_mark"] == OPEN
    mark(client, saved, "dismissed", "Reserved until 2027")
    other = client.put(f"{PLANS}/{saved['id']}/decided", json={"today": {**BASELINE, "nodes": 150}}).json()
    assert other["saving_mark"] == OPEN
    assert other["saving"]["baseline"]["nodes"] == 150
    without = client.put(f"{PLANS}/{saved['id']}/decided", json={}).json()
    assert (without["saving"], without["saving_mark"]) == (None, OPEN)


@pytest.mark.parametrize(
    ("asked", "path"),
    [
        ({"state": "dismissed"}, "reason"),
        ({"state": "dismissed", "reason": " \n"}, "reason"),
        ({"state": "gone"}, "state"),
        ({"state": "done", "reason": "x" * 501}, "reason"),
        ({"state": "done", "reason": "a\x00b"}, "reason"),
    ],
)
def test_a_saving_is_dismissed_with_a_reason(client: TestClient, asked: dict[str, str], path: str) -> None:
    saved = save(client, today=BASELINE)
    refused = client.put(f"{PLANS}/{saved['id']}/saving", json=asked)
    assert refused.status_code == 422
    assert [error["path"] for error in refused.json()["errors"]] == [path]
    assert client.get(f"{PLANS}/{saved['id']}").json()["saving_mark"] == OPEN


def test_marks_stand_in_the_audit_log_and_not_behind_share_links(client: TestClient, anonymous: TestClient) -> None:
    saved = save(client, today=BASELINE)
    mark(client, saved, "dismissed", "Reserved until 2027")
    mark(client, saved, "done")
    mark(client, saved, "open")
    sentences = [event["sentence"] for event in client.get("/api/v1/audit").json()["events"][:4]]
    [opened, done, dismissed, _] = [sentence.partition(" ")[2] for sentence in sentences]
    assert dismissed.endswith("dismissed the saving of the plan Nightly: Reserved until 2027.")
    assert done.endswith("marked the saving of Nightly as done.")
    assert opened.endswith("reopened the saving of the plan Nightly.")
    mark(client, saved, "dismissed", "Reserved until 2027")
    asked = {"kind": "plan", "object_id": saved["id"]}
    _, _, secret = client.post("/api/v1/links", json=asked).json()["address"].rpartition("/")
    shared = anonymous.get(f"/api/v1/shared/{secret}").json()["plan"]
    assert (shared["saving"], shared["saving_mark"]) == (saved["saving"], OPEN)


def test_plans_that_were_stored_before_get_their_saving(client: TestClient, database: Database, org_id: UUID) -> None:
    save(client, today=BASELINE)
    save(client, {**NIGHTLY, "objective": "month"}, today=BASELINE)
    save(
        client, {**NIGHTLY, "workload": {"data": "100 TB"}}, today={**BASELINE, "durability": {"model": "application"}}
    )
    save(client, today={"instance": "i2.8xlarge", "nodes": 1})
    save(client)
    taken = "id::text, name, workload, catalog_version, profiles_digest, model_version, answer, created_at, decided"
    with database.transaction(org_id) as connection:
        change_answers(connection, lambda _: None)
        in_json = taken.replace("answer", "convert_from(substring(answer FROM 2), 'UTF8') AS answer")
        known = connection.execute(text(f"SELECT {in_json} FROM plan ORDER BY id")).all()
        # Plans of that time were priced without terms.
        savings = connection.scalars(text("SELECT saving::jsonb - 'price_terms' FROM plan ORDER BY id")).all()
    older = new_database()
    with superuser(older) as connection:
        unmigrate(older.owner, APPLICATION_ROLE, GATE_ROLE, "0026")
        for row in known:
            connection.execute(
                f"INSERT INTO plan ({taken.replace('::text', '')}, org_id) VALUES ({'%s, ' * 9}%s)",
                [None if each is None else json.dumps(each) if isinstance(each, dict) else each for each in row]
                + [LOCAL_ORG_ID],
            )
        migrate(older.owner, APPLICATION_ROLE, GATE_ROLE)
        assert [each for (each,) in connection.execute("SELECT saving FROM plan ORDER BY id")] == savings
    assert sum(each is not None for each in savings) == 3


def test_a_given_monthly_cost_replaces_the_predicted_one_and_stays_with_the_baseline(
    client: TestClient, anonymous: TestClient
) -> None:
    given = {**BASELINE, "cost_per_month": "$20,000"}
    saved = save(client, today=given)
    best, saving = saved["answer"]["configurations"][0], saved["saving"]
    assert saving["baseline"] | {"run_usd": None} == {
        **costs(0, 20_000).model_dump(),
        "storage_words": saving["baseline"]["storage_words"],
        "run_usd": None,
        "given": True,
    }
    assert saving["baseline"]["run_usd"] == 20_000 / 30
    assert saving["month_usd"] == 20_000 - best["cost_per_month_usd"]["p50"]
    assert saving["run_usd"] == pytest.approx(20_000 / 30 - best["cost_usd"]["p50"])
    assert "against 178 × i2.8xlarge (given: $20,000 a month)." in saving["sentence"]
    assert saved["decided"]["today"]["cluster"]["cost_per_month"] == "$20,000"
    [row] = client.get("/api/v1/home").json()["savings"]["rows"]
    assert row["saving"] == saving
    kept = client.put(f"{PLANS}/{saved['id']}/decided", json={"today": given, "notes": "Ask Ada"}).json()
    assert kept["saving"] == saving
    assert client.post(f"{PLANS}/{saved['id']}/duplicate").json()["saving"] == saving
    asked = {"kind": "plan", "object_id": saved["id"]}
    _, _, secret = client.post("/api/v1/links", json=asked).json()["address"].rpartition("/")
    assert anonymous.get(f"/api/v1/shared/{secret}").json()["plan"]["saving"] == saving
    predicted = client.put(f"{PLANS}/{saved['id']}/decided", json={"today": BASELINE}).json()["saving"]
    assert predicted == save(client, today=BASELINE)["saving"]
    assert not predicted["baseline"]["given"]


def test_a_given_cost_counts_by_the_month_even_of_one_run_and_of_an_always_on_cluster(client: TestClient) -> None:
    given = {**BASELINE, "cost_per_month": "500 USD"}
    once = save(client, {**NIGHTLY, "workload": {"data": "100 TB"}}, today=given)["saving"]
    assert (once["per"], once["baseline"]["run_usd"], once["baseline"]["month_usd"]) == ("month", 500, 500)
    always = save(client, {**NIGHTLY, "objective": "month"}, today=given)
    assert always["saving"]["month_usd"] == 500 - always["answer"]["configurations"][0]["cost_always_on_usd"]
    assert always["saving"]["baseline"]["run_usd"] == always["decided"]["today"]["answer"]["cost_usd"]["p50"]


@pytest.mark.parametrize("amount", ["0 USD", "-5 USD", "2e12 USD", "20 EUR", "a lot", "9" * 101, None, True])
def test_a_given_cost_is_an_amount_of_money(client: TestClient, amount: Any) -> None:
    refused = client.post(PLANS, json={**NIGHTLY, "decided": {"today": {**BASELINE, "cost_per_month": amount}}})
    if amount is None:
        assert refused.status_code == 201
        return
    assert refused.status_code == 422
    [error] = refused.json()["errors"]
    assert error["path"] == "decided.today.cost_per_month"
    assert str(amount)[:5] in error["message"] or amount is True
