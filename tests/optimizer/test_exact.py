"""The search against a plain loop over every candidate, on random spaces, regular and irregular.

Each space is searched without limits, and again within limits taken from its own answers: deadlines and budgets that
one candidate meets exactly, and its neighbour just misses.
"""

from collections.abc import Iterable
from dataclasses import replace

import numpy as np
import pytest

from optimizer.certificate import assert_equal
from optimizer.oracle import Answer, compute, enumerate_all, every_group, reasons
from optimizer.spaces import Dice, Space, space
from soaking import everyday
from stowage.model.infeasible import Infeasible
from stowage.model.inputs import gather
from stowage.model.jobs.mapreduce import MapReduce
from stowage.model.jobs.task_slots import ONE_PER_VCPU
from stowage.model.jobs.workload import Limits, Workload
from stowage.model.plan import Candidate
from stowage.model.prediction import predict
from stowage.optimizer.near_misses import near_misses
from stowage.optimizer.search import search

BLOCK = 25
# Thousands of other spaces are searched in the slice of the soak.
WILD, TAME = range(0, 50, BLOCK), range(10_000, 10_000 + BLOCK, BLOCK)


@pytest.mark.parametrize("first", everyday(WILD[:1], WILD, "spaces"))
def test_search_of_wild_spaces_finds_what_a_plain_loop_finds(first: int) -> None:
    for number in range(first, first + BLOCK):
        check(number, space(number))


@pytest.mark.parametrize("first", TAME)
def test_search_of_tame_spaces_finds_what_a_plain_loop_finds(first: int) -> None:
    for number in range(first, first + BLOCK):
        check(number, space(number, wild=False))


def test_search_with_engines_that_run_tasks_equals_a_plain_loop() -> None:
    """A fourth of the spaces have an engine; here some that sort or run MapReduce, and fetch after the map phase."""
    asked = [number for number in range(40_000, 40_200) if fetches_after_map(space(number).workload)][:10]
    assert len(asked) == 10
    for number in asked:
        check(number, space(number))


def test_search_with_tasks_of_their_own_number_and_memory_equals_a_plain_loop() -> None:
    """Some types run fewer tasks than asked for, and some none."""
    asked = [number for number in range(60_000, 60_400) if space(number).workload.tasks != ONE_PER_VCPU][:20]
    assert len(asked) == 20
    refused = sum(check(number, space(number)).refused["task memory"] > 0 for number in asked)
    assert 0 < refused < len(asked)


def fetches_after_map(workload: Workload) -> bool:
    return isinstance(workload.job, MapReduce) and workload.reached.engine.fetches_after_map


def test_search_with_data_elsewhere_equals_a_plain_loop() -> None:
    """For every storage: links that limit every cluster, some clusters, and none."""
    asked = [number for number in range(30_000, 30_100) if space(number).workload.talks_elsewhere][:15]
    assert {space(number).workload.job.durability.model for number in asked} >= {"none", "infrastructure"}
    for number in asked:
        check(number, space(number))


@pytest.mark.soak("spaces")
@pytest.mark.parametrize("first", range(20_000, 23_000, 500))
def test_search_of_many_spaces_finds_what_a_plain_loop_finds(first: int) -> None:
    for number in range(first, first + 500):
        check(number, space(number, wild=number % 4 != 0))


def check(number: int, of: Space) -> Answer:
    """Search a space without limits on time and money, and within such limits; return the result without limits."""
    dice = Dice(-number - 1)
    whole = compared(number, of, of.workload, dice)
    if whole.rows:
        slow, job = of.workload.stragglers is not None, of.workload.job
        copies = job.durability.replicas > 1 or job.default_copies
        for limits in some_limits(dice, of.workload.limits, whole, slow=slow, copies=copies):
            compared(number, of, replace(of.workload, limits=limits), dice)
    return whole


def compared(number: int, of: Space, workload: Workload, dice: Dice) -> Answer:
    expected = enumerate_all(workload, of.catalog, of.profiles, of.steps, at_once=True)
    most_rows = dice.one(None, None, 1, 2)
    found = search(workload, of.catalog, of.profiles, most_rows, steps=of.steps)
    try:
        assert_equal(found, expected, most_rows)
    except AssertionError as error:
        error.add_note(f"space {number}, {workload.limits}, {workload.objective}, most rows {most_rows}")
        raise
    return expected


def some_limits(dice: Dice, limits: Limits, whole: Answer, *, slow: bool, copies: bool) -> Iterable[Limits]:
    """Return limits taken from the answers without any: exactly met by one candidate, just missed, or in between."""
    winners = [Candidate(row.configuration, row.time_s.p50, row.cost_usd.p50) for row in whole.rows]
    points = (*whole.frontier, *winners)
    one, other = dice.one(*points), dice.one(*points)
    tight = dice.one(1.0, 1.0, 1.0 - 1e-15, 1.0 + 1e-12, 1.3)
    deadline_s, budget_usd = one.time_s * tight, other.cost_usd * tight
    kind = dice.one("deadline", "budget", "both", "both", "loss", *([] if slow else ["chance", "chance and budget"]))
    # With several copies the search does not use the loss probability; it is computed for its results (decision 0019).
    kind = "both" if kind == "loss" and copies else kind
    if kind == "deadline":
        yield replace(limits, deadline_s=deadline_s)
    elif kind == "budget":
        yield replace(limits, budget_usd=budget_usd)
    elif kind == "both":
        yield replace(limits, deadline_s=deadline_s, budget_usd=budget_usd)
    elif kind == "loss":
        yield replace(limits, loss=dice.one(*whole.rows).loss_probability, budget_usd=budget_usd * 1.5)
    else:
        chance, longer = dice.one(0.1, 0.5, 0.9, 0.99), dice.one(1.0, 1.2, 1.5)
        budget = budget_usd * 1.2 if kind == "chance and budget" else None
        yield replace(limits, deadline_s=deadline_s * longer, chance=chance, budget_usd=budget)


@pytest.mark.parametrize("first", everyday((0,), range(0, 520, 20), "spaces"))
def test_the_nearest_miss_is_the_fastest_or_the_cheapest_that_the_loop_finds(first: int) -> None:
    """Half the time of the fastest, or half the cost of the cheapest: nothing fits, and one of these is the nearest."""
    seen = 0
    for number in range(first, first + 20):
        of = space(number, wild=number % 2 == 0)
        # The budget limits a run, so the cheapest run is its nearest miss for every objective.
        by_run = replace(of.workload, objective="cost")
        frontier = enumerate_all(by_run, of.catalog, of.profiles, of.steps, at_once=True).frontier
        if not frontier or frontier[0].time_s == 0.0:
            continue
        seen += 1
        fastest, cheapest = frontier[0], frontier[-1]
        for limits in (
            replace(of.workload.limits, deadline_s=0.5 * fastest.time_s),
            replace(of.workload.limits, budget_usd=0.5 * cheapest.cost_usd),
        ):
            plan = search(replace(of.workload, limits=limits), of.catalog, of.profiles, steps=of.steps)
            assert not plan.ranked
            assert not plan.frontier
            # More nodes or a larger quota may help as well: then they are listed too.
            found = near_misses((replace(of.workload, limits=limits),), of.catalog, of.profiles, of.steps)
            misses = {miss.limits: miss.candidate for miss in found}
            if limits.deadline_s is not None:
                assert misses["deadline",].time_s == pytest.approx(fastest.time_s, rel=1e-7), number
            else:
                assert misses["budget",].cost_usd == pytest.approx(cheapest.cost_usd, rel=1e-7), number
    assert seen > 5


@pytest.mark.parametrize("first", everyday((0,), range(0, 400, 10), "spaces"))
def test_the_loop_finds_the_same_one_by_one_and_all_at_once(first: int) -> None:
    for number in range(first, first + 10):
        of = space(number)
        most = min(of.workload.limits.max_nodes or 3, 3)
        limits = Limits(deadline_s=1_000.0, max_nodes=most, chance=0.6 if number % 2 else None)
        workload = replace(of.workload, limits=limits)
        if sum(group.nodes.size for group in every_group(workload, of.catalog, of.steps)) < 200:
            once = enumerate_all(workload, of.catalog, of.profiles, of.steps, at_once=True)
            assert enumerate_all(workload, of.catalog, of.profiles, of.steps) == once, number


@pytest.mark.parametrize("first", everyday((0,), range(0, 500, 25), "spaces"))
def test_the_loop_computes_what_predict_says_of_each_candidate(first: int) -> None:
    """Some candidates of every group: time, cost and monthly cost, and the reasons for exclusions."""
    for number in range(first, first + 25):
        of, dice = space(number), Dice(number)
        workload, catalog = of.workload, of.catalog
        for group in every_group(workload, catalog, of.steps):
            if group.nodes.size == 0 or workload.selection.refuses(group.instance) or dice.happens(0.6):
                continue
            place = dice.one(*range(group.nodes.size))
            inputs = gather(group.instance, group.volume, workload, catalog, of.profiles)
            alone = predict(group.configuration(place), workload, catalog, of.profiles, sources=False)
            found = [reason for reason, mask in reasons(group, inputs, catalog) if mask[place]]
            if workload.limits.keeps_room and not isinstance(alone, Infeasible) and found == ["capacity"]:
                # The limits on free space apply to the search: `predict` accepts a fuller cluster.
                continue
            if {"selection", "max nodes", "quota", "head node memory", "re-replication"} & set(found):
                # These limits apply only to the search: `predict` accepts any cluster.
                continue
            if isinstance(inputs, Infeasible) or isinstance(alone, Infeasible):
                assert isinstance(alone, Infeasible)
                assert {"copies": "capacity"}.get(alone.limit, alone.limit) in found, number
            else:
                assert not found, number
                one = group.where(np.arange(group.nodes.size) == place)
                computed = compute(one, inputs, at_once=False)
                amounts = (computed.time_s[0], computed.cost_usd[0], computed.month_usd[0])
                assert amounts == (alone.time_s.p50, alone.cost_usd.p50, alone.always_on_usd), number
