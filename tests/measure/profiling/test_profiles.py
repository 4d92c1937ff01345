"""Profiles: mean, spread and confidence of several measurements of one target."""

import json
import math
import random
from dataclasses import replace
from datetime import UTC, datetime, timedelta

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from measure.profiled import PAIR, R5D, networks, one
from runs_made_up import START, on
from stowage.measure.files.strict import BadValue
from stowage.measure.fits.robust import location, student_t
from stowage.measure.profiling.profiles import (
    TargetProfile,
    age_weight,
    key_of,
    profiles_of,
)


def test_a_single_measurement_is_its_own_mean_and_assumes_its_spread() -> None:
    profile = one(networks([600.0]))
    assert profile.mean == 600.0
    assert (profile.count, profile.effective_count, profile.spread_of) == (1, 1.0, "assumed")
    assert profile.low < 600.0 < profile.high


def test_one_measurement_that_is_three_times_off_moves_nothing_and_is_named() -> None:
    right = one(networks([600.0, 610.0, 590.0, 605.0, 595.0]))
    wrong = one(networks([600.0, 610.0, 590.0, 605.0, 595.0, 1_800.0]))
    assert wrong.mean == pytest.approx(right.mean, rel=0.01)
    assert [part.value for part in wrong.parts if part.outlier] == [1_800.0]
    assert (wrong.count, wrong.fastest) == (5, 1_800.0)


def test_the_interval_holds_the_truth_about_as_often_as_it_says() -> None:
    # For the published spread of disks; with few measurements the coverage is higher: their spread is partly assumed.
    draw = np.random.default_rng(8)
    for count, least in ((2, 0.95), (5, 0.93), (10, 0.91), (30, 0.91)):
        found = [
            location(list(np.exp(0.0523 * draw.standard_normal(count))), [1.0] * count, [None] * count)
            for _ in range(400)
        ]
        held = sum(each.low <= 1.0 <= each.high for each in found) / len(found)
        assert held >= least, (count, held)


def test_students_quantiles_are_those_of_the_tables() -> None:
    for degrees, tabled in ((1, 12.706), (2, 4.303), (3, 3.182), (5, 2.571), (30, 2.042), (120, 1.980), (9_999, 1.960)):
        assert student_t(0.975, float(degrees)) == pytest.approx(tabled, abs=6e-4)


@given(st.lists(st.floats(0.5, 2.0), min_size=1, max_size=30))
def test_the_mean_lies_among_the_values_and_within_its_interval(values: list[float]) -> None:
    found = location(values, [1.0] * len(values), [None] * len(values))
    assert min(values) * (1 - 1e-9) <= found.mean <= max(values) * (1 + 1e-9)
    assert found.low <= found.mean <= found.high
    assert 1.0 - 1e-9 <= found.effective_count <= len(values) + 1e-9


@given(st.floats(1e-3, 1e6))
def test_the_unit_does_not_matter(factor: float) -> None:
    values = [1.0, 1.1, 0.9, 1.05, 3.0]
    plain = location(values, [1.0] * 5, [None] * 5)
    scaled = location([value * factor for value in values], [1.0] * 5, [None] * 5)
    assert scaled.mean == pytest.approx(plain.mean * factor)
    assert scaled.spread == pytest.approx(plain.spread)
    assert scaled.outliers == plain.outliers == (4,)


def test_a_machine_that_is_measured_for_ever_counts_as_two() -> None:
    values = [100.0 + (number % 3) for number in range(60)]
    same = location(values, [1.0] * 60, ["a"] * 60)
    others = location(values, [1.0] * 60, [None] * 60)
    assert same.effective_count == pytest.approx(2.0, rel=0.05)
    assert others.effective_count == pytest.approx(60.0)
    assert same.high - same.low > 3.0 * (others.high - others.low)


def test_between_three_machines_it_is_their_spread_that_counts() -> None:
    values = [100.0, 100.5, 99.5, 120.0, 120.5, 119.5, 140.0, 139.5, 140.5]
    found = location(values, [1.0] * 9, [*"aaabbbccc"])
    assert found.spread_of == "nodes"
    assert found.spread > 0.1


def test_an_old_measurement_counts_half_after_half_a_year_against_the_newest_and_never_by_the_day() -> None:
    newest = datetime(2026, 11, 20, tzinfo=UTC)
    assert age_weight(newest - timedelta(days=180), newest) == pytest.approx(0.5)
    profile = one(networks([800.0, 700.0, 600.0], days=360.0))
    assert [part.weight for part in profile.parts] == pytest.approx([1 / 16, 1 / 4, 1.0])
    assert profile.mean < 660.0
    assert profile.effective_count == pytest.approx((1 + 1 / 4 + 1 / 16) ** 2 / (1 + 1 / 16 + 1 / 256))


def test_a_doubtful_measurement_moves_a_quarter_as_far_and_a_rejected_one_not_at_all() -> None:
    good = networks([600.0] * 3)
    (late,) = networks([630.0])  # close enough that no outlier is limited
    mean = {}
    for verdict in ("good", "doubtful", "rejected"):
        judged = replace(late, id="late", at=good[-1].at, verdict=verdict)
        profile = one([*good, judged])
        mean[verdict] = profile.mean
        part = next(part for part in profile.parts if part.id == "late")
        assert part.verdict == verdict
    assert mean["rejected"] == pytest.approx(600.0)
    # All on the logarithm, without regard to age: a quarter of the weight of 3 + 1/4, against one of 3 + 1.
    moved = math.log(mean["doubtful"] / 600.0) / math.log(mean["good"] / 600.0)
    assert moved == pytest.approx((0.25 / 3.25) / (1.0 / 4.0), rel=0.02)
    assert part.weight == 0.0


def test_a_target_of_which_everything_was_rejected_has_no_profile() -> None:
    assert profiles_of([replace(each, verdict="rejected") for each in networks([600.0, 610.0])]) == ()


@settings(max_examples=20)
@given(st.randoms(use_true_random=False))
def test_the_order_in_which_measurements_came_does_not_matter(shuffler: random.Random) -> None:
    measured = networks([600.0, 610.0, 590.0, 1_800.0, 605.0]) + networks([500.0, 510.0], on("r5.xlarge", nodes=2))
    expected = profiles_of(measured)
    shuffler.shuffle(measured)
    assert profiles_of(measured) == expected


def test_hours_and_weekdays_are_kept_where_the_file_says_when() -> None:
    profile = one(networks([600.0, 500.0, 600.0, 500.0], days=0.5))
    assert profile.by_hour is not None
    assert profile.by_hour[9] == pytest.approx(600.0)
    assert profile.by_hour[21] == pytest.approx(500.0)
    assert sum(hour is not None for hour in profile.by_hour) == 2
    assert profile.by_weekday is not None
    assert START.weekday() == 6
    assert profile.by_weekday[6] == pytest.approx(math.sqrt(600.0 * 500.0), rel=1e-3)
    uploaded = [replace(each, dated=False) for each in networks([600.0, 500.0])]
    assert one(uploaded).by_hour is None


def test_the_key_is_of_the_target_and_the_metric_and_stays_the_same() -> None:
    key = key_of(PAIR, "network_mb_per_s", "average", "")
    assert key == one(networks([600.0])).key == one(networks([1.0, 2.0])).key
    # Fixed here: a changed key would orphan the alerts and links that refer to it.
    assert key == "223f57f9cc672f87488c"
    others = {
        key_of(target, metric, "average", manner)
        for target in (PAIR, on(R5D, nodes=3, placement_group=True), on(R5D, nodes=2), on("r5.xlarge", nodes=2))
        for metric in ("network_mb_per_s", "network_latency_us")
        for manner in ("", "UDP")
    }
    assert len(others) == 16


def test_a_profile_survives_json_and_a_broken_one_is_refused_by_field() -> None:
    profile = one(networks([600.0, 610.0, 590.0, 1_800.0, 605.0]))
    written = json.loads(json.dumps(profile.to_dict()))
    assert TargetProfile.from_dict(written) == profile
    for path, value in (
        (("mean",), "fast"),
        (("target", "nodes"), 0),
        (("feeds",), "cpu"),
        (("newest",), "yesterday"),
        (("parts", 0, "weight"), 2.0),
        (("parts", 0, "at"), "2026-11-01T09:00:00"),
        (("by_weekday", 3), "fast"),
        (("count",), -1),
        (("unit",), ""),
    ):
        broken = json.loads(json.dumps(written))
        place = broken
        for step in path[:-1]:
            place = place[step]
        place[path[-1]] = value
        with pytest.raises(BadValue) as refused:
            TargetProfile.from_dict(broken)
        assert refused.value.field == ".".join(map(str, path))
