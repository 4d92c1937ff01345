"""Compressed input and output: bytes read, written, sent and stored beside bytes processed."""

from dataclasses import replace

import pytest

from knowledge import AWS_2026, predicted
from stowage.model.cluster import Configuration, Ebs, ObjectStore, capacity_groups_mb
from stowage.model.figure import given as given_by
from stowage.model.jobs.engine import Engine
from stowage.model.jobs.flows import Durability, Nodes, Role
from stowage.model.jobs.mapreduce import MapReduce
from stowage.model.jobs.workload import Assumptions, Elsewhere, Measured, Workload

PLAIN = MapReduce("mapreduce", 1e6, 2.0, 0.5, Durability("application", 2))
PACKED = replace(PLAIN, input_compressed_to=0.25, output_compressed_to=0.5)
NODES = Nodes(10.0, 64e3, 8.0)
PARTS = {
    "input": (replace(PLAIN, input_compressed_to=0.25), {Role.INPUT_READ: 0.25}),
    "output": (replace(PLAIN, output_compressed_to=0.5), {Role.OUTPUT_WRITE: 0.5}),
}
MEASURED = Measured(storage_mb_per_s=400.0, network_mb_per_s=1e9)
UNSPREAD = Assumptions(spread="ignored", launch="ignored", cpu="ignored")


@pytest.mark.parametrize("part", PARTS)
def test_compressed_files_take_less_of_storage_and_leave_cpus_and_the_shuffle_as_they_are(part: str) -> None:
    job, smaller = PARTS[part]
    job, plain = (replace(one, durability=Durability()) for one in (job, PLAIN))
    for before, after in zip(plain.phases(NODES), job.phases(NODES), strict=True):
        for role, flow_mb in before.flows_mb.items():
            assert after.flows_mb[role] == pytest.approx(flow_mb * smaller.get(role, 1.0)), role


def test_copies_of_a_compressed_output_are_sent_as_they_are_stored() -> None:
    """Each of ten nodes sends and receives 50,000 MB of copies beside the shuffle, instead of 100,000 MB."""
    [*_, before], [*_, after] = PLAIN.phases(NODES), PACKED.phases(NODES)
    for role in (Role.NETWORK_OUT, Role.NETWORK_IN):
        assert (before.flows_mb[role], after.flows_mb[role]) == (100_000.0, 50_000.0)
    assert after.flows_mb[Role.OUTPUT_WRITE] == 100_000.0


def test_disks_hold_what_is_stored() -> None:
    assert (PLAIN.input_output_mb, PACKED.input_output_mb) == (1e6 + 2 * 1e6, 0.25e6 + 2 * 0.5e6)
    assert replace(PACKED, skew=3.0).skewed_mb[0] == 2.0 * 0.5e6
    volumes, instance = Ebs("gp3", 1_000, 1), AWS_2026.catalog.instance_types["r5d.4xlarge"]
    [(_, kept_mb), _] = capacity_groups_mb(volumes, instance, PACKED, "divided")
    assert kept_mb == 1.25e6


def test_a_compressed_input_is_cut_into_fewer_tasks() -> None:
    """Splits are parts of a file: 1,000 MB stored as 250 MB are three tasks of 100 MB instead of ten, on six slots."""
    engine = Engine(split=given_by("split", 100.0, "MB"))
    job = MapReduce("sort", 1_000.0, input_compressed_to=0.25)
    phase, _ = job.phases(Nodes(3.0, 8_000.0, 2.0, engine=engine))
    assert phase.flows_mb[Role.INPUT_READ] == pytest.approx(250.0 / 3.0)
    assert phase.flows_mb[Role.CPU] == pytest.approx(2.0 * 1_000.0 / 3.0)


@pytest.mark.parametrize("place", ["object-store", Elsewhere(100.0)], ids=["object store", "elsewhere"])
def test_compressed_files_are_loaded_and_unloaded_as_they_are_stored(place: object) -> None:
    workload = Workload("", replace(PACKED, durability=Durability()), input=place, output=place)  # type: ignore[arg-type]
    loading, *_, unloading = workload.phases(NODES)
    moved = {role: flow_mb for phase in (loading, unloading) for role, flow_mb in phase.flows_mb.items()}
    through = (Role.LOADED, Role.UNLOADED) if place == "object-store" else (Role.FETCHED, Role.DELIVERED)
    assert [moved[role] for role in through] == [25_000.0, 50_000.0]
    assert (moved[Role.OUTPUT_WRITE], moved[Role.INPUT_READ]) == (25_000.0, 50_000.0)
    assert [moved[role] for role in (Role.LINK_IN, Role.LINK_OUT) if role in moved] in ([], [0.25e6, 0.5e6])


def test_requests_and_time_of_an_object_store_are_of_what_is_stored() -> None:
    """A map that leaves a millionth of its data: it only reads from S3, a quarter of the bytes when compressed."""
    job = MapReduce("mapreduce", 1e6, 1e-6, 1e-3, Durability("object-store"))
    configuration = Configuration("r5d.4xlarge", 5, ObjectStore())
    workload = Workload("", job, assume=UNSPREAD, measured=MEASURED)
    packed = replace(workload, job=replace(job, input_compressed_to=0.25))
    before, after = (predicted(configuration, of, AWS_2026) for of in (workload, packed))
    assert after.phases[0].bottleneck == "object store"
    assert after.phases[0].time_s / before.phases[0].time_s == pytest.approx(0.25)
    assert after.cost.object_store / before.cost.object_store == pytest.approx(0.25, rel=0.01)


def test_what_the_user_gave_is_listed() -> None:
    found = {figure.quantity for figure in PACKED.figures()}
    assert {"workload.input_compressed_to", "workload.output_compressed_to"} <= found
    assert "workload.compressed_to" not in found
