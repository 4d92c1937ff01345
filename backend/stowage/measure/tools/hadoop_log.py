"""Parsers of lines in the console logs of Hadoop jobs, in the default log4j layouts of Hadoop's versions."""

import re
from datetime import UTC, date, datetime

from stowage.frozen import frozen
from stowage.measure.files.clocks import clock_of
from stowage.measure.files.compiled import maker

_ENTRY = re.compile(
    r"(?P<year>\d{4}|\d\d)[-/](?P<month>\d\d)[-/](?P<day>\d\d)[ T](?P<clock>\d\d:\d\d:\d\d(?:[,.]\d{1,9})?)\S*\s+"
    r"(?:\[[^\]]{0,200}\]\s+)?(?:TRACE|DEBUG|INFO|WARN|ERROR|FATAL)\s+(?:\[[^\]]{0,200}\]\s+)?"
    r"(?P<logger>[\w.$]{1,200})(?:\s*\([^)]{0,200}\))?\s*[:-]\s?(?P<message>.*)\Z"
)
_COUNTER = re.compile(r"\s+(?P<name>[A-Za-z][\w ():.&/-]{0,80}?) ?=(?P<value>-?\d{1,20})\Z")
_GROUP = re.compile(r"\s+(?:[A-Z][\w .$-]*Counters ?|[A-Z][\w-]* (?:Framework|Errors)|[\w.]+\$\w+)\Z")
_EXCEPTION = re.compile(r"(?:Exception in thread \S+ |Caused by: )?(?:[a-z]\w*+\.)+\w*+(?:(?<=Exception)|(?<=Error))")
_FAILED = re.compile(r"(?:Job (?:job_\S+ )?failed with state .*|Job Failed: .*|Job failed!.*|Error: .*)\Z")
_NOISE = re.compile(
    r"SLF4J: .*|log4j:WARN .*|\s*at [\w.$/<>]+\(.*\)|\s*\.\.\. \d+ (?:more|common frames omitted)"
    r"|WARNING: .*|Picked up \w+: .*|\tat .*"
)


RUNNING = re.compile(r"Running job: (?P<job>job_\w{1,80})\Z")
"""Message at the beginning of a job."""
COMPLETED = re.compile(r"Job (?:(?P<new>job_\w{1,80}) completed successfully|complete: (?P<old>job_\w{1,80}))\Z")
"""Message at the end of a job, in new and old versions."""


@frozen
class Entry:
    """One line of a log."""

    at: datetime | None
    """Time of the entry. It is assumed to be UTC, since logs name no time zone. None if the text was printed directly,
    without a logger."""
    logger: str
    """Last part of the logger's name, such as `TestDFSIO`; "" if there is no logger."""
    message: str


_entry = maker(Entry)


def entry_of(text: str) -> Entry:
    """Split a line of a log into its time, logger and message.

    Examples
    --------
    >>> entry_of("26/11/21 04:36:00 INFO fs.TestDFSIO: nrFiles = 3").message
    'nrFiles = 3'
    """
    if not text[:1].isdigit():
        return _entry(None, "", text)
    found = _ENTRY.match(text)
    clock = clock_of(found["clock"]) if found else None
    if not found or clock is None:
        return Entry(None, "", text)
    year = int(found["year"])
    try:
        day = date(year + 2000 if year < 100 else year, int(found["month"]), int(found["day"]))
    except ValueError:
        return Entry(None, "", text)
    return Entry(datetime.combine(day, clock, UTC), found["logger"].rpartition(".")[2], found["message"])


def failure_in(entry: Entry) -> str | None:
    """Return the failure that a line of a log reports, in the words of the program.

    Examples
    --------
    >>> failure_in(Entry(None, "", "java.io.IOException: Job failed!"))
    'java.io.IOException: Job failed!'
    """
    message = entry.message.strip()[:300]
    return message if _FAILED.match(message) or (not entry.logger and _EXCEPTION.match(message)) else None


def is_noise(text: str) -> bool:
    """Return whether a line can be ignored, such as a logger warning or a stack trace."""
    return bool(_NOISE.match(text))


def counter_in(text: str) -> tuple[str, str] | None:
    """Parse a line with a counter of a job.

    Such a line is indented, and may have a log prefix.

    Examples
    --------
    >>> counter_in("    FILE: Number of bytes read=8311791")
    ('FILE: Number of bytes read', '8311791')
    """
    found = _COUNTER.match(text)
    return (found["name"], found["value"]) if found else None


def is_group(text: str) -> bool:
    """Return whether a line is the name of a group of job counters."""
    return bool(_GROUP.match(text))
