"""Teardown of a run: deletion of all its resources.

The teardown ends when polls have found no resource for a while.
"""

from dataclasses import replace
from datetime import datetime

from stowage.runs.actions import Action, DeleteGroups, DeleteObjects, DeleteVolumes, Terminate, TerminateEmr
from stowage.runs.observation import Observation
from stowage.runs.pace import Pace
from stowage.runs.run import Run
from stowage.runs.step import Event, Step, failing, moved, reached, since_s, waiting_s
from stowage.runs.tracking import closed, unended

_LEAST_DENIALS = 3


def from_tearing_down(run: Run, seen: Observation | None, now: datetime, pace: Pace) -> Step:
    """Continue the teardown of a run.

    `seen` is None if AWS could not be queried.
    """
    if reached(run.deadline, now):
        run = replace(run, late_looks=run.late_looks + 1)
    if seen is None:
        run = replace(run, clear_looks=0, clear_since=None)
        if _is_hopeless(run, now, pace):
            return _unverified(run, now)
        # Known resources can be terminated even if listing fails.
        return Step(run, _ending(run, ()), look_again_s=waiting_s(run, now, pace))
    if seen.is_clear:
        run = replace(run, clear_looks=run.clear_looks + 1, clear_since=run.clear_since or now)
        settle_s, looks = _settled(run, pace)
        if run.clear_looks >= looks and since_s(run.clear_since, now) >= settle_s:
            return _verified(run, now)
    elif _is_hopeless(run, now, pace):
        return _unverified(run, now)
    else:
        run = replace(run, clear_looks=0, clear_since=None)
    alive = tuple(each.id for each in seen.instances if not each.is_ending)
    actions = (*_ending(run, alive, tuple(seen.emr_clusters)), *_deleting(seen))
    return Step(run, actions, look_again_s=waiting_s(run, now, pace))


def _deleting(seen: Observation) -> tuple[Action, ...]:
    """Return the actions that delete volumes, groups and files.

    There are none until all nodes are terminated. Until then, nodes use the groups and may write files. They delete
    their volumes as they terminate.
    """
    if any(each.state != "terminated" for each in seen.instances):
        return ()
    actions: list[Action] = []
    if seen.volumes:
        actions.append(DeleteVolumes(seen.volumes))
    if seen.security_groups or seen.placement_groups:
        actions.append(DeleteGroups(seen.security_groups, seen.placement_groups))
    if seen.objects:
        actions.append(DeleteObjects())
    return tuple(actions)


def _ending(run: Run, alive: tuple[str, ...], clusters: tuple[str, ...] = ()) -> tuple[Action, ...]:
    """Return the actions that terminate all instances and clusters of a run.

    They include listed resources, and resources in the run's records that are not listed.
    """
    clusters = tuple(dict.fromkeys((*clusters, *unended(run, "emr-cluster"))))
    instances = tuple(dict.fromkeys((*alive, *unended(run, "instance"))))
    actions: tuple[Action, ...] = ()
    if clusters:
        actions += (TerminateEmr(clusters),)
    elif instances:
        # An EMR cluster terminates its own instances; those that outlive it are terminated like any other.
        actions += (Terminate(instances),)
    return actions


def _settled(run: Run, pace: Pace) -> tuple[float, int]:
    """Return the conditions under which the account counts as clear.

    Both conditions must be met. Both are stricter if there may be a resource that was never listed. The number of polls
    is needed because the clock may be set forward.

    Returns
    -------
    tuple of float and int
        Time without listed resources [s], and number of polls in it.
    """
    never_seen = any(each.seen_at is None and each.ended_at is None for each in run.resources)
    uncertain = run.asked or never_seen or unended(run, "instance") or unended(run, "emr-cluster")
    if not uncertain:
        return pace.settle_s, pace.settle_looks
    return max(pace.unseen_s, pace.settle_s), max(int(pace.unseen_s / pace.look_s), pace.settle_looks)


def _is_hopeless(run: Run, now: datetime, pace: Pace) -> bool:
    """Return whether the teardown must be abandoned.

    It must have been tried for long enough and often enough. The number of attempts is needed because time also passes
    without attempts.
    """
    trouble, begun_s = run.trouble, since_s(run.tearing_down_since, now)
    if trouble is not None and trouble.during == "look" and trouble.kind == "denied":
        tried_s = min(begun_s, since_s(trouble.since, now))
        return trouble.times >= _LEAST_DENIALS and tried_s >= pace.denied_s
    tried_s = min(begun_s, since_s(run.deadline, now))
    return run.late_looks >= pace.give_up_looks and tried_s >= pace.give_up_s


def _verified(run: Run, now: datetime) -> Step:
    run = closed(replace(run, verified=True, finished_at=now), now, gone=True)
    outcome = run.outcome or "failed"
    # EMR creates two security groups for all its clusters in a VPC, and does not delete them.
    kept = ", but for EMR's own two security groups, which cost nothing" if run.spec.benchmark == "testdfsio" else ""
    run, event = moved(run, outcome, f"nothing is left of it in the account{kept}")
    return Step(replace(run, trouble=None), events=(event,))


def _unverified(run: Run, now: datetime) -> Step:
    why = run.trouble.words if run.trouble is not None else "something did not go away"
    last = "" if run.ends_at is None else f" Its nodes end themselves by {run.ends_at:%Y-%m-%d %H:%M} UTC."
    words = (
        f"It could not be seen that nothing is left: {why}.{last} What is left carries the tag stowage-run = {run.id}"
    )
    # This comes first in the failure description, since a person must act.
    run = failing(replace(run, failure=words), run.failure) if run.failure else failing(run, words)
    run = closed(replace(run, verified=False, finished_at=now, outcome="failed"), now, gone=False)
    run, event = moved(run, "failed", words)
    return Step(run, events=(event, Event("remark", "the sweep for leftover resources keeps polling")))
