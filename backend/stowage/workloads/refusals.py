"""Checks of a workload file against the catalog.

The error for an unknown name lists the known names.
"""

from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from dataclasses import replace
from typing import get_args

from stowage.model.hardware.instance import InstanceType
from stowage.model.jobs.flows import DurabilityModel
from stowage.model.jobs.framework import Framework
from stowage.model.jobs.frameworks import FRAMEWORKS, NOT_OFFERED
from stowage.model.jobs.usual import NOTHING_USUAL
from stowage.model.jobs.workload import Workload
from stowage.model.money.price import Purchase
from stowage.platform.errors import BadInput, Problem
from stowage.platform.problems import shown, unknown
from stowage.workloads.knowledge import Knowledge
from stowage.workloads.measured_today import framework_of
from stowage.workloads.workload_file import AS_WORKERS, WorkloadFile


def refuse_unknown(file: WorkloadFile, knowledge: Knowledge) -> None:
    """Check that the catalog has all names and prices that a workload file requires.

    Raises
    ------
    BadInput
        The framework, or the family, size or name of an instance type, or a volume type is unknown. EBS has no price
        in the region. No instance type has a price for the purchase option. The durability is open, but ``kept`` is
        set, or there is no limit on the probability of data loss. Or the file sets both slow nodes and a probability
        of meeting the deadline.
    """
    problems = [*_unknown_framework(file, knowledge), *_unknown_names(file, knowledge), *_unpriced(file, knowledge)]
    if file.workload.durability.model == "any" and file.limits.loss is None:
        message = "is missing: where durability is any, the chance of loss needs a limit, as in loss: 0.1 %"
        problems.append(Problem("limits.loss", message))
    if file.workload.durability.model == "any" and file.workload.kept is not None:
        # Only the object store is charged for data stored beyond the job: the others would look free.
        message = "cannot be compared where durability is any: name the durability, or leave out kept"
        problems.append(Problem("workload.kept", message))
    chance = file.limits.to_limits(NOTHING_USUAL).chance
    if chance is not None and file.assume.stragglers is not None:
        message = "is not searched where slow nodes are assumed (assume.stragglers); accepted: 50 %, or no slow nodes"
        problems.append(Problem("limits.chance", message))
    if problems:
        raise BadInput(problems)


def possible_workloads(
    file: WorkloadFile, knowledge: Knowledge, reached: Framework | None = None
) -> tuple[Workload, ...]:
    """Return a workload for each combination of the choices that a file leaves open.

    Combinations for which the catalog has no prices are left out.

    Parameters
    ----------
    file : WorkloadFile
    knowledge : Knowledge
    reached : Framework, optional
        Profile of the file's framework, scaled to the measured run. It is computed if it is not given.

    Raises
    ------
    BadInput
        For the reasons of `refuse_unknown` and of `measured_today.framework_of`.
    """
    refuse_unknown(file, knowledge)
    priced = set(_ways_to_pay(knowledge) if file.place.purchase == "any" else [file.place.purchase])
    reached = reached or framework_of(file, knowledge)
    calibrated = None if FRAMEWORKS.get(reached.name) is reached else reached
    return tuple(
        workload if calibrated is None else replace(workload, calibrated=calibrated)
        for workload in file.to_workloads()
        if workload.place.paid_by in priced
        and (workload.job.durability.model != "infrastructure" or knowledge.catalog.volume_types)
    )


def workload_of(
    workloads: Iterable[Workload],
    nodes: int,
    purchase: Purchase | None,
    durability: DurabilityModel | None,
    replicas: int | None,
) -> Workload | None:
    """Return the first workload with a purchase option and a durability on a number of nodes; None if there is none.

    A purchase option, durability or number of replicas of None fits every workload.
    """
    for workload in workloads:
        kept = workload.at(nodes).job.durability
        asked = (purchase, workload.place.paid_by), (durability, kept.model), (replicas, kept.replicas)
        if all(one in {None, of_workload} for one, of_workload in asked):
            return workload
    return None


def _unknown_framework(file: WorkloadFile, knowledge: Knowledge) -> Iterator[Problem]:
    name = file.framework
    if name not in knowledge.frameworks:
        accepted = ", ".join(knowledge.frameworks)
        because = f", because there is {NOT_OFFERED[name]}" if name in NOT_OFFERED else ""
        yield Problem("workload.framework", f"{shown(name)} is not offered{because}; accepted: {accepted}")


def _unknown_names(file: WorkloadFile, knowledge: Knowledge) -> Iterator[Problem]:
    catalog, choose = knowledge.catalog, file.choose
    instances, volumes = catalog.instance_types, catalog.volume_types
    if file.place.primary not in {None, AS_WORKERS} and file.place.primary not in instances:
        yield unknown("place.primary", file.place.primary, "an instance type", catalog.version, instances)
    named: tuple[tuple[str, str, Callable[[], Collection[str]]], ...] = (
        ("families", "a family", lambda: {instance.family for instance in instances.values()}),
        ("sizes", "a size", lambda: _sizes(instances.values())),
        ("instances", "an instance type", lambda: instances),
        ("volumes", "a volume type", lambda: volumes),
    )
    for field, (_, what, known_to) in ((f"{no}{kind[0]}", kind) for kind in named for no in ("", "not_")):
        names: Sequence[str] = getattr(choose, field)
        # Most files name nothing, and walking through a thousand types for them would be wasted.
        known = known_to() if names else ()
        for index, name in enumerate(names):
            if name not in known:
                yield unknown(f"choose.{field}.{index}", name, what, catalog.version, known)
    for name in file.quotas.nodes:
        if name not in instances:
            yield unknown("quotas.nodes", name, "an instance type", catalog.version, instances)
    for name in file.quotas.volumes:
        if name not in volumes:
            yield unknown("quotas.volumes", name, "a volume type", catalog.version, volumes)


def _sizes(instances: Iterable[InstanceType]) -> set[str]:
    """Return the sizes of instance types.

    The size `metal` is added for all sizes that begin with `metal`.
    """
    sizes = {instance.size for instance in instances}
    return sizes | {"metal" for size in sizes if size.startswith("metal")}


def _unpriced(file: WorkloadFile, knowledge: Knowledge) -> Iterator[Problem]:
    catalog, place = knowledge.catalog, file.place
    if file.workload.durability.model == "infrastructure" and not catalog.volume_types:
        message = f"no prices of EBS in {place.region} are in catalog {catalog.version}; accepted: "
        yield Problem("place.region", message + (", ".join(knowledge.regions_with_volumes()) or "no region"))
    if not (_ways_to_pay(knowledge) if place.purchase == "any" else catalog.sells(place.purchase)):
        accepted = ", ".join(_ways_to_pay(knowledge)) or "none"
        message = f"{place.purchase!a} has no prices in catalog {catalog.version}; accepted: {accepted}"
        yield Problem("place.purchase", message)


def _ways_to_pay(knowledge: Knowledge) -> list[Purchase]:
    """Return the purchase options for which at least one instance type has a price."""
    return [purchase for purchase in get_args(Purchase) if knowledge.catalog.sells(purchase)]
