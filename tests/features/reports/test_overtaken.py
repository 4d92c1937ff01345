"""Reports whose answers may be out of date: said on the report, in the list and, without figures, to guests."""

from dataclasses import replace
from datetime import UTC, datetime
from uuid import UUID, uuid4

import pytest
from fastapi.testclient import TestClient

from documents.sample import full_report
from published import REPORTS, link_to, publish
from stowage.features.calibration.price_terms.schemas import NewPriceTerms
from stowage.features.calibration.price_terms.setting import set_terms
from stowage.features.planning import plans
from stowage.model.report import Origin, Report
from stowage.platform.database.database import Database
from stowage.platform.jobs.queue import Queue
from stowage.workloads.workload_file import parse_workload

WORKLOAD = {"workload": {"data": "1 TB"}, "limits": {"max_nodes": 10}, "choose": {"families": ["i4i"]}}


@pytest.fixture
def report(database: Database, org_id: UUID) -> Report:
    """Return a report of a plan that is saved now."""
    file, now = parse_workload(WORKLOAD), datetime.now(UTC)
    plan = plans.save_plan(database, org_id, file, plan_id=uuid4(), now=now, clock=lambda: 0.0).in_objects()
    return replace(full_report(), origin=Origin("plan", (str(plan.id),), (plan.name,)))


def test_a_report_says_that_prices_changed_until_a_newer_one_replaces_it(
    client: TestClient, database: Database, queue: Queue, org_id: UUID, report: Report
) -> None:
    report_id = publish(database, queue, org_id, report).id
    address, secret = f"{REPORTS}/{report_id}", link_to(client, report_id)
    assert client.get(address).json()["since"] is None
    assert client.get(f"/api/v1/shared/{secret}").json()["report"]["since"] is None
    set_terms(database, org_id, NewPriceTerms(overall="12%"), person="Ann", now=datetime.now(UTC))
    said = "Since this answer was computed, the price terms changed: the answer may be another one today."
    assert client.get(address).json()["since"] == said
    assert client.get(REPORTS).json()["reports"][0]["since"] == said
    to_guest = client.get(f"/api/v1/shared/{secret}").json()["report"]["since"]
    assert "may be out of date" in to_guest
    assert not any(letter.isdigit() for letter in to_guest)
    publish(database, queue, org_id, report, replaces=report_id)
    assert client.get(address).json()["since"] is None
    assert client.get(f"/api/v1/shared/{secret}").json()["report"]["since"] is None


def test_a_report_of_a_deleted_plan_says_nothing(
    client: TestClient, database: Database, queue: Queue, org_id: UUID, report: Report
) -> None:
    report_id = publish(database, queue, org_id, report).id
    set_terms(database, org_id, NewPriceTerms(overall="12%"), person="Ann", now=datetime.now(UTC))
    assert client.delete(f"/api/v1/plans/{report.origin.object_ids[0]}").status_code == 204
    assert client.get(f"{REPORTS}/{report_id}").json()["since"] is None
