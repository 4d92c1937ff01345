"""Access to the values in JSON documents by their path."""

import math
from typing import TypeAlias, Union

from stowage.frozen import frozen

_LONGEST_NUMBER = 60


@frozen
class Number:
    """A JSON number, stored with the digits that the file has."""

    text: str

    @property
    def value(self) -> float | None:
        """Return the value; None if it is infinite, not a number or has more than 60 digits."""
        if len(self.text) > _LONGEST_NUMBER:
            return None
        value = float(self.text)
        return value if math.isfinite(value) else None

    def __repr__(self) -> str:
        return f"Number({self.text!r})"


Value: TypeAlias = Union[bool, str, Number, "list[Value]", "dict[str, Value]", None]


def number_at(value: Value, *keys: str) -> Number | None:
    """Return the number at a path of keys; None if there is no number.

    Examples
    --------
    >>> number_at({"read": {"bw": Number("12")}}, "read", "bw")
    Number('12')
    """
    for key in keys:
        if not isinstance(value, dict):
            return None
        value = value.get(key)
    return value if isinstance(value, Number) else None


def float_at(value: Value, *keys: str) -> float | None:
    """Return the value of the number at a path of keys; None if there is no finite number."""
    found = number_at(value, *keys)
    return None if found is None else found.value


def text_at(value: Value, *keys: str) -> str | None:
    """Return the string at a path of keys; None if there is no string."""
    found = value_at(value, *keys)
    return found if isinstance(found, str) else None


def written(value: Value, *keys: str) -> str | None:
    """Return the string, or the digits of the number, at a path of keys; None if there is neither."""
    found = value_at(value, *keys)
    return found.text if isinstance(found, Number) else found if isinstance(found, str) else None


def value_at(value: Value, *keys: str) -> Value:
    """Return the value at a path of keys; None if there is no value."""
    for key in keys:
        if not isinstance(value, dict):
            return None
        value = value.get(key)
    return value
