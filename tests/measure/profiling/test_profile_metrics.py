"""Metrics of profiles: which measurements a prediction may use, and why not."""

from typing import Any

import pytest

from knowledge import known
from measure.profiled import CATALOG, FOUR, FOUR_NODES, PAIR, R5D, networks, one
from runs_made_up import LARGE_READS, SMALL_READS, a_reading, disks, gp3, kept, on
from stowage.measure.profiling.facts import facts_of
from stowage.measure.profiling.profiles import (
    profiles_of,
)
from stowage.measure.reading import Reading
from stowage.measure.target import Target, VolumeTarget


def feeds(reading: Reading, target: Target) -> dict[str, tuple[str | None, float]]:
    return {fact.metric: (fact.feeds, fact.factor) for fact in facts_of(reading, target, CATALOG)}


def why(reading: Reading, target: Target, metric: str) -> str:
    (fact,) = (fact for fact in facts_of(reading, target, CATALOG) if fact.metric == metric)
    assert fact.feeds is None
    return fact.why_not or ""


def test_large_reads_of_all_disks_are_the_models_figure_and_of_some_are_scaled() -> None:
    reading = a_reading(settings=LARGE_READS, read_mb_per_s=900.0)
    assert feeds(reading, FOUR) == {"storage_read_mb_per_s": ("storage_read_mb_per_s", 1.0)}
    assert feeds(reading, on(R5D, disks(1))) == {"storage_read_mb_per_s": ("storage_read_mb_per_s", 2.0)}


def test_small_reads_are_ios_and_no_bandwidth() -> None:
    reading = a_reading(settings=SMALL_READS, read_iops=300_000.0, read_mb_per_s=1_228.8)
    assert feeds(reading, FOUR) == {"storage_read_iops": ("storage_read_iops", 1.0)}


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"direct": "0"}, "page cache"),
        ({"iodepth": "1", "bs": "128k"}, "keep 2 SSDs busy"),
        ({"bs": "64k", "rw": "randread"}, "neither in large pieces"),
    ],
)
def test_reads_that_are_not_what_the_disks_reach_feed_nothing(options: dict[str, str], words: str) -> None:
    reading = a_reading(settings=LARGE_READS | options, read_mb_per_s=900.0)
    assert words in why(reading, FOUR, "storage_read_mb_per_s")


def test_one_job_of_several_and_one_io_at_a_time_feed_nothing() -> None:
    beside = a_reading(settings=LARGE_READS, notes=("One of 4 jobs of group 0, ...",), read_mb_per_s=225.0)
    assert "--group_reporting" in why(beside, FOUR, "storage_read_mb_per_s")
    lone = a_reading(settings=SMALL_READS | {"iodepth": "1", "numjobs": "1"}, read_iops=10_000.0)
    assert "only 1 I/Os were under way" in why(lone, FOUR, "storage_read_iops")
    both = a_reading(settings=LARGE_READS | {"rw": "rw"}, read_mb_per_s=450.0, write_mb_per_s=450.0)
    assert "shared the disks" in why(both, FOUR, "storage_write_mb_per_s")


def test_volumes_measured_below_their_link_say_nothing_of_the_link() -> None:
    # A default gp3 carries 131 MB/s; the link of r5d.4xlarge 593.75.
    reading = a_reading(settings=LARGE_READS, read_mb_per_s=130.0)
    assert "the volumes were measured, not the link" in why(reading, on(R5D, gp3()), "ebs_read_mb_per_s")
    # 400 MiB/s are 419 MB/s and 560 MiB/s 587, just below it; 567 MiB/s are 594.5, just enough.
    for mib_per_s in (400.0, 560.0):
        assert "not the link" in why(reading, on(R5D, gp3(1, 10_000.0, mib_per_s)), "ebs_read_mb_per_s")
    assert feeds(reading, on(R5D, gp3(1, 10_000.0, 567.0)))["ebs_read_mb_per_s"][0] == "ebs_read_mb_per_s"
    wide = on(R5D, gp3(4, 10_000.0, 1_000.0))
    through = a_reading(settings=LARGE_READS, read_mb_per_s=580.0)
    assert feeds(through, wide) == {"ebs_read_mb_per_s": ("ebs_read_mb_per_s", 1.0)}


def test_what_a_link_lends_for_half_an_hour_is_not_what_it_carries() -> None:
    # r5.xlarge: 143.75 MB/s sustained, 593.75 for 30 minutes a day.
    volumes = on("r5.xlarge", gp3(4, 10_000.0, 1_000.0))
    assert "30 minutes a day" in why(a_reading(settings=LARGE_READS, read_mb_per_s=590.0), volumes, "ebs_read_mb_per_s")
    hours = a_reading(settings=LARGE_READS, read_mb_per_s=590.0, duration_s=7_200.0)
    assert feeds(hours, volumes)["ebs_read_mb_per_s"][0] == "ebs_read_mb_per_s"


@pytest.mark.parametrize(
    ("options", "target", "rate", "words"),
    [
        ({"num_streams": "1"}, on("r5d.24xlarge", nodes=2, placement_group=True), 1_200.0, "one stream is limited"),
        ({"protocol": "UDP"}, PAIR, 600.0, "told how fast"),
        ({"target_bitrate": "1000000000"}, PAIR, 125.0, "told how fast"),
        ({"connecting_to": "localhost"}, PAIR, 600.0, "the machine itself"),
        ({}, on(R5D, nodes=1, placement_group=True), 600.0, "sends to none"),
        ({}, PAIR, 1_200.0, "on credit"),
        ({}, on("unknown.large", nodes=2), 600.0, "does not know the type"),
    ],
)
def test_a_network_that_was_not_the_nodes_feeds_nothing(
    options: dict[str, str], target: Target, rate: float, words: str
) -> None:
    assert words in why(a_reading("iperf3", options, network_mb_per_s=rate), target, "network_mb_per_s")


@pytest.mark.parametrize(
    ("target", "values", "words"),
    [
        (FOUR_NODES, {"storage_mb_per_s__min": 800.0}, "add the slowest of as many nodes"),
        (on(R5D, gp3()), {"storage_mb_per_s": 100.0}, "a node's own disks"),
        (on("unknown.large", disks(2)), {"storage_mb_per_s": 900.0}, "does not know the type"),
        (on(R5D, disks(9)), {"storage_mb_per_s": 900.0}, "has 2 disks, not 9"),
        (on(R5D, disks(9)), {"read_mb_per_s": 900.0}, "has 2 disks, not 9"),
        (on("unknown.large", disks(2)), {"write_mb_per_s": 900.0}, "does not know the type"),
        (on(R5D, VolumeTarget("gp2")), {"read_mb_per_s": 100.0}, "provisioned for is not known"),
        (on("unknown.large", gp3()), {"read_mb_per_s": 100.0}, "does not know the type"),
        (on(R5D, gp3()), {"read_mb_per_s": 100.0, "write_mb_per_s": 100.0}, "seen by large reads or writes"),
        (on("i2.8xlarge", gp3()), {"read_mb_per_s": 100.0}, "is not published"),
    ],
)
def test_disks_and_volumes_that_say_nothing_of_a_node_feed_nothing(
    target: Target, values: dict[str, Any], words: str
) -> None:
    catalog = known("paper-2014").catalog if target.instance == "i2.8xlarge" else CATALOG
    facts = facts_of(a_reading("diskbench", {}, **values), target, catalog)
    assert facts
    assert all(fact.feeds is None and words in (fact.why_not or "") for fact in facts), facts


def test_every_metric_says_what_it_is_for_people() -> None:
    profile = one(networks([600.0]))
    assert profile.what == "What a node receives of others"
    latency = profiles_of(kept(a_reading(settings=SMALL_READS, read_latency_us__p99=9.0), FOUR, CATALOG))
    assert [each.what for each in latency] == ["Time within which 99% of the reads of a node's own disks were done"]


def test_monitors_and_failed_runs_make_no_profile() -> None:
    assert facts_of(a_reading("iostat", device_read_mb_per_s=900.0), FOUR, CATALOG) == ()
    assert facts_of(a_reading(settings=LARGE_READS, status="failed", read_mb_per_s=9.0), FOUR, CATALOG) == ()


def test_what_feeds_nothing_is_kept_and_shown_all_the_same() -> None:
    redis = a_reading("redis-benchmark", {"clients": "50"}, name="SET", set_per_s=120_000.0, set_latency_us__p99=400.0)
    facts = facts_of(redis, on("r5.xlarge"), CATALOG)
    assert {fact.metric for fact in facts} == {"set_per_s", "set_latency_us.p99"}
    assert all(fact.feeds is None and fact.why_not and "SET, 50 clients" in fact.manner for fact in facts)
    timed = a_reading(settings=SMALL_READS, read_iops=1e5, read_latency_us__mean=2_560.0, read_latency_us__p99=9_000.0)
    assert {"storage_read_latency_us", "storage_read_latency_us.p99"} <= set(feeds(timed, FOUR))
