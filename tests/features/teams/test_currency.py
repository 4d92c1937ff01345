"""A team's currency: who sets it, which sums are also shown in it, and what keeps the rate of its time."""

from datetime import UTC, date, datetime, timedelta
from typing import Any
from uuid import UUID, uuid4

import pytest
from fastapi.testclient import TestClient

from stowage.features.planning.saving import to_store
from stowage.features.planning.schemas import DecidedAnswer
from stowage.features.teams.currency import setting
from stowage.features.teams.currency.schemas import NewCurrency
from stowage.platform.database.database import Database
from stowage.platform.errors import BadInput
from stowage.workloads.answers import PlanAnswer

API = "/api/v1"
NIGHTLY: dict[str, Any] = {
    "workload": {"data": "100 TB", "name": "Nightly", "runs_per_month": 30.0},
    "place": {"catalog": "paper-2014"},
    "limits": {"deadline": "30 min", "max_nodes": 200},
    "assume": {"usual": "ignored"},
}
BASELINE = {"instance": "i2.8xlarge", "nodes": 178}
TODAY = datetime.now(UTC).date()


def set_currency(client: TestClient, code: str, usd_rate: float | None = None, **more: str) -> dict[str, Any]:
    rate = {} if usd_rate is None else {"usd_rate": usd_rate}
    answer = client.put(f"{API}/currency", json={"code": code, **rate, **more})
    assert answer.status_code == 200, answer.text
    found: dict[str, Any] = answer.json()
    return found


def save(client: TestClient) -> dict[str, Any]:
    answer = client.post(f"{API}/plans", json={**NIGHTLY, "decided": {"today": BASELINE}})
    assert answer.status_code == 201, answer.text
    found: dict[str, Any] = answer.json()
    return found


def publish(client: TestClient, plan: dict[str, Any]) -> dict[str, Any]:
    asked = {"title": "Nightly", "origin": {"kind": "plan", "plan_id": plan["id"], "ranks": [1]}}
    made = client.post(f"{API}/reports", json=asked, headers={"Idempotency-Key": str(uuid4())})
    assert made.status_code == 201, made.text
    return read(client, made.json()["id"])


def read(client: TestClient, report_id: str) -> dict[str, Any]:
    found: dict[str, Any] = client.get(f"{API}/reports/{report_id}").json()
    return found


def euros(sentence: str) -> str:
    return sentence.partition("about €")[2].partition(",")[0]


def test_a_currency_is_read_with_its_rate_and_history_and_ends_with_us_dollars(client: TestClient) -> None:
    assert client.get(f"{API}/currency").json() == {"current": None, "history": []}
    set_currency(client, "EUR", 0.86, since="2026-11-02")
    after = set_currency(client, "JPY", 151.2)
    assert after["current"] == {"code": "JPY", "usd_rate": 151.2, "since": TODAY.isoformat()}
    assert [row["words"] for row in after["history"]] == [
        f"1 USD = 151.2 JPY as of {TODAY}, given by the team",
        "1 USD = 0.86 EUR as of 2026-11-02, given by the team",
    ]
    assert after["history"][0]["person"].startswith("Owner")
    # The same again is no change.
    assert set_currency(client, "JPY", 151.2) == after
    ended = set_currency(client, "USD")
    assert ended["current"] is None
    assert ended["history"][0]["words"] == "US dollars only"
    assert set_currency(client, "USD") == ended


@pytest.mark.parametrize(
    ("body", "path", "message"),
    [
        ({"code": "EUR", "usd_rate": 0.00009}, "usd_rate", "9e-05 is too little; accepted: 0.0001 or more"),
        ({"code": "EUR", "usd_rate": 1e7}, "usd_rate", "10000000.0 is too much; accepted: 1e+06 or less"),
        ({"code": "EUR", "usd_rate": "0.86"}, "usd_rate", None),
        ({"code": "EUR"}, "usd_rate", "is missing; accepted: EUR per US dollar, as in 0.86"),
        ({"code": "USD", "usd_rate": 0.9}, "usd_rate", "0.9 does not fit USD; accepted: leave it out"),
        ({"code": "XAU", "usd_rate": 1.0}, "code", None),
        ({"code": "EUR", "usd_rate": 0.86, "since": "1999-12-31"}, "since", "is not between 2000-01-01 and"),
        (
            {"code": "EUR", "usd_rate": 0.86, "since": (TODAY + timedelta(days=2)).isoformat()},
            "since",
            "is not between 2000-01-01 and",
        ),
    ],
)
def test_a_wrong_currency_names_the_field_the_value_and_what_is_accepted(
    client: TestClient, body: dict[str, Any], path: str, message: str | None
) -> None:
    answer = client.put(f"{API}/currency", json=body)
    assert answer.status_code == 422
    [problem] = answer.json()["errors"]
    assert problem["path"] == path
    assert (message or str(body[path])) in problem["message"]
    assert client.get(f"{API}/currency").json()["history"] == []


@pytest.mark.parametrize("rate", ["NaN", "Infinity", "-Infinity", "1e400", "1e-400", "-0.0", "true"])
def test_a_rate_that_is_no_number_in_the_range_is_not_stored(client: TestClient, rate: str) -> None:
    body = f'{{"code": "EUR", "usd_rate": {rate}}}'
    answer = client.put(f"{API}/currency", content=body, headers={"Content-Type": "application/json"})
    assert (answer.status_code, [each["path"] for each in answer.json()["errors"]]) == (422, ["usd_rate"])
    assert client.get(f"{API}/currency").json()["history"] == []


def test_a_rate_is_stored_to_its_last_digit(client: TestClient) -> None:
    rate = 0.1234567890123456789
    assert set_currency(client, "EUR", rate)["current"]["usd_rate"] == rate
    # The same again is no change.
    assert len(set_currency(client, "EUR", rate)["history"]) == 1


def test_the_log_names_who_set_the_currency_and_its_rate(client: TestClient) -> None:
    set_currency(client, "EUR", 0.86, since="2026-11-02")
    last = client.get(f"{API}/audit").json()["events"][0]
    assert last["sentence"].endswith("set the currency: 1 USD = 0.86 EUR as of 2026-11-02, given by the team.")


def test_savings_of_the_team_are_also_stated_at_its_current_rate(client: TestClient, other_client: TestClient) -> None:
    before = save(client)
    assert before["currency"] is None
    assert "about" not in before["saving"]["sentence"]
    set_currency(client, "EUR", 0.5)
    plan = client.get(f"{API}/plans/{before['id']}").json()
    assert plan["currency"] == {"code": "EUR", "usd_rate": 0.5, "since": TODAY.isoformat()}
    assert float(euros(plan["saving"]["sentence"]).replace(",", "")) == pytest.approx(
        0.5 * before["saving"]["month_usd"], rel=0.01
    )
    dollars, _, rest = before["saving"]["sentence"].partition(" (")
    assert plan["saving"]["sentence"] == f"{dollars} (about €{euros(plan['saving']['sentence'])}, {rest}"
    [listed] = client.get(f"{API}/plans").json()["plans"]
    [row] = client.get(f"{API}/home").json()["savings"]["rows"]
    assert listed["saving"] == row["saving"] == plan["saving"]
    assert plan["answer"] == before["answer"]
    # Another team sees neither the currency nor the sums.
    assert other_client.get(f"{API}/currency").json() == {"current": None, "history": []}
    assert save(other_client)["currency"] is None


def test_a_guest_sees_the_currency_of_the_plans_team_and_not_who_set_it(
    client: TestClient, anonymous: TestClient
) -> None:
    set_currency(client, "GBP", 0.75)
    plan = save(client)
    made = client.post(f"{API}/links", json={"kind": "plan", "object_id": plan["id"]})
    secret = made.json()["address"].rpartition("/")[2]
    shown = anonymous.get(f"{API}/shared/{secret}").json()["plan"]
    assert shown["currency"] == {"code": "GBP", "usd_rate": 0.75, "since": TODAY.isoformat()}
    assert "about £" in shown["saving"]["sentence"]


def test_a_published_report_keeps_the_rate_of_its_time(client: TestClient) -> None:
    plan = save(client)
    in_dollars = publish(client, plan)
    set_currency(client, "EUR", 0.86, since="2026-11-02")
    in_euros = publish(client, plan)
    set_currency(client, "JPY", 151.2)
    assert read(client, in_dollars["id"]) == in_dollars
    assert "about" not in str(in_dollars["report"]["sections"][0])
    again = read(client, in_euros["id"])["report"]
    assert again == in_euros["report"]
    facts, said, conditions = again["sections"][0]["blocks"][:3]
    tiles = {fact["key"]: fact["value"] for fact in facts["facts"]}
    for key in ("saving_month", "saving_three_years"):
        assert ", about €" in tiles[key]["words"], key
        assert tiles[key]["unit"].startswith("USD"), key
    assert "about €" in said["text"]
    held = {fact["key"]: fact["value"] for fact in conditions["facts"]}
    assert "(about €" in held["until"]
    assert held["rate"] == "1 USD = 0.86 EUR as of 2026-11-02, given by the team"
    versions = {fact["key"]: fact["value"] for fact in again["versions"]}
    assert versions["currency"] == "1 USD = 0.86 EUR as of 2026-11-02, given by the team"


def test_a_stored_saving_has_no_currency(client: TestClient) -> None:
    set_currency(client, "EUR", 0.86)
    plan = save(client)
    answer = PlanAnswer.model_validate(plan["answer"])
    stored = to_store(DecidedAnswer.model_validate(plan["decided"]), answer, answer.configurations[0])
    assert stored is not None
    assert "currency" not in stored


def test_a_day_may_have_begun_further_east(database: Database, org_id: UUID) -> None:
    noon = datetime(2026, 11, 28, 12, tzinfo=UTC)
    asked = NewCurrency(code="EUR", usd_rate=0.86, since=date(2026, 11, 29))
    found = setting.set_currency(database, org_id, asked, person="Ada", now=noon).current
    assert found is not None
    assert found.since == date(2026, 11, 29)
    with pytest.raises(BadInput):
        setting.set_currency(database, org_id, asked, person="Ada", now=noon - timedelta(hours=3))
