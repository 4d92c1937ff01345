"""Strict validation of JSON values, with the path of an invalid value in the error."""

import math
from collections.abc import Callable, Collection, Mapping
from dataclasses import fields
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any, TypeAlias, TypeVar

if TYPE_CHECKING:
    from _typeshed import DataclassInstance

Record = TypeVar("Record", bound="DataclassInstance")
Parser: TypeAlias = Callable[[object, str], Any]
"""Parser of a JSON value at a path; it raises `BadValue`."""

_QUOTED = 40
LONGEST_TEXT = 200


class BadValue(ValueError):
    """Error for a value that fails validation.

    Parameters
    ----------
    field : str
        Path of the field, such as ``storage.count``.
    value : object
    accepted : str
        Description of the accepted values.
    """

    def __init__(self, field: str, value: object, accepted: str) -> None:
        said = repr(value)
        quoted = said if len(said) <= _QUOTED else f"{said[:_QUOTED]}…"
        super().__init__(f"{field}: {quoted} is not {accepted}")
        self.field = field
        self.value = value
        self.accepted = accepted


def object_of(
    value: object, where: str, required: Collection[str] = (), optional: Collection[str] = ()
) -> Mapping[str, Any]:
    """Check that an object has the required fields and no unknown fields.

    Raises
    ------
    BadValue
    """
    if not isinstance(value, Mapping):
        raise BadValue(where or "the whole", value, f"an object with {_listed((*required, *optional))}")
    known = (*required, *optional)
    for name in value:
        if name not in known:
            raise BadValue(joined(where, str(name)), value[name], f"known: the fields are {_listed(known)}")
    for name in required:
        if name not in value:
            raise BadValue(joined(where, name), None, "there: it is needed")
    return value


def text_of(value: object, where: str, *, accepted: str = "", longest: int = LONGEST_TEXT) -> str:
    """Check that a value is a text that can be printed on one line.

    Raises
    ------
    BadValue
    """
    if not isinstance(value, str) or not 0 < len(value) <= longest or not value.isprintable():
        raise BadValue(where, value, accepted or f"a text of 1 to {longest} printable characters")
    return value


def number_of(
    value: object, where: str, *, least: float = -math.inf, most: float = math.inf, accepted: str = ""
) -> float:
    """Check that a value is a finite number within bounds.

    Booleans are rejected.

    Raises
    ------
    BadValue
    """
    words = accepted or f"a number from {least:,g} to {most:,g}"
    if isinstance(value, bool) or not isinstance(value, int | float):
        raise BadValue(where, value, words)
    # An int may be too large for a float.
    found = float(value) if isinstance(value, float) or abs(value) < 1 << 1000 else math.inf
    if not math.isfinite(found) or not least <= found <= most:
        raise BadValue(where, value, words)
    return found


def count_of(value: object, where: str, *, least: int = 0, most: int = 1 << 53) -> int:
    """Check that a value is a whole number.

    4.0 counts as 4.

    Raises
    ------
    BadValue
    """
    accepted = f"a whole number from {least:,} to {most:,}"
    found = number_of(value, where, least=least, most=most, accepted=accepted)
    if not found.is_integer():
        raise BadValue(where, value, accepted)
    return int(found)


def instant_of(value: object, where: str) -> datetime:
    """Parse a time with a zone, and convert it to UTC.

    Raises
    ------
    BadValue
    """
    accepted = "a time with its zone, as in 2026-11-20T14:30:00+00:00"
    if not isinstance(value, str):
        raise BadValue(where, value, accepted)
    try:
        found = datetime.fromisoformat(value)
        if found.tzinfo is not None:
            return found.astimezone(UTC)
    except (ValueError, OverflowError):
        pass
    raise BadValue(where, value, accepted)


def list_of(value: object, where: str, *, most: int) -> list[Any]:
    """Check that a value is a list that is not too long.

    Raises
    ------
    BadValue
    """
    if not isinstance(value, list | tuple) or len(value) > most:
        raise BadValue(where, value, f"a list of at most {most:,}")
    return list(value)


def one_of(value: object, where: str, *, accepted: Collection[object]) -> Any:  # noqa: ANN401 - as accepted
    """Check that a value is one of several.

    Raises
    ------
    BadValue
    """
    if value not in accepted:
        raise BadValue(where, value, f"one of {', '.join(map(str, accepted))}")
    return value


def record_of(kind: type[Record], value: object, where: str, parsers: Mapping[str, Parser]) -> Record:
    """Build a dataclass from the JSON of its fields.

    Parameters
    ----------
    kind : type
        The dataclass.
    value : object
        JSON object with all fields.
    where : str
        Path of the value, for error messages.
    parsers : Mapping[str, Parser]
        Parsers of the fields; those of the other fields are taken as they are.

    Raises
    ------
    BadValue
    """
    said = object_of(value, where, [field.name for field in fields(kind)])
    return kind(**{**said, **{name: parse(said[name], joined(where, name)) for name, parse in parsers.items()}})


def each_of(value: object, where: str, *, parse: Parser, most: int) -> tuple[Any, ...]:
    """Parse the elements of a list that is not too long.

    Raises
    ------
    BadValue
    """
    return tuple(parse(one, joined(where, str(at))) for at, one in enumerate(list_of(value, where, most=most)))


def joined(where: str, name: str) -> str:
    """Return the path of a field in an object.

    It is the path of the object, a dot, and the name of the field.
    """
    return f"{where}.{name}" if where else name


def _listed(names: Collection[str]) -> str:
    return ", ".join(names)
