"""Currencies in which a team also sees its sums: the code, and the rate that the team states.

All prices and computations are in US dollars. A rate is given by a person, so converted sums are approximate.
"""

from collections.abc import Mapping
from datetime import date
from typing import Literal, TypeAlias

from stowage.frozen import frozen
from stowage.model.complete import Checked

CurrencyCode: TypeAlias = Literal[
    "USD",
    "EUR",
    "GBP",
    "JPY",
    "CHF",
    "INR",
    "BRL",
    "CAD",
    "AUD",
    "SEK",
    "NOK",
    "DKK",
    "PLN",
    "KRW",
    "SGD",
    "CNY",
    "CZK",
    "HKD",
    "HUF",
    "IDR",
    "ILS",
    "MXN",
    "NZD",
    "RON",
    "THB",
    "TRY",
    "TWD",
    "ZAR",
]
"""Code of a currency by ISO 4217."""

SIGNS: Mapping[CurrencyCode, str] = {
    "USD": "$",
    "EUR": "€",
    "GBP": "£",
    "JPY": "¥",
    "INR": "₹",
    "BRL": "R$",
    "CAD": "CA$",
    "AUD": "A$",
    "KRW": "₩",
    "SGD": "S$",
    "CNY": "CN¥",
    "HKD": "HK$",
    "ILS": "₪",
    "MXN": "MX$",
    "NZD": "NZ$",
    "TRY": "₺",
    "TWD": "NT$",
}
"""Signs in front of an amount (Unicode CLDR, English); other currencies are written with their code."""

LOWEST_RATE, HIGHEST_RATE = 1e-4, 1e6
"""Range of rates [units of the currency per US dollar]."""
FIRST_DAY = date(2000, 1, 1)
"""Earliest day from which a rate may hold."""


@frozen
class Currency(Checked):
    """A currency with its rate.

    Raises
    ------
    ValueError
        The rate is not from `LOWEST_RATE` to `HIGHEST_RATE`.

    Examples
    --------
    >>> Currency("EUR", 0.86, date(2026, 11, 28)).words
    '1 USD = 0.86 EUR as of 2026-11-28, given by the team'
    """

    code: CurrencyCode
    usd_rate: float
    """Price of a US dollar [units of the currency per US dollar], 1e-4 to 1e6."""
    since: date
    """Day from which the rate holds."""

    def __post_init__(self) -> None:
        if not LOWEST_RATE <= self.usd_rate <= HIGHEST_RATE:
            raise ValueError(f"usd_rate {self.usd_rate!r}: a rate is from {LOWEST_RATE:g} to {HIGHEST_RATE:,.0f}")

    @property
    def sign(self) -> str:
        """Sign to write in front of an amount, with a space if it is a code."""
        return SIGNS.get(self.code, f"{self.code} ")

    @property
    def words(self) -> str:
        """The rate, its day and its origin, to name beside converted sums."""
        return f"1 USD = {self.usd_rate:.10g} {self.code} as of {self.since.isoformat()}, given by the team"
