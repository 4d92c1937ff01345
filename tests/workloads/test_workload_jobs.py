"""Every job of the workload file: the parsed value of each field, and its errors."""

from typing import Any

import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st

from stowage.model.cluster import Ebs, InstanceStore, Layout, ObjectStore
from stowage.model.jobs.append_log import AppendLog
from stowage.model.jobs.flows import MOVED, Durability, Role
from stowage.model.jobs.hdfs import Hdfs
from stowage.model.jobs.mapreduce import MapReduce
from stowage.model.jobs.random_io import RandomIo
from stowage.model.jobs.spelled import FreePhases
from stowage.model.jobs.task_slots import TaskSlots
from stowage.model.jobs.workload import Elsewhere, Job, Place
from stowage.model.sizes import MB_PER_GIB, MB_PER_MIB
from stowage.model.uncertainty.straggler import Stragglers
from stowage.platform.errors import BadInput
from stowage.platform.written import credit_level
from stowage.workloads.cluster_section import EbsSection, storage_section
from stowage.workloads.workload_file import parse_workload

TB = 1e6
EBS = {"model": "infrastructure"}


def job_of(**fields: Any) -> Job:
    return parse_workload({"workload": {"data": "1 TB", **fields}}).to_workload().job


def refusals(document: dict[str, Any]) -> list[tuple[str, str]]:
    with pytest.raises(BadInput) as refused:
        parse_workload(document)
    return [(problem.path, problem.message) for problem in refused.value.problems]


@pytest.mark.parametrize(
    ("fields", "job"),
    [
        ({}, MapReduce("sort", TB)),
        ({"skew": 2.5, "partitions": 4096}, MapReduce("sort", TB, skew=2.5, partitions=4096)),
        (
            {"job": "mapreduce", "map_selectivity": 0.1, "durability": {"model": "object-store"}},
            MapReduce("mapreduce", TB, 0.1, durability=Durability("object-store")),
        ),
        ({"job": "hdfs-write"}, Hdfs("hdfs-write", TB, Durability("none", 3), hadoop_copies=True)),
        (
            {"job": "hdfs-write", "replication": 2, "durability": EBS, "block_size": "256 MiB"},
            Hdfs("hdfs-write", TB, Durability("infrastructure", 2), 256 * MB_PER_MIB),
        ),
        (
            {"job": "hdfs-read", "durability": {"model": "application"}, "local_share": 0.7},
            Hdfs("hdfs-read", TB, Durability("application", 2), local_share=0.7),
        ),
        ({"job": "append-log"}, AppendLog(TB, 1.0)),
        (
            {
                "job": "append-log",
                "record": "4 KiB",
                "fsync": "always",
                "in_memory": 0.5,
                "snapshot": True,
                "durability": {"model": "application", "replicas": 3},
            },
            AppendLog(TB, 4.0, "always", 0.5, snapshot=True, durability=Durability("application", 3)),
        ),
        ({"job": "sort", "compressed_to": 0.4}, MapReduce("sort", TB, compressed_to=0.4)),
        (
            {"input_compressed_to": 0.3, "output_compressed_to": 0.5, "tasks_per_node": 12},
            MapReduce("sort", TB, input_compressed_to=0.3, output_compressed_to=0.5, tasks=TaskSlots(12)),
        ),
        ({"memory_per_task": "2 GB"}, MapReduce("sort", TB, tasks=TaskSlots(memory_mb=2_000.0))),
        ({"job": "random-io"}, RandomIo(TB, 16.0, working_set_mb=TB)),
        (
            {
                "job": "random-io",
                "io": "8 KiB",
                "read_share": 1.0,
                "queue_depth": 32.0,
                "working_set": "1 GiB",
                "durability": EBS,
            },
            RandomIo(TB, 8.0, 1.0, 32.0, MB_PER_GIB, Durability("infrastructure")),
        ),
        (
            {"job": "phases", "phases": [{"name": "scan", "input_read": "1 TB", "cpu": "2 TB"}]},
            FreePhases(TB, (("scan", {Role.INPUT_READ: TB, Role.CPU: 2 * TB}),)),
        ),
        (
            {
                "job": "phases",
                "io": "4 KiB",
                "intermediate": "5 TB",
                "durability": EBS,
                "phases": [{"name": "seek", "random_write": "1 GB"}],
            },
            FreePhases(TB, (("seek", {Role.RANDOM_WRITE: 1e3}),), 5 * TB, 4.0, Durability("infrastructure")),
        ),
    ],
)
def test_a_job_is_what_its_fields_say_and_comes_back_as_written(fields: dict[str, Any], job: Job) -> None:
    document = {"workload": {"data": "1 TB", **fields}}
    file = parse_workload(document)
    assert parse_workload(yaml.safe_load(yaml.safe_dump(file.written()))) == file
    found = file.to_workload().job
    assert type(found) is type(job)
    for name in type(job).__dataclass_fields__:
        assert getattr(found, name) == (
            pytest.approx(getattr(job, name)) if isinstance(getattr(job, name), float) else getattr(job, name)
        ), name


def test_every_flow_of_a_phase_can_be_written() -> None:
    flows = [role for role in Role if role not in MOVED]
    moved = {role.name.lower(): f"{number + 1} GB" for number, role in enumerate(flows)}
    job = job_of(job="phases", phases=[{"name": "all", **moved}])
    assert isinstance(job, FreePhases)
    assert job.spelled == (("all", {role: (number + 1) * 1e3 for number, role in enumerate(flows)}),)
    assert job.random_io_kib == pytest.approx(16.0)


def test_where_data_lies_and_whether_launch_counts_is_read_and_written_as_it_was() -> None:
    written = {
        "workload": {"data": "1 TB", "input": "object-store", "output": "object-store", "framework": None},
        "assume": {"launch": "counted"},
    }
    file = parse_workload(written)
    workload = file.to_workload()
    assert (workload.input, workload.output, workload.assume.launch) == ("object-store", "object-store", "counted")
    assert file.written() == {
        **written,
        "limits": {"chance": None},
        "assume": {"launch": "counted", "usual": "applied"},
    }


def test_data_elsewhere_is_parsed_with_its_rate_and_written_unchanged() -> None:
    written = {
        "workload": {
            "job": "mapreduce",
            "data": "1 TB",
            "input": {"elsewhere": "10 Gbit/s"},
            "output": {"elsewhere": "500 MB/s"},
            "framework": "spark",
        }
    }
    file = parse_workload(written)
    workload = file.to_workload()
    assert (workload.input, workload.output) == (Elsewhere(1_250.0), Elsewhere(500.0))
    assert file.written() == {**written, "limits": {"chance": None}, "assume": {"usual": "applied"}}
    assert parse_workload(file.written()) == file


@pytest.mark.parametrize(
    ("place", "path", "message"),
    [
        ("cloud", "workload.input", "'cloud' is not offered; accepted: 'in-place', 'object-store', or elsewhere with"),
        (10, "workload.input", "10 is not offered; accepted: "),
        ({}, "workload.input.elsewhere", "is missing"),
        ({"elsewhere": 10}, "workload.input.elsewhere", "'10' has no unit; write a rate like 10 Gbit/s or 500 MB/s"),
        ({"elsewhere": "1 GB"}, "workload.input.elsewhere", "'1 GB' has no time unit; write a rate like"),
        ({"elsewhere": "1 Gb/s"}, "workload.input.elsewhere", "'1 Gb/s' could mean bits or bytes; write a rate like"),
        ({"elsewhere": "0 MB/s"}, "workload.input.elsewhere", "'0 MB/s' is not above 0; write a rate like"),
        ({"elsewhere": "1 MB/s", "at": 1}, "workload.input.at", "is not a field that is known here"),
    ],
)
def test_an_invalid_place_is_refused_at_its_field(place: object, path: str, message: str) -> None:
    with pytest.raises(BadInput) as refused:
        parse_workload({"workload": {"data": "1 TB", "input": place}})
    [problem] = refused.value.problems
    assert (problem.path, problem.message[: len(message)]) == (path, message)


FOREIGN = {
    "skew": (2.0, "append-log"),
    "partitions": (9, "hdfs-write"),
    "compressed_to": (0.5, "hdfs-read"),
    "input_compressed_to": (0.5, "hdfs-read"),
    "output_compressed_to": (0.5, "hdfs-write"),
    "tasks_per_node": (8, "append-log"),
    "memory_per_task": ("1 GiB", "random-io"),
    "input": ("object-store", "hdfs-write"),
    "output": ("object-store", "random-io"),
    "replication": (2, "sort"),
    "block_size": ("64 MiB", "random-io"),
    "local_share": (0.5, "hdfs-write"),
    "record": ("2 KiB", "sort"),
    "fsync": ("never", "random-io"),
    "in_memory": (0.5, "mapreduce"),
    "snapshot": (True, "hdfs-read"),
    "io": ("4 KiB", "append-log"),
    "read_share": (0.1, "append-log"),
    "queue_depth": (4.0, "sort"),
    "working_set": ("1 GB", "hdfs-write"),
    "phases": ([{"name": "a", "cpu": "1 GB"}], "sort"),
    "intermediate": ("1 GB", "sort"),
}


@pytest.mark.parametrize("field", FOREIGN)
def test_a_field_of_another_job_is_refused_by_name(field: str) -> None:
    value, job = FOREIGN[field]
    [(path, message)] = refusals({"workload": {"data": "1 TB", "job": job, field: value}})
    assert path == f"workload.{field}"
    assert message.startswith(f"{field} is not part of job {job}; it belongs to ")


def test_a_default_that_is_written_out_is_refused_nowhere() -> None:
    assert job_of(job="append-log", skew=1.0, queue_depth=1.0) == AppendLog(TB, 1.0)


@pytest.mark.parametrize(
    ("fields", "path", "part"),
    [
        ({"skew": 0.5}, "workload.skew", "accepted: 1 or more"),
        ({"compressed_to": 0.0}, "workload.compressed_to", "accepted: 0.001 or more"),
        ({"compressed_to": 1.5}, "workload.compressed_to", "accepted: 1 or less"),
        ({"job": "random-io", "compressed_to": 0.5}, "workload.compressed_to", "belongs to sort and mapreduce"),
        ({"input_compressed_to": 0.0}, "workload.input_compressed_to", "accepted: 0.001 or more"),
        ({"output_compressed_to": 2.0}, "workload.output_compressed_to", "accepted: 1 or less"),
        ({"tasks_per_node": 0}, "workload.tasks_per_node", "accepted: 1 or more"),
        ({"tasks_per_node": 10_001}, "workload.tasks_per_node", "accepted: 10,000 or less"),
        ({"tasks_per_node": 1.5}, "workload.tasks_per_node", "is not a whole number"),
        ({"memory_per_task": "much"}, "workload.memory_per_task", "is not a size"),
        ({"memory_per_task": 4}, "workload.memory_per_task", "has no unit"),
        ({"memory_per_task": "1 kB"}, "workload.memory_per_task", "accepted: 1 MB to 32 TiB"),
        ({"memory_per_task": "33 TiB"}, "workload.memory_per_task", "accepted: 1 MB to 32 TiB"),
        ({"skew": 1e9}, "workload.skew", "accepted: 1,000 or less"),
        ({"partitions": 0}, "workload.partitions", "accepted: 1 or more"),
        ({"partitions": 2.5}, "workload.partitions", "is not a whole number"),
        ({"job": "hdfs-write", "replication": 0}, "workload.replication", "accepted: 1 or more"),
        ({"job": "hdfs-write", "replication": 101}, "workload.replication", "accepted: 100 or less"),
        ({"job": "hdfs-write", "block_size": "0 MiB"}, "workload.block_size", "not above 0"),
        ({"job": "hdfs-read", "local_share": 1.1}, "workload.local_share", "accepted: 1 or less"),
        ({"job": "hdfs-read", "local_share": -0.1}, "workload.local_share", "accepted: 0 or more"),
        ({"job": "append-log", "record": "big"}, "workload.record", "is not a size"),
        ({"job": "append-log", "fsync": "sometimes"}, "workload.fsync", "'sometimes' is not offered"),
        ({"job": "append-log", "in_memory": 2.0}, "workload.in_memory", "accepted: 1 or less"),
        ({"job": "append-log", "snapshot": "yes"}, "workload.snapshot", "valid boolean"),
        ({"job": "random-io", "queue_depth": 0.5}, "workload.queue_depth", "accepted: 1 or more"),
        ({"job": "random-io", "read_share": float("nan")}, "workload.read_share", "should be"),
        ({"job": "random-io", "working_set": "7"}, "workload.working_set", "has no unit"),
        ({"job": "random-io", "io": "-4 KiB"}, "workload.io", "not above 0"),
        ({"kept": "0 s"}, "workload.kept", "not above 0"),
        ({"framework": "no name"}, "workload.framework", "'no name'"),
        ({"job": "copy"}, "workload.job", "'copy' is not offered"),
        ({"job": "phases"}, "workload", "job phases needs phases"),
        ({"job": "phases", "phases": []}, "workload.phases", "at least 1 item"),
        ({"job": "phases", "phases": [{"name": "a"}]}, "workload", "phase 'a' moves nothing"),
        (
            {"job": "phases", "phases": [{"name": "a", "cpu": "1 GB"}, {"name": "a", "cpu": "1 GB"}]},
            "workload",
            "each phase needs a name of its own",
        ),
        ({"job": "phases", "phases": [{"name": "a", "tape": "1 GB"}]}, "workload.phases.0.tape", "is not a field"),
        ({"job": "append-log", "map_selectivity": 0.5}, "workload.map_selectivity", "0.5 with job append-log"),
        (
            {"job": "hdfs-write", "replication": 2, "durability": {"model": "application", "replicas": 2}},
            "workload",
            "replication and durability.replicas say the same of HDFS",
        ),
    ],
)
def test_a_value_that_is_out_of_range_is_told_with_what_is_in_it(fields: dict[str, Any], path: str, part: str) -> None:
    [(found, message)] = refusals({"workload": {"data": "1 TB", **fields}})
    assert found == path
    assert part in message


@pytest.mark.parametrize("job", ["hdfs-write", "hdfs-read", "append-log", "random-io"])
def test_an_object_store_takes_sorts_and_phases_only(job: str) -> None:
    document = {"workload": {"data": "1 TB", "job": job, "durability": {"model": "object-store"}}}
    [(path, message)] = refusals(document)
    assert path == "workload.durability"
    assert message == f"object-store with job {job}; accepted: none, application, infrastructure"


def test_phases_keep_no_copies_of_their_own() -> None:
    phases = [{"name": "a", "cpu": "1 GB"}]
    document = {"workload": {"data": "1 TB", "job": "phases", "phases": phases, "durability": {"model": "application"}}}
    [(_, message)] = refusals(document)
    assert message == "application with job phases; accepted: none, infrastructure, object-store"
    assert job_of(job="phases", phases=phases, durability={"model": "object-store"}).durability.model == "object-store"


@pytest.mark.parametrize(
    ("written", "level"), [("full", 1.0), ("empty", 0.0), (0.4, 0.4), (1, 1.0), ("0.25", 0.25), (0, 0.0)]
)
def test_credits_are_full_empty_or_a_level(written: object, level: float) -> None:
    file = parse_workload({"workload": {"data": "1 TB"}, "credits": written})
    assert file.to_workload().credits == level
    assert parse_workload(file.written()) == file


@pytest.mark.parametrize("written", ["Full", "half", "", "nan", "inf", -0.1, 1.01, True, [0.4], "1e400"])
def test_credits_that_are_none_are_refused(written: object) -> None:
    [(path, _)] = refusals({"workload": {"data": "1 TB"}, "credits": written})
    assert path == "credits"


@given(st.text(max_size=12))
def test_any_text_is_a_level_of_credit_or_refused(text: str) -> None:
    try:
        assert 0.0 <= credit_level(text) <= 1.0
    except ValueError as error:
        assert "write full, empty, or a number from 0 to 1" in str(error)


def test_a_placement_group_lies_in_one_zone() -> None:
    with pytest.raises(BadInput) as refused:
        parse_workload({"workload": {"data": "1 TB"}, "place": {"zones": 2}})
    [problem] = refused.value.problems
    assert problem.path == "place.zones"
    assert "placement_group: false" in problem.message


def test_place_measurements_and_assumptions_reach_the_model() -> None:
    file = parse_workload(
        {
            "workload": {"data": "1 TB", "job": "hdfs-write", "kept": "30 d", "framework": "hadoop-dfsio"},
            "place": {
                "purchase": "spot",
                "service": "emr",
                "primary": "m1.xlarge",
                "placement_group": False,
                "zones": 3,
            },
            "measured": {
                "object_store_mb_per_s": 5.0,
                "storage_iops": 7.0,
                "network_credit": "10 GB",
                "cpu_mb_per_s_per_vcpu": 27.0,
            },
            "assume": {"stragglers": {"share": 0.05, "factor": 3.0, "of": "volumes"}},
        }
    )
    workload = file.to_workload()
    assert workload.place == Place(placement_group=False, purchase="spot", service="emr", primary="m1.xlarge", zones=3)
    assert (workload.kept_s, workload.framework) == (30 * 86_400.0, "hadoop-dfsio")
    measured = workload.measured
    assert (measured.object_store_mb_per_s, measured.storage_iops, measured.network_credit_mb) == (5.0, 7.0, 10_000.0)
    assert measured.cpu_mb_per_s_per_vcpu == 27.0
    assert (workload.stragglers, workload.straggling) == (Stragglers(0.05, 3.0), "volumes")
    assert parse_workload(file.written()) == file


@pytest.mark.parametrize(
    ("section", "path"),
    [
        ({"place": {"zones": 0}}, "place.zones"),
        ({"place": {"zones": 7}}, "place.zones"),
        ({"place": {"purchase": "2-year"}}, "place.purchase"),
        ({"place": {"service": "glue"}}, "place.service"),
        ({"measured": {"storage_iops": 0.5}}, "measured.storage_iops"),
        ({"measured": {"network_credit": "-1 GB"}}, "measured.network_credit"),
        ({"measured": {"object_store_mb_per_s": 1e12}}, "measured.object_store_mb_per_s"),
        ({"measured": {"cpu_mb_per_s_per_vcpu": 0}}, "measured.cpu_mb_per_s_per_vcpu"),
        ({"assume": {"stragglers": {"share": 1.5, "factor": 3.0}}}, "assume.stragglers.share"),
        ({"assume": {"stragglers": {"share": 0.5, "factor": 0.5}}}, "assume.stragglers.factor"),
    ],
)
def test_places_and_measurements_out_of_range_are_refused_at_their_field(section: dict[str, Any], path: str) -> None:
    assert [found for found, _ in refusals({"workload": {"data": "1 TB"}} | section)] == [path]


STORAGE: list[tuple[dict[str, Any], Layout]] = [
    ({"kind": "ebs", "type": "gp2", "size": "135 GiB", "count": 8}, Ebs("gp2", 135, 8)),
    (
        {"kind": "ebs", "type": "gp3", "size": "1 TiB", "count": 2, "iops": 4000, "throughput_mib_per_s": 500},
        Ebs("gp3", 1024, 2, 4000, 500),
    ),
    (
        {"kind": "ebs", "type": "gp3", "size": "1 TiB", "count": 2, "first_read_mib_per_s": 5.0},
        Ebs("gp3", 1024, 2, first_read_mib_per_s=5.0),
    ),
    ({"kind": "instance-store", "input_output_disks": 4, "intermediate_disks": 4}, InstanceStore(4, 4)),
    ({"kind": "object-store"}, ObjectStore()),
]


@pytest.mark.parametrize(("section", "layout"), STORAGE, ids=[str(layout) for _, layout in STORAGE])
def test_a_layout_is_written_as_it_is_read(section: dict[str, Any], layout: Layout) -> None:
    document = {"workload": {"data": "1 TB"}, "cluster": {"instance": "x", "nodes": 1, "storage": section}}
    file = parse_workload(document)
    assert file.cluster is not None
    storage = file.cluster.storage
    again = document | {"cluster": {"instance": "x", "nodes": 1, "storage": storage_section(layout)}}
    written = parse_workload(again).cluster
    assert written is not None
    if isinstance(storage, EbsSection):
        assert isinstance(written.storage, EbsSection)
        assert storage.layout() == written.storage.layout() == layout
    else:
        assert written == file.cluster


@pytest.mark.parametrize(
    ("change", "path"),
    [
        ({"iops": 0}, "iops"),
        ({"iops": 3000.5}, "iops"),
        ({"throughput_mib_per_s": 0}, "throughput_mib_per_s"),
        ({"first_read_mib_per_s": 0.0}, "first_read_mib_per_s"),
        ({"count": 0}, "count"),
        ({"count": 129}, "count"),
        ({"size": "0 GiB"}, "size"),
        ({"size": "1.5 GiB"}, "size"),
    ],
)
def test_an_invalid_volume_is_refused_at_its_field(change: dict[str, Any], path: str) -> None:
    storage = {"kind": "ebs", "type": "gp3", "size": "1 TiB", "count": 2} | change
    document = {"workload": {"data": "1 TB"}, "cluster": {"instance": "x", "nodes": 1, "storage": storage}}
    assert [found for found, _ in refusals(document)] == [f"cluster.storage.{path}"]
