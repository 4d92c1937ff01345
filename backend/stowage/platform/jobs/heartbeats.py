"""Heartbeats of a claim, sent from a thread while the claimant waits for something else."""

import logging
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from threading import Event, Thread
from uuid import UUID

from sqlalchemy import Connection

from stowage.platform.database.database import Database
from stowage.platform.database.errors import Unreachable

log = logging.getLogger(__name__)


class ClaimLost(Exception):
    """Another process has the claim, or the claimed job was cancelled.

    The transaction must be rolled back.
    """


@contextmanager
def heartbeats(
    database: Database, org_id: UUID, keep: Callable[[Connection], object], every_s: float
) -> Iterator[Event]:
    """Store heartbeats of a claim at intervals until the block ends.

    Parameters
    ----------
    database : Database
    org_id : UUID
    keep : callable
        Stores a heartbeat; raises `ClaimLost` if the claim is lost.
    every_s : float
        Interval [s].

    Yields
    ------
    Event
        Event that is set when the claim is lost.
    """
    lost = Event()

    def beat() -> None:
        if lost.is_set():
            return
        try:
            with database.transaction(org_id) as connection:
                keep(connection)
        except ClaimLost:
            lost.set()
        except Unreachable as error:
            # The next statement of the claimant itself will fail too.
            log.warning("cannot store a heartbeat: %s", error)

    with repeating(beat, every_s, "heartbeat"):
        yield lost


@contextmanager
def repeating(act: Callable[[], object], every_s: float, name: str) -> Iterator[None]:
    """Call a function at intervals [s], in a thread of the given name, until the block ends."""
    ended = Event()

    def repeat() -> None:
        while not ended.wait(every_s):
            act()

    thread = Thread(target=repeat, name=name, daemon=True)
    thread.start()
    try:
        yield
    finally:
        ended.set()
        thread.join()
