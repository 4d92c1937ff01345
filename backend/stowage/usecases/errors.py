"""What can go wrong in a use case.

UseCaseError
├── BadInput      a field of what the user wrote; names its path, the value, what would be accepted
├── NotFound      there is no such thing, or it is another team's
└── Conflict      it cannot be done any more, or not now; says why, and what to do
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


class NotFound(UseCaseError):
    """There is no such thing for this team."""


class Conflict(UseCaseError):
    """Something else has happened since, or is going on."""
