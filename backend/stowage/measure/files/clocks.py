"""Parsers of dates and times in the formats of tools, which often lack a time zone."""

import re
from datetime import UTC, date, datetime, time, timedelta, timezone
from functools import lru_cache

from stowage.measure.files.values import Number

# Unambiguous abbreviations only. CST, IST and BST mean several zones and are left out.
_HOURS = {
    name: hours
    for hours, names in (
        (0.0, "UTC GMT Z WET"),
        (1.0, "CET"),
        (2.0, "CEST EET"),
        (3.0, "EEST MSK"),
        (8.0, "SGT HKT"),
        (9.0, "JST KST"),
        (10.0, "AEST"),
        (11.0, "AEDT"),
        (-5.0, "EST CDT"),
        (-4.0, "EDT"),
        (-7.0, "MST PDT"),
        (-6.0, "MDT"),
        (-8.0, "PST"),
    )
    for name in names.split()
}
_MONTHS = dict(
    zip(("Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"), range(1, 13), strict=True)
)
_JAVA = re.compile(
    r"(?:Mon|Tue|Wed|Thu|Fri|Sat|Sun) ([A-Z][a-z]{2}) (\d{1,2}) (\d\d):(\d\d):(\d\d) "
    r"([A-Za-z0-9:+-]{1,10}) (\d{4})\Z"
)
_C = re.compile(
    r"(?:Mon|Tue|Wed|Thu|Fri|Sat|Sun) ([A-Z][a-z]{2}) +([0-9]{1,2}) ([0-9]{2}):([0-9]{2}):([0-9]{2}) ([0-9]{4})\Z"
)
_CLOCK = re.compile(
    r"(?P<hour>\d{1,2}):(?P<minute>\d\d)(?::(?P<second>\d\d)(?:[.,](?P<part>\d{1,9}))?)?"
    r"(?: ?(?P<half>[AaPp])\.?[Mm]\.?)?\Z"
)
_ISO_DATE = re.compile(r"(\d{4})-(\d{1,2})-(\d{1,2})\Z")
_EAST_DATE = re.compile(r"(\d{4})\D(\d{1,2})\D(\d{1,2})\D?\Z")
_SLASH_DATE = re.compile(r"(\d{1,2})([/.-])(\d{1,2})[/.-](\d{4}|\d{2})\Z")
_DATE_AND_TIME = re.compile(r"\A(\d{4}-\d{1,2}-\d{1,2})T")
_OFFSET = re.compile(r"(?P<sign>[+-])(?P<hours>\d\d):?(?P<minutes>\d\d)\Z")

UNKNOWN_ZONE = "Times have no time zone that is known: taken as UTC"


def zone_of(text: str) -> timezone | None:
    """Parse a time zone, given as an abbreviation or a UTC offset.

    The result is None if the abbreviation is ambiguous or unknown.

    Examples
    --------
    >>> zone_of("+0530"), zone_of("CST") is None
    (datetime.timezone(datetime.timedelta(seconds=19800)), True)
    """
    if text[:1] in {"+", "-"} and (found := _OFFSET.match(text)):
        minutes = int(found["hours"]) * 60 + int(found["minutes"])
        if minutes >= 24 * 60:
            return None
        return timezone(timedelta(minutes=minutes if found["sign"] == "+" else -minutes))
    hours = _HOURS.get(text.upper())
    return None if hours is None else timezone(timedelta(hours=hours))


_short_zone = lru_cache(maxsize=100)(zone_of)


def clock_of(text: str) -> time | None:
    """Parse a time of day, with a 12-hour or 24-hour clock.

    Examples
    --------
    >>> clock_of("12:05:01 AM"), clock_of("11:59:59 PM"), clock_of("24:10:00")
    (datetime.time(0, 5, 1), datetime.time(23, 59, 59), None)
    """
    found = _CLOCK.match(text)
    if not found:
        return None
    hour = int(found["hour"])
    if found["half"]:
        if not 1 <= hour <= 12:
            return None
        hour = hour % 12 + (12 if found["half"] in "pP" else 0)
    try:
        microsecond = int((found["part"] or "0").ljust(6, "0")[:6])
        return time(hour, int(found["minute"]), int(found["second"] or 0), microsecond)
    except ValueError:
        return None


def date_of(text: str) -> tuple[date, bool] | None:
    """Parse a numeric date.

    Returns
    -------
    tuple of date and bool or None
        The date, and whether day and month could be swapped. If so, the month is assumed to come first, as sysstat and
        vnStat write it by default.

    Examples
    --------
    >>> date_of("11/21/26"), date_of("21.11.2026"), date_of("03/04/26")
    ((datetime.date(2026, 11, 21), False), (datetime.date(2026, 11, 21), False), (datetime.date(2026, 3, 4), True))
    """
    try:
        if found := _ISO_DATE.match(text) or _EAST_DATE.match(text):
            return date(int(found[1]), int(found[2]), int(found[3])), False
        if found := _SLASH_DATE.match(text):
            first, second, year = int(found[1]), int(found[3]), int(found[4])
            year += 2000 if year < 100 else 0
            if found[2] == "." or first > 12:
                return date(year, second, first), False
            return date(year, first, second), first != second and second <= 12
    except ValueError:
        pass
    return None


def java_date_of(text: str) -> tuple[datetime, bool] | None:
    """Parse a date in the form that Java's ``Date`` prints.

    The result is the time, and whether its time zone is known. A time in an unknown zone is taken as UTC.

    Examples
    --------
    >>> java_date_of("Tue May 20 16:43:38 HKT 2014")[0].isoformat()
    '2014-05-20T16:43:38+08:00'
    """
    found = _JAVA.match(text)
    if not found or found[1] not in _MONTHS:
        return None
    month, day, hour, minute, second, zone_text, year = found.groups()
    zone = _short_zone(zone_text.removeprefix("GMT")) if zone_text != "GMT" else UTC
    try:
        at = datetime(int(year), _MONTHS[month], int(day), int(hour), int(minute), int(second), 0, zone or UTC)
    except ValueError:
        return None
    return at, zone is not None


def time_of_c(text: str) -> datetime:
    """Parse a time in the form of C's ``ctime``, which has no time zone: it is taken as UTC.

    Raises
    ------
    ValueError
        The text is no such time.

    Examples
    --------
    >>> time_of_c("Sat Nov  1 05:00:43 2026").isoformat()
    '2026-11-01T05:00:43+00:00'
    """
    found = _C.match(text)
    if not found or found[1] not in _MONTHS:
        return datetime.strptime(text, "%a %b %d %H:%M:%S %Y").replace(tzinfo=UTC)
    month, day, hour, minute, second, year = found.groups()
    return datetime(int(year), _MONTHS[month], int(day), int(hour), int(minute), int(second), 0, UTC)


def iso_of(text: str) -> tuple[datetime, bool] | None:
    """Parse a date that begins with the year, with a time of day.

    A time zone may follow.

    Returns
    -------
    tuple of datetime and bool or None
        The time, and whether the text has a known time zone. A time without a known zone is taken as UTC.

    Examples
    --------
    >>> iso_of("2026-11-21 04:33:06 UTC")[0] == iso_of("2026-11-21T05:33:06+0100")[0]
    True
    """
    words = _DATE_AND_TIME.sub(r"\1 ", text.strip(), count=1).split()
    if not 2 <= len(words) <= 3:
        return None
    clock_text, zone_text = words[1], words[2] if len(words) == 3 else ""
    if not zone_text and (split := re.search(r"[Zz+-]", clock_text)):
        clock_text, zone_text = clock_text[: split.start()], clock_text[split.start() :]
    day, clock = date_of(words[0]), clock_of(clock_text)
    if day is None or clock is None:
        return None
    zone = zone_of(zone_text)
    return datetime.combine(day[0], clock, zone or UTC), zone is not None


def moment(seconds: float) -> datetime | None:
    """Convert seconds since 1970 to a time; return None if the time is out of range."""
    try:
        return datetime.fromtimestamp(seconds, UTC)
    except (ValueError, OverflowError, OSError):
        return None


def stamp_of(text: str, day: date | None = None) -> tuple[float, bool] | None:
    """Parse a time with its date, or a time of a given day.

    The result is the time [s since 1970], and whether its time zone is known.
    """
    if len(text) > 40 or ":" not in text:
        return None
    if found := iso_of(text):
        return found[0].timestamp(), found[1]
    words = text.split(maxsplit=1)
    dated = date_of(words[0]) if len(words) == 2 else None
    clock = clock_of(words[1] if dated else text)
    on = dated[0] if dated else day
    return (datetime.combine(on, clock, UTC).timestamp(), False) if clock and on else None


def time_of_number(number: Number | None, *, per_s: float = 1.0) -> datetime | None:
    """Convert a JSON number to a time, in units since 1970; None if it is not between then and the year 5138."""
    seconds = 0.0 if number is None else (number.value or 0.0) / per_s
    return datetime.fromtimestamp(seconds, UTC) if 0 < seconds < 1e11 else None
