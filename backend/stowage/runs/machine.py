"""State machine of a run: a pure function of its state, the observed resources, and the time.

A run is moved by steps. Each looks at the whole account afresh and says what is to be done now; the run is stored
before anything is done, and what is not seen to have come of it is asked for again. So a step can be lost, repeated or
made twice at any point (decision 0028).
"""

from collections.abc import Iterable, Sequence
from dataclasses import replace
from datetime import datetime, timedelta
from decimal import Decimal

from stowage.runs.actions import Action, Instruct, Launch, LaunchEmr, Prepare, Terminate, TerminateEmr
from stowage.runs.launching import from_approved, from_launching
from stowage.runs.measuring import from_collecting, from_running
from stowage.runs.observation import CloudError, Observation, Room
from stowage.runs.pace import Pace
from stowage.runs.report import Report, Status
from stowage.runs.run import Resource, Run
from stowage.runs.step import Event, Step, calmed, moved, troubled
from stowage.runs.teardown import from_tearing_down
from stowage.runs.tracking import made, track, unended

__all__ = ["Event", "Pace", "Step", "approve", "did", "failed", "heard", "step", "took"]

_REFUSALS = ("capacity", "quota", "denied", "invalid")
"""Answers that say for certain that nothing was launched."""


def approve(run: Run, agreed_usd: Decimal, now: datetime) -> Run | str:
    """Agree to what a run may cost.

    Returns
    -------
    Run or str
        Why not, in words for people.
    """
    if run.state != "quoted":
        return f"it is {run.state}, and agreed to already"
    if now > run.quote.valid_until:
        return f"the quote was good until {run.quote.valid_until:%Y-%m-%d %H:%M} UTC; ask for a new one"
    if agreed_usd != run.quote.total_usd:
        return f"the quote says {run.quote.total_usd} USD, not {agreed_usd}"
    run, _ = moved(run, "approved", "")
    return replace(run, agreed_usd=agreed_usd, approved_at=now)


def step(run: Run, seen: Observation | CloudError, now: datetime, pace: Pace, room: Room | None = None) -> Step:
    """Return what comes of looking at a run.

    Parameters
    ----------
    run : Run
        With the reports and statuses that have come (`took`, `heard`).
    seen : Seen or CloudError
        All that carries its tag; or why that cannot be said. Not looked at while it is only quoted.
    now : datetime
        By a clock that may be set forth and back.
    pace : Pace
    room : Room or None
        Looked up while it is approved; None otherwise.
    """
    if run.is_over:
        return Step(run)
    if run.state == "quoted":
        if not run.cancel_asked:
            return Step(run)
        run, event = moved(run, "cancelled", "cancelled before anybody agreed to it")
        return Step(replace(run, outcome="cancelled", finished_at=now, verified=True), events=(event,))
    run = _not_later_than(run, now)
    events: tuple[Event, ...] = ()
    if isinstance(seen, CloudError):
        run, events = troubled(run, "look", seen, now)
    else:
        run = track(calmed(run, "look"), seen, now)
    found = _moved_on(run, seen, now, pace, room)
    return replace(found, events=events + found.events)


def did(run: Run, action: Action, new: Sequence[Resource], now: datetime) -> Run:
    """Note that an action was done, and what it made."""
    run = made(calmed(run, type(action).__name__), new)
    if isinstance(action, Launch | LaunchEmr):
        return replace(run, asked=0)
    return replace(run, instructed_at=now) if isinstance(action, Instruct) else run


def failed(run: Run, action: Action, error: CloudError, now: datetime) -> tuple[Run, tuple[Event, ...]]:
    """Note that an action failed, or that its outcome is unknown."""
    run, events = troubled(run, type(action).__name__, error, now)
    refused = isinstance(action, Launch | LaunchEmr) and error.kind in _REFUSALS
    # A cluster is asked for once, and what is throttled is not taken.
    refused = refused or (isinstance(action, LaunchEmr) and error.kind == "throttled")
    if refused or isinstance(action, Prepare):
        # The launch that was asked for was not taken, or never sent.
        run = replace(run, asked=max(run.asked - 1, 0))
    return run, events


def took(run: Run, reports: Iterable[Report]) -> Run:
    """Note the reports that came; the first on a node's phase counts."""
    came = {(report.node, report.phase): report.status for report in reports}
    new = came.keys() - run.reports
    return replace(
        run,
        reports=run.reports | new,
        flawed=run.flawed | {each for each in new if came[each] != "ok"},
    )


def heard(run: Run, statuses: Iterable[Status], now: datetime) -> Run:
    """Note what nodes said of themselves."""
    last, ended = dict(run.heard), set(run.ended_nodes)
    for status in statuses:
        last[status.node] = now
        if status.state in {"done", "failed"}:
            ended.add(status.node)
    return replace(run, heard=tuple(sorted(last.items())), ended_nodes=frozenset(ended))


def _moved_on(run: Run, seen: Observation | CloudError, now: datetime, pace: Pace, room: Room | None) -> Step:
    if run.state == "approved":
        return from_approved(run, seen, now, pace, room)
    known = None if isinstance(seen, CloudError) else seen
    if run.state == "tearing-down":
        return from_tearing_down(run, known, now, pace)
    if run.state == "launching":
        found = from_launching(run, known, now, pace)
    elif run.state == "running":
        found = from_running(run, known, now, pace)
    else:
        found = from_collecting(run, known, now, pace)
    strays = _strays(found.run, known)
    return replace(found, actions=(*strays, *found.actions))


def _strays(run: Run, seen: Observation | None) -> tuple[Action, ...]:
    """End what earlier launches left: one that was given up may have been taken after all, and be listed late."""
    if seen is None:
        return ()
    instances = tuple(each.id for each in seen.instances if each.attempt < run.attempt and not each.is_ending)
    clusters = unended(run, "emr-cluster")[1:]
    actions: tuple[Action, ...] = (Terminate(instances),) if instances else ()
    return (*actions, TerminateEmr(clusters)) if clusters else actions


def _not_later_than(run: Run, now: datetime) -> Run:
    """Move times in the future to now: a clock that was set back must not delay a run."""

    def past(then: datetime | None) -> datetime | None:
        return None if then is None else min(then, now)

    if run.launched_at is not None and run.launched_at > now:
        # The clock was ahead as the time limit was laid down.
        ahead = run.launched_at - now
        run = replace(run, deadline=_earlier(run.deadline, ahead), ends_at=_earlier(run.ends_at, ahead))
    trouble = run.trouble
    return replace(
        run,
        approved_at=past(run.approved_at),
        launched_at=past(run.launched_at),
        attempt_at=past(run.attempt_at),
        asked_at=past(run.asked_at),
        running_since=past(run.running_since),
        collecting_since=past(run.collecting_since),
        tearing_down_since=past(run.tearing_down_since),
        clear_since=past(run.clear_since),
        instructed_at=past(run.instructed_at),
        heard=tuple((node, min(then, now)) for node, then in run.heard),
        trouble=None if trouble is None else replace(trouble, since=min(trouble.since, now)),
    )


def _earlier(then: datetime | None, by: timedelta) -> datetime | None:
    return None if then is None else then - by
