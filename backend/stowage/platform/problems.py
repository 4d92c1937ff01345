"""Messages for validation errors: path of each field, its value, and what would be accepted."""

import re
from collections.abc import Iterable, Mapping, Sequence
from difflib import get_close_matches
from typing import Any

from stowage.platform.errors import Problem

_PLAIN_KEY = re.compile(r"[A-Za-z0-9_-]{1,64}")
_UNION_TAGS = {
    "any",
    "none",
    "application",
    "infrastructure",
    "object-store",
    "instance-store",
    "ebs",
    "elsewhere-section",
}
_SECRETS = {"password", "secret"}
"""Fields whose value is never repeated: messages are shown on screens and stored by clients."""
_WHOLE = "{value} is not a whole number"
_UNKNOWN_FIELD = "is not a field that is known here"
_MAPPING = "{value} is not a mapping"
_WORDS = {
    "json_invalid": "is not JSON: {error}",
    "missing": "is missing",
    "extra_forbidden": _UNKNOWN_FIELD,
    "unexpected_keyword_argument": _UNKNOWN_FIELD,  # an unknown key of a dataclass
    "value_error": "{error}",
    "union_tag_not_found": "needs {discriminator}",
    "literal_error": "{value} is not offered; accepted: {expected}",
    "tuple_type": "{value} is not a list",
    "model_type": _MAPPING,
    "model_attributes_type": _MAPPING,
    "dataclass_type": _MAPPING,
    "dict_type": _MAPPING,
    "int_type": _WHOLE,
    "int_parsing": _WHOLE,
    "int_from_float": _WHOLE,
    "greater_than": "{value} is too little; accepted: above {gt:,g}",
    "greater_than_equal": "{value} is too little; accepted: {ge:,g} or more",
    "less_than_equal": "{value} is too much; accepted: {le:,g} or less",
}
"""Messages by pydantic's error type; for other types pydantic's own message is used."""


def problems_in(details: Sequence[Mapping[str, Any]], skip: int = 0) -> list[Problem]:
    """Convert pydantic's errors to problems, with the value of each field and what would be accepted.

    Parameters
    ----------
    details : sequence of mapping
        Details of validation errors from pydantic.
    skip : int
        Number of leading elements of a field's location to drop, like ``body`` in FastAPI's errors.
    """
    return [Problem(_path(detail["loc"][skip:]), _message(detail)) for detail in details]


def unknown(path: str, value: str, what: str, version: str, known: Iterable[str]) -> Problem:
    """Return the problem for a name that is not in the catalog.

    The message of the problem suggests the most similar names.
    """
    names = sorted(known)
    close = get_close_matches(value, names, n=3) or names
    message = f"{value!a} is not {what} of catalog {version}; accepted are, for example, {', '.join(close[:5])}"
    return Problem(path, message)


def _path(location: tuple[int | str, ...]) -> str:
    # Tags of a discriminated union are part of pydantic's location but not of the user's document.
    parts = [
        part for index, part in enumerate(location) if not (index and part in _UNION_TAGS and index < len(location) - 1)
    ]
    return ".".join(part if _PLAIN_KEY.fullmatch(part) else ascii(part[:40]) for part in map(str, parts))


def _message(detail: Mapping[str, Any]) -> str:
    if isinstance(detail["input"], bytes):
        return "is not JSON: send it with content type application/json"
    secret = bool(detail["loc"]) and detail["loc"][-1] in _SECRETS
    value, context = "what was written" if secret else shown(detail["input"]), detail.get("ctx", {})
    if detail["type"] == "union_tag_invalid":
        return f"{shown(context['tag'])} is not offered; accepted: {context['expected_tags']}"
    words = _WORDS.get(detail["type"])
    if words is not None:
        return words.format(value=value, **context)
    message = detail["msg"].removeprefix("Input ")
    return f"{value} {message}"


def shown(value: object) -> str:
    """Format a value for a message, shortened and in printable characters."""
    if isinstance(value, int) and not isinstance(value, bool) and value.bit_length() > 128:
        return "a very large number"
    if isinstance(value, str | int | float | bool | None):
        return ascii(value if not isinstance(value, str) or len(value) <= 40 else value[:37] + "...")
    return "a list" if isinstance(value, list) else "a mapping"
