"""State machine of a run: a pure function of its state, the observed resources, and the time.

A run advances by reconciliation steps. Each step takes the run's observed resources and returns the actions to take.
The run is stored before its actions are taken, and actions whose effect is not observed are requested again. So it does
no harm if a step is lost, repeated or executed twice (decision 0028).
"""

from collections.abc import Iterable, Sequence
from dataclasses import replace
from datetime import datetime, timedelta

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

__all__ = ["Event", "Pace", "Step", "did", "failed", "heard", "step", "took"]

_REFUSALS = ("capacity", "quota", "denied", "invalid")
"""Errors after which it is certain that nothing was launched."""


def step(run: Run, seen: Observation | CloudError, now: datetime, pace: Pace, room: Room | None = None) -> Step:
    """Reconcile a run with its observed resources.

    The result has the new state of the run, the actions to take and the events to log.

    Parameters
    ----------
    run : Run
        Run, including the reports and statuses that were received so far (`took`, `heard`).
    seen : Observation or CloudError
        All resources with the run's tag, or the error of listing them. It is ignored while the run is only quoted.
    now : datetime
        Current time. The clock may have been set forward or back since the last step.
    pace : Pace
    room : Room or None
        Zones and vCPU quota for the run, required in the state ``approved``; None in all other states.
    """
    if run.is_over:
        return Step(run)
    if run.state == "quoted":
        if not run.cancel_asked:
            return Step(run)
        run, event = moved(run, "cancelled", "cancelled before its approval")
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
    """Record that an action succeeded, with the resources that it created."""
    run = made(calmed(run, type(action).__name__), new)
    if isinstance(action, Launch | LaunchEmr):
        return replace(run, asked=0)
    return replace(run, instructed_at=now) if isinstance(action, Instruct) else run


def failed(run: Run, action: Action, error: CloudError, now: datetime) -> tuple[Run, tuple[Event, ...]]:
    """Record that an action failed, or that its outcome is unknown.

    The result is the run, and the events to log.
    """
    run, events = troubled(run, type(action).__name__, error, now)
    refused = isinstance(action, Launch | LaunchEmr) and error.kind in _REFUSALS
    # An EMR launch is not repeated while its outcome is unknown, and a throttled request has no effect.
    refused = refused or (isinstance(action, LaunchEmr) and error.kind == "throttled")
    if refused or isinstance(action, Prepare):
        # The launch was refused, or never sent.
        run = replace(run, asked=max(run.asked - 1, 0))
    return run, events


def took(run: Run, reports: Iterable[Report]) -> Run:
    """Record received reports.

    If a node reports on a phase several times, the first report counts.
    """
    came = {(report.node, report.phase): report.status for report in reports}
    new = came.keys() - run.reports
    return replace(
        run,
        reports=run.reports | new,
        flawed=run.flawed | {each for each in new if came[each] != "ok"},
    )


def heard(run: Run, statuses: Iterable[Status], now: datetime) -> Run:
    """Record received statuses of nodes."""
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
    """Return actions that terminate late resources of earlier launches.

    AWS may list the resources of an earlier launch only after the next launch was requested.
    """
    if seen is None:
        return ()
    instances = tuple(each.id for each in seen.instances if each.attempt < run.attempt and not each.is_ending)
    clusters = unended(run, "emr-cluster")[1:]
    actions: tuple[Action, ...] = (Terminate(instances),) if instances else ()
    return (*actions, TerminateEmr(clusters)) if clusters else actions


def _not_later_than(run: Run, now: datetime) -> Run:
    """Correct recorded times that are in the future.

    They are set to ``now``. Otherwise the run would be delayed after the clock was set back.
    """

    def past(then: datetime | None) -> datetime | None:
        return None if then is None else min(then, now)

    if run.launched_at is not None and run.launched_at > now:
        # The clock was ahead when the time limit was set.
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
