"""Quotas of teams and persons: the table with its defaults, and the checks."""

import time
from collections.abc import Callable, Mapping
from datetime import datetime
from typing import Annotated, Literal
from uuid import UUID

from pydantic import Field

from stowage.frozen import frozen
from stowage.platform import quota_store as store
from stowage.platform import throttling
from stowage.platform.access import Principal
from stowage.platform.database.database import Connection, Database
from stowage.platform.described import Answer, RequestBody
from stowage.platform.errors import BadInput, Problem, QuotaExceeded, TooMany
from stowage.platform.jobs.counters import LEASE_S, Full, Lease, Limit
from stowage.platform.jobs.errors import Unreachable
from stowage.platform.jobs.queue import Queue
from stowage.platform.quota_store import TeamLimits

QuotaName = Literal[
    "previews-per-second",
    "streams-per-person",
    "streams",
    "plans",
    "plans-per-day",
    "open-sweeps",
    "open-cells",
    "sweeps",
    "sweeps-per-day",
    "reports",
    "reports-per-day",
    "uploads-per-hour",
    "uploads",
    "upload-bytes",
    "storage-bytes",
    "searches-per-link",
]


class QuotaAnswer(Answer):
    """Limit and use of a quota."""

    name: QuotaName
    """Name in the operator's command `stowage quotas`."""
    words: str
    unit: str
    limit: int
    """The lower of `granted` and `own`."""
    granted: int
    """Limit that the operator set, or the default."""
    own: int | None = None
    """Lower limit that an owner of the team set."""
    default: int
    """Limit unless the operator sets another."""
    used: int | None = None
    """None if it is not counted for the team as a whole."""
    frees: str
    """When there is room again: the end of the sentence "There is room again ...". """


class QuotaListAnswer(Answer):
    """All quotas, in the order of the table of quotas."""

    quotas: list[QuotaAnswer]


class OwnLimit(RequestBody):
    """A team's own limit of a quota."""

    limit: Annotated[int, Field(ge=0, lt=1 << 62, strict=True)] | None
    """None removes it."""


Frees = Literal["in time", "by people"]


@frozen
class Quota:
    """One quota: title, unit, default limit, and the way to get room when the quota is used up."""

    words: str
    """What the quota counts, as the title of the error."""
    unit: str
    """Unit, in the plural."""
    default: int
    """Limit of a team unless the operator sets another."""
    room: str
    """When there is room again: the end of the sentence "There is room again ..."."""
    frees: Frees
    """`in time`: waiting makes room, so a retry helps (429). `by people`: only an action of a person makes room, like a
    deletion (403)."""


_MIB = 1 << 20

QUOTAS: Mapping[QuotaName, Quota] = {
    "previews-per-second": Quota("Answers while a plan is edited", "a second", 50, "within seconds", "in time"),
    "streams-per-person": Quota(
        "Open pages of one person with live progress",
        "pages",
        12,
        "when one of these pages is closed",
        "in time",
    ),
    "streams": Quota(
        "Open pages with live progress", "pages", 60, "when a member closes one of these pages", "in time"
    ),
    "plans": Quota("Saved plans", "plans", 5_000, "when plans are deleted", "by people"),
    "plans-per-day": Quota("New plans in 24 hours", "plans", 1_000, "a day after the first of them", "in time"),
    "open-sweeps": Quota("Sweeps in progress", "sweeps", 20, "when one of them has ended", "in time"),
    "open-cells": Quota("Scenarios of sweeps in progress", "scenarios", 10_000, "as they are computed", "in time"),
    "sweeps": Quota("Stored sweeps", "sweeps", 1_000, "when sweeps are deleted", "by people"),
    "sweeps-per-day": Quota("New sweeps in 24 hours", "sweeps", 200, "a day after the first of them", "in time"),
    "reports": Quota("Published reports", "reports", 2_000, "when reports are deleted", "by people"),
    "reports-per-day": Quota("New reports in 24 hours", "reports", 100, "a day after the first of them", "in time"),
    "uploads-per-hour": Quota("Uploads started in an hour", "uploads", 1_000, "within the hour", "in time"),
    "uploads": Quota("Files awaiting review", "files", 100, "when some are kept or discarded", "by people"),
    "upload-bytes": Quota(
        "Size of files awaiting review", "bytes", 2_048 * _MIB, "when some are kept or discarded", "by people"
    ),
    "storage-bytes": Quota(
        "Storage of uploaded files", "bytes", 20_480 * _MIB, "when the operator grants more", "by people"
    ),
    "searches-per-link": Quota(
        "Searches by guests of one share link in an hour", "searches", 5, "within the hour", "in time"
    ),
}

_NO_LIMIT = 1 << 62

_SOON_S = 30
"""Retry time where the time at which room is made is unknown [s]."""
_KNOWN_FOR_S = 10.0
"""Time for which a process caches limits that it needs many times a second [s]."""

_known: dict[UUID, tuple[float, TeamLimits]] = {}


def most_of(connection: Connection, name: QuotaName) -> int:
    """Return the limit of a quota for the team of the transaction."""
    return _effective(store.limits(connection), name)


def set_own_limit(database: Database, team_id: UUID, name: QuotaName, limit: int | None) -> None:
    """Set a team's own limit of a quota, below the operator's limit.

    Parameters
    ----------
    name : QuotaName
    limit : int or None
        From 0 to the operator's limit; None removes the team's own limit.

    Raises
    ------
    BadInput
        The limit is above the operator's.
    """
    with database.transaction(team_id) as connection:
        if limit is None:
            store.remove_own_limit(connection, name)
            return
        granted = _granted(store.limits(connection), name)
        if limit > granted:
            message = f"{limit:,} is not accepted; accepted: a whole number from 0 to {granted:,}, the operator's limit"
            raise BadInput([Problem("limit", message)])
        store.set_own_limit(connection, name, limit)


def _granted(limits: TeamLimits, name: QuotaName) -> int:
    """Return the operator's limit of a quota."""
    return limits.granted.get(name, QUOTAS[name].default)


def _effective(limits: TeamLimits, name: QuotaName) -> int:
    """Return the lower of the operator's and the team's own limit of a quota."""
    return min(_granted(limits, name), limits.own.get(name, _NO_LIMIT))


def exceeded(name: QuotaName, limit: int, retry_after_s: int = _SOON_S) -> QuotaExceeded:
    """Build the error for a quota that is used up.

    Parameters
    ----------
    name : QuotaName
    limit : int
    retry_after_s : int
        Time until there may be room again [s]; ignored for quotas on which waiting does not help.
    """
    quota = QUOTAS[name]
    after_s = retry_after_s if quota.frees == "in time" else None
    return QuotaExceeded(name, quota.words, limit, quota.unit, quota.room, after_s)


def lock(connection: Connection) -> None:
    """Serialize the team's transactions that use quotas.

    Call it before adding rows.
    """
    store.lock(connection)


def hold(connection: Connection, *names: QuotaName, now: datetime) -> None:
    """Check quotas after the rows of this transaction were added.

    If a quota is exceeded, the exception rolls these rows back.

    Raises
    ------
    QuotaExceeded
        A quota is used up.
    """
    for name in names:
        limit = most_of(connection, name)
        if store.used(connection, name, now) > limit:
            oldest = store.oldest_of_day(connection, name, now)
            after_s = _SOON_S if oldest is None else int((oldest + store.DAY - now).total_seconds()) + 1
            raise exceeded(name, limit, after_s)


def take_stream(database: Database, queue: Queue, principal: Principal) -> Lease:
    """Acquire a lease for an event stream, which counts for a person and for the person's team.

    Raises
    ------
    QuotaExceeded
        The person or the team has as many streams as its quota allows.
    Unreachable
        Redis does not answer. Then there are no events either.
    """
    team_id = principal.charged_id
    names: tuple[QuotaName, QuotaName] = ("streams-per-person", "streams")
    with database.transaction(team_id) as connection:
        most = [most_of(connection, name) for name in names]
    keys = (f"streams:person:{principal.person_id}", streams_of(team_id))
    try:
        return queue.lease([Limit(key, limit) for key, limit in zip(keys, most, strict=True)])
    except Full as error:
        raise exceeded(names[error.index], most[error.index], LEASE_S) from None


def count_previews(
    database: Database, queue: Queue, team_id: UUID, number: int, clock: Callable[[], float] = time.monotonic
) -> None:
    """Count a number of previews against the team's rate limit.

    While Redis is unreachable nothing is counted.

    Raises
    ------
    QuotaExceeded
        The team exceeds the rate.
    """
    known = _known.get(team_id)
    if known is None or clock() - known[0] > _KNOWN_FOR_S:
        with database.transaction(team_id) as connection:
            known = clock(), store.limits(connection)
        if len(_known) > 1_000:
            _known.clear()
        _known[team_id] = known
    name: QuotaName = "previews-per-second"
    limit = _effective(known[1], name)
    try:
        wait_s = queue.wait_for_rate(f"previews:{team_id}", limit, number)
    except Unreachable:
        return
    if wait_s > 0:
        raise exceeded(name, limit, int(wait_s) + 1)


def count_in_hour(
    database: Database, gate: Database, team_id: UUID, name: QuotaName, whose: str, now: datetime
) -> None:
    """Count an action against an hourly quota.

    Parameters
    ----------
    database, gate : Database
    team_id : UUID
        Team whose limit applies.
    name : QuotaName
    whose : str
        Key of the count: the id of a person or a link.
    now : datetime

    Raises
    ------
    QuotaExceeded
        The quota of this hour is used up.
    """
    with database.transaction(team_id) as connection:
        limit = most_of(connection, name)
    key = throttling.Rule(name, free=limit).key(whose)
    try:
        throttling.count(gate, [key], now)
    except TooMany as error:
        raise exceeded(name, limit, error.retry_after_s) from None


def list_quotas(database: Database, queue: Queue, team_id: UUID, now: datetime) -> QuotaListAnswer:
    """Return the team's quotas with limits and use.

    The use is None for quotas that are not counted for the whole team. The use of event streams is None while Redis is
    unreachable.
    """
    with database.transaction(team_id) as connection:
        limits = store.limits(connection)
        used: dict[str, int | None] = dict(store.all_used(connection, now))
    try:
        used["streams"] = queue.leases(streams_of(team_id))
    except Unreachable:
        used["streams"] = None
    return QuotaListAnswer(
        quotas=[
            QuotaAnswer.from_fields(
                quota,
                name=name,
                limit=_effective(limits, name),
                granted=_granted(limits, name),
                own=limits.own.get(name),
                used=used.get(name),
                frees=quota.room,
            )
            for name, quota in QUOTAS.items()
        ]
    )


def streams_of(team_id: UUID) -> str:
    """Return the key under which the event streams of a team are counted."""
    return f"streams:team:{team_id}"
