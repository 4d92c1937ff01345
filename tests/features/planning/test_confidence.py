"""The confidence of meeting a deadline: 95% by default, the median by choice, and what accepting more risk saves."""

import json
import re
from functools import cache
from typing import Any
from uuid import UUID

import pytest
from fastapi.testclient import TestClient
from sqlalchemy import text

from commands import stowage
from outdated import replace_workload
from stowage.features.planning.confidence import LESS_CONFIDENT, ConfidencesAnswer, compare_confidences
from stowage.features.planning.planning import preview_plan
from stowage.features.sweeps.sweep_file import SweepFile, grid_of, stored_sweep
from stowage.model.jobs.usual import CONFIDENCE
from stowage.platform.database.database import Database
from stowage.workloads.answers import PlanAnswer
from stowage.workloads.knowledge import packaged_knowledge
from stowage.workloads.stored import parse_stored_workload
from stowage.workloads.workload_file import parse_workload

IN_TIME: dict[str, Any] = {"workload": {"data": "40 TB"}, "limits": {"deadline": "2 h"}}
SLOW_NODES = {"stragglers": {"share": 0.1, "factor": 3}}


def with_limits(**limits: Any) -> dict[str, Any]:
    return {**IN_TIME, "limits": {**IN_TIME["limits"], **limits}}


def planned(document: dict[str, Any]) -> PlanAnswer:
    return _planned(json.dumps(document))


def compared(document: dict[str, Any]) -> ConfidencesAnswer:
    return _compared(json.dumps(document))


@cache
def _planned(document: str) -> PlanAnswer:
    """Search once for each document, which several tests ask about."""
    return preview_plan(parse_workload(json.loads(document)), packaged_knowledge, lambda: 0.0, "none")


@cache
def _compared(document: str) -> ConfidencesAnswer:
    return compare_confidences(parse_workload(json.loads(document)), packaged_knowledge, lambda: 0.0)


def chance_of(document: dict[str, Any]) -> float | None:
    return parse_workload(document).to_workload().limits.chance


@pytest.mark.parametrize(
    ("document", "chance"),
    [
        (IN_TIME, 0.95),
        (with_limits(chance=None), 0.95),
        (with_limits(chance="50 %"), None),
        (with_limits(chance=0.5), None),
        (with_limits(chance="40 %"), 0.4),
        (with_limits(chance="99 %"), 0.99),
        (with_limits(deadline="none"), None),
        ({**IN_TIME, "assume": {"usual": "ignored"}}, None),
        ({**IN_TIME, "assume": SLOW_NODES}, None),
        ({"workload": {"data": "40 TB"}}, None),
        ({"workload": {"job": "hdfs-write", "data": "40 TB"}}, 0.95),
        ({"workload": {"job": "hdfs-write", "data": "40 TB"}, "limits": {"chance": "50 %"}}, None),
    ],
)
def test_a_deadline_is_met_in_95_of_100_runs_unless_the_file_says_otherwise(
    document: dict[str, Any], chance: float | None
) -> None:
    assert chance_of(document) == chance


def test_every_first_row_meets_the_deadline_with_the_default_and_the_answer_says_so() -> None:
    answer = planned(IN_TIME)
    assert answer.limits.chance == CONFIDENCE.value
    assert all((row.meets_deadline or 0.0) >= CONFIDENCE.value for row in answer.configurations)
    assert answer.sentence.startswith("Cheapest within 2 h with 95% confidence")
    assert "It meets 2 h in 95% of runs (low risk)." in answer.sentence
    assert "the deadline is met in 95% of runs" in [each.words for each in answer.assumed]
    assert answer.workload["limits"] == {"deadline": "2 h", "chance": None}


def test_the_median_is_a_choice_which_finds_what_was_found_before() -> None:
    answer = planned(with_limits(chance="50 %"))
    assert answer.limits.chance is None
    assert "limits.chance" not in [each.path for each in answer.assumed]
    [first, *_] = answer.configurations
    assert first.time_s.p50 <= 7_200.0
    assert first.cost_usd.p50 < planned(IN_TIME).configurations[0].cost_usd.p50


def test_slow_nodes_leave_the_median_and_the_answer_says_why() -> None:
    answer = planned({**IN_TIME, "limits": {"deadline": "4 h", "max_nodes": 40}, "assume": SLOW_NODES})
    [assumed] = [each for each in answer.assumed if each.path == "limits.chance"]
    assert assumed.words == "the median meets the deadline, because slow nodes are assumed"
    assert answer.limits.chance is None


def test_without_a_deadline_nothing_is_assumed_of_it() -> None:
    answer = planned({"workload": {"data": "40 TB"}})
    assert "limits.chance" not in [each.path for each in answer.assumed]
    assert "of runs" not in answer.sentence
    assert compared({"workload": {"data": "40 TB"}}).others == []


@pytest.mark.parametrize(("assume", "chance"), [({"usual": "applied"}, None), ({"usual": "ignored"}, None), ({}, None)])
def test_documents_from_before_the_default_keep_the_median(assume: dict[str, Any], chance: float | None) -> None:
    file = parse_stored_workload({**IN_TIME, "assume": assume})
    assert file.to_workload().limits.chance == chance
    assert parse_stored_workload(file.written()).to_workload().limits.chance == chance


@pytest.mark.parametrize("document", [IN_TIME, with_limits(chance="50 %"), with_limits(chance="90 %")])
def test_documents_that_are_stored_today_keep_what_they_were_asked_with(document: dict[str, Any]) -> None:
    file = parse_workload(document)
    assert parse_stored_workload(file.written()) == file


def test_cells_of_a_sweep_have_the_default_and_those_of_older_sweeps_the_median() -> None:
    axes = {
        "columns": {"quantity": "deadline", "values": ["2 h", "none"]},
        "rows": {"quantity": "data", "values": ["40 TB"]},
    }
    request = {"base": {"workload": {"data": "1 TB"}, "assume": {"usual": "applied"}}, **axes}
    for sweep, chance in ((SweepFile.model_validate(request), 0.95), (stored_sweep(request), None)):
        cells = [cell.to_workload() for cell in grid_of(sweep, "latest").cells]
        assert [cell.limits.chance for cell in cells] == [chance, None]


def test_a_plan_that_was_saved_before_the_default_is_read_with_the_median(
    client: TestClient, database: Database, org_id: UUID
) -> None:
    pin = {**with_limits(chance="50 %"), "cluster": {"instance": "i3.8xlarge", "nodes": 20}}
    saved = client.post("/api/v1/plans", json={**with_limits(chance="50 %"), "decided": {"pins": [pin]}}).json()
    saved["decided"]["pins"][0]["file"]["limits"].pop("chance")
    workload = saved["answer"]["workload"]
    del workload["limits"]["chance"]
    replace_workload(database, org_id, saved, workload)
    with database.transaction(org_id) as connection:
        connection.execute(text("UPDATE plan SET decided = :decided"), {"decided": json.dumps(saved["decided"])})
    found = client.get(f"/api/v1/plans/{saved['id']}").json()
    read = found["answer"]
    assert found["decided"]["pins"][0]["file"]["limits"] == {"deadline": "2 h", "chance": "50 %"}
    assert read["workload"]["limits"] == {"deadline": "2 h", "chance": "50 %"}
    assert client.post("/api/v1/plans/preview?sources=first", json=read["workload"]).json()["limits"]["chance"] is None
    again = client.get(f"/api/v1/plans/{saved['id']}/today").json()
    assert again["answer"]["sentence"] == read["sentence"]


def test_what_more_risk_saves_is_what_a_search_with_less_confidence_finds(client: TestClient) -> None:
    answer = client.post("/api/v1/plans/confidences", json=IN_TIME).json()
    first = planned(IN_TIME).configurations[0]
    assert answer["confidence"] == 0.95
    assert [other["confidence"] for other in answer["others"]] == [*LESS_CONFIDENT]
    for other in answer["others"]:
        found = planned(with_limits(chance=str(other["confidence"]))).configurations[0]
        assert (other["instance"], other["nodes"]) == (found.instance, found.nodes)
        assert other["saves_usd"] == pytest.approx(first.cost_usd.p50 - found.cost_usd.p50)
        assert other["saves_usd"] > 0.0
        assert other["meets_deadline"] == pytest.approx(found.meets_deadline)
    assert answer["others"][-1]["sentence"].startswith("Accepting 50% instead of 95% confidence saves $")


def test_after_the_choice_of_the_median_the_answer_says_what_the_usual_confidence_costs() -> None:
    [other] = compared(with_limits(chance="50 %")).others
    assert other.confidence == 0.95
    assert other.saves_usd == pytest.approx(-compared(IN_TIME).others[-1].saves_usd)
    assert re.match(r"95% instead of 50% confidence costs \$[\d.]+ a run more \(\+[\d.]+%\): \d+ × ", other.sentence)


@pytest.mark.parametrize(
    "document",
    [
        {**IN_TIME, "objective": "time"},
        with_limits(deadline="1 s"),
        {**IN_TIME, "assume": SLOW_NODES},
        # Every type meets so late a deadline.
        with_limits(deadline="30 d"),
    ],
)
def test_nothing_is_offered_where_more_risk_saves_nothing(document: dict[str, Any]) -> None:
    assert compared(document).others == []


def test_the_confidence_that_can_be_had_is_the_nearest_miss() -> None:
    cramped = with_limits(max_nodes=5)
    answer = planned(cramped)
    assert not answer.configurations
    [miss] = [miss for miss in answer.near_misses if miss.limits == ["chance"]]
    assert miss.sentence.endswith(f"would need {miss.relaxation}.")
    relaxed = planned({**cramped, "limits": {**cramped["limits"], "chance": miss.needs["chance"]}})
    assert relaxed.configurations


def test_the_terminal_prints_the_level_of_risk_and_what_more_of_it_saves() -> None:
    printed = " ".join(stowage("plan", "-", stdin=json.dumps(IN_TIME)).stdout.split())
    assert "5% low" in printed
    assert "Accepting 50% instead of 95% confidence saves $" in printed
    chosen = stowage("plan", "-", stdin=json.dumps(with_limits(chance="50 %"))).stdout
    assert "high" in chosen
    assert "95% instead of 50% confidence costs $" in " ".join(chosen.split())
