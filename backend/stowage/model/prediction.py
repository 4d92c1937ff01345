"""Predictions of time and cost for one workload on one configuration.

`inputs.gather` looks up every figure of an instance type for a workload. `offer.offer_of` converts them into the
numbers of a node. `forecast.evaluate` is the arithmetic, for one configuration or for arrays of them. `predict` does
all three for one configuration, and adds the range and the provenance (the sources) of each number.
"""

import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import field, replace
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from stowage.frozen import frozen
from stowage.model.cluster import Configuration, Ebs, Layout, capacity_groups_mb, check_layout, nodes_needed
from stowage.model.complete import Checked
from stowage.model.figure import Figure
from stowage.model.forecast import (
    REWORK,
    Evaluation,
    Forecast,
    PhaseTime,
    courses_of,
    evaluate,
    forecast_from,
    month_of,
)
from stowage.model.hardware.catalog import Catalog
from stowage.model.hardware.profile import Profiles
from stowage.model.hardware.resource import Trace
from stowage.model.hardware.volume_limits import VolumeLimits
from stowage.model.infeasible import Infeasible
from stowage.model.inputs import Inputs, gather
from stowage.model.jobs.flows import Durability
from stowage.model.jobs.random_io import Latency, RandomIo
from stowage.model.jobs.workload import Workload
from stowage.model.loss.exposure import loss_probabilities, loss_probability
from stowage.model.money.cost import Cost
from stowage.model.money.price import Purchase
from stowage.model.offer import Offer, emptied, offer_of
from stowage.model.physical_limit import Cause, causes, limit_time_s
from stowage.model.provenance import provenance
from stowage.model.rates import channel
from stowage.model.relevance import relevance_of
from stowage.model.uncertainty.range import FRAMEWORK_ERROR, Source, job_sources
from stowage.model.uncertainty.scale import Z90
from stowage.model.units import Quantity, either, element, longer

NOTICEABLE = 0.001
"""Smallest relative difference of times that a prediction reports [1]."""


@frozen
class OnEmpty(Checked):
    """Time and cost of a job that starts with empty burst buckets."""

    time_s: float
    """Time of the job [s]."""
    cost_usd: float
    """Cost of the job [USD]."""


@frozen
class Range(Checked):
    """Quantiles of a predicted quantity."""

    p10: float
    p50: float
    p90: float


@frozen
class Prediction:
    """Time and cost of one workload on one configuration."""

    configuration: Configuration
    time_s: Range
    """Time of the job [s]; it includes the launch only if `Assumptions.launch` is `counted`."""
    cost_usd: Range
    """Cost of one run [USD]."""
    cost: Cost
    """Median cost of one run, divided into its parts [USD]."""
    always_on: Cost
    """Cost of an always-on cluster for a month, divided into its parts [USD]."""
    billed_s: float
    """Median billed time, including the launch [s]."""
    physical_limit_s: float
    """Time below which no framework can run the job [s] (`physical_limit`)."""
    causes: tuple[Cause, ...]
    """Causes of the difference between the physical limit and the median time; empty if `sources` is False."""
    phases: tuple[PhaseTime, ...]
    """Phases of a median run, including the expected rework after interruptions; their times add up to the p50 of
    `time_s`."""
    courses: tuple[Trace, ...]
    """Course (progress over time) of each phase except launch, start-up and rework; empty if no resource has burst
    credit, or if `sources` is False."""
    on_empty: OnEmpty | None
    """Time and cost if the job starts with empty burst buckets; None if that makes no noticeable difference."""
    latency: Latency | None
    """Latency of random I/O; only the mean, as percentiles do not follow from limits. None for other jobs."""
    limits: VolumeLimits | None
    """Limits of the volumes and AWS design targets for them; None without volumes."""
    meets_deadline: float | None
    """Chance to meet the deadline [1]; None if there is no deadline."""
    meets_budget: float | None
    """Chance to meet the budget [1]; None if there is no budget."""
    loss_probability: float
    """Chance that data is lost during `loss_exposure_s` [1]."""
    loss_exposure_s: float
    """Exposure window of the data [s], at least 0."""
    range_sources: tuple[Source, ...]
    """Sources of the uncertainty that determines the width of the time's range."""
    provenance: tuple[Figure, ...]
    """Every number that the prediction uses; empty if `sources` is False."""
    purchase: Purchase = "on-demand"
    durability: Durability = field(default_factory=Durability)
    """Durability model, with the replication factor that applies at this number of nodes."""
    faster_error: float | None = None
    """The framework's error below the median [1]; None if it equals the error above the median."""
    head_instance: str | None = None
    """Instance type of the head node; None if there is no head node."""

    @property
    def always_on_usd(self) -> float:
        """Cost of a month in which the cluster always runs [USD]."""
        return float(self.always_on.total)


@frozen
class Row:
    """One configuration to predict, with the figures that `gather` found for it."""

    inputs: Inputs
    configuration: Configuration
    workload: Workload
    """Workload with the replication factor that applies at the configuration's node count."""

    @property
    def limits(self) -> VolumeLimits | None:
        """Limits of the volumes; None without volumes."""
        return None if self.inputs.volume is None else self.inputs.volume.limits


class Predicted:
    """Predictions of rows of one shape, as columns, which are computed when they are accessed.

    A column is an array with one element for each row, or a single number that holds for all rows.

    Parameters
    ----------
    rows : sequence of Row
        At least one possible configuration, of one workload; their figures differ in numbers only.
    inputs, layout, nodes
        Those of the only row, or those of all rows as arrays.
    """

    def __init__(self, rows: Sequence[Row], inputs: Inputs, layout: Layout, nodes: Quantity) -> None:
        self.rows, self.workload = rows, rows[0].workload
        self._inputs, self._layout, self._nodes = inputs, layout, nodes
        self._sourced: dict[int, Prediction] = {}

    def compute(self) -> None:
        """Compute the columns that an answer has, all at once."""
        _ = self.forecast, self.always_on, self.physical_limit_s, self.loss_probability
        _ = self.slowest, self._empty, self._sources

    @cached_property
    def offered(self) -> Offer:
        """Rates and prices of the nodes."""
        return offer_of(self._inputs, self._layout, self.workload, self._nodes)

    @cached_property
    def median(self) -> Evaluation:
        """Median time and cost."""
        return evaluate(self.offered, self.workload, self._nodes)

    @cached_property
    def forecast(self) -> Forecast:
        """Ranges of time and cost, and the chances to meet the limits."""
        return forecast_from(self.median, self.offered, self.workload, self._nodes)

    @cached_property
    def always_on(self) -> Cost:
        """Cost of an always-on cluster for a month, divided into its parts [USD]."""
        return month_of(self.offered, self.workload, self._nodes)

    @cached_property
    def physical_limit_s(self) -> Quantity:
        """Physical limit of the job [s]."""
        return limit_time_s(self._inputs, self._layout, self.workload, self._nodes)

    @cached_property
    def loss_exposure_s(self) -> NDArray[np.float64]:
        """Exposure window of the data [s]."""
        medians_s = (float(element(self.median.time_s, index)) for index in range(len(self.rows)))
        return np.array([self.workload.exposure_s(median_s) for median_s in medians_s])

    @cached_property
    def loss_probability(self) -> Quantity:
        """Chance that data is lost during `loss_exposure_s` [1]."""
        repairs = (float(element(self.offered.repair_mb_per_s, index)) for index in range(len(self.rows)))
        exposed = [
            (row.inputs, repair_mb_per_s, row.configuration, row.workload, exposure_s)
            for row, repair_mb_per_s, exposure_s in zip(self.rows, repairs, self.loss_exposure_s.tolist(), strict=True)
        ]
        # Chances of one row are cached.
        return np.array(loss_probabilities(exposed)) if len(exposed) > 1 else loss_probability(*exposed[0])

    @cached_property
    def phases(self) -> tuple[PhaseTime, ...]:
        """Phases of a run on instances that may be interrupted.

        They are those of `median`, and the expected rework, which takes no time in rows without interruptions.
        """
        rework_s = self.median.time_s - self.median.work_s
        return (*self.median.phases, PhaseTime(REWORK, rework_s, (("interruptions", rework_s),), "rework"))

    @cached_property
    def slowest(self) -> tuple[int | NDArray[np.intp], ...]:
        """Index of the resource that limits each of the phases."""
        return tuple(phase.slowest for phase in self.phases)

    @property
    def faster_error(self) -> Quantity | None:
        """The framework's error below the median [1]; None if it equals the error above the median."""
        framework = self.offered.framework
        return None if framework.faster is None else framework.faster_error_at(self._nodes)

    @cached_property
    def _empty(self) -> Evaluation | None:
        """Times and costs with empty burst buckets; None if no resource has burst credit."""
        return evaluate(emptied(self.offered), self.workload, self._nodes) if self.median.keeps_credit else None

    @cached_property
    def _sources(self) -> tuple[Mapping[str, Sequence[tuple[str, Sequence[float]]]], Sequence[Sequence[str]]]:
        """Sources of the range's width by channel, and the channels that limit the phases of each row.

        A source is a name with a deviation for each row; that of "" is the framework's error.
        """
        nodes, size, error = self._nodes, len(self.rows), self.offered.framework.error_at(self._nodes)

        def along(quantity: Quantity | NDArray[np.intp]) -> list[Any]:
            values = np.asarray(quantity).tolist()
            return values if isinstance(values, list) else [values] * size

        def columns(sources: Iterable[Source]) -> Sequence[tuple[str, Sequence[float]]]:
            return [(name, along(deviation)) for name, deviation in sources]

        found = {"": columns([Source(FRAMEWORK_ERROR, error)])}
        for ruling in self.forecast.rulings:
            found[ruling.resource] = columns(job_sources((ruling,), nodes, error)[1:])
        limiting = []
        for phase, slowest in zip(self.median.phases, self.slowest, strict=False):
            names = [channel(name) for name, _ in phase.resource_times_s]
            limiting.append([names[index] for index in along(slowest)])
        return found, list(zip(*limiting, strict=True))

    @property
    def billed_s(self) -> Quantity:
        """Median billed time of a run, including the launch [s]."""
        return longer(self.median.time_s + self.offered.prices.launch_s, self.offered.prices.minimum_billed_s)

    @property
    def rework_s(self) -> Quantity:
        """Time that interruptions are expected to add [s]."""
        return self.phases[-1].time_s

    @property
    def busy_s(self) -> Quantity:
        """Time of all phases but launch and set-up, which do no I/O [s]."""
        launch_s: Quantity = 0.0
        for phase in self.median.phases:
            launch_s = launch_s + phase.time_s if phase.kind == "launch" else launch_s
        return self.median.work_s - launch_s

    @property
    def empty_time_s(self) -> Quantity | None:
        """Time with empty burst buckets [s]; NaN where that is hardly noticed, None if nothing has credit."""
        return None if self._empty is None else self._noticed(self._empty.time_s)

    @property
    def empty_cost_usd(self) -> Quantity | None:
        """Cost with empty burst buckets [USD]; NaN and None as in the time."""
        return None if self._empty is None else self._noticed(self._empty.cost.total)

    def _noticed(self, quantity: Quantity) -> Quantity:
        least_s = self.median.time_s * (1.0 + NOTICEABLE)
        return either(self._empty is not None and self._empty.time_s > least_s, quantity, math.nan)

    def prediction(self, index: int) -> Prediction:
        """Build the prediction of a row."""
        row, found = self.rows[index], self.forecast

        def at(quantity: Quantity) -> float:
            return float(element(quantity, index))

        def optional(quantity: Quantity | None) -> float | None:
            return None if quantity is None or math.isnan(at(quantity)) else at(quantity)

        empty_s, empty_usd = optional(self.empty_time_s), optional(self.empty_cost_usd)
        return Prediction(
            configuration=row.configuration,
            time_s=Range(*map(at, found.time_s)),
            cost_usd=Range(*map(at, found.cost_usd)),
            cost=Cost(*map(at, self.median.cost.parts)),
            always_on=Cost(*map(at, self.always_on.parts)),
            billed_s=at(self.billed_s),
            physical_limit_s=at(self.physical_limit_s),
            causes=(),
            phases=tuple(
                PhaseTime(
                    phase.name,
                    at(phase.time_s),
                    tuple([(name, at(alone_s)) for name, alone_s in phase.resource_times_s]),
                    phase.kind,
                )
                for phase in (self.phases if at(self.rework_s) > 0.0 else self.median.phases)
            ),
            courses=(),
            on_empty=None if empty_s is None or empty_usd is None else OnEmpty(empty_s, empty_usd),
            latency=latency_of(row, at(self.busy_s)),
            limits=row.limits,
            meets_deadline=optional(found.meets_deadline),
            meets_budget=optional(found.meets_budget),
            loss_probability=at(self.loss_probability),
            loss_exposure_s=at(self.loss_exposure_s),
            range_sources=tuple(self.range_sources(index)),
            provenance=(),
            purchase=row.workload.place.paid_by,
            durability=row.workload.job.durability,
            head_instance=row.inputs.head_instance,
            faster_error=optional(self.faster_error),
        )

    def sourced(self, index: int) -> Prediction:
        """Return the prediction of a row with its sources, which are worked out once."""
        if index not in self._sourced:
            self._sourced[index] = with_sources(self.prediction(index), self.rows[index])
        return self._sourced[index]

    def range_sources(self, index: int) -> Iterator[Source]:
        """Yield the sources of the width of a row's range."""
        found, limiting = self._sources
        for each in dict.fromkeys(("", *limiting[index])):
            for name, deviations in found[each]:
                yield Source(name, deviations[index])
        if self.offered.courses:
            p10_s, p50_s, p90_s = (float(element(time_s, index)) for time_s in self.forecast.time_s)
            width = math.log(p90_s / p10_s) / (2.0 * Z90) if p50_s > 0.0 else 0.0
            both_sides = self.forecast.log_deviation, self.forecast.log_deviation_below
            rest = 0.5 * sum(float(element(deviation, index)) for deviation in both_sides)
            yield Source("slow nodes", math.sqrt(max(0.0, width * width - rest * rest)))


def predict(
    configuration: Configuration,
    workload: Workload,
    catalog: Catalog,
    profiles: Profiles,
    *,
    sources: bool = True,
) -> Prediction | Infeasible:
    """Predict time and cost of a workload on a configuration.

    Parameters
    ----------
    configuration : Configuration
        Its instance and volume type must be in the catalog.
    workload : Workload
        Its limits do not make a configuration infeasible; the prediction states the chances to meet the limits.
    catalog : Catalog
    profiles : Profiles
    sources : bool
        Whether to list the sources of the numbers, which takes most of the time; if False, ``provenance`` is empty, and
        so are ``causes`` and ``courses``.

    Returns
    -------
    Prediction or Infeasible

    Raises
    ------
    KeyError
        The catalog does not have the instance or volume type.
    """
    layout, workload = configuration.layout, workload.at(configuration.nodes)
    volume = catalog.volume_types[layout.volume_type] if isinstance(layout, Ebs) else None
    instance = catalog.instance_types[configuration.instance]
    impossible = check_layout(layout, instance, volume, workload.job)
    if impossible is not None:
        return impossible
    inputs = gather(instance, volume, workload, catalog, profiles)
    if isinstance(inputs, Infeasible):
        return inputs
    return predict_from(inputs, configuration, workload, sources=sources)


def predict_from(
    inputs: Inputs, configuration: Configuration, workload: Workload, *, sources: bool = True
) -> Prediction | Infeasible:
    """Return the result of `predict`, computed from figures that `gather` already found."""
    obstacle = obstacle_of(inputs, configuration, workload)
    if obstacle is not None:
        return obstacle
    row = Row(inputs, configuration, workload)
    found = Predicted((row,), inputs, configuration.layout, float(configuration.nodes))
    made = found.prediction(0)
    return _with_sources(made, row, found.offered, found.median) if sources else made


def with_sources(made: Prediction, row: Row) -> Prediction:
    """Return the result of `predict` for a row, from its prediction without sources."""
    nodes = float(made.configuration.nodes)
    offered = offer_of(row.inputs, made.configuration.layout, row.workload, nodes)
    return _with_sources(made, row, offered, evaluate(offered, row.workload, nodes))


def _with_sources(made: Prediction, row: Row, offered: Offer, found: Evaluation) -> Prediction:
    configuration, inputs, workload = made.configuration, row.inputs, row.workload
    relevance = relevance_of(inputs, configuration, workload, offered, found, made.loss_probability)
    return replace(
        made,
        causes=causes(inputs, configuration, workload, made.physical_limit_s, made.time_s.p50),
        courses=courses_of(found, offered, workload, float(configuration.nodes)),
        provenance=provenance(
            inputs,
            configuration,
            workload,
            {channel(phase.bottleneck) for phase in found.phases},
            relevance.limits,
            relevance.idle,
        ),
    )


def loss_from(inputs: Inputs, configuration: Configuration, workload: Workload) -> float | Infeasible:
    """Return the chance of data loss that `predict_from` would return.

    This function takes only a fraction of the time of `predict_from`.
    """
    obstacle = obstacle_of(inputs, configuration, workload)
    if obstacle is not None:
        return obstacle
    nodes = float(configuration.nodes)
    offered = offer_of(inputs, configuration.layout, workload, nodes, quantile=0.5)
    # Scratch data is exposed to loss for the time of the job.
    median_s = float(evaluate(offered, workload, nodes).time_s)
    return loss_probability(inputs, offered.repair_mb_per_s, configuration, workload, workload.exposure_s(median_s))


def latency_of(row: Row, busy_s: float) -> Latency | None:
    """Return the latency of a row's I/Os, which take that time [s]; None if its job has no random I/O."""
    job = row.workload.job
    if not isinstance(job, RandomIo) or busy_s <= 0.0:
        return None
    io_per_s = job.operations / float(row.configuration.nodes) / busy_s
    return Latency(io_per_s, job.queue_depth / io_per_s)


def obstacle_of(inputs: Inputs, configuration: Configuration, workload: Workload) -> Infeasible | None:
    """Return the obstacle that makes a configuration infeasible.

    The result is None if there is no obstacle. The limits of the workload are not checked.
    """
    layout, nodes, job = configuration.layout, configuration.nodes, workload.job
    if nodes < 1:
        return Infeasible("capacity", f"{nodes} nodes hold nothing", "at least 1 node")
    wrong_layout = check_layout(layout, inputs.instance, inputs.volume, job)
    if wrong_layout is not None:
        return wrong_layout
    too_small = inputs.tasks.obstacle(inputs.instance)
    if too_small is not None:
        return too_small
    replicas = job.durability.replicas
    if nodes < replicas:
        return Infeasible("copies", f"{replicas} copies need as many nodes; there are {nodes}", f"{replicas} nodes")
    groups = capacity_groups_mb(layout, inputs.instance, job, workload.assume.capacity)
    needed = nodes_needed(groups, replicas)
    if nodes < needed:
        return Infeasible(
            "capacity",
            f"{nodes} × {inputs.instance.name} cannot hold input, intermediate data and output",
            f"{needed:,} nodes with this layout",
            needed_nodes=needed,
        )
    if inputs.network_gap is not None and (nodes > 1 or workload.talks_outside):
        return Infeasible(
            "network bandwidth unknown",
            inputs.network_gap,
            "measured.network_mb_per_s, or assume.network: unlimited"
            + ("" if workload.talks_outside else ", or a single node"),
        )
    return None
