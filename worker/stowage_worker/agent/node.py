"""Lifecycle of a node of a run: find the orders, run the phases, report, shut down.

A node accepts connections only from other nodes of the run. The agent cannot extend the machine's lifetime: timers shut
the machine down at the deadline in any case, and the agent shuts it down earlier when all phases are done.
"""

from __future__ import annotations

import contextlib
import time

from stowage_worker.agent.imds import Metadata
from stowage_worker.agent.mailbox import GoneWrongError, fetch
from stowage_worker.agent.orders import MOST_BYTES, BadOrdersError, is_instance, read_roll
from stowage_worker.agent.phase import stopping_on_sigterm
from stowage_worker.agent.timer import end_machine
from stowage_worker.agent.work import Diary, Work

_UNHEARD_S = 1800.0
_ASK_AGAIN_S = 2.0


class Node:
    """A node of a run, until the shutdown of its machine.

    Parameters
    ----------
    roll : str
        URL of the roll, which lists the URL of each instance's orders.
    ends_at : float or None
        Unix time at which the machine shuts down if no orders arrive.
    command : list of str
        Command that runs this agent; each phase runs in a separate process.
    """

    def __init__(self, roll: str, ends_at: float | None, command: list[str]) -> None:
        self._roll, self._ends_at, self._command = roll, ends_at, command
        self._metadata = Metadata()
        self._is_asked_to_stop = stopping_on_sigterm()
        self._diary = Diary()

    def run(self) -> None:
        """Run the node's lifecycle; return after requesting the shutdown of the machine."""
        work = None
        try:
            work = self._find_work()
            if work is None:
                self._diary.note("no orders came")
            else:
                work.do_phases()
        except Exception as wrong:  # noqa: BLE001 - any error: the machine costs money, and nothing else ends it as soon
            self._diary.note(f"the agent ended with {type(wrong).__name__}: {wrong}")
            if work is not None:
                work.has_failed()
        finally:
            if work is not None:
                with contextlib.suppress(Exception):
                    work.send_what_is_left()
            end_machine()

    def _find_work(self) -> Work | None:
        until = min(time.time() + _UNHEARD_S, self._ends_at or float("inf"))
        while time.time() < until and not self._is_asked_to_stop():
            url = self._orders_url()
            work = Work(url, self._ends_at, self._command, self._is_asked_to_stop, self._diary) if url else None
            if work is not None and work.is_known:
                return work
            time.sleep(_ASK_AGAIN_S)
        return None

    def _orders_url(self) -> str | None:
        """Return the URL of this instance's orders from the roll; None if the roll does not list it."""
        instance = self._metadata.read("instance-id")
        if instance is None or not is_instance(instance):
            self._diary.note("this instance is not told its id")
            return None
        try:
            return read_roll(fetch(self._roll, MOST_BYTES), instance)
        except (GoneWrongError, BadOrdersError) as wrong:
            self._diary.note(f"no roll yet: {wrong}")
            return None
