"""Views of a run: requests, rows and the state machine have the same fields; steps show its progress."""

from dataclasses import replace
from datetime import UTC, datetime, timedelta
from decimal import Decimal
from typing import Any
from uuid import uuid4

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import TypeAdapter

from quoted import SPEC, quote_of
from stowage.features.benchmarks import run_views
from stowage.features.benchmarks.store.runs import StoredRun
from stowage.features.benchmarks.stored_runs import content_of, run_of, written_quote, written_spec
from stowage.runs.observation import InstanceState, TroubleKind
from stowage.runs.run import Resource, Run, Trouble
from stowage.runs.spec import RunSpec

NOW = datetime(2026, 11, 21, 9, tzinfo=UTC)
ASKED: dict[str, Any] = {"benchmark": "netbench", "instance": "i4i.large", "nodes": 4, "region": "us-east-1"}

REQUESTED = TypeAdapter(RunSpec)


def test_a_request_says_only_what_differs_from_the_defaults() -> None:
    assert REQUESTED.validate_python(ASKED) == RunSpec(**ASKED)


storages = st.one_of(
    st.none(),
    st.just({"kind": "instance-store"}),
    st.fixed_dictionaries(
        {"kind": st.just("ebs"), "type": st.sampled_from(["gp3", "st1"]), "size_gib": st.integers(1, 65_536)},
        optional={
            "iops": st.none() | st.integers(1, 1_000_000),
            "throughput_mib_per_s": st.none() | st.integers(1, 100_000),
            "count": st.integers(1, 24),
        },
    ),
)
modes = st.lists(st.sampled_from(["read-write", "read", "write"]), min_size=1, max_size=3)
specs = st.fixed_dictionaries(
    {
        "benchmark": st.sampled_from(["diskbench", "netbench", "screening", "redis", "testdfsio"]),
        "instance": st.just("i4i.large"),
        "nodes": st.integers(1, 200),
        "region": st.just("us-east-1"),
        "storage": storages,
    },
    optional={
        "zone": st.none() | st.just("us-east-1a"),
        "market": st.sampled_from(["on-demand", "spot"]),
        "placement_group": st.booleans(),
        "time_limit_s": st.floats(600.0, 14_400.0),
        "net": st.fixed_dictionaries({}, optional={"processes": st.none() | st.integers(1, 60)}),
        "disk": st.fixed_dictionaries(
            {}, optional={"modes": st.lists(st.sampled_from(["read", "write"]), min_size=1, max_size=3)}
        ),
    },
)


@given(specs)
def test_what_is_asked_comes_back_as_it_was_asked(document: dict[str, Any]) -> None:
    spec = REQUESTED.validate_python(document)
    assert REQUESTED.validate_python(written_spec(spec)) == spec


def a_run(**changed: Any) -> Run:
    return replace(Run(uuid4(), SPEC, quote_of(SPEC, NOW), "quoted", NOW), **changed)


def row_of(run: Run) -> StoredRun:
    return StoredRun(
        id=run.id,
        account_id=uuid4(),
        name="A run",
        spec=written_spec(run.spec),
        quote=written_quote(run.quote),
        quoted_usd=run.quote.total_usd,
        agreed_usd=run.agreed_usd,
        agreed_by=None if run.agreed_usd is None else "Ada",
        agreed_at=run.approved_at,
        state=run.state,
        content=content_of(run),
        person="Ada",
        created_at=run.created_at,
        launched_at=run.launched_at,
        deadline=run.deadline,
        finished_at=run.finished_at,
        spent_usd=Decimal(0),
        cancel_asked_at=None,
        cancel_asked_by=None,
        accepted_upload_id=None,
    )


def summary_of(run: Run) -> Any:
    stored = row_of(run)
    return run_views.summary(stored, run_of(stored, run.reports), None)


def test_a_run_comes_further_with_each_state_and_is_there_when_it_has_ended() -> None:
    states = ("quoted", "approved", "launching", "running", "collecting", "tearing-down", "done")
    far = [summary_of(a_run(state=state)).progress for state in states]
    assert far == sorted(set(far))
    assert (far[0], far[-1]) == (0.0, 1.0)
    halves = [summary_of(a_run(state="running", reports=frozenset(came))).progress for came in ([], [(0, "net-2")])]
    assert far[2] < halves[0] < halves[1] < far[4]


@pytest.mark.parametrize("kind", ["throttled", "denied", "capacity"])
def test_what_is_in_the_way_is_what_is_said(kind: TroubleKind) -> None:
    trouble = Trouble(kind, "the role may not do it any more", "look", NOW)
    assert summary_of(a_run(state="running", trouble=trouble)).sentence == "The role may not do it any more."
    # After a run's end it no longer matters.
    ended = a_run(state="failed", trouble=trouble, failure="no node reported", finished_at=NOW)
    assert summary_of(ended).sentence == "No node reported."
    partial = a_run(state="done", failure="2 of 4 nodes did not report.", finished_at=NOW)
    assert summary_of(partial).sentence == "It was measured, though not all of it: 2 of 4 nodes did not report."


def test_what_was_never_launched_has_left_nothing() -> None:
    assert summary_of(a_run(state="cancelled", finished_at=NOW)).verified
    launched = a_run(state="failed", launched_at=NOW, finished_at=NOW + timedelta(minutes=5))
    assert not summary_of(launched).verified
    assert summary_of(replace(launched, verified=True)).verified


def test_instances_in_ec2_and_agents_on_them_are_counted_apart() -> None:
    early, late = NOW - timedelta(seconds=40), NOW - timedelta(seconds=5)
    states: tuple[InstanceState, ...] = ("pending", "running", "running", "shutting-down")
    instances = tuple(
        Resource("instance", f"i-{number}", 0.3, NOW, ec2_state=state, ec2_state_at=early if number else late)
        for number, state in enumerate(states)
    )
    others = (Resource("security-group", "sg-1", 0.0, NOW), Resource("instance", "i-unseen", 0.3, NOW))
    run = a_run(
        state="running",
        resources=(*instances, *others),
        heard=((0, early), (1, late), (3, early)),
        ended_nodes=frozenset({3}),
        lost_nodes=frozenset({1}),
    )
    found = summary_of(run).instances
    assert (found.pending, found.running, found.ending, found.terminated) == (1, 2, 1, 0)
    assert (found.agents_reporting, found.agents_finished, found.agents_lost) == (1, 1, 1)
    assert (found.observed_at, found.heard_at) == (late, late)
    assert summary_of(a_run(state="launching", resources=others)).instances is None
