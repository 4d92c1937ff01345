"""Errors of use cases.

UseCaseError
├── BadInput      a field of the input is invalid; has its path, the value, what would be accepted
├── SignInNeeded  the credentials are missing, unknown or no longer valid; does not say which
├── Locked        a share link needs its password, or the password is wrong
├── ProofNeeded   the request needs a recent reauthentication of the person
├── Refused       the request was sent in a way that is not permitted: from another site, or over plain HTTP
├── NotFound      the object does not exist, is another team's, or the caller has no permission to see it
├── Conflict      the request is not possible now or no longer; has the reason and what to do
├── TooMany       too many attempts; has the time of the next one
└── QuotaExceeded a quota of the team or the person is used up; has its name, its limit and when there is room
"""

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager

from stowage.frozen import frozen


@frozen
class Problem:
    """An invalid field of the input."""

    path: str
    """Dotted path from the top of the document; empty for the document itself."""
    message: str
    """Has the value and what would be accepted."""


class UseCaseError(Exception):
    """Base class of the errors that routes and commands turn into messages for people."""


class BadInput(UseCaseError):
    """The input is invalid."""

    def __init__(self, problems: Sequence[Problem]) -> None:
        self.problems = tuple(problems)
        super().__init__("; ".join(f"{problem.path}: {problem.message}" for problem in self.problems))


@contextmanager
def problems_at(place: Callable[[str], str]) -> Iterator[None]:
    """Change the paths of the problems in a `BadInput` that the block raises.

    Parameters
    ----------
    place : callable
        Converts a path in the block's input to the path in the caller's input.
    """
    try:
        yield
    except BadInput as error:
        raise BadInput([Problem(place(each.path), each.message) for each in error.problems]) from None


class SignInNeeded(UseCaseError):
    """The caller is not signed in.

    Missing, unknown, ended, revoked and expired credentials cause the same error.
    """

    def __init__(self, message: str = "You are not signed in.") -> None:
        super().__init__(message)


class Locked(UseCaseError):
    """A share link needs its password.

    Parameters
    ----------
    wrong : bool
        Whether a wrong password was given.
    """

    def __init__(self, *, wrong: bool = False) -> None:
        self.wrong = wrong
        super().__init__("This is not its password." if wrong else "This link asks for a password.")


class ProofNeeded(UseCaseError):
    """The request needs a recent reauthentication of the session's person."""

    def __init__(self) -> None:
        super().__init__("Confirm that this is you: enter your password or sign in again.")


class Refused(UseCaseError):
    """The request was sent in a way that is not permitted: from another site, or over plain HTTP."""


class TooMany(UseCaseError):
    """Too many attempts.

    Parameters
    ----------
    retry_after_s : int
        Time until the next attempt is admitted [s].
    """

    def __init__(self, retry_after_s: int) -> None:
        self.retry_after_s = retry_after_s
        super().__init__(f"Too many attempts; the next one counts in {retry_after_s} s.")


class QuotaExceeded(UseCaseError):
    """A quota of the team or the person is used up.

    Parameters
    ----------
    name : str
        Name of the quota in `stowage quotas`.
    words : str
        What the quota counts, as the title of the error.
    limit : int
    unit : str
        Unit of the limit, in the plural.
    frees : str
        Completes the sentence "There is room again ...".
    retry_after_s : int or None
        Time until there may be room again [s]; None if something has to be deleted first.
    """

    def __init__(self, name: str, words: str, limit: int, unit: str, frees: str, retry_after_s: int | None) -> None:
        self.name = name
        self.words = words
        self.limit = limit
        self.unit = unit
        self.frees = frees
        self.retry_after_s = retry_after_s
        super().__init__(f"{words}: at most {limit:,} {unit} (quota {name}). There is room again {frees}.")


class NotFound(UseCaseError):
    """The object does not exist for this team."""


class Conflict(UseCaseError):
    """The state of the object no longer permits the request, or a conflicting operation is in progress."""
