"""Quantities as text in files and requests: validated, and stored as written."""

import math
import unicodedata
from collections.abc import Callable
from typing import Annotated

from pydantic import (
    AfterValidator,
    ConfigDict,
    Field,
    GetCoreSchemaHandler,
    GetJsonSchemaHandler,
)
from pydantic.json_schema import JsonSchemaValue
from pydantic_core import CoreSchema, core_schema

from stowage.frozen import frozen
from stowage.model.money.price_terms import LARGEST_PERCENT
from stowage.model.sizes import MB_PER_GIB
from stowage.model.units import UnitError, parse_duration, parse_money, parse_rate, parse_size, printable
from stowage.platform.described import Described
from stowage.platform.problems import shown

MOST_NODES = 100_000
"""Limit of the work of one answer; Table 2's largest cluster has 75,000 nodes."""
SMALLEST_RATE_MB_PER_S = 1e-3
LARGEST_RATE_MB_PER_S = 1e9
MOST_FREE_SPACE = 0.9


@frozen
class Written:
    """Annotation for a text field with a quantity.

    The text is validated by `parse`, and stored as written.
    """

    parse: Callable[[str], object]
    description: str
    examples: tuple[str, ...]

    def __get_pydantic_core_schema__(self, source: object, handler: GetCoreSchemaHandler) -> CoreSchema:
        """Build a schema that passes bare numbers to the parser too.

        The message of the parser about a missing unit is better than a type error.
        """
        checked = core_schema.no_info_after_validator_function(self._checked, handler(source))
        return core_schema.no_info_before_validator_function(_as_text, checked)

    def __get_pydantic_json_schema__(self, schema: CoreSchema, handler: GetJsonSchemaHandler) -> JsonSchemaValue:
        """Describe the text and show examples."""
        return {**handler(schema), "description": self.description, "examples": list(self.examples)}

    def _checked(self, text: str) -> str:
        if len(text) > 100:
            raise ValueError(f"{shown(text)} has {len(text)} characters; at most 100 are read")
        self.parse(text)
        return text


def _as_text(value: object) -> object:
    if isinstance(value, bool) or not isinstance(value, int | float):
        return value
    return shown(value)


def volume_gib(text: str) -> int:
    """Parse the size of an EBS volume [GiB].

    Raises
    ------
    UnitError
        The text is not a size, or the size is not a whole number of GiB, as EBS requires.
    """
    size_gib = parse_size(text) / MB_PER_GIB
    if abs(size_gib - round(size_gib)) > 1e-9 * size_gib:
        raise UnitError(f"{text!r} is {size_gib:.2f} GiB; EBS volumes have whole GiB, as in {math.ceil(size_gib)} GiB")
    return round(size_gib)


def credit_level(text: str) -> float:
    """Parse the fill level of burst-credit buckets (ratio).

    Accepted are ``full``, ``empty``, or a number from 0 to 1.

    Raises
    ------
    ValueError
        Anything else.
    """
    words = {"full": 1.0, "empty": 0.0}
    if text in words:
        return words[text]
    try:
        level = float(text)
    except ValueError:
        level = math.nan
    if not 0.0 <= level <= 1.0:
        raise ValueError(f"{shown(text)} is not a level of credit; write full, empty, or a number from 0 to 1")
    return level


def share_of_one(text: str) -> float:
    """Parse a share (ratio).

    Accepted are a number from 0 to 1, or a percentage.

    Raises
    ------
    ValueError
        Anything else.

    Examples
    --------
    >>> [share_of_one(text) for text in ("0.95", "95 %", "0.1%")]
    [0.95, 0.95, 0.001]
    """
    number, percent, rest = text.partition("%")
    try:
        share = float(number) / (100.0 if percent else 1.0)
    except ValueError:
        share = math.nan
    if rest.strip() or not 0.0 <= share <= 1.0:
        raise ValueError(f"{shown(text)} is not a share; write 95 %, or a number from 0 to 1")
    return share


def _chance(text: str) -> float:
    chance = share_of_one(text)
    if not 0.0 < chance < 1.0:
        raise ValueError(f"{shown(text)} cannot be asked of a prediction; accepted: above 0 % and below 100 %")
    return chance


def limit_s(text: str) -> float | None:
    """Parse a time limit [s].

    Returns None for the text `none`, which means no limit.

    Raises
    ------
    UnitError
        Anything else that is not a duration.

    Examples
    --------
    >>> [limit_s(text) for text in ("90 s", "none")]
    [90.0, None]
    """
    return None if text.strip() == "none" else parse_duration(text)


def _free_space(text: str) -> float:
    share = share_of_one(text)
    if share > MOST_FREE_SPACE:
        raise ValueError(
            f"{shown(text)} leaves hardly any space for data; accepted: 0 % to {100 * MOST_FREE_SPACE:.0f} %"
        )
    return share


def discount_percent(text: str) -> float:
    """Parse a discount [%], from 0 to 95.

    Returns 0.0 for the text `none`.

    Raises
    ------
    ValueError
        Anything else that is not such a percentage.

    Examples
    --------
    >>> [discount_percent(text) for text in ("12%", "7.5 %", "none")]
    [12.0, 7.5, 0.0]
    """
    if text.strip() == "none":
        return 0.0
    number, sign, rest = text.partition("%")
    try:
        percent = float(number)
    except ValueError:
        percent = math.nan
    if not sign or rest.strip() or not 0.0 <= percent <= LARGEST_PERCENT:
        raise ValueError(f"{shown(text)} is not a discount; accepted: 0% to {LARGEST_PERCENT:g}%, as in 12%, or none")
    return percent


LINE_BREAKS = "\n\r\t"
"""Control characters that text of several lines may have."""


def plain_text(allowed: str = "") -> AfterValidator:
    """Return a validator that refuses control characters and surrogates, which no page can show."""

    def check(text: str) -> str:
        for position, sign in enumerate(text):
            if unicodedata.category(sign) in {"Cc", "Cs"} and sign not in allowed:
                kept = "a line break or a tab" if allowed else "a space"
                raise ValueError(f"has the control character U+{ord(sign):04X} at {position:,}; accepted: {kept}")
        return text

    return AfterValidator(check)


Size = Annotated[str, Written(parse_size, "A data size: kB to EB, KiB to EiB.", ("100 TB", "512 GiB"))]
Duration = Annotated[str, Written(parse_duration, "A duration: s, min, h, d.", ("30 min", "1 h 30 min"))]
LinkRate = Annotated[str, Written(parse_rate, "A rate: kB/s to TB/s, Mbit/s, Gbit/s.", ("10 Gbit/s", "500 MB/s"))]
TimeLimit = Annotated[str, Written(limit_s, "A duration: s, min, h, d; or none.", ("30 min", "1 h 30 min", "none"))]
Money = Annotated[str, Written(parse_money, "US dollars.", ("500 USD", "$500"))]
VolumeSize = Annotated[str, Written(volume_gib, "Size of one EBS volume, whole GiB.", ("135 GiB",))]
Credits = Annotated[str, Written(credit_level, "How full burst buckets are at the start.", ("full", "empty", "0.4"))]
Chance = Annotated[str, Written(_chance, "A chance, above 0 and below 100 %.", ("95 %", "0.95"))]
Loss = Annotated[str, Written(share_of_one, "A chance of loss.", ("0.1 %", "0.001"))]
FreeSpace = Annotated[str, Written(_free_space, "A share of disks and volumes.", ("20 %", "0.2"))]
Discount = Annotated[str, Written(discount_percent, "A discount in percent, or none.", ("12%", "none"))]
Name = Annotated[str, Field(max_length=200), AfterValidator(printable)]
FrameworkName = Annotated[
    str,
    Field(max_length=60, pattern=r"^[A-Za-z0-9][A-Za-z0-9._-]*$", examples=["spark", "hadoop-mapreduce", "ideal"]),
]
"""Name of an efficiency profile; a team's calibrations add names."""
Rate = Annotated[float, Field(ge=SMALLEST_RATE_MB_PER_S, le=LARGEST_RATE_MB_PER_S, strict=True, allow_inf_nan=False)]
Ratio = Annotated[float, Field(ge=1e-6, le=1000, strict=True, allow_inf_nan=False)]
Count = Annotated[int, Field(ge=1, le=MOST_NODES, strict=True)]
Disks = Annotated[int, Field(ge=0, le=1000, strict=True)]
Share = Annotated[float, Field(ge=0, le=1, strict=True, allow_inf_nan=False)]
Copies = Annotated[int, Field(ge=1, le=100, strict=True)]


class Section(Described):
    """Base class of the sections of a workload file.

    Unknown keys are errors, so that a typo is never ignored.
    """

    model_config = ConfigDict(extra="forbid", frozen=True)
