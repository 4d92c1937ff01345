"""Profiles in the model: combination with published ones, and their effect on predictions."""

from dataclasses import replace
from datetime import UTC, date, datetime, time
from itertools import pairwise

import numpy as np
import pytest

from knowledge import AWS_2026, TB, known, on_ebs, on_own_disks, predicted, sort
from measure.profiled import CATALOG, FOUR, PAIR, R5D, networks
from runs_made_up import LARGE_READS, SMALL_READS, a_reading, disks, kept, on
from stowage.measure import recognise
from stowage.measure.asking import guess
from stowage.measure.profiling.for_model import for_model, on_top_of, why_left_out, why_not_taken
from stowage.measure.profiling.profiles import (
    Measured,
    TargetProfile,
    Verdict,
    measured_of,
    profiles_of,
)
from stowage.measure.reading import Host, Reading
from stowage.measure.seeds import SEEDS
from stowage.model.hardware.profile import Metric, Profile, Profiles, ScalingCurve
from stowage.model.prediction import Prediction, predict
from stowage.model.uncertainty.range import measurement_doubt
from stowage.model.uncertainty.scale import STORAGE_SPREAD


def test_the_papers_figures_come_through_the_door_of_users_as_the_profiles_that_its_catalog_has() -> None:
    paper = known("paper-2014")
    measured: list[Measured] = []
    for seed in SEEDS:
        at = datetime.combine(seed.as_of, time(), UTC)
        for number, one in enumerate(recognise.read(seed.open())):
            assert isinstance(one, Reading), one
            target = guess(one, {}, paper.catalog).target()
            name = f"{seed.name} {number}"
            measured += measured_of(name, one, target, "good", at, paper.catalog, dated=False)
    rows = {(row.target, row.metric): row for row in for_model(profiles_of(measured), "us-east-1")}
    network = rows["i2.8xlarge", "network_mb_per_s"]
    (published,) = (
        row for row in paper.profiles.of("i2.8xlarge", "network_mb_per_s") if row.cluster_nodes == network.cluster_nodes
    )
    for own, theirs in (
        (network, published),
        *((rows[name, "storage_mb_per_s"], average_of(paper.profiles, name)) for name in ("i2.8xlarge", "i2.4xlarge")),
    ):
        # The text states 1.7 GB/s, and its table of costs 1,738 MB/s.
        assert own.mean == pytest.approx(theirs.mean, rel=0.025)
        assert (own.statistic, own.placement_group) == (theirs.statistic, theirs.placement_group)
    assert network.cluster_nodes == 178


def average_of(profiles: Profiles, target: str) -> Profile:
    rows = profiles.of(target, "storage_mb_per_s")
    return max((row for row in rows if row.statistic == "average"), key=lambda row: row.count or 0)


def test_the_source_names_the_team_its_measurements_and_their_days() -> None:
    (row,) = for_model(profiles_of(networks([600.0, 610.0, 590.0, 605.0, 595.0])), "us-east-1")
    assert row.source == "Your team: 5 measurements (iperf3, 2026-11-01 to 2026-11-05)"
    assert (row.kind, row.as_of, row.count, row.cluster_nodes) == ("measured", date(2026, 11, 5), 5, 2)


def test_a_region_takes_its_own_measurements_else_others_which_the_source_says() -> None:
    here = networks([600.0, 600.0])
    there = networks([500.0, 500.0], replace(PAIR, region="eu-west-1"))
    profiles = profiles_of(here + there)
    assert for_model(profiles, "us-east-1")[0].mean == pytest.approx(600.0)
    assert for_model(profiles, "eu-west-1")[0].mean == pytest.approx(500.0)
    (elsewhere,) = for_model(profiles_of(there), "us-east-1")
    assert elsewhere.source.endswith("; measured in eu-west-1, none in us-east-1")


def test_zones_and_parts_of_the_disks_are_put_together() -> None:
    reading = a_reading(settings=LARGE_READS, read_mb_per_s=500.0)
    half = [kept(reading, on(R5D, disks(1), zone=zone), CATALOG, number=at) for at, zone in enumerate(ZONES)]
    (row,) = for_model(profiles_of([each for group in half for each in group]), "us-east-1")
    assert row.mean == pytest.approx(1_000.0)
    assert "3 measurements" in row.source
    assert "of 1 own disk, times the disks of the node" in row.source
    double = a_reading(settings=LARGE_READS, read_mb_per_s=1_000.0)
    whole = [kept(double, replace(FOUR, zone=zone), CATALOG, number=at) for at, zone in enumerate(ZONES)]
    (exact,) = for_model(profiles_of([each for group in whole for each in group]), "us-east-1")
    assert exact.count is not None
    assert row.count is not None
    # A scaled rate is less certain than a measured one.
    assert row.count < exact.count == 3


ZONES = ("us-east-1a", "us-east-1b", "us-east-1c")


def test_a_teams_point_of_the_network_joins_the_published_ones_of_other_sizes() -> None:
    published = known("paper-2014").profiles
    theirs = published.of("i2.8xlarge", "network_mb_per_s")[0]
    mine = replace(theirs, mean=950.0, count=5, source="Your team", as_of=LATER)
    for nodes, sizes in ((20, [2, 20, 178]), (2, [2, 178])):
        joined = on_top_of(published, (replace(mine, cluster_nodes=nodes),))
        curve = ScalingCurve.through(joined.of("i2.8xlarge", "network_mb_per_s"))
        assert curve is not None
        assert [point.cluster_nodes for point in curve.points] == sizes
        assert [point.mean for point in curve.points if point.cluster_nodes == nodes] == [950.0]


def test_a_rate_of_a_team_replaces_the_published_one_and_leaves_all_others() -> None:
    published = AWS_2026.profiles
    mine = replace(published.rows[0], mean=700.0, source="Your team", as_of=LATER)
    other = replace(mine, metric="storage_read_mb_per_s")
    assert on_top_of(published, (mine, other)).rows == (mine, other)
    assert on_top_of(published, (other,)).rows == (*published.rows, other)
    assert on_top_of(published, ()) is published


def test_the_slowest_of_a_cluster_takes_the_place_of_its_mean_and_of_disks_neither_replaces_the_other() -> None:
    pair = a_reading("netbench", network_mb_per_s=600.0, network_slowest_mb_per_s=550.0)
    (row,) = for_model(profiles_of(kept(pair, PAIR, CATALOG)), "us-east-1")
    assert (row.mean, row.statistic) == (550.0, "slowest")
    published = AWS_2026.profiles.rows[0]
    slowest = replace(published, statistic="slowest", mean=800.0)
    assert on_top_of(AWS_2026.profiles, (slowest,)).rows == (published, slowest)


LATER = date(2026, 11, 1)


def test_a_figure_that_is_no_newer_than_the_published_one_stays_beside_it_and_says_so() -> None:
    published = known("paper-2014").profiles
    theirs = average_of(published, "i2.8xlarge")
    copied = replace(theirs, mean=1_700.0, source="Your team")
    assert on_top_of(published, (copied,)) is published
    assert why_left_out(copied, published, (copied,)) == (
        "the published figure is of 2014-10-01, and yours of 2014-10-01: only what was measured later takes its place"
    )
    newer = replace(copied, as_of=date(2014, 10, 2))
    assert why_left_out(newer, published, (newer,)) is None
    assert average_of(on_top_of(published, (newer,)), "i2.8xlarge").mean == 1_700.0
    # The network of each cluster size separately.
    pair, many = published.of("i2.8xlarge", "network_mb_per_s")
    old_pair, new_many = replace(pair, mean=950.0), replace(many, mean=800.0, as_of=LATER)
    rows = on_top_of(published, (old_pair, new_many)).of("i2.8xlarge", "network_mb_per_s")
    assert rows == (pair, new_many)


def test_a_profile_that_nothing_takes_says_why() -> None:
    old = measured_disks([900.0])
    (published,) = AWS_2026.profiles.rows
    since = Profiles((replace(published, as_of=date(2027, 1, 1)),))
    assert why_not_taken(old, AWS_2026.profiles) == {}
    assert list(why_not_taken(old, since)) == [old[0].key]
    assert "only what was measured later takes its place" in why_not_taken(old, since)[old[0].key]
    pair = a_reading("netbench", network_mb_per_s=600.0, network_slowest_mb_per_s=550.0)
    both = {each.key: each for each in profiles_of(kept(pair, PAIR, CATALOG))}
    ((key, why_not),) = why_not_taken(tuple(both.values()), Profiles(())).items()
    assert both[key].statistic == "average"
    assert "takes the place of the mean" in why_not
    small = [kept(a_reading(settings=SMALL_READS, read_iops=1e5), FOUR, CATALOG, number=at) for at in range(3)]
    other = kept(a_reading(settings={**SMALL_READS, "bs": "16k"}, read_iops=5e4), FOUR, CATALOG, number=4)
    manners = profiles_of([*(each for group in small for each in group), *other])
    left_out = why_not_taken(manners, Profiles(()))
    assert [profile.manner for profile in manners if profile.key in left_out] == ["random, 16 KiB"]
    job = profiles_of(kept(a_reading("redis-benchmark", name="SET", set_per_s=1e5), on("r5.xlarge"), CATALOG))
    assert list(why_not_taken(job, Profiles(())).values()) == [job[0].why_not]


def doubted_disks(*verdicts: Verdict) -> tuple[TargetProfile, ...]:
    found: list[Measured] = []
    for number, verdict in enumerate(verdicts):
        reading = a_reading("diskbench", {"disks": "2"}, storage_mb_per_s=900.0)
        found += kept(reading, FOUR, CATALOG, number=number, days=19.0, verdict=verdict)
    return profiles_of(found)


def test_doubtful_measurements_alone_replace_nothing_that_was_measured_and_published() -> None:
    doubted = doubted_disks("doubtful", "doubtful")
    (row,) = for_model(doubted, "us-east-1")
    assert row.doubted
    assert row.source == "Your team: 2 doubtful measurements (diskbench, 2026-11-20)"
    published = AWS_2026.profiles
    assert published.rows[0].kind == "measured"
    assert on_top_of(published, (row,)) is published
    why_not = why_not_taken(doubted, published)[doubted[0].key]
    assert why_not.startswith("it stands on doubtful measurements only, and what is published was measured")
    # It is used where no value, or no measured value, exists.
    for kind in ("published", "estimated"):
        said = Profiles((replace(published.rows[0], kind=kind),))
        assert on_top_of(said, (row,)).rows == (row,)
        assert why_not_taken(doubted, said) == {}
    assert on_top_of(Profiles(()), (row,)).rows == (row,)
    # One good measurement is enough.
    (believed,) = for_model(doubted_disks("doubtful", "good"), "us-east-1")
    assert not believed.doubted
    assert believed.source == "Your team: 2 measurements (diskbench, 2026-11-20)"
    assert on_top_of(published, (believed,)).rows == (believed,)


def test_doubtful_disks_do_not_hide_reads_and_writes_that_were_measured_and_published() -> None:
    (row,) = for_model(doubted_disks("doubtful"), "us-east-1")
    published = replace(AWS_2026.profiles.rows[0], metric="storage_read_mb_per_s")
    assert on_top_of(Profiles((published,)), (row,)).rows == (published,)
    (good,) = for_model(doubted_disks("good"), "us-east-1")
    assert on_top_of(Profiles((published,)), (good,)).rows == (published, good)


@pytest.mark.parametrize("number", [1, 2, 4, 16])
def test_doubtful_measurements_are_uncertain_by_twice_as_much_as_good_ones(number: int) -> None:
    all_good: list[Verdict] = ["good"] * number
    all_doubtful: list[Verdict] = ["doubtful"] * number
    (good,) = for_model(doubted_disks(*all_good), "us-east-1")
    (doubted,) = for_model(doubted_disks(*all_doubtful), "us-east-1")
    assert (good.mean, good.count) == (doubted.mean, number)
    assert doubted.count == max(1, number // 4)
    doubts = [
        measurement_doubt(STORAGE_SPREAD.value if row.spread is None else row.spread, row.count)
        for row in (good, doubted)
    ]
    assert doubts[1] == pytest.approx(2.0 * doubts[0])


def test_a_doubtful_slowest_takes_no_place_of_a_good_mean() -> None:
    mean = kept(a_reading("netbench", network_mb_per_s=600.0), PAIR, CATALOG)
    slowest = kept(a_reading("netbench", network_slowest_mb_per_s=50.0), PAIR, CATALOG, number=1, verdict="doubtful")
    both = profiles_of([*mean, *slowest])
    (row,) = for_model(both, "us-east-1")
    assert (row.mean, row.statistic) == (600.0, "average")
    ((key, why_not),) = why_not_taken(both, Profiles(())).items()
    assert next(each for each in both if each.key == key).statistic == "slowest"
    assert "the mean of as many nodes, which does not, is taken" in why_not


def link(metric: Metric, rate: float) -> Profile:
    return Profile(R5D, metric, rate, 0.05, 5, None, "average", None, "Your team", "measured", date(2026, 11, 1))


def test_one_direction_of_a_link_alone_does_not_take_the_type_away() -> None:
    read, write = link("ebs_read_mb_per_s", 140.0), link("ebs_write_mb_per_s", 130.0)
    assert on_top_of(Profiles(()), (read,)).rows == ()
    why_not = "predictions need both directions of the link to EBS, and writes are not measured"
    assert why_left_out(read, Profiles(()), (read,)) == why_not
    assert on_top_of(Profiles((write,)), (read,)).rows == (write, read)
    assert on_top_of(Profiles(()), (read, write)).rows == (read, write)
    configuration = on_ebs(4, 500, 4, R5D)
    times = []
    for rows in ((), (read,), (read, write)):
        found = predict(configuration, sort(0.1 * TB), CATALOG, on_top_of(AWS_2026.profiles, rows))
        assert isinstance(found, Prediction), found
        times.append(found.time_s.p50)
    assert times[0] == times[1] < times[2]


def test_reads_alone_of_unmeasured_disks_take_nothing_away() -> None:
    profiles = profiles_of(kept(a_reading(settings=LARGE_READS, read_mb_per_s=900.0), FOUR, CATALOG))
    team = on_top_of(AWS_2026.profiles, for_model(profiles, "us-east-1"))
    assert isinstance(predict(ON_DISKS, SMALL_SORT, CATALOG, team), Prediction)


SMALL_SORT = sort(0.1 * TB)
ON_DISKS = on_own_disks(8, 1, 1, R5D)


def measured_disks(rates: list[float], hosts: list[str | None] | None = None) -> tuple[TargetProfile, ...]:
    found: list[Measured] = []
    for number, rate in enumerate(rates):
        host = Host(name=None if hosts is None else hosts[number])
        reading = a_reading("diskbench", {"disks": "2"}, host=host, storage_mb_per_s=rate)
        # All on the catalog's date: their age has no effect.
        found += kept(reading, FOUR, CATALOG, number=number, days=19.0)
    return profiles_of(found)


def predicted_with(profiles: tuple[TargetProfile, ...]) -> Prediction:
    team = on_top_of(AWS_2026.profiles, for_model(profiles, "us-east-1"))
    return predicted(ON_DISKS, SMALL_SORT, replace(AWS_2026, profiles=team))


def test_more_measurements_narrow_a_predictions_range() -> None:
    # The same spread each time: only the number of measurements differs.
    widths = []
    for count in (2, 4, 8, 16, 32):
        found = predicted_with(measured_disks([880.0, 920.0] * (count // 2)))
        widths.append(found.time_s.p90 / found.time_s.p10)
    assert all(more < fewer for fewer, more in pairwise(widths)), widths


def test_more_measurements_of_any_kind_are_less_doubt() -> None:
    draw = np.random.default_rng(5)
    for _ in range(20):
        rates = list(900.0 * np.exp(0.05 * draw.standard_normal(24)))
        doubts = [
            source.log_deviation
            for count in (3, 24)
            for source in predicted_with(measured_disks(rates[:count])).range_sources
            if source.name == "storage: few measurements"
        ]
        assert doubts[1] < 0.7 * doubts[0]


def test_a_predictions_provenance_names_the_teams_measurements() -> None:
    found = predicted_with(measured_disks([880.0, 920.0, 900.0]))
    figures = {figure.quantity: figure for figure in found.provenance}
    storage = figures["r5d.4xlarge.storage_mb_per_s"]
    assert storage.source == "Your team: 3 measurements (diskbench, 2026-11-20)"
    assert storage.value == pytest.approx(900.0, rel=0.01)
    assert storage.kind == "measured"
    published = predicted(ON_DISKS, SMALL_SORT, AWS_2026)
    assert not any("Your team" in figure.source for figure in published.provenance)


def test_faster_disks_of_a_team_make_only_its_predictions_faster() -> None:
    before = predicted(ON_DISKS, SMALL_SORT, AWS_2026)
    faster = predicted_with(measured_disks([1_800.0, 1_800.0, 1_800.0]))
    assert faster.time_s.p50 < before.time_s.p50
    assert predicted(ON_DISKS, SMALL_SORT, AWS_2026) == before
