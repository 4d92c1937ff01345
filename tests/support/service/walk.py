"""All routes of the API: declared access, callers, and valid ids and bodies for each."""

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any
from uuid import UUID, uuid4

from fastapi import FastAPI
from fastapi.dependencies.models import Dependant
from fastapi.routing import iter_route_contexts
from fastapi.testclient import TestClient
from httpx2 import Response

from stowage.model.team import Role, Scope
from stowage.platform.access import GRANTS, SCOPES, STARTS, Permission
from stowage.web.admission import Declared, Needed, NeededForJob

SPEC = {"benchmark": "netbench", "instance": "i4i.large", "nodes": 2, "region": "us-east-1"}
QUESTION = {"workload": {"data": "1 TB"}, "limits": {"max_nodes": 3}, "choose": {"families": ["i4i"]}}
BASELINE = {"instance": "i4i.8xlarge", "nodes": 3}
CLUSTER = QUESTION | {"cluster": {"instance": "i2.8xlarge", "nodes": 3}}
OF_A_DISK = {"instance": "i3.large", "region": "us-east-1", "storage": {"kind": "instance-store", "disks": 1}}
SECRET = "never-made-anywhere-0123456789012345678901"  # noqa: S105 - opens nothing

BODIES: Mapping[str, Any] = {
    "preview_plan": QUESTION,
    "preview_columns": QUESTION,
    "preview_curves": QUESTION,
    "preview_limits": {"workload": QUESTION, "deadlines_s": [3_600.0, 7_200.0], "budgets_usd": []},
    "preview_ranking": QUESTION,
    "compare_confidences": QUESTION,
    "compare_regions": QUESTION,
    "predict": CLUSTER,
    "explain": CLUSTER,
    "look_ahead": {"file": CLUSTER},
    "deploy": {"name": "Mine", "file": CLUSTER},
    "save_plan": QUESTION,
    "save_plan_columns": QUESTION,
    "rename_plan": {"name": "Taken over"},
    "decide_plan": {"notes": "Taken over", "today": BASELINE},
    "mark_saving": {"state": "dismissed", "reason": "Taken over"},
    "start_refresh": {"regions": ["us-east-1"]},
    "set_currency": {"code": "EUR", "usd_rate": 0.86},
    "set_price_terms": {"overall": "12%"},
    "start_sweep": {
        "base": QUESTION,
        "columns": {"quantity": "data", "values": ["1 TB"]},
        "rows": {"quantity": "deadline", "values": ["1 h"]},
    },
    "check_sweep": {
        "base": QUESTION,
        "columns": {"quantity": "data", "values": ["1 TB"]},
        "rows": {"quantity": "deadline", "values": ["1 h"]},
    },
    "mark_inbox_read": {"ids": []},
    "choose_inbox_mail": {"kinds": []},
    "set_inbox_webhook": {"address": "https://hooks.example.org/inbox"},
    "choose_inbox_webhook": {"kinds": []},
    "rename_sweep": {"name": "Taken over"},
    "save_instance_view": {"name": "Taken over", "shown": {"series": "storage"}},
    "rename_instance_view": {"name": "Taken over"},
    "design_volumes": {"capacity": "1 TB"},
    "sign_in": {"email": "unknown@example.org", "password": "no password of anybody"},
    "sign_in_by_link": {"secret": SECRET},
    "start_oidc": {"return_to": "/plans"},
    "choose_team": {"org_id": "{org_id}"},
    "prove": {"password": "nothing that fits"},
    "finish_sign_in": {"code": "123456"},
    "confirm_second_factor": {"code": "123456"},
    "add_passkey": {"name": "Mine", "passkey": {"id": "AAAA"}},
    "change_account": {"name": "Another name"},
    "change_credentials": {"email": "another.name@example.org"},
    "verify_email": {"secret": SECRET},
    "request_reset": {"email": "unknown@example.org"},
    "reset_password": {"secret": SECRET, "password": "a cargo of seven oranges"},
    "limit_quota": {"limit": 3},
    "rename_team": {"name": "Taken over"},
    "delete_team": {"name": "Team"},
    "change_role": {"role": "viewer"},
    "invite": {"email": "colleague@example.org", "role": "viewer"},
    "look_at_invitation": {"secret": SECRET},
    "accept_invitation": {"secret": SECRET, "name": "Colleague", "password": "a cargo of seven oranges"},
    "make_token": {"name": "Mine", "scopes": ["read"]},
    "make_link": {"kind": "plan", "object_id": "{plan_id}"},
    "begin_upload": {"name": "fio.json", "size_bytes": 1},
    "judge_reading": {"position": 0, "target": OF_A_DISK},
    "keep_upload": {"readings": [{"position": 0, "target": OF_A_DISK}]},
    "rerank_plan": QUESTION,
    "keep_logged_jobs": {
        "positions": [0],
        "instance": "i3.2xlarge",
        "input_output": "instance-store",
        "framework": "spark",
    },
    "set_series_of_job": {"measurements": ["{measurement_id}"]},
    "fit_framework": {"framework": "walked"},
    "add_alert_address": {"kind": "webhook", "address": "https://hooks.example.org/stowage"},
    "quote_run": {"spec": SPEC, "account_id": "{account_id}"},
    "create_run": {"name": "Taken over", "account_id": "{account_id}", "spec": SPEC},
    "approve_run": {"agreed_usd": 0.5},
    "add_aws_account": {"name": "Taken over"},
    "add_watch": {"account_id": "{account_id}", "region": "us-east-1", "volume_id": "vol-0123456789abcdef0"},
    "change_aws_account": {"name": "Taken over"},
    "watch_plan": {"every": "week"},
    "preview_report": {"title": "Taken over", "origin": {"kind": "plan", "plan_id": "{plan_id}"}},
    "publish_report": {"title": "Taken over", "origin": {"kind": "plan", "plan_id": "{plan_id}"}},
    "request_approval": {"person_id": "{person_id}"},
    "decide_approval": {"state": "approved"},
    "schedule_report": {"every": "week", "recipients": ["{person_id}"]},
    "add_comment": {"text": "Taken over"},
    "unlock_shared": {"password": "no password of anything"},
    "say_verdict": {"verdict": "rejected", "reason": "The cluster was busy."},
}
"""A valid body for every route that takes one; a name in braces stands for an id."""

BYTES: Mapping[str, bytes] = {
    "add_piece": b"x",
    "keep_finished_jobs": (
        b"name,job,framework,instance,nodes,data,input_output,measured_s\n"
        b"nightly,sort,spark,i3.8xlarge,4,1 TB,instance-store,900\n"
    ),
}
"""The same, for routes that take bytes instead of JSON."""

QUERIES: Mapping[str, Mapping[str, str]] = {
    "list_links": {"kind": "plan", "object_id": "{plan_id}"},
    "read_difference": {"since": "paper-2014"},
    "compare_runs": {"ids": "{run_id}"},
    "compare_reports": {"from": "{report_id}"},
}
"""Additional parameters that a route requires."""

SHARED = {
    "number": "0",
    "rank": "1",
    "format": "json",
    "version": "latest",
    "region": "us-east-1",
    "name": "i3.large",
    "quota": "plans",
    "example": "hdfs-archive",
    "secret": SECRET,
}
"""Path parameters that name no object of a team."""

_SENT_AS = {"add_piece": "application/octet-stream", "keep_finished_jobs": "text/csv"}


@dataclass(frozen=True, slots=True)
class Route:
    """A route of the API."""

    name: str
    method: str
    path: str
    declared: frozenset[str]
    """`public`, `signed in`, `person`, `proven`, or a permission."""

    @property
    def is_public(self) -> bool:
        """Return whether it needs no sign-in."""
        return self.declared == {"public"}

    @property
    def changes(self) -> bool:
        """Return whether its method may change something."""
        return self.method != "GET"

    @property
    def is_about(self) -> frozenset[str]:
        """Return the names of the ids of a team's objects in its path."""
        asked = json.dumps([self.path, BODIES.get(self.name), QUERIES.get(self.name)])
        return frozenset(name for name in Ids.__slots__ if f"{{{name}}}" in asked)

    def ask(self, client: TestClient, ids: "Ids", headers: Mapping[str, str] | None = None) -> Response:
        """Send a request for some objects."""
        body, query = BODIES.get(self.name), QUERIES.get(self.name)
        return client.request(
            self.method,
            ids.into(self.path),
            json=None if body is None else json.loads(ids.into(json.dumps(body))),
            content=BYTES.get(self.name),
            params=None if query is None else {name: ids.into(value) for name, value in query.items()},
            headers={**(headers or {}), **({"Content-Type": _SENT_AS[self.name]} if self.name in BYTES else {})},
            follow_redirects=False,
        )


@dataclass(frozen=True, slots=True)
class Ids:
    """Ids of one object of each kind that a team has."""

    org_id: UUID
    plan_id: UUID
    sweep_id: UUID
    job_id: UUID
    person_id: UUID
    invitation_id: UUID
    token_id: UUID
    link_id: UUID
    session_id: UUID
    upload_id: UUID
    measurement_id: UUID
    key: UUID
    finished_job_id: UUID
    calibration_id: UUID
    alert_id: UUID
    address_id: UUID
    account_id: UUID
    run_id: UUID
    watch_id: UUID
    report_id: UUID
    comment_id: UUID
    schedule_id: UUID
    passkey_id: UUID
    view_id: UUID

    @classmethod
    def of_nothing(cls) -> "Ids":
        """Return ids that never existed."""
        return cls(*(uuid4() for _ in cls.__slots__))

    def all(self) -> Sequence[tuple[str, str]]:
        """Return name and id of each."""
        return [(name, str(getattr(self, name))) for name in self.__slots__]

    def into(self, text: str) -> str:
        """Replace the names in a text by the ids."""
        for name, value in (*self.all(), *SHARED.items()):
            text = text.replace(f"{{{name}}}", value)
        return text

    def out_of(self, text: str) -> str:
        """Replace the ids in a text by their names."""
        for name, value in self.all():
            text = text.replace(value, f"{{{name}}}")
        return text


def routes_of(app: FastAPI) -> Iterator[Route]:
    """Yield every route of an application with its declared access."""
    for route in iter_route_contexts(app.routes):
        dependant = getattr(route.original_route, "dependant", None)
        if dependant is None:  # the description itself, and the page
            continue
        for method in sorted(route.methods or ()):
            yield Route(str(route.name), method, str(route.path), frozenset(_declared(dependant)))


def takes_body(app: FastAPI) -> set[str]:
    """Return the names of the routes that take a body."""
    return {
        operation["operationId"]
        for path in app.openapi()["paths"].values()
        for operation in path.values()
        if "requestBody" in operation
    }


def _declared(dependant: Dependant) -> Iterator[str]:
    for inner in dependant.dependencies:
        if isinstance(inner.call, Declared):
            yield inner.call.level
        elif isinstance(inner.call, Needed):
            yield inner.call.permission
        elif isinstance(inner.call, NeededForJob):
            # The job of these ids is a sweep.
            yield STARTS["sweep"]
        yield from _declared(inner)


@dataclass(frozen=True, slots=True)
class Caller:
    """A caller, and its permissions by the access table."""

    name: str
    client: TestClient
    permissions: frozenset[Permission]
    is_person: bool
    """Signed in by a session, and not by a token."""
    headers: Mapping[str, str] = field(default_factory=dict)
    """Sent with each request."""

    def may(self, route: Route) -> bool:
        """Return whether the access table lets this caller use a route."""
        held = self.permissions | {"public", "signed in"} | ({"person", "proven"} if self.is_person else frozenset())
        return route.declared <= held


def permissions_of(role: Role | None, scope: Scope | None = None) -> frozenset[Permission]:
    """Look up the permissions of a role, or of a token with one scope."""
    granted = frozenset[Permission]() if role is None else GRANTS[role]
    return granted if scope is None else granted & SCOPES[scope]
