"""Outcome of a configuration: median time and cost, and the limits that it breaks.

An outcome takes a tenth of the time of `predict`, which also computes ranges, time courses and provenance. Questions
such as "how fast would the network have to be?" need hundreds of outcomes. All numbers equal the medians of `predict`
bit for bit.
"""

from dataclasses import replace
from typing import Any

from stowage.frozen import frozen
from stowage.model.cluster import Configuration, Ebs, fewest_nodes, ordered
from stowage.model.forecast import PhaseTime, evaluate, forecast, month_of
from stowage.model.hardware.catalog import Catalog
from stowage.model.hardware.instance import InstanceType
from stowage.model.hardware.profile import Profiles
from stowage.model.hardware.resource import Line
from stowage.model.hardware.volume import performance
from stowage.model.infeasible import Broken, Infeasible, Limit
from stowage.model.inputs import Inputs, gather
from stowage.model.jobs.head import head_of
from stowage.model.jobs.workload import Workload
from stowage.model.loss.exposure import loss_probability, rereplication_s
from stowage.model.money.cost import tariff
from stowage.model.money.spot import NEVER_FINISHES
from stowage.model.offer import offer_of, repair_mb_per_s
from stowage.model.plan import LayoutKey, layout_key, objective_key
from stowage.model.prediction import Prediction
from stowage.model.rates import Channel, Rates
from stowage.model.units import SECONDS_PER_HOUR, Quantity

FIXED: frozenset[Limit] = frozenset({"max nodes", "quota", "selection", "free space", "head node memory"})
"""Limits that are broken independently of rates and prices."""


@frozen
class Outcome:
    """Median time and cost of one configuration, and the limits that it breaks."""

    configuration: Configuration
    time_s: float
    """Median time of the job [s]."""
    cost_usd: float
    """Cost of one run [USD]."""
    month_usd: float
    """Monthly cost of an always-on cluster [USD]."""
    billed_s: float
    """Billed time [s]."""
    node_hour_usd: float
    """Hourly price of everything that is billed by time, divided by the number of worker nodes [USD/h]."""
    phases: tuple[PhaseTime, ...]
    broken: tuple[Broken, ...]
    """Empty if all limits are met."""

    @property
    def longest(self) -> PhaseTime:
        """Return the longest phase."""
        return max(self.phases, key=lambda phase: float(phase.time_s))


OutcomeKey = tuple[float, float, float, str, LayoutKey]


def order(outcome: Outcome | Prediction, workload: Workload) -> OutcomeKey:
    """Return the key by which outcomes are ranked.

    It does not include the ranking's tie-break by loss probability.
    """
    configuration = outcome.configuration
    if isinstance(outcome, Prediction):
        amounts = (outcome.time_s.p50, outcome.cost_usd.p50, outcome.always_on_usd)
    else:
        amounts = (outcome.time_s, outcome.cost_usd, outcome.month_usd)
    first = objective_key(workload.objective, configuration.nodes, *amounts)
    return (*first, configuration.instance, layout_key(configuration.layout))


def outcome_of(
    configuration: Configuration,
    workload: Workload,
    catalog: Catalog,
    profiles: Profiles,
    instance: InstanceType | None = None,
) -> Outcome | Infeasible:
    """Return the outcome of a configuration.

    Parameters
    ----------
    configuration : Configuration
        A configuration that is possible if its figures are known. Only unknown figures are checked here; `predict`
        checks all other reasons.
    workload, catalog, profiles
        As for `predict`.
    instance : InstanceType, optional
        Instance type that replaces the one in the catalog. Its figures may be hypothetical.

    Returns
    -------
    Outcome or Infeasible
        Infeasible if a required figure is unknown.
    """
    workload = workload.at(configuration.nodes)
    inputs = inputs_of(configuration, workload, catalog, profiles, instance)
    if isinstance(inputs, Infeasible):
        return inputs
    if inputs.network_gap is not None and (configuration.nodes > 1 or workload.talks_outside):
        return Infeasible("network bandwidth unknown", inputs.network_gap)
    return outcome_from(inputs, configuration, workload, catalog)


def inputs_of(
    configuration: Configuration,
    workload: Workload,
    catalog: Catalog,
    profiles: Profiles,
    instance: InstanceType | None = None,
) -> Inputs | Infeasible:
    """Return the figures of a configuration's instance type, or of ``instance``, and of its volume type."""
    layout = configuration.layout
    volume = catalog.volume_types[layout.volume_type] if isinstance(layout, Ebs) else None
    offered = instance or catalog.instance_types[configuration.instance]
    return gather(offered, volume, workload, catalog, profiles)


def outcome_from(
    inputs: Inputs,
    configuration: Configuration,
    workload: Workload,
    catalog: Catalog,
    faster: tuple[Channel, float] | None = None,
) -> Outcome:
    """Compute the outcome from figures that `gather` found.

    ``faster`` is a channel, i.e. a resource of a node, with its speed-up factor.
    """
    nodes, limits = float(configuration.nodes), workload.limits
    by_chance = limits.chance is not None and limits.deadline_s is not None
    offered = offer_of(inputs, configuration.layout, workload, nodes, quantile=None if by_chance else 0.5)
    if faster is not None:
        rates = sped_up(offered.rates, *faster)
        offered = replace(
            offered,
            rates=rates,
            repair_mb_per_s=repair_mb_per_s(rates),
            courses=tuple(replace(course, rates=sped_up(course.rates, *faster)) for course in offered.courses),
        )
    chance: float | None = None
    if by_chance:
        found = forecast(offered, workload, nodes)
        middle = found.evaluation
        chance = None if found.meets_deadline is None else float(found.meets_deadline)
    else:
        middle = evaluate(offered, workload, nodes)
    time_s, prices = float(middle.time_s), offered.prices
    straight = tariff(prices, nodes, offered.charges)
    by_second = float(straight.usd_per_s) + float(straight.committed_usd_per_s)
    outcome = Outcome(
        configuration=configuration,
        time_s=time_s,
        cost_usd=float(middle.cost.total),
        month_usd=float(month_of(offered, workload, nodes).total),
        billed_s=max(time_s + prices.launch_s, prices.minimum_billed_s),
        node_hour_usd=by_second * SECONDS_PER_HOUR / nodes,
        phases=middle.phases,
        broken=(),
    )
    broken = [
        *limits.judge(time_s=outcome.time_s, cost_usd=outcome.cost_usd, nodes=configuration.nodes, chance=chance),
        *_not_to_be_had(inputs, configuration, workload, catalog),
    ]
    within_s = workload.rereplicated_within_s
    if within_s is not None:
        repaired_s = float(rereplication_s(workload, offered.repair_mb_per_s, nodes))
        broken += [Broken("re-replication", repaired_s, within_s)] if repaired_s > within_s else []
    if limits.loss is not None:
        loss = loss_probability(inputs, offered.repair_mb_per_s, configuration, workload, workload.exposure_s(time_s))
        broken += limits.judge(loss=loss)
    if time_s > NEVER_FINISHES * float(middle.work_s):
        broken.append(Broken("never finishes", time_s, None))
    return replace(outcome, broken=tuple(broken))


def _not_to_be_had(inputs: Inputs, configuration: Configuration, workload: Workload, catalog: Catalog) -> list[Broken]:
    """Return those broken limits of a configuration that do not depend on its time or cost.

    These are free space, selections, head node memory and quotas.
    """
    instance, layout, nodes = inputs.instance, configuration.layout, configuration.nodes
    selection, quotas = workload.selection, workload.quotas
    found: list[Broken] = []
    needed = fewest_nodes(layout, instance, workload.at(nodes)) if workload.limits.keeps_room else nodes
    if nodes < needed:
        found.append(Broken("free space", float(nodes), float(needed)))
    rule = selection.refuses(instance)
    if rule is not None:
        found.append(Broken("selection", what=rule))
    if isinstance(layout, Ebs) and not selection.takes_volume(layout.volume_type):
        found.append(Broken("selection", what="volume type"))
    primary = head_of(workload, instance, catalog.instance_types)
    if primary.memory_gib.value < workload.head_memory_gib:
        found.append(Broken("head node memory", primary.memory_gib.value, workload.head_memory_gib, primary.name))
    most = quotas.most_nodes(instance, workload.place.zones, workload.head_nodes * primary.vcpus.value)
    if most is not None and nodes > most:
        found.append(Broken("quota", float(nodes), float(most), "nodes"))
    quota = quotas.volumes.get(layout.volume_type) if isinstance(layout, Ebs) else None
    if isinstance(layout, Ebs) and quota is not None and inputs.volume is not None:
        volumes = float(nodes * layout.count)
        # Included IOPS count towards the quota as well, both for AWS and in the search.
        of_one = float(performance(ordered(inputs.volume, layout, nitro=instance.on_nitro)).baseline_iops)
        asked = (
            (volumes * layout.size_gib, quota.size_gib, f"GiB of {layout.volume_type}"),
            (volumes * of_one, quota.iops, f"IOPS of {layout.volume_type}"),
        )
        found += [Broken("quota", value, bound, what) for value, bound, what in asked if bound and value > bound]
    return found


def sped_up(rates: Rates, channel: Channel, factor: float) -> Rates:
    """Return the rates of a node with one channel sped up.

    All rates of the channel, i.e. of one resource, are multiplied by ``factor``. Burst credits do not change.

    Examples
    --------
    >>> sped_up(Rates(network=100.0, cpu=300.0), "network", 1.5).network
    150.0
    """

    def more(rate: Quantity | None) -> Quantity | None:
        return None if rate is None else factor * rate

    if channel == "EBS volumes":
        return replace(rates, volumes=tuple(_sped_up(line, factor) for line in rates.volumes))
    faster: dict[str, Any] = {name: more(getattr(rates, name)) for name in _RATES[channel]}
    return replace(rates, **faster)


def _sped_up(line: Line, factor: float) -> Line:
    return replace(line, rate=factor * line.rate)


_RATES: dict[Channel, tuple[str, ...]] = {
    "network": ("network", "network_baseline", "flows_between_nodes"),
    "storage": (
        "input_output_disks",
        "intermediate_disks",
        "disk_iops",
        "input_output_writes",
        "intermediate_writes",
        "disk_write_iops",
    ),
    "EBS link": ("ebs_read", "ebs_write", "ebs_maximum", "ebs_baseline", "ebs_maximum_iops", "ebs_baseline_iops"),
    "object store": ("object_store",),
    "CPU": ("cpu",),
    "data link": ("link_in", "link_out"),
}
