"""`stowage catalog`: statistics of the package, and a catalog built from a server that answers like EC2."""

import gzip
import json
from collections.abc import Iterator
from pathlib import Path

import pytest
from click.testing import CliRunner, Result
from moto.ec2.models import instance_types
from moto.server import ThreadedMotoServer

from described import VOLUMES, prices
from stowage.catalog.snapshot import read
from stowage.cli.commands import cli

DISKS = """instance_type,read_bytes_per_s,write_bytes_per_s,read_iops,write_iops,measured_over
i3.ALL,2015342735,808775652,411200,181500,one disk
"""
PRICES = prices(
    "us-east-1,m5.large,0.096,2026-07-06,0.06,0.04,0.03",
    "us-east-1,m5.xlarge,0.192,2026-07-06,,,",
    "us-east-1,i3.2xlarge,0.624,2026-07-06,,,",
    "us-east-1,hs1.8xlarge,4.6,2025-03-02,,,",
    "us-east-1,f1.2xlarge,1.65,2026-07-06,,,",
    "eu-west-1,m5.large,0.107,2025-05-28,,,",
)


FAMILIES = ("m5", "c5", "i3")


def run(*arguments: str) -> Result:
    return CliRunner().invoke(cli, ["catalog", *arguments])


@pytest.fixture(scope="module")
def endpoint() -> Iterator[str]:
    """Return the address of an EC2 that sells a few families: moto takes seconds to describe all 1,395 types."""
    sold = {name: row for name, row in instance_types.INSTANCE_TYPES.items() if name.partition(".")[0] in FAMILIES}
    offered = {
        kind: {
            region: [each for each in rows if each["InstanceType"] in sold]
            for region, rows in by_region.items()
            if region in {"us-east-1", "eu-west-1"}
        }
        for kind, by_region in instance_types.INSTANCE_TYPE_OFFERINGS.items()
    }
    with pytest.MonkeyPatch.context() as moto:
        moto.setattr(instance_types, "INSTANCE_TYPES", sold)
        backend = instance_types.InstanceTypeBackend
        moto.setattr(backend, "instance_types", [each for each in backend.instance_types if each.name in sold])
        moto.setattr(instance_types, "INSTANCE_TYPE_OFFERINGS", offered)
        yield from _served()


def _served() -> Iterator[str]:
    server = ThreadedMotoServer(ip_address="127.0.0.1", port=0, verbose=False)
    server.start()
    host, port = server.get_host_and_port()
    yield f"http://{host}:{port}"
    server.stop()


@pytest.fixture
def tables(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    for name in ("AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY"):
        monkeypatch.setenv(name, "testing")
    (tmp_path / "prices.csv.gz").write_bytes(gzip.compress(PRICES.encode()))
    (tmp_path / "prices.csv").write_text(PRICES)
    (tmp_path / "disks.csv").write_text(DISKS)
    (tmp_path / "volumes.yaml").write_text(VOLUMES)
    return tmp_path


def build(tables: Path, endpoint: str, *more: str, prices: str = "prices.csv.gz") -> Result:
    files = {"--output": "made.json.gz", "--prices": prices, "--disks": "disks.csv", "--volumes": "volumes.yaml"}
    named = [part for option, name in files.items() for part in (option, str(tables / name))]
    return run("build", *named, "--endpoint-url", endpoint, "--as-of", "2026-07-06", *more)


def test_stats_as_json_count_each_region() -> None:
    result = run("stats", "--json")
    assert result.exit_code == 0
    document = json.loads(result.stdout)
    assert document["catalog_version"] == "aws-2026-07-06"
    assert len(document["regions"]) == 34
    counts = document["regions"]["us-east-1"]
    assert list(counts) == ["types", "priced", "with_ebs", "with_network", "with_disks", "complete", "estimated"]
    assert counts["complete"] >= 1_300
    assert document["disk_types"].keys() == {"types", "measured", "published", "estimated", "random_io"}


def test_stats_for_people() -> None:
    result = run("stats")
    assert result.exit_code == 0
    assert "us-east-1" in result.stdout
    assert "ap-southeast-7" in result.stdout
    assert "have a measured bandwidth" in result.stdout


def test_stats_of_another_version() -> None:
    result = run("stats", "--catalog", "paper-2014-gce")
    assert result.exit_code == 0
    assert "No type has disks of its own." in result.stdout


def test_stats_of_no_version() -> None:
    result = run("stats", "--catalog", "paper-1914")
    assert result.exit_code == 2
    assert "'paper-1914' is not a catalog version; accepted: latest, aws-2026-07-06, paper-2014" in result.stderr


def test_a_catalog_is_made_of_what_a_server_says(tables: Path, endpoint: str) -> None:
    told = ("--described-by", "EC2 DescribeInstanceTypes (as moto says)", "--volumes-as-of", "2026-11-20")
    result = build(tables, endpoint, "--accept-lost", *told)
    assert result.exit_code == 0, result.output
    version = read((tables / "made.json.gz").read_bytes())
    assert version.version == "aws-2026-07-06"
    assert sorted(version.regions) == ["eu-west-1", "us-east-1"]
    here = version.in_region("us-east-1")
    large = here.instance_types["m5.large"]
    assert large.vcpus.source == "EC2 DescribeInstanceTypes (as moto says)"
    assert large.usd_per_hour is not None
    assert large.usd_per_hour.value == 0.096
    # Offered there, at a price in proportion to its siblings'.
    estimated = here.instance_types["m5.2xlarge"].usd_per_hour
    assert estimated is not None
    assert (estimated.value, estimated.kind) == (0.384, "estimated")
    assert here.instance_types["c5.large"].usd_per_hour is None
    assert sorted(here.volume_types) == ["gp3", "io2", "standard"]
    assert str(here.volume_types["gp3"].usd_per_gib_month.as_of) == "2026-11-20"
    [row] = version.profiles.of("i3.16xlarge", "storage_read_mb_per_s")
    assert row.mean == pytest.approx(8 * 2015.342735)
    said = result.stdout
    assert "us-east-1: 2" in said
    assert "f1.2xlarge (1 regions): priced, but nobody describes it" in said
    assert "have a measured bandwidth" in said
    assert version.digest in said


@pytest.mark.soak("tools")
def test_one_region_can_be_asked_for(tables: Path, endpoint: str) -> None:
    only = ("--accept-lost", "--region", "eu-west-1", "--without-price", "m5.large")
    result = build(tables, endpoint, *only, prices="prices.csv")
    assert result.exit_code == 0, result.output
    version = read((tables / "made.json.gz").read_bytes())
    assert list(version.regions) == ["eu-west-1"]
    assert version.in_region("eu-west-1").instance_types["m5.large"].usd_per_hour is None
    assert "the price of m5.large: doubted" in result.stdout


@pytest.mark.soak("tools")
def test_a_catalog_that_lost_types_is_not_written(tables: Path, endpoint: str) -> None:
    result = build(tables, endpoint)
    assert result.exit_code == 2
    assert "lost: af-south-1: aws-2026-07-06 had this region" in result.stderr
    assert "--accept-lost" in result.stderr
    assert not (tables / "made.json.gz").exists()


def test_prices_out_of_proportion_are_not_written_unless_told_so(tables: Path, endpoint: str) -> None:
    (tables / "odd.csv").write_text(PRICES + "us-east-1,m5.4xlarge,9.9,2026-07-06,,,\n")
    refused = build(tables, endpoint, "--accept-lost", prices="odd.csv")
    assert refused.exit_code == 2
    assert "proportion: us-east-1/m5.4xlarge: 9.9 USD/h is out of proportion" in refused.stderr
    assert not (tables / "made.json.gz").exists()
    accepted = build(tables, endpoint, "--accept-lost", "--accept-uneven", "m5.4xlarge", prices="odd.csv")
    assert accepted.exit_code == 0, accepted.output


@pytest.mark.soak("tools")
def test_prices_of_another_unit_are_not_written(tables: Path, endpoint: str) -> None:
    monthly = PRICES.replace("0.096", "70.08").replace("0.192", "140.16").replace("0.06,0.04,0.03", ",,")
    (tables / "monthly.csv").write_text(monthly.replace("0.624", "455.52").replace("4.6,", "3358,"))
    refused = build(tables, endpoint, "--accept-lost", prices="monthly.csv")
    assert refused.exit_code == 2
    assert "jump: us-east-1: usd_per_hour is 730 times what aws-2026-07-06 says" in refused.stderr


def test_a_table_that_is_not_understood_is_named(tables: Path, endpoint: str) -> None:
    (tables / "bad.csv").write_text("region\n")
    result = build(tables, endpoint, prices="bad.csv")
    assert result.exit_code == 2
    assert "Not built: line 1: no column" in result.stderr


def test_without_an_answer_nothing_is_written(tables: Path) -> None:
    result = build(tables, "http://127.0.0.1:9")
    assert result.exit_code == 2
    assert "AWS was not reached for ec2:DescribeInstanceTypeOfferings in eu-west-1" in result.stderr
    assert not (tables / "made.json.gz").exists()
