"""What can go wrong in a use case.

UseCaseError
├── BadInput      a field of what the user wrote; names its path, the value, what would be accepted
├── SignInNeeded  nobody is signed in, or what was shown to prove it does not; says no more
├── Locked        a share link asks for its password, or what was shown is not it
├── ProofNeeded   the request needs a recent reauthentication of the person
├── Refused       whoever asks may, but not in this way: from another page, or over a line that is open to others
├── NotFound      there is no such thing, or it is another team's, or not for this person to see
├── Conflict      it cannot be done any more, or not now; says why, and what to do
├── TooMany       too many attempts; says when the next one counts
└── QuotaExceeded a quota of the team or the person is used up; names it, its limit and when there is room
"""

from collections.abc import Sequence
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Problem:
    """One field that cannot be accepted.

    Parameters
    ----------
    path : str
        Dotted path from the top of the document; empty for the document itself.
    message : str
        Names the value and what would be accepted.
    """

    path: str
    message: str


class UseCaseError(Exception):
    """Base of what the edges turn into answers for people."""


class BadInput(UseCaseError):
    """What the user wrote cannot be accepted."""

    def __init__(self, problems: Sequence[Problem]) -> None:
        self.problems = tuple(problems)
        super().__init__("; ".join(f"{problem.path}: {problem.message}" for problem in self.problems))


class SignInNeeded(UseCaseError):
    """Nobody is signed in; the same for no, an unknown, an ended, a revoked and an expired proof."""

    def __init__(self, message: str = "Nobody is signed in.") -> None:
        super().__init__(message)


class Locked(UseCaseError):
    """A share link shows nothing without its password.

    Parameters
    ----------
    wrong : bool
        Whether one was shown that is not it.
    """

    def __init__(self, *, wrong: bool = False) -> None:
        self.wrong = wrong
        super().__init__("This is not its password." if wrong else "This link asks for a password.")


class ProofNeeded(UseCaseError):
    """The request needs a recent reauthentication of the session's person."""

    def __init__(self) -> None:
        super().__init__("Confirm that this is you: enter your password or sign in again.")


class Refused(UseCaseError):
    """It may not be asked in this way."""


class TooMany(UseCaseError):
    """Too many attempts.

    Parameters
    ----------
    retry_after_s : int
        When the next one is looked at [s].
    """

    def __init__(self, retry_after_s: int) -> None:
        self.retry_after_s = retry_after_s
        super().__init__(f"Too many attempts; the next one counts in {retry_after_s} s.")


class QuotaExceeded(UseCaseError):
    """A quota is used up.

    Parameters
    ----------
    name : str
        Name of the quota in `stowage quotas`.
    words : str
        What is counted.
    limit : int
    unit : str
        Plural.
    frees : str
        The end of the sentence "There is room again ...".
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
    """There is no such thing for this team."""


class Conflict(UseCaseError):
    """Something else has happened since, or is going on."""
