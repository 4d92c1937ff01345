"""Benchmark runs: requests and answers."""

from datetime import datetime
from typing import Annotated, Literal
from uuid import UUID

from pydantic import Field

from stowage.features.planning.schemas import MeasuredAnswer
from stowage.model.figure import Kind
from stowage.platform.described import Answer
from stowage.platform.written import Flag, Key, Name, Section
from stowage.runs.observation import ResourceKind, TroubleKind
from stowage.runs.run import RunState
from stowage.runs.spec import LEAST_TIME_LIMIT_S, MOST_NODES, MOST_TIME_LIMIT_S, Benchmark, DiskMode, Market, Sync

MOST_COMPARED = 8
"""Runs beside each other."""
LOG_SHOWN = 100
"""Entries of its log that come with a run."""

NodeState = Literal["awaited", "waiting", "running", "done", "failed", "silent", "gone"]
StepStatus = Literal["ended", "now", "ahead", "left-out"]
ResultKind = Literal["disk", "net", "redis", "testdfsio"]
ReportStatus = Literal["ok", "partial", "failed"]


class RunOwnDisksSection(Section):
    """All disks that the instance type brings along."""

    kind: Literal["instance-store"]


class RunVolumesSection(Section):
    """Equal EBS volumes, attached to each node for the run and deleted with it."""

    kind: Literal["ebs"]
    type: Key
    size_gib: Annotated[int, Field(ge=1, le=65_536, strict=True)]
    """Of one volume."""
    iops: Annotated[int, Field(ge=1, le=1_000_000, strict=True)] | None = None
    """Of one volume; null for what its type includes."""
    throughput_mib_per_s: Annotated[int, Field(ge=1, le=100_000, strict=True)] | None = None
    """Of one volume; null for what its type includes."""
    count: Annotated[int, Field(ge=1, le=24, strict=True)] = 1
    """Of one node."""


RunStorage = Annotated[RunOwnDisksSection | RunVolumesSection, Field(discriminator="kind")]


class DiskSection(Section):
    """How disks are measured."""

    modes: Annotated[tuple[DiskMode, ...], Field(min_length=1, max_length=3)] = ("read-write", "read", "write")
    measured_s: Annotated[float, Field(ge=1, le=3_600, strict=True, allow_inf_nan=False)] = 60.0
    """Of each mode."""
    warm_up_s: Annotated[float, Field(ge=0, le=600, strict=True, allow_inf_nan=False)] = 10.0
    block_bytes: Annotated[int, Field(ge=4_096, le=16 << 20, strict=True)] = 1 << 20


class NetSection(Section):
    """How the network is measured."""

    measured_s: Annotated[float, Field(ge=1, le=3_600, strict=True, allow_inf_nan=False)] = 20.0
    """At each cluster size."""
    warm_up_s: Annotated[float, Field(ge=0, le=600, strict=True, allow_inf_nan=False)] = 3.0
    connections: Annotated[int, Field(ge=1, le=16, strict=True)] = 1
    """From each node to each other."""
    processes: Annotated[int, Field(ge=1, le=60, strict=True)] | None = None
    """Of each node; null for as many as its cores and peers ask for."""
    compare: Flag = True
    """Whether iperf3 measures two of the nodes as well, in the same run."""
    gather_s: Annotated[float, Field(ge=5, le=600, strict=True, allow_inf_nan=False)] = 120.0
    """For how long nodes wait for each other."""


class RedisSection(Section):
    """How Redis is measured that writes an append-only file."""

    syncs: Annotated[tuple[Sync, ...], Field(min_length=1, max_length=2)] = ("everysec", "always")
    """When the file is forced to the disk: every second, or before each answer."""
    measured_s: Annotated[float, Field(ge=1, le=3_600, strict=True, allow_inf_nan=False)] = 60.0
    """Of each of them."""


class DfsioSection(Section):
    """How TestDFSIO writes and reads HDFS."""

    files_per_node: Annotated[int, Field(ge=1, le=128, strict=True)] = 8
    file_mb: Annotated[int, Field(ge=1, le=1 << 20, strict=True)] = 1_024
    """Of one file, as TestDFSIO counts them."""


class SpecSection(Section):
    """Specification of a run: benchmark, target, place, and time limit."""

    benchmark: Benchmark
    instance: Key
    """EC2 instance type."""
    nodes: Annotated[int, Field(ge=1, le=MOST_NODES, strict=True)]
    region: Key
    zone: Key | None = None
    """Availability zone; null for whichever has room."""
    storage: RunStorage | None = None
    """Null where no storage takes part."""
    market: Market = "on-demand"
    placement_group: Flag = False
    """Whether the nodes stand in a cluster placement group."""
    time_limit_s: Annotated[
        float, Field(ge=LEAST_TIME_LIMIT_S, le=MOST_TIME_LIMIT_S, strict=True, allow_inf_nan=False)
    ] = 1_800.0
    """From the launch to the end of the last node at most."""
    disk: DiskSection = DiskSection()
    net: NetSection = NetSection()
    redis: RedisSection = RedisSection()
    dfsio: DfsioSection = DfsioSection()


class RunRequest(Section):
    """A run to quote."""

    spec: SpecSection
    account_id: UUID | None = None
    """The connected account that it would run in: then what speaks against it there is said as well."""


class NewRun(Section):
    """A run to store with its quote; it is launched only after a person approves it."""

    name: Annotated[Name, Field(min_length=1)]
    account_id: UUID
    spec: SpecSection


class Approval(Section):
    """Approval of a run by a person."""

    agreed_usd: Annotated[float, Field(gt=0, le=1e6, strict=True, allow_inf_nan=False)]
    """The quoted sum, as it was read: another one is not accepted."""


class QuotePartAnswer(Answer):
    """One part of the maximum cost of a run."""

    name: str
    usd: float
    words: str
    """How it comes about."""
    source: str
    """Who says the price."""
    kind: Kind
    as_of: str | None
    """Date of the price."""


class QuotedAnswer(Answer):
    """Upper bound of the cost of a run."""

    total_usd: float
    """An upper bound, rounded up to the cent."""
    parts: list[QuotePartAnswer]
    longest_s: float
    """From the launch to the end of the last node at most."""
    valid_until: datetime
    sentence: str


class PlanTouchedAnswer(Answer):
    """A saved plan that uses figures which the run would measure."""

    plan_id: UUID
    name: str
    words: str


class QuoteAnswer(QuotedAnswer):
    """Quote of a run and the plans that would benefit. Nothing is stored."""

    problems: list[str]
    """What keeps it from being run in the account that was named; empty where nothing is known to."""
    changes: list[PlanTouchedAnswer]
    """The newest saved plans whose winner rests on figures that this run would measure."""


class RunMetricAnswer(Answer):
    """A number of a run's results."""

    name: str
    what: str
    value: float
    unit: str


class RunSummaryAnswer(Answer):
    """A run, as a list shows it."""

    id: UUID
    name: str
    state: RunState
    spec: SpecSection
    spec_words: str
    account_id: UUID | None
    """Null where the account is not connected any more."""
    account_name: str | None
    person: str
    created_at: datetime
    launched_at: datetime | None
    finished_at: datetime | None
    quoted_usd: float
    agreed_usd: float | None
    spent_usd: float
    sentence: str
    """How it stands, in words."""
    progress: float
    """How far it is, 0 to 1; 1 when it has ended."""
    failure: str | None
    verified: bool
    """Whether it was seen that nothing is left in the account."""
    accepted: bool


class StepAnswer(Answer):
    """One step of a run."""

    state: RunState
    words: str
    status: StepStatus
    started_at: datetime | None
    ended_at: datetime | None


class LiveAnswer(Answer):
    """Current throughput of a node; null where it is not measured."""

    read_mb_per_s: float | None = None
    write_mb_per_s: float | None = None
    received_mb_per_s: float | None = None
    sent_mb_per_s: float | None = None


class NodeAnswer(Answer):
    """A node of a run."""

    node: int
    instance_id: str | None
    zone: str | None
    address: str | None
    """Private, in the account's network."""
    state: NodeState
    phase: str | None
    progress: float | None
    """Of the phase, 0 to 1."""
    words: str
    heard_at: datetime | None
    live: LiveAnswer | None


class ResourceAnswer(Answer):
    """Something that a run made in the account."""

    kind: ResourceKind
    id: str
    usd_per_hour: float
    since: datetime
    gone_at: datetime | None


class TroubleAnswer(Answer):
    """Obstacle that blocks a run now."""

    kind: TroubleKind
    words: str
    during: str
    since: datetime
    times: int


class NodeResultAnswer(Answer):
    """Results of one node in a phase."""

    node: int
    instance_id: str | None
    status: ReportStatus
    failure: str | None
    metrics: list[RunMetricAnswer]


class RunResultAnswer(Answer):
    """Results of one phase."""

    phase: str
    name: str
    kind: ResultKind
    complete: bool
    """Whether all nodes that took part have reported, and well."""
    nodes_missing: list[int]
    """That have not reported."""
    metrics: list[RunMetricAnswer]
    """Of all nodes together; empty where it cannot be said."""
    per_node: list[NodeResultAnswer]


class ScalingPointAnswer(Answer):
    """Network bandwidth of a node at one cluster size."""

    nodes: int
    mean_mb_per_s: float
    slowest_mb_per_s: float
    reported: int
    """Nodes that it rests on."""


class PublishedPointAnswer(Answer):
    """Network bandwidth of a node at one cluster size that predictions used before the run."""

    nodes: int
    mb_per_s: float


class PublishedScalingAnswer(Answer):
    """The curve that predictions take without the run's results."""

    points: list[PublishedPointAnswer]
    source: str
    kind: Kind


class DroppedNodeAnswer(Answer):
    """A node that is slower than the others."""

    node: int
    instance_id: str | None
    reasons: list[str]


class ScreeningAnswer(Answer):
    """Nodes of a cluster to release."""

    drop: list[DroppedNodeAnswer]
    words: str


class RunEventAnswer(Answer):
    """An entry of a run's log."""

    id: int
    at: datetime
    kind: str
    words: str


class RunAcceptedAnswer(Answer):
    """Outcome of accepted results."""

    upload_id: UUID
    measurements: list[UUID]


class RunAnswer(RunSummaryAnswer):
    """A run with all that is known of it."""

    steps: list[StepAnswer]
    quote: QuotedAnswer
    agreed_by: str | None
    agreed_at: datetime | None
    cost_per_hour: float
    """Of what is there now."""
    deadline: datetime | None
    """When the last node has terminated itself at the latest."""
    cancel_asked_at: datetime | None
    cancel_asked_by: str | None
    can_approve: bool
    """Whether the quote can still be agreed to."""
    can_cancel: bool
    can_accept: bool
    """Whether there are results that are not accepted yet."""
    nodes: list[NodeAnswer]
    resources: list[ResourceAnswer]
    trouble: TroubleAnswer | None
    results: list[RunResultAnswer]
    scaling: list[ScalingPointAnswer]
    """By cluster size; empty where the network was not measured."""
    published_scaling: PublishedScalingAnswer | None
    screening: ScreeningAnswer | None
    log: list[RunEventAnswer]
    """The newest, in the order in which they happened."""
    accepted_as: RunAcceptedAnswer | None


class RunListAnswer(Answer):
    """Runs, newest first."""

    runs: list[RunSummaryAnswer]
    next_cursor: str | None
    """Give it as `cursor` for the next page."""


class RunLogAnswer(Answer):
    """A page of a run's log, in the order in which it happened."""

    run_id: UUID
    events: list[RunEventAnswer]
    more: bool
    """Whether there is more: ask for what comes after the last."""


class ComparedRowAnswer(Answer):
    """One number of several runs."""

    phase: str
    name: str
    what: str
    unit: str
    values: list[float | None]
    """In the order of the runs; null where a run did not measure it."""
    percent: list[float | None]
    """Each value against the first run's."""


class RunComparisonAnswer(Answer):
    """Comparison of several runs."""

    runs: list[RunSummaryAnswer]
    rows: list[ComparedRowAnswer]
    differences: list[str]
    """What was asked for differently, in words."""


class PlanRerankedAnswer(Answer):
    """Change that accepted results made in the ranking of a saved plan."""

    plan_id: UUID
    name: str
    measured: MeasuredAnswer


class RerankingAnswer(Answer):
    """Changes that accepted results made in the newest saved plans; empty before results are accepted."""

    run_id: UUID
    plans: list[PlanRerankedAnswer]
