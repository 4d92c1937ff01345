"""Requests and answers of the routes for benchmark runs."""

from datetime import datetime
from typing import Annotated, Literal
from uuid import UUID

from pydantic import Field

from stowage.features.planning.schemas import MeasuredAnswer
from stowage.model.figure import Kind
from stowage.platform.described import Answer
from stowage.platform.written import Name, Section
from stowage.runs.assembly import ResultKind, Scale
from stowage.runs.observation import InstanceState, ResourceKind
from stowage.runs.quote import QuotePart
from stowage.runs.report import ReportStatus
from stowage.runs.run import RunState, Trouble
from stowage.runs.spec import RunSpec
from stowage.workloads.answers import HeadlineAnswer

MOST_COMPARED = 8
"""Maximum number of runs in a comparison."""
LOG_SHOWN = 100
"""Number of log entries in the answer of a run."""

NodeState = Literal["awaited", "waiting", "running", "done", "failed", "silent", "gone"]
StepStatus = Literal["ended", "now", "ahead", "left-out"]


class RunRequest(Section):
    """A run to quote."""

    spec: RunSpec
    account_id: UUID | None = None
    """Connected account for the run; if given, the answer lists reasons that the run cannot be launched there."""


class NewRun(Section):
    """A run to store with its quote. Nothing is launched until a person approves it."""

    name: Annotated[Name, Field(min_length=1)]
    account_id: UUID
    spec: RunSpec


class Approval(Section):
    """Approval of a run by a person."""

    agreed_usd: Annotated[float, Field(gt=0, le=1e6, strict=True, allow_inf_nan=False)]
    """The quoted amount; any other amount is refused."""


class QuotedAnswer(Answer):
    """Quoted cost of a run, which is the upper bound of its cost."""

    total_usd: float
    """An upper bound, rounded up to the cent."""
    parts: list[QuotePart]
    longest_s: float
    """Maximum time from the launch to the termination of the last node."""
    valid_until: datetime
    sentence: str


class PlanTouchedAnswer(Answer):
    """A saved plan whose answer depends on figures that a run would measure."""

    plan_id: UUID
    name: str
    words: str


class QuoteAnswer(QuotedAnswer):
    """Quote of a run, with the plans that would benefit from its results. Nothing is stored."""

    problems: list[str]
    """Reasons that the run cannot be launched in the given account; empty if none is known."""
    changes: list[PlanTouchedAnswer]
    """The newest saved plans whose winner uses figures that this run would measure."""


class InstancesAnswer(Answer):
    """Number of a run's instances in each state of EC2, and of its agents in each state."""

    pending: int
    running: int
    ending: int
    """Shutting down, stopping or stopped."""
    terminated: int
    observed_at: datetime | None
    """Time of the last observation in EC2."""
    agents_reporting: int
    """Agents that have sent a heartbeat and have not ended."""
    agents_finished: int
    agents_lost: int
    """Agents that ended early, or whose heartbeats stopped."""
    heard_at: datetime | None
    """Time of the last heartbeat of any agent."""


class RunSummaryAnswer(Answer):
    """Summary of a run, for display in lists."""

    id: UUID
    name: str
    state: RunState
    spec: RunSpec
    spec_words: str
    account_id: UUID | None
    """Account of the run; null if it is not connected any more."""
    account_name: str | None
    person: str
    created_at: datetime
    launched_at: datetime | None
    finished_at: datetime | None
    quoted_usd: float
    agreed_usd: float | None
    spent_usd: float
    sentence: str
    """State of the run as a sentence."""
    progress: float
    """Progress, 0 to 1; 1 when the run has ended."""
    failure: str | None
    instances: InstancesAnswer | None
    """Instances and agents; null before the first instance is observed."""
    verified: bool
    """Whether the tear-down is verified: none of the run's resources is left in the account."""
    accepted: bool


class StepAnswer(Answer):
    """One step of a run, such as its launch."""

    state: RunState
    words: str
    status: StepStatus
    started_at: datetime | None
    ended_at: datetime | None


class LiveAnswer(Answer):
    """Current throughput of a node. A field is null if it is not measured."""

    read_mb_per_s: float | None = None
    write_mb_per_s: float | None = None
    received_mb_per_s: float | None = None
    sent_mb_per_s: float | None = None


class NodeAnswer(Answer):
    """A node of a run: its instance in EC2, and the agent on it."""

    node: int
    instance_id: str | None
    ec2_state: InstanceState | None
    """State of the instance in EC2; null before it is observed."""
    ec2_state_at: datetime | None
    """Time of the last observation of that state."""
    zone: str | None
    address: str | None
    """Private IP address in the account's network."""
    state: NodeState
    """State of the agent."""
    phase: str | None
    progress: float | None
    """Progress of the phase, 0 to 1."""
    words: str
    heard_at: datetime | None
    """Time of the agent's last heartbeat."""
    live: LiveAnswer | None


class ResourceAnswer(Answer):
    """An AWS resource that a run created."""

    kind: ResourceKind
    id: str
    usd_per_hour: float
    since: datetime
    gone_at: datetime | None


class NodeResultAnswer(Answer):
    """Results of one node in one phase of a run."""

    node: int
    instance_id: str | None
    status: ReportStatus
    failure: str | None
    metrics: list[HeadlineAnswer]


class RunResultAnswer(Answer):
    """Results of one phase of a run."""

    phase: str
    name: str
    kind: ResultKind
    complete: bool
    """Whether all participating nodes have reported success."""
    nodes_missing: list[int]
    """Nodes that have not reported."""
    metrics: list[HeadlineAnswer]
    """Metrics of all nodes together; empty if they cannot be computed."""
    per_node: list[NodeResultAnswer]


class PublishedPointAnswer(Answer):
    """Published network bandwidth per node at one cluster size."""

    nodes: int
    mb_per_s: float


class PublishedScalingAnswer(Answer):
    """Published network bandwidth by cluster size. Predictions use it until the run's results are accepted."""

    points: list[PublishedPointAnswer]
    source: str
    kind: Kind


class DroppedNodeAnswer(Answer):
    """One node that should be dropped from the cluster because it is slow."""

    node: int
    instance_id: str | None
    reasons: list[str]


class ScreeningAnswer(Answer):
    """Result of screening the nodes: those that should be dropped because they are slow."""

    drop: list[DroppedNodeAnswer]
    words: str


class RunEventAnswer(Answer):
    """One entry of a run's log."""

    id: int
    at: datetime
    kind: str
    words: str


class RunAcceptedAnswer(Answer):
    """Outcome of accepting the results of a run."""

    upload_id: UUID
    measurements: list[UUID]


class RunAnswer(RunSummaryAnswer):
    """A run with its nodes, results and log."""

    steps: list[StepAnswer]
    quote: QuotedAnswer
    agreed_by: str | None
    agreed_at: datetime | None
    cost_per_hour: float
    """Hourly cost of the resources that exist now."""
    deadline: datetime | None
    """Latest time at which the last node terminates itself."""
    cancel_asked_at: datetime | None
    cancel_asked_by: str | None
    can_approve: bool
    """Whether the quote can still be approved."""
    can_cancel: bool
    can_accept: bool
    """Whether there are results that are not accepted yet."""
    nodes: list[NodeAnswer]
    resources: list[ResourceAnswer]
    trouble: Trouble | None
    results: list[RunResultAnswer]
    scaling: list[Scale]
    """Bandwidth by cluster size; empty if the network was not measured."""
    published_scaling: PublishedScalingAnswer | None
    screening: ScreeningAnswer | None
    log: list[RunEventAnswer]
    """Newest log entries, oldest first."""
    accepted_as: RunAcceptedAnswer | None


class RunListAnswer(Answer):
    """Runs, newest first."""

    runs: list[RunSummaryAnswer]
    next_cursor: str | None
    """Value of `cursor` for the next page; null on the last page."""


class RunLogAnswer(Answer):
    """A page of a run's log, oldest entry first."""

    run_id: UUID
    events: list[RunEventAnswer]
    more: bool
    """Whether later entries exist; request them with the id of the last entry."""


class ComparedRowAnswer(Answer):
    """One metric, compared over several runs."""

    phase: str
    name: str
    what: str
    unit: str
    values: list[float | None]
    """Values in the order of the runs; null if a run did not measure the metric."""
    percent: list[float | None]
    """Change of each value relative to the first run [%]."""


class RunComparisonAnswer(Answer):
    """Comparison of several runs."""

    runs: list[RunSummaryAnswer]
    rows: list[ComparedRowAnswer]
    differences: list[str]
    """Differences between the specifications, in words."""


class PlanRerankedAnswer(Answer):
    """Change of one saved plan's ranking by the accepted results of a run."""

    plan_id: UUID
    name: str
    measured: MeasuredAnswer


class RerankingAnswer(Answer):
    """Changes of the newest saved plans by the accepted results of a run; empty before results are accepted."""

    run_id: UUID
    plans: list[PlanRerankedAnswer]
