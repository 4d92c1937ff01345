"""Cost of a run so far, and the remaining cost until its nodes are gone."""

from datetime import datetime

from stowage.model.units import SECONDS_PER_HOUR
from stowage.runs.quote import LEAST_BILLED_S
from stowage.runs.run import Resource, Run
from stowage.runs.spec import Volumes


def spent(run: Run, now: datetime) -> float:
    """Return an upper bound of the run's cost so far [USD].

    Each resource is charged from its start to its end, and for at least 60 s. Requests are charged in full from the
    first launch on. If the run has ended and the outcome of a launch is still unknown, the result is the whole agreed
    amount.
    """
    if run.launched_at is None:
        return 0.0
    if run.is_over and run.asked and not run.verified:
        return float(run.agreed_usd or 0)
    return run.quote.requests_usd + sum(_of(run, resource, now) for resource in run.resources)


def usd_per_hour(run: Run) -> float:
    """Return the current hourly cost of a run [USD/h]."""
    return sum(resource.usd_per_hour for resource in run.resources if resource.ended_at is None)


def reserve(run: Run, seconds: float) -> float:
    """Return the cost of keeping the current resources for a number of seconds, such as those of teardown [USD]."""
    return usd_per_hour(run) * seconds / SECONDS_PER_HOUR


def outspent(run: Run, now: datetime, seconds: float) -> bool:
    """Return whether the agreed amount would be exceeded within a number of seconds.

    The amount covers all nodes until the deadline, so it is exceeded only if something unexpected costs money.
    """
    return run.agreed_usd is not None and spent(run, now) + reserve(run, seconds) > float(run.agreed_usd)


def ended_by(run: Run, resource: Resource, now: datetime) -> datetime:
    """Return the latest time until which a resource may have cost money, if the time of its end is unknown.

    Nodes terminate themselves at ``ends_at``: a node that was not observed after that time is assumed to have ended.
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
        # A node costs until it shuts down, its volumes until they are deleted with it. Until then, the volumes of EMR
        # are part of the cluster's price.
        limit = max(run.deadline or now, until)
        # If the end was not observed, all time up to the deadline counts.
        last = max(min(resource.gone_at or (limit if run.is_over else now), limit), until)
        volumes = storage.count * run.quote.volume_usd_per_hour
        within = min(volumes, resource.usd_per_hour)
        usd += within * (_billed_h(resource, last) - _billed_h(resource, until))
        usd += (volumes - within) * (last - until).total_seconds() / SECONDS_PER_HOUR
    return usd


def _billed_h(resource: Resource, until: datetime) -> float:
    """Return the billed time of a resource [h]: its lifetime, but at least `LEAST_BILLED_S`."""
    return max((until - resource.since).total_seconds(), LEAST_BILLED_S) / SECONDS_PER_HOUR
