"""Alerts that a measured metric, or the ranking of a watched plan, has changed.

An alert is shown on the page, mailed to members, and posted to webhooks.

A worker delivers an alert in a job, which has one part for each address. If the receiver does not accept the message,
the part fails with the reason and can be retried.

An id that is unknown or of another team raises `NotFound`; a cursor of another list raises `BadInput`.
"""

import json
import time
from collections.abc import Callable
from dataclasses import asdict, replace
from datetime import datetime
from functools import partial
from typing import Any, get_args
from uuid import UUID, uuid4

from stowage.features.alerts import store
from stowage.features.alerts.schemas import (
    AlertAddressAnswer,
    AlertAddressListAnswer,
    AlertAnswer,
    AlertListAnswer,
    NewAddress,
)
from stowage.features.alerts.store import StoredAddress, StoredAlert
from stowage.features.teams.sign_in.store import team
from stowage.frozen import frozen
from stowage.measure.profiling.changes import Trend
from stowage.platform import letters, throttling, webhooks
from stowage.platform.access import must_exist
from stowage.platform.database.database import Connection, Database
from stowage.platform.errors import BadInput, Conflict, Problem
from stowage.platform.jobs import jobs
from stowage.platform.jobs import store as job_store
from stowage.platform.jobs.job import Job, NewJob
from stowage.platform.jobs.jobs import ClaimedPart
from stowage.platform.jobs.queue import Queue
from stowage.platform.outside import Mailer, MailFailed, WebhookFailed, Webhooks
from stowage.platform.paging import read_page
from stowage.platform.secrets import new_secret

MOST_ADDRESSES = 20
"""Limit of addresses of one team."""
ASKED_BY = "Stowage"

WITHIN_S = 15.0
"""Time after which a failed delivery is not retried automatically: a slow receiver must not be waited for thrice."""

_ATTEMPTS, _PAUSE_S = 3, 2.0
_UNVERIFIED = "is not verified; accepted: the address of a member who has verified it by a link that was mailed there"
_UNVERIFIED_NOW = "The address is not verified: its owner has to verify it by a link that is mailed there."


@frozen
class _Delivery:
    """Delivery of an alert, or of a test message, to one address."""

    name: str
    """Id of the delivery; a retry has the same id."""
    alert: StoredAlert | None
    """The alert; None for a test message."""
    address: StoredAddress
    secret: bytes | None
    """Signing secret of a webhook; None for mail."""
    team: str
    """Name of the team."""
    may_be_sent: bool
    """Whether the e-mail address is verified; True for a webhook."""


def list_alerts(database: Database, org_id: UUID, *, limit: int, cursor: str | None) -> AlertListAnswer:
    """Return a page of the team's alerts, newest first; paginated like `plans.list_plans`."""
    with database.transaction(org_id) as connection:
        page, next_cursor = read_page(limit, cursor, partial(store.list_newest, connection))
        unseen = store.unseen(connection)
    return AlertListAnswer(
        alerts=[_answer(row) for row in page],
        unseen=unseen,
        next_cursor=next_cursor,
    )


def see(database: Database, org_id: UUID, alert_id: UUID, *, by: str, now: datetime) -> AlertAnswer:
    """Mark an alert as seen by a person of the team; if it was seen before, the first person stays recorded."""
    with database.transaction(org_id) as connection:
        store.set_seen(connection, alert_id, now, by)
        found = store.demand(connection, alert_id)
    return _answer(found)


def tell(connection: Connection, new: store.NewAlert, now: datetime) -> bool:
    """Store an alert and queue its delivery to all addresses of the team.

    Return False if the alert exists already. Workers do not get a message within the transaction; a periodic task sends
    it later.
    """
    addresses = [str(address.id) for address in store.addresses(connection)]
    told = replace(new, content={**new.content, "addresses": addresses})
    if not store.add(connection, told):
        return False
    if addresses:
        job_store.insert(connection, NewJob(uuid4(), "alert", new.id, ASKED_BY, now, len(addresses)), len(addresses))
    return True


def list_addresses(database: Database, org_id: UUID, *, mail: bool) -> AlertAddressListAnswer:
    """List the addresses to which the team's alerts are sent."""
    with database.transaction(org_id) as connection:
        rows = store.addresses(connection)
    return AlertAddressListAnswer(addresses=list(rows), mail=mail)


def add_address(
    database: Database, org_id: UUID, asked: NewAddress, *, by: str, mail: bool, now: datetime
) -> AlertAddressAnswer:
    """Add an address to which alerts are sent.

    For a webhook, the answer includes its signing secret, which is never returned again.

    Raises
    ------
    BadInput
        The address is neither a permitted webhook nor the e-mail address of a member. Other e-mail addresses are
        refused because a team must not mail strangers in the operator's name.
    Conflict
        The team has the address already, or has the maximum number of addresses.
    """
    address, secret = asked.address.strip(), None
    if asked.kind == "webhook":
        webhooks.check_address(address)
        secret = new_secret()
    else:
        address = address.lower()
        if not mail:
            raise BadInput([Problem("kind", "this service sends no mail; accepted: webhook")])
    new = StoredAddress(uuid4(), asked.kind, address, by, now)
    with database.transaction(org_id) as connection:
        if asked.kind == "mail" and not team.is_member(connection, address):
            raise BadInput([Problem("address", "is not that of a member; accepted: the address of a member")])
        if asked.kind == "mail" and not team.is_verified(connection, address):
            raise BadInput([Problem("address", _UNVERIFIED)])
        if len(store.addresses(connection)) >= MOST_ADDRESSES:
            raise Conflict(f"The team has {MOST_ADDRESSES} addresses; remove one first.")
        if not store.add_address(connection, new, None if secret is None else secret.encode()):
            raise Conflict("The team has this address already.")
    return AlertAddressAnswer(**asdict(new), secret=secret)


def remove_address(database: Database, org_id: UUID, address_id: UUID) -> None:
    """Remove an address, so that no further alerts are sent to it."""
    with database.transaction(org_id) as connection:
        must_exist(store.remove_address(connection, address_id))


def try_address(
    database: Database, gate: Database, org_id: UUID, queue: Queue, address_id: UUID, *, by: str, now: datetime
) -> Job:
    """Queue a test message to an address, and return the job that sends it.

    The job later shows whether the receiver accepted the message.

    Raises
    ------
    TooMany
        Too many test messages were sent recently by the team or to the address.
    """
    with database.transaction(org_id) as connection:
        address = store.demand_address(connection, address_id)
    email = address.address if address.kind == "mail" else None
    of_address = [] if email is None else [throttling.ALERT_MAIL.key(email)]
    throttling.count(gate, [throttling.ALERT_TESTS.key(org_id), *of_address], now)
    job = NewJob(uuid4(), "alert", address_id, by, now)
    with database.transaction(org_id) as connection:
        job_store.insert(connection, job)
    jobs.enqueue(database, org_id, queue, job.id, "alert")
    return jobs.read_job(database, org_id, job.id)


def retry(database: Database, gate: Database, org_id: UUID, queue: Queue, job_id: UUID, *, now: datetime) -> Job:
    """Retry the failed deliveries of an alert, as described for `jobs.retry_job`.

    The number of retries is limited like the number of test messages.

    Raises
    ------
    TooMany
        The team retried too many deliveries recently.
    """
    throttling.count(gate, [throttling.ALERT_TESTS.key(org_id)], now)
    return jobs.retry_job(database, org_id, queue, job_id)


def send_part(
    part: ClaimedPart,
    mail: Mailer | None,
    hooks: Webhooks,
    *,
    page: str | None,
    wait: Callable[[float], None] = time.sleep,
    now: Callable[[], float] = time.time,
) -> None:
    """Send an alert to one address, as one part of a job of kind `alert`.

    No mail is sent to an unverified address.

    If a worker ends after a message was accepted and before this is stored, the message is sent a second time.
    Receivers recognize the repetition by the id of the delivery.

    Parameters
    ----------
    mail : Mailer or None
        None if the service sends no mail.
    page : str or None
        Base URL of the page, without a trailing slash.
    wait : callable
        Function that waits a number of seconds.
    now : callable
        Function that returns the seconds since 1970.

    Raises
    ------
    CannotGoOn
        The message was not accepted.
    ClaimLost
        The job was cancelled, or another worker has claimed the part.
    """
    delivery = _delivery(part)
    if delivery is not None:
        send = partial(_sent, delivery, mail, hooks, page, now)
        reason = _tried(send, wait, part.clock) if delivery.may_be_sent else _UNVERIFIED_NOW
        if reason is not None:
            raise jobs.CannotGoOn(reason)
    with part.database.transaction(part.org_id) as connection:
        job_store.advance(connection, part.claim, 1)
        job_store.finish(connection, part.claim)


def _delivery(part: ClaimedPart) -> _Delivery | None:
    """Return the delivery that a job part makes.

    Return None if the address was removed, or if it is that of a member who has left the team.
    """
    with part.database.transaction(part.org_id) as connection:
        alert = store.get(connection, part.job.subject_id)
        address_id = part.job.subject_id if alert is None else UUID(alert.content["addresses"][part.claim.number])
        address = store.get_address(connection, address_id)
        if address is None or (address.kind == "mail" and not team.is_member(connection, address.address)):
            return None
        return _Delivery(
            name=f"{part.job.id}-{part.claim.number}",
            alert=alert,
            address=address,
            secret=store.secret_of(connection, address.id),
            team=team.name_of(connection, part.org_id) or "",
            may_be_sent=address.kind != "mail" or team.is_verified(connection, address.address),
        )


def _tried(send: Callable[[], str | None], wait: Callable[[float], None], clock: Callable[[], float]) -> str | None:
    """Send an alert, with retries for up to `WITHIN_S` seconds.

    Return the reason if the delivery failed, or None if it succeeded.
    """
    reason, began = None, clock()
    for attempt in range(_ATTEMPTS):
        if attempt:
            if clock() - began > WITHIN_S:
                return reason
            wait(_PAUSE_S**attempt)
        reason = send()
        if reason is None:
            return None
    return reason


def _sent(
    delivery: _Delivery, mail: Mailer | None, hooks: Webhooks, page: str | None, now: Callable[[], float]
) -> str | None:
    """Send an alert once, without retries.

    Return the reason if the message was not accepted, or None if it was accepted.
    """
    alert = delivery.alert
    link = None if page is None or alert is None else f"{page}{_path(alert)}"
    words = "This is a test: changes in what you measure will be told here." if alert is None else alert.words
    if delivery.secret is None:
        if mail is None:
            return "This service sends no mail."
        if alert is not None and alert.plan_id is not None:
            letter = letters.plan_change(team=delivery.team, plan=alert.content["plan_name"], words=words, link=link)
        else:
            letter = letters.change(team=delivery.team, words=words, link=link)
        try:
            mail.send(delivery.address.address, letter.subject, letter.text)
        except MailFailed:
            return "The mail server did not take it."
        return None
    document = {"event": "test" if alert is None else "change", "words": words, "link": link}
    if alert is not None:
        told = {key: value for key, value in alert.content.items() if key != "addresses"}
        if alert.plan_id is None:
            about = {"profile": alert.profile_key, "metric": alert.metric}
        else:
            # Older receivers know events of profiles only.
            about = {"event": "plan", "plan": str(alert.plan_id)}
        document |= {"id": str(alert.id), **about, **told, "at": alert.at.isoformat()}
    body = json.dumps(document, ensure_ascii=True, allow_nan=False).encode()
    signed = webhooks.signature(delivery.secret, int(now()), body)
    try:
        hooks.send(delivery.address.address, body, {webhooks.SIGNATURE: signed, webhooks.DELIVERY: delivery.name})
    except WebhookFailed as error:
        return str(error)
    return None


def _path(alert: StoredAlert) -> str:
    """Return the URL path of the page that shows what an alert is about."""
    if alert.plan_id is not None:
        return f"/plans/{alert.plan_id}"
    return f"/benchmarks/profiles/{alert.profile_key}"


def _answer(row: StoredAlert) -> AlertAnswer:
    content: dict[str, Any] = dict(row.content)
    direction = content.get("direction")
    return AlertAnswer.from_fields(
        row,
        plan_name=content.get("plan_name"),
        direction=direction if direction in get_args(Trend) else None,
        factor=content.get("factor"),
    )
