"""Notifications of a person: what changed in the team, and what awaits a decision.

A person only gets what they may see: notifications are read with the permissions of the person at that time.
"""

from collections.abc import Collection, Mapping, Sequence
from datetime import datetime
from urllib.parse import quote
from uuid import UUID

from stowage.features.activity.store import inbox as store
from stowage.features.activity.store.inbox import Inbox, Kind, Notification
from stowage.platform.access import Permission
from stowage.platform.database.database import Connection

MOST_OF_A_KIND = 50

NEEDED: Mapping[Kind, Permission] = {
    "plan": "plans.read",
    "measurement": "measurements.read",
    "run": "runs.approve",
    "report": "reports.approve",
}
"""Permission to see the notifications of each kind."""
_PATHS: Mapping[str, str] = {
    "plan": "/plans/{}",
    "measurement": "/benchmarks/profiles/{}",
    "run": "/benchmarks/runs/{}",
    "report": "/reports/{}",
}


def list_notifications(
    connection: Connection, person_id: UUID, may: Collection[Permission], now: datetime
) -> Sequence[Notification]:
    """Return the notifications of a person with these permissions, newest first."""
    found: list[Notification] = []
    for kind in ("plan", "measurement"):
        if NEEDED[kind] in may:
            found += store.alerts(connection, kind, MOST_OF_A_KIND)
    if NEEDED["run"] in may:
        found += store.runs_to_approve(connection, now, MOST_OF_A_KIND)
    if NEEDED["report"] in may:
        found += store.reports_to_approve(connection, person_id, MOST_OF_A_KIND)
    return newest_first(found)


def newest_first(notifications: Collection[Notification]) -> Sequence[Notification]:
    """Sort notifications by time, newest first."""
    return sorted(notifications, key=lambda each: (each.at, str(each.id)), reverse=True)


def is_read(notification: Notification, inbox: Inbox) -> bool:
    """Return whether a person has read a notification."""
    earlier = inbox.read_until is not None and notification.at <= inbox.read_until
    return earlier or str(notification.id) in inbox.read_ids


def link_of(page: str | None, notification: Notification) -> str | None:
    """Return the URL of the page that shows what a notification is about.

    Parameters
    ----------
    page : str or None
        Base URL of the page, without a trailing slash; without it, there is no link.
    notification : Notification
    """
    if page is None:
        return None
    return f"{page}{_PATHS[notification.kind].format(quote(notification.object, safe=''))}"
