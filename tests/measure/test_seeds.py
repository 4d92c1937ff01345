"""Published measurements, read by the same readers as users' files: every figure equals the printed one."""

from functools import cache

import pytest

from cut_files import readings, remarks
from stowage.measure.reading import Reading
from stowage.measure.recognise import read
from stowage.measure.seeds import SEEDS
from stowage.model.sizes import MB_PER_MIB

KIB_PER_S = 1024 / 1e6
FIO = {
    # Printed table, columns io2, gp3, gp2: bandwidth [KB/s, which are KiB/s], IOPS, then completion latencies [us].
    "read": {
        "mb_per_s": (23980, 23991, 23991),
        "iops": (1498, 1499, 1499),
        "completion_latency_us": (5293, 5302, 5473),
        "completion_latency_us.stddev": (261, 524, 2702),
        "completion_latency_us.p90": (5536, 5664, 5984),
        "completion_latency_us.p95": (5664, 5792, 7264),
        "completion_latency_us.p99": (5856, 5984, 16768),
        "completion_latency_us.p99.9": (6688, 6880, 40192),
        "completion_latency_us.p99.99": (8768, 9664, 69120),
    },
    "write": {
        "mb_per_s": (23989, 24000, 24000),
        "iops": (1499, 1499, 1499),
        "completion_latency_us": (5379, 5365, 5194),
        "completion_latency_us.stddev": (229, 554, 1041),
        "completion_latency_us.p90": (5600, 5728, 5600),
        "completion_latency_us.p95": (5728, 5856, 5728),
        "completion_latency_us.p99": (5920, 6496, 8384),
        "completion_latency_us.p99.9": (7520, 11456, 16512),
        "completion_latency_us.p99.99": (9280, 17536, 23936),
    },
}
VOLUMES = ("io2", "gp3", "gp2")
ST1 = [
    # Layout, files read [s], written [s], read [MiB/s], written [MiB/s].
    ("4 x 512 GiB", "1452", "1794", "1128.37", "913.26"),
    ("2 x 1 TiB", "1384", "1673", "1183.81", "979.31"),
    ("1 x 2 TiB", "1249", "1503", "1311.76", "1090.08"),
]
PEAKS = [("512 GiB", 75, 125), ("1 TiB", 180, 250), ("2 TiB", 375, 500)]
REDIS = [("PIOPS SSD", "10484", "96.2"), ("magnetic disk", "5214", "21.3")]
PAPER = [
    ("i2.8xlarge, half of the disks read and half written", "storage_mb_per_s", 1_700, "1.7"),
    ("i2.4xlarge, half of the disks read and half written", "storage_mb_per_s", 900, "900"),
    ("hs1.8xlarge, half of the disks read and half written", "storage_mb_per_s", 1_060, "1.06"),
    ("i2.8xlarge, the slowest of 178 nodes", "storage_mb_per_s.min", 1_515, "1515"),
    ("EBS volumes of i2.4xlarge, read only", "read_mb_per_s", 243, "243"),
    ("EBS volumes of i2.4xlarge, write only", "write_mb_per_s", 226, "226"),
    ("i2.8xlarge, 178 nodes in a placement group", "network_slowest_mb_per_s", 879, "879"),
]


@cache
def all_readings() -> dict[str, Reading]:
    found: dict[str, Reading] = {}
    for seed in SEEDS:
        for reading in readings(read, seed.open().read()):
            assert reading.name not in found
            found[reading.name] = reading
    return found


def figure(name: str, metric: str) -> tuple[float, str]:
    [found] = [one for one in all_readings()[name].metrics if one.name == metric]
    return found.value, found.told.text


@pytest.mark.parametrize("seed", SEEDS, ids=lambda seed: seed.name)
def test_every_file_is_read_whole_and_says_where_it_comes_from(seed: object) -> None:
    assert seed in SEEDS
    content = next(one for one in SEEDS if one == seed).open().read()
    found = readings(read, content)
    assert found
    assert remarks(read, content) == []
    assert all(reading.status == "ok" and reading.settings["source"] for reading in found)


@pytest.mark.parametrize("place", range(3))
@pytest.mark.parametrize("direction", ["read", "write"])
def test_fio_percentiles_are_those_of_the_post(place: int, direction: str) -> None:
    for name, printed in FIO[direction].items():
        value, told = figure(VOLUMES[place], f"{direction}_{name}")
        assert told == str(printed[place])
        assert value == pytest.approx(printed[place] * (KIB_PER_S if name == "mb_per_s" else 1), rel=1e-12)
    reading = all_readings()[VOLUMES[place]]
    assert reading.duration_s == 7200
    assert reading.started_at is not None
    assert reading.started_at.date().isoformat() == "2021-01-11"
    assert reading.host.instance_type == "m5.8xlarge"
    assert reading.host.volume_type == VOLUMES[place]


@pytest.mark.parametrize(("layout", "read_s", "write_s", "read_rate", "write_rate"), ST1)
def test_st1_rows_are_those_of_the_post(
    layout: str, read_s: str, write_s: str, read_rate: str, write_rate: str
) -> None:
    for direction, seconds, rate in (("read", read_s, read_rate), ("write", write_s, write_rate)):
        name = f"TestDFSIO {direction} over {layout}"
        assert figure(name, "time_s") == (float(seconds), seconds)
        value, told = figure(name, "cluster_mb_per_s")
        assert told == rate
        assert value == pytest.approx(float(rate) * MB_PER_MIB, rel=1e-12)
        # The bytes of all files over the time, truncated after two decimals.
        assert 0 <= 400 * 4096 / float(seconds) - float(rate) < 0.01
        assert all_readings()[name].host.nodes == 5


@pytest.mark.parametrize(("size", "read_peak", "write_peak"), PEAKS)
def test_peaks_are_those_of_the_graphs(size: str, read_peak: int, write_peak: int) -> None:
    for direction, peak in (("read", read_peak), ("write", write_peak)):
        value, told = figure(f"Peak of a volume of {size}", f"volume_{direction}_mb_per_s.max")
        assert told == str(peak)
        assert value == pytest.approx(peak * MB_PER_MIB, rel=1e-12)


@pytest.mark.parametrize(("volume", "writes", "rate"), REDIS)
def test_redis_is_as_the_post_has_it(volume: str, writes: str, rate: str) -> None:
    name = f"Redis with its log on {volume}"
    assert figure(name, "set_per_s") == (float(writes), writes)
    assert figure(name, "device_write_mb_per_s") == (float(rate), rate)


@pytest.mark.parametrize(("name", "metric", "value", "told"), PAPER)
def test_disks_and_networks_are_those_of_the_paper(name: str, metric: str, value: float, told: str) -> None:
    assert figure(name, metric) == (value, told)


def test_there_is_nothing_besides() -> None:
    assert len(all_readings()) == len(VOLUMES) + 2 * len(ST1) + len(PEAKS) + len(REDIS) + len(PAPER)
