from dataclasses import asdict, replace

import pytest
from pydantic import TypeAdapter, ValidationError
from pydantic.json_schema import JsonSchemaMode

from knowledge import known
from stowage.runs.checks import problems, spec_words
from stowage.runs.pace import Pace
from stowage.runs.spec import DfsioPlan, DiskMode, DiskPlan, NetPlan, OwnDisks, RedisPlan, RunSpec, Volumes

CATALOG = known("aws-2026-07-06").catalog
DISKS = RunSpec("diskbench", "i4i.large", 4, "us-east-1", storage=OwnDisks())
NETWORK = RunSpec("netbench", "i4i.large", 4, "us-east-1")
REDIS = RunSpec("redis", "i4i.large", 1, "us-east-1", storage=Volumes("gp3", 500))
DFSIO = RunSpec("testdfsio", "m5.xlarge", 4, "us-east-1", storage=Volumes("gp3", 500), time_limit_s=3600.0)


def paths(spec: RunSpec) -> set[str]:
    return {problem.path for problem in problems(spec, CATALOG)}


@pytest.mark.parametrize("spec", [DISKS, NETWORK, REDIS, DFSIO, replace(DISKS, benchmark="screening")])
def test_what_can_be_run_has_no_problem(spec: RunSpec) -> None:
    assert problems(spec, CATALOG) == ()


@pytest.mark.parametrize(
    ("spec", "path"),
    [
        (replace(DISKS, nodes=0), "nodes"),
        (replace(NETWORK, nodes=1), "nodes"),
        (replace(NETWORK, nodes=201), "nodes"),
        (replace(DFSIO, nodes=2), "nodes"),
        (replace(DISKS, instance="i9.enormous"), "instance"),
        (replace(DISKS, zone="eu-west-1a"), "zone"),
        (replace(DISKS, zone="us-east-1"), "zone"),
        (replace(DISKS, zone="us-east-1-bos-1a"), "zone"),
        (replace(DISKS, instance="t3.large", storage=Volumes("gp3", 100), placement_group=True), "placement_group"),
        (replace(DFSIO, market="spot"), "market"),
        (replace(DISKS, storage=None), "storage"),
        (replace(REDIS, storage=None), "storage"),
        (replace(NETWORK, storage=OwnDisks()), "storage"),
        (replace(DFSIO, storage=OwnDisks()), "storage"),
        (replace(DFSIO, storage=None), "storage"),
        (replace(DFSIO, instance="i4i.large"), "storage"),
        (replace(DISKS, instance="m5.large"), "storage"),
        (replace(DISKS, storage=Volumes("gp9", 100)), "storage.type"),
        (replace(DISKS, storage=Volumes("gp3", 100, count=0)), "storage.count"),
        (replace(DISKS, storage=Volumes("gp3", 100, count=60)), "storage.count"),
        (replace(DISKS, storage=Volumes("io2", 100)), "storage.iops"),
        (replace(DISKS, storage=Volumes("gp3", 100, iops=1_000_000)), "storage.iops"),
        (replace(DISKS, storage=Volumes("gp3", 1 << 20)), "storage.size_gib"),
        (replace(DISKS, storage=Volumes("gp3", 100, throughput_mib_per_s=9000)), "storage.throughput_mib_per_s"),
        (replace(DISKS, disk=DiskPlan(modes=("read", "read"))), "disk.modes"),
        (replace(DISKS, disk=DiskPlan(block_bytes=5000)), "disk.block_bytes"),
        (replace(REDIS, redis=RedisPlan(syncs=("always", "always"))), "redis.syncs"),
        (replace(DISKS, time_limit_s=600.0), "time_limit_s"),
    ],
)
def test_each_thing_that_is_wrong_is_named_by_its_field(spec: RunSpec, path: str) -> None:
    assert path in paths(spec)


@pytest.mark.parametrize(
    ("spec", "path"),
    [
        (replace(DISKS, nodes=0), "nodes"),
        (replace(NETWORK, nodes=201), "nodes"),
        (replace(DISKS, disk=DiskPlan(modes=())), "disk.modes"),
        (replace(DISKS, disk=DiskPlan(block_bytes=1 << 30)), "disk.block_bytes"),
        (replace(DISKS, disk=DiskPlan(measured_s=0.5)), "disk.measured_s"),
        (replace(DISKS, disk=DiskPlan(warm_up_s=-1.0)), "disk.warm_up_s"),
        (replace(NETWORK, net=NetPlan(connections=17)), "net.connections"),
        (replace(NETWORK, net=NetPlan(processes=0)), "net.processes"),
        (replace(NETWORK, net=NetPlan(measured_s=float("nan"))), "net.measured_s"),
        (replace(REDIS, redis=RedisPlan(syncs=())), "redis.syncs"),
        (replace(REDIS, redis=RedisPlan(measured_s=1e9)), "redis.measured_s"),
        (replace(DFSIO, dfsio=DfsioPlan(files_per_node=0)), "dfsio.files_per_node"),
        (replace(DFSIO, dfsio=DfsioPlan(file_mb=0)), "dfsio.file_mb"),
        (replace(DISKS, time_limit_s=60.0), "time_limit_s"),
        (replace(DISKS, time_limit_s=float("inf")), "time_limit_s"),
    ],
)
def test_a_value_out_of_range_is_not_parsed(spec: RunSpec, path: str) -> None:
    with pytest.raises(ValidationError) as refused:
        TypeAdapter(RunSpec).validate_python(asdict(spec))
    assert [".".join(map(str, error["loc"])) for error in refused.value.errors()] == [path]


def test_all_that_is_wrong_is_said_at_once() -> None:
    modes: tuple[DiskMode, ...] = ("read", "read")
    wrong = replace(DISKS, nodes=0, zone="mars-1a", disk=DiskPlan(modes=modes, block_bytes=7), time_limit_s=1.0)
    assert paths(wrong) == {"nodes", "zone", "disk.modes", "disk.block_bytes", "time_limit_s"}


def test_what_cannot_be_bounded_is_not_run() -> None:
    unpriced = replace(CATALOG.instance_types["i4i.large"], usd_per_hour=None)
    catalog = replace(CATALOG, instance_types={"i4i.large": unpriced})
    (problem,) = problems(DISKS, catalog)
    assert problem.path == "instance"
    assert "needs an upper bound" in problem.message


def test_a_type_whose_attachments_are_not_known_takes_as_many_volumes_as_any() -> None:
    unknown = replace(CATALOG.instance_types["i4i.large"], most_volumes=None)
    catalog = replace(CATALOG, instance_types={"i4i.large": unknown})
    assert problems(replace(DISKS, storage=Volumes("gp3", 100, count=24)), catalog) == ()
    (problem,) = problems(replace(DISKS, storage=Volumes("gp3", 100, count=25)), catalog)
    assert problem.path == "storage.count"


def test_what_is_kept_for_ending_counts_in_the_time_limit() -> None:
    limit = replace(DISKS, time_limit_s=700.0)
    assert problems(limit, CATALOG) == ()
    assert [each.path for each in problems(limit, CATALOG, Pace(tear_down_s=300.0))] == ["time_limit_s"]


@pytest.mark.parametrize(
    ("spec", "words"),
    [
        (replace(DISKS, nodes=1, zone="us-east-1b"), "DiskBench on i4i.large, own disks, us-east-1b"),
        (REDIS, "Redis on i4i.large, gp3 500 GiB, us-east-1"),
        (
            replace(REDIS, storage=Volumes("gp3", 1500, 6000, 250, 4), placement_group=True, market="spot", nodes=2),
            "Redis on 2 × i4i.large, gp3 1,500 GiB 6,000 IOPS 250 MiB/s x 4, us-east-1, in a placement group, spot",
        ),
        (NETWORK, "NetBench on 4 × i4i.large, us-east-1"),
        (DFSIO, "TestDFSIO on 4 × m5.xlarge, gp3 500 GiB, us-east-1"),
    ],
)
def test_a_run_is_named_in_people_s_words(spec: RunSpec, words: str) -> None:
    assert spec_words(spec) == words


@pytest.mark.parametrize("mode", ["validation", "serialization"])
def test_the_kind_of_a_storage_is_required(mode: JsonSchemaMode) -> None:
    schemas = TypeAdapter(RunSpec).json_schema(mode=mode)["$defs"]
    for name in ("OwnDisks", "Volumes"):
        assert "kind" in schemas[name]["required"]
        assert "default" not in schemas[name]["properties"]["kind"]
