"""Result of a reconciliation step of a run.

It has the run's new state, the actions to take, and the events to log. The module also has functions that change the
state.
"""

from collections.abc import Mapping
from dataclasses import field, replace
from datetime import datetime, timedelta
from typing import Literal

from stowage.frozen import frozen
from stowage.runs.actions import Action
from stowage.runs.observation import CloudError
from stowage.runs.pace import Pace
from stowage.runs.run import Outcome, Run, RunState, Trouble

EventKind = Literal["state", "launch", "node", "report", "trouble", "money", "remark"]

_LONGEST_WAIT_S = 60.0
_MOST_FAILURE = 1000


@frozen
class Event:
    """One entry of a run's log."""

    kind: EventKind
    words: str
    """Description for people."""
    content: Mapping[str, object] = field(default_factory=dict)
    """Content of the event as JSON, for programs."""


@frozen
class Step:
    """Result of one reconciliation step of a run."""

    run: Run
    """New state of the run, to be stored before any action is taken."""
    actions: tuple[Action, ...] = ()
    """Actions to take, in this order. If the effect of an action is not observed, the next step repeats the action."""
    events: tuple[Event, ...] = ()
    look_again_s: float | None = None
    """Time until the next poll [s]; None if no poll is needed."""


def moved(run: Run, state: RunState, words: str) -> tuple[Run, Event]:
    """Change the state of a run, and clear the obstacle that blocked it.

    A failure to list the account is not cleared, since it may continue in the new state. The result is the run, and an
    event for the log.
    """
    trouble = run.trouble if run.trouble is not None and run.trouble.during == "look" else None
    return replace(run, state=state, trouble=trouble), Event("state", words, {"state": state, "from": run.state})


def failing(run: Run, words: str) -> Run:
    """Append a reason to the failure description of a run."""
    said = run.failure or ""
    if words in said:
        return run
    return replace(run, failure=(f"{said}; {words}" if said else words)[:_MOST_FAILURE])


def tearing_down(run: Run, outcome: Outcome, words: str, now: datetime) -> tuple[Run, Event]:
    """Start the teardown of a run.

    The result is the run, and an event for the log.
    """
    run, event = moved(run, "tearing-down", words)
    return replace(run, outcome=outcome, tearing_down_since=now, clear_looks=0, clear_since=None), event


def troubled(run: Run, during: str, error: CloudError, now: datetime) -> tuple[Run, tuple[Event, ...]]:
    """Record a failed request to AWS as the obstacle of a run.

    The result is the run, and an event for the log. There is an event only for the first of several failures of one
    kind.
    """
    before = run.trouble
    if before is not None and before.during == "look" != during:
        # A failure to list the account takes precedence: resources that cannot be listed cannot be terminated, so the
        # start of that failure must not be overwritten.
        return run, ()
    if before is not None and before.kind == error.kind:
        trouble = Trouble(error.kind, error.words, during, before.since, before.times + 1)
        return replace(run, trouble=trouble), ()
    run = replace(run, trouble=Trouble(error.kind, error.words, during, now))
    return run, (Event("trouble", error.words, {"kind": error.kind, "during": during}),)


def calmed(run: Run, during: str) -> Run:
    """Clear the obstacle of a run after an operation has succeeded.

    The obstacle is cleared only if it is a failure of this operation, ``during``.
    """
    if run.trouble is None or run.trouble.during != during:
        return run
    return replace(run, trouble=None)


def waiting_s(run: Run, now: datetime, pace: Pace) -> float:
    """Return the time until the next poll [s].

    The time grows exponentially while AWS fails (backoff). It never extends past the time at which nodes must stop, or
    at which teardown must start.
    """
    times = 0 if run.trouble is None else min(run.trouble.times, 6)
    wait_s = min(pace.look_s * 2.0**times, max(_LONGEST_WAIT_S, pace.look_s))
    for due in (stop_at(run, pace), tear_down_at(run, pace)):
        if due is not None and due > now:
            wait_s = min(wait_s, (due - now).total_seconds())
    return max(wait_s, pace.look_s / 5.0)


def tear_down_at(run: Run, pace: Pace) -> datetime | None:
    """Return the latest time at which teardown must start; None before the launch."""
    return None if run.ends_at is None else run.ends_at - timedelta(seconds=pace.tear_down_s)


def stop_at(run: Run, pace: Pace) -> datetime | None:
    """Return the latest time at which nodes are ordered to stop; None before the launch.

    The nodes then send the results that they have.
    """
    return None if run.ends_at is None else run.ends_at - timedelta(seconds=pace.tear_down_s + pace.stop_s)


def since_s(then: datetime | None, now: datetime) -> float:
    """Return the time that has passed since ``then`` [s]; 0 if ``then`` is None."""
    return 0.0 if then is None else (now - then).total_seconds()


def reached(due: datetime | None, now: datetime) -> bool:
    """Return whether a due time has been reached; False if there is no due time."""
    return due is not None and now >= due
