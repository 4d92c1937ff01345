"""The search with a framework that a team has calibrated, and with packaged ones that have an engine."""

from dataclasses import replace

import pytest

from optimizer.spaces import Dice, Space, a_framework, calibrated, figure, space
from optimizer.test_exact import check
from stowage.model.jobs.framework import Framework
from stowage.model.jobs.frameworks import HADOOP_MAPREDUCE, SPARK
from stowage.model.jobs.mapreduce import MapReduce
from stowage.optimizer.search import search

SPACES = (50_000, 60_000)
BLOCK = 12
"""Spaces that are searched every day; the soak searches thousands of others."""


@pytest.mark.parametrize("first", SPACES)
def test_search_with_calibrated_frameworks_finds_what_a_plain_loop_finds(first: int) -> None:
    for number in range(first, first + BLOCK):
        check(number, calibrated(space(number, wild=first < 60_000), number))


def run_by(framework: Framework, of: Space, number: int) -> Space:
    """Return a space whose job runs on a framework, with its shuffle compressed in some spaces."""
    job = of.workload.job
    if isinstance(job, MapReduce) and number % 3 == 0:
        job = replace(job, compressed_to=0.4)
    return replace(of, workload=replace(of.workload, job=job, framework=framework.name, calibrated=None))


@pytest.mark.parametrize("framework", [SPARK, HADOOP_MAPREDUCE], ids=lambda framework: framework.name)
def test_search_with_spark_and_mapreduce_finds_what_a_plain_loop_finds(framework: Framework) -> None:
    for number in range(80_000, 80_000 + BLOCK):
        check(number, run_by(framework, space(number, wild=number % 2 == 0), number))


@pytest.mark.soak("spaces")
@pytest.mark.parametrize("framework", [SPARK, HADOOP_MAPREDUCE], ids=lambda framework: framework.name)
@pytest.mark.parametrize("first", range(90_000, 91_000, 500))
def test_search_of_many_spaces_with_spark_and_mapreduce_finds_what_a_plain_loop_finds(
    first: int, framework: Framework
) -> None:
    for number in range(first, first + 500):
        check(number, run_by(framework, space(number, wild=number % 4 != 0), number))


@pytest.mark.soak("spaces")
@pytest.mark.parametrize("first", range(70_000, 72_000, 500))
def test_search_of_many_calibrated_spaces_finds_what_a_plain_loop_finds(first: int) -> None:
    for number in range(first, first + 500):
        check(number, calibrated(space(number, wild=number % 4 != 0), number))


def test_a_new_calibration_of_a_team_invalidates_cached_search_columns() -> None:
    of = calibrated(space(10_001, wild=False), 1)
    first = search(of.workload, of.catalog, of.profiles, steps=of.steps)
    slower = replace(a_framework(Dice(1)), start_up=figure("start_up", 5e4, "s"))
    changed = replace(of.workload, calibrated=slower)
    second = search(changed, of.catalog, of.profiles, steps=of.steps)
    assert first.ranked
    assert second.ranked[0].time_s.p50 > first.ranked[0].time_s.p50 + 4e4
