"""All WHERE conditions removed at once: a team's request gets wrong answers, but never another team's data.

The application's queries lose their conditions on the way to the database; those of the auth role, which authenticate
the caller, keep them. Row-level security must separate the teams without our own filters.
"""

from collections.abc import Iterator
from typing import Any

import pytest
from sqlalchemy import Table, event
from sqlalchemy.sql import visitors

from browser import Browser
from database import new_org, opened
from filled import TENANT_TABLES
from people import new_member, signed_in_as
from stowage.platform.database.database import Database
from stowage.platform.database.embedded import DatabaseUrls
from stowage.platform.jobs.queue import Queue
from tenants import MARK, World, two_teams

FORGOTTEN: list[Any] = []
LEFT_OUT = {"sign_out", "end_all_sessions", "delete_team", "leave_team", "job_events", "export_audit"} | {
    "compare_regions",
    "read_validation",
}
"""After the first ones the caller is signed out; the next two loop until a condition holds, and never end without it;
the last two compute for seconds, with no data of a team."""


def forget(_connection: object, statement: Any, multiparams: Any, params: Any, _options: object) -> Any:
    """Remove the conditions on a team's rows from a statement; conditions on the catalog stay."""
    asked = {each.name for each in visitors.iterate(statement) if isinstance(each, Table)}
    if not asked.isdisjoint(TENANT_TABLES) and getattr(statement, "whereclause", None) is not None:
        statement = statement._generate()  # noqa: SLF001 - as its own methods make a changed copy
        FORGOTTEN.append(statement)
        statement._where_criteria = ()  # noqa: SLF001
    return statement, multiparams, params


@pytest.fixture(scope="module")
def careless(postgres: DatabaseUrls) -> Iterator[Database]:
    """Yield the application's database, a separate one so that no other test loses its conditions."""
    with opened(postgres.application) as database:
        yield database


@pytest.fixture(scope="module")
def world(postgres: DatabaseUrls, owner: Database, careless: Database, gate: Database, queue: Queue) -> Iterator[World]:
    with Browser.sharing_a_loop(), two_teams(postgres, owner, careless, gate, queue) as world:
        yield world


@pytest.fixture
def forgetting(careless: Database, world: World) -> Iterator[None]:  # noqa: ARG001 - which is built with all conditions
    engine = careless._engine  # noqa: SLF001 - a test that breaks what is inside
    FORGOTTEN.clear()
    event.listen(engine, "before_execute", forget, retval=True)
    yield
    event.remove(engine, "before_execute", forget)


@pytest.mark.usefixtures("forgetting")
def test_with_every_condition_forgotten_no_answer_holds_anything_of_another_team(world: World) -> None:
    theirs = [value for _, value in world.ids.all()] + [MARK]
    answered = 0
    with world.untouched():
        # Permissions are checked before, with all conditions; the callers with the most permissions show the most.
        for caller in (each for each in world.strangers if each.name in {"owner", "removed member"}):
            # Reads first: a change of everything changes what can be read.
            for route in sorted(world.routes, key=lambda route: route.changes):
                if route.is_public or route.name in LEFT_OUT:
                    continue
                answer = route.ask(caller.client, world.ids, caller.headers)
                answered += answer.is_success
                told = world.ids.into(route.path) + answer.text.replace(str(answer.request.url), "")
                # A refusal may repeat what the address itself contained, and nothing else.
                leaked = [each for each in theirs if each in answer.text and (answer.is_success or each == MARK)]
                assert leaked == [], (caller.name, route.name, told)
    assert answered > 30
    assert len(FORGOTTEN) > 40


@pytest.mark.usefixtures("forgetting")
def test_a_plan_of_another_team_asked_for_by_its_id_is_ones_own_then_read_renamed_and_removed(
    world: World, gate: Database, owner: Database
) -> None:
    """The answer is wrong and harmless: the only plan that can be found is the caller's."""
    other = new_org(owner)
    browser = Browser(world.app)
    client = signed_in_as(browser, gate, new_member(gate, other))
    question = {"workload": {"data": "1 TB"}, "limits": {"max_nodes": 3}, "choose": {"families": ["i4i"]}}
    with world.untouched():
        mine = client.post("/api/v1/plans", json=question).json()["id"]
        read = client.get(f"/api/v1/plans/{world.ids.plan_id}")
        assert (read.status_code, read.json()["id"]) == (200, mine)
        renamed = client.patch(f"/api/v1/plans/{world.ids.plan_id}", json={"name": "Without a condition"})
        assert (renamed.status_code, renamed.json()["name"]) == (200, "Without a condition")
        assert client.delete(f"/api/v1/plans/{world.ids.plan_id}").status_code == 204
