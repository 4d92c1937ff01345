"""Routes of alerts and of the addresses to which they are sent, under /api/v1. Each route calls one use case."""

from datetime import UTC, datetime
from typing import Annotated
from uuid import UUID

from fastapi import Response

from stowage.features.alerts import alerts
from stowage.features.alerts.schemas import (
    AlertAddressAnswer,
    AlertAddressListAnswer,
    AlertAnswer,
    AlertListAnswer,
    NewAddress,
)
from stowage.platform.jobs.job import Job
from stowage.web.admission import needs, starts
from stowage.web.parameters import Cursor, PageLimit
from stowage.web.responses import CONFLICT, TEAM_REFUSALS
from stowage.web.router import ApiRouter
from stowage.web.services import TeamServices

router = ApiRouter(tags=["alerts"], responses=TEAM_REFUSALS)

Reading = Annotated[TeamServices, needs("measurements.read")]
Writing = Annotated[TeamServices, needs("measurements.write")]
Owning = Annotated[TeamServices, needs("team.write")]
Trying = Annotated[TeamServices, starts("alert")]


@router.get("/alerts")
def list_alerts(
    services: Reading,
    limit: PageLimit = 50,
    cursor: Cursor = None,
) -> AlertListAnswer:
    """List the alerts of the team, newest first."""
    return alerts.list_alerts(services.database, services.org_id, limit=limit, cursor=cursor)


@router.post("/alerts/{alert_id}/seen")
def see_alert(alert_id: UUID, services: Writing) -> AlertAnswer:
    """Mark an alert as seen by the caller."""
    return alerts.see(services.database, services.org_id, alert_id, by=services.actor.name, now=datetime.now(UTC))


@router.get("/alert-addresses")
def list_alert_addresses(services: Owning) -> AlertAddressListAnswer:
    """List the addresses to which alerts are sent."""
    mail = services.outside.mail is not None
    return alerts.list_addresses(services.database, services.org_id, mail=mail)


@router.post("/alert-addresses", status_code=201, responses=CONFLICT)
def add_alert_address(new: NewAddress, services: Owning, response: Response) -> AlertAddressAnswer:
    """Add an address to which alerts are sent: the e-mail address of a member, or the URL of a webhook.

    The signing secret of a webhook is shown only in this response.
    """
    response.headers["Cache-Control"] = "no-store"
    return alerts.add_address(
        services.database,
        services.org_id,
        new,
        by=services.actor.name,
        mail=services.outside.mail is not None,
        now=datetime.now(UTC),
    )


@router.delete("/alert-addresses/{address_id}", status_code=204)
def remove_alert_address(address_id: UUID, services: Owning) -> None:
    """Remove an address, so that no further alerts are sent to it."""
    alerts.remove_address(services.database, services.org_id, address_id)


@router.post("/alert-addresses/{address_id}/test", status_code=202)
def test_alert_address(address_id: UUID, services: Trying) -> Job:
    """Send a test message to an address; the returned job shows whether the receiver accepted it."""
    return alerts.try_address(
        services.database,
        services.gate,
        services.org_id,
        services.queue,
        address_id,
        by=services.actor.name,
        now=datetime.now(UTC),
    )
