"""Quotas: how much of the service one team, and one person, may use. The one table of them, with its defaults."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal
from uuid import UUID

from stowage.jobs.counters import LEASE_S, Full, Lease, Limit
from stowage.jobs.queue import Queue
from stowage.usecases.access import Principal
from stowage.usecases.errors import QuotaExceeded

QuotaName = Literal["streams", "streams-per-person"]


@dataclass(frozen=True, slots=True)
class Quota:
    """One row of the table.

    Parameters
    ----------
    words : str
        What is counted, as a title.
    unit : str
        Plural.
    default : int
        How many a team may have, unless the operator says otherwise for it.
    frees : str
        When there is room again: the end of the sentence "There is room again ...".
    """

    words: str
    unit: str
    default: int
    frees: str


QUOTAS: Mapping[QuotaName, Quota] = {
    "streams-per-person": Quota(
        "Event streams of one person", "streams", 12, "when one of the pages that follow a job or a run is closed"
    ),
    "streams": Quota(
        "Event streams of the team", "streams", 60, "when a member closes a page that follows a job or a run"
    ),
}


def most_of(_team_id: UUID, name: QuotaName) -> int:
    """Return the limit of a quota for a team."""
    return QUOTAS[name].default


def exceeded(name: QuotaName, limit: int, *, retry_after_s: int | None) -> QuotaExceeded:
    """Build the refusal for a quota that is used up.

    Parameters
    ----------
    name : QuotaName
    limit : int
    retry_after_s : int or None
        When there may be room again [s]; None where that depends on people, who have to remove something.
    """
    quota = QUOTAS[name]
    return QuotaExceeded(name, quota.words, limit, quota.unit, quota.frees, retry_after_s)


def take_stream(queue: Queue, principal: Principal) -> Lease:
    """Count an event stream for its person and its team, until it is released.

    Raises
    ------
    QuotaExceeded
        The person, or the team, follows as many as they may.
    stowage.jobs.errors.Unreachable
        Redis does not answer: there is no news then, either.
    """
    team = principal.charged_id
    names: tuple[QuotaName, QuotaName] = ("streams-per-person", "streams")
    keys = (f"streams:person:{principal.person_id}", f"streams:team:{team}")
    limits = [Limit(key, most_of(team, name)) for name, key in zip(names, keys, strict=True)]
    try:
        return queue.lease(limits)
    except Full as error:
        name = names[error.index]
        raise exceeded(name, limits[error.index].most, retry_after_s=LEASE_S) from None
