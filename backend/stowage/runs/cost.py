"""Cost of a run so far, and the remaining cost until its nodes are gone."""

from datetime import datetime

from stowage.model.units import SECONDS_PER_HOUR
from stowage.runs.quote import LEAST_BILLED_S
from stowage.runs.run import Resource, Run
from stowage.runs.spec import Volumes


def spent(run: Run, now: datetime) -> float:
    """Bound from above what a run has cost [USD].

    Each resource counts from when it was first known until it ceased to cost, for 60 s at least; requests count whole
    as soon as anything is launched. Where it never became known what a launch made, and the run has ended, all that
    was agreed counts.
    """
    if run.launched_at is None:
        return 0.0
    if run.is_over and run.asked and not run.verified:
        return float(run.agreed_usd or 0)
    return run.quote.requests_usd + sum(_of(run, resource, now) for resource in run.resources)


def usd_per_hour(run: Run) -> float:
    """Return what a run costs an hour as it stands [USD/h]."""
    return sum(resource.usd_per_hour for resource in run.resources if resource.ended_at is None)


def reserve(run: Run, seconds: float) -> float:
    """Return what it costs to keep what there is for some more seconds, as many as teardown may need [USD]."""
    return usd_per_hour(run) * seconds / SECONDS_PER_HOUR


def outspent(run: Run, now: datetime, seconds: float) -> bool:
    """Return whether what was agreed does not last for so many seconds more.

    It covers all nodes until the deadline: this holds where something unexpected costs.
    """
    return run.agreed_usd is not None and spent(run, now) + reserve(run, seconds) > float(run.agreed_usd)


def ended_by(run: Run, resource: Resource, now: datetime) -> datetime:
    """Return until when a resource may have cost that is not there any more, or of which nothing is known.

    Nodes terminate themselves at ``ends_at`` without Stowage: one that was not seen to outlive that did not.
    """
    known = resource.seen_at or resource.since
    ends_itself = resource.kind == "instance" and run.ends_at is not None and known <= run.ends_at
    until = min(now, run.ends_at) if ends_itself and run.ends_at is not None else now
    return max(until, resource.since)


def _of(run: Run, resource: Resource, now: datetime) -> float:
    until = resource.ended_at or ended_by(run, resource, now)
    usd = resource.usd_per_hour * _billed_h(resource, until)
    storage = run.spec.storage
    if resource.kind == "instance" and resource.ended_at is not None and isinstance(storage, Volumes):
        # A node costs until it shuts down; its volumes until they go with it. Those of EMR are in the cluster's price
        # until then.
        limit = max(run.deadline or now, until)
        # Where the end was not observed, all time up to the deadline counts.
        last = max(min(resource.gone_at or (limit if run.is_over else now), limit), until)
        volumes = storage.count * run.quote.volume_usd_per_hour
        within = min(volumes, resource.usd_per_hour)
        usd += within * (_billed_h(resource, last) - _billed_h(resource, until))
        usd += (volumes - within) * (last - until).total_seconds() / SECONDS_PER_HOUR
    return usd


def _billed_h(resource: Resource, until: datetime) -> float:
    """Return for how long something is billed that lasted so long [h]."""
    return max((until - resource.since).total_seconds(), LEAST_BILLED_S) / SECONDS_PER_HOUR
