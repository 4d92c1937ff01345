"""Tenant walk: every route and caller, with ids of another team and unknown ids, must give the same refusal."""

import json
from collections.abc import Iterator
from dataclasses import replace

import pytest

from stowage.platform.access import DENIED
from stowage.platform.database.database import Database
from stowage.platform.database.embedded import DatabaseUrls
from stowage.platform.jobs.queue import Queue
from tenants import MARK, World, two_teams
from walk import BODIES, BYTES, CLUSTER, QUESTION, Caller, Ids, Route, takes_body

NAME_NO_ID = {"read_plan_today", "read_plan_ranking", "open_plan_row", "list_schedules"}
"""Routes whose answers do not repeat the id of their plan or report."""

DECLARED = {
    "health": "public",
    "readiness": "public",
    "list_teams": "catalog.read",
    "read_home": "catalog.read",
    "list_examples": "plans.read",
    "read_example": "plans.read",
    "read_validation": "catalog.read",
    "preview_plan": "plans.ask",
    "preview_columns": "plans.ask",
    "preview_curves": "plans.ask",
    "preview_limits": "plans.ask",
    "preview_ranking": "plans.ask",
    "compare_confidences": "plans.ask",
    "compare_regions": "plans.ask",
    "predict": "plans.read",
    "explain": "plans.read",
    "look_ahead": "plans.ask",
    "deploy": "plans.read",
    "save_plan": "plans.write",
    "save_plan_columns": "plans.write",
    "list_plans": "plans.read",
    "read_plan_today": "plans.read",
    "read_plan_ranking": "plans.read",
    "open_plan_row": "plans.read",
    "read_plan": "plans.read",
    "read_plan_columns": "plans.read",
    "rename_plan": "plans.write",
    "decide_plan": "plans.write",
    "mark_saving": "plans.write",
    "duplicate_plan": "plans.write",
    "delete_plan": "plans.write",
    "restore_plan": "plans.write",
    "start_refresh": "service.refresh",
    "read_refresh": "catalog.read",
    "list_catalogs": "catalog.read",
    "read_catalog_regions": "catalog.read",
    "read_region": "catalog.read",
    "read_instance_types": "catalog.read",
    "read_instance_type": "catalog.read",
    "read_prices": "catalog.read",
    "read_volume_types": "catalog.read",
    "read_difference": "catalog.read",
    "list_instance_views": "catalog.read",
    "save_instance_view": "plans.write",
    "rename_instance_view": "plans.write",
    "delete_instance_view": "plans.write",
    "restore_instance_view": "plans.write",
    "start_sweep": "plans.write",
    "check_sweep": "plans.ask",
    "list_sweeps": "plans.read",
    "read_sweep": "plans.read",
    "rename_sweep": "plans.write",
    "delete_sweep": "plans.write",
    "restore_sweep": "plans.write",
    "read_job": "plans.read",
    "cancel_job": "plans.write",
    "retry_job": "plans.write",
    "job_events": "plans.read",
    "design_volumes": "catalog.read",
    "begin_upload": "measurements.write",
    "list_uploads": "measurements.read",
    "read_upload": "measurements.read",
    "add_piece": "measurements.write",
    "start_reading": "measurements.write",
    "judge_reading": "measurements.write",
    "keep_upload": "measurements.write",
    "delete_upload": "measurements.write",
    "download_upload": "measurements.read",
    "list_measurements": "measurements.read",
    "read_measurement": "measurements.read",
    "say_verdict": "measurements.write",
    "list_profiles": "measurements.read",
    "read_profile": "measurements.read",
    "list_changes": "measurements.read",
    "list_recipes": "measurements.read",
    "rerank_plan": "plans.read",
    "keep_finished_jobs": "measurements.write",
    "list_logged_jobs": "measurements.read",
    "keep_logged_jobs": "measurements.write",
    "list_finished_jobs": "measurements.read",
    "read_finished_job": "measurements.read",
    "set_series_of_job": "measurements.write",
    "withdraw_finished_job": "measurements.write",
    "restore_finished_job": "measurements.write",
    "list_calibrations": "measurements.read",
    "fit_framework": "measurements.write",
    "read_calibration": "measurements.read",
    "list_alerts": "measurements.read",
    "see_alert": "measurements.write",
    "read_inbox": "person + team.read",
    "mark_inbox_read": "person + team.read",
    "choose_inbox_mail": "person + team.read",
    "set_inbox_webhook": "person + team.read",
    "choose_inbox_webhook": "person + team.read",
    "remove_inbox_webhook": "person + team.read",
    "try_inbox_webhook": "person + team.read",
    "list_alert_addresses": "team.write",
    "add_alert_address": "team.write",
    "remove_alert_address": "team.write",
    "test_alert_address": "team.write",
    "read_session": "public",
    "sign_in": "public",
    "sign_in_by_link": "public",
    "finish_sign_in": "public",
    "start_oidc": "public",
    "end_oidc": "public",
    "sign_out": "person",
    "choose_team": "person",
    "list_sessions": "person",
    "end_session": "person",
    "end_all_sessions": "person",
    "prove": "person",
    "change_account": "person",
    "change_credentials": "proven",
    "send_verification": "person",
    "verify_email": "public",
    "request_reset": "public",
    "reset_password": "public",
    "begin_second_factor": "proven",
    "confirm_second_factor": "proven",
    "renew_recovery_codes": "proven",
    "remove_second_factor": "proven",
    "challenge_passkey": "public",
    "list_passkeys": "person",
    "challenge_new_passkey": "proven",
    "add_passkey": "proven",
    "remove_passkey": "proven",
    "read_me": "signed in",
    "read_team": "team.read",
    "read_quotas": "team.read",
    "limit_quota": "team.write",
    "read_load": "team.read",
    "read_currency": "team.read",
    "set_currency": "team.write",
    "read_price_terms": "team.read",
    "set_price_terms": "team.write",
    "rename_team": "team.write",
    "delete_team": "team.write",
    "list_members": "team.read",
    "change_role": "team.write",
    "remove_member": "team.write",
    "leave_team": "person",
    "reset_for_member": "proven + team.write",
    "list_invitations": "team.write",
    "invite": "team.write",
    "withdraw_invitation": "team.write",
    "look_at_invitation": "public",
    "accept_invitation": "public",
    "list_tokens": "tokens.write",
    "make_token": "person + tokens.write",
    "end_current_token": "signed in",
    "revoke_token": "person + tokens.write",
    "list_links": "links.write",
    "make_link": "links.write",
    "revoke_link": "links.write",
    "read_shared": "public",
    "read_shared_ranking": "public",
    "unlock_shared": "public",
    "read_shared_file": "public",
    "preview_report": "reports.write",
    "publish_report": "reports.write",
    "list_reports": "reports.read",
    "read_report": "reports.read",
    "delete_report": "reports.write",
    "restore_report": "reports.write",
    "compare_reports": "reports.read",
    "make_documents": "reports.write",
    "read_report_file": "reports.read",
    "list_comments": "reports.read",
    "request_approval": "reports.write",
    "decide_approval": "reports.approve",
    "list_schedules": "reports.read",
    "schedule_report": "reports.write",
    "end_schedule": "reports.write",
    "stop_schedule_for_me": "comments.write",
    "add_comment": "comments.write",
    "remove_comment": "comments.write",
    "read_audit": "audit.read",
    "export_audit": "audit.read",
    "search": "catalog.read",
    "quote_run": "runs.write",
    "create_run": "runs.write",
    "list_runs": "runs.read",
    "compare_runs": "runs.read",
    "read_run": "runs.read",
    "read_run_log": "runs.read",
    "run_events": "runs.read",
    "approve_run": "person + runs.approve",
    "cancel_run": "runs.write",
    "accept_run": "runs.write",
    "rerank_by_run": "runs.read",
    "list_plan_watches": "plans.read",
    "watch_plan": "plans.write",
    "read_plan_watch": "plans.read",
    "end_plan_watch": "plans.write",
    "check_plan": "plans.write",
    "list_watches": "runs.read",
    "add_watch": "runs.write",
    "read_watch": "runs.read",
    "end_watch": "runs.write",
    "read_watch_series": "runs.read",
    "read_run_metrics": "runs.read",
    "list_aws_accounts": "runs.read",
    "add_aws_account": "accounts.write + person",
    "read_aws_account": "runs.read",
    "change_aws_account": "accounts.write + person",
    "check_aws_account": "accounts.write + person",
    "read_aws_account_template": "accounts.write",
    "remove_aws_account": "accounts.write + person",
}
"""Every route of the API. A new route fails here until it is listed: its author states who may call it."""

SIGNED_OUT = {
    "type": "about:blank",
    "title": "Sign in first",
    "status": 401,
    "detail": "You are not signed in.",
    "errors": [],
}
NOT_THERE = {"type": "about:blank", "title": "Not found", "status": 404, "detail": DENIED, "errors": []}


@pytest.fixture(scope="module")
def world(postgres: DatabaseUrls, owner: Database, database: Database, gate: Database, queue: Queue) -> Iterator[World]:
    """Yield two teams; no test of this file changes the team that owns the objects."""
    with two_teams(postgres, owner, database, gate, queue) as world:
        yield world


def strangers(world: World, route: Route) -> list[Caller]:
    """Return the callers of the other team for a route: a person and a token with permission, and a person without.

    A missing permission is refused before the object is looked up: that case is tested within the own team.
    """
    may = [caller for caller in world.strangers if caller.may(route)]
    return may[:1] + may[1:][-1:] + [caller for caller in world.strangers if not caller.may(route)][-1:]


def said(route: Route) -> str:
    return " + ".join(sorted(route.declared))


def test_every_route_declares_what_the_table_says_and_every_line_of_the_table_is_a_route(world: World) -> None:
    assert {route.name: said(route) for route in world.routes} == DECLARED
    assert len({(route.method, route.path) for route in world.routes}) == len(world.routes)


def test_the_walk_knows_a_body_for_every_route_that_takes_one_and_a_value_for_every_part_of_an_address(
    world: World,
) -> None:
    assert takes_body(world.app) == {*BODIES, *BYTES}
    assert [route.path for route in world.routes if "{" in world.ids.into(route.path)] == []


def test_what_is_walked_around_in_is_there(world: World) -> None:
    """Check that the ids exist: a caller with permission finds each object, so the walk's refusals mean something."""
    unfinished = []
    for route in world.routes:
        if route.changes or not route.is_about:
            continue
        answer = route.ask(world.owner, world.ids)
        if answer.status_code == 500:
            unfinished.append(route.name)
            continue
        assert answer.status_code == 200, (route.name, answer.text)
        assert str(getattr(world.ids, min(route.is_about))) in answer.text or route.name in NAME_NO_ID
    assert unfinished == []


def test_an_unknown_caller_is_told_to_sign_in_and_nothing_else(world: World) -> None:
    with world.untouched():
        for caller in world.unknown:
            for route in world.routes:
                if not route.is_public:
                    answer = route.ask(caller.client, world.ids, caller.headers)
                    assert (answer.status_code, answer.json()) == (401, SIGNED_OUT), (caller.name, route.name)
                    assert answer.headers["www-authenticate"] == "Bearer"


def test_what_a_role_or_a_token_may_not_do_in_its_own_team_looks_as_if_it_were_not_there(world: World) -> None:
    denied = 0
    with world.untouched():
        for caller in world.members:
            for route in world.routes:
                if not caller.may(route):
                    answer = route.ask(caller.client, world.ids, caller.headers)
                    assert (answer.status_code, answer.json()) == (404, NOT_THERE), (caller.name, route.name)
                    assert answer.headers["content-type"] == "application/problem+json"
                    denied += 1
    assert denied > 200


def test_another_teams_objects_look_nonexistent_to_every_caller(world: World) -> None:
    allowed = 0
    with world.untouched():
        for route in world.routes:
            for caller in strangers(world, route):
                if route.is_public or not (route.is_about or not caller.may(route)):
                    continue
                nothing = Ids.of_nothing()
                theirs = route.ask(caller.client, world.ids, caller.headers)
                never = route.ask(caller.client, nothing, caller.headers)
                where = (caller.name, route.name, theirs.text, never.text)
                assert world.ids.out_of(theirs.text) == nothing.out_of(never.text), where
                assert theirs.status_code == never.status_code, where
                assert shape(theirs.headers) == shape(never.headers), where
                if not caller.may(route):
                    assert (theirs.status_code, theirs.json()) == (404, NOT_THERE), where
                elif route.name != "list_links" or theirs.status_code != 200:
                    assert theirs.status_code == 404, where
                    assert set(theirs.json()) == set(NOT_THERE), where
                    assert theirs.json()["title"] == "Not found", where
                    allowed += 1
                else:
                    assert json.loads(theirs.text) == {"links": []}, where
    assert allowed > 50


def shape(headers: object) -> list[str]:
    return sorted(name for name in dict(headers) if name not in {"x-request-id", "content-length"})  # type: ignore[call-overload]


def test_no_list_of_anybody_else_names_anything_of_the_team(world: World) -> None:
    hidden = [value for name, value in world.ids.all() if name != "org_id"] + [str(world.org_id), MARK]
    with world.untouched():
        for route in world.routes:
            for caller in strangers(world, route):
                if route.changes or route.is_about or not caller.may(route) or route.name == "export_audit":
                    continue
                text = route.ask(caller.client, world.ids, caller.headers).text
                assert [each for each in hidden if each in text] == [], (caller.name, route.name)


def test_what_strangers_may_do_at_home_does_nothing_here(world: World) -> None:
    """Send every request that creates something as another team's planner and owner, with the same fields."""
    made = {
        "save_plan",
        "save_plan_columns",
        "start_sweep",
        "make_token",
        "invite",
        "rename_team",
        "search",
        "predict",
        "explain",
        "begin_upload",
    }
    with world.untouched():
        for route in world.routes:
            for caller in strangers(world, route):
                if route.name in made and caller.may(route):
                    answer = route.ask(caller.client, world.ids, caller.headers)
                    assert answer.status_code < 300, (caller.name, route.name, answer.text)
                    assert MARK not in answer.text


def test_an_id_that_another_team_took_tells_nothing_of_what_it_names(world: World) -> None:
    """The client chooses the id under which its request is stored, so that it can retry."""
    planner = next(caller for caller in world.strangers if caller.name == "planner")
    with world.untouched():
        for path, body, taken in (
            ("plans", QUESTION, world.ids.plan_id),
            ("sweeps", BODIES["start_sweep"], world.ids.sweep_id),
            ("uploads", BODIES["begin_upload"], world.ids.upload_id),
            ("reports", {"title": "Published models", "origin": {"kind": "validation"}}, world.ids.report_id),
        ):
            answer = planner.client.post(f"/api/v1/{path}", json=body, headers={"Idempotency-Key": str(taken)})
            assert answer.status_code == 404, answer.text
            assert MARK not in answer.text


def test_a_signed_in_visitor_of_the_example_team_reaches_no_other_by_naming_one(world: World) -> None:
    owner = next(caller for caller in world.strangers if caller.name == "owner")
    for team in (str(world.org_id), "Local", "local,example", "../local"):
        answer = owner.client.get("/api/v1/plans", params={"team": team})
        assert answer.status_code == 422
    for route in world.routes:
        if route.is_about and not route.is_public and route.name not in {"choose_team", "end_session"}:
            answer = replace(route, path=f"{route.path}?team=example").ask(owner.client, world.ids)
            assert answer.status_code in {404, 200}, (route.name, answer.text)
            assert MARK not in answer.text


def test_the_cluster_of_a_question_is_asked_of_no_team(world: World) -> None:
    """Callers that may read plans may have one cluster predicted: it uses only shared data, and stores nothing."""
    viewer = next(caller for caller in world.strangers if caller.name == "viewer")
    with world.untouched():
        assert viewer.client.post("/api/v1/predictions", json=CLUSTER).status_code == 200
