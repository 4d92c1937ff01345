"""A team's price terms: who sets them, what they change, and what keeps the terms it was computed with."""

import json
import time
from datetime import UTC, datetime
from typing import Any
from uuid import UUID, uuid4

import pytest
from fastapi.testclient import TestClient

from stowage.features.calibration.price_terms.schemas import NewPriceTerms
from stowage.features.calibration.price_terms.setting import set_terms
from stowage.features.calibration.team_knowledge import stored_knowledge
from stowage.features.planning.planning import preview_plan
from stowage.features.planning.watches.news import news
from stowage.features.planning.watches.schemas import PlanOutcome
from stowage.model.money.price_terms import SERVICES, PriceTerms
from stowage.platform.database.database import Database
from stowage.platform.jobs import jobs
from stowage.platform.jobs.fair_queue import Part
from stowage.platform.jobs.queue import Queue
from stowage.workloads.knowledge import packaged_knowledge, with_price_terms
from stowage.workloads.workload_file import parse_workload
from stowage_worker.tasks import WORKS

API = "/api/v1"
SORT: dict[str, Any] = {
    "workload": {"data": "10 TB", "durability": {"model": "none"}},
    "limits": {"max_nodes": 60},
    "choose": {"families": ["i3", "i3en", "i4i"]},
}
CLUSTER = {**SORT, "cluster": {"instance": "i3.8xlarge", "nodes": 20}}


def set_overall(client: TestClient, percent: str, **services: str) -> dict[str, Any]:
    answer = client.put(f"{API}/price-terms", json={"overall": percent, **services})
    assert answer.status_code == 200, answer.text
    found: dict[str, Any] = answer.json()
    return found


def cost(client: TestClient) -> float:
    usd: float = client.post(f"{API}/predictions", json=CLUSTER).json()["cost_usd"]["p50"]
    return usd


def first(plan: dict[str, Any]) -> float:
    usd: float = plan["configurations"][0]["cost_usd"]["p50"]
    return usd


def test_terms_are_read_with_their_history_and_the_published_prices_they_apply_to(client: TestClient) -> None:
    before = client.get(f"{API}/price-terms").json()
    assert before["history"] == []
    assert {example["service"] for example in before["examples"]} == set(SERVICES)
    set_overall(client, "12%")
    after = set_overall(client, "12%", ebs="20 %", spot="none")
    assert [row["words"] for row in after["history"]] == ["discounts up to 20%", "12% discount"]
    assert after["history"][0]["person"].startswith("Owner")
    assert after["history"][0]["details"].endswith("20% on EBS; none on EC2 Spot")
    assert after["history"][0]["terms"]["ebs"] == 20.0
    assert after["examples"] == before["examples"]
    # The same terms again are no change.
    assert set_overall(client, "12%", ebs="20%", spot="none")["history"] == after["history"]


@pytest.mark.parametrize("percent", ["95.5%", "-1%", "12", "", "all", "1e400%", "nan%", "12%%"])
def test_a_wrong_discount_names_the_field_the_value_and_what_is_accepted(client: TestClient, percent: str) -> None:
    answer = client.put(f"{API}/price-terms", json={"overall": "5%", "ebs": percent})
    assert answer.status_code == 422
    [problem] = answer.json()["errors"]
    assert problem["path"] == "ebs"
    assert repr(percent)[1:-1] in problem["message"]
    assert problem["message"].endswith("accepted: 0% to 95%, as in 12%, or none")


def test_every_cost_of_the_team_includes_the_terms_and_names_them(client: TestClient) -> None:
    published = cost(client)
    set_overall(client, "12%")
    found = client.post(f"{API}/predictions", json=CLUSTER).json()
    assert found["cost_usd"]["p50"] == pytest.approx(0.88 * published)
    assert found["price_terms"]["words"] == "12% discount"
    assert found["price_terms"]["since"] == datetime.now(UTC).date().isoformat()
    assert found["sentence"].endswith("Price terms: 12% discount.")
    [price] = [figure for figure in found["provenance"] if figure["quantity"] == "i3.8xlarge.usd_per_hour"]
    assert price["kind"] == "given"
    assert price["source"].startswith("published 2.496 USD/h, less 12% by the team's price terms of ")
    place = f"{API}/catalogs/latest/regions/us-east-1"
    table = client.get(f"{place}/instance-types", params={"name": "i3.8xlarge"}).json()
    assert table["price_terms"]["words"] == "12% discount"
    # The prices of a region share their sources, without the published price of each.
    assert len(json.dumps(table["sources"])) < 100_000
    assert client.get(f"{place}/instance-types/i3.8xlarge").json()["price_terms"]["words"] == "12% discount"
    volumes = client.get(f"{place}/volume-types").json()
    assert volumes["price_terms"]["words"] == "12% discount"
    regions = client.post(f"{API}/plans/regions", json=SORT).json()
    assert regions["price_terms"]["words"] == "12% discount"


def test_a_search_of_the_team_is_the_search_of_the_discounted_catalog(
    client: TestClient, database: Database, org_id: UUID
) -> None:
    set_overall(client, "12%", spot="40%")
    asked = parse_workload({**SORT, "place": {"purchase": "any"}})
    terms = PriceTerms(overall=12.0, spot=40.0, since=datetime.now(UTC).date())
    expected = preview_plan(asked, with_price_terms(packaged_knowledge, terms), lambda: 0.0)
    found = preview_plan(asked, stored_knowledge(database, org_id), lambda: 0.0)
    differ = {"profiles_digest"}
    assert found.model_dump(exclude=differ) == expected.model_dump(exclude=differ)


def test_no_team_uses_or_sees_the_terms_of_another(client: TestClient, other_client: TestClient) -> None:
    published = cost(other_client)
    set_overall(client, "12%")
    # Interleaved, so that each answer could come from the other's cache.
    for _ in range(2):
        assert cost(client) == pytest.approx(0.88 * published)
        assert cost(other_client) == published
    set_overall(other_client, "30%")
    for _ in range(2):
        assert cost(client) == pytest.approx(0.88 * published)
        assert cost(other_client) == pytest.approx(0.70 * published)
    assert [row["words"] for row in client.get(f"{API}/price-terms").json()["history"]] == ["12% discount"]
    tags = [
        each.get(f"{API}/catalogs/latest/regions/us-east-1/instance-types").headers["etag"]
        for each in (client, other_client)
    ]
    assert tags[0] != tags[1]


def test_terms_of_none_are_the_published_prices_again(client: TestClient) -> None:
    published = client.post(f"{API}/predictions", json=CLUSTER).json()
    set_overall(client, "12%")
    set_overall(client, "none")
    assert client.post(f"{API}/predictions", json=CLUSTER).json() == published


def test_a_saved_plan_keeps_its_terms_and_says_that_they_have_changed(client: TestClient) -> None:
    before = client.post(f"{API}/plans", json=SORT).json()
    set_overall(client, "12%")
    plan = client.post(f"{API}/plans", json=SORT).json()
    assert (before["answer"]["price_terms"], plan["answer"]["price_terms"]["words"]) == (None, "12% discount")
    assert first(plan["answer"]) < first(before["answer"])
    set_overall(client, "30%")
    for saved, old in ((before, "no discount"), (plan, "12% discount of ")):
        read = client.get(f"{API}/plans/{saved['id']}").json()
        assert read["answer"] == saved["answer"]
        [change] = read["changes"]
        assert change["what"] == "price terms"
        assert change["then"].startswith(old)
        assert change["now"].startswith("30% discount of ")
        today = client.get(f"{API}/plans/{saved['id']}/today").json()
        assert f"Price terms changed: 30% discount instead of {old.removesuffix(' of ')}." in today["sentence"]
        # Prices are not measurements.
        assert today["measured"] is None
        # A pin is predicted with the prices of the plan.
        pin = {**SORT, "cluster": {"instance": "i3.8xlarge", "nodes": 20}}
        decided = client.put(f"{API}/plans/{saved['id']}/decided", json={"pins": [pin]})
        assert decided.status_code == 200, decided.text
        terms = decided.json()["decided"]["pins"][0]["answer"]["price_terms"]
        assert terms == saved["answer"]["price_terms"]
    copy = client.post(f"{API}/plans/{plan['id']}/duplicate").json()
    assert [change["then"][:12] for change in copy["changes"]] == ["12% discount"]
    listed = {row["id"]: row["price_terms"] for row in client.get(f"{API}/plans").json()["plans"]}
    assert listed == {before["id"]: None, plan["id"]: "12% discount", copy["id"]: "12% discount"}


def test_a_saving_names_the_terms_that_both_costs_include(client: TestClient) -> None:
    decided = {"today": {"instance": "i2.8xlarge", "nodes": 60}}
    before = client.post(f"{API}/plans", json={**SORT, "decided": decided}).json()["saving"]
    set_overall(client, "12%")
    after = client.post(f"{API}/plans", json={**SORT, "decided": decided}).json()["saving"]
    assert after["run_usd"] == pytest.approx(0.88 * before["run_usd"])
    assert before["sentence"].endswith("against 60 × i2.8xlarge.")
    assert after["sentence"].endswith("against 60 × i2.8xlarge, incl. 12% discount.")


def test_a_sweep_keeps_the_terms_of_its_start(
    client: TestClient, database: Database, queue: Queue, org_id: UUID
) -> None:
    set_overall(client, "12%")
    asked = {
        "base": SORT,
        "columns": {"quantity": "data", "values": ["1 TB", "10 TB"]},
        "rows": {"quantity": "deadline", "values": ["2 h"]},
    }
    sweep = client.post(f"{API}/sweeps", json=asked).json()
    set_overall(client, "50%")
    for number in range(sweep["job"]["total"]):
        part = Part(org_id, UUID(sweep["job"]["id"]), "sweep", number)
        jobs.work_on_part(database, queue, part, WORKS, time.monotonic)
    done = client.get(f"{API}/sweeps/{sweep['id']}").json()
    assert done["job"]["state"] == "done"
    assert done["price_terms"]["words"] == "12% discount"
    cell = parse_workload({**SORT, "limits": {"max_nodes": 60, "deadline": "2 h"}})
    terms = PriceTerms(overall=12.0, since=datetime.now(UTC).date())
    expected = preview_plan(cell, with_price_terms(packaged_knowledge, terms), lambda: 0.0)
    [best] = [each["best"] for each in done["cells"] if each["column"] == 1]
    assert best["cost_usd"]["p50"] == expected.configurations[0].cost_usd.p50


def test_a_watch_reports_that_the_terms_changed(client: TestClient, database: Database, org_id: UUID) -> None:
    def outcome() -> PlanOutcome:
        return PlanOutcome.of(preview_plan(parse_workload(SORT), stored_knowledge(database, org_id), lambda: 0.0))

    before = outcome()
    set_overall(client, "12%")
    found = news(before, outcome(), 5.0)
    assert found is not None
    assert found.words.endswith("12% less. By price terms (12% discount instead of no discount).")


def test_a_published_report_keeps_its_terms_and_names_them_beside_every_cost(client: TestClient) -> None:
    set_overall(client, "12%")
    plan = client.post(f"{API}/plans", json=SORT).json()
    set_overall(client, "30%")
    origin = {"kind": "plan", "plan_id": plan["id"]}
    made = client.post(f"{API}/reports", json={"title": "Sort", "origin": origin})
    assert made.status_code == 201, made.text
    report = client.get(f"{API}/reports/{made.json()['id']}").json()
    content = report["report"]
    assert content["sentence"].endswith("Price terms: 12% discount.")
    [terms] = [fact for fact in content["versions"] if fact["key"] == "price_terms"]
    assert terms["value"].startswith("12% on EC2 on-demand")
    unnamed = [
        label for section in content["sections"] for block in section["blocks"] for label in unnamed_costs(block)
    ]
    assert unnamed == []
    assert first(plan["answer"]) == pytest.approx(cost_in(content))
    # A report of published prices names no terms.
    set_overall(client, "none")
    published = client.post(f"{API}/plans", json=SORT).json()
    made = client.post(f"{API}/reports", json={"title": "Sort", "origin": origin | {"plan_id": published["id"]}})
    assert "% discount" not in made.text


def unnamed_costs(block: dict[str, Any]) -> list[str]:
    """Return the labels of costs in a block of a report that do not name the terms."""

    def is_cost(value: object) -> bool:
        return isinstance(value, dict) and value["unit"].startswith("USD")

    found: list[str] = []
    if block["kind"] == "facts":
        found = [fact["label"] for fact in block["facts"] if is_cost(fact["value"])]
    elif block["kind"] == "table" and block["key"] != "provenance":
        if block["sideways"]:
            found = [row["cells"][0] for row in block["rows"] if any(map(is_cost, row["cells"][1:]))]
        else:
            columns = enumerate(block["columns"])
            found = [head["head"] for at, head in columns if any(is_cost(row["cells"][at]) for row in block["rows"])]
    elif block["kind"] == "chart":
        found = [axis["label"] for axis in (block["x"], block["y"]) if axis["unit"].startswith("USD")]
    return [label for label in found if not label.endswith(", incl. 12% discount")]


def cost_in(content: dict[str, Any]) -> float:
    facts = [fact for section in content["sections"] for block in section["blocks"] for fact in block.get("facts", [])]
    [usd] = {fact["value"]["value"] for fact in facts if fact["key"] == "cost"}
    return float(usd)


def test_a_change_is_in_the_audit_log(client: TestClient) -> None:
    set_overall(client, "12%")
    newest = client.get(f"{API}/audit").json()["events"][0]
    assert newest["sentence"].endswith(" set the price terms: 12% discount.")


def test_terms_apply_from_the_moment_they_are_set(database: Database, org_id: UUID) -> None:
    moments = [datetime(2026, 1, day, tzinfo=UTC) for day in (1, 2, 3)]
    for moment, percent in zip(moments, ("10%", "none", "20%"), strict=True):
        set_terms(database, org_id, NewPriceTerms(overall=percent), person="Ann", now=moment)

    def words(at: datetime | None) -> str | None:
        terms = stored_knowledge(database, org_id, at)("latest", "us-east-1").catalog.price_terms
        return None if terms is None else f"{terms.words} since {terms.since}"

    assert words(datetime(2025, 12, 31, tzinfo=UTC)) is None
    assert [words(moment) for moment in moments] == [
        "10% discount since 2026-01-01",
        None,
        "20% discount since 2026-01-03",
    ]
    assert words(None) == "20% discount since 2026-01-03"
    # Another team has none.
    assert stored_knowledge(database, uuid4())("latest", "us-east-1").catalog.price_terms is None
