"""Outlook: cost of a job over the coming months, with growing data.

The outlook compares purchase options, and finds the break-even of commitments. The job is predicted for each month, on
that month's data. The layout of a node does not change. If the data no longer fits, or the deadline is no longer met,
the fewest sufficient nodes are added. Nodes are never released, because commitments cannot be ended early.
"""

from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import accumulate
from typing import get_args

import numpy as np
from numpy.typing import NDArray

from stowage.frozen import frozen
from stowage.model.cluster import Configuration, Ebs, Layout, fewest_nodes, ordered
from stowage.model.forecast import evaluate, forecast
from stowage.model.hardware.catalog import Catalog
from stowage.model.hardware.profile import Profiles
from stowage.model.hardware.volume import performance
from stowage.model.infeasible import Infeasible
from stowage.model.inputs import Inputs, gather
from stowage.model.jobs.head import head_of
from stowage.model.jobs.random_io import RandomIo
from stowage.model.jobs.spelled import FreePhases
from stowage.model.jobs.workload import Commitment, Job, Workload
from stowage.model.money.price import SECONDS_PER_MONTH, Purchase
from stowage.model.money.spot import NEVER_FINISHES
from stowage.model.offer import offer_of
from stowage.model.prediction import Prediction, Range, predict_from
from stowage.model.units import HOURS_PER_MONTH

TERMS_MONTHS: dict[Purchase, int] = {"1-year": 12, "3-year": 36}
"""Terms of the purchase options that are commitments [months]."""

MOST_NODES = 100_000
"""Most nodes to consider, if the workload has no limit of its own."""

MOST_DATA_MB = 1e18
"""Largest data size for which node counts are exact as floats [MB]."""

_AT_ONCE = 4_096


@frozen
class Month:
    """One predicted month under one purchase option."""

    number: int
    """Number of the month; 1 is the current month."""
    data_mb: float
    """Data of one run [MB]."""
    nodes: int
    """Fewest nodes that are sufficient, at least 1, and never fewer than in an earlier month."""
    time_s: Range
    """Time of one run [s]."""
    run_usd: Range
    """Cost of one run [USD]; for an always-on cluster, cost of the month."""
    month_usd: Range
    """Cost of the month [USD]."""
    used: float
    """Billed hours of a node as a share of the month's hours [1]; above 1 if several clusters run at the same time."""
    owed_usd: float
    """Remaining cost of commitments if the job ended with this month [USD]."""


@frozen
class Spending:
    """Predictions for all months under one purchase option."""

    purchase: Purchase
    months: tuple[Month, ...]
    """Feasible months, from the first on; fewer than requested if a month is infeasible."""
    end: Infeasible | None
    """Reason why the month after `months` is infeasible; None if all requested months are feasible."""
    usd_per_hour: float
    """Price of a node [USD/h], above 0."""

    @property
    def sums_usd(self) -> tuple[float, ...]:
        """Median total that is paid by the end of each month [USD]."""
        return tuple(accumulate(month.month_usd.p50 for month in self.months))

    @property
    def stopped_usd(self) -> tuple[float, ...]:
        """Total cost for each month, if the job ends with this month [USD].

        Commitments are paid until the end of their term.
        """
        return tuple(paid + month.owed_usd for paid, month in zip(self.sums_usd, self.months, strict=True))


@frozen
class BreakEven:
    """Break-even of one commitment against another purchase option."""

    commitment: Purchase
    against: Purchase
    month: int | None
    """First month after which the job can end without a loss: the commitment, including its remaining payments, then
    costs no more than the other option. None if there is no such month. In each later term, the job must again run for
    this number of months to break even."""


@frozen
class Outlook:
    """Cost of one configuration over the coming months."""

    configuration: Configuration
    """Configuration in the first month."""
    growth: float
    """Growth of the data from month to month [1]: 0.03 for 3% more."""
    months: int
    """Requested months, at least 1."""
    commitment: Commitment
    """Whether the job pays for all hours of a commitment, or only for the hours that it uses."""
    spendings: tuple[Spending, ...]
    """Spending under each purchase option, in the order of `Purchase`."""
    missing: tuple[tuple[Purchase, Infeasible], ...]
    """Purchase options that have no price, or for which the first month is infeasible."""
    break_evens: tuple[BreakEven, ...]
    """Break-even of each commitment against on-demand and against spot."""

    def under(self, purchase: Purchase) -> Spending | None:
        """Return the spending under a purchase option.

        The result is None if that option is missing.
        """
        return next((spending for spending in self.spendings if spending.purchase == purchase), None)


def outlook(
    configuration: Configuration,
    workload: Workload,
    catalog: Catalog,
    profiles: Profiles,
    *,
    growth: float,
    months: int,
    commitment: Commitment = "alone",
    purchases: Sequence[Purchase] = get_args(Purchase),
) -> Outlook:
    """Compute the cost of a configuration over the coming months.

    Parameters
    ----------
    configuration : Configuration
        Its instance and volume type must be in the catalog. Its node count is the minimum for every month.
    workload : Workload
        Workload of the first month. Its `objective` decides whether each run launches a cluster, or the cluster is
        always on (``month``).
    catalog : Catalog
        Its prices apply to all months.
    profiles : Profiles
    growth : float
        Growth of the data from month to month [1], above -1.
    months : int
        At least 1.
    commitment : Commitment
        ``alone``: this job pays for all hours of a commitment; ``used``: it pays for the hours that it uses, and other
        jobs pay for the rest.
    purchases : sequence of Purchase
        Purchase options to compare.

    Returns
    -------
    Outlook

    Notes
    -----
    A commitment begins with a month, for the nodes of that month, and lasts for whole terms. Nodes that are added
    later are committed from their own first month on. When a term ends, another begins while the job runs. Payments
    are spread evenly over the months of a term, as in `InstanceType`. With growth 0 all months are equal.
    """
    # The time of a job depends on the purchase option only by interruptions: node counts are shared between options.
    looked: _Looked = {}
    spendings: list[Spending] = []
    missing: list[tuple[Purchase, Infeasible]] = []
    for purchase in purchases:
        place = replace(workload.place, purchase=purchase, commitment=commitment)
        found = _spending(configuration, replace(workload, place=place), catalog, profiles, growth, months, looked)
        if isinstance(found, Infeasible):
            missing.append((purchase, found))
        else:
            spendings.append(found)
    break_evens = _break_evens(spendings)
    return Outlook(configuration, growth, months, commitment, tuple(spendings), tuple(missing), break_evens)


def grown(job: Job, factor: float) -> Job:
    """Return a job with its data multiplied by a factor.

    Parameters
    ----------
    job : Job
    factor : float
        Factor [1], above 0, by which flows and stored data are multiplied. A number of partitions that the user gave
        does not change.
    """
    data_mb = job.data_mb * factor
    if isinstance(job, RandomIo):
        return replace(job, data_mb=data_mb, working_set_mb=job.working_set_mb * factor)
    if isinstance(job, FreePhases):
        spelled = tuple(
            (name, {role: flow_mb * factor for role, flow_mb in flows.items()}) for name, flows in job.spelled
        )
        return replace(job, data_mb=data_mb, spelled=spelled, intermediate_mb=job.intermediate_mb * factor)
    return replace(job, data_mb=data_mb)


def _spending(
    configuration: Configuration,
    workload: Workload,
    catalog: Catalog,
    profiles: Profiles,
    growth: float,
    months: int,
    looked: "_Looked",
) -> Spending | Infeasible:
    purchase, layout = workload.place.paid_by, configuration.layout
    if purchase == "spot" and workload.objective == "month":
        return Infeasible("price unknown", "nodes at spot prices do not stay", "a cluster for each run")
    volume = catalog.volume_types[layout.volume_type] if isinstance(layout, Ebs) else None
    inputs = gather(catalog.instance_types[configuration.instance], volume, workload, catalog, profiles)
    if isinstance(inputs, Infeasible):
        return inputs
    ledger = _Ledger(inputs, workload)
    found: list[Month] = []
    nodes, before = configuration.nodes, None
    end: Infeasible | None = None
    for number in range(1, months + 1):
        job = grown(workload.job, (1.0 + growth) ** (number - 1))
        of_month = replace(workload, job=job)
        if before is None or growth != 0.0:
            done = _done(inputs, replace(configuration, nodes=nodes), of_month, catalog, looked)
            if isinstance(done, Infeasible):
                end = done
                break
            before = done
        nodes = before.configuration.nodes
        run_usd, month_usd = _costs(before, of_month)
        used = 1.0 if workload.objective == "month" else before.billed_s * workload.runs_per_month / SECONDS_PER_MONTH
        owed_usd = ledger.owed_usd(number, nodes)
        found.append(Month(number, job.data_mb, nodes, before.time_s, run_usd, month_usd, used, owed_usd))
    if end is not None and not found:
        return end
    return Spending(purchase, tuple(found), end, inputs.price.value)


def _break_evens(spendings: Sequence[Spending]) -> tuple[BreakEven, ...]:
    """Return the break-evens of all commitments.

    Each commitment is compared with on-demand and with spot.
    """
    by_purchase = {spending.purchase: spending for spending in spendings}
    return tuple(
        BreakEven(kind, other, _break_even(by_purchase[kind], by_purchase[other]))
        for kind in TERMS_MONTHS
        for other in get_args(Purchase)
        if other not in TERMS_MONTHS and {kind, other} <= by_purchase.keys()
    )


def _break_even(commitment: Spending, other: Spending) -> int | None:
    pairs = zip(commitment.stopped_usd, other.sums_usd, commitment.months, strict=False)
    return next((month.number for stopped_usd, paid_usd, month in pairs if stopped_usd <= paid_usd), None)


def _costs(prediction: Prediction, workload: Workload) -> tuple[Range, Range]:
    """Return the cost of a run and the cost of a month.

    For an always-on cluster, both are the cost of the month.
    """
    if workload.objective == "month":
        stays = Range(*[prediction.always_on_usd] * 3)
        return stays, stays
    run, runs = prediction.cost_usd, workload.runs_per_month
    return run, Range(run.p10 * runs, run.p50 * runs, run.p90 * runs)


class _Ledger:
    """Ledger of the remaining payments of commitments.

    Nodes that are added in a month begin a separate term.
    """

    def __init__(self, inputs: Inputs, workload: Workload) -> None:
        self._term = TERMS_MONTHS.get(workload.place.paid_by)
        if workload.place.commitment == "used" and workload.objective != "month":
            self._term = None
        self._usd = inputs.price.value * HOURS_PER_MONTH
        stays = workload.objective == "month" and inputs.head_price is not None
        self._head_usd = inputs.head_price.value * HOURS_PER_MONTH if stays and inputs.head_price is not None else 0.0
        self._added: list[tuple[int, int]] = []

    def owed_usd(self, number: int, nodes: int) -> float:
        """Return the remaining payments at the end of a month [USD].

        Callers pass the months in ascending order.
        """
        if self._term is None:
            return 0.0
        committed = sum(count for _, count in self._added)
        if nodes > committed:
            self._added.append((number, nodes - committed))
        owed_usd = self._head_usd * self._left(self._term, number, 1)
        return owed_usd + sum(self._usd * count * self._left(self._term, number, since) for since, count in self._added)

    @staticmethod
    def _left(term: int, number: int, since: int) -> int:
        return term - 1 - (number - since) % term


_Looked = dict[tuple[bool, float, int], int | Infeasible]
"""Cache: (whether on spot instances, data [MB], minimum nodes) -> fewest sufficient nodes."""


def _done(
    inputs: Inputs, configuration: Configuration, workload: Workload, catalog: Catalog, looked: _Looked
) -> Prediction | Infeasible:
    """Predict a job on the smallest sufficient cluster.

    A cluster is sufficient if it holds the data and meets the deadline. It has at least as many nodes as
    ``configuration``.
    """
    if workload.job.data_mb > MOST_DATA_MB:
        return Infeasible("capacity", f"{workload.job.data_mb:.3g} MB cannot be counted", "less than 10^18 MB")
    # Try the current nodes first: most months need no more.
    found = _predicted(inputs, configuration, workload)
    if isinstance(found, Infeasible) and found.limit not in {"capacity", "copies"}:
        return found
    if isinstance(found, Infeasible) or _is_late(found, workload):
        key = (workload.place.purchase == "spot", workload.job.data_mb, configuration.nodes)
        if key not in looked:
            most = _most_nodes(inputs, configuration, workload, catalog)
            looked[key] = _fewest(inputs, configuration, workload, most)
        nodes = looked[key]
        if isinstance(nodes, Infeasible):
            return nodes
        found = _predicted(inputs, replace(configuration, nodes=nodes), workload)
    return found


def _predicted(inputs: Inputs, configuration: Configuration, workload: Workload) -> Prediction | Infeasible:
    found = predict_from(inputs, configuration, workload.at(configuration.nodes), sources=False)
    if isinstance(found, Infeasible):
        return found
    work_s = sum(float(phase.time_s) for phase in found.phases if phase.kind != "rework")
    if found.time_s.p50 > NEVER_FINISHES * work_s:
        return Infeasible("never finishes", "on spot instances it is interrupted too often to finish")
    return found


def _is_late(found: Prediction, workload: Workload) -> bool:
    limits = workload.limits
    if limits.deadline_s is None:
        return False
    if limits.chance is None:
        return found.time_s.p50 > limits.deadline_s
    return found.meets_deadline is not None and found.meets_deadline < limits.chance


def _fewest(inputs: Inputs, configuration: Configuration, workload: Workload, most: int) -> int | Infeasible:
    """Return the smallest sufficient node count.

    The cluster must hold the data and meet the deadline. It has at least as many nodes as ``configuration``.
    """
    layout, needed = configuration.layout, 0
    for of_range, first, last in workload.by_replication(most):
        needed = fewest_nodes(layout, inputs.instance, of_range)
        start = max(configuration.nodes, first, needed)
        late = start - 1
        for nodes in _stretches(start, last, coarse=workload.stragglers is not None):
            in_time = np.broadcast_to(_in_time(inputs, layout, of_range, nodes), nodes.shape)
            place = int(np.argmax(in_time))
            if in_time[place]:
                late = int(nodes[place - 1]) if place > 0 else late
                return _first_between(inputs, layout, of_range, late, int(nodes[place]))
            late = int(nodes[-1])
    if needed > most:
        reason = f"{needed:,} × {inputs.instance.name} would be needed to hold the data; at most {most:,} are accepted"
        return Infeasible("max nodes", reason, f"{needed:,} nodes with this layout", needed_nodes=needed)
    return Infeasible("deadline", f"no number of nodes up to {most:,} × {inputs.instance.name} meets the deadline")


def _stretches(first: int, last: int, *, coarse: bool) -> Iterator[NDArray[np.float64]]:
    """Yield the node counts from ``first`` to ``last`` in arrays of growing size.

    The first arrays are short because the smallest sufficient count is usually near ``first``. With ``coarse``, each
    count is a tenth above the previous count. This is for workloads with slow nodes, for which the evaluation of a
    count takes a thousand times as long.
    """
    if coarse:
        counts = {first, last} if first <= last else set()
        nodes = float(first)
        while nodes < last:
            counts.add(int(nodes))
            nodes = max(nodes + 1.0, 1.1 * nodes)
        counted = np.array(sorted(counts), dtype=np.float64)
        yield from (counted[place : place + 2] for place in range(0, counted.size, 2))
        return
    size = 16
    while first <= last:
        yield np.arange(first, min(first + size, last + 1), dtype=np.float64)
        first, size = first + size, min(4 * size, _AT_ONCE)


def _first_between(inputs: Inputs, layout: Layout, workload: Workload, late: int, in_time: int) -> int:
    """Return the fewest nodes that meet the deadline, by bisection.

    ``late`` nodes miss the deadline, and ``in_time`` nodes meet it.
    """
    while in_time - late > 1:
        middle = (late + in_time) // 2
        if np.all(_in_time(inputs, layout, workload, np.array([float(middle)]))):
            in_time = middle
        else:
            late = middle
    return in_time


def _in_time(
    inputs: Inputs, layout: Layout, workload: Workload, nodes: NDArray[np.float64]
) -> NDArray[np.bool_] | np.bool_:
    limits = workload.limits
    if limits.deadline_s is None:
        return np.True_
    if limits.chance is None:
        # Only the median: for workloads with slow nodes, the range around it takes many times as long.
        median = offer_of(inputs, layout, workload, nodes, quantile=0.5)
        return np.less_equal(evaluate(median, workload, nodes).time_s, limits.deadline_s)
    found = forecast(offer_of(inputs, layout, workload, nodes), workload, nodes)
    return np.greater_equal(0.0 if found.meets_deadline is None else found.meets_deadline, limits.chance)


def _most_nodes(inputs: Inputs, configuration: Configuration, workload: Workload, catalog: Catalog) -> int:
    """Return the most nodes that the limits and quotas of the workload allow."""
    instance, layout, quotas = inputs.instance, configuration.layout, workload.quotas
    primary = head_of(workload, instance, catalog.instance_types)
    ceilings: list[float | None] = [
        MOST_NODES if workload.limits.max_nodes is None else workload.limits.max_nodes,
        quotas.most_nodes(instance, workload.place.zones, workload.head_nodes * primary.vcpus.value),
    ]
    if isinstance(layout, Ebs) and inputs.volume is not None and layout.volume_type in quotas.volumes:
        quota = quotas.volumes[layout.volume_type]
        # Included IOPS count too, as they do for AWS and in the search.
        iops = float(performance(ordered(inputs.volume, layout, nitro=instance.on_nitro)).baseline_iops)
        ceilings += [
            None if quota.size_gib is None else quota.size_gib // (layout.count * layout.size_gib),
            None if quota.iops is None else quota.iops // (layout.count * iops),
        ]
    return int(min(ceiling for ceiling in ceilings if ceiling is not None))
