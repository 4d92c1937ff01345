"""Execution of a node's orders: runs one phase after the other, and writes a report on each as a file.

Every external wait has a timeout: an expired URL, an unavailable service or a hanging phase only delays the work.
Reports are kept until they are delivered.
"""

from __future__ import annotations

import contextlib
import json
import os
import select
import signal
import subprocess
import sys
import time
from collections import deque
from functools import partial
from typing import IO, Any, Callable, cast

from stowage_worker.agent.imds import Metadata
from stowage_worker.agent.mailbox import GoneWrongError, fetch, put, put_patiently
from stowage_worker.agent.orders import MOST_BYTES, BadOrdersError, Orders, Phase, read_orders
from stowage_worker.agent.phase import Known, known, report, takes_part
from stowage_worker.agent.signing import envelope
from stowage_worker.agent.timer import end_machine_at

_ASK_AGAIN_S = 2.0
_MARGIN_S = 20.0
_ENDING_S = 12.0
_INTERRUPTION_S = 5.0
_LONGEST_LINE = 1 << 22
_OWN = ("orders", "status", "interrupted")


class Diary:
    """Log of the newest messages; also printed to standard error, which the machine's console shows."""

    def __init__(self) -> None:
        self.lines: deque[str] = deque(maxlen=50)
        self._last = ""

    def note(self, words: str) -> None:
        """Add a message unless it repeats the previous one."""
        if words == self._last:
            return
        self._last = words
        line = f"{time.strftime('%H:%M:%S', time.gmtime())} {words}"[:300]
        self.lines.append(line)
        sys.stderr.write(line + "\n")
        sys.stderr.flush()


class Work:
    """Executor of a node's orders.

    Parameters
    ----------
    orders_url : str
    ends_at : float or None
        Unix time at which the machine shuts down; orders may set an earlier time.
    command : list of str
        Command that runs this agent.
    is_asked_to_stop : callable
        Returns whether the machine is shutting down.
    diary : Diary
    """

    def __init__(
        self,
        orders_url: str,
        ends_at: float | None,
        command: list[str],
        is_asked_to_stop: Callable[[], bool],
        diary: Diary,
    ) -> None:
        self._command, self._is_asked_to_stop, self._diary = command, is_asked_to_stop, diary
        self._ends_at = ends_at
        self._metadata = Metadata()
        self._text = ""
        self._held: Orders | None = None
        self._status: dict[str, Any] = {
            "state": "running",
            "phase": None,
            "progress": 0.0,
            "words": "beginning",
            "live": {},
        }
        self._unsent: dict[str, bytes] = {}
        self._due: dict[str, float] = {}
        self._known = Known()
        self._stop_words: str | None = None
        self._hear_orders(orders_url)

    @property
    def is_known(self) -> bool:
        """Return whether valid orders have arrived."""
        return self._held is not None

    @property
    def _orders(self) -> Orders:
        return cast("Orders", self._held)

    def do_phases(self) -> None:
        """Run the phases in order until the work must stop.

        Phases that have not begun by then are reported as failed, with the reason.
        """
        done: set[str] = set()
        while self._stopping() is None:
            phase = next((each for each in self._orders.phases if each.name not in done), None)
            if phase is None:
                break
            done.add(phase.name)
            if takes_part(self._orders, phase):
                self._do(phase)
        for phase in self._orders.phases:
            if phase.name not in done and takes_part(self._orders, phase):
                self._keep(phase, report(self._orders, phase, "failed", f"not begun: {self._stopping()}", {}))
        self._status.update(state="done", phase=None, progress=1.0, words=self._stopping() or "all is done", live={})

    def has_failed(self) -> None:
        """Set the final status of the node to failed."""
        self._status.update(
            state="failed", words=self._diary.lines[-1][:200] if self._diary.lines else "failed", live={}
        )

    def send_what_is_left(self) -> None:
        """Send the remaining reports and the last status until the machine shuts down."""
        until = (self._ends_at or time.time() + 60.0) - 3.0
        for name in list(self._unsent):
            if name in self._orders.reports:
                put_patiently(partial(self._newest, name), self._unsent[name], until)
        if self._orders.status_url is not None:
            put_patiently(partial(self._newest, None), self._envelope(), min(until, time.time() + 30.0))

    def _do(self, phase: Phase) -> None:
        """Run a phase in a separate process; keep fetching orders and sending status meanwhile."""
        self._status.update(phase=phase.name, progress=0.0, words="beginning", live={})
        self._diary.note(f"{phase.name} begins")
        self._due["status"] = 0.0
        process = subprocess.Popen(  # noqa: S603 - this very agent
            [*self._command, "phase"], stdin=subprocess.PIPE, stdout=subprocess.PIPE, start_new_session=True
        )
        handed = {"orders": self._text, "phase": phase.name, "known": self._known.as_json()}
        told = cast("IO[bytes]", process.stdout)
        try:
            # A process that has exited already is noticed by its missing report.
            with contextlib.suppress(BrokenPipeError), cast("IO[bytes]", process.stdin) as standard_input:
                standard_input.write(json.dumps(handed).encode())
            is_told = self._follow(phase, process, told)
        finally:
            # Kill its process group, which includes fio and other children.
            with contextlib.suppress(ProcessLookupError):
                os.killpg(process.pid, signal.SIGKILL)
            process.wait()
            told.close()
        if not is_told:
            words = self._stopping() or f"it ended with status {process.returncode} and told nothing"
            self._keep(phase, report(self._orders, phase, "failed", words, {}))

    def _follow(self, phase: Phase, process: subprocess.Popen[bytes], told: IO[bytes]) -> bool:
        """Process the events of a phase until it ends, and return whether a report arrived.

        The phase is stopped if the work must stop.
        """
        lines, asked_at, is_told = _Lines(told.fileno()), None, False
        while not lines.is_over:
            select.select([told], [], [], 0.2)
            for event in lines.take():
                is_told = self._hear(phase, event) or is_told
            self._attend()
            if self._stopping() is not None:
                if asked_at is None:
                    asked_at = time.monotonic()
                    process.terminate()
                elif time.monotonic() - asked_at > _ENDING_S:
                    break
        return is_told

    def _hear(self, phase: Phase, event: dict[str, Any]) -> bool:
        """Process an event of a phase; return whether the event is the phase's report."""
        told = event.get("event")
        if told == "log":
            self._diary.note(f"{phase.name}: {event.get('words')}")
        elif told == "progress":
            self._status.update({name: event[name] for name in ("progress", "words", "live") if name in event})
        elif told == "known":
            self._known = known(event.get("known"))
        elif told == "report":
            self._keep(phase, event["report"])
            return True
        return False

    def _keep(self, phase: Phase, said: dict[str, Any]) -> None:
        """Sign a report and keep it until it is sent."""
        self._unsent.setdefault(phase.name, envelope(said, self._orders.key))
        self._diary.note(f"{phase.name}: {said['status']}" + (f", {said['failure']}" if said.get("failure") else ""))
        self._due[phase.name] = self._due["status"] = 0.0

    def _attend(self) -> None:
        """Do what is due: fetch orders, send status and reports, check for a spot interruption."""
        if self._orders.orders_url is not None and self._is_due("orders", self._orders.poll_s):
            self._hear_orders(self._orders.orders_url)
        if self._is_due("interrupted", _INTERRUPTION_S) and self._metadata.is_interrupted:
            self._stop_words = self._stop_words or "EC2 takes this spot instance back"
        for name in list(self._unsent):
            if name in self._orders.reports and self._is_due(name, _ASK_AGAIN_S):
                self._send(name)
        if self._orders.status_url is not None and self._is_due("status", self._orders.poll_s):
            with contextlib.suppress(GoneWrongError):
                put(self._orders.status_url, self._envelope())

    def _is_due(self, name: str, every_s: float) -> bool:
        now = time.monotonic()
        if now < self._due.get(name, 0.0):
            return False
        self._due[name] = now + every_s
        return True

    def _hear_orders(self, url: str) -> None:
        """Fetch orders from a URL.

        They replace the current orders if they are newer, and for the same run and node.
        """
        try:
            content = fetch(url, MOST_BYTES)
            orders, text = read_orders(content), content.decode()
        except (GoneWrongError, BadOrdersError, UnicodeDecodeError) as wrong:
            self._diary.note(f"the orders were not heard: {wrong}")
            return
        self._due["orders"] = time.monotonic() + orders.poll_s
        before = self._held
        if before is not None:
            same = (orders.run, orders.node, orders.key) == (before.run, before.node, before.key)
            if not same or orders.revision <= before.revision:
                return
        self._text, self._held = text, orders
        # The new orders have fresh URLs, so retry failed requests now.
        self._due = {name: when for name, when in self._due.items() if name in _OWN}
        if orders.ends_at is not None and (self._ends_at is None or orders.ends_at < self._ends_at - 1.0):
            self._ends_at = orders.ends_at
            end_machine_at(orders.ends_at)
        if orders.stop:
            self._stop_words = self._stop_words or "Stowage asked to stop"

    def _send(self, name: str) -> None:
        try:
            put(self._orders.reports[name], self._unsent[name])
        except GoneWrongError as wrong:
            self._diary.note(f"the report of {name} was not taken: {wrong}")
        else:
            del self._unsent[name]

    def _envelope(self) -> bytes:
        said = {
            "stowage": "status",
            "version": 1,
            "run": self._orders.run,
            "node": self._orders.node,
            "at": time.time(),
            **self._status,
            "log": list(self._diary.lines),
        }
        return envelope(said, self._orders.key)

    def _newest(self, name: str | None) -> str:
        """Return the newest URL to which a report or the status is written.

        Fetches new orders first if they are due.

        Parameters
        ----------
        name : str or None
            Phase that the report is about; None for the status.

        Returns
        -------
        str
            Empty if the orders have no such URL.
        """
        if self._orders.orders_url is not None and self._is_due("orders", self._orders.poll_s):
            self._hear_orders(self._orders.orders_url)
        found = self._orders.status_url if name is None else self._orders.reports.get(name)
        return found or ""

    def _stopping(self) -> str | None:
        """Return the reason to stop the work; None if there is no reason to stop."""
        if self._stop_words is None and self._is_asked_to_stop():
            self._stop_words = "the machine is shutting down"
        if self._stop_words is None and self._ends_at is not None and time.time() > self._ends_at - _MARGIN_S:
            self._stop_words = "its time is over"
        return self._stop_words


class _Lines:
    """Reader of events from a pipe, without waiting."""

    def __init__(self, place: int) -> None:
        self._place, self._held, self.is_over = place, b"", False

    def take(self) -> list[dict[str, Any]]:
        """Return the events that have arrived."""
        while select.select([self._place], [], [], 0)[0]:
            content = os.read(self._place, 1 << 16)
            if not content or len(self._held) > _LONGEST_LINE:
                self.is_over = True
                break
            self._held += content
        *whole, self._held = self._held.split(b"\n")
        found = []
        for line in whole:
            with contextlib.suppress(ValueError):
                event = json.loads(line)
                if isinstance(event, dict):
                    found.append(event)
        return found
