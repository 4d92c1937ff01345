"""Spark and MapReduce frameworks: their parameters equal the fit to published jobs, also with each source left out."""

import math
from dataclasses import replace

import pytest

from bench.published_frameworks import BEGIN, END, FITTED, PAGE, fitted_cpu, held_of, instances, tables, with_cpu
from stowage.model.jobs.framework import Framework
from stowage.model.jobs.frameworks import FRAMEWORKS, HADOOP_MAPREDUCE, NOT_OFFERED, SPARK
from stowage.validation.corpus import (
    left_out,
    log_ratios,
    of_unseen_source,
    sources_of,
    why_left_out,
)
from stowage.validation.hierarchy import of_another
from stowage.validation.published_jobs import predicted_time_s, published_jobs

KNOWN = instances()


@pytest.mark.parametrize("framework", [SPARK, HADOOP_MAPREDUCE], ids=lambda framework: framework.name)
def test_the_stated_figures_are_those_of_the_published_jobs(framework: Framework) -> None:
    width = of_unseen_source(framework, KNOWN)
    reached = 1.0 if framework.efficiency is None else framework.efficiency.value
    assert math.exp(-width.median) == pytest.approx(reached, abs=0.02)
    assert framework.error.value == round(width.deviation, 2)
    stated = framework.engine.map_cpu, framework.engine.reduce_cpu
    for figure, fitted in zip(stated, fitted_cpu(framework, KNOWN), strict=True):
        assert figure is not None
        assert figure.value == pytest.approx(fitted, rel=0.03)
    nodes = [job.nodes for jobs in sources_of(framework.name, KNOWN).values() for job in jobs]
    assert framework.measured_nodes == (min(nodes), max(nodes))


def test_cpu_time_is_fitted_to_some_sources_and_the_others_are_held_out() -> None:
    """The fitted CPU times do not depend on those that the framework already has."""
    assert set(FITTED[SPARK.name]) < set(sources_of(SPARK.name, KNOWN))
    slow = replace(SPARK, engine=with_cpu(SPARK.engine, 1_000.0, 1_000.0))
    assert fitted_cpu(slow, KNOWN) == pytest.approx(fitted_cpu(SPARK, KNOWN), rel=1e-2)


def test_each_source_left_out_is_held_by_the_others_as_often_as_a_range_of_80_percent_should() -> None:
    found = list(left_out(SPARK, KNOWN))
    assert {one.source for one in found} == set(log_ratios(SPARK, KNOWN))
    held, jobs = sum(map(held_of, found)), sum(len(one.log_ratios) for one in found)
    assert jobs == 25
    assert 0.7 <= held / jobs <= 0.9
    # A framework with a single source has none to leave out.
    assert list(left_out(HADOOP_MAPREDUCE, KNOWN)) == []


def test_every_published_job_says_something_or_the_reason_why_not() -> None:
    counted = {job.id for name in FITTED for jobs in sources_of(name, KNOWN).values() for job in jobs}
    for job in published_jobs():
        if job.told["framework"] in FITTED:
            assert (job.id in counted) == (why_left_out(job, KNOWN) is None)
        else:
            assert job.told["framework"] in NOT_OFFERED


def test_data_of_a_type_without_disks_lies_on_ebs() -> None:
    """c3o states no disks of m4.2xlarge, whose link to EBS carries 125 MB/s: 20 GB read and written twice each."""
    [job] = [job for job in published_jobs() if job.id == "c3o-sort-19260mb-2xm4.2xlarge"]
    direct = replace(SPARK, engine=replace(SPARK.engine, alone=None, fetches_after_map=False), efficiency=None)
    over_the_link_s = 4.0 * job.data_mb / 2.0 / 125.0
    assert predicted_time_s(job, direct, KNOWN) >= over_the_link_s


def test_a_hierarchy_of_one_group_learns_its_variances_from_others() -> None:
    """Means 0 and 2 of the others: variance 2 between groups, 0.5 within; for a group of one twice the first."""
    others = [[[-0.5, 0.5], [1.5, 2.5]]]
    width = of_another([[1.0, 2.0]], others)
    assert width.median == pytest.approx(1.5)
    assert width.within == pytest.approx(math.sqrt(0.5))
    # Student's t with one degree of freedom is wide: its p90 is 3.08.
    assert width.range[1] - width.median == pytest.approx(3.0777 * math.sqrt(2.0 * 2.0 + 0.5), rel=1e-3)


def test_frameworks_that_are_not_offered_have_no_profile_and_say_why() -> None:
    assert NOT_OFFERED.keys().isdisjoint(FRAMEWORKS)


def test_the_page_states_the_tables_of_the_day() -> None:
    written = PAGE.read_text()
    assert written[written.index(BEGIN) : written.index(END)] == f"{BEGIN}\n\n{tables(KNOWN)}\n\n"
