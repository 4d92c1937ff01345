"""API answers about runs: progress, nodes, results and log."""

from collections import Counter
from collections.abc import Mapping, Sequence
from datetime import datetime, timedelta
from typing import get_args
from uuid import UUID

from stowage.features.benchmarks.run_measured import Measured
from stowage.features.benchmarks.run_quotes import quoted_answer
from stowage.features.benchmarks.schemas import (
    InstancesAnswer,
    LiveAnswer,
    NodeAnswer,
    NodeState,
    PublishedPointAnswer,
    PublishedScalingAnswer,
    RunAcceptedAnswer,
    RunAnswer,
    RunSummaryAnswer,
    StepAnswer,
    StepStatus,
)
from stowage.features.benchmarks.store.aws_accounts import NamedAccount
from stowage.features.benchmarks.store.run_news import StoredEvent, StoredStatus
from stowage.features.benchmarks.store.runs import StoredRun
from stowage.features.catalog import catalogs
from stowage.frozen import frozen
from stowage.model.hardware.profile import ScalingCurve
from stowage.platform.database.database import Database
from stowage.platform.errors import BadInput
from stowage.runs import checks, cost, orders
from stowage.runs.assembly import Scale
from stowage.runs.run import ENDED, Resource, Run, RunState

SILENT_AFTER = timedelta(seconds=90)
"""A node without a status for longer than this is shown as silent."""

_STEPS: tuple[RunState, ...] = ("quoted", "approved", "launching", "running", "collecting", "tearing-down")
_WORDS: Mapping[RunState, str] = {
    "quoted": "Quote ready; awaiting approval.",
    "approved": "Approved; quotas and capacity are checked before anything is launched.",
    "launching": "Instances are launched, all of them or none.",
    "running": "The nodes measure.",
    "collecting": "What the nodes still have is collected.",
    "tearing-down": "Everything that was made is removed, and looked for until nothing is found.",
    "done": "It was measured, and nothing is left.",
    "failed": "It did not come to its end as it was meant to.",
    "cancelled": "Cancelled by a person.",
}
_FAR: Mapping[RunState, float] = {
    "quoted": 0.0,
    "approved": 0.02,
    "launching": 0.05,
    "collecting": 0.9,
    "tearing-down": 0.95,
}
_BETWEEN: Mapping[NodeState, str] = {
    "waiting": "It waits for its orders.",
    "running": "It goes on to its next phase.",
    "done": "It has no more to do.",
}
"""Text shown for a node that has sent no status."""
_RUNNING_FROM, _RUNNING_TO = 0.1, 0.9


@frozen
class RunDetails:
    """Stored details of a run that its row does not contain."""

    statuses: Sequence[StoredStatus]
    """Last status of each node."""
    log: Sequence[StoredEvent]
    accepted: Sequence[UUID]
    """Measurements that were stored when the results were accepted."""


def summary(stored: StoredRun, run: Run, account: NamedAccount | None) -> RunSummaryAnswer:
    """Return the summary of a run, for display in a list.

    Parameters
    ----------
    run : Run
        The run `stored` as the model's type, with the known reports of its nodes.
    """
    return RunSummaryAnswer.from_fields(
        stored,
        spec=run.spec,
        spec_words=checks.spec_words(run.spec),
        account_id=stored.account_id if account is not None and account.connected else None,
        account_name=None if account is None else account.name,
        quoted_usd=float(stored.quoted_usd),
        agreed_usd=None if stored.agreed_usd is None else float(stored.agreed_usd),
        spent_usd=float(stored.spent_usd),
        sentence=_sentence(run),
        progress=_progress(run),
        failure=run.failure,
        instances=_instances(run),
        verified=run.verified or (run.state in ENDED and run.launched_at is None),
        accepted=stored.accepted_upload_id is not None,
    )


def _instances(run: Run) -> InstancesAnswer | None:
    """Count the instances of a run by their state in EC2, and its agents by theirs."""
    seen = [each for each in run.resources if each.ec2_state is not None]
    if not seen:
        return None
    count = Counter(each.ec2_state for each in seen)
    ended = run.ended_nodes | run.lost_nodes
    return InstancesAnswer(
        pending=count["pending"],
        running=count["running"],
        ending=count["shutting-down"] + count["stopping"] + count["stopped"],
        terminated=count["terminated"],
        observed_at=max((each.ec2_state_at for each in seen if each.ec2_state_at is not None), default=None),
        agents_reporting=sum(1 for node, _ in run.heard if node not in ended),
        agents_finished=len(run.ended_nodes - run.lost_nodes),
        agents_lost=len(run.lost_nodes),
        heard_at=max((at for _, at in run.heard), default=None),
    )


def whole(
    database: Database,
    stored: StoredRun,
    run: Run,
    account: NamedAccount | None,
    said: RunDetails,
    measured: Measured,
    *,
    now: datetime,
) -> RunAnswer:
    """Return the complete API answer of a run: summary, nodes, results and log."""
    valid = now < run.quote.valid_until
    return RunAnswer.from_fields(
        summary(stored, run, account),
        steps=_steps(run),
        quote=quoted_answer(run.quote),
        agreed_by=stored.agreed_by,
        agreed_at=stored.agreed_at,
        cost_per_hour=_usd_per_hour(run, now),
        deadline=run.ends_at or run.deadline,
        cancel_asked_at=stored.cancel_asked_at,
        cancel_asked_by=stored.cancel_asked_by,
        can_approve=run.state == "quoted" and valid and account is not None and account.connected,
        can_cancel=run.state not in ENDED and stored.cancel_asked_at is None,
        can_accept=run.state in ENDED and stored.accepted_upload_id is None and bool(measured.files),
        nodes=_nodes(run, said.statuses, now),
        resources=run.resources,
        trouble=run.trouble,
        results=list(measured.results),
        scaling=list(measured.scaling),
        published_scaling=_published(database, run, measured.scaling) if measured.scaling else None,
        # While nodes still report, a missing report does not mean that the node should be dropped.
        screening=measured.screening if run.state in {"tearing-down", *ENDED} else None,
        log=said.log,
        accepted_as=None
        if stored.accepted_upload_id is None
        else RunAcceptedAnswer(upload_id=stored.accepted_upload_id, measurements=list(said.accepted)),
    )


def _steps(run: Run) -> list[StepAnswer]:
    """Return all steps of a run in order, including future steps.

    The last step is the end of the run.
    """
    ended = run.state in ENDED
    order: tuple[RunState, ...] = (*_STEPS, run.state if ended else run.outcome or "done")
    started = (
        run.created_at,
        run.approved_at,
        run.launched_at,
        run.running_since,
        run.collecting_since,
        run.tearing_down_since,
        run.finished_at,
    )
    at = order.index(run.state)
    answers = []
    for place, (state, begun) in enumerate(zip(order, started, strict=True)):
        following = next((each for each in started[place + 1 :] if each is not None), None)
        status: StepStatus = "now" if place == at else "ahead"
        if place < at or (ended and place == at):
            status = "left-out" if begun is None else "ended"
        over = begun if ended and place == at else following
        answers.append(
            StepAnswer(
                state=state,
                words=_WORDS[state],
                status=status,
                started_at=begun if status != "ahead" else None,
                ended_at=over if status == "ended" else None,
            )
        )
    return answers


def _sentence(run: Run) -> str:
    """Return a sentence on the state of a run."""
    if run.trouble is not None and run.state not in ENDED:
        return _as_sentence(run.trouble.words)
    if run.state == "failed" and run.failure is not None:
        return _as_sentence(run.failure)
    if run.state == "running":
        due = orders.expected(run.spec)
        came = len(run.reports & due)
        return f"{len(run.nodes):,} nodes measure; {came:,} of {len(due):,} reports have come."
    if run.state == "done" and run.failure is not None:
        return _as_sentence(f"It was measured, though not all of it: {run.failure}")
    return _WORDS[run.state]


def _as_sentence(words: str) -> str:
    """Convert the text of a log entry to a sentence.

    >>> _as_sentence("no node reported")
    'No node reported.'
    """
    return f"{words[:1].upper()}{words[1:].removesuffix('.')}."


def _progress(run: Run) -> float:
    """Return the approximate progress of a run, from 0 to 1."""
    if run.state in ENDED:
        return 1.0
    if run.state != "running":
        return _FAR[run.state]
    due = orders.expected(run.spec)
    share = len(run.reports & due) / len(due) if due else 0.0
    return _RUNNING_FROM + (_RUNNING_TO - _RUNNING_FROM) * share


def _usd_per_hour(run: Run, now: datetime) -> float:
    """Return the current cost rate of a run [USD/h].

    If the run has ended without a verified tear-down, its resources count until the nodes terminate themselves.
    """
    if run.state not in ENDED:
        return cost.usd_per_hour(run)
    if run.verified:
        return 0.0
    return sum(each.usd_per_hour for each in run.resources if each.ended_at is not None and each.ended_at > now)


def _nodes(run: Run, statuses: Sequence[StoredStatus], now: datetime) -> list[NodeAnswer]:
    """Return the state of each node of a run; empty before the launch."""
    said = {each.node: each for each in statuses}
    # Without a verified tear-down, the stored end is the time until which nodes are billed, not an observed end.
    doubted = run.state in ENDED and not run.verified
    ended = {
        each.id
        for each in run.resources
        if each.kind == "instance" and (each.gone_at if doubted else each.ended_at) is not None
    }
    if not run.nodes and run.state not in {"launching", "running"}:
        return []
    known = dict(enumerate(run.nodes))
    resources = {each.id: each for each in run.resources if each.kind == "instance"}
    return [
        _node(
            run,
            number,
            resources.get(known[number][0]) if number in known else None,
            known.get(number),
            said.get(number),
            gone=number in known and known[number][0] in ended,
            now=now,
        )
        for number in range(len(run.nodes) or run.spec.nodes)
    ]


def _node(
    run: Run,
    number: int,
    instance: Resource | None,
    known: tuple[str, str] | None,
    status: StoredStatus | None,
    *,
    gone: bool,
    now: datetime,
) -> NodeAnswer:
    state: NodeState = "awaited"
    words, phase, progress, live = "It is not up yet.", None, None, None
    if status is not None:
        said = status.content
        state = said["state"] if said["state"] in get_args(NodeState) else "waiting"
        words = said["words"] or _BETWEEN.get(state, "")
        phase, progress = said["phase"], said["progress"]
        live = LiveAnswer.model_validate(said["live"])
        if state in {"waiting", "running"} and not gone and now - status.at > SILENT_AFTER:
            state, words = "silent", f"It was last heard of at {status.at:%H:%M:%S} UTC: {words}"
    elif run.state in ENDED and not gone:
        state, words = "silent", "Nothing was ever heard of it."
    if gone and state not in {"done", "failed"}:
        state, words = "gone", "Its instance has ended." if status is None else f"Its instance has ended. {words}"
    return NodeAnswer(
        node=number,
        instance_id=None if known is None else known[0],
        ec2_state=None if instance is None else instance.ec2_state,
        ec2_state_at=None if instance is None else instance.ec2_state_at,
        zone=None if known is None else run.zone,
        address=None if known is None else known[1] or None,
        state=state,
        phase=phase,
        progress=progress,
        words=words,
        heard_at=None if status is None else status.at,
        live=live if state == "running" and run.state == "running" else None,
    )


def _published(database: Database, run: Run, scaling: Sequence[Scale]) -> PublishedScalingAnswer | None:
    """Return the published network bandwidth at the cluster sizes of the run.

    It does not include the team's own measurements. The result is None if nothing was published.
    """
    try:
        knowledge = catalogs.published_knowledge(database)("latest", run.spec.region)
    except BadInput:
        return None
    sizes = [each.nodes for each in scaling]
    rows = knowledge.profiles.of(run.spec.instance, "network_mb_per_s")
    curve = ScalingCurve.through(rows)
    if curve is not None:
        support = curve.support(sizes[-1])[0]
        source, kind = support.source, support.kind
        rates = [float(curve.rate_mb_per_s(size)) for size in sizes]
    else:
        found = knowledge.catalog.instance_types.get(run.spec.instance)
        figure = None if found is None else found.network_baseline_mb_per_s or found.network_peak_mb_per_s
        if figure is None:
            return None
        source, kind, rates = figure.source, figure.kind, [figure.value] * len(sizes)
    points = [PublishedPointAnswer(nodes=size, mb_per_s=rate) for size, rate in zip(sizes, rates, strict=True)]
    return PublishedScalingAnswer(points=points, source=source, kind=kind)
