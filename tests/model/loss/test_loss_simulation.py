"""The Markov chain against a simulation without one: units with clocks of their own, and blocks with placements."""

import heapq
import math
from collections.abc import Callable
from itertools import combinations

import numpy as np
import pytest

from stowage.model.loss.durability import CopiedData, Repairs, chance_of_loss, sets_of_blocks
from stowage.model.units import SECONDS_PER_YEAR

Places = list[int]
"""Units of each block, as a bit mask."""


class Cluster:
    """Units that fail once a year; time in years."""

    def __init__(self, seed: int, units: int, copies: int, repair: float, repairs: Repairs) -> None:
        self.random = np.random.default_rng(seed)
        self.units, self.copies, self.repair, self.repairs = units, copies, repair, repairs

    def place(self, blocks: int, failed: int) -> Places:
        """Draw placements for blocks that are not lost: any set of units that have not all failed."""
        places: Places = []
        while len(places) < blocks:
            drawn = self.random.permuted(np.tile(np.arange(self.units), (64, 1)), axis=1)[:, : self.copies]
            masks = (1 << drawn).sum(axis=1).tolist()
            places += [mask for mask in masks if mask & failed != mask]
        return places[:blocks]

    def loses(self, places: Places, exposure: float, moved: Callable[[Places, int], Places]) -> bool:
        """Simulate until a block has lost all copies, or to the end of the exposure."""
        events = [(float(when), unit, False) for unit, when in enumerate(self.random.exponential(size=self.units))]
        heapq.heapify(events)
        failed, waiting, busy = 0, list[int](), False
        while events[0][0] < exposure:
            now, unit, repaired = heapq.heappop(events)
            if repaired:
                failed &= ~(1 << unit)
                places = moved(places, failed)
                heapq.heappush(events, (now + self.random.exponential(), unit, False))
                busy = False
            else:
                failed |= 1 << unit
                if any(mask & failed == mask for mask in places):
                    return True
                waiting.append(unit)
            if waiting and (self.repairs == "parallel" or not busy):
                busy = True
                heapq.heappush(events, (now + self.random.exponential(self.repair), waiting.pop(0), True))
        return False


def standard_errors(found: int, trials: int, chance: float) -> float:
    return (found - trials * chance) / math.sqrt(trials * chance * (1.0 - chance))


@pytest.mark.parametrize("repairs", ["parallel", "serial"])
@pytest.mark.parametrize(("units", "copies", "repair", "exposure"), [(8, 2, 0.05, 0.3), (6, 3, 0.3, 1.0)])
def test_every_set_covered(units: int, copies: int, repair: float, exposure: float, repairs: Repairs) -> None:
    cluster = Cluster(20, units, copies, repair, repairs)
    places = [sum(1 << unit for unit in chosen) for chosen in combinations(range(units), copies)]
    trials = 6_000
    found = sum(cluster.loses(places, exposure, lambda same, _: same) for _ in range(trials))
    data = CopiedData(units, copies, 1.0, repair * SECONDS_PER_YEAR, repairs)
    chance = chance_of_loss(data, exposure * SECONDS_PER_YEAR)
    assert 0.1 < chance < 0.9
    assert abs(standard_errors(found, trials, chance)) < 3.5


FEW = [(10, 2, 6, 0.3, 0.5), (8, 3, 10, 0.5, 1.0), (12, 3, 4, math.inf, 0.7)]


@pytest.mark.parametrize("repairs", ["parallel", "serial"])
@pytest.mark.parametrize(("units", "copies", "blocks", "repair", "exposure"), FEW)
def test_few_sets_covered_with_redrawn_placements(
    units: int, copies: int, blocks: int, repair: float, exposure: float, repairs: Repairs
) -> None:
    cluster = Cluster(21, units, copies, repair, repairs)
    trials = 3_000
    found = sum(
        cluster.loses(cluster.place(blocks, 0), exposure, lambda _, failed: cluster.place(blocks, failed))
        for _ in range(trials)
    )
    sets = sets_of_blocks(units, copies, blocks)
    data = CopiedData(units, copies, 1.0, repair * SECONDS_PER_YEAR, repairs, sets)
    chance = chance_of_loss(data, exposure * SECONDS_PER_YEAR)
    assert 0.1 < chance < 0.9
    assert abs(standard_errors(found, trials, chance)) < 3.5


@pytest.mark.parametrize("repairs", ["parallel", "serial"])
def test_blocks_that_go_back_to_their_places_are_a_little_safer(repairs: Repairs) -> None:
    units, copies, blocks, repair, exposure, trials = 20, 3, 60, 0.1, 1.0, 3_000
    cluster = Cluster(22, units, copies, repair, repairs)
    found = sum(cluster.loses(cluster.place(blocks, 0), exposure, lambda same, _: same) for _ in range(trials))
    sets = sets_of_blocks(units, copies, blocks)
    data = CopiedData(units, copies, 1.0, repair * SECONDS_PER_YEAR, repairs, sets)
    chance = chance_of_loss(data, exposure * SECONDS_PER_YEAR)
    assert standard_errors(found, trials, chance) < 3.5
    assert standard_errors(found, trials, 0.9 * chance) > -3.5
