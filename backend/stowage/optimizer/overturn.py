"""Break-even: the value of one rate or price at which a configuration would win.

A configuration wins if it meets the limits and ranks before the best other configuration. A lever is the name of the
rate or price that is varied. A trial is this quantity with the outcome at each of its values.

Each value is searched in the form in which the model takes it: as a measured rate that a user enters (``measured``), as
a catalog price, or as a figure of the model. So the configuration wins in a prediction with the value that was found.
"""

import math
from collections.abc import Callable, Iterator
from dataclasses import replace
from functools import partial
from typing import Any, Literal

from stowage.frozen import frozen
from stowage.model.cluster import Configuration, Ebs, InstanceStore
from stowage.model.figure import Figure, given
from stowage.model.hardware.catalog import Catalog
from stowage.model.hardware.instance import PRICE_OF, InstanceType
from stowage.model.hardware.profile import Profiles
from stowage.model.infeasible import Infeasible, Limit
from stowage.model.inputs import Inputs
from stowage.model.jobs.workload import Workload
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


@frozen
class Overturn:
    """Break-even of one quantity: its value at which a configuration would win.

    All other quantities stay the same.
    """

    lever: Lever
    """Name of the quantity."""
    unit: str
    """Unit of the quantity."""
    now: float | None
    """Current value of the quantity in a cluster of the configuration's size; None if unknown."""
    needed: float | None
    """Winning value nearest to `now`, rounded away from `now` to three significant digits (a price to four digits);
    None if no value wins."""
    verdict: Verdict
    at_most: Outcome | None = None
    """Outcome with the most favorable value that was tried, if even that does not win."""
    obstacle: Infeasible | None = None
    """Reason why no outcome can be computed: another figure is unknown."""


@frozen
class _Trial:
    """One quantity to vary, with the outcome of a configuration as a function of its value."""

    lever: Lever
    unit: str
    now: float | None
    outcome: Callable[[float], Outcome | Infeasible]

    def values(self, *, worse: bool = False) -> Iterator[float]:
        """Yield values to try, from the current value to an unrealistic value.

        Each value is better than the previous value or, with ``worse``, worse than the previous value.
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
    """Compute the break-even of each quantity of a configuration.

    It is the value at which the configuration would win if all other quantities stay the same.

    Parameters
    ----------
    configuration : Configuration
        Configuration to check; its node count and layout do not change.
    workload : Workload
        Workload with the limits and the objective. A configuration wins if it meets the limits and ranks before
        ``winner`` by the objective.
    winner : OutcomeKey or None
        Sort key of the current winner; None if no configuration meets the limits. Any configuration that meets them
        would then win.
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
    """Compute how much worse each quantity of a winner may get before it no longer wins.

    All other quantities stay the same.

    Parameters
    ----------
    configuration, workload, catalog, profiles
        As for `overturns`.
    runner_up : OutcomeKey or None
        Sort key of the configuration that would win instead; None if no other configuration meets the limits. The
        winner then wins as long as it meets them.

    Returns
    -------
    tuple of Overturn
        One element for each quantity. Its ``needed`` is the worst value found with which the winner still wins; None if
        the winner wins even with a value that is worse by the factor `FARTHEST`.
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
    """Return whether an outcome wins.

    It wins if it meets the limits and ranks before ``other``, the sort key of another configuration. If ``other`` is
    None, it only has to meet the limits.
    """
    if isinstance(outcome, Infeasible) or outcome.broken:
        return False
    return other is None or order(outcome, workload) < other


def _tried(trial: _Trial, wins: Callable[[Outcome | Infeasible], bool]) -> Callable[[float], bool]:
    return lambda value: wins(trial.outcome(value))


def _needed(trial: _Trial, wins: Callable[[Outcome | Infeasible], bool]) -> Overturn:
    """Find the value nearest to the current value at which a configuration would win.

    Values are tried in steps until one wins. Bisection then finds the value within the last step. The steps are needed
    because a higher rate does not always lead to a better outcome.
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
    """Return a winning value close to the break-even point.

    It is found by bisection between ``loses``, a losing value, and ``wins``, a winning value. It is rounded if the
    rounded value wins, too.
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
    """Round a winning value in the direction in which it still wins.

    A rate is rounded up, to three significant digits. A price is rounded down, to four significant digits.

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
    """Yield the trial of each quantity that affects a configuration's time or cost."""
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


@frozen
class _Case:
    """A configuration with its figures, from which trials are built.

    Unknown rates are assumed to be so high that they never limit. ``assumed`` has their names.
    """

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
        """Return the outcome with other measured rates.

        ``rates`` replaces those measured rates of the user that have the same names.
        """
        workload = with_measured(self.workload, self.configuration.instance, **rates)
        return outcome_of(self.configuration, workload, self.catalog, self.profiles)

    def sold(self, **figures: Figure) -> Outcome | Infeasible:
        """Return the outcome with other figures of the instance type.

        ``figures`` replaces those figures of the catalog that have the same names.
        """
        others: dict[str, Any] = {**figures}
        instance = replace(self.inputs.instance, **others)
        return outcome_of(self.configuration, self.workload, self.catalog, self.profiles, instance)

    def with_inputs(self, **figures: Figure | None) -> Outcome:
        """Return the outcome with other inputs of the model.

        ``figures`` replaces those figures in ``inputs`` that have the same names. All figures must be known.
        """
        others: dict[str, Any] = {**figures}
        asked = self.workload.at(self.configuration.nodes)
        return outcome_from(replace(self.inputs, **others), self.configuration, asked, self.catalog)

    @property
    def complete(self) -> bool:
        """Return whether every figure of the configuration is known."""
        return not self.assumed and self.inputs.network_gap is None

    def network(self) -> _Trial | None:
        """Return the trial that varies the network rate.

        It is the rate that NetBench measures: `measured.network_mb_per_s`. None if the network does not matter.
        """
        needed = self.configuration.nodes > 1 or self.workload.talks_outside
        if self.workload.assume.network == "unlimited" or not needed:
            return None
        now = sustained_network(self.rates)
        return _Trial("network", "MB/s", now, lambda value: self.measured(network_mb_per_s=value))

    def storage(self) -> _Trial | None:
        """Return the trial that varies the rate of the local disks.

        It is the rate that DiskBench measures: `measured.storage_mb_per_s`. None if the job does not use these disks.
        """
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
        """Return the trial that varies the random IOPS of the local disks.

        The user enters them as `measured.storage_iops`. None if the job has no random I/O on these disks.
        """
        if not isinstance(self.configuration.layout, InstanceStore) or self.workload.job.random_io_kib is None:
            return None
        rates = self.rates
        now = None if "storage_iops" in self.assumed else _least(rates.disk_iops, rates.disk_write_iops)
        return _Trial("storage IOPS", "1/s", now, lambda value: self.measured(storage_iops=value))

    def measured_link(self) -> _Trial | None:
        """Return the trial that varies the measured rates of the EBS link.

        Its value is the read rate. The write rate changes in proportion. None if data is not on EBS.
        """
        if not isinstance(self.configuration.layout, Ebs):
            return None
        written, now, rates = 1.0, None, self.rates
        if not self.assumed and rates.ebs_read is not None and rates.ebs_write is not None:
            written, now = float(rates.ebs_write / rates.ebs_read), float(rates.ebs_read)

        def outcome(value: float) -> Outcome | Infeasible:
            return self.measured(ebs_read_mb_per_s=value, ebs_write_mb_per_s=written * value)

        return _Trial("EBS link", "MB/s", now, outcome)

    def published_link(self) -> _Trial | None:
        """Return the trial that varies the published rates of the EBS link.

        Its value is the baseline rate. The burst rate and the IOPS change in proportion.
        """
        figures = {name: getattr(self.inputs.instance, name) for name in PUBLISHED_LINK}
        known: dict[str, Figure] = {name: figure for name, figure in figures.items() if figure is not None}
        baseline = known["ebs_baseline_mb_per_s"].value

        def outcome(value: float) -> Outcome | Infeasible:
            factor = value / baseline
            return self.sold(**{name: replace(figure, value=figure.value * factor) for name, figure in known.items()})

        return _Trial("EBS link", "MB/s", baseline, outcome)

    def object_store(self) -> _Trial | None:
        """Return the trial that varies the rate between a node and the object store.

        The user enters it as `measured.object_store_mb_per_s`. None if the job does not use an object store.
        """
        now = _least(self.rates.object_store)
        if now is None:
            return None
        return _Trial("object store", "MB/s", now, lambda value: self.measured(object_store_mb_per_s=value))

    def cpu(self) -> _Trial | None:
        """Return the trial that varies the CPU rate.

        This rate is a figure of the model, which users cannot enter. None if it does not matter, or if a figure is
        unknown.
        """
        cpu = self.inputs.cpu
        if cpu is None or not self.complete:
            return None
        return _Trial("CPU", cpu.unit, cpu.value, lambda value: self.with_inputs(cpu=replace(cpu, value=value)))

    def price(self) -> _Trial | None:
        """Return the trial that varies the price of the instance type with the workload's purchase option."""
        name, price = PRICE_OF[self.workload.place.paid_by], self.inputs.price
        return _Trial("price", "USD/h", price.value, lambda value: self.sold(**{name: replace(price, value=value)}))


def with_measured(workload: Workload, instance: str, **values: float) -> Workload:
    """Return a workload with other measured rates for one instance type.

    ``values`` replaces those measured rates of the user that have the same names.
    """
    rates: dict[str, Any] = {**values}
    return replace(workload, measured=replace(workload.measured_of(instance), instance=instance, **rates))


def rates_of(inputs: Inputs, configuration: Configuration, workload: Workload) -> Rates:
    """Return the rates of a node's parts in a cluster of a configuration's size."""
    asked, nodes = workload.at(configuration.nodes), float(configuration.nodes)
    return offer_of(inputs, configuration.layout, asked, nodes, quantile=0.5).rates


def sustained_network(rates: Rates) -> float | None:
    """Return the sustained network rate of a node [MB/s].

    None if it is unlimited or unknown.
    """
    return _least(
        rates.network if rates.network_baseline is None else rates.network_baseline, rates.flows_between_nodes
    )


def _disk_bench(rates: Rates, instance: InstanceType, configuration: Configuration) -> float | None:
    """Return the rate that DiskBench would measure on the slowest node [MB/s].

    DiskBench reads from half of the disks and writes to the other half. None if the disks do not limit.
    """
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
    """Look up the figures of a configuration, filling in unknown rates.

    Unknown rates are assumed to be so high that they never limit.

    Returns
    -------
    Inputs or Infeasible
        Figures of the configuration; Infeasible if a figure that cannot be filled in is unknown.
    tuple of str
        Names of the rates that were filled in.
    """
    assumed: tuple[str, ...] = ()
    workload = workload.at(configuration.nodes)
    while True:
        inputs = inputs_of(configuration, workload, catalog, profiles)
        missing = FILLINGS.get(inputs.limit, ()) if isinstance(inputs, Infeasible) else ()
        if not missing or set(missing) <= set(assumed):
            return inputs, assumed
        assumed = (*assumed, *missing)
        workload = with_measured(workload, configuration.instance, **dict.fromkeys(missing, NEVER_LIMITS))
