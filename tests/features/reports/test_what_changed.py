"""Sentences for readers about the changes between two reports."""

from collections.abc import Iterator
from datetime import UTC, datetime
from typing import Any
from uuid import UUID, uuid4

import pytest

from composed import asked
from database import new_org
from small_catalogs import Versions, small_catalogs
from stowage.features.planning import plans
from stowage.features.reports.composing import compose
from stowage.features.reports.what_changed import reader_sentence
from stowage.model.report import Report
from stowage.platform.database.database import Database
from stowage.platform.database.embedded import DatabaseUrls
from stowage.workloads.workload_file import parse_workload

NOW = datetime(2026, 12, 5, 9, tzinfo=UTC)
TODAY = {"instance": "i3en.6xlarge", "nodes": 20}
WITH_ALL = {"i3.8xlarge": 1.0, "i3en.6xlarge": 1.0, "i4i.8xlarge": 1.0}


@pytest.fixture(scope="module")
def versions(database: Database, postgres: DatabaseUrls) -> Iterator[Versions]:
    with small_catalogs(database, postgres) as made:
        yield made


@pytest.fixture(scope="module")
def team(owner: Database) -> UUID:
    return new_org(owner)


def report_on(
    database: Database, team: UUID, catalog: str, data: str = "10 TB", deadline: str = "3 h", **more: Any
) -> Report:
    file = parse_workload(
        {
            "workload": {"data": data, "name": "Nightly", "runs_per_month": 30.0},
            "place": {"catalog": catalog},
            "limits": {"max_nodes": 100, "deadline": deadline},
            "assume": {"usual": "ignored"},
        }
    )
    plan = plans.save_plan(database, team, file, plan_id=uuid4(), now=NOW, clock=lambda: 0.0).in_objects()
    new = asked({"kind": "plan", "plan_id": str(plan.id)}, **more)
    return compose(database, team, new, author="Ada", team="Data", now=NOW).report


def winner_of(report: Report) -> str:
    return report.sentence.partition(" × ")[2].split()[0]


def test_a_price_that_rose_is_the_cause_and_the_winner_is_unchanged(
    database: Database, team: UUID, versions: Versions
) -> None:
    old = report_on(database, team, versions.put(WITH_ALL))
    winner = winner_of(old)
    new = report_on(database, team, versions.put({**WITH_ALL, winner: 1.04}))
    assert winner_of(new) == winner
    said = reader_sentence(old, new)
    assert said.startswith("$")
    assert f" more a month (+4%) because {winner} rose 4%; winner unchanged." in said
    back = reader_sentence(new, old)
    assert f" less a month (−3.8%) because {winner} fell 3.85%; winner unchanged." in back


def test_another_winner_is_named_with_the_one_before(database: Database, team: UUID, versions: Versions) -> None:
    old = report_on(database, team, versions.put(WITH_ALL), today=TODAY)
    winner = winner_of(old)
    new = report_on(database, team, versions.put({**WITH_ALL, winner: 3.0}), today=TODAY)
    now = winner_of(new)
    assert now != winner
    said = reader_sentence(old, new)
    assert f"{winner} rose 200%" in said
    assert "the winner is now " in said
    assert f" × {now} instead of " in said
    assert "Saving a month: " in said


def test_another_question_is_named_before_prices(database: Database, team: UUID, versions: Versions) -> None:
    catalog = versions.put(WITH_ALL)
    old, new = (report_on(database, team, catalog, data=data) for data in ("10 TB", "12 TB"))
    assert " because the data size changed from 10 TB to 12 TB" in reader_sentence(old, new)


def test_a_change_that_leaves_the_cost_the_same_is_no_reason(
    database: Database, team: UUID, versions: Versions
) -> None:
    catalog = versions.put(WITH_ALL)
    old, new = (report_on(database, team, catalog, deadline=deadline) for deadline in ("3 h", "4 h"))
    said = reader_sentence(old, new)
    assert said.startswith("The same cost a month after the deadline changed from 3 h to 4 h; winner unchanged.")


def test_equal_reports_cost_the_same(database: Database, team: UUID, versions: Versions) -> None:
    report = report_on(database, team, versions.put(WITH_ALL))
    assert reader_sentence(report, report) == "The same cost a month; winner unchanged."


def test_reports_without_a_recommendation_name_their_key_figures(database: Database, team: UUID) -> None:
    new = asked({"kind": "validation"})
    report = compose(database, team, new, author="Ada", team="Data", now=NOW).report
    assert reader_sentence(report, report) == "The key figures are unchanged."
