"""Faults and crashes of the worker at any point: a run ends, reports its true state, and costs no more than approved.

The audit uses the account's own data: its bill and the remaining resources, not the run's own state.
"""

from dataclasses import replace
from itertools import pairwise

import pytest
from hypothesis import event, given, settings
from hypothesis import strategies as st

from runs.simulated import DEAR, NODE_USD_PER_HOUR, Fate, Mover, Scenario, played
from stowage.runs.cost import spent
from stowage.runs.orders import expected

LONG_AFTER_S = 24 * 3600.0
FATES: tuple[Fate, ...] = ("throttled", "unreachable", "lost")
SECONDS = st.floats(0.0, 900.0)
NODES = st.integers(0, 3)


def scenarios(clock: st.SearchStrategy[tuple[tuple[float, float], ...]] | None = None) -> st.SearchStrategy[Scenario]:
    """Draw a scenario; each fault is less likely than its absence.

    A node that takes ten minutes to boot has no timer before; so Stowage is not away or shut out meanwhile.
    """
    never, nowhere = st.none(), st.just(frozenset[int]())
    return st.builds(
        Scenario,
        seed=st.integers(0, 1 << 16),
        listed_late_s=st.sampled_from((0.0, 0.0, 5.0, 50.0, 250.0)),
        boots_s=st.sampled_from((20.0, 60.0, 400.0, 600.0)),
        shuts_down_s=st.sampled_from((0.0, 20.0, 300.0)),
        no_capacity=st.one_of(nowhere, st.frozensets(st.integers(0, 2))),
        partial=st.one_of(nowhere, st.frozensets(st.integers(0, 2))),
        calls=st.one_of(st.just({}), st.dictionaries(st.integers(1, 90), st.sampled_from(FATES), max_size=40)),
        crashes=st.one_of(nowhere, st.frozensets(st.integers(1, 120), max_size=30)),
        revoked_at_s=st.one_of(never, never, SECONDS),
        restored_at_s=st.one_of(never, st.floats(0.0, 1500.0)),
        deaths=st.one_of(st.just(()), st.lists(st.tuples(NODES, SECONDS), max_size=4).map(tuple)),
        silent=st.one_of(nowhere, nowhere, st.frozensets(NODES)),
        flawed=st.one_of(nowhere, nowhere, st.frozensets(NODES)),
        twice=st.booleans(),
        cancelled_at_s=st.one_of(never, never, SECONDS),
        away=st.one_of(never, never, st.tuples(SECONDS, st.floats(0.0, 7200.0))),
        clock=st.just(()) if clock is None else clock,
        volumes_linger=st.booleans(),
    ).map(_able_to_end)


def _able_to_end(scenario: Scenario) -> Scenario:
    alone = scenario.revoked_at_s is not None or scenario.away is not None
    return replace(scenario, boots_s=min(scenario.boots_s, 60.0)) if alone else scenario


def set_back_s(scenario: Scenario) -> float:
    """Return the total time by which the clock is set back: nodes may be kept longer by that time without detection."""
    offsets = (0.0, *(offset_s for _, offset_s in scenario.clock))
    return sum(max(before - after, 0.0) for before, after in pairwise(offsets))


def audit(mover: Mover) -> None:
    """Check a run that was played to its end against the account."""
    run, account, scenario = mover.stored, mover.account, mover.account.scenario
    assert run.is_over
    assert run.outcome == run.state
    assert run.finished_at is not None
    left = account.left()
    account.advance(account.now_s + LONG_AFTER_S)
    agreed_usd = float(run.agreed_usd or 0)
    assert account.usd() <= agreed_usd + set_back_s(scenario) * scenario.spec.nodes * NODE_USD_PER_HOUR / 3600.0
    if run.verified:
        assert left == []
        assert account.left() == []
    else:
        assert run.state == "failed"
        assert scenario.revoked_at_s is not None
        assert "stowage-run" in (run.failure or "")
        assert not any(each.startswith("i-") for each in account.left())
    if run.state == "done":
        assert run.verified
        assert run.failure is None
        assert expected(run.spec) <= run.reports
        assert not run.flawed
    elif run.state == "failed":
        assert run.failure
    else:
        assert scenario.cancelled_at_s is not None
    if not scenario.clock:
        assert account.usd() <= spent(run, run.finished_at) + 1e-6
        assert spent(run, run.finished_at) <= agreed_usd


@given(scenarios())
def test_every_run_ends_in_a_true_state_leaves_nothing_and_costs_no_more_than_was_agreed(scenario: Scenario) -> None:
    mover = played(scenario)
    event(mover.stored.state)
    audit(mover)


def test_the_volume_of_a_node_that_ended_before_it_was_listed_counts_from_its_launch() -> None:
    nowhere_else = Scenario(seed=0, listed_late_s=50.0, boots_s=20.0, shuts_down_s=0.0, no_capacity=frozenset({1, 2}))
    died = frozenset({9, 16})
    audit(played(replace(nowhere_else, partial=frozenset({0}), crashes=died, volumes_linger=True)))


CLOCKS = st.lists(st.tuples(SECONDS, st.floats(-1800.0, 1800.0)), min_size=1, max_size=3).map(
    lambda steps: tuple(sorted(steps))
)


@settings(max_examples=25)
@given(scenarios(CLOCKS))
def test_a_clock_that_is_set_back_costs_what_passes_unnoticed_and_nothing_is_left(scenario: Scenario) -> None:
    # Not combined: Stowage away or shut out, and a wrong clock. Then nodes end by their own timers.
    mover = played(replace(scenario, away=None, revoked_at_s=None))
    event(mover.stored.state)
    audit(mover)


@settings(max_examples=25)
@given(scenarios(), st.sampled_from((20.0, 50.0)))
def test_dear_volumes_are_paid_for_until_they_go_with_their_nodes(scenario: Scenario, shuts_down_s: float) -> None:
    audit(played(replace(scenario, spec=DEAR, away=None, shuts_down_s=shuts_down_s, volumes_linger=False)))


@pytest.mark.soak("faults")
@settings(max_examples=6000)
@given(scenarios())
def test_any_faults_at_length(scenario: Scenario) -> None:
    audit(played(scenario))
