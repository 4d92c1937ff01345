"""Access to the values in JSON documents by their path.

>>> number_at({"read": {"bw": Number("12")}}, "read", "bw")
Number('12')
"""

import math
from collections.abc import Callable
from typing import TypeAlias, Union

from stowage.frozen import frozen
from stowage.measure.files.compiled import plain_number, value_functions

_LONGEST_NUMBER = 60


@frozen
class Number:
    """A JSON number, stored with the digits that the file has."""

    text: str

    @property
    def value(self) -> float | None:
        """Return the value; None if it is infinite, not a number or has more than 60 digits."""
        if (plain := plain_number(self.text)) is not None:
            return plain
        if len(self.text) > _LONGEST_NUMBER:
            return None
        value = float(self.text)
        return value if math.isfinite(value) else None

    def __repr__(self) -> str:
        return f"Number({self.text!r})"


Value: TypeAlias = Union[bool, str, Number, "list[Value]", "dict[str, Value]", None]


value_at: Callable[..., Value]
"""Returns the value at a path of keys; None if there is no value."""
number_at: Callable[..., Number | None]
"""Returns the number at a path of keys; None if there is no number."""
float_at: Callable[..., float | None]
"""Returns the value of the number at a path of keys; None if there is no finite number."""
text_at: Callable[..., str | None]
"""Returns the string at a path of keys; None if there is no string."""
written: Callable[..., str | None]
"""Returns the string, or the digits of the number, at a path of keys; None if there is neither."""
value_at, number_at, float_at, text_at, written = value_functions(Number)
