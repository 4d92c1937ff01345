"""Files that a run and its nodes exchange through a bucket of the account: their keys, and those to fetch next.

All keys are below the run's prefix.
"""

import re
from collections.abc import Iterable, Mapping

from stowage.frozen import frozen
from stowage.runs.observation import ObservedObject
from stowage.runs.orders import expected
from stowage.runs.report import REPORT_MOST_BYTES, STATUS_MOST_BYTES
from stowage.runs.run import Run

AGENT = "agent.pyz"
ROLL = "roll.json"

_FILE = re.compile(r"nodes/([0-9]{4})/([a-z0-9][a-z0-9-]{0,39})\.json")
_STATUS = "status"


@frozen
class Wanted:
    """One file of a node that has not been fetched yet."""

    key: str
    """Key of the file, relative to the run's prefix."""
    node: int
    phase: str | None
    """Phase on which the file reports; None for a status."""
    etag: str
    most_bytes: int
    """Number of bytes to fetch. It is one more than the maximum size, to recognize files that are too large."""


def orders_key(node: int) -> str:
    """Return the key of a node's orders."""
    return f"orders/{node:04}.json"


def status_key(node: int) -> str:
    """Return the key of a node's status."""
    return f"nodes/{node:04}/{_STATUS}.json"


def report_key(node: int, phase: str) -> str:
    """Return the key of a node's report on a phase.

    A phase is one benchmark of the run.
    """
    return f"nodes/{node:04}/{phase}.json"


def to_fetch(run: Run, objects: Iterable[ObservedObject], etags: Mapping[str, str]) -> tuple[Wanted, ...]:
    """Return the files to fetch.

    These are reports that have not been received yet, and statuses that have changed.

    Parameters
    ----------
    run : Run
    objects : iterable of ObservedObject
    etags : mapping of str to str
        Etag of each file that was fetched before, by the file's key. Rejected files are included.
    """
    wanted = expected(run.spec)
    found = []
    for each in objects:
        match = _FILE.fullmatch(each.key)
        if match is None or etags.get(each.key) == each.etag:
            continue
        node, name = int(match[1]), match[2]
        if name == _STATUS and node < run.spec.nodes:
            found.append(Wanted(each.key, node, None, each.etag, STATUS_MOST_BYTES + 1))
        elif (node, name) in wanted:
            found.append(Wanted(each.key, node, name, each.etag, REPORT_MOST_BYTES + 1))
    return tuple(found)
