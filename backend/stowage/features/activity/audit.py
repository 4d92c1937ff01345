"""Audit log of a team: pages of events, sentences that describe the events, and export as CSV."""

import csv
import io
import json
import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import fields
from uuid import UUID

from stowage.documents.table_file import harmless
from stowage.features.activity.schemas import AuditAnswer, AuditRow
from stowage.features.activity.store import audit as store
from stowage.features.activity.store.audit import Sort, StoredEvent
from stowage.frozen import frozen
from stowage.platform import audit
from stowage.platform.access import Actor
from stowage.platform.audit import Event
from stowage.platform.database.database import Database
from stowage.platform.database.rows import values_of
from stowage.platform.errors import BadInput, Problem
from stowage.platform.paging import words_of
from stowage.platform.quotas import QUOTAS

_LARGEST_ID = 2**63 - 1
_EXPORTED_AT_ONCE = 500

_CSV = tuple(each.name for each in fields(AuditRow))
"""Columns of the export."""
_QUOTA_WORDS: Mapping[str, str] = {name: quota.words for name, quota in QUOTAS.items()}
_PLACEHOLDER = re.compile(r"\{\w+\}")


@frozen
class _Phrase:
    """Sentence template for the events of one kind."""

    sort: Sort
    """Criteria that select the events of this kind."""
    words: str
    """Template with placeholders such as `{actor}` and `{name}`, which `_told` replaces."""
    of_oneself: str | None = None
    """Template for events in which the actor is also the object; None to use `words`."""


def _of_saved(table: str, made: str, noun: str = "") -> tuple[_Phrase, ...]:
    noun = noun or table
    return (
        _Phrase(Sort(f"{table}.insert"), f"{{actor}} {made} the {noun} {{name}}"),
        _Phrase(Sort(f"{table}.update", "name"), f"{{actor}} renamed the {noun} {{before}} to {{name}}"),
        _Phrase(Sort(f"{table}.update", "deleted_at", to_nothing=False), f"{{actor}} removed the {noun} {{name}}"),
        _Phrase(Sort(f"{table}.update", "deleted_at", to_nothing=True), f"{{actor}} brought back the {noun} {{name}}"),
        _Phrase(Sort(f"{table}.update"), f"{{actor}} left the {noun} {{name}} as it was"),
        _Phrase(Sort(f"{table}.delete"), f"The removed {noun} {{name}} was deleted for good"),
    )


_PHRASES = (
    _Phrase(Sort("plan.update", "decided_at"), "{actor} changed the baseline, pins or notes of the plan {name}"),
    _Phrase(
        Sort("plan.update", "saving_dismissed_at", to_nothing=False),
        "{actor} dismissed the saving of the plan {name}: {saving_reason}",
    ),
    _Phrase(Sort("plan.update", "saving_done_at", to_nothing=False), "{actor} marked the saving of {name} as done"),
    _Phrase(Sort("plan.update", "saving_dismissed_at"), "{actor} reopened the saving of the plan {name}"),
    _Phrase(Sort("plan.update", "saving_done_at"), "{actor} reopened the saving of the plan {name}"),
    *_of_saved("plan", "saved"),
    *_of_saved("sweep", "started"),
    *_of_saved("report", "published"),
    _Phrase(Sort("report_approval.insert"), "{actor} asked {approver} to approve the report {name}"),
    _Phrase(Sort("report_approval.update"), "{actor} set the approval of the report {name} to {state}"),
    *_of_saved("saved_view", "saved", "view of the instance types"),
    _Phrase(Sort("report_schedule.insert"), "{actor} had the report {name} sent every {every}"),
    _Phrase(Sort("report_schedule.update", "ended_at"), "{actor} ended the scheduled sending of the report {name}"),
    _Phrase(Sort("report_schedule.update"), "{actor} stopped the scheduled sending of {name} to one member"),
    _Phrase(Sort("report_comment.insert"), "{actor} commented on the report {name}"),
    _Phrase(Sort("report_comment.delete"), "{actor} removed a comment of {person} on the report {name}"),
    _Phrase(Sort("job.update"), "{actor} cancelled the work on {name}"),
    _Phrase(Sort("refresh.insert"), "{actor} had the catalog refreshed"),
    _Phrase(Sort("upload.update"), "{actor} kept measurements of {name}"),
    _Phrase(Sort("verdict.insert"), "{actor} called a measurement {verdict}: {reason}"),
    _Phrase(Sort("finished_job.insert"), "{actor} added the finished job {name}"),
    _Phrase(Sort("finished_job.update", "withdrawn_at", to_nothing=False), "{actor} withdrew the finished job {name}"),
    _Phrase(Sort("finished_job.update", "withdrawn_at", to_nothing=True), "{actor} brought back the job {name}"),
    _Phrase(Sort("finished_job.update"), "{actor} left the finished job {name} as it was"),
    _Phrase(Sort("finished_job.series"), "{actor} said what was recorded beside the finished job {name}"),
    _Phrase(Sort("calibration.insert"), "{actor} calibrated {framework}"),
    _Phrase(Sort("price_terms.insert"), "{actor} set the price terms: {terms}"),
    _Phrase(Sort("currency.insert"), "{actor} set the currency: {terms}"),
    _Phrase(Sort("alert.update"), "{actor} noted as seen that something had changed"),
    _Phrase(Sort("alert_address.insert"), "{actor} had alerts sent by {kind}"),
    _Phrase(Sort("alert_address.delete"), "{actor} ended alerts by {kind}"),
    _Phrase(Sort("inbox_channel.insert"), "{actor} had their own notifications sent to a webhook"),
    _Phrase(Sort("inbox_channel.delete"), "{actor} removed the webhook of their notifications"),
    _Phrase(Sort("aws_account.insert"), "{actor} began to connect the AWS account {name}"),
    _Phrase(Sort("aws_account.update", "removed_at"), "{actor} removed the AWS account {name}"),
    _Phrase(Sort("aws_account.update", "role_arn"), "{actor} said which role is assumed in the AWS account {name}"),
    _Phrase(Sort("aws_account.update", "bucket"), "{actor} said which bucket is used in the AWS account {name}"),
    _Phrase(Sort("aws_account.update", "month_limit_usd"), "{actor} limited a month of {name} to {limit} USD"),
    _Phrase(Sort("aws_account.update", "name"), "{actor} renamed the AWS account {before} to {name}"),
    _Phrase(Sort("aws_account.update"), "{actor} left the AWS account {name} as it was"),
    _Phrase(Sort("run.update", "agreed_usd"), "{actor} agreed that the run {name} costs at most {agreed} USD"),
    _Phrase(Sort("run.update", "cancel_asked_at"), "{actor} cancelled the run {name}"),
    _Phrase(Sort("run.update", "accepted_upload_id"), "{actor} kept what the run {name} has measured"),
    _Phrase(Sort("watch.insert"), "{actor} began to watch the volume {volume}"),
    _Phrase(Sort("watch.update"), "{actor} ended the watch of a volume"),
    _Phrase(Sort("plan_watch.insert"), "{actor} had the plan {name} watched, every {every}"),
    _Phrase(Sort("plan_watch.update", "ended_at", to_nothing=False), "{actor} ended the watch of the plan {name}"),
    _Phrase(Sort("plan_watch.update", "ended_at", to_nothing=True), "{actor} had the plan {name} watched again"),
    _Phrase(Sort("plan_watch.update"), "{actor} changed how the plan {name} is watched"),
    _Phrase(Sort("org.update"), "{actor} renamed the team from {before} to {name}"),
    _Phrase(Sort("team_limit.insert"), "{actor} limited the quota “{quota}” to {most}"),
    _Phrase(Sort("team_limit.update"), "{actor} changed the team's limit of the quota “{quota}” to {most}"),
    _Phrase(Sort("team_limit.delete"), "{actor} removed the team's limit of the quota “{quota}”"),
    _Phrase(Sort("membership.insert"), "{actor} let {name} in as {role}", "{actor} joined as {role}"),
    _Phrase(
        Sort("membership.update"),
        "{actor} made {name} {role}, before {former}",
        "{actor} became {role}, before {former}",
    ),
    _Phrase(Sort("membership.delete"), "{actor} took {name} out of the team", "{actor} left the team"),
    _Phrase(Sort("invitation.insert"), "{actor} invited {name} as {role}"),
    _Phrase(Sort("invitation.delete"), "{actor} closed the invitation of {name}"),
    _Phrase(Sort("api_token.insert"), "{actor} made the token {name} for {scopes}"),
    _Phrase(Sort("api_token.update", "revoked_at"), "{actor} revoked the token {name}"),
    _Phrase(Sort("share_link.insert"), "{actor} shared {name} by a link"),
    _Phrase(Sort("share_link.update", "revoked_at"), "{actor} revoked a link to {name}"),
    _Phrase(Sort("link.view"), "{actor} looked at {name}"),
    _Phrase(Sort("link.refused"), "{actor} to {name} was held back after too many wrong passwords"),
    _Phrase(Sort("session.start"), "{actor} signed in"),
    _Phrase(Sort("session.end"), "{actor} signed out"),
    _Phrase(Sort("session.everywhere"), "{actor} signed out everywhere"),
    _Phrase(Sort("session.refused"), "Signing in as {actor} was held back after too many attempts"),
    _Phrase(Sort("session.prove"), "{actor} reauthenticated"),
    _Phrase(Sort("password.change"), "{actor} changed the own password"),
    _Phrase(Sort("password.reset"), "{actor} set a new password by a link"),
    _Phrase(Sort("password.link"), "{actor} made a link by which {name} sets a new password"),
    _Phrase(Sort("account.change", "name"), "{before} is now called {after}"),
    _Phrase(Sort("account.change"), "{actor} changed the own e-mail"),
    _Phrase(Sort("account.verify"), "{actor} verified their e-mail address"),
    _Phrase(Sort("second-factor.add"), "{actor} set up an authenticator app"),
    _Phrase(Sort("second-factor.remove"), "{actor} removed their authenticator app"),
    _Phrase(Sort("passkey.add"), "{actor} added the passkey {name}"),
    _Phrase(Sort("passkey.remove"), "{actor} removed the passkey {name}"),
    _Phrase(Sort("second-factor.codes"), "{actor} created new recovery codes"),
    _Phrase(Sort("second-factor.recover"), "{actor} used a recovery code"),
    _Phrase(Sort("second-factor.refused"), "Codes of {name} were refused after too many wrong ones"),
    _Phrase(Sort("second-factor.reset"), "{actor} removed the second factor of {name}"),
    _Phrase(Sort("account.connect"), "{actor} connected an account of the OpenID provider"),
    _Phrase(
        Sort("account.refused"), "{actor} no longer accepts the account of {name}: sessions ended, tokens are paused"
    ),
    _Phrase(Sort("audit.export"), "{actor} exported the audit log"),
)

_AS = {"owner": "an owner", "planner": "a planner", "contributor": "a contributor", "viewer": "a viewer"}


def read(database: Database, org_id: UUID, *, limit: int, cursor: str | None, search: str = "") -> AuditAnswer:
    """Return a page of a team's audit log, newest first.

    Parameters
    ----------
    limit : int
        Maximum number of events on the page, at least 1.
    cursor : str or None
        Cursor from the previous page.
    search : str
        Words that must all occur in the event's names, IP address or sentence.

    Raises
    ------
    BadInput
        The cursor was not issued by this API.
    """
    words = words_of(search)
    with database.transaction(org_id) as connection:
        rows = store.read(
            connection,
            limit=limit + 1,
            before=_read_cursor(cursor),
            words=[(word, _said_with(word)) for word in words],
        )
    page = rows[:limit]
    return AuditAnswer(
        events=[_answer(row) for row in page], next_cursor=str(page[-1].id) if len(rows) > limit else None
    )


def export(database: Database, org_id: UUID, actor: Actor) -> Iterator[str]:
    """Return the audit log of a team as CSV text in several pieces, oldest event first.

    The export itself is logged. No database connection is kept open between two pieces, so that a slow reader does not
    block other requests.

    Parameters
    ----------
    actor : Actor
        User or token that requests the export.
    """
    with database.transaction(org_id) as connection:
        audit.add(connection, Event.by(actor, "audit.export"))
    with database.transaction(org_id) as connection:
        until = store.newest(connection)
    return _pieces(database, org_id, until)


def sentence(event: StoredEvent) -> str:
    """Return the sentence that describes an event of the audit log."""
    phrase = next((phrase for phrase in _PHRASES if _fits(event, phrase.sort)), None)
    if phrase is None:
        return f"{_actor(event)}: {event.action}."
    to_oneself = event.actor_id is not None and str(event.actor_id) == event.object_id
    words = phrase.of_oneself if to_oneself and phrase.of_oneself is not None else phrase.words
    return f"{words.format_map(_told(event)).removesuffix('.')}."


def _told(event: StoredEvent) -> dict[str, str]:
    def change(field: str, place: int) -> str:
        value = event.changes.get(field, (None, None))[place]
        return ", ".join(value) if isinstance(value, list) else "" if value is None else str(value)

    role = change("role", 1) or change("role", 0)
    return {
        "actor": _actor(event),
        "name": event.object_name or "a deleted user or object",
        "before": change("name", 0),
        "after": change("name", 1),
        "role": _AS.get(role, role),
        "former": _AS.get(change("role", 0), ""),
        "scopes": change("scopes", 1),
        "verdict": change("verdict", 1),
        "reason": change("reason", 1),
        "saving_reason": change("saving_reason", 1),
        "framework": change("framework", 1),
        "kind": change("kind", 1) or change("kind", 0),
        "limit": change("month_limit_usd", 1),
        "agreed": change("agreed_usd", 1),
        "volume": change("volume_id", 1),
        "person": change("person", 0),
        "every": change("every", 1),
        "approver": change("approver", 1),
        "state": change("state", 1),
        "most": change("most", 1),
        "quota": _QUOTA_WORDS.get(event.object_name or "", event.object_name or ""),
        "terms": change("words", 1),
    }


def _actor(event: StoredEvent) -> str:
    return f"{event.actor_name}, by a token," if event.actor_kind == "token" else event.actor_name


def _fits(event: StoredEvent, sort: Sort) -> bool:
    if event.action != sort.action:
        return False
    if sort.changed is None:
        return True
    change = event.changes.get(sort.changed)
    return change is not None and (sort.to_nothing is None or (change[1] is None) is sort.to_nothing)


def _said_with(word: str) -> list[Sort]:
    """List the kinds of events whose sentence template contains a word.

    Only the template is searched, without the texts that replace its placeholders, such as names.
    """
    return [
        phrase.sort
        for phrase in _PHRASES
        if word.casefold() in _PLACEHOLDER.sub("", f"{phrase.words}\n{phrase.of_oneself or ''}").casefold()
    ]


def _pieces(database: Database, org_id: UUID, until: int) -> Iterator[str]:
    yield _lines([_CSV])
    after = 0
    while True:
        with database.transaction(org_id) as connection:
            rows = store.read_from(connection, limit=_EXPORTED_AT_ONCE, after=after, until=until)
        if not rows:
            return
        yield _lines(_cells(row) for row in rows)
        after = rows[-1].id


def _cells(event: StoredEvent) -> list[str]:
    told = values_of(_answer(event)) | {
        "at": event.at.isoformat(),
        "changes": json.dumps(event.changes, ensure_ascii=False) if event.changes else "",
    }
    return ["" if value is None else str(value) for value in told.values()]


def _lines(rows: Iterable[Iterable[str]]) -> str:
    text = io.StringIO()
    csv.writer(text, quoting=csv.QUOTE_ALL).writerows([harmless(cell) for cell in row] for row in rows)
    return text.getvalue()


def _answer(event: StoredEvent) -> AuditRow:
    return AuditRow(**values_of(event), sentence=sentence(event))


def _read_cursor(cursor: str | None) -> int | None:
    if cursor is None:
        return None
    if not (cursor.isascii() and cursor.isdigit() and int(cursor) <= _LARGEST_ID):
        raise BadInput([Problem("cursor", "is not from a page of this list")])
    return int(cursor)
