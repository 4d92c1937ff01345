"""Break-even: the value of one rate or price at which a configuration would win.

Each value is searched in the form in which the model takes it: as a rate under ``measured``, as a catalog price, or as
a figure of the model. So the configuration wins in a prediction with the value that was found.
"""

import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from functools import partial
from typing import Any, Literal

from stowage.model.cluster import Configuration, Ebs, InstanceStore
from stowage.model.figure import Figure, given
from stowage.model.hardware.catalog import Catalog
from stowage.model.hardware.instance import InstanceType
from stowage.model.hardware.profile import Profiles
from stowage.model.infeasible import Infeasible, Limit
from stowage.model.inputs import Inputs
from stowage.model.jobs.workload import Workload
from stowage.model.money.price import Purchase
from stowage.model.offer import offer_of
from stowage.model.rates import Rates
from stowage.model.units import Quantity
from stowage.optimizer.outcome import FIXED, Outcome, OutcomeKey, inputs_of, order, outcome_from, outcome_of

Lever = Literal["network", "storage", "storage IOPS", "EBS link", "object store", "CPU", "price"]
Verdict = Literal["found", "never", "limit", "unknown"]
"""Whether a value was found; if not: none is enough, a limit is broken at any value, or a figure is missing."""

FARTHEST = 1_000.0
"""Largest factor by which a rate is increased, or a price divided [1]."""

UNKNOWN_FROM, UNKNOWN_TO = 1.0, 1e6
"""Range in which an unknown rate is searched [MB/s]."""

_STRIDE = 1.25
_CLOSE = 1.0001
NEVER_LIMITS = 1e9
"""A rate that never limits [MB/s]."""

PUBLISHED_LINK = ("ebs_maximum_mb_per_s", "ebs_baseline_mb_per_s", "ebs_maximum_iops", "ebs_baseline_iops")
"""Figures that AWS publishes for an instance's link to EBS."""

_PRICED: dict[Purchase, str] = {
    "on-demand": "usd_per_hour",
    "spot": "spot_usd_per_hour",
    "1-year": "one_year_usd_per_hour",
    "3-year": "three_year_usd_per_hour",
}


@dataclass(frozen=True, slots=True)
class Overturn:
    """Value of one quantity with which a configuration would win, all else equal.

    Parameters
    ----------
    lever : Lever
    unit : str
    now : float or None
        Current value of the quantity in a cluster of the configuration's size; None if unknown.
    needed : float or None
        Winning value nearest to ``now``, rounded away from ``now`` to three significant digits (a price to four
        digits); None if no value wins.
    verdict : Verdict
    at_most : Outcome or None
        Outcome with the most favorable value that was tried, if even that does not win.
    obstacle : Infeasible or None
        Reason why no outcome can be computed: another figure is unknown.
    """

    lever: Lever
    unit: str
    now: float | None
    needed: float | None
    verdict: Verdict
    at_most: Outcome | None = None
    obstacle: Infeasible | None = None


@dataclass(frozen=True, slots=True)
class _Trial:
    """A quantity whose value is varied, and the configuration's outcome as a function of that value."""

    lever: Lever
    unit: str
    now: float | None
    outcome: Callable[[float], Outcome | Infeasible]

    def values(self, *, worse: bool = False) -> Iterator[float]:
        """Yield values to try, from the current value to an unrealistic value, each better than the previous value.

        With ``worse``, each value is worse than the previous value.
        """
        start, farthest = UNKNOWN_FROM, UNKNOWN_TO / UNKNOWN_FROM
        if self.now is not None:
            start, farthest = self.now, FARTHEST
        falls = (self.lever == "price") != worse
        for stride in range(math.ceil(math.log(farthest, _STRIDE)) + 1):
            factor = min(_STRIDE**stride, farthest)
            yield start / factor if falls else start * factor


def overturns(
    configuration: Configuration,
    workload: Workload,
    winner: OutcomeKey | None,
    catalog: Catalog,
    profiles: Profiles,
) -> tuple[Overturn, ...]:
    """Compute, for each quantity, the value with which a configuration would win, all else equal.

    Parameters
    ----------
    configuration : Configuration
        Configuration to check; its node count and layout do not change.
    workload : Workload
        Workload with the limits that a winning configuration must meet, and the objective by which it must rank before
        ``winner``.
    winner : OutcomeKey or None
        Sort key of the current winner; None if no configuration meets the limits, so that any configuration that meets
        them would win.
    catalog, profiles
    """
    wins = partial(_is_before, workload=workload, other=winner)
    return tuple(_needed(trial, wins) for trial in _trials(configuration, workload, catalog, profiles))


def margins(
    configuration: Configuration,
    workload: Workload,
    runner_up: OutcomeKey | None,
    catalog: Catalog,
    profiles: Profiles,
) -> tuple[Overturn, ...]:
    """Compute how much worse each quantity of a winner may get before another configuration wins, all else equal.

    Parameters
    ----------
    configuration, workload, catalog, profiles
        As for `overturns`.
    runner_up : OutcomeKey or None
        Sort key of the configuration that would win instead; None if no other configuration meets the limits, so that
        the winner wins as long as it meets them.

    Returns
    -------
    tuple of Overturn
        In each, ``needed`` is the worst value found with which the winner still wins; None if the winner wins even with
        a value that is worse by the factor `FARTHEST`.
    """
    wins = partial(_is_before, workload=workload, other=runner_up)
    found = []
    for trial in _trials(configuration, workload, catalog, profiles):
        still: float | None = None
        for value in trial.values(worse=True):
            if not wins(trial.outcome(value)):
                needed = None if still is None else between(value, still, _tried(trial, wins), trial.lever)
                found.append(Overturn(trial.lever, trial.unit, trial.now, needed, "found"))
                break
            still = value
        else:
            found.append(Overturn(trial.lever, trial.unit, trial.now, None, "never"))
    return tuple(found)


def _is_before(outcome: Outcome | Infeasible, *, workload: Workload, other: OutcomeKey | None) -> bool:
    """Return whether an outcome meets the limits and ranks before ``other``, if there is any other."""
    if isinstance(outcome, Infeasible) or outcome.broken:
        return False
    return other is None or order(outcome, workload) < other


def _tried(trial: _Trial, wins: Callable[[Outcome | Infeasible], bool]) -> Callable[[float], bool]:
    return lambda value: wins(trial.outcome(value))


def _needed(trial: _Trial, wins: Callable[[Outcome | Infeasible], bool]) -> Overturn:
    """Find the nearest winning value by trying values in steps, then by bisection within the step that wins.

    The steps are needed because a higher rate does not always lead to a better outcome.
    """

    def answer(needed: float | None, verdict: Verdict, outcome: Outcome | Infeasible | None = None) -> Overturn:
        at_most = outcome if isinstance(outcome, Outcome) else None
        obstacle = outcome if isinstance(outcome, Infeasible) else None
        return Overturn(trial.lever, trial.unit, trial.now, needed, verdict, at_most, obstacle)

    loses: float | None = None
    last: Outcome | Infeasible | None = None
    for value in trial.values():
        last = trial.outcome(value)
        if isinstance(last, Infeasible):
            return answer(None, "unknown", last)
        if any(broken.limit in FIXED for broken in last.broken):
            return answer(None, "limit", last)
        if wins(last):
            break
        loses = value
    else:
        return answer(None, "never", last)
    if loses is None:
        return answer(rounded(value, trial.lever), "found")
    return answer(between(loses, value, _tried(trial, wins), trial.lever), "found")


def between(loses: float, wins: float, tried: Callable[[float], bool], lever: Lever) -> float:
    """Return a winning value close to a losing value, by bisection between ``loses`` and ``wins``.

    The value is rounded if the rounded value wins, too.
    """
    while max(loses, wins) / min(loses, wins) > _CLOSE:
        middle = math.sqrt(loses * wins)
        if tried(middle):
            wins = middle
        else:
            loses = middle
    value = rounded(wins, lever)
    return value if tried(value) else wins


def rounded(value: float, lever: Lever) -> float:
    """Round a rate up to three significant digits, a price down to four.

    Examples
    --------
    >>> rounded(1041.2, "network"), rounded(1.23456, "price")
    (1050.0, 1.234)
    """
    digits = 4 if lever == "price" else 3
    unit = 10.0 ** (math.floor(math.log10(value)) - digits + 1)
    # Drop the last bits, which users would not type.
    places = value / unit
    whole = math.floor(places + 1e-9) if lever == "price" else math.ceil(places - 1e-9)
    return float(f"{whole * unit:.6g}")


def _trials(configuration: Configuration, workload: Workload, catalog: Catalog, profiles: Profiles) -> Iterator[_Trial]:
    """Yield a trial for each quantity that affects a configuration's time and cost."""
    inputs, assumed = filled(configuration, workload, catalog, profiles)
    if isinstance(inputs, Infeasible):
        return
    case = _Case(configuration, workload, catalog, profiles, inputs, frozenset(assumed))
    found = (
        case.network(),
        case.storage(),
        case.storage_iops(),
        case.published_link() if inputs.ebs_baseline is not None else case.measured_link(),
        case.object_store(),
        case.cpu(),
        case.price(),
    )
    yield from (trial for trial in found if trial is not None)


@dataclass(frozen=True, slots=True)
class _Case:
    """A configuration with its figures; unknown rates, named in ``assumed``, are so high that they never limit."""

    configuration: Configuration
    workload: Workload
    catalog: Catalog
    profiles: Profiles
    inputs: Inputs
    assumed: frozenset[str]

    @property
    def rates(self) -> Rates:
        """Return the rates of a node in a cluster of the configuration's size."""
        return rates_of(self.inputs, self.configuration, self.workload)

    def measured(self, **rates: float) -> Outcome | Infeasible:
        """Return the outcome with ``rates`` in place of the user's measured rates."""
        workload = with_measured(self.workload, self.configuration.instance, **rates)
        return outcome_of(self.configuration, workload, self.catalog, self.profiles)

    def sold(self, **figures: Figure) -> Outcome | Infeasible:
        """Return the outcome with ``figures`` in place of those of the instance type in the catalog."""
        others: dict[str, Any] = {**figures}
        instance = replace(self.inputs.instance, **others)
        return outcome_of(self.configuration, self.workload, self.catalog, self.profiles, instance)

    def with_inputs(self, **figures: Figure | None) -> Outcome:
        """Return the outcome with ``figures`` in place of those in ``inputs``; no figure may be unknown."""
        others: dict[str, Any] = {**figures}
        asked = self.workload.at(self.configuration.nodes)
        return outcome_from(replace(self.inputs, **others), self.configuration, asked, self.catalog)

    @property
    def complete(self) -> bool:
        """Return whether every figure is known."""
        return not self.assumed and self.inputs.network_gap is None

    def network(self) -> _Trial | None:
        """Return the trial of the network rate, as NetBench measures it: `measured.network_mb_per_s`."""
        needed = self.configuration.nodes > 1 or self.workload.talks_outside
        if self.workload.assume.network == "unlimited" or not needed:
            return None
        now = sustained_network(self.rates)
        return _Trial("network", "MB/s", now, lambda value: self.measured(network_mb_per_s=value))

    def storage(self) -> _Trial | None:
        """Return the trial of the disk rate, as DiskBench measures it: `measured.storage_mb_per_s`."""
        if not (isinstance(self.configuration.layout, InstanceStore) or self.workload.job.intermediate_mb > 0.0):
            return None
        now = None
        if "storage_mb_per_s" not in self.assumed:
            now = _disk_bench(self.rates, self.inputs.instance, self.configuration)
        if not self.complete:
            return _Trial("storage", "MB/s", now, lambda value: self.measured(storage_mb_per_s=value))

        def outcome(value: float) -> Outcome:
            # The spread of random I/O does not change: it comes from all measurements of the disks.
            figure = given("measured.storage_mb_per_s", value, "MB/s")
            return self.with_inputs(storage=figure, storage_read=None, storage_write=None)

        return _Trial("storage", "MB/s", now, outcome)

    def storage_iops(self) -> _Trial | None:
        """Return the trial of the disks' random IOPS: `measured.storage_iops`."""
        if not isinstance(self.configuration.layout, InstanceStore) or self.workload.job.random_io_kib is None:
            return None
        rates = self.rates
        now = None if "storage_iops" in self.assumed else _least(rates.disk_iops, rates.disk_write_iops)
        return _Trial("storage IOPS", "1/s", now, lambda value: self.measured(storage_iops=value))

    def measured_link(self) -> _Trial | None:
        """Return the trial of the read rate of the EBS link; the write rate changes in proportion."""
        if not isinstance(self.configuration.layout, Ebs):
            return None
        written, now, rates = 1.0, None, self.rates
        if not self.assumed and rates.ebs_read is not None and rates.ebs_write is not None:
            written, now = float(rates.ebs_write / rates.ebs_read), float(rates.ebs_read)

        def outcome(value: float) -> Outcome | Infeasible:
            return self.measured(ebs_read_mb_per_s=value, ebs_write_mb_per_s=written * value)

        return _Trial("EBS link", "MB/s", now, outcome)

    def published_link(self) -> _Trial | None:
        """Return the trial of the published baseline of the EBS link; its burst rate and IOPS change in proportion."""
        figures = {name: getattr(self.inputs.instance, name) for name in PUBLISHED_LINK}
        known: dict[str, Figure] = {name: figure for name, figure in figures.items() if figure is not None}
        baseline = known["ebs_baseline_mb_per_s"].value

        def outcome(value: float) -> Outcome | Infeasible:
            factor = value / baseline
            return self.sold(**{name: replace(figure, value=figure.value * factor) for name, figure in known.items()})

        return _Trial("EBS link", "MB/s", baseline, outcome)

    def object_store(self) -> _Trial | None:
        """Return the trial of the rate between a node and the object store: `measured.object_store_mb_per_s`."""
        now = _least(self.rates.object_store)
        if now is None:
            return None
        return _Trial("object store", "MB/s", now, lambda value: self.measured(object_store_mb_per_s=value))

    def cpu(self) -> _Trial | None:
        """Return the trial of the CPU rate, which is a figure of the model that users cannot enter."""
        cpu = self.inputs.cpu
        if cpu is None or not self.complete:
            return None
        return _Trial("CPU", cpu.unit, cpu.value, lambda value: self.with_inputs(cpu=replace(cpu, value=value)))

    def price(self) -> _Trial | None:
        """Return the trial of the type's price, with the workload's purchase option."""
        name, price = _PRICED[self.workload.place.paid_by], self.inputs.price
        return _Trial("price", "USD/h", price.value, lambda value: self.sold(**{name: replace(price, value=value)}))


def with_measured(workload: Workload, instance: str, **values: float) -> Workload:
    """Return the workload with ``values`` as the user's measured rates for one instance type."""
    rates: dict[str, Any] = {**values}
    return replace(workload, measured=replace(workload.measured_of(instance), instance=instance, **rates))


def rates_of(inputs: Inputs, configuration: Configuration, workload: Workload) -> Rates:
    """Return the rates of a node's parts in a cluster of a configuration's size."""
    asked, nodes = workload.at(configuration.nodes), float(configuration.nodes)
    return offer_of(inputs, configuration.layout, asked, nodes, quantile=0.5).rates


def sustained_network(rates: Rates) -> float | None:
    """Return the sustained network rate of a node [MB/s]; None if it is unlimited or unknown."""
    return _least(
        rates.network if rates.network_baseline is None else rates.network_baseline, rates.flows_between_nodes
    )


def _disk_bench(rates: Rates, instance: InstanceType, configuration: Configuration) -> float | None:
    """Return the rate that DiskBench would measure on the slowest node, with half of the disks reading [MB/s]."""
    layout, disks = configuration.layout, instance.disk_count.value
    if isinstance(layout, InstanceStore):
        part, slower = float(layout.input_output_disks), _least(rates.input_output_disks, rates.input_output_writes)
    else:
        part, slower = disks, _least(rates.intermediate_disks, rates.intermediate_writes)
    return None if slower is None else slower / part * disks / 2.0


def _least(*rates: Quantity | None) -> float | None:
    return min((float(rate) for rate in rates if rate is not None), default=None)


FILLINGS: dict[Limit, tuple[str, ...]] = {
    "storage bandwidth unknown": ("storage_mb_per_s",),
    "storage IOPS unknown": ("storage_iops",),
    "EBS bandwidth unknown": ("ebs_read_mb_per_s", "ebs_write_mb_per_s"),
}
"""Rates that a user would have to measure if they are unknown."""


def filled(
    configuration: Configuration, workload: Workload, catalog: Catalog, profiles: Profiles
) -> tuple[Inputs | Infeasible, tuple[str, ...]]:
    """Return the figures of a configuration, with unknown rates assumed not to limit, and the names of these rates."""
    assumed: tuple[str, ...] = ()
    workload = workload.at(configuration.nodes)
    while True:
        inputs = inputs_of(configuration, workload, catalog, profiles)
        missing = FILLINGS.get(inputs.limit, ()) if isinstance(inputs, Infeasible) else ()
        if not missing or set(missing) <= set(assumed):
            return inputs, assumed
        assumed = (*assumed, *missing)
        workload = with_measured(workload, configuration.instance, **dict.fromkeys(missing, NEVER_LIMITS))
