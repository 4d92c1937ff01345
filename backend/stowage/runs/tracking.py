"""Tracking of the resources that a run has created.

Each observation of the account updates the run's records of them.
"""

from collections.abc import Iterable, Sequence
from dataclasses import replace
from datetime import datetime

from stowage.runs.cost import ended_by
from stowage.runs.observation import Observation, ObservedInstance, ResourceKind
from stowage.runs.run import Resource, Run


def track(run: Run, seen: Observation, now: datetime) -> Run:
    """Update a run's records of its resources from an observation.

    Newly listed resources are added. The end of resources that have ended or are no longer listed is recorded.
    Instances that are not listed are not assumed to be gone, since EC2 lists instances late. Only the teardown decides
    this, after several polls.
    """
    known = {(resource.kind, resource.id): resource for resource in run.resources}
    for instance in seen.instances:
        resource = known.get(("instance", instance.id)) or _new(run, instance)
        known["instance", instance.id] = _of_instance(run, resource, instance, now)
    listed = _listed(run, seen)
    for kind, ids, usd_per_hour in listed:
        for each in ids:
            found = known.get((kind, each))
            if found is None or found.usd_per_hour != usd_per_hour:
                # Includes a volume that outlives its node: from then on it is charged separately.
                found = Resource(kind, each, usd_per_hour, _alone_since(known.values(), now) if usd_per_hour else now)
            known[kind, each] = replace(found, seen_at=now, ended_at=None, gone_at=None)
    there = {(kind, each) for kind, ids, _ in listed for each in ids}
    return replace(run, resources=tuple(_still(resource, there, now) for resource in known.values()))


def price_of(run: Run, kind: ResourceKind) -> float:
    """Return the hourly cost of one resource of the given kind [USD/h].

    The cost of an EMR cluster includes its nodes.
    """
    on_emr = run.spec.benchmark == "testdfsio"
    if kind == "instance":
        return 0.0 if on_emr else run.quote.node_usd_per_hour
    return run.spec.nodes * run.quote.node_usd_per_hour if kind == "emr-cluster" else 0.0


def made(run: Run, resources: Iterable[Resource]) -> Run:
    """Add the resources that an action has created to a run's records.

    They have the prices of the quote.
    """
    known = {(resource.kind, resource.id) for resource in run.resources}
    first = run.attempt_at
    # The response may be for an earlier launch request whose own response was lost: charge from the attempt's start.
    new = tuple(
        replace(
            resource,
            usd_per_hour=price_of(run, resource.kind),
            attempt=run.attempt,
            since=resource.since if first is None else min(first, resource.since),
        )
        for resource in resources
        if (resource.kind, resource.id) not in known
    )
    return replace(run, resources=run.resources + new)


def closed(run: Run, now: datetime, *, gone: bool) -> Run:
    """Record the end of all resources of a run when the run ends.

    Resources that may still exist are charged until the nodes' self-termination, even if that is in the future.
    """
    last = now if gone or run.ends_at is None else max(now, run.ends_at)
    return replace(
        run,
        resources=tuple(
            replace(
                resource,
                ended_at=resource.ended_at or ended_by(run, resource, last),
                gone_at=resource.gone_at or (now if gone else None),
            )
            for resource in run.resources
        ),
    )


def unended(run: Run, kind: ResourceKind, attempt: int | None = None) -> tuple[str, ...]:
    """Return the ids of resources of one kind whose end was not observed.

    They are those of one launch attempt or, if ``attempt`` is None, of all attempts.
    """
    return tuple(
        resource.id
        for resource in run.resources
        if resource.kind == kind and resource.ended_at is None and (attempt is None or resource.attempt == attempt)
    )


def _new(run: Run, instance: ObservedInstance) -> Resource:
    return Resource("instance", instance.id, price_of(run, "instance"), instance.launched_at, attempt=instance.attempt)


def _of_instance(run: Run, resource: Resource, instance: ObservedInstance, now: datetime) -> Resource:
    since = min(resource.since, instance.launched_at)
    resource = replace(resource, since=since, ec2_state=instance.state, ec2_state_at=now)
    if not instance.is_ending:
        return replace(resource, seen_at=now)
    if resource.ended_at is None:
        told = instance.ended_at
        ended_at = ended_by(run, resource, now) if told is None else min(max(told, resource.since), now)
        resource = replace(resource, ended_at=ended_at)
    if instance.state == "terminated" and resource.gone_at is None:
        resource = replace(resource, gone_at=now)
    return resource


def _listed(run: Run, seen: Observation) -> tuple[tuple[ResourceKind, Sequence[str], float], ...]:
    """Return the listed resources of each kind, except for instances.

    Returns
    -------
    tuple
        For each kind: the kind, the ids of the listed resources, and the hourly cost of one resource [USD/h].
    """
    alone = not any(each.state != "terminated" for each in seen.instances)
    return (
        ("volume", seen.volumes, run.quote.volume_usd_per_hour if alone else 0.0),
        ("emr-cluster", tuple(seen.emr_clusters), price_of(run, "emr-cluster")),
        ("security-group", seen.security_groups, 0.0),
        ("placement-group", seen.placement_groups, 0.0),
        ("objects", (_files(run),) if seen.objects else (), 0.0),
    )


def _files(run: Run) -> str:
    """Return the id of the single resource that stands for all files of the run."""
    return next((each.id for each in run.resources if each.kind == "objects"), f"{run.id}/")


def _alone_since(resources: Iterable[Resource], now: datetime) -> datetime:
    """Return the earliest time at which one of the ended nodes may have ended.

    It is the time at which the node was last observed alive, or else the time of its launch. From then on, a volume may
    have outlived its node.
    """
    ended = [each for each in resources if each.kind == "instance" and each.ended_at is not None]
    return min((each.seen_at or each.since for each in ended), default=now)


def _still(resource: Resource, there: set[tuple[ResourceKind, str]], now: datetime) -> Resource:
    """Record the end of a resource that is no longer listed.

    Instances are left as they are, since their listed state shows their end.
    """
    listed = (resource.kind, resource.id) in there
    if resource.kind == "instance" or listed or resource.seen_at is None or resource.gone_at is not None:
        return resource
    return replace(resource, ended_at=resource.ended_at or now, gone_at=now)
