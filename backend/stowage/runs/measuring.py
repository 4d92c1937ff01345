"""Transitions of a run from running to tearing down: wait for the reports within the agreed time and cost."""

from collections import defaultdict
from dataclasses import replace
from datetime import datetime

from stowage.runs.actions import Action, Instruct
from stowage.runs.cost import outspent
from stowage.runs.observation import Observation
from stowage.runs.orders import expected
from stowage.runs.pace import Pace
from stowage.runs.run import Run
from stowage.runs.step import (
    Event,
    Step,
    failing,
    moved,
    reached,
    since_s,
    stop_at,
    tear_down_at,
    tearing_down,
    waiting_s,
)
from stowage.runs.tracking import unended

_MOST_NAMED = 8
_MOST_TOLD = 4


def from_running(run: Run, seen: Observation | None, now: datetime, pace: Pace) -> Step:
    """Wait for reports; `seen` is None if AWS could not be queried."""
    if run.cancel_asked:
        return _cancelled(run, now)
    run, events = _lost(run, seen, now, pace)
    why = _enough(run, now, pace)
    if why is not None:
        words, is_failure = why
        run, event = moved(run, "collecting", words)
        run = replace(run, collecting_since=now, instructed_at=None)
        return Step(failing(run, words) if is_failure else run, events=(*events, event), look_again_s=0.0)
    if _is_denied(run, now, pace):
        run, event = tearing_down(failing(run, _words(run)), "failed", "the account refuses Stowage", now)
        return Step(run, events=(*events, event), look_again_s=0.0)
    actions: tuple[Action, ...] = ()
    if run.nodes and (run.instructed_at is None or since_s(run.instructed_at, now) >= pace.instruct_s):
        run, actions = _instructed(run, stop=False)
    return Step(run, actions, events, waiting_s(run, now, pace))


def from_collecting(run: Run, seen: Observation | None, now: datetime, pace: Pace) -> Step:
    """Wait briefly for the results that nodes send as they stop, then tear down."""
    if run.cancel_asked:
        return _cancelled(run, now)
    run, events = _lost(run, seen, now, pace)
    over = reached(tear_down_at(run, pace), now) or since_s(run.collecting_since, now) >= pace.collect_s
    if over or _all_reported(run) or (seen is not None and _all_ended(run)):
        missing = _missing(run)
        if missing is not None:
            run = failing(run, missing)
        failed = run.failure is not None and not (_all_reported(run) and not run.flawed)
        run = run if failed else replace(run, failure=None)
        words = "all results were received" if not failed else "the available results were received"
        run, event = tearing_down(run, "failed" if failed else "done", words, now)
        return Step(run, events=(*events, event), look_again_s=0.0)
    actions: tuple[Action, ...] = ()
    if run.nodes and run.instructed_at is None:
        run, actions = _instructed(run, stop=True)
    return Step(run, actions, events, waiting_s(run, now, pace))


def _cancelled(run: Run, now: datetime) -> Step:
    missing = _missing(run)
    run, event = tearing_down(
        run if missing is None else failing(run, missing), "cancelled", "cancelled while it was measured", now
    )
    return Step(run, events=(event,), look_again_s=0.0)


def _instructed(run: Run, *, stop: bool) -> tuple[Run, tuple[Action, ...]]:
    run = replace(run, revision=run.revision + 1)
    return run, (Instruct(run.revision, run.nodes, stop),)


def _enough(run: Run, now: datetime, pace: Pace) -> tuple[str, bool] | None:
    """Return the reason to stop waiting, and whether the reason is a failure; None to keep waiting."""
    if _all_reported(run):
        return "every node has reported", False
    if _all_ended(run):
        return "all nodes have ended", False
    if reached(stop_at(run, pace), now):
        return "the time limit was reached", True
    if outspent(run, now, pace.ending_s):
        return "the agreed sum would not have lasted longer", True
    return None


def _is_denied(run: Run, now: datetime, pace: Pace) -> bool:
    trouble = run.trouble
    return trouble is not None and trouble.kind == "denied" and since_s(trouble.since, now) >= pace.denied_s


def _words(run: Run) -> str:
    return "the account refuses Stowage" if run.trouble is None else run.trouble.words


def _all_reported(run: Run) -> bool:
    return expected(run.spec) <= run.reports


def _all_ended(run: Run) -> bool:
    if not run.nodes:
        return not unended(run, "emr-cluster")
    over = _finished(run) | run.lost_nodes
    return all(node in over for node in range(len(run.nodes)))


def _finished(run: Run) -> frozenset[int]:
    """Return the nodes that have reported on all their phases, or that have sent a final status."""
    owed = {node for node, _ in expected(run.spec) - run.reports}
    return run.ended_nodes | (frozenset(range(len(run.nodes))) - owed)


def _lost(run: Run, seen: Observation | None, now: datetime, pace: Pace) -> tuple[Run, tuple[Event, ...]]:
    """Find nodes that ended early or stopped sending heartbeats, and return an event for each newly found node."""
    if seen is None:
        # If listing fails, no heartbeats arrive either.
        return run, ()
    reasons = {
        each.id: each.reason or each.state for each in seen.instances if each.state not in {"pending", "running"}
    }
    heard, finished = dict(run.heard), _finished(run)
    lost, events = set[int](), []
    for node, (instance, _) in enumerate(run.nodes):
        if node in finished:
            continue
        last = heard.get(node)
        patience_s = pace.boot_s if last is None else pace.silent_s
        if instance in reasons:
            words = f"node {node} ({instance}) ended: {reasons[instance]}"
        elif since_s(last or run.running_since, now) > patience_s:
            words = f"no heartbeat from node {node} ({instance})"
        else:
            continue
        lost.add(node)
        if node not in run.lost_nodes:
            events.append(Event("node", words, {"node": node, "instance": instance}))
            run = failing(run, words) if len(lost) <= _MOST_TOLD else failing(run, "and more nodes")
    return replace(run, lost_nodes=frozenset(lost)), tuple(events)


def _missing(run: Run) -> str | None:
    """Describe missing or incomplete results; None if there are none."""
    wanted = expected(run.spec)
    missing = wanted - run.reports
    if missing:
        return f"{len(missing):,} of {len(wanted):,} results are missing: {_named(missing)}"
    if run.flawed:
        return f"{len(run.flawed):,} of {len(wanted):,} results are incomplete: {_named(run.flawed)}"
    return None


def _named(results: frozenset[tuple[int, str]]) -> str:
    phases: dict[str, list[int]] = defaultdict(list)
    for node, phase in sorted(results, key=lambda each: (each[1], each[0])):
        phases[phase].append(node)
    words = []
    for phase, nodes in phases.items():
        some = ", ".join(str(node) for node in nodes[:_MOST_NAMED])
        more = f" and {len(nodes) - _MOST_NAMED:,} more" if len(nodes) > _MOST_NAMED else ""
        words.append(f"{phase} of node{'' if len(nodes) == 1 else 's'} {some}{more}")
    return ", ".join(words)
