"""Which figures an answer rests on: those that change it when they are far worse or better."""

import math
from collections.abc import Iterator
from dataclasses import replace
from typing import Any

from stowage.model.cluster import Configuration, check_layout
from stowage.model.exposure import loss_probability
from stowage.model.figure import Figure
from stowage.model.forecast import Evaluation, evaluate
from stowage.model.inputs import Inputs
from stowage.model.offer import Offer, offer_of
from stowage.model.provenance import credit_level, read_share
from stowage.model.random_io import RandomIo
from stowage.model.volume_limits import VolumeLimits
from stowage.model.workload import Workload

FAR = (1e-3, 1e3)
"""Factors by which a figure is varied to see whether an answer rests on it [1]."""


def limits_that_matter(
    inputs: Inputs, configuration: Configuration, workload: Workload, found: Evaluation
) -> tuple[Figure, ...]:
    """Find which limits of the volume the answer rests on: those that change it when they are far worse or better.

    AWS' rules have thresholds and caps of which a volume meets a few; to tell which, each is tried.
    """
    if inputs.volume is None:
        return ()
    volume, layout, nodes = inputs.volume, configuration.layout, float(configuration.nodes)

    def lost(of: Inputs, offered: Offer, evaluation: Evaluation) -> float:
        # Re-replication runs at the rate of the volumes; a single copy is not re-replicated.
        if workload.job.durability.replicas == 1:
            return 0.0
        exposure_s = workload.exposure_s(float(evaluation.time_s))
        return loss_probability(of, offered, configuration, workload, exposure_s)

    lost_before = lost(inputs, offer_of(inputs, layout, workload, nodes), found)

    def matters(changed: VolumeLimits) -> bool:
        varied = replace(inputs, volume=replace(volume, limits=changed))
        if check_layout(layout, inputs.instance, varied.volume, workload.job) is not None:
            return True
        offered = offer_of(varied, layout, workload, nodes)
        outcome = evaluate(offered, workload, nodes)
        same = outcome.time_s == found.time_s and outcome.cost.total == found.cost.total
        return not same or lost(varied, offered, outcome) != lost_before

    return tuple(
        figure for figure, variants in volume.limits.variants(FAR) if any(matters(variant) for variant in variants)
    )


_FALLBACKS = (
    *("network", "network_baseline", "network_credit", "single_flow", "outside", "between_zones", "cpu"),
    *("ebs_maximum", "ebs_baseline", "ebs_maximum_iops", "ebs_baseline_iops"),
    *("storage_read", "storage_write", "storage_read_iops", "storage_write_iops"),
)
_EFFICIENCIES = (
    *("efficiency", "read_efficiency", "write_efficiency", "streams"),
    *("network_efficiency", "link_efficiency", "object_store_efficiency", "cpu_efficiency"),
    *("start_up", "log_nodes", "per_node"),
)
_VOLUME_PRICES = (
    "usd_per_iops_month",
    "usd_per_iops_month_above_32000",
    "usd_per_iops_month_above_64000",
    "usd_per_mib_per_s_month",
    "usd_per_million_io",
)


def idle_figures(
    inputs: Inputs, configuration: Configuration, workload: Workload, found: Evaluation
) -> tuple[Figure, ...]:
    """Find what was looked up and changes nothing here: prices of tiers that are not reached, and the like."""
    layout, nodes = configuration.layout, float(configuration.nodes)

    def outcome(of: Inputs, evaluation: Evaluation, offered: Offer) -> tuple[object, ...]:
        exposure_s = workload.exposure_s(float(evaluation.time_s))
        lost = loss_probability(of, offered, configuration, workload, exposure_s)
        return evaluation.time_s, evaluation.cost.total, lost

    as_it_is = offer_of(inputs, layout, workload, nodes)
    before = outcome(inputs, found, as_it_is)

    def changes(varied: Inputs) -> bool:
        offered = offer_of(varied, layout, workload, nodes)
        return outcome(varied, evaluate(offered, workload, nodes), offered) != before

    idle = [figure for figure, variants in _variants(inputs) if not any(map(changes, variants))]
    job = workload.job
    if isinstance(job, RandomIo) and (inputs.storage_read is not None or inputs.storage_read_iops is not None):
        # Other things may hold the disks back so far that it does not matter what they do.
        lopsided = (replace(workload, job=replace(job, read_share=share)) for share in (0.0, 1.0))
        if all(math.isclose(evaluate(as_it_is, varied, nodes).time_s, found.time_s) for varied in lopsided):
            idle.append(read_share(job))
    times = {
        float(evaluate(offer_of(inputs, layout, varied, nodes), varied, nodes).time_s)
        for varied in (workload, replace(workload, credits=0.0), replace(workload, credits=1.0))
    }
    return tuple(idle) if len(times) > 1 else (*idle, credit_level(workload))


def _variants(inputs: Inputs) -> Iterator[tuple[Figure, list[Inputs]]]:
    """Pair figures that may not matter with the inputs as they would be with far smaller and larger ones."""

    def of(part: str | None, names: tuple[str, ...]) -> Iterator[tuple[Figure, list[Inputs]]]:
        owner: Any = inputs if part is None else getattr(inputs, part)
        for name in names if owner is not None else ():
            figure = getattr(owner, name)
            if isinstance(figure, Figure):
                scaled = [replace(owner, **{name: replace(figure, value=figure.value * factor)}) for factor in FAR]
                yield figure, scaled if part is None else [replace(inputs, **{part: varied}) for varied in scaled]

    yield from of(None, _FALLBACKS)
    yield from of("framework", _EFFICIENCIES)
    yield from of("volume", _VOLUME_PRICES)
    yield from of("object_prices", ("put", "get"))
    store = inputs.object_prices
    if store is not None:
        for index, figure in enumerate(store.stored):
            dearer = (replace(figure, value=figure.value * factor) for factor in FAR)
            tiers = ((*store.stored[:index], one, *store.stored[index + 1 :]) for one in dearer)
            yield figure, [replace(inputs, object_prices=replace(store, stored=tier)) for tier in tiers]
