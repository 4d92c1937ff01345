"""Relevance of figures: which figures a result depends on.

A result depends on a figure if it changes when the figure is far worse or better.
"""

import math
from collections.abc import Iterable, Iterator
from dataclasses import replace
from typing import Any, cast

import numpy as np
from numpy.typing import NDArray

from stowage.model.bought_volumes import volumes_of
from stowage.model.cluster import Configuration, check_layout
from stowage.model.figure import Figure
from stowage.model.forecast import Evaluation, evaluate
from stowage.model.hardware.volume_limits import VolumeLimits
from stowage.model.inputs import Inputs
from stowage.model.jobs.mapreduce import MapReduce
from stowage.model.jobs.random_io import RandomIo
from stowage.model.jobs.workload import Workload
from stowage.model.loss.exposure import loss_probability
from stowage.model.offer import Offer, offer_of
from stowage.model.provenance import credit_level, read_share
from stowage.model.units import Quantity

FAR = (1e-3, 1e3)
"""Factors that vary a figure, to check whether a result depends on it [1]."""


def limits_that_matter(
    inputs: Inputs, configuration: Configuration, workload: Workload, offered: Offer, found: Evaluation
) -> tuple[Figure, ...]:
    """Find the limits of an EBS volume that affect the result.

    AWS' rules have thresholds and caps, of which only a few apply to a given volume. The function makes each figure of
    the volume's limits far worse or better, and compares the results.
    """
    if inputs.volume is None:
        return ()
    volume, layout, nodes = inputs.volume, configuration.layout, float(configuration.nodes)

    def lost(varied: Inputs, of: Offer, evaluation: Evaluation) -> float:
        # Re-replication runs at the rate of the volumes; a single copy is not re-replicated.
        if workload.job.durability.replicas == 1:
            return 0.0
        exposure_s = workload.exposure_s(float(evaluation.time_s))
        return loss_probability(varied, of.repair_mb_per_s, configuration, workload, exposure_s)

    bought, lost_before = volumes_of(inputs, layout, workload), lost(inputs, offered, found)

    def matters(changed: VolumeLimits) -> bool:
        varied = replace(inputs, volume=replace(volume, limits=changed))
        if check_layout(layout, inputs.instance, varied.volume, workload.job) is not None:
            return True
        if volumes_of(varied, layout, workload) == bought:
            return False
        of = offer_of(varied, layout, workload, nodes)
        outcome = evaluate(of, workload, nodes)
        same = outcome.time_s == found.time_s and outcome.cost.total == found.cost.total
        return not same or lost(varied, of, outcome) != lost_before

    return tuple(
        figure for figure, variants in volume.limits.variants(FAR) if any(matters(variant) for variant in variants)
    )


_RATES = (
    *("network", "network_baseline", "network_credit", "single_flow", "outside", "between_zones", "cpu"),
    *("ebs_maximum", "ebs_baseline", "ebs_maximum_iops", "ebs_baseline_iops"),
    *("storage_read", "storage_write", "storage_read_iops", "storage_write_iops"),
)
_OVERHEADS = ("start_up", "log_nodes", "per_node")
_EFFICIENCIES = (
    *("efficiency", "read_efficiency", "write_efficiency", "streams", "growth"),
    *("network_efficiency", "link_efficiency", "object_store_efficiency", "cpu_efficiency"),
)
_REQUEST_PRICES = ("put", "get")
_VOLUME_PRICES = (
    "usd_per_iops_month",
    "usd_per_iops_month_above_32000",
    "usd_per_iops_month_above_64000",
    "usd_per_mib_per_s_month",
    "usd_per_million_io",
)


def idle_figures(
    inputs: Inputs, configuration: Configuration, workload: Workload, offered: Offer, found: Evaluation
) -> tuple[Figure, ...]:
    """Find the figures that were looked up but do not affect the result.

    Examples are the prices of tiers that are not reached.
    """
    layout, nodes = configuration.layout, float(configuration.nodes)
    exposure_s = workload.exposure_s(float(found.time_s))

    def lost(repair_mb_per_s: Quantity) -> float:
        return loss_probability(inputs, repair_mb_per_s, configuration, workload, exposure_s)

    lost_before = lost(offered.repair_mb_per_s)

    def changes(varied: Inputs) -> bool:
        of = offer_of(varied, layout, workload, nodes)
        if of == offered:
            return False
        outcome = evaluate(of, workload, nodes)
        same = outcome.time_s == found.time_s and outcome.cost.total == found.cost.total
        return not same or lost(of.repair_mb_per_s) != lost_before

    def change_at_once(varied: Inputs, count: int) -> NDArray[np.bool_]:
        of = offer_of(varied, layout, workload, nodes)
        outcome = evaluate(of, workload, nodes)
        changed = np.zeros(count, np.bool_)
        changed |= (outcome.time_s != found.time_s) | (outcome.cost.total != found.cost.total)
        # If the time is unchanged, only the rate of repairs can change the chance of loss.
        repairs = np.broadcast_to(of.repair_mb_per_s, count)
        for at in np.flatnonzero(~changed & (repairs != offered.repair_mb_per_s)):
            changed[at] = lost(float(repairs[at])) != lost_before
        return changed

    figures, varied = _varied_at_once(inputs)
    changed = change_at_once(varied, len(FAR) * len(figures)).reshape(-1, len(FAR))
    idle = [figure for figure, either in zip(figures, changed, strict=True) if not either.any()]
    idle += [figure for figure, variants in _variants(inputs) if not any(map(changes, variants))]
    job = workload.job
    if isinstance(job, RandomIo) and (inputs.storage_read is not None or inputs.storage_read_iops is not None):
        # Another limit may be so low that the mix of reads and writes on the disks does not matter.
        lopsided = (replace(workload, job=replace(job, read_share=share)) for share in (0.0, 1.0))
        if all(math.isclose(evaluate(offered, varied, nodes).time_s, found.time_s) for varied in lopsided):
            idle.append(read_share(job))
    idle += _idle_slots(inputs, configuration, workload, found)
    levels = [replace(workload, credits=level) for level in (0.0, 1.0)]
    if not any(resource.keeps_credit for resource in found.resources) or all(
        evaluate(offer_of(inputs, layout, level, nodes), level, nodes).time_s == found.time_s for level in levels
    ):
        idle.append(credit_level(workload))
    return tuple(idle)


def _idle_slots(
    inputs: Inputs, configuration: Configuration, workload: Workload, found: Evaluation
) -> tuple[Figure, ...]:
    """Return the figure of a node's task slots, if it does not affect the result.

    Otherwise, the result is an empty tuple.
    """
    job, slots, nodes = workload.job, workload.tasks.asked, float(configuration.nodes)
    if not isinstance(job, MapReduce) or slots is None:
        return ()
    for factor in FAR:
        tasks = replace(job.tasks, per_node=max(1, int(slots.value * factor)))
        varied = replace(workload, job=replace(job, tasks=tasks))
        offered = offer_of(replace(inputs, tasks=tasks), configuration.layout, varied, nodes)
        if evaluate(offered, varied, nodes).time_s != found.time_s:
            return ()
    return (slots,)


def _varied_at_once(inputs: Inputs) -> tuple[list[Figure], Inputs]:
    """Build inputs that vary many figures in a single evaluation.

    Each figure becomes far smaller and far larger. Only figures that the arithmetic accepts as arrays are varied.

    Returns
    -------
    figures : list of Figure, length n
    varied : Inputs
        Inputs in which the value of each figure is an array of shape (2 n,): elements 2 i and 2 i + 1 vary the i-th
        figure by `FAR`.
    """
    store = inputs.object_prices
    rates, framework = _figures(inputs, _RATES), _figures(inputs.framework, _OVERHEADS)
    requests = _figures(store, _REQUEST_PRICES)
    figures = [*rates.values(), *framework.values(), *requests.values(), *(() if store is None else store.stored)]
    values = np.array([figure.value for figure in figures])[:, None].repeat(len(FAR) * len(figures), axis=1)
    for index, row in enumerate(values):
        row[len(FAR) * index : len(FAR) * (index + 1)] *= FAR
    # Arrays in place of floats: only here, and only for figures that `offer_of` accepts as arrays.
    varied = iter([replace(figure, value=cast("float", row)) for figure, row in zip(figures, values, strict=True)])
    # Each zip takes as many arrays as it has names.
    of_rates: dict[str, Any] = dict(zip(rates, varied, strict=False))
    of_framework: dict[str, Any] = dict(zip(framework, varied, strict=False))
    of_store: dict[str, Any] = dict(zip(requests, varied, strict=False))
    return figures, replace(
        inputs,
        framework=replace(inputs.framework, **of_framework),
        object_prices=None if store is None else replace(store, **of_store, stored=tuple(varied)),
        **of_rates,
    )


def _variants(inputs: Inputs) -> Iterator[tuple[Figure, list[Inputs]]]:
    """Yield each figure that `_varied_at_once` leaves out, with varied inputs.

    The figure is far smaller in the first inputs, and far larger in the second.
    """
    for part, names in (("framework", _EFFICIENCIES), ("volume", _VOLUME_PRICES)):
        owner: Any = getattr(inputs, part)
        for name, figure in _figures(owner, names).items():
            scaled = (replace(owner, **{name: replace(figure, value=figure.value * factor)}) for factor in FAR)
            yield figure, [replace(inputs, **{part: varied}) for varied in scaled]


def _figures(owner: object, names: Iterable[str]) -> dict[str, Figure]:
    """Return the figures among the named fields of an object, by name.

    The result is empty if ``owner`` is None.
    """
    found = {name: getattr(owner, name, None) for name in names}
    return {name: figure for name, figure in found.items() if isinstance(figure, Figure)}
