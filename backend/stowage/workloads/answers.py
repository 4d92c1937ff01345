"""Answers: the JSON documents of the API, and of the CLI with ``--json``.

The name of each number ends in its unit. Each prediction lists the inputs on which it depends.
"""

from datetime import date
from typing import Any, Literal, Self

from pydantic import field_validator

from stowage.model.choice import Objective
from stowage.model.figure import Figure, Kind
from stowage.model.infeasible import Limit
from stowage.model.jobs.flows import DurabilityModel, PhaseKind
from stowage.model.jobs.framework import Framework
from stowage.model.jobs.workload import HeadRole
from stowage.model.money.price import Purchase
from stowage.model.physical_limit import Cause
from stowage.model.plan import Rejection
from stowage.model.prediction import OnEmpty, Range
from stowage.platform.described import Answer
from stowage.workloads.cluster_section import StorageSection
from stowage.workloads.of_catalog import OfCatalog, OfDatedCatalog, OfVersions, TermsAnswer
from stowage.workloads.stored import as_stored


class HeadlineAnswer(Answer):
    """A key number of a measurement, for display in lists, converted to the unit that Stowage uses."""

    name: str
    value: float
    unit: str
    what: str
    """Meaning of the metric, for users."""


class CostPartsAnswer(Answer):
    """Median cost, divided into parts [USD].

    It is the cost of one run, or of one month of an always-on cluster.
    """

    instances: float
    launch: float
    """Billed time beyond the job's own: start-up, set-up, the billing minimum."""
    ebs_link: float
    ebs_volumes: float
    head_nodes: float = 0.0
    """Nodes that hold no data: NameNode, EMR's primary."""
    emr_fee: float = 0.0
    object_store: float = 0.0
    """Requests, and storage for as long as the data is stored."""
    traffic: float = 0.0
    """Traffic between availability zones."""
    rework: float = 0.0
    """Expected cost of interruptions of spot instances."""
    volume_io: float = 0.0
    """I/Os of volumes that charge for them."""
    screening: float = 0.0
    """Spare nodes that are measured and returned, and the time that the other nodes wait for it."""
    idle_commitment: float = 0.0
    """Hours of a commitment, made for this job alone, that no run uses."""


class PhaseAnswer(Answer):
    """One phase of a run with the median time."""

    name: str
    kind: PhaseKind = "work"
    """Kind: launch, loading or unloading, the job itself, framework overhead, or rework after interruptions."""
    time_s: float
    bottleneck: str
    utilization: dict[str, float]
    """Share of the phase that each resource is busy, 0 to 1; the bottleneck has 1."""


class CreditAnswer(Answer):
    """Burst credit of one resource during a phase."""

    resource: str
    unit: Literal["MB", "I/O"]
    full: float
    credit: list[float]
    """Credit left at each of the course's times."""


class CourseAnswer(Answer):
    """Course of a phase that uses burst credits: its progress over time.

    Progress and credits are linear between the given times.
    """

    phase: str
    times_s: list[float]
    done: list[float]
    """Share of the phase that is done."""
    bottlenecks: list[str]
    """Bottleneck between each time and the next."""
    credits: list[CreditAnswer]


class PromiseAnswer(Answer):
    """AWS design target for a volume type."""

    share: float
    """Share of its performance that it delivers, at least."""
    time: float
    """Share of the time in which it does."""
    source: str


class LatencyAnswer(Answer):
    """Latency of random I/O."""

    io_per_s: float
    """I/Os per second of one node."""
    mean_ms: float
    """Queue depth / I/Os per second, by Little's law."""
    p99_ms: float | None
    """None: not known. Limits do not determine a percentile; only measurements do."""


class RangeSourceAnswer(Answer):
    """One source of the uncertainty of a prediction."""

    name: str
    log_deviation: float
    """Standard deviation of ln(time)."""
    log_deviation_below: float | None = None
    """Standard deviation below the median, where it differs."""


class HeadNodeAnswer(Answer):
    """Head node of the cluster.

    It stores no data, and is paid for in addition to the other nodes.
    """

    role: HeadRole
    instance: str


class ClusterAnswer(Answer):
    """Base class of answers about a cluster."""

    instance: str
    nodes: int
    """Nodes that hold data and work."""
    storage: StorageSection


class DescribedCluster(ClusterAnswer):
    """Base class of answers about a cluster that also describe its storage in words."""

    storage_words: str


class ConfigurationAnswer(DescribedCluster):
    """One configuration of a cluster, with its predicted time and cost."""

    head_node: HeadNodeAnswer | None = None
    """Head node, where the job or the service has one; None also in plans that are older than the field."""
    time_s: Range
    cost_usd: Range
    cost_parts_usd: CostPartsAnswer
    cost_per_month_usd: Range
    billed_s: float
    physical_limit_s: float | None = None
    """Time below which no framework can run the job on these nodes; None in plans that are older than the field."""
    causes: list[Cause] = []  # noqa: RUF012 - pydantic copies it
    """Causes of the time above the limit, given with the sources; with the limit they sum to the median."""
    cost_always_on_usd: float | None = None
    """Monthly cost of an always-on cluster."""
    cost_always_on_parts_usd: CostPartsAnswer | None = None
    """The always-on cost by part; None in plans that are older than the field."""
    phases: list[PhaseAnswer]
    courses: list[CourseAnswer] = []  # noqa: RUF012 - pydantic copies it
    on_empty: OnEmpty | None = None
    """The run with empty burst buckets, where they make a difference."""
    latency: LatencyAnswer | None = None
    """Latency of random I/O."""
    promise: PromiseAnswer | None = None
    """AWS design target for the volumes, where AWS publishes one."""
    meets_deadline: float | None
    meets_budget: float | None
    loss_probability: float
    loss_exposure_s: float
    range_sources: list[RangeSourceAnswer]
    provenance: list[Figure]
    sources: bool = True
    """True if provenance and courses are included; `POST /predictions` returns those of one configuration."""
    purchase: Purchase | None = None
    """Purchase option; None in plans that were saved when the workload stated it for all configurations."""
    durability: DurabilityModel | None = None
    replicas: int | None = None
    """Durability model and number of copies that the application makes; None as above."""

    def without_sources(self) -> Self:
        """Return the answer without sources, causes and courses, for use in a ranking."""
        return self.model_copy(update={"provenance": [], "causes": [], "courses": [], "sources": False})


class RankedAnswer(ConfigurationAnswer):
    """One configuration in a ranking."""

    rank: int


class AssumedAnswer(Answer):
    """One default value that was used, since the workload file does not set the field."""

    path: str
    """Path of the field that would set it."""
    words: str
    source: str
    kind: Kind
    as_of: date


class PredictionAnswer(ConfigurationAnswer, OfVersions):
    """Answer of `predict`: one configuration with its prediction."""

    feasible: Literal[True]
    sentence: str
    assumed: list[AssumedAnswer] = []  # noqa: RUF012 - pydantic copies it
    """Defaults for a run that the workload file does not set: the place of its data, its launch, its burst credit."""


class InfeasibleAnswer(Answer):
    """Answer of `predict` if no prediction is possible.

    The cluster cannot run the job, or an input of the prediction is unknown.
    """

    feasible: Literal[False]
    limit: Limit
    reason: str
    nearest: str | None
    """Nearest change that would make it possible."""


class CandidateAnswer(ClusterAnswer):
    """One candidate of the search space: a configuration with its median time and cost."""

    time_s: float
    cost_usd: float
    cost_always_on_usd: float | None = None
    """Monthly cost of an always-on cluster; None where the objective is not a month."""
    purchase: Purchase | None = None
    durability: DurabilityModel | None = None
    replicas: int | None = None
    """As in a configuration."""
    loss_probability: float | None = None
    """None where it was not requested; it is computed where `limits.loss` is given."""


class RegionBestAnswer(CandidateAnswer):
    """Best configuration in one region."""

    storage_words: str
    cost_always_on_usd: float
    """Monthly cost of an always-on cluster."""
    meets_deadline: float | None
    """Probability; None without a deadline."""


class RegionPlanAnswer(Answer):
    """Result of a search in one region."""

    region: str
    best: RegionBestAnswer | None
    """None where no configuration meets the limits, or the region has no prices for the request."""
    move_usd: float | None
    """Price of moving the job's stored data there once, from the region of the request [USD]. Null if it is unknown."""
    sentence: str


class RegionsAnswer(OfCatalog):
    """Plans of one workload in every region of a catalog version."""

    objective: Objective
    regions: list[RegionPlanAnswer]
    """Best by the objective first; regions without a configuration last, by name."""
    moved_gb: float
    """Stored data that would be moved, as AWS bills it: the input, or the working set of random I/O; 0 for jobs that
    write new data or read from outside AWS."""
    move_source: str
    """Source of the prices of moving data."""
    move_as_of: date
    catalog_version: str
    price_terms: TermsAnswer | None = None
    """Discounts that the costs of configurations include, but not the prices of moving data; null for published
    prices."""
    elapsed_s: float


class CurveAnswer(Answer):
    """Time and cost of an instance type and layout at several node counts.

    The points are those of one ranked configuration with other node counts. They are few enough for drawing.
    """

    instance: str
    points: list[CandidateAnswer]


Need = Literal["deadline", "chance", "budget", "max_nodes", "loss", "rereplication"]
"""A limit whose relaxed value is known; named as in a workload file."""


class NearMissAnswer(Answer):
    """One candidate that breaks limits by little, with the limits to relax to admit it."""

    limits: list[Limit]
    needs: dict[Need, str]
    """The relaxed limits, as they would be written in a workload file; empty where no limit can be relaxed."""
    relaxation: str
    """The same in words: `a deadline of 15 min 1 s`."""
    candidate: CandidateAnswer
    sentence: str


class LimitsAnswer(Answer):
    """Limits of a workload, as parsed from its file."""

    deadline_s: float | None
    budget_usd: float | None
    max_nodes: int | None
    chance: float | None = None
    """Minimum probability of meeting the deadline."""
    loss: float | None = None
    """Maximum probability of data loss."""
    rereplication_s: float | None = None
    """Maximum time until the copies of a failed node exist again."""


class TodayRunAnswer(Answer):
    """Measured run on the current cluster.

    All predictions are scaled to the time of this run.
    """

    instance: str
    nodes: int
    time_s: float
    """Measured time."""
    predicted_s: float
    """Time predicted without the scaling."""
    error_log_deviation: float
    """Standard deviation of ln(time) of the scaled framework."""

    @classmethod
    def of(cls, framework: Framework) -> "TodayRunAnswer | None":
        """Return the measured run to which a framework profile was scaled.

        The result is None if the profile was not scaled.
        """
        run = framework.today
        if run is None:
            return None
        return cls.from_fields(run, error_log_deviation=framework.error.value)


class PlanHead(OfVersions, OfDatedCatalog):
    """Base class of answers of `plan`: everything but configurations, points of the chart and rejections."""

    sentence: str
    objective: Objective = "cost"
    limits: LimitsAnswer
    configurations_size: int
    """Length of the whole ranking; a lower bound if the answer has all rows that it may have (50, as columns 15), since
    a search drops a row as soon as it cannot be among these. The whole ranking: `POST /plans/preview/ranking`, or for a
    saved plan `GET /plans/{plan_id}/ranking`."""
    frontier_size: int
    """Points of the frontier before thinning."""
    candidates: int
    computed: int
    excluded_by_bound: int
    elapsed_s: float
    near_misses: list[NearMissAnswer]
    assumed: list[AssumedAnswer] = []  # noqa: RUF012 - pydantic copies it
    """Defaults for the job that the workload file does not set; none with `assume.usual: ignored`."""
    workload: dict[str, Any]
    """The workload file without fields that have their default."""
    today: TodayRunAnswer | None = None
    """Null unless the workload file has a measured time of the current cluster."""

    @field_validator("workload")
    @classmethod
    def _says_what_was_assumed(cls, value: dict[str, Any]) -> dict[str, Any]:
        # The page sends this document in its requests about a stored plan.
        return as_stored(value)


class PlanAnswer(PlanHead):
    """Answer of `plan`: the ranking of the configurations that meet the limits."""

    configurations: list[RankedAnswer]
    """The best layout and node count of each type, storage kind and volume type: the first 50 by the objective."""
    frontier: list[CandidateAnswer]
    """Pareto frontier: no other candidate is better by more than 0.25% in both time and cost (where the objective is a
    month, `cost_always_on_usd`), and, where durability is open, in the probability of loss; fastest first. Evenly
    thinned beyond 2,000 points, or beyond 300 with `sources=first`."""
    curves: list[CurveAnswer]
    """Time and cost of the first configurations by node count, in the same order."""
    rejected: list[Rejection]
