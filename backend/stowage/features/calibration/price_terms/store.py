"""Queries of a team's price terms. Rows are only added, so every earlier answer can be computed again."""

import hashlib
import json
from collections.abc import Mapping
from datetime import UTC, date, datetime
from typing import Any
from uuid import UUID, uuid4

from sqlalchemy import Connection

from stowage.features.calibration.tables import price_terms
from stowage.frozen import frozen
from stowage.model.money.price_terms import PriceTerms
from stowage.platform.database.rows import Rows


@frozen
class StoredTerms:
    """Price terms that a team set at one time."""

    id: UUID
    percents: Mapping[str, Any]
    """Discounts as fields of `PriceTerms` [%]."""
    words: str
    """Short description."""
    digest: str
    """SHA-256 of the discounts and their day; "" without a discount."""
    person: str
    """Name of the person who set the terms, as it was then."""
    created_at: datetime

    @property
    def terms(self) -> PriceTerms:
        """Return the terms, with the day on which they were set."""
        return PriceTerms(**self.percents, since=_day(self.created_at))


_TERMS = Rows(price_terms, StoredTerms)
_NEWEST = price_terms.c.created_at.desc(), price_terms.c.id.desc()
get, count = _TERMS.get, _TERMS.count


def newest(connection: Connection, most: int) -> tuple[StoredTerms, ...]:
    """Return the last terms that the team set, newest first."""
    return _TERMS.list_all(connection, order=_NEWEST, limit=most)


def at(connection: Connection, moment: datetime) -> PriceTerms | None:
    """Return the price terms that applied at a time; None if there was no discount."""
    query = _TERMS.list_all(connection, price_terms.c.created_at <= moment, order=_NEWEST, limit=1)
    return query[0].terms if query and query[0].digest else None


def add(connection: Connection, percents: Mapping[str, Any], *, person: str, now: datetime) -> None:
    """Store terms; they apply from now on."""
    terms = PriceTerms(**percents, since=_day(now))
    content = json.dumps({**percents, "since": _day(now).isoformat()}, sort_keys=True)
    digest = hashlib.sha256(content.encode()).hexdigest() if terms.discounts else ""
    words = terms.words if terms.discounts else "no discount"
    _TERMS.store(connection, StoredTerms(uuid4(), dict(percents), words, digest, person, now))


def _day(moment: datetime) -> date:
    return moment.astimezone(UTC).date()
