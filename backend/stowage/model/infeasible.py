"""Reasons why a configuration is infeasible.

Functions return such a reason in place of a result, instead of an exception or a special number.
"""

from typing import Literal, TypeVar

from stowage.frozen import frozen

Answer = TypeVar("Answer")

Limit = Literal[
    "price unknown",
    "storage bandwidth unknown",
    "storage IOPS unknown",
    "EBS bandwidth unknown",
    "network bandwidth unknown",
    "no disks",
    "disk division",
    "volume type",
    "volume size",
    "volume IOPS",
    "volume throughput",
    "attachments",
    "copies",
    "capacity",
    "free space",
    "re-replication",
    "head node memory",
    "task memory",
    "max nodes",
    "deadline",
    "budget",
    "chance",
    "loss",
    "quota",
    "selection",
    "never finishes",
]
"""Obstacles: gaps in the catalog, limits of the hardware, and limits of the user."""


@frozen
class Infeasible:
    """Reason why one configuration is infeasible.

    Functions return it instead of raising an exception.
    """

    limit: Limit
    """Limit that is not met."""
    reason: str
    """Sentence for the user, with the limit and the numbers."""
    nearest: str | None = None
    """Change that would make the configuration feasible; None if unknown."""
    needed_nodes: int | None = None
    """Fewest nodes that would be enough, if the configuration has too few."""

    @property
    def is_unknown_rate(self) -> bool:
        """True if no source states a rate that the prediction needs; it may be high enough to win."""
        return self.limit.endswith("unknown") and self.limit != "price unknown"


@frozen
class Broken:
    """One limit that a configuration does not meet."""

    limit: Limit
    value: float | None = None
    """The configuration's value, in the limit's unit ([s], [USD], [1]); None for a selection."""
    bound: float | None = None
    """Highest or lowest allowed value, in the limit's unit ([s], [USD], [1]); None for a selection."""
    what: str = ""
    """The quota or selection that is broken."""


def feasible(answer: Answer | Infeasible, fault: str = "the search found what the model refuses") -> Answer:
    """Return an answer of the model that cannot be infeasible, because the model gave it or the like before.

    Raises
    ------
    RuntimeError
        The answer is infeasible nevertheless; the message has the words of ``fault``.
    """
    if isinstance(answer, Infeasible):
        raise RuntimeError(f"{fault}: {answer.reason}")  # noqa: TRY004 - a fault of ours, not of a type
    return answer
