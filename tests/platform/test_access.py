"""The access table: roles and their permissions, each role with those of the role below it."""

from itertools import combinations
from typing import get_args
from uuid import uuid4

import pytest

from stowage.api.app import create_app
from stowage.model.job import JobKind
from stowage.model.team import Role, Scope
from stowage.platform.access import DENIED, GRANTS, SCOPES, STARTS, Actor, Permission, Principal, demand
from stowage.platform.errors import NotFound
from walk import routes_of

PERMISSIONS = frozenset(get_args(Permission))
OF_PEOPLE = {"tokens.write", "team.write", "service.refresh", "runs.approve", "reports.approve", "accounts.write"}
"""Permissions that no token gets: with them, a token could create a token, admit a person, or spend money."""

TABLE = {
    "catalog.read": "visitor viewer contributor planner owner",
    "plans.read": "visitor viewer contributor planner owner",
    "plans.ask": "visitor planner owner",
    "plans.write": "planner owner",
    "measurements.read": "visitor viewer contributor planner owner",
    "measurements.write": "contributor planner owner",
    "links.write": "planner owner",
    "tokens.write": "viewer contributor planner owner",
    "team.read": "viewer contributor planner owner",
    "team.write": "owner",
    "audit.read": "owner",
    "service.refresh": "owner",
    "runs.read": "visitor viewer contributor planner owner",
    "runs.write": "contributor planner owner",
    "runs.approve": "planner owner",
    "accounts.write": "owner",
    "reports.read": "visitor viewer contributor planner owner",
    "reports.write": "planner owner",
    "reports.approve": "planner owner",
    "comments.write": "viewer contributor planner owner",
}


def principal(role: Role | None, *scopes: Scope) -> Principal:
    return Principal(uuid4(), "Ada", None, uuid4(), role, scopes=frozenset(scopes) if scopes else None)


def test_the_grants_are_those_of_the_issue() -> None:
    assert {
        permission: {role for role, granted in GRANTS.items() if permission in granted} for permission in PERMISSIONS
    } == {permission: set(roles.split()) for permission, roles in TABLE.items()}


def test_cancelling_a_job_needs_the_permission_of_the_routes_that_start_it() -> None:
    declared = {route.name: route.declared for route in routes_of(create_app(None, page=None))}
    started_by = {
        "sweep": ("start_sweep",),
        "upload": ("start_reading",),
        "document": ("publish_report", "make_documents"),
        "alert": ("test_alert_address",),
        "account": ("check_aws_account",),
        "refresh": ("start_refresh",),
    }
    assert {
        kind: {next(iter(declared[route] - {"person"})) for route in routes} for kind, routes in started_by.items()
    } == {kind: {permission} for kind, permission in STARTS.items() if kind != "demo"}
    assert set(STARTS) == set(get_args(JobKind))
    assert STARTS["demo"] not in GRANTS["visitor"]


def test_every_role_has_a_line_and_holds_what_the_one_below_holds() -> None:
    assert set(GRANTS) == {*get_args(Role), "visitor"}
    for lower, higher in combinations(("viewer", "contributor", "planner", "owner"), 2):
        assert GRANTS[lower] < GRANTS[higher]  # type: ignore[index]
    assert GRANTS["owner"] == PERMISSIONS
    # In the example team everyone has a viewer's permissions, except on its people, and may try it out.
    assert GRANTS["visitor"] - GRANTS["viewer"] == {"plans.ask"}
    assert not GRANTS["visitor"] & {"team.read", "tokens.write", "plans.write"}


def test_every_permission_is_asked_for_by_a_route() -> None:
    declared = {each for route in routes_of(create_app(None, None)) for each in route.declared}
    assert PERMISSIONS - declared == set()
    assert declared - PERMISSIONS == {"public", "signed in", "person", "proven"}


def test_scopes_never_hold_what_is_for_people() -> None:
    assert set(SCOPES) == set(get_args(Scope))
    assert frozenset().union(*SCOPES.values()) == PERMISSIONS - OF_PEOPLE


@pytest.mark.parametrize("role", get_args(Role))
def test_a_token_gives_no_more_than_its_person_has_and_no_more_than_its_scopes_hold(role: Role) -> None:
    whole = principal(role).permissions
    assert whole == GRANTS[role]
    for scope in get_args(Scope):
        assert principal(role, scope).permissions == whole & SCOPES[scope]
    assert principal(role, *get_args(Scope)).permissions == whole - OF_PEOPLE
    assert principal(None, *get_args(Scope)).permissions == frozenset()


@pytest.mark.parametrize("permission", sorted(PERMISSIONS))
def test_what_is_not_granted_is_not_there(permission: Permission) -> None:
    for role in get_args(Role):
        if permission in GRANTS[role]:
            demand(principal(role), permission)
        else:
            with pytest.raises(NotFound, match=DENIED):
                demand(principal(role), permission)
    with pytest.raises(NotFound, match=DENIED):
        demand(principal(None), permission)


def test_an_actor_tells_what_is_known_and_nothing_else() -> None:
    person_id = uuid4()
    assert Actor("person", "Ada", person_id, address="203.0.113.7").told() == {
        "kind": "person",
        "name": "Ada",
        "id": str(person_id),
        "address": "203.0.113.7",
    }
    assert Actor("system", "Stowage").told() == {"kind": "system", "name": "Stowage"}
