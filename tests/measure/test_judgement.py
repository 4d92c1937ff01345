"""Plausibility of a measurement: each common benchmarking mistake, and the verdict on it."""

import math
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from typing import Any, get_args

import pytest
from hypothesis import given
from hypothesis import strategies as st

from knowledge import AWS_2026, known
from runs_made_up import LARGE_READS, SMALL_READS, a_reading, disks, gp3, kept, on
from stowage.measure import recognise
from stowage.measure.errors import Unreadable
from stowage.measure.judging.judgement import Judgement, judge
from stowage.measure.judging.limit_checks import AGAINST_PUBLISHED
from stowage.measure.profiling.facts import facts_of, kind_of, provisioned
from stowage.measure.profiling.profiles import Verdict, profiles_of
from stowage.measure.reading import Metric, PrintedValue, Reading, Series
from stowage.measure.reason import Reason
from stowage.measure.seeds import SEEDS
from stowage.measure.target import Target, VolumeTarget, parse_storage
from stowage.measure.tools import csv_template
from stowage.model.hardware.profile import Metric as ModelMetric
from stowage.model.hardware.profile import Profiles

CATALOG = AWS_2026.catalog
R5, R5D = "r5.xlarge", "r5d.4xlarge"
FOUR = on(R5D, disks(2))


def codes(reading: Reading, target: Target) -> dict[str, str]:
    return {reason.code: reason.verdict for reason in judge(reading, target, CATALOG).reasons}


def reason(reading: Reading, target: Target, code: str) -> Reason:
    found = judge(reading, target, CATALOG).reasons
    return next(one for one in found if one.code == code)


def own_disks(
    reading: Reading, published: float | None = 900.0, metric: ModelMetric = "storage_read_mb_per_s"
) -> list[Reason]:
    """Judge a reading of both disks of a node whose type was measured before."""
    row = replace(AWS_2026.profiles.of(R5D, "storage_mb_per_s")[0], metric=metric, mean=published or 1.0)
    known = Profiles(() if published is None else (row,))
    return [one for one in judge(reading, FOUR, CATALOG, published=known).reasons if one.code != AGAINST_PUBLISHED]


def test_own_disks_pass_on_no_more_than_their_interface() -> None:
    (found,) = own_disks(a_reading(settings=LARGE_READS, read_mb_per_s=34_000.0, read_iops=32_425.0), None)
    assert (found.code, found.verdict) == ("above-disks", "rejected")
    assert found.words.startswith("34,000 MB/s are more than 2 own disks can pass on to a node (31,508 MB/s)")


def test_own_disks_are_held_against_what_others_found_of_the_type() -> None:
    """25% above the known rate is good, 50% above is doubtful, three times as much is another device."""
    large = [a_reading(settings=LARGE_READS, read_mb_per_s=rate) for rate in (1_125.0, 1_350.0, 2_700.0)]
    assert not own_disks(large[0])
    assert [(one.code, one.verdict) for one in own_disks(large[1])] == [("above-published", "doubtful")]
    assert [one.verdict for one in own_disks(large[2])] == ["rejected"]
    assert not own_disks(large[2], None)
    slow = own_disks(a_reading(settings=LARGE_READS, read_mb_per_s=90.0))
    assert [(one.code, one.verdict) for one in slow] == [("below-published", "doubtful")]
    # Small I/Os do not measure throughput.
    assert not own_disks(a_reading(settings=SMALL_READS, read_mb_per_s=400.0, read_iops=97_656.0))
    assert slow[0].words.startswith("90 MB/s are 10% of the 900 MB/s that is published of 2 own disks of r5d.4xlarge")
    small = a_reading(settings=SMALL_READS, read_mb_per_s=409.6, read_iops=1e5)
    (found,) = own_disks(small, 40_000.0, "storage_read_iops")
    assert found.words.startswith("100,000 IOPS are 2.5 times the 40,000 IOPS that is published of 2 own disks of r5d")


def test_iops_above_what_volumes_can_do_are_doubtful_without_an_access_pattern() -> None:
    """In a table: sequential small I/Os are merged, random ones never are."""
    target = on(R5, gp3(iops=6_000.0))
    untold = a_reading("csv", read_iops=12_400.0)
    assert codes(untold, target)["above-provisioned"] == "doubtful"
    assert "unless small I/Os in order were merged" in reason(untold, target, "above-provisioned").words
    assert codes(a_reading(settings=SMALL_READS, read_iops=12_400.0), target)["above-provisioned"] == "rejected"
    in_order = LARGE_READS | {"bs": "4k"}
    assert "above-provisioned" not in codes(a_reading(settings=in_order, read_iops=12_400.0), target)


def test_unlike_jobs_in_one_group_are_not_refused_for_options_that_fio_tells_of_the_last() -> None:
    """Three readers of 4 KiB and a writer of 64 KiB under --group_reporting."""
    settings = {"rw": "write", "bs": "64k", "ioengine": "psync", "size": "8m", "direct": "1", "iodepth": "1"}
    mixed = a_reading(settings=settings, read_mb_per_s=867.8, read_iops=211_862.0, read_latency_us__mean=11.2)
    found = codes(mixed, FOUR)
    assert found["little's-law"] == found["pieces"] == "doubtful"


def test_one_stream_faster_than_a_flow_may_be_is_doubtful() -> None:
    one = a_reading("iperf3", {"num_streams": "1"}, duration_s=30.0, network_mb_per_s=800.0)
    outside = on(R5D, nodes=2, placement_group=False)
    assert codes(one, outside)["stream-too-fast"] == "doubtful"
    assert "one-stream" not in codes(one, outside)
    assert "stream-too-fast" not in codes(one, on(R5D, nodes=2, placement_group=True))
    several = a_reading("iperf3", {"num_streams": "8"}, duration_s=30.0, network_mb_per_s=800.0)
    assert "stream-too-fast" not in codes(several, outside)


def test_tests_of_seconds_are_doubtful_for_every_target() -> None:
    assert (
        codes(a_reading("testdfsio", duration_s=None, time_s=1.5, cluster_mb_per_s=50.0), FOUR)["short"] == "doubtful"
    )
    assert codes(a_reading("redis-benchmark", duration_s=1.1, set_per_s=9e4), on(R5))["short"] == "doubtful"
    assert codes(a_reading("redis-benchmark", duration_s=None, set_per_s=9e4), on(R5)) == {"length-not-told": "good"}


def test_a_long_direct_steady_run_below_every_limit_is_good() -> None:
    reading = a_reading(settings=LARGE_READS, read_mb_per_s=900.0, read_iops=900e6 / 2**20, read_mb_per_s__stddev=20.0)
    assert judge(reading, FOUR, CATALOG) == Judgement("good")


def test_what_failed_is_rejected_with_the_tools_own_words() -> None:
    judgement = judge(a_reading(status="failed", read_iops=1e6), FOUR, CATALOG)
    assert judgement.verdict == "rejected"
    assert judgement.reasons[0].words == "fio failed: it broke"


def test_half_a_file_is_doubtful() -> None:
    assert codes(a_reading(settings=LARGE_READS, status="partial", read_mb_per_s=900.0), FOUR)["partial"] == "doubtful"


def test_a_run_without_any_figure_is_rejected() -> None:
    assert codes(a_reading(settings=LARGE_READS), FOUR)["nothing"] == "rejected"


def test_twice_the_provisioned_iops_is_too_short_a_test_or_a_cache() -> None:
    # Other readers of fio's output report this as a success: 6,000 IOPS of a volume that has 3,000.
    reading = a_reading(settings=SMALL_READS | {"bs": "16k"}, read_iops=6_000.0, read_mb_per_s=98.3, duration_s=120.0)
    found = reason(reading, on(R5, gp3()), "above-provisioned")
    assert found.verdict == "rejected"
    assert "6,000 IOPS are 2 times the 3,000 IOPS that gp3 500 GiB can do: too short a test, or a cache" in found.words
    assert [(one.name, one.value, one.unit) for one in found.figures] == [
        ("measured", 6_000.0, "IOPS"),
        ("baseline", 3_000.0, "IOPS"),
        ("burst", 3_000.0, "IOPS"),
    ]
    assert "above-provisioned" not in codes(reading, on(R5, gp3(2)))


def test_reads_and_writes_share_what_was_provisioned() -> None:
    both = a_reading(settings=SMALL_READS | {"rw": "randrw"}, read_iops=2_500.0, write_iops=2_500.0)
    assert codes(both, on(R5, gp3()))["above-provisioned"] == "rejected"
    bytes_of_both = a_reading(settings=LARGE_READS | {"rw": "rw"}, read_mb_per_s=100.0, write_mb_per_s=100.0)
    assert codes(bytes_of_both, on(R5, gp3()))["above-provisioned"] == "rejected"


def test_bytes_are_held_against_mebibytes() -> None:
    # 125 MiB/s are 131 MB/s: within the provisioned rate, and 10% above it too; 150 is not.
    within = a_reading(settings=LARGE_READS, read_mb_per_s=131.0)
    assert "above-provisioned" not in codes(within, on(R5, gp3()))
    above = a_reading(settings=LARGE_READS, read_mb_per_s=150.0)
    assert codes(above, on(R5, gp3()))["above-provisioned"] == "rejected"


@pytest.mark.parametrize(
    ("volume", "settings", "values", "lasts"),
    [
        # gp2 of 100 GiB: 300 IOPS, 3,000 on credit of 5.4 million: 2,000 s.
        (VolumeTarget("gp2", 100.0), SMALL_READS | {"bs": "16k"}, {"read_iops": 3_000.0}, "2,000 s"),
        # st1 of 1 TiB: 40 MiB/s, 250 on credit of 1 TiB: 1,048,576 MiB / 210 MiB/s.
        (VolumeTarget("st1", 1_024.0), LARGE_READS, {"read_mb_per_s": 262.144}, "4,993 s"),
    ],
)
def test_a_rate_on_burst_credit_is_doubtful_and_says_how_long_the_credit_lasts(
    volume: VolumeTarget, settings: dict[str, str], values: dict[str, Any], lasts: str
) -> None:
    found = reason(a_reading(settings=settings, **values), on("r5d.24xlarge", volume), "burst-credit")
    assert found.verdict == "doubtful"
    assert lasts in found.words
    assert "ran for 120 s" in found.words


def test_gp2_above_a_tebibyte_has_no_credit_to_be_in_play() -> None:
    reading = a_reading(settings=SMALL_READS | {"bs": "16k"}, read_iops=3_300.0)
    assert "burst-credit" not in codes(reading, on("r5d.24xlarge", VolumeTarget("gp2", 1_100.0)))


def test_more_than_the_link_to_ebs_carries_did_not_go_over_it() -> None:
    # r5.xlarge: 143.75 MB/s sustained, 593.75 for 30 minutes a day.
    volumes = on(R5, gp3(4, 10_000.0, 1_000.0))
    above = reason(a_reading(settings=LARGE_READS, read_mb_per_s=700.0), volumes, "above-ebs-link")
    assert above.verdict == "rejected"
    assert "593.8 MB/s that the link of r5.xlarge to EBS carries" in above.words
    assert above.figures[1].source == "AWS' pages of 2026"
    lent = reason(a_reading(settings=LARGE_READS, read_mb_per_s=590.0), volumes, "ebs-link-burst")
    assert lent.verdict == "doubtful"
    assert "30 minutes a day" in lent.words
    ios = a_reading(settings=SMALL_READS, read_iops=25_000.0)
    assert codes(ios, volumes)["above-ebs-link"] == "rejected"


def test_more_than_the_published_network_is_rejected_and_a_burst_is_doubtful() -> None:
    # r5d.4xlarge: 625 MB/s sustained, up to 1,250.
    pair = on(R5D, nodes=2, placement_group=True)
    assert codes(a_reading("iperf3", network_mb_per_s=2_000.0), pair)["above-network"] == "rejected"
    assert codes(a_reading("iperf3", network_mb_per_s=1_200.0), pair)["network-burst"] == "doubtful"
    assert judge(a_reading("iperf3", network_mb_per_s=610.0), pair, CATALOG).verdict == "good"


def test_a_network_to_the_machine_itself_is_rejected() -> None:
    reading = a_reading("iperf3", {"connecting_to": "127.0.0.1"}, network_mb_per_s=600.0)
    assert codes(reading, on(R5D, nodes=2, placement_group=True)) == {"loopback": "rejected"}


def test_memory_is_not_a_disk() -> None:
    # r5d.4xlarge has 128 GiB.
    def through_cache(size: str) -> dict[str, str]:
        return codes(a_reading(settings=LARGE_READS | {"direct": "0", "size": size}, read_mb_per_s=900.0), FOUR)

    assert through_cache("100g")["page-cache"] == "rejected"
    assert through_cache("200g")["page-cache"] == "doubtful"
    assert "page-cache" not in through_cache("300g")
    assert through_cache("10%")["page-cache"] == "doubtful"
    # fio uses the page cache by default, if its options are listed; without options it is unknown.
    listed = {name: value for name, value in LARGE_READS.items() if name != "direct"}
    assert codes(a_reading(settings=listed, read_mb_per_s=900.0), FOUR)["page-cache"] == "rejected"
    printed = {"rw": "read", "bs": "(R) 1024KiB-1024KiB", "ioengine": "libaio", "iodepth": "32"}
    assert "page-cache" not in codes(a_reading(settings=printed, read_mb_per_s=900.0), FOUR)


def test_less_than_a_minute_of_disks_or_ten_seconds_of_network_is_doubtful() -> None:
    short = reason(a_reading(settings=LARGE_READS, read_mb_per_s=900.0, duration_s=30.0), FOUR, "short")
    assert short.verdict == "doubtful"
    assert "30 s" in short.words
    pair = on(R5D, nodes=2, placement_group=True)
    assert "short" in codes(a_reading("iperf3", network_mb_per_s=600.0, duration_s=5.0), pair)
    assert "short" not in codes(a_reading("iperf3", network_mb_per_s=600.0, duration_s=9.999), pair)


def test_a_run_without_warm_up_is_remarked_on_and_stays_good() -> None:
    cold = {name: value for name, value in LARGE_READS.items() if name != "ramp_time"}
    assert codes(a_reading(settings=cold, read_mb_per_s=900.0), FOUR) == {"no-warm-up": "good"}


@pytest.mark.parametrize(("deviation", "verdict"), [(90.0, None), (180.0, "doubtful"), (950.0, "rejected")])
def test_a_rate_that_varies_is_doubted_by_how_much(deviation: float, verdict: str | None) -> None:
    reading = a_reading(settings=LARGE_READS, read_mb_per_s=900.0, read_mb_per_s__stddev=deviation)
    assert codes(reading, FOUR).get("unsteady") == verdict


def test_the_intervals_of_a_network_are_looked_at_without_the_first() -> None:
    def over(*values: float) -> Reading:
        times = tuple(float(second + 1) for second in range(len(values)))
        series = Series("network_mb_per_s", "", None, times, values, values)
        return a_reading("iperf3", network_mb_per_s=600.0, series=(series,))

    pair = on(R5D, nodes=2, placement_group=True)
    assert "unsteady" not in codes(over(50.0, *[600.0, 610.0] * 5), pair)
    assert codes(over(*[600.0, 200.0] * 6), pair)["unsteady"] == "doubtful"


def test_littles_law_holds_latency_against_rate() -> None:
    # 256 outstanding I/Os of 1 ms are 256,000 I/Os per second, and never 600,000.
    possible = a_reading(settings=SMALL_READS, read_iops=250_000.0, read_latency_us__mean=1_000.0)
    assert "little's-law" not in codes(possible, FOUR)
    wrong = a_reading(settings=SMALL_READS, read_iops=600_000.0, read_latency_us__mean=1_000.0)
    found = reason(wrong, FOUR, "little's-law")
    assert found.verdict == "rejected"
    assert "600 I/Os" in found.words
    idle = a_reading(settings=SMALL_READS, read_iops=50_000.0, read_latency_us__mean=1_000.0)
    assert codes(idle, FOUR)["queue-not-full"] == "good"


def test_bytes_and_ios_must_fit_the_size_of_an_io() -> None:
    fits = a_reading(settings=SMALL_READS, read_iops=100_000.0, read_mb_per_s=409.6)
    assert "pieces" not in codes(fits, FOUR)
    off = a_reading(settings=SMALL_READS, read_iops=100_000.0, read_mb_per_s=819.2)
    assert "8 KiB, not of 4 KiB" in reason(off, FOUR, "pieces").words


def test_a_sample_of_a_few_hundred_is_too_small() -> None:
    few = a_reading(settings=SMALL_READS, read_iops=5.0)
    assert codes(few, FOUR)["few"] == "doubtful"


def test_a_burstable_type_is_doubtful_at_any_rate() -> None:
    aws = known("aws-2026-07-06").catalog
    reading = a_reading("iperf3", network_mb_per_s=30.0)
    judgement = judge(reading, on("t3.medium", nodes=2, placement_group=False), aws)
    assert [one.code for one in judgement.reasons] == ["cpu-credit"]
    assert judgement.verdict == "doubtful"


@pytest.mark.parametrize(
    ("rate", "words"),
    [
        (580.5, "580.5 MB/s: 35.5% below the published 900 MB/s"),
        (990.0, "990 MB/s: 10% above the published 900 MB/s"),
        (900.1, "900.1 MB/s: as published"),
    ],
)
def test_a_rate_of_own_disks_states_its_gap_to_the_published_one_whatever_the_verdict(rate: float, words: str) -> None:
    row = replace(AWS_2026.profiles.of(R5D, "storage_mb_per_s")[0], metric="storage_read_mb_per_s", mean=900.0)
    found = judge(a_reading(settings=LARGE_READS, read_mb_per_s=rate), FOUR, CATALOG, published=Profiles((row,)))
    assert (found.verdict, [one.words for one in found.reasons]) == ("good", [words])
    # Small I/Os reach fewer MB/s by nature.
    small = judge(a_reading(settings=SMALL_READS, read_mb_per_s=rate), FOUR, CATALOG, published=Profiles((row,)))
    assert AGAINST_PUBLISHED not in [one.code for one in small.reasons]


def test_volumes_far_below_what_is_paid_for_are_remarked_on() -> None:
    slow = a_reading(settings=LARGE_READS, read_mb_per_s=50.0)
    assert "gp3 500 GiB" in reason(slow, on(R5, gp3()), "below-provisioned").words


def test_what_cannot_be_checked_is_said_and_what_needs_no_size_is_checked_without() -> None:
    reading = a_reading(settings=SMALL_READS | {"bs": "16k"}, read_iops=6_000.0)
    gp2 = reason(reading, on(R5, VolumeTarget("gp2")), "not-checked")
    assert gp2.verdict == "good"
    assert "without their size" in gp2.words
    assert "without their IOPS" in reason(reading, on(R5, VolumeTarget("io2", 100.0)), "not-checked").words
    # The IOPS of gp3 do not depend on its size.
    assert codes(reading, on(R5, VolumeTarget("gp3")))["above-provisioned"] == "rejected"


def test_some_of_the_disks_are_remarked_on() -> None:
    assert codes(a_reading(settings=LARGE_READS, read_mb_per_s=450.0), on(R5D, disks(1))) == {"some-disks": "good"}


def test_what_is_far_from_before_is_remarked_on_as_it_may_be_a_change() -> None:
    pair = on(R5D, nodes=2, placement_group=True)
    before = profiles_of(
        one
        for day in range(8)
        for one in kept(a_reading("iperf3", network_mb_per_s=600.0), pair, CATALOG, number=day, days=day)
    )
    judgement = judge(a_reading("iperf3", network_mb_per_s=300.0), pair, CATALOG, before)
    assert (judgement.verdict, judgement.reasons[0].code) == ("good", "far-from-before")


def test_without_a_catalog_only_what_the_file_itself_shows_is_judged() -> None:
    reading = a_reading(settings=LARGE_READS, read_mb_per_s=9_000.0, duration_s=1.0)
    assert [one.code for one in judge(reading, on("z9.huge", gp3()), None).reasons] == ["short"]


def test_the_published_comparison_of_volumes_is_within_what_they_were_provisioned_for() -> None:
    # Two hours of fio on gp2, gp3 and io2 (seed 003): 3,000 IOPS each.
    seed = next(one for one in SEEDS if one.name.startswith("fio"))
    readings = [one for one in csv_template.read(seed.open()) if isinstance(one, Reading)]
    assert len(readings) == 3
    aws = known("aws-2026-07-06", "eu-west-1").catalog
    for reading in readings:
        storage = parse_storage(reading.settings["storage"])
        assert isinstance(storage, VolumeTarget)
        reached = provisioned(storage, None, aws)
        assert reached is not None
        assert reached.baseline_iops == 3_000.0
        target = Target(reading.host.instance_type, "eu-west-1", None, storage)
        assert {one.code for one in judge(reading, target, aws).reasons} <= {"no-warm-up"}


def test_the_worst_reason_comes_first_and_is_the_verdict() -> None:
    reading = a_reading(settings=LARGE_READS | {"direct": "0"}, read_mb_per_s=900.0, duration_s=5.0)
    judgement = judge(reading, FOUR, CATALOG)
    assert [one.verdict for one in judgement.reasons][:2] == ["rejected", "doubtful"]
    assert judgement.verdict == "rejected"


RATES = st.floats(1e-6, 1e9)


@given(
    st.sampled_from(("fio", "sysbench", "iperf3", "diskbench", "csv", "sar")),
    st.dictionaries(st.sampled_from(("rw", "bs", "iodepth", "numjobs", "direct", "size")), st.text(max_size=8)),
    st.fixed_dictionaries({}, optional={"read_mb_per_s": RATES, "read_iops": RATES, "network_mb_per_s": RATES}),
    st.sampled_from((on(R5, gp3()), FOUR, on("unknown.large"), Target(), on(R5, VolumeTarget("gp9")))),
)
def test_every_file_gets_a_verdict(tool: Any, settings: dict[str, str], values: dict[str, Any], target: Target) -> None:
    judgement = judge(a_reading(tool, settings, **values), target, CATALOG)
    assert judgement.verdict in get_args(Verdict)
    assert all(math.isfinite(figure.value) for one in judgement.reasons for figure in one.figures)


def real_readings() -> list[tuple[str, Reading]]:
    found = []
    for path in sorted((Path(__file__).parent / "files").rglob("*")):
        if path.is_file():
            with path.open("rb") as stream, suppress(Unreadable):
                found += [(path.name, one) for one in recognise.read(stream) if isinstance(one, Reading)]
    return found


def test_every_real_output_gets_a_verdict_and_none_made_over_loopback_or_in_seconds_is_good() -> None:
    aws = known("aws-2026-07-06").catalog
    target = Target("i4i.4xlarge", "us-east-1", None, disks(1), 2, placement_group=True)
    readings = real_readings()
    assert len(readings) > 100
    for name, reading in readings:
        judgement = judge(reading, target, aws)
        assert judgement.verdict in get_args(Verdict), name
        facts = facts_of(reading, target, aws)
        if reading.status == "failed":
            assert (judgement.verdict, facts) == ("rejected", ()), name
        for fact in facts:
            assert kind_of(fact.metric).unit == fact.unit, name
            assert (fact.feeds is None) == (fact.why_not is not None), name
        if reading.tool in {"iperf3", "iperf"} and reading.host.nodes == 1:
            assert judgement.verdict == "rejected", name
            assert not any(fact.feeds for fact in facts), name
        if reading.tool == "fio" and (reading.duration_s or 0.0) < 10.0 and reading.duration_s is not None:
            assert judgement.verdict != "good", name


@pytest.mark.parametrize(
    ("metric", "seconds", "short"),
    [("read_iops", 20.0, True), ("read_iops", 60.0, False), ("network_mb_per_s", 5.0, True), ("time_s", 5.0, False)],
)
def test_of_a_table_its_figures_say_how_long_the_test_should_be(metric: str, seconds: float, *, short: bool) -> None:
    told = PrintedValue("5000", "", metric)
    reading = Reading("csv", None, "ok", None, "one", 2, (Metric(metric, 5_000.0, told),), duration_s=seconds)
    judged = judge(reading, Target("m5.8xlarge", "us-east-1"), None)
    assert ("short" in {reason.code for reason in judged.reasons}) is short
