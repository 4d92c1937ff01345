"""The volume designer: input, texts, and the source of each figure."""

import re
from typing import Any

import pytest
from pydantic import ValidationError

from stowage.features.volumes.need import VolumeNeed
from stowage.features.volumes.schemas import VolumeDesignAnswer, VolumeDesignRow
from stowage.features.volumes.volumes import design_volumes
from stowage.platform.errors import BadInput
from stowage.workloads.knowledge import packaged_knowledge


def designed(**need: Any) -> VolumeDesignAnswer:
    return design_volumes(VolumeNeed(**need), packaged_knowledge)


def row(answer: VolumeDesignAnswer, name: str) -> VolumeDesignRow:
    return next(one for one in answer.designs if one.layout.volume_type == name)


def refusal(**need: Any) -> tuple[str, str]:
    with pytest.raises(BadInput) as raised:
        designed(**need)
    [problem] = raised.value.problems
    return problem.path, problem.message


def test_the_answer_is_a_sentence_and_the_cheapest_of_each_type() -> None:
    answer = designed(capacity="1000 GiB", iops="4,000")
    assert answer.sentence == (
        "2 × gp3 of 500 GiB with 3,000 IOPS and 125 MiB/s each meet the requirement for $80 a month; "
        "gp2 would cost $133."
    )
    assert [one.layout.volume_type for one in answer.designs] == ["gp3", "gp2", "io1", "io2", "st1"]
    assert [one.volume_type for one in answer.refused] == ["sc1", "standard"]
    assert answer.designs[0].fewest is not None
    assert answer.designs[0].fewest.layout.words == "1 × 1,000 GiB gp3 of 4,000 IOPS and 125 MiB/s"
    assert answer.designs[0].fewest.usd_per_month == pytest.approx(85.0)


def test_parts_add_up_to_the_price() -> None:
    for one in designed(capacity="1000 GiB", iops="4,000", most_volumes=1).designs:
        cost = one.cost_usd_per_month
        assert cost.total == pytest.approx(cost.capacity + cost.iops + cost.throughput + cost.operations)


def test_megabytes_and_mebibytes_are_not_mixed() -> None:
    decimal = designed(capacity="500 GB", throughput="250 MB/s", pattern="sequential", most_volumes=1)
    binary = designed(capacity="500 GiB", throughput="250 MiB/s", pattern="sequential", most_volumes=1)
    assert (row(decimal, "gp3").layout.size_gib, row(decimal, "gp3").layout.throughput_mib_per_s) == (466, 239)
    assert (row(binary, "gp3").layout.size_gib, row(binary, "gp3").layout.throughput_mib_per_s) == (500, 250)


def test_iops_and_throughput_together_say_how_large_an_io_is() -> None:
    asked = designed(capacity="1 TiB", iops="4k", throughput="250 MiB/s").asked
    assert (asked.iops, asked.io_kib) == (4000.0, 64.0)
    path, message = refusal(capacity="1 TiB", iops="4k", throughput="250 MiB/s", io_size="16 KiB")
    assert path == "io_size"
    assert "make I/Os of 64 KiB" in message


def test_what_aws_only_calls_typical_is_behind_all_others() -> None:
    answer = designed(capacity="500 GiB", throughput="250 MB/s", pattern="sequential", lasts="4 h")
    last = answer.designs[-1]
    assert (last.layout.volume_type, last.typical, last.promise) == ("standard", True, None)
    assert last.cost_usd_per_month.total < answer.designs[0].cost_usd_per_month.total
    assert answer.sentence.startswith("2 × gp3")


def test_the_day_shows_the_credit_that_is_spent_and_comes_back() -> None:
    st1 = row(designed(capacity="500 GiB", throughput="250 MB/s", pattern="sequential", lasts="4 h"), "st1")
    assert st1.limited_by == "burst credit"
    assert st1.day is not None
    assert [moment.hour for moment in st1.day.course] == pytest.approx(
        [0.0, 4.0, 4.0 + 1024**2 / 40 / 3600, 24.0], abs=0.01
    )
    assert [moment.volume_credit for moment in st1.day.course] == pytest.approx([1.0, 0.0, 1.0, 1.0], abs=0.01)
    assert st1.day.late_h == 0.0
    assert designed(capacity="100 GiB").designs[0].day is None


def test_durability_is_that_of_one_volume_and_of_all() -> None:
    gp3 = row(designed(capacity="1000 GiB", iops="4,000"), "gp3")
    assert (gp3.failure_rate_low, gp3.failure_rate_high) == (0.001, 0.002)
    assert gp3.any_lost_high == pytest.approx(1 - 0.998**2)
    assert gp3.promise is not None
    assert (gp3.promise.share, gp3.promise.time) == (0.9, 0.99)


def test_a_link_that_is_too_small_is_named_with_types_that_are_not() -> None:
    answer = designed(
        capacity="500 GiB", throughput="250 MB/s", pattern="sequential", lasts="4 h", instance="r5.xlarge"
    )
    assert answer.sentence.startswith("r5.xlarge's link sustains 144 of 250 MB/s; the volumes for it, 2 × gp3")
    assert answer.link is not None
    assert answer.link.carried == "not"
    assert answer.asked.most_volumes == answer.link.most_volumes
    assert answer.designs[0].limited_by == "EBS link"
    assert answer.designs[0].day is not None
    assert answer.designs[0].day.late_h > 1.0
    prices = [one.usd_per_hour for one in answer.carrying_types]
    assert prices == sorted(prices)
    assert len(prices) == 3
    assert all(one.ebs_baseline_mb_per_s >= 250.0 for one in answer.carrying_types)


@pytest.mark.parametrize(("rate", "carried"), [("100 MB/s", "always"), ("300 MB/s", "in bursts"), ("2 GB/s", "not")])
def test_a_link_carries_always_or_for_a_while_or_not(rate: str, carried: str) -> None:
    answer = designed(capacity="100 GiB", throughput=rate, pattern="sequential", lasts="20 min", instance="r5.xlarge")
    assert answer.link is not None
    assert answer.link.carried == carried


def test_gp2_to_gp3_saves_and_stays_in_place() -> None:
    [advice, other] = designed(capacity="1000 GiB", iops="3,000", present={"type": "gp2", "size": "1000 GiB"}).advice
    assert (advice.kind, advice.pays, advice.in_place) == ("gp2 to gp3", True, True)
    # 1,000 GiB at 0.10 against 1,000 at 0.08 and 125 MiB/s more than included at 0.04.
    assert advice.saving_usd_per_month == pytest.approx(15.0)
    assert advice.after.words == "1 × 1,000 GiB gp3 of 3,000 IOPS and 250 MiB/s"
    assert other.kind == "for this load"
    assert other.saving_usd_per_month == pytest.approx(20.0)


def test_gp2_to_gp3_does_not_always_pay() -> None:
    present = {"type": "gp2", "size": "200 GiB"}
    [advice, other] = designed(capacity="200 GiB", iops="1000", present=present).advice
    assert (advice.kind, advice.pays) == ("gp2 to gp3", False)
    assert advice.saving_usd_per_month == pytest.approx(-1.0)
    assert advice.words[0].startswith("It does not pay")
    assert (other.kind, other.pays) == ("for this load", True)


def test_io1_to_io2_costs_the_same_and_is_lost_a_hundred_times_less() -> None:
    present = {"type": "io1", "size": "200 GiB", "iops": 5000}
    advice = designed(capacity="200 GiB", iops="5000", present=present).advice[0]
    assert (advice.kind, advice.pays, advice.in_place) == ("io1 to io2", True, True)
    assert advice.saving_usd_per_month == pytest.approx(0.0)
    assert "0.001% a year instead of 0.1–0.2%" in advice.words[0]


def test_many_small_st1_to_one_large_takes_a_copy() -> None:
    answer = designed(
        capacity="2 TiB",
        throughput="400 MiB/s",
        pattern="sequential",
        lasts="2 h",
        present={"type": "st1", "size": "512 GiB", "count": 4},
    )
    assert answer.present is not None
    assert not answer.present.carried
    advice = answer.advice[0]
    assert (advice.kind, advice.after.words, advice.in_place) == ("fewer volumes", "1 × 2,048 GiB st1", False)
    assert "500 MiB/s in bursts and 80 MiB/s for ever, instead of 125 and 20" in advice.words[0]
    assert any("cannot be merged in place" in words for words in advice.words)


def test_new_volumes_are_advised_where_they_beat_what_can_be_done_in_place() -> None:
    present = {"type": "st1", "size": "500 GiB", "count": 20}
    answer = designed(capacity="1 TiB", throughput="1 GB/s", pattern="sequential", present=present)
    fewer, in_place, replaced = answer.advice
    assert (fewer.kind, in_place.kind, replaced.kind) == ("fewer volumes", "for this load", "new volumes")
    assert any("954 MiB/s are the mean of a day" in words for words in fewer.words)
    assert (replaced.in_place, replaced.pays) == (False, True)
    assert replaced.after == answer.designs[0].layout
    assert replaced.saving_usd_per_month == pytest.approx(20 * 500 * 0.045 - 1024 * 0.08)
    assert any("$14.80 for each day that the old ones stay" in words for words in replaced.words)
    assert any("1,024 GiB that are asked" in words for words in replaced.words)


@pytest.mark.parametrize("size", ["1 TiB", "2 TiB"])
def test_new_volumes_are_not_advised_where_a_change_in_place_costs_no_more(size: str) -> None:
    answer = designed(capacity=size, iops="3,000", most_volumes=1, present={"type": "gp2", "size": size})
    assert [one.kind for one in answer.advice] == ["gp2 to gp3", "for this load"]


def test_gp2_to_gp3_says_what_it_still_lacks() -> None:
    present = {"type": "gp2", "size": "1000 GiB"}
    holds, carries = (
        designed(capacity=size, iops=rate, present=present).advice[0].words
        for size, rate in (("1 TiB", "3,000"), ("1000 GiB", "5,000"))
    )
    assert "It does not hold what is asked: 1,000 of 1,024 GiB." in holds
    assert "It does not meet the requirement: 5,000 IOPS are asked, 3,000 are reached." in carries


def test_volumes_that_are_never_changed_in_place_are_replaced() -> None:
    [advice] = designed(capacity="500 GiB", iops="1000", present={"type": "standard", "size": "500 GiB"}).advice
    assert (advice.kind, advice.in_place) == ("new volumes", False)
    assert "which no change in place does" in advice.words[0]


def test_large_st1_volumes_are_not_merged_where_their_limits_would_be_lost() -> None:
    answer = designed(capacity="8 TiB", pattern="sequential", present={"type": "st1", "size": "4 TiB", "count": 2})
    assert [one.kind for one in answer.advice] == ["for this load"]


@pytest.mark.parametrize(
    ("present", "words"),
    [
        ({"type": "gp3", "size": "100 GiB"}, "holds 100 of the 500 GiB"),
        ({"type": "gp3", "size": "500 GiB"}, "meets the requirement; of the tightest limit"),
        ({"type": "gp3", "size": "250 GiB", "count": 2}, "meet the requirement"),
        (
            {"type": "standard", "size": "500 GiB"},
            "does not meet the requirement: 1,000 IOPS are asked, 100 are reached",
        ),
    ],
)
def test_what_is_there_is_judged(present: dict[str, Any], words: str) -> None:
    found = designed(capacity="500 GiB", iops="1000", present=present).present
    assert found is not None
    assert words in found.words


def test_every_price_has_a_source_and_a_date() -> None:
    answer = designed(capacity="1000 GiB", iops="4,000", instance="r5.xlarge")
    figures = {figure.quantity: figure for figure in answer.figures}
    assert len(figures) == len(answer.figures)
    for one in answer.designs:
        assert figures[f"{one.layout.volume_type}.usd_per_gib_month"].source
        assert figures[f"{one.layout.volume_type}.lowest_annual_failure_rate"].as_of is not None
    assert "r5.xlarge.ebs_baseline_mb_per_s" in figures
    assert figures["elastic_volumes.modifications"].value == 4.0


@pytest.mark.parametrize(
    ("need", "path", "words"),
    [
        ({"place": {"region": "mars-1"}}, "place.region", "mars-1"),
        ({"place": {"catalog": "never"}}, "place.catalog", "not a catalog version"),
        ({"instance": "x1.none"}, "instance", "not an instance type of us-east-1"),
        ({"present": {"type": "gp9", "size": "1 GiB"}}, "present.type", "accepted: gp2"),
        ({"present": {"type": "gp2", "size": "20 TiB"}}, "present.size", "16,384 GiB at most"),
        ({"present": {"type": "io2", "size": "20 GiB"}}, "present.iops", "needs provisioned IOPS"),
        ({"present": {"type": "io1", "size": "1 GiB", "iops": 100}}, "present.size", "an io1 volume cannot have 1 GiB"),
    ],
)
def test_what_cannot_be_is_said_at_its_field(need: dict[str, Any], path: str, words: str) -> None:
    found, message = refusal(capacity="1 TiB", **need)
    assert found == path
    assert words in message


def test_a_region_without_prices_of_ebs_names_those_that_have_some() -> None:
    path, message = refusal(capacity="1 TiB", place={"region": "eu-central-1"})
    assert path == "place.region"
    assert "us-east-1" in message


@pytest.mark.parametrize(
    "need",
    [
        {"capacity": "100"},
        {"capacity": "1 TB", "iops": "many"},
        {"capacity": "1 TB", "iops": "0"},
        {"capacity": "1 TB", "throughput": "250 MB"},
        {"capacity": "1 TB", "throughput": "99 EB/s"},
        {"capacity": "1 TB", "io_size": "64 MiB"},
        {"capacity": "1 TB", "lasts": "25 h"},
        {"capacity": "1 TB", "credits": "half"},
        {"capacity": "1 TB", "most_volumes": 0},
        {"capacity": "1 TB", "color": "red"},
    ],
)
def test_what_cannot_be_read_is_refused(need: dict[str, Any]) -> None:
    with pytest.raises(ValidationError):
        VolumeNeed(**need)


def test_advice_is_for_the_instance_that_the_volumes_hang_on() -> None:
    """Off Nitro an io1 volume reaches 32,000 IOPS at most (EBS user guide): 40,000 cannot be met."""
    present = {"type": "io1", "size": "4000 GiB", "iops": 40_000}
    need: dict[str, Any] = {"capacity": "4000 GiB", "iops": "40,000", "present": present}
    here, there = (designed(**need, instance=name) for name in ("r5.24xlarge", "i2.8xlarge"))
    for answer, carried in ((here, True), (there, False)):
        assert answer.present is not None
        assert answer.present.carried == carried
        safer = next(one for one in answer.advice if one.kind == "io1 to io2")
        lacking = "It does not meet the requirement: 40,000 IOPS are asked, 32,000 are reached."
        assert (lacking in safer.words) != carried


def test_the_root_volume_takes_one_of_the_attachments() -> None:
    answer = designed(capacity="1 TiB", instance="d3.8xlarge")
    assert answer.link is not None
    assert (answer.asked.most_volumes, answer.link.most_volumes) == (2, 2)
    assert designed(capacity="1 TiB", instance="d3.8xlarge", most_volumes=3).asked.most_volumes == 2


def test_where_no_load_is_asked_the_link_is_not_said_to_carry_nothing() -> None:
    answer = designed(capacity="1 TiB", instance="d3.8xlarge")
    assert answer.link is not None
    assert answer.link.carried == "always"
    assert not re.search(r"\b0 (MB/s|IOPS)", answer.link.words)


def test_a_link_at_an_unknown_price_is_not_among_the_cheapest() -> None:
    """c3.xlarge has 62.5 MB/s; its price in July 2026 is unknown."""
    names = [one.name for one in designed(capacity="1 TiB", throughput="60 MB/s").carrying_types]
    sold = packaged_knowledge("latest", "us-east-1").catalog.instance_types
    assert names
    assert all("ebs_usd_per_hour" not in sold[name].gaps for name in names)


@pytest.mark.parametrize("capacity", ["500 GiB", "1.1 TiB", "16 TiB", "3 GiB"])
def test_what_is_asked_in_gib_comes_back_without_noise(capacity: str) -> None:
    number, unit = capacity.split()
    asked = designed(capacity=capacity).asked.capacity_gib
    assert asked == pytest.approx(float(number) * (1024 if unit == "TiB" else 1), rel=1e-9)
    assert len(f"{asked!r}") < 10


@pytest.mark.parametrize(("iops", "throughput"), [("1", "17 MiB/s"), ("100,000,000", "1 MiB/s")])
def test_impossible_io_sizes_are_refused_in_every_notation(iops: str, throughput: str) -> None:
    path, message = refusal(capacity="1 TiB", iops=iops, throughput=throughput)
    assert path == "throughput"
    assert "accepted: 0.5 KiB to 16 MiB" in message


@pytest.mark.parametrize("iops", ["٤٠٠٠", "4_000", "1e3", "nan", "inf", "-4", "4 000"])
def test_only_plain_digits_are_a_number_of_ios(iops: str) -> None:
    with pytest.raises(ValidationError):
        VolumeNeed(capacity="1 TiB", iops=iops)
