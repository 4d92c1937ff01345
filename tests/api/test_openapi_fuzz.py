"""Fuzzing by the OpenAPI description: every caller, allowed and forbidden requests, no 500 and no undescribed answer.

schemathesis generates valid and invalid requests from the description. Callers: every role by session, with the headers
that browsers repeat; an owner by a token with all scopes; and a stranger.
"""

from dataclasses import dataclass
from datetime import UTC, datetime
from itertools import count
from typing import Any, get_args
from uuid import UUID

import pytest
import schemathesis
from fastapi import FastAPI
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st
from schemathesis.checks import not_a_server_error
from schemathesis.core.result import Ok
from schemathesis.generation import GenerationMode
from schemathesis.specs.openapi.checks import (
    content_type_conformance,
    response_headers_conformance,
    response_schema_conformance,
    status_code_conformance,
)
from starlette.types import Receive, Scope, Send

from database import new_org
from people import COOKIE, new_member, session_of, token_of
from stowage.api.app import create_app
from stowage.features.teams.sign_in import sessions
from stowage.model.team import Role
from stowage.model.team import Scope as TokenScope
from stowage.platform.database.database import Database
from stowage.platform.database.orgs import EXAMPLE_ORG_ID
from stowage.platform.jobs.queue import Queue
from stowage.web.admission import CSRF
from stowage.web.services import Services
from tenants import UNSAID
from walk import routes_of

pytestmark = pytest.mark.soak("fuzz")

CHECKS = [
    not_a_server_error,
    status_code_conformance,
    content_type_conformance,
    response_headers_conformance,
    response_schema_conformance,
]
CALLERS = (*get_args(Role), "token", "stranger")
EXAMPLES = 30
"""Requests to each route, by each caller."""
PATIENCE_S = 240.0
"""Timeout of one request [s]. The library would give up after 10 s, which a busy machine may take."""

ENDS_THE_CALLER = {"sign_out", "end_all_sessions", "delete_team", "leave_team", "end_current_token"}
"""These operations end the caller's access: each request is made by a new caller."""
OPERATIONS = sorted(route.name for route in routes_of(create_app(None, None)) if route.name not in UNSAID)


@dataclass(frozen=True, slots=True)
class Service:
    """The service by its description as schemathesis reads it, and the callers."""

    operations: dict[str, Any]
    """By name."""
    gate: Database
    org_id: UUID
    callers: dict[str, dict[str, str]]
    """Headers by which the service identifies each caller, by name."""

    @classmethod
    def of(cls, app: FastAPI, gate: Database, org_id: UUID) -> "Service":
        """Read the description over HTTP, which needs no sign-in."""
        schema = schemathesis.openapi.from_asgi(
            "/api/v1/openapi.json", _from_anywhere(app), headers={"Host": "localhost"}
        )
        operations = [result.ok() for result in schema.get_all_operations() if isinstance(result, Ok)]
        service = cls({each.definition.raw["operationId"]: each for each in operations}, gate, org_id, {})
        service.callers.update({caller: service.known_by(caller) for caller in CALLERS})
        return service

    def known_by(self, caller: str) -> dict[str, str]:
        """Create a caller, and return the headers by which the service identifies it."""
        if caller == "stranger":
            return {}
        if caller == "token":
            return {"Authorization": f"Bearer {token_of(self.gate, self.org_id, get_args(TokenScope))}"}
        now = datetime.now(UTC)
        secret = session_of(self.gate, new_member(self.gate, self.org_id, caller), now)  # type: ignore[arg-type]
        csrf = sessions.authenticate(self.gate, secret, now).csrf
        return {"Cookie": f"{COOKIE}={secret}", CSRF: str(csrf)}

    def ask(self, case: Any, caller: str) -> None:
        """Send a request as a caller, and check the answer against the description."""
        ends = case.operation.definition.raw["operationId"] in ENDS_THE_CALLER
        known = self.known_by(caller) if ends else self.callers[caller]
        headers = {**(case.headers or {}), **known, "Host": "localhost"}
        answer = case.call(base_url="http://localhost", headers=headers, allow_redirects=False, timeout=PATIENCE_S)
        case.validate_response(answer, checks=CHECKS)


def _from_anywhere(app: FastAPI) -> Any:
    """Send each request from another address; otherwise the rate limit would stop all after the first fifty."""
    numbers = count(1)

    async def asked(scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "http":
            number = next(numbers)
            scope = {**scope, "client": (f"10.{number >> 16 & 255}.{number >> 8 & 255}.{number & 255}", 1)}
        await app(scope, receive, send)

    return asked


@pytest.fixture(scope="module")
def service(owner: Database, database: Database, gate: Database, queue: Queue) -> Service:
    """Return the service, operated by the team that sends the requests."""
    org_id = new_org(owner)
    app = create_app(Services(database, gate, queue, {"local": org_id, "example": EXAMPLE_ORG_ID}), page=None)
    return Service.of(app, gate, org_id)


@pytest.mark.parametrize("operation", OPERATIONS)
def test_every_answer_to_every_caller_is_described(service: Service, operation: str) -> None:
    asked = service.operations[operation]
    cases = st.one_of(
        asked.as_strategy(generation_mode=GenerationMode.POSITIVE),
        asked.as_strategy(generation_mode=GenerationMode.NEGATIVE),
    )

    @given(cases)
    @settings(
        max_examples=EXAMPLES,
        phases=[Phase.generate],
        suppress_health_check=list(HealthCheck),
    )
    def each(case: Any) -> None:
        for caller in CALLERS:
            service.ask(case, caller)

    each()
