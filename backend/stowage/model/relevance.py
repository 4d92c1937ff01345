"""Relevance of figures: which figures a result depends on.

A result depends on a figure if it changes when the figure is far worse or better.
"""

import math
from collections.abc import Iterable, Mapping
from dataclasses import replace
from typing import Any, cast

import numpy as np
from numpy.typing import NDArray

from stowage.frozen import frozen
from stowage.model.cluster import Configuration, Ebs, ordered
from stowage.model.figure import Figure, figures_of
from stowage.model.forecast import Evaluation, evaluate
from stowage.model.hardware.volume import orderable
from stowage.model.inputs import Inputs
from stowage.model.jobs.mapreduce import MapReduce
from stowage.model.jobs.random_io import RandomIo
from stowage.model.jobs.workload import Workload
from stowage.model.loss.exposure import loss_probabilities
from stowage.model.offer import Offer, offer_of
from stowage.model.provenance import credit_level, read_share

FAR = (1e-3, 1e3)
"""Factors that vary a figure, to check whether a result depends on it [1]."""

_RATES = (
    *("network", "network_baseline", "network_credit", "single_flow", "outside", "between_zones", "cpu"),
    *("ebs_maximum", "ebs_baseline", "ebs_maximum_iops", "ebs_baseline_iops"),
    *("storage_read", "storage_write", "storage_read_iops", "storage_write_iops"),
)
_OF_FRAMEWORK = (
    *("start_up", "log_nodes", "per_node"),
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


@frozen
class Relevance:
    """Figures of a prediction by whether its result depends on them."""

    limits: tuple[Figure, ...]
    """Limits of an EBS volume that affect the result: AWS' rules have thresholds and caps, of which only a few apply to
    a given volume."""
    idle: tuple[Figure, ...]
    """Other figures that were looked up but do not affect the result, such as the prices of tiers that are not reached.
    """


def relevance_of(
    inputs: Inputs, configuration: Configuration, workload: Workload, offered: Offer, found: Evaluation, lost: float
) -> Relevance:
    """Return which figures affect a result.

    Each figure becomes far smaller and far larger. The arithmetic evaluates all these variants at once, as arrays.

    Parameters
    ----------
    inputs, configuration, workload
        Those of the result.
    offered, found, lost
        The result: the offer of the configuration, its evaluation, and the chance that data is lost [1].
    """
    layout, nodes = configuration.layout, float(configuration.nodes)
    parts = _varied_figures(inputs)
    figures = [figure for part in parts.values() for figure in part.values()]
    count = len(FAR) * len(figures)
    levels = (0.0, 1.0) if found.keeps_credit else ()
    level = np.full(count + len(levels), workload.credits, np.float64)
    level[count:] = levels
    credited = replace(workload, credits=cast("float", level)) if levels else workload
    varied = _varied(inputs, parts, level.size)
    of = offer_of(varied, layout, credited, nodes, quantile=0.5)
    outcome = evaluate(of, credited, nodes)
    slower = np.broadcast_to(outcome.time_s != found.time_s, level.shape)
    changed: NDArray[np.bool_] = np.asarray(slower | (outcome.cost.total != found.cost.total))
    if varied.volume is not None and isinstance(layout, Ebs):
        changed |= ~orderable(ordered(varied.volume, layout, nitro=inputs.instance.on_nitro))
    matters = np.logical_or.reduce(changed[:count].reshape(-1, len(FAR)), axis=1)
    # If time and cost are unchanged, only the rate of repairs can change the chance of loss.
    repairs = np.broadcast_to(of.repair_mb_per_s, level.shape)[:count].reshape(-1, len(FAR))
    repaired = (repairs != offered.repair_mb_per_s) & ~matters[:, np.newaxis]
    if repaired.any():
        exposure_s = workload.exposure_s(float(found.time_s))
        exposed = [(inputs, rate, configuration, workload, exposure_s) for rate in repairs[repaired].tolist()]
        repaired[repaired] = np.array(loss_probabilities(exposed)) != lost
        matters |= np.logical_or.reduce(repaired, axis=1)
    others = len(figures) - len(parts["limits"]) - len(parts["performance"])
    idle = [figure for figure, kept in zip(figures[:others], matters[:others], strict=True) if not kept]
    idle += [
        *_idle_shares(workload, inputs, offered, found, nodes),
        *_idle_slots(inputs, configuration, workload, found),
    ]
    if not slower[count:].any():
        idle.append(credit_level(workload))
    return Relevance(
        limits=tuple(figure for figure, kept in zip(figures[others:], matters[others:], strict=True) if kept),
        idle=tuple(idle),
    )


def _varied_figures(inputs: Inputs) -> dict[str, Mapping[str, Figure]]:
    """Return the figures to vary, by the part of the inputs that has them, and by name; limits of volumes are last."""
    volume, store = inputs.volume, inputs.object_prices
    return {
        "inputs": _figures(inputs, _RATES),
        "framework": _figures(inputs.framework, _OF_FRAMEWORK),
        "requests": _figures(store, _REQUEST_PRICES),
        "stored": {} if store is None else {str(place): figure for place, figure in enumerate(store.stored)},
        "volume": _figures(volume, _VOLUME_PRICES),
        "limits": {} if volume is None else figures_of(volume.limits),
        "performance": {} if volume is None else figures_of(volume.limits.performance),
    }


def _varied(inputs: Inputs, parts: Mapping[str, Mapping[str, Figure]], size: int) -> Inputs:
    """Return inputs in which the value of each figure of the parts is an array of shape (size,).

    Elements 2 i and 2 i + 1 vary the i-th figure by `FAR`.
    """
    changes: dict[str, dict[str, Any]] = {}
    start = 0
    for part, figures in parts.items():
        changes[part] = {}
        for name, figure in figures.items():
            values = np.full(size, figure.value, np.float64)
            values[start : start + len(FAR)] *= FAR
            start += len(FAR)
            # An array in place of a float: only here.
            changes[part][name] = replace(figure, value=cast("float", values))
    volume, store = inputs.volume, inputs.object_prices
    if store is not None:
        store = replace(store, **changes["requests"], stored=tuple(changes["stored"].values()))
    if volume is not None:
        performance = replace(volume.limits.performance, **changes["performance"])
        limits = replace(volume.limits, **changes["limits"], performance=performance)
        volume = replace(volume, **changes["volume"], limits=limits)
    framework = replace(inputs.framework, **changes["framework"])
    return replace(inputs, **changes["inputs"], framework=framework, object_prices=store, volume=volume)


def _figures(owner: object, names: Iterable[str]) -> dict[str, Figure]:
    """Return the figures among the named fields of an object, by name.

    The result is empty if ``owner`` is None.
    """
    found = {name: getattr(owner, name, None) for name in names}
    return {name: figure for name, figure in found.items() if isinstance(figure, Figure)}


def _idle_shares(
    workload: Workload, inputs: Inputs, offered: Offer, found: Evaluation, nodes: float
) -> tuple[Figure, ...]:
    """Return the share of reads among random I/Os, if it does not affect the result.

    Otherwise, the result is an empty tuple.
    """
    job = workload.job
    if not isinstance(job, RandomIo) or (inputs.storage_read is None and inputs.storage_read_iops is None):
        return ()
    # Another limit may be so low that the mix of reads and writes on the disks does not matter.
    lopsided = (replace(workload, job=replace(job, read_share=share)) for share in (0.0, 1.0))
    if all(math.isclose(evaluate(offered, varied, nodes).time_s, found.time_s) for varied in lopsided):
        return (read_share(job),)
    return ()


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
