"""Requests and answers about a team's currency."""

from datetime import date, datetime
from typing import Annotated

from pydantic import Field

from stowage.model.money.currency import HIGHEST_RATE, LOWEST_RATE, Currency, CurrencyCode
from stowage.platform.described import Answer, RequestBody


class NewCurrency(RequestBody):
    """Currency in which the team also sees its sums."""

    code: CurrencyCode
    """Code by ISO 4217. With `USD`, sums are shown in US dollars only."""
    usd_rate: Annotated[float, Field(ge=LOWEST_RATE, le=HIGHEST_RATE, strict=True, allow_inf_nan=False)] | None = None
    """Units of the currency per US dollar, as in 0.86 for EUR. Left out for `USD`."""
    since: date | None = None
    """Day from which the rate holds, from 2000-01-01 to today; by default today."""


class CurrencyOfTime(Answer):
    """Currency that a team set at one time. It applied until the next one was set."""

    words: str
    """The rate, its day and its origin."""
    person: str
    """Name of the person who set it, at that time."""
    created_at: datetime


class TeamCurrencyAnswer(Answer):
    """Currency of a team."""

    current: Currency | None
    """Null if sums are shown in US dollars only."""
    history: list[CurrencyOfTime]
    """The last 50 changes, newest first. Empty if the team never had a currency."""
