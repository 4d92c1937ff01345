"""Stored answers of plans: bytes of which the first is the number of their form.

An answer is stored as the page reads it, and sent without being read. If `PlanColumns` or `stored.as_stored` changes,
new answers get another form: add its number below. Answers of the forms before are still read, and sent as objects.
"""

import gzip
import json
from collections.abc import Mapping
from typing import Any

from pydantic_core import from_json

from stowage.workloads.answers import PlanAnswer, RankedAnswer
from stowage.workloads.from_columns import plan_from

OBJECTS, FIRST_COLUMNS, COLUMNS = range(3)
"""Forms: the JSON of a `PlanAnswer` of a version of November 2026 or before; compressed, that of a `PlanColumns` with
rejections as objects, and that of a `PlanColumns`."""
_LEVEL = 3
"""Level of compression: at a higher one an answer takes twice as long, and gets 7% smaller."""


def packed(columns: bytes) -> bytes:
    """Return the JSON of a `PlanColumns` as it is stored."""
    return bytes([COLUMNS]) + gzip.compress(columns, _LEVEL, mtime=0)


def answer_of(stored: bytes) -> PlanAnswer:
    """Return a stored answer; of one that is stored as columns, only the first row has sources."""
    return PlanAnswer.model_validate(_document(stored))


def json_of(stored: bytes) -> bytes:
    """Return the JSON of the `PlanColumns` that was stored, or of a `PlanAnswer` if the answer has an older form."""
    return gzip.decompress(stored[1:]) if stored[0] == COLUMNS else answer_of(stored).model_dump_json().encode()


def first_row(stored: bytes) -> RankedAnswer | None:
    """Return the first row of a stored answer, with its sources; None if no configuration meets the limits."""
    document = _parsed(stored)
    row = document["first"] if stored[0] != OBJECTS else next(iter(document["configurations"]), None)
    return None if row is None else RankedAnswer.model_validate(row)


def instances_of(stored: bytes) -> frozenset[str]:
    """Return the names of the instance types in the rows of a stored answer."""
    document = _parsed(stored)
    if stored[0] != OBJECTS:
        return frozenset(document["rows"]["instances"])
    return frozenset(row["instance"] for row in document["configurations"])


def _document(stored: bytes) -> Mapping[str, Any]:
    document = _parsed(stored)
    return plan_from(document) if stored[0] != OBJECTS else document


def _parsed(stored: bytes) -> Mapping[str, Any]:
    # Answers of before may have half of a surrogate pair, which only the standard library reads.
    found: Mapping[str, Any] = (
        from_json(gzip.decompress(stored[1:])) if stored[0] != OBJECTS else json.loads(stored[1:])
    )
    return found
