"""Routes of the home page, the audit log and search under /api/v1. Each route calls one use case."""

from datetime import UTC, datetime
from typing import Annotated

from fastapi import Query, Response
from fastapi.responses import StreamingResponse

from stowage.features.activity import audit, home, inbox, searching, teams
from stowage.features.activity.home_schemas import HomeAnswer
from stowage.features.activity.inbox_schemas import ChosenKinds, InboxAnswer, NewWebhook, NewWebhookAnswer, Reading
from stowage.features.activity.schemas import AuditAnswer, SearchAnswer
from stowage.features.activity.teams import TeamAnswer
from stowage.web.admission import Person, needs
from stowage.web.parameters import Cursor
from stowage.web.responses import NOT_ACCEPTED, NOT_FOUND, NOT_SIGNED_IN, Responses
from stowage.web.router import ApiRouter
from stowage.web.services import TeamServices

router = ApiRouter(responses=NOT_FOUND | NOT_ACCEPTED | NOT_SIGNED_IN)

Auditing = Annotated[TeamServices, needs("audit.read")]
Looking = Annotated[TeamServices, needs("catalog.read")]
AS_CSV: Responses = {200: {"description": "The record", "content": {"text/csv": {"schema": {"type": "string"}}}}}
Receiving = Annotated[TeamServices, needs("team.read")]
Text = Annotated[str, Query(max_length=200)]


@router.get("/home", tags=["home"])
def read_home(services: Looking) -> HomeAnswer:
    """Return the team's savings, changed plans, runs, new results, reports and activity, each with a few rows.

    A part is null if the caller may not read it.
    """
    return home.read(services.database, services.org_id, services.asker, datetime.now(UTC))


@router.get("/audit", tags=["audit"])
def read_audit(
    services: Auditing,
    limit: Annotated[int, Query(ge=1, le=200)] = 50,
    cursor: Cursor = None,
    search: Text = "",
) -> AuditAnswer:
    """Return a page of the audit log, newest first."""
    return audit.read(services.database, services.org_id, limit=limit, cursor=cursor, search=search)


@router.get("/audit/export", responses=AS_CSV, response_class=StreamingResponse, tags=["audit"])
def export_audit(services: Auditing) -> StreamingResponse:
    """Return the whole audit log of the team as CSV."""
    pieces = audit.export(services.database, services.org_id, services.actor)
    name = f"stowage-record-{datetime.now(UTC):%Y-%m-%d}.csv"
    return StreamingResponse(
        pieces, media_type="text/csv", headers={"Content-Disposition": f'attachment; filename="{name}"'}
    )


@router.get("/search", tags=["search"])
def search(services: Looking, text: Text = "") -> SearchAnswer:
    """Find plans, sweeps, reports, members, instance and volume types by name.

    Only objects that the caller may see are found.
    """
    return searching.search(services.database, services.org_id, services.asker, text)


@router.get("/teams", tags=["service"])
def list_teams(services: Looking) -> list[TeamAnswer]:
    """List the teams that a request may name: the caller's own team and the example team."""
    org_ids = {**services.outside.org_ids, "local": services.org_id}
    return teams.list_teams(services.database, org_ids, datetime.now(UTC))


@router.get("/inbox", tags=["inbox"])
def read_inbox(_person: Person, services: Receiving) -> InboxAnswer:
    """Return what changed in the team and what awaits a decision, for the caller."""
    return inbox.read_inbox(services.database, services.org_id, services.asker, mail=_mail(services), now=_now())


@router.post("/inbox/read", tags=["inbox"])
def mark_inbox_read(reading: Reading, _person: Person, services: Receiving) -> InboxAnswer:
    """Mark notifications as read by the caller, some or all."""
    return inbox.mark_read(
        services.database, services.org_id, services.asker, reading, mail=_mail(services), now=_now()
    )


@router.put("/inbox/mail", tags=["inbox"])
def choose_inbox_mail(kinds: ChosenKinds, _person: Person, services: Receiving) -> InboxAnswer:
    """Choose the kinds of notifications that the caller gets by mail, at most once an hour."""
    return inbox.choose_mail(
        services.database, services.org_id, services.asker, kinds, mail=_mail(services), now=_now()
    )


@router.put("/inbox/webhook", tags=["inbox"])
def set_inbox_webhook(new: NewWebhook, _person: Person, services: Receiving, response: Response) -> NewWebhookAnswer:
    """Store the webhook that gets the caller's notifications, in place of the one before.

    Its signing secret is shown only in this response.
    """
    response.headers["Cache-Control"] = "no-store"
    return inbox.set_webhook(services.database, services.org_id, services.asker, new, mail=_mail(services), now=_now())


@router.put("/inbox/webhook/kinds", tags=["inbox"])
def choose_inbox_webhook(kinds: ChosenKinds, _person: Person, services: Receiving) -> InboxAnswer:
    """Choose the kinds of notifications that the caller's webhook gets, at most once a minute."""
    return inbox.choose_webhook(
        services.database, services.org_id, services.asker, kinds, mail=_mail(services), now=_now()
    )


@router.delete("/inbox/webhook", status_code=204, tags=["inbox"])
def remove_inbox_webhook(_person: Person, services: Receiving) -> None:
    """Remove the caller's webhook, so that nothing more is posted to it."""
    inbox.remove_webhook(services.database, services.org_id, services.asker)


@router.post("/inbox/webhook/test", status_code=202, tags=["inbox"])
def try_inbox_webhook(_person: Person, services: Receiving) -> InboxAnswer:
    """Send a test message to the caller's webhook; the inbox later has the result.

    A test that succeeds resumes deliveries that have stopped.
    """
    return inbox.try_webhook(
        services.database,
        services.gate,
        services.queue,
        services.org_id,
        services.asker,
        mail=_mail(services),
        now=_now(),
    )


def _mail(services: TeamServices) -> bool:
    return services.outside.mail is not None


def _now() -> datetime:
    return datetime.now(UTC)
