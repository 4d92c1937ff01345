"""Responses of Hadoop's REST APIs: validation of their values, and the base class of their readers."""

from abc import abstractmethod
from collections.abc import Iterable, Iterator
from typing import ClassVar, Final

from stowage.measure.errors import Unreadable
from stowage.measure.files.documents import Ended, Piece, Text
from stowage.measure.files.reader import DocumentReader
from stowage.measure.files.values import Number, Value
from stowage.measure.logs.logged_jobs import LoggedJob, printable, to_seconds
from stowage.measure.reading import Remark

Members = dict[str, Value]
_MOST: Final = 1e18


def members(piece: Piece, accepted: str) -> Members:
    """Return the members of a JSON object.

    Raises
    ------
    Unreadable
        The JSON value is not an object.
    """
    if not isinstance(piece.value, dict):
        place = ".".join(str(step) for step in piece.path)[:80]
        raise Unreadable(f"{place!a} is {piece.value!r:.40}, not an object; accepted: {accepted}", piece.line)
    return piece.value


def text(told: Members, name: str) -> str:
    """Return a text in an object; "" if it is missing.

    Control characters are removed.

    Raises
    ------
    ValueError
        The member is not a text.
    """
    value = told.get(name, "")
    if not isinstance(value, str):
        raise ValueError(f"{name} is {value!r:.40}; accepted: a text")  # noqa: TRY004 - a value of a file
    return printable(value)


def number(told: Members, name: str) -> float:
    """Return a number in an object; 0 if it is missing.

    A negative number comes from the overflow of a counter, and becomes 0.

    Raises
    ------
    ValueError
        The member is not a number.
    """
    value = told.get(name, Number("0"))
    found = value.value if isinstance(value, Number) else None
    if found is None or found > _MOST:
        raise ValueError(f"{name} is {value!r:.40}; accepted: a number up to {_MOST:g}")
    return max(0.0, found)


def time_s(told: Members, name: str) -> float:
    """Return a time in an object [s since 1970]; 0 if it is missing.

    Raises
    ------
    ValueError
        The member is not a time in milliseconds.
    """
    return to_seconds(number(told, name))


class RestReader(DocumentReader[LoggedJob]):
    """Reader of JSON documents that rejects a file with a broken document or an invalid value.

    Parameters
    ----------
    accepted : str
        Description of the accepted files, for error messages.
    """

    accepted: ClassVar[str]
    last_line = 1

    def text(self, line: Text) -> Iterator[Remark]:
        """Build a remark on a line that is not JSON."""
        self.last_line = line.line
        yield Remark(line.line, f"{printable(line.text.strip())[:80]!a} is no JSON; accepted: {self.accepted}")

    def piece(self, piece: Piece) -> Iterator[LoggedJob]:
        """Process one value of a document.

        Raises
        ------
        Unreadable
            The value is invalid.
        """
        try:
            yield from self.take_value(piece)
        except ValueError as error:
            raise Unreadable(f"{error}; of {self.accepted}", piece.line) from None

    def ended(self, ended: Ended) -> Iterable[LoggedJob]:
        """Check that a document is complete.

        Raises
        ------
        Unreadable
        """
        self.last_line = ended.line
        if ended.problem is not None:
            raise Unreadable(f"{ended.problem}; accepted: {self.accepted}", ended.line)
        return ()

    @abstractmethod
    def take_value(self, piece: Piece) -> Iterable[LoggedJob]:
        """Process one value of a document; it raises `ValueError` if the value is invalid."""
