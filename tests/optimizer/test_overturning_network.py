"""Network rate at which a type would win: the search with that rate confirms it."""

from dataclasses import replace

import pytest

from knowledge import PAPER, sort
from stowage.model.choice import Selection
from stowage.model.jobs.flows import Durability
from stowage.model.jobs.workload import Limits, Measured, Workload
from stowage.model.prediction import Prediction
from stowage.optimizer.outcome import order
from stowage.optimizer.overturn import with_measured
from stowage.optimizer.overturning_network import TypeOverturn, overturning_network
from stowage.optimizer.search import search

TWO_IO = sort(limits=Limits(deadline_s=1800.0, max_nodes=200))
ON_EBS = sort(
    durability=Durability("infrastructure"), limits=Limits(max_nodes=350), measured=Measured(instance="r3.4xlarge")
)
KNOWN = replace(ON_EBS, measured=Measured(storage_mb_per_s=1e4, network_mb_per_s=1e4, instance="r3.4xlarge"))


def won(workload: Workload) -> Prediction:
    return search(workload, PAPER.catalog, PAPER.profiles, 1).ranked[0]


def asked(workload: Workload, name: str, winner: Prediction | None = None) -> TypeOverturn:
    return overturning_network(workload, name, winner or won(workload), PAPER.catalog, PAPER.profiles)


@pytest.mark.parametrize("name", ["i2.4xlarge", "hs1.8xlarge"])
def test_a_type_with_an_unmeasured_network_wins_at_the_needed_rate(name: str) -> None:
    winner = won(TWO_IO)
    found = asked(TWO_IO, name, winner)
    assert (found.verdict, found.now) == ("found", None)
    assert found.needed is not None
    assert won(with_measured(TWO_IO, name, network_mb_per_s=found.needed)) == found.best
    less = won(with_measured(TWO_IO, name, network_mb_per_s=0.99 * found.needed))
    assert less.configuration == winner.configuration


def test_of_the_winner_nothing_is_needed() -> None:
    found = asked(TWO_IO, "i2.8xlarge")
    assert (found.verdict, found.needed) == ("winner", None)
    assert found.now == pytest.approx(904.0, abs=1.0)


def test_what_is_too_small_for_the_data_is_too_small_with_any_network() -> None:
    found = asked(TWO_IO, "c3.large")
    assert (found.verdict, found.needed) == ("limit", None)
    assert found.rejected
    assert asked(TWO_IO, "cc2.8xlarge").verdict == "unknown"


def test_what_may_not_be_chosen_does_not_win() -> None:
    found = asked(replace(TWO_IO, selection=Selection(not_families=("hs1",))), "hs1.8xlarge")
    assert (found.verdict, found.obstacle and found.obstacle.limit) == ("limit", "selection")


def test_unknown_disks_are_taken_never_to_limit_and_named() -> None:
    winner = won(KNOWN)
    found = asked(KNOWN, "c3.4xlarge", winner)
    assert winner.configuration.instance == "r3.4xlarge"
    assert (found.verdict, found.assumed) == ("found", ("storage_mb_per_s",))
    assert found.best is not None
    assert order(found.best, KNOWN) < order(winner, KNOWN)
    assert asked(KNOWN, "i2.4xlarge", winner).verdict == "never"


def test_if_nothing_is_within_the_limits_any_type_that_comes_within_wins() -> None:
    tight = replace(TWO_IO, limits=Limits(deadline_s=1200.0, max_nodes=100))
    assert not search(tight, PAPER.catalog, PAPER.profiles, 1).ranked
    found = overturning_network(tight, "hs1.8xlarge", None, PAPER.catalog, PAPER.profiles)
    assert found.verdict == "limit"
    looser = replace(tight, limits=replace(tight.limits, max_nodes=400))
    found = overturning_network(looser, "hs1.8xlarge", None, PAPER.catalog, PAPER.profiles)
    assert found.needed is not None
    assert found.best is not None
    assert found.best.time_s.p50 <= 1200.0
