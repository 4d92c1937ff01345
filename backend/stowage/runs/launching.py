"""Transitions of a run from approved to running.

The run launches its nodes and waits for all of them. If a launch attempt fails, it tries another zone.
"""

from dataclasses import replace
from datetime import datetime, timedelta

from stowage.runs.actions import Action, Launch, LaunchEmr, Prepare, Terminate
from stowage.runs.cost import outspent
from stowage.runs.observation import CloudError, Observation, ObservedInstance, Room
from stowage.runs.orders import needed_s
from stowage.runs.pace import Pace
from stowage.runs.run import Outcome, Run
from stowage.runs.spec import Volumes
from stowage.runs.step import Event, Step, failing, moved, reached, since_s, tear_down_at, tearing_down, waiting_s
from stowage.runs.tracking import unended

_FINAL = ("quota", "invalid")
"""Errors for which a retry is pointless."""

_LET_GO = "Client.UserInitiatedShutdown"
"""AWS' state reason code of an instance that was terminated by request."""


def from_approved(run: Run, seen: Observation | CloudError, now: datetime, pace: Pace, room: Room | None) -> Step:
    """Launch an approved run, which has no resources yet.

    The run fails if the account's quota or zones do not allow it.
    """
    if run.cancel_asked:
        return _nothing_made(run, "cancelled", None, "cancelled before anything was launched", now)
    if since_s(run.approved_at, now) > pace.stale_s:
        words = f"it was not launched within {pace.stale_s / 60:,.0f} minutes of its approval"
        return _nothing_made(run, "failed", words, words, now)
    if isinstance(seen, CloudError):
        lasts = since_s(run.trouble.since, now) if run.trouble is not None else 0.0
        if seen.kind in _FINAL or (seen.kind == "denied" and lasts >= pace.denied_s):
            return _nothing_made(run, "failed", seen.words, "the account cannot be reached", now)
        return Step(run, look_again_s=waiting_s(run, now, pace))
    if room is None:
        return Step(run, look_again_s=waiting_s(run, now, pace))
    if room.problem is not None or not room.zones:
        words = room.problem or f"no zone of {run.spec.region} with a subnet offers {run.spec.instance}"
        return _nothing_made(run, "failed", words, "there is no room for it", now)
    run, event = moved(run, "launching", f"{run.spec.nodes:,} × {run.spec.instance} are launched")
    deadline = now + timedelta(seconds=run.spec.time_limit_s)
    ends_at = deadline - timedelta(seconds=pace.timer_s)
    run = replace(run, zones=room.zones, launched_at=now, deadline=deadline, ends_at=ends_at, attempt_at=now)
    return _ask(run, now, pace, (event,))


def from_launching(run: Run, seen: Observation | None, now: datetime, pace: Pace) -> Step:
    """Wait for the nodes of the current launch attempt.

    `seen` is None if AWS could not be queried.
    """
    if run.cancel_asked:
        run, event = tearing_down(run, "cancelled", "cancelled while it was launched", now)
        return Step(run, events=(event,), look_again_s=0.0)
    final = _final(run, now, pace)
    if final is not None:
        return _give_up(run, final, now)
    if seen is None:
        return Step(run, look_again_s=waiting_s(run, now, pace))
    if run.spec.benchmark == "testdfsio":
        return _emr(run, seen, now, pace)
    mine = sorted(
        (each for each in seen.instances if each.attempt == run.attempt), key=lambda each: (each.launch_index, each.id)
    )
    why = _broken(run, mine, now, pace)
    if why is not None:
        return _try_elsewhere(run, seen, why, now, pace)
    up = tuple((each.id, each.address) for each in mine if each.state == "running" and each.address)
    if len(up) >= run.spec.nodes:
        run, event = moved(run, "running", f"all {run.spec.nodes:,} nodes are up")
        run = replace(run, nodes=up[: run.spec.nodes], running_since=now, asked=0)
        return Step(run, events=(event,), look_again_s=0.0)
    if not unended(run, "instance", run.attempt):
        return _ask(run, now, pace, ())
    return Step(run, look_again_s=waiting_s(run, now, pace))


def _final(run: Run, now: datetime, pace: Pace) -> str | None:
    """Return the reason why the launch must be given up.

    It is None if this attempt or a later one can still succeed.
    """
    if reached(tear_down_at(run, pace), now):
        return "the time limit was reached before the nodes were up"
    if outspent(run, now, pace.ending_s):
        return "the agreed sum would not have lasted until the nodes were up"
    trouble = run.trouble
    if trouble is None:
        return None
    if trouble.kind == "denied" and since_s(trouble.since, now) >= pace.denied_s:
        return trouble.words
    return trouble.words if trouble.kind in _FINAL and trouble.during != "look" else None


def _ask(run: Run, now: datetime, pace: Pace, events: tuple[Event, ...]) -> Step:
    """Request the launch of all nodes for the current launch attempt."""
    run = replace(run, asked=run.asked + 1, asked_at=now)
    if run.ends_at is None or run.attempt_at is None:
        raise AssertionError("a launch needs a time limit")
    if run.spec.benchmark == "testdfsio":
        launch: Action = LaunchEmr(run.ends_at)
    else:
        longest_s = (run.ends_at - run.attempt_at).total_seconds()
        launch = Launch(run.attempt, run.zone, run.ends_at, longest_s)
    if not events and run.asked == 1:
        words = f"attempt {run.attempt + 1} of {run.quote.attempts}, in {run.zone}"
        events = (Event("launch", words, {"attempt": run.attempt, "zone": run.zone}),)
    return Step(run, (Prepare(), launch), events, waiting_s(run, now, pace))


def _broken(run: Run, mine: list[ObservedInstance], now: datetime, pace: Pace) -> str | None:
    """Return the reason why the current launch attempt failed; None if it has not failed."""
    trouble = run.trouble
    if trouble is not None and trouble.kind in {"capacity", "interrupted"} and trouble.during != "look":
        return trouble.words
    ended = [each for each in mine if each.state not in {"pending", "running"}]
    if ended:
        # The first failure, not an instance that Stowage terminated because of it.
        first = next((each for each in ended if each.reason != _LET_GO), ended[0])
        return f"{first.id} ended while it was launched ({first.reason or first.state})"
    boot_s = pace.emr_boot_s if run.spec.benchmark == "testdfsio" else pace.boot_s
    if since_s(run.attempt_at, now) > boot_s:
        up = sum(each.state == "running" for each in mine)
        return f"{up:,} of {run.spec.nodes:,} nodes were up after {boot_s / 60:,.3g} minutes"
    return None


def _try_elsewhere(run: Run, seen: Observation, why: str, now: datetime, pace: Pace) -> Step:
    """Remove the resources of a failed launch attempt, and begin the next attempt.

    The next attempt, in another zone, begins when no resource is left. If no further attempt is possible, the launch is
    given up.
    """
    alive = tuple(
        dict.fromkeys(
            (
                *(each.id for each in seen.instances if not each.is_ending),
                *unended(run, "instance"),
            )
        )
    )
    if alive:
        return Step(run, (Terminate(alive),), look_again_s=waiting_s(run, now, pace))
    dear = isinstance(run.spec.storage, Volumes)
    if dear and any(each.state != "terminated" for each in seen.instances):
        # Volumes cost until they are deleted with their nodes, and the quote does not cover those of two attempts.
        return Step(run, look_again_s=waiting_s(run, now, pace))
    if run.asked and since_s(run.asked_at, now) < pace.unseen_s:
        # A launch with an unknown outcome may still appear.
        return Step(run, look_again_s=waiting_s(run, now, pace))
    following = run.attempt + 1
    no_other = run.trouble is not None and run.trouble.kind == "capacity" and following >= len(run.zones)
    if following >= run.quote.attempts or no_other:
        return _give_up(run, why, now)
    left_s = -since_s(tear_down_at(run, pace), now) - pace.stop_s
    if left_s < needed_s(run.spec):
        return _give_up(run, f"{why}; too little of the time limit is left to try elsewhere", now)
    run = replace(run, attempt=following, attempt_at=now, asked=0, asked_at=None, trouble=None)
    return Step(run, events=(Event("remark", f"{why}; trying {run.zone}"),), look_again_s=0.0)


def _emr(run: Run, seen: Observation, now: datetime, pace: Pace) -> Step:
    why = _broken(run, [], now, pace)
    if why is not None:
        return _give_up(run, why, now)
    kept = next(iter(unended(run, "emr-cluster")), None)
    if kept is not None and seen.emr_clusters.get(kept, "").upper() in {"RUNNING", "WAITING"}:
        run, event = moved(run, "running", "the cluster is up")
        return Step(replace(run, running_since=now, asked=0), events=(event,), look_again_s=0.0)
    if kept is None and any(each.kind == "emr-cluster" for each in run.resources):
        return _give_up(run, "the cluster ended before it was up", now)
    # EMR has no idempotency tokens: after a launch with an unknown outcome, the cluster may still be listed.
    unknown = run.asked and since_s(run.asked_at, now) < pace.unseen_s
    if kept is None and not unknown:
        return _ask(run, now, pace, ())
    return Step(run, look_again_s=waiting_s(run, now, pace))


def _give_up(run: Run, why: str, now: datetime) -> Step:
    run, event = tearing_down(failing(run, why), "failed", f"it cannot be launched: {why}", now)
    return Step(run, events=(event,), look_again_s=0.0)


def _nothing_made(run: Run, outcome: Outcome, failure: str | None, words: str, now: datetime) -> Step:
    run, event = moved(run, outcome, words)
    run = replace(run, outcome=outcome, failure=failure, finished_at=now, verified=True)
    return Step(run, events=(event,))
