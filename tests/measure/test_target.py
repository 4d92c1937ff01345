"""Targets of measurements: as JSON, in words, as entered by users, and as guessed."""

import json
from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from knowledge import AWS_2026
from runs_made_up import a_reading, disks, gp3, on
from stowage.measure.asking import Guess, Guessed, guess, missing, needs_of, wrong_with
from stowage.measure.files.strict import BadValue
from stowage.measure.reading import Host, Reading
from stowage.measure.target import DiskTarget, Target, VolumeTarget, parse_storage

CATALOG = AWS_2026.catalog
R5D = "r5d.4xlarge"

VOLUMES = st.builds(
    VolumeTarget,
    st.sampled_from(("gp2", "gp3", "io1", "io2", "st1")),
    st.none() | st.integers(1, 65_536).map(float),
    st.none() | st.integers(100, 256_000).map(float),
    st.none() | st.integers(125, 2_000).map(float),
    st.integers(1, 27),
)
STORAGE = st.none() | st.builds(DiskTarget, st.integers(1, 24)) | VOLUMES
TARGETS = st.builds(
    lambda instance, place, storage, nodes, grouped: Target(instance, place[0], place[1], storage, nodes, grouped),
    st.none() | st.sampled_from(("i4i.4xlarge", "u-6tb1.metal", "mac2-m2.metal")),
    st.sampled_from(((None, None), ("us-east-1", None), ("us-east-1", "us-east-1a"), ("us-gov-west-1", None))),
    STORAGE,
    st.integers(1, 10_000),
    st.sampled_from((None, True, False)),
)


@given(TARGETS)
def test_a_target_survives_json(target: Target) -> None:
    assert Target.from_dict(json.loads(json.dumps(target.to_dict()))) == target


@given(STORAGE.filter(lambda storage: storage is not None))
def test_storage_survives_peoples_words(storage: DiskTarget | VolumeTarget) -> None:
    assert parse_storage(storage.words()) == storage


@pytest.mark.parametrize(
    ("target", "words"),
    [
        (on("i4i.4xlarge", gp3(4, 6_000.0)), "i4i.4xlarge, gp3 500 GiB 6,000 IOPS x 4, us-east-1"),
        (on("i2.8xlarge", disks(8), zone="us-east-1a"), "i2.8xlarge, 8 own disks, us-east-1a"),
        (on("r5.xlarge", nodes=20, placement_group=False), "20 × r5.xlarge, us-east-1, outside placement groups"),
        (Target(nodes=2), "2 nodes"),
        (Target(), "nothing said"),
    ],
)
def test_words_name_the_machine_its_storage_and_its_place(target: Target, words: str) -> None:
    assert target.words() == words


@pytest.mark.parametrize(
    ("said", "field", "accepted"),
    [
        ({"instance": "i4i"}, "instance", "i4i.4xlarge"),
        ({"instance": 4}, "instance", "i4i.4xlarge"),
        ({"instance": "i4i.4xlarge\n"}, "instance", "i4i.4xlarge"),
        ({"region": "Virginia"}, "region", "us-east-1"),
        ({"zone": "us-east-1a"}, "zone", "say the region too"),
        ({"region": "eu-west-1", "zone": "us-east-1a"}, "zone", "eu-west-1a"),
        ({"nodes": 0}, "nodes", "from 1 to 100,000"),
        ({"nodes": True}, "nodes", "whole number"),
        ({"nodes": 1.5}, "nodes", "whole number"),
        ({"placement_group": "yes"}, "placement_group", "true, false or null"),
        ({"storage": {"kind": "tape"}}, "storage.kind", "instance-store or ebs"),
        ({"storage": {"kind": "instance-store"}}, "storage.disks", "needed"),
        ({"storage": {"kind": "instance-store", "disks": 10**400}}, "storage.disks", "from 1 to 64"),
        ({"storage": {"kind": "ebs", "type": "gp3", "iops": float("nan")}}, "storage.iops", "above 0"),
        ({"storage": {"kind": "ebs", "type": "gp3", "count": 0}}, "storage.count", "from 1 to 128"),
        ({"storage": {"kind": "ebs", "type": "gp 3"}}, "storage.type", "gp3"),
        ({"storage": {"kind": "ebs", "type": "gp3", "disks": 2}}, "storage.disks", "size_gib"),
        ({"colour": "red"}, "colour", "placement_group"),
    ],
)
def test_what_no_target_can_be_is_refused_by_field_with_what_would_do(
    said: dict[str, Any], field: str, accepted: str
) -> None:
    with pytest.raises(BadValue) as refused:
        Target.from_dict(said, "readings.3.target")
    assert refused.value.field == f"readings.3.target.{field}"
    assert accepted in str(refused.value)
    assert len(str(refused.value)) < 400


@pytest.mark.parametrize("said", [None, [], "i4i.4xlarge", 4])
def test_what_is_no_object_is_no_target(said: object) -> None:
    with pytest.raises(BadValue, match="the whole"):
        Target.from_dict(said)


@given(st.recursive(st.none() | st.booleans() | st.floats() | st.text(max_size=20), st.lists, max_leaves=5))
def test_any_value_at_any_field_is_taken_or_refused(value: object) -> None:
    for field in ("instance", "region", "zone", "storage", "nodes", "placement_group"):
        try:
            Target.from_dict({"region": "us-east-1"} | {field: value})
        except BadValue as refused:
            assert refused.field.startswith(field)


@pytest.mark.parametrize(
    "text", ["", "gp3 500", "gp3 500 GiB 500 GiB", "0 own disks", "gp3; rm -rf", "4 x", "gp3 x 4 x 5"]
)
def test_storage_in_words_that_say_nothing_are_refused(text: str) -> None:
    with pytest.raises(BadValue, match="storage"):
        parse_storage(text)


def test_terabytes_of_volumes_are_gibibytes() -> None:
    assert parse_storage("st1 2 TiB x 2") == VolumeTarget("st1", 2048.0, None, None, 2)


def test_each_tool_asks_for_what_its_figures_need() -> None:
    def fields(reading: Reading) -> set[str]:
        return {need.field for need in needs_of(reading)}

    assert fields(a_reading("fio", read_iops=1.0)) == {"instance", "region", "storage"}
    assert fields(a_reading("iperf3", network_mb_per_s=1.0)) == {"instance", "region", "nodes", "placement_group"}
    assert fields(a_reading("testdfsio", time_s=1.0)) == {"instance", "region", "storage", "nodes"}
    assert fields(a_reading("cloudwatch")) == set()
    # A table may hold anything: its figures state their quantity.
    assert "placement_group" in fields(a_reading("csv", network_mb_per_s=1.0))
    assert "storage" in fields(a_reading("csv", write_mb_per_s=1.0))


def test_what_is_missing_is_what_is_asked_for_and_not_said() -> None:
    needs = needs_of(a_reading("iperf3"))
    assert [need.field for need in missing(on("r5.xlarge", nodes=2), needs)] == ["placement_group"]
    assert missing(on("r5.xlarge", nodes=2, placement_group=False), needs) == ()


def test_a_guess_takes_what_the_file_says_of_its_machine_before_what_was_said_of_the_host() -> None:
    host = Host(name="ip-10-0-0-7", instance_type="i4i.4xlarge", zone="eu-west-1b")
    before = Target("i4i.4xlarge", "us-east-1", "us-east-1a", disks(1))
    found = guess(a_reading("fio", host=host), {"ip-10-0-0-7": before})
    assert found.target() == Target("i4i.4xlarge", "eu-west-1", "eu-west-1b", disks(1))
    assert found.storage.why == "as you said of ip-10-0-0-7 before"
    assert found.region.why == "the file says so of its machine"


def test_what_was_said_of_a_host_that_is_another_type_now_is_not_taken() -> None:
    host = Host(name="worker", instance_type="r5.xlarge")
    found = guess(a_reading("fio", host=host), {"worker": on("i4i.4xlarge", disks(1))})
    assert found.target() == Target("r5.xlarge")


@pytest.mark.parametrize("zone", ["-a", "a", "1a", ""])
def test_a_zone_without_its_region_is_not_guessed(zone: str) -> None:
    found = guess(a_reading("fio", host=Host(zone=zone)), {})
    assert (found.region.value, found.zone.value) == (None, None)
    assert Guess(zone=Guessed("us-east-1a", "said")).target().zone is None


def test_nothing_known_is_nothing_guessed_and_two_machines_make_a_pair() -> None:
    alone = guess(a_reading("fio"), {})
    assert alone.instance == Guessed(None, None)
    assert alone.nodes.value == 1
    assert guess(a_reading("iperf3"), {}).nodes.value == 2
    assert guess(a_reading("netbench"), {}).nodes.value is None


def test_a_volumes_type_in_the_file_and_the_only_disk_of_a_type_are_guessed() -> None:
    volume = guess(a_reading("fio", host=Host(volume_type="gp3")), {})
    assert volume.storage.value == VolumeTarget("gp3")
    assert volume.storage.why == "the file names the volume's type, not its size"
    alone = a_reading("diskbench", host=Host(instance_type="r5d.xlarge"))
    assert guess(alone, {}, CATALOG).storage.value == disks(1)
    assert guess(a_reading("diskbench", host=Host(instance_type=R5D)), {}, CATALOG).storage.value is None
    assert guess(a_reading("netbench"), {}).target().nodes == 1


def test_a_table_says_its_storage_and_its_group_itself() -> None:
    said = {"storage": "gp3 500 GiB x 4", "placement_group": "no"}
    found = guess(a_reading("csv", said, read_mb_per_s=1.0), {})
    assert found.storage.value == gp3(4)
    assert found.placement_group.value is False
    assert guess(a_reading("diskbench", {"disks": "8"}), {}).storage.value == disks(8)
    assert guess(a_reading("csv", {"storage": "a shelf"}, read_mb_per_s=1.0), {}).storage.value is None


@pytest.mark.parametrize(
    ("target", "field", "words"),
    [
        (on("r5d.9xlarge"), "instance", "of r5d there are r5d.xlarge"),
        (on("z9.large"), "instance", "i4i.4xlarge"),
        (on("r5d.4xlarge", disks(3)), "storage.disks", "has 2 of its own"),
        (on("r5.xlarge", disks(1)), "storage.disks", "which EBS volumes"),
        (on("r5.xlarge", gp3(iops=2_000_000.0)), "storage.iops", "3,000 to 80,000"),
        (on("r5.xlarge", gp3(mib_per_s=20.0)), "storage.throughput_mib_per_s", "125 to 2,000"),
        (on("r5.xlarge", VolumeTarget("gp9", 100.0)), "storage.type", "gp3, gp2"),
        (on("r5.xlarge", VolumeTarget("st1", 10.0)), "storage.size_gib", "125 GiB"),
    ],
)
def test_an_unknown_type_is_named_with_similar_ones(target: Target, field: str, words: str) -> None:
    (found,) = wrong_with(target, CATALOG)
    assert found.field == field
    assert words in found.message


def test_what_is_sold_is_right() -> None:
    assert wrong_with(on("r5d.4xlarge", disks(2)), CATALOG) == ()
    assert wrong_with(on("r5.xlarge", gp3(2, 6_000.0, 250.0)), CATALOG) == ()


def test_a_region_whose_prices_of_volumes_are_not_known_has_their_limits_all_the_same() -> None:
    nowhere = replace(CATALOG, volume_types={})
    assert wrong_with(on("r5.xlarge", gp3(2, 6_000.0, 250.0)), nowhere) == ()
    assert [one.field for one in wrong_with(on("r5.xlarge", gp3(iops=2e6)), nowhere)] == ["storage.iops"]
    assert [one.field for one in wrong_with(on("r5.xlarge", VolumeTarget("gp9", 1.0)), nowhere)] == ["storage.type"]
