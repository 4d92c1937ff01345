"""Rows of a ranking under every deadline, budget and confidence that a page lets users drag.

The answer has the steps of `optimizer.limit_rows` as columns. With it, the page ranks the rows under another limit by a
look-up, and with the same rows as a search. It asks the server for what the look-up cannot tell: sources, explanations,
sentences, the frontier, and what comes nearest if no configuration meets the limits.
"""

from collections.abc import Sequence
from typing import Annotated, Any, Literal

import numpy as np
from numpy.typing import NDArray
from pydantic import Field

from stowage.features.planning.planning import FIRST_ROWS
from stowage.frozen import frozen
from stowage.model.choice import Objective
from stowage.model.cluster import Ebs, StorageKind, storage_kind
from stowage.model.forecast import LAUNCH, REWORK, START_UP
from stowage.model.jobs.flows import DurabilityModel, PhaseKind
from stowage.model.jobs.workload import Workload
from stowage.model.money.price import Purchase
from stowage.optimizer.limit_rows import LimitRows, rows_by_limit
from stowage.optimizer.stairs_kernel import CHANNELS
from stowage.platform.described import Answer, RequestBody
from stowage.workloads.answers import HeadNodeAnswer
from stowage.workloads.knowledge import Knowledge, KnowledgeSource
from stowage.workloads.limits_section import MEDIAN
from stowage.workloads.refusals import possible_workloads
from stowage.workloads.workload_file import WorkloadFile

CONFIDENCES = (0.50, 0.80, 0.90, 0.95, 0.99)
"""Confidences of meeting a deadline for which rows are known [1]."""
MOST_LIMITS = 2_048
MOST_BYTES = 400_000
"""Size of an answer, compressed."""
_BYTES_OF_STEP, _BYTES_OF_PHASE = 12, 1
"""About what a step takes in an answer, and in it each phase, compressed."""
SEARCHES = 6
"""Searches that one request counts as; its search takes about as long as that many for one limit."""
_SHARE = 1_000
_RATIO = 100_000
_DEVIATION = 1_000_000

Limit = Annotated[float, Field(gt=0.0, le=1e12, allow_inf_nan=False)]


class NewLimits(RequestBody):
    """A workload, and the limits for which to find the rows."""

    workload: WorkloadFile
    """Its deadline, budget and confidence are ignored."""
    deadlines_s: Annotated[list[Limit], Field(max_length=MOST_LIMITS)]
    """Deadlines that users can drag to."""
    budgets_usd: Annotated[list[Limit], Field(max_length=MOST_LIMITS)]
    """Budgets that users can drag to. Used instead of the deadlines if the objective is the time."""


class RowKindAnswer(Answer):
    """Fields that all steps of one row of the ranking share."""

    instance: str
    storage: StorageKind
    volume_type: str | None
    head_node: HeadNodeAnswer | None


class StepPhaseAnswer(Answer):
    """Fields of one phase that all steps share."""

    name: str
    kind: PhaseKind


class StepsAnswer(Answer):
    """Columns of the steps: best configurations of rows under some limit, sorted by row and nodes."""

    shift: list[int]
    """Difference of the place of a step among all in the order of a ranking, and its place in the order of the
    objective's column (of equal values, as listed). Of the steps within a limit, the first of each row counts."""
    row: list[int]
    """Index of the row's kind."""
    nodes: list[int]
    replicas: list[int]
    layout: list[list[int]]
    """Four columns. Own disks: for input and output, for intermediate data, 0, 0. EBS: volumes per node, size of each
    [GiB], provisioned IOPS and throughput [MiB/s] of each, or 0."""
    since: list[list[int]]
    """For each confidence, the index of the first limit that the step meets; after the first confidence, the
    difference from the one before. The number of limits stands for no limit."""
    time_s: list[float]
    """Median, with six digits."""
    deviation: list[int]
    """Standard deviation of ln(time) above the median, in 1/1,000,000."""
    deviation_below: list[int] | None
    """The same below the median; null if it is equal."""
    cost_usd: list[float]
    """Median, with six digits."""
    cost_low: list[int]
    cost_high: list[int]
    """P10 and p90 of the cost as shares of the median, in 1/100,000."""
    month_usd: list[float] | None
    """Cost of an always-on month, where it is the objective."""
    phases: list[list[int]]
    """For each phase, its share of the median time, in 1/1,000."""
    bottlenecks: list[list[int]]
    """For each phase, the index of its bottleneck's name."""
    longest: list[int]
    """Index of the longest phase."""


class LimitRowsAnswer(Answer):
    """Rows of the ranking under every limit of a request, for a look-up."""

    objective: Objective
    along: Literal["deadline", "budget"]
    """The limit that the steps are searched for. The other limit only removes rows, if it removes any."""
    limits: list[float]
    """Limits for which the rows are known, ascending [s] or [USD]; they are also known without a limit."""
    confidences: list[float]
    usual_deadline_s: float | None
    """Deadline that applies where the workload file has none; null for none."""
    usual_confidence: float
    """Confidence that applies where the workload file has none, but a deadline."""
    most_rows: int
    purchase: Purchase
    durability: DurabilityModel
    kinds: list[RowKindAnswer]
    phases: list[StepPhaseAnswer]
    bottlenecks: list[str]
    unsure: list[list[int]]
    """For each confidence, indices of limits for which rounding decides the rows: ask for a preview."""
    steps: StepsAnswer
    catalog_version: str


def rows_under_limits(asked: NewLimits, source: KnowledgeSource) -> LimitRowsAnswer | None:
    """Find the rows of a workload's ranking under every limit of a request.

    Returns
    -------
    LimitRowsAnswer or None
        None if the look-up cannot have the same rows as a search, or would be too large: the durability or the
        purchase option is open, the loss of data is limited, nodes are slow, or a search takes too long.

    Raises
    ------
    BadInput
        As for `planning.preview_plan`.
    """
    file = asked.workload
    usual_confidence = _limited(file, "1 h").to_workloads()[0].limits.chance or MEDIAN
    file = _limited(file, None)
    knowledge = source(file.place.catalog, file.place.region)
    workloads = possible_workloads(file, knowledge)
    if len(workloads) != 1:
        return None
    workload = workloads[0]
    limits = asked.budgets_usd if workload.objective == "time" else asked.deadlines_s
    found = rows_by_limit(workload, knowledge.catalog, knowledge.profiles, sorted(set(limits)), CONFIDENCES, FIRST_ROWS)
    if found is None or _bytes(found) > MOST_BYTES:
        return None
    return _answer(found, workload, knowledge, usual_confidence)


def _bytes(found: LimitRows) -> int:
    """Estimate the size of an answer, compressed [bytes]."""
    steps: int = found.found.stairs.size
    return steps * (_BYTES_OF_STEP + _BYTES_OF_PHASE * len(_phases(found)))


def _limited(file: WorkloadFile, deadline: str | None) -> WorkloadFile:
    """Return the file with this deadline, and without a budget and a confidence."""
    limits = file.limits.model_copy(update={"deadline": deadline, "budget": None, "chance": None})
    return file.model_copy(update={"limits": limits})


@frozen
class _Columns:
    """Steps in the order of an answer."""

    found: LimitRows
    order: NDArray[np.intp]
    """Places in the ranking. Shape (steps,)."""
    kind: NDArray[np.intp]
    """Index of the kind of row of each step. Shape (steps,)."""
    first: NDArray[np.intp]
    """For each kind of row, one of its steps."""

    @classmethod
    def of(cls, found: LimitRows) -> "_Columns":
        candidates = found.found.stairs["found"]
        rows = found.problem.lanes.rows["row"][candidates["lane"]]
        order = np.lexsort([candidates["value9"], candidates["nodes"], rows])
        _, first, kind = np.unique(rows[order], return_index=True, return_inverse=True)
        return cls(found, order, kind, first)


def _answer(found: LimitRows, workload: Workload, knowledge: Knowledge, usual_confidence: float) -> LimitRowsAnswer:
    columns = _Columns.of(found)
    by_cost = workload.objective == "time"
    return LimitRowsAnswer(
        objective=workload.objective,
        along="budget" if by_cost else "deadline",
        limits=found.limits[:-1].tolist(),
        confidences=list(CONFIDENCES),
        usual_deadline_s=workload.limits.deadline_s,
        usual_confidence=usual_confidence,
        most_rows=FIRST_ROWS,
        purchase=workload.place.paid_by,
        durability=workload.job.durability.model,
        kinds=[_kind(columns, workload, at) for at in columns.first.tolist()],
        phases=_phases(found),
        bottlenecks=[*CHANNELS, "shared disks", "launch", "framework", "interruptions"],
        unsure=[np.flatnonzero(level).tolist() for level in found.found.unsure],
        steps=_steps(columns, workload),
        catalog_version=knowledge.catalog.version,
    )


def _kind(columns: _Columns, workload: Workload, at: int) -> RowKindAnswer:
    problem = columns.found.problem
    [configuration] = problem.configurations(columns.found.found.stairs["found"][columns.order[at : at + 1]])
    layout = configuration.layout
    head = problem.inputs(configuration.instance, layout).head_instance
    role = workload.head_role
    return RowKindAnswer(
        instance=configuration.instance,
        storage=storage_kind(layout),
        volume_type=layout.volume_type if isinstance(layout, Ebs) else None,
        head_node=None if role is None or head is None else HeadNodeAnswer(role=role, instance=head),
    )


def _phases(found: LimitRows) -> list[StepPhaseAnswer]:
    lanes = found.problem.lanes
    member = found.problem.rate_columns.instances[lanes.members[0]]
    working = [StepPhaseAnswer(name=phase.name, kind=phase.kind) for phase in lanes.phases([member], 0)]
    return [
        StepPhaseAnswer(name=LAUNCH, kind="launch"),
        *working,
        StepPhaseAnswer(name=START_UP, kind="start-up"),
        StepPhaseAnswer(name=REWORK, kind="rework"),
    ]


def _steps(columns: _Columns, workload: Workload) -> StepsAnswer:
    found, order = columns.found, columns.order
    lanes = found.problem.lanes
    stairs = found.found.stairs[order]
    candidates = stairs["found"]
    replicas = np.array([of.job.durability.replicas for of in lanes.workloads])
    since = found.since[:, order]
    shares, bottlenecks = _shares(found, order)
    below = _whole(stairs["below"], _DEVIATION)
    deviation = _whole(stairs["deviation"], _DEVIATION)
    time_s, cost_usd, value = (_digits(candidates[name]) for name in ("time_s", "cost_usd", "value"))
    placed = np.empty(order.size, np.int64)
    placed[np.argsort(value, kind="stable")] = np.arange(order.size)
    return StepsAnswer(
        shift=(order - placed).tolist(),
        row=columns.kind.tolist(),
        nodes=candidates["nodes"].astype(np.int64).tolist(),
        replicas=replicas[lanes.workload_of[candidates["lane"]]].tolist(),
        layout=candidates["layout"].T.tolist(),
        since=[since[0].tolist(), *np.diff(since, axis=0).tolist()],
        time_s=time_s,
        deviation=deviation,
        deviation_below=None if below == deviation else below,
        cost_usd=cost_usd,
        cost_low=_whole(stairs["cost_low_usd"] / candidates["cost_usd"], _RATIO),
        cost_high=_whole(stairs["cost_high_usd"] / candidates["cost_usd"], _RATIO),
        month_usd=value if workload.objective == "month" else None,
        phases=[_whole(share, _SHARE) for share in shares],
        bottlenecks=bottlenecks.tolist(),
        longest=shares.argmax(axis=0).tolist(),
    )


def _shares(found: LimitRows, order: NDArray[np.intp]) -> tuple[NDArray[np.float64], NDArray[Any]]:
    """Return the share of each phase in the time of each step, and the index of its bottleneck's name."""
    stairs = found.found.stairs[order]
    worked = found.found.phase_s[order].T
    whole_s = np.maximum(stairs["found"]["time_s"], 1e-300)
    rework_s = stairs["found"]["time_s"] - worked.sum(axis=0) - stairs["overhead_s"] - stairs["start_s"]
    # A difference of sums: without interruptions only rounding is left.
    rework_s = np.where(rework_s > 1e-9 * whole_s, rework_s, 0.0)
    shares = np.stack([stairs["start_s"], *worked, stairs["overhead_s"], rework_s]) / whole_s
    channel = found.found.channel[order].T
    shared = found.problem.lanes.rows["shared"][stairs["found"]["lane"]] != 0
    named = np.where((channel == CHANNELS.index("input/output disks")) & shared, len(CHANNELS), np.maximum(channel, 0))
    each = np.ones(order.size, np.int64)
    others = [(len(CHANNELS) + place) * each for place in (1, 2, 3)]
    return shares, np.stack([others[0], *named, others[1], others[2]])


def _whole(values: NDArray[np.float64], unit: int) -> list[int]:
    found: list[int] = np.rint(values * unit).astype(np.int64).tolist()
    return found


def _digits(values: Sequence[float] | NDArray[np.float64]) -> list[float]:
    return [float(f"{value:.6g}") for value in values]
