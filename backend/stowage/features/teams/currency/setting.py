"""Reading and setting of a team's currency."""

from datetime import datetime, timedelta
from uuid import UUID

from stowage.features.teams.currency.schemas import CurrencyOfTime, NewCurrency, TeamCurrencyAnswer
from stowage.model.money.currency import FIRST_DAY, Currency
from stowage.platform import currency_store as store
from stowage.platform.database.database import Database
from stowage.platform.database.rows import lock_team
from stowage.platform.errors import BadInput, Conflict, Problem

_SHOWN = 50
_MOST_A_TEAM = 1_000
_EARLIEST_ZONE = timedelta(hours=14)
"""Offset of the time zone in which a day begins first."""


def read_currency(database: Database, org_id: UUID) -> TeamCurrencyAnswer:
    """Return the team's currency with its history."""
    with database.transaction(org_id) as connection:
        rows = store.newest(connection, _SHOWN)
        return TeamCurrencyAnswer(
            current=store.current(connection), history=[CurrencyOfTime.from_fields(row) for row in rows]
        )


def set_currency(
    database: Database, org_id: UUID, new: NewCurrency, *, person: str, now: datetime
) -> TeamCurrencyAnswer:
    """Set the currency in which the team also sees its sums.

    The currency and rate that already apply are not stored again.

    Raises
    ------
    BadInput
        The rate is missing, or given for US dollars; or the day is too early or in the future.
    Conflict
        The team has changed its currency too often.
    """
    found = _checked(new, now)
    with database.transaction(org_id) as connection:
        lock_team(connection, "currency")
        if found != store.current(connection):
            if store.count(connection) >= _MOST_A_TEAM:
                raise Conflict(f"The currency has been changed {_MOST_A_TEAM:,} times, the most that is stored.")
            store.add(connection, found or Currency("USD", 1.0, now.date()), person=person, now=now)
    return read_currency(database, org_id)


def _checked(new: NewCurrency, now: datetime) -> Currency | None:
    """Return the requested currency; None for US dollars only."""
    if new.code == "USD":
        if new.usd_rate not in {None, 1.0}:
            raise BadInput([Problem("usd_rate", f"{new.usd_rate:g} does not fit USD; accepted: leave it out")])
        return None
    if new.usd_rate is None:
        raise BadInput([Problem("usd_rate", f"is missing; accepted: {new.code} per US dollar, as in 0.86")])
    since = now.date() if new.since is None else new.since
    last = (now + _EARLIEST_ZONE).date()
    if not FIRST_DAY <= since <= last:
        raise BadInput([Problem("since", f"{since} is not between {FIRST_DAY} and {last}")])
    return Currency(new.code, new.usd_rate, since)
