"""Infeasible: an answer, never an exception and never -1."""

from dataclasses import dataclass
from typing import Literal

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
"""What can stand in the way: of the catalogue's knowledge, of the hardware, of the user's limits."""


@dataclass(frozen=True, slots=True)
class Infeasible:
    """Why a configuration is no answer, and what would be nearest.

    Parameters
    ----------
    limit : str
        What stands in the way.
    reason : str
        For people: names the limit and the numbers.
    nearest : str or None
        What would make it possible, where that can be said.
    needed_nodes : int or None
        Fewest nodes that would do, where that is what is missing.
    """

    limit: Limit
    reason: str
    nearest: str | None = None
    needed_nodes: int | None = None
