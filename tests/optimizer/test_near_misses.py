"""Near misses: the smallest sets of limits to relax, found in few searches."""

from collections.abc import Iterator
from dataclasses import replace
from itertools import combinations

import pytest

from knowledge import AWS_2026, TB, predicted
from optimizer.oracle import enumerate_all
from optimizer.spaces import Dice, Space, space
from soaking import everyday
from stowage.model.choice import Quotas, Selection, VolumeQuota
from stowage.model.infeasible import Limit
from stowage.model.jobs.flows import Durability
from stowage.model.jobs.hdfs import Hdfs
from stowage.model.jobs.workload import Limits, Workload
from stowage.optimizer import near_misses as module
from stowage.optimizer.near_misses import near_misses
from stowage.optimizer.space import NODES_WITHOUT_LIMIT

KNOWN = AWS_2026.catalog, AWS_2026.profiles
FEW, MANY = range(10), [range(first, first + 130) for first in range(10, 400, 130)]
"""Spaces for every day, and for the soak: enough to find near misses with one and with several relaxed limits."""


def limited(of: Space, number: int) -> Workload | None:
    """Return a workload whose limits no candidate meets together, though some meet each; None if all meet all."""
    dice = Dice(90_000 + number)
    open_to_all = replace(of.workload, limits=Limits(max_nodes=of.workload.limits.max_nodes), objective="cost")
    frontier = enumerate_all(open_to_all, of.catalog, of.profiles, of.steps, at_once=True).frontier
    if not frontier or frontier[0].time_s == 0.0:
        return None
    fastest, cheapest = frontier[0], frontier[-1]
    limits = Limits(
        deadline_s=dice.one(0.3, 0.9, 1.5, 1e3) * fastest.time_s,
        budget_usd=dice.one(0.3, 0.9, 1.5, 1e3) * cheapest.cost_usd,
        max_nodes=dice.one(1, 2, fastest.configuration.nodes),
    )
    names = sorted(of.catalog.instance_types)
    kept = tuple(name for name in names if dice.happens(0.4))
    return replace(of.workload, limits=limits, quotas=Quotas(), selection=Selection(instances=kept), objective="cost")


def without(workload: Workload, relaxed: tuple[Limit, ...]) -> Workload:
    """Remove limits; the node count stays within the range that is searched without a limit."""
    limits = Limits(
        deadline_s=None if "deadline" in relaxed else workload.limits.deadline_s,
        budget_usd=None if "budget" in relaxed else workload.limits.budget_usd,
        max_nodes=NODES_WITHOUT_LIMIT if "max nodes" in relaxed else workload.limits.max_nodes,
    )
    selection = Selection() if "selection" in relaxed else workload.selection
    return replace(workload, limits=limits, selection=selection)


def admitting(of: Space, workload: Workload) -> Iterator[set[tuple[Limit, ...]]]:
    """Yield by plain loop, smallest first, the sets of limits whose relaxation admits a candidate."""
    there: list[Limit] = ["deadline", "budget", "max nodes"]
    if workload.selection != Selection():
        there.append("selection")

    def admits(relaxed: tuple[Limit, ...]) -> bool:
        less = without(workload, relaxed)
        return bool(enumerate_all(less, of.catalog, of.profiles, of.steps, at_once=True).frontier)

    for size in range(len(there) + 1):
        yield set(filter(admits, combinations(there, size)))


@pytest.mark.parametrize("numbers", everyday((FEW,), (FEW, *MANY), "spaces"), ids=str)
def test_near_misses_relax_the_same_limits_as_an_exhaustive_search(numbers: range) -> None:
    sizes = set()
    for number in numbers:
        of = space(number)
        workload = limited(of, number)
        if workload is None:
            continue
        size, expected = next((size, sets) for size, sets in enumerate(admitting(of, workload)) if sets)
        if size == 0:
            continue
        found = near_misses((workload,), of.catalog, of.profiles, of.steps)
        assert {miss.limits for miss in found} == expected, number
        sizes.add(size)
    assert len(sizes) > 1


def test_a_near_miss_of_copies_keeps_the_limit_of_loss() -> None:
    """With three copies the fastest candidates have the most nodes and the highest loss probability."""
    job = Hdfs("hdfs-write", 20 * TB, Durability("application", 2))
    loose = Workload("", job, limits=Limits(deadline_s=60.0, max_nodes=200))
    nearest = {miss.limits: miss.candidate for miss in near_misses((loose,), *KNOWN)}["deadline",]
    most = predicted(nearest.configuration, loose, AWS_2026).loss_probability / 4
    tight = replace(loose, limits=replace(loose.limits, loss=most))
    kept = {miss.limits: miss.candidate for miss in near_misses((tight,), *KNOWN)}["deadline",]
    assert kept.time_s > nearest.time_s
    assert predicted(kept.configuration, tight, AWS_2026).loss_probability <= most


def test_ten_limits_take_tens_of_searches(monkeypatch: pytest.MonkeyPatch) -> None:
    """Ten limits have a thousand subsets."""
    asked: list[frozenset[Limit]] = []
    nearest = module._Way.nearest  # noqa: SLF001 - counts its calls

    def counted(way: module._Way, relaxed: frozenset[Limit]) -> object:
        asked.append(relaxed)
        return nearest(way, relaxed)

    monkeypatch.setattr(module._Way, "nearest", counted)  # noqa: SLF001 - as above
    limits = Limits(
        deadline_s=60.0,
        budget_usd=0.01,
        max_nodes=5,
        chance=0.9,
        loss=1e-12,
        free_space=0.2,
        lost_nodes=1,
        rereplication_s=60.0,
        gib_per_million_blocks=1.0,
    )
    workload = Workload(
        "",
        Hdfs("hdfs-write", 200 * TB, Durability("application", 3)),
        limits=limits,
        quotas=Quotas(vcpus=8.0, volumes={"gp3": VolumeQuota(size_gib=1.0)}),
        selection=Selection(families=("m5d",)),
    )
    found = near_misses((workload,), *KNOWN)
    assert len(found[0].limits) > 2
    assert len(asked) < 100
