"""Conditions under which a team is notified that a plan's answer changed, for any order of winners and costs."""

from collections.abc import Sequence
from datetime import UTC, datetime, timedelta
from itertools import pairwise
from typing import Any, get_args

import pytest
from hypothesis import given
from hypothesis import strategies as st

from stowage.features.planning.watches.news import is_same, news, next_check
from stowage.features.planning.watches.schemas import PlanOutcome, PlanWinner
from stowage.features.planning.watches.tables import Every
from stowage.model.choice import Objective
from stowage.workloads.cluster_section import EbsSection, InstanceStoreSection, StorageSection

DISKS = InstanceStoreSection(kind="instance-store", input_output_disks=2, intermediate_disks=2)
OTHER_DISKS = InstanceStoreSection(kind="instance-store", input_output_disks=3, intermediate_disks=1)
VOLUMES = EbsSection.model_validate({"kind": "ebs", "type": "gp3", "size": "500 GiB", "count": 2})


def won(
    cost_usd: float, instance: str = "i3.large", nodes: int = 3, storage: StorageSection = DISKS, **kept: object
) -> PlanWinner:
    words = {DISKS: "2 data + 2 scratch disks", OTHER_DISKS: "3 data + 1 scratch disks", VOLUMES: "2 × 500 GiB gp3"}[
        storage
    ]
    common = {"instance": instance, "nodes": nodes, "storage": storage, "storage_words": words, "time_s": 60.0}
    ways = {"purchase": "on-demand", "durability": "none", "replicas": 1}
    return PlanWinner.model_validate(common | ways | kept | {"cost_usd": cost_usd})


def outcome(
    winner: PlanWinner | None,
    catalog: str = "c1",
    profiles: str = "p",
    model: str = "1",
    objective: Objective = "cost",
) -> PlanOutcome:
    return PlanOutcome(
        winner=winner,
        objective=objective,
        catalog_version=catalog,
        profiles_digest=profiles,
        model_version=model,
    )


def told_of(answers: Sequence[PlanWinner | None], percent: float) -> list[int]:
    """Return the positions of the answers that cause a notification; the first answer is the saved one."""
    known, told = answers[0], list[int]()
    for place, answer in enumerate(answers[1:], start=1):
        if news(outcome(known), outcome(answer), percent) is not None:
            known = answer
            told.append(place)
    return told


COSTS = st.floats(min_value=0.01, max_value=1e6)
WINNERS = st.none() | st.builds(won, COSTS, st.sampled_from(["i3.large", "i4i.large"]), st.integers(1, 3))
PERCENTS = st.floats(min_value=0.1, max_value=1_000.0)


@given(answers=st.lists(WINNERS, min_size=2, max_size=12), percent=PERCENTS)
def test_what_a_team_knows_is_never_further_from_the_truth_than_it_asked_for(
    answers: list[PlanWinner | None], percent: float
) -> None:
    told = told_of(answers, percent)
    for place, now in enumerate(answers):
        known = answers[max((each for each in told if each <= place), default=0)]
        assert (known is None) == (now is None)
        if known is not None and now is not None:
            assert is_same(known, now)
            assert abs(now.cost_usd / known.cost_usd - 1.0) <= percent / 100.0 * (1.0 + 1e-9)


@given(answers=st.lists(WINNERS, min_size=2, max_size=12), percent=PERCENTS)
def test_nothing_is_told_twice(answers: list[PlanWinner | None], percent: float) -> None:
    repeated = [answer for answer in answers for _ in range(3)]
    assert len(told_of(repeated, percent)) == len(told_of(answers, percent))
    told = told_of(answers, percent)
    known = [answers[0], *(answers[place] for place in told)]
    assert all(before != after for before, after in pairwise(known))


@given(first=WINNERS, second=WINNERS, percent=PERCENTS)
def test_a_change_back_is_a_change(first: PlanWinner | None, second: PlanWinner | None, percent: float) -> None:
    there = news(outcome(first), outcome(second), percent)
    back = news(outcome(second), outcome(first), percent)
    if there is not None and there.kind != "cost":
        assert back is not None
        assert {there.kind, back.kind} in ({"winner"}, {"nothing", "something"})


@given(step=st.floats(min_value=0.01, max_value=0.99), percent=st.floats(min_value=1.0, max_value=50.0))
def test_what_creeps_away_is_told_as_soon_as_it_has_gone_far_enough(step: float, percent: float) -> None:
    factor = 1.0 + step * percent / 100.0
    costs = [100.0 * factor**number for number in range(200)]
    [first, *_] = told_of([won(cost) for cost in costs], percent)
    assert costs[first - 1] <= 100.0 + percent + 1e-9
    assert costs[first] > 100.0 + percent - 1e-9


@pytest.mark.parametrize(
    ("old", "new", "words"),
    [
        (
            won(100.0),
            won(110.0),
            "3 × i3.large stays first and costs $110 a run instead of $100, 10% more.",
        ),
        (
            won(100.0),
            won(80.0, nodes=4),
            "4 × i3.large for $80 a run comes first instead of 3 × i3.large for $100, 20% less.",
        ),
        (
            won(100.0),
            won(100.0, storage=OTHER_DISKS),
            (
                "3 × i3.large (3 data + 1 scratch disks) for $100 a run comes first instead of "
                "3 × i3.large (2 data + 2 scratch disks) for $100."
            ),
        ),
        (
            won(100.0),
            won(50.0, purchase="spot"),
            (
                "3 × i3.large (at spot prices) for $50 a run comes first instead of "
                "3 × i3.large (on demand) for $100, 50% less."
            ),
        ),
        (
            won(100.0),
            won(150.0, instance="m5.large", storage=VOLUMES, durability="infrastructure"),
            (
                "3 × m5.large on 2 × 500 GiB gp3 (EBS volumes) for $150 a run comes first instead of "
                "3 × i3.large (one copy) for $100, 50% more."
            ),
        ),
        (won(100.0), None, "Nothing meets the limits any more; 3 × i3.large for $100 a run did."),
        (None, won(100.0), "3 × i3.large for $100 a run meets the limits; nothing did before."),
    ],
    ids=["cost", "nodes", "disks", "purchase", "durability", "nothing", "something"],
)
def test_it_is_said_in_words(old: PlanWinner | None, new: PlanWinner | None, words: str) -> None:
    found = news(outcome(old), outcome(new), 5.0)
    assert found is not None
    assert found.words == words


@pytest.mark.parametrize(
    ("objective", "old", "new", "kind", "words"),
    [
        (
            "month",
            won(1.0, month_usd=3_000.0),
            won(1.0, month_usd=3_300.0),
            "cost",
            "3 × i3.large stays first and costs $3,300 a month instead of $3,000, 10% more.",
        ),
        (
            "month",
            won(1.0, month_usd=3_000.0),
            won(2.0, nodes=4, month_usd=1_500.0),
            "winner",
            "4 × i3.large for $1,500 a month comes first instead of 3 × i3.large for $3,000, 50% less.",
        ),
        (
            "month",
            won(1.0, month_usd=3_000.0),
            None,
            "nothing",
            "Nothing meets the limits any more; 3 × i3.large for $3,000 a month did.",
        ),
        (
            "time",
            won(1.0, time_s=600.0),
            won(1.0, time_s=660.0),
            "time",
            "3 × i3.large stays first and takes 11 min instead of 10 min, 10% longer.",
        ),
        (
            "time",
            won(1.0, time_s=600.0),
            won(9.0, nodes=4, time_s=300.0),
            "winner",
            "4 × i3.large in 5 min comes first instead of 3 × i3.large in 10 min, 50% shorter.",
        ),
        (
            "time",
            None,
            won(1.0, time_s=600.0),
            "something",
            "3 × i3.large in 10 min meets the limits; nothing did before.",
        ),
    ],
    ids=["month", "month-winner", "month-nothing", "time", "time-winner", "time-something"],
)
def test_what_is_compared_is_what_the_plan_looks_for(
    objective: Objective, old: PlanWinner | None, new: PlanWinner | None, kind: str, words: str
) -> None:
    found = news(outcome(old, objective=objective), outcome(new, objective=objective), 5.0)
    assert found is not None
    assert (found.kind, found.words) == (kind, words)


@pytest.mark.parametrize(
    ("objective", "changed"),
    [("cost", {"time_s": 900.0, "month_usd": 9.0}), ("time", {"month_usd": 9.0}), ("month", {"time_s": 900.0})],
)
def test_changes_outside_the_objective_cause_no_notification(objective: Objective, changed: dict[str, Any]) -> None:
    old = won(100.0, month_usd=3_000.0)
    new = won(100.0 if objective == "cost" else 200.0, **{"month_usd": 3_000.0} | changed)
    assert news(outcome(old, objective=objective), outcome(new, objective=objective), 5.0) is None


def test_a_month_that_an_old_plan_does_not_say_is_not_held_against_the_answer_of_now() -> None:
    old, now = outcome(won(1.0)), outcome(won(5.0, month_usd=3_000.0), objective="month")
    assert news(old, now, 5.0) is None
    other = outcome(won(5.0, nodes=4, month_usd=3_000.0), objective="month")
    found = news(old, other, 5.0)
    assert found is not None
    assert (found.direction, found.factor) == (None, None)
    assert found.words == "4 × i3.large for $3,000 a month comes first instead of 3 × i3.large for $1 a run."


def test_the_words_say_what_it_comes_from() -> None:
    def why(now: PlanOutcome) -> str:
        found = news(outcome(won(1.0)), now, 5.0)
        assert found is not None
        return found.words.partition(" By ")[2]

    dearer = won(2.0)
    assert why(outcome(dearer)) == ""
    assert why(outcome(dearer, catalog="c2", profiles="q")) == "catalog c2 instead of c1."
    assert why(outcome(dearer, profiles="q")) == "what has been measured or published since."
    assert why(outcome(dearer, catalog="c2", model="2")) == "catalog c2 instead of c1 and model 2 instead of 1."


def test_what_an_old_plan_does_not_say_is_not_held_against_the_answer_of_now() -> None:
    old = won(100.0, purchase=None, durability=None, replicas=None)
    assert news(outcome(old), outcome(won(100.0, purchase="spot", replicas=2)), 5.0) is None


MOMENTS = st.datetimes(datetime(2020, 1, 1), datetime(2199, 1, 1), timezones=st.just(UTC))  # noqa: DTZ001 - the strategy's


@given(starts_at=MOMENTS, now=MOMENTS, every=st.sampled_from(get_args(Every)))
def test_the_next_check_is_the_first_end_of_a_period_to_come(starts_at: datetime, now: datetime, every: Every) -> None:
    found = next_check(starts_at, every, now)
    assert found > now
    assert found > starts_at
    longest = {"day": timedelta(days=1), "week": timedelta(days=7), "month": timedelta(days=31)}[every]
    # If now precedes the start (clocks that differ), the first check is a whole period after the start.
    assert found - max(now, starts_at) <= longest
    assert (found.time(), found.tzinfo) == (starts_at.time(), UTC)
    # A check at the end of a period schedules the next one.
    assert next_check(starts_at, every, found) > found
