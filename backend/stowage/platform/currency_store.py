"""Queries of a team's currency. Rows are only added; the newest one applies."""

from collections.abc import Sequence
from datetime import date, datetime
from typing import Any
from uuid import UUID, uuid4

from sqlalchemy import Connection, Select

from stowage.frozen import frozen
from stowage.model.money.currency import Currency, CurrencyCode
from stowage.platform.database.rows import Rows, read_rows
from stowage.platform.database.tables import currency


@frozen
class StoredCurrency:
    """A currency that a team set at one time."""

    id: UUID
    code: CurrencyCode
    """``USD`` if the team sees its sums in US dollars only."""
    usd_rate: float
    """Units of the currency per US dollar."""
    since: date
    """Day from which the rate holds."""
    words: str
    person: str
    """Name of the person who set the currency, as it was then."""
    created_at: datetime

    @property
    def currency(self) -> Currency:
        """Return the currency with its rate."""
        return Currency(self.code, self.usd_rate, self.since)


_CURRENCIES = Rows(currency, StoredCurrency)
count = _CURRENCIES.count


def newest(connection: Connection, most: int) -> tuple[StoredCurrency, ...]:
    """Return the last currencies that the team set, newest first."""
    return read_rows(connection, _newest(most), StoredCurrency)


def current(connection: Connection) -> Currency | None:
    """Return the currency in which the team also sees its sums; None for US dollars only."""
    return current_of(newest(connection, 1))


def current_of(found: Sequence[StoredCurrency]) -> Currency | None:
    """Return the currency of `CURRENT`, as `current` does."""
    return found[0].currency if found and found[0].code != "USD" else None


def _newest(most: int) -> Select[Any]:
    return _CURRENCIES.select().order_by(currency.c.created_at.desc(), currency.c.id.desc()).limit(most)


CURRENT = _newest(1), StoredCurrency
"""Query of the team's currency, for `rows.together`."""


def add(connection: Connection, new: Currency, *, person: str, now: datetime) -> None:
    """Store a currency; it applies from now on."""
    words = "US dollars only" if new.code == "USD" else new.words
    _CURRENCIES.store(connection, StoredCurrency(uuid4(), new.code, new.usd_rate, new.since, words, person, now))
