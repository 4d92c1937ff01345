"""Conversion of parsed results to JSON documents and back, and fingerprints of results."""

import hashlib
import json
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import asdict
from datetime import datetime
from typing import Any, Final

from pydantic import TypeAdapter

from stowage.measure.reading import Reading, Series

LONGEST_TEXT = 2_000
"""Maximum characters of a text from a file; longer texts are cut and are not results."""
MOST_SETTINGS = 200

_READING: Final = TypeAdapter(Reading)
_SERIES: Final = TypeAdapter(tuple[Series, ...])


def written(reading: Reading) -> dict[str, Any]:
    """Convert a result to a JSON document.

    Characters that the database does not accept are replaced.
    """
    document = {name: getattr(reading, name) for name in ("tool", "status", "line", "duration_s")}
    document |= {name: _clean_or_none(getattr(reading, name)) for name in ("tool_version", "failure")}
    document["name"] = _clean(reading.name)
    document["metrics"] = [
        {"name": each.name, "value": each.value, "told": {key: _clean(said) for key, said in asdict(each.told).items()}}
        for each in reading.metrics
    ]
    settings = list(reading.settings.items())[:MOST_SETTINGS]
    document["settings"] = {_clean(key): _clean(value) for key, value in settings}
    document["started_at"] = _moment(reading.started_at)
    document["host"] = {
        key: _clean(value) if isinstance(value, str) else value for key, value in asdict(reading.host).items()
    }
    document["series"] = [
        {
            "name": each.name,
            "of": _clean(each.of),
            "started_at": _moment(each.started_at),
            "times_s": list(each.times_s),
            "values": list(each.values),
            "peaks": list(each.peaks),
        }
        for each in reading.series
    ]
    document["notes"] = [_clean(note) for note in reading.notes]
    return document


def read(document: Mapping[str, Any]) -> Reading:
    """Parse a result from a JSON document that `written` created."""
    return _READING.validate_python(document)


def read_series(documents: Sequence[Mapping[str, Any]]) -> tuple[Series, ...]:
    """Parse the time series of a result from the JSON documents that `written` created."""
    return _SERIES.validate_python(documents)


class Fingerprints:
    """Computes the fingerprints of the results of one file, which identify results that are stored already.

    A fingerprint depends on the content of a result, not on the file that contains the result. Results of one file can
    have identical content, such as short outputs without a time. These results are distinguished by their order.
    """

    def __init__(self) -> None:
        self._seen: Counter[bytes] = Counter()

    def of(self, document: Mapping[str, Any]) -> bytes:
        """Return the fingerprint (SHA-256) of a result, given as a JSON document from `written`."""
        said = [[each["told"]["name"], each["told"]["text"], each["told"]["unit"]] for each in document["metrics"]]
        # The position in the file and a reader's notes are not part of the measurement.
        same = ("tool", "tool_version", "status", "name", "settings", "started_at", "duration_s", "host", "series")
        text = json.dumps([said, *(document[key] for key in same)], sort_keys=True, allow_nan=False)
        content = hashlib.sha256(text.encode()).digest()
        order = self._seen[content]
        self._seen[content] += 1
        return hashlib.sha256(content + order.to_bytes(4, "big")).digest() if order else content


def _moment(moment: datetime | None) -> str | None:
    return None if moment is None else moment.isoformat()


def _clean(text: str) -> str:
    # PostgreSQL accepts no NUL, and UTF-8 no unpaired surrogate.
    short = text if len(text) <= LONGEST_TEXT else f"{text[: LONGEST_TEXT - 3]}..."
    return short.replace("\0", "\N{REPLACEMENT CHARACTER}").encode("utf-8", "replace").decode()


def _clean_or_none(text: str | None) -> str | None:
    return None if text is None else _clean(text)
