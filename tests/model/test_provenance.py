"""Every number that goes into a prediction is in its provenance, and nothing else is.

The test walks the inputs instead of a list: each figure is made a thousand times larger and smaller. If
the prediction changes or becomes impossible, the figure must be in the provenance; if it does not, it
must not be.
"""

from dataclasses import replace
from datetime import date
from types import ModuleType
from typing import Any

import pytest

from knowledge import AWS_2026, TB, on_ebs, on_own_disks, predicted, sort
from model.variations import (
    again,
    inputs_of,
    known_of,
    outcome,
    user_variations,
    variations,
    without_target,
    worked_out,
)
from stowage.model.cluster import Configuration, Ebs, InstanceStore, Layout, ObjectStore
from stowage.model.figure import Figure
from stowage.model.hardware.profile import ScalingCurve
from stowage.model.jobs import append_log, mapreduce, task_slots
from stowage.model.jobs.append_log import AppendLog
from stowage.model.jobs.flows import Durability, Role
from stowage.model.jobs.frameworks import IDEAL
from stowage.model.jobs.hdfs import Hdfs
from stowage.model.jobs.mapreduce import MapReduce
from stowage.model.jobs.random_io import RandomIo
from stowage.model.jobs.spelled import FreePhases
from stowage.model.jobs.task_slots import TaskSlots
from stowage.model.jobs.workload import Assumptions, Elsewhere, Job, Measured, Place, Workload
from stowage.model.prediction import predict_from
from stowage.model.uncertainty.straggler import Stragglers

CASES = {
    "2-IO at a measured cluster size": (on_own_disks(178, 4, 4), sort()),
    "2-IO between measured cluster sizes": (on_own_disks(100, 4, 4), sort()),
    "two copies": (on_own_disks(186, 5, 3), sort(durability=Durability("application", 2))),
    "one node": (on_own_disks(1, 2, 2, "m1.xlarge"), sort(0.3 * TB)),
    "a single disk": (on_own_disks(1, 1, 0, "m3.large"), sort(0.005 * TB)),
    "everything given": (
        on_own_disks(178, 4, 4),
        sort(measured=Measured(1515.0, 879.0)),
    ),
    "the paper's arithmetic": (
        on_own_disks(178, 4, 4),
        sort(
            measured=Measured(network_mb_per_s=879.0),
            assume=Assumptions(cpu="ignored", spread="ignored", launch="ignored", billing="prorated"),
        ),
    ),
    "EBS": (
        on_ebs(330, instance="i2.4xlarge"),
        sort(durability=Durability("infrastructure"), assume=Assumptions(network="unlimited")),
    ),
    "EBS with rates given": (
        on_ebs(330),
        sort(durability=Durability("infrastructure"), measured=Measured(900.0, 1000.0, 243.0, 226.0)),
    ),
    "MapReduce": (
        on_own_disks(178, 4, 4),
        Workload("", MapReduce("mapreduce", 100 * TB, map_selectivity=0.5, reduce_selectivity=0.8)),
    ),
}


EBS, OBJECTS = Durability("infrastructure"), Durability("object-store")
DISKS = Measured(storage_mb_per_s=900.0, network_credit_mb=1e5)


def on_r5(layout: Layout, job: Job, nodes: int = 5, instance: str = "r5.xlarge", **changes: Any) -> Any:
    return Configuration(instance, nodes, layout), replace(Workload("", job), **changes)


CASES_2026 = {
    "st1 under HDFS with EMR's copies, bursting": on_r5(
        Ebs("st1", 1_024, 2),
        Hdfs("hdfs-write", 1 * TB, EBS, default_copies=True),
        place=Place(service="emr"),
        framework="hadoop-dfsio",
    ),
    "st1 under HDFS, half empty, until all credits are gone": on_r5(
        Ebs("st1", 4_096, 2), Hdfs("hdfs-write", 20 * TB, EBS), credits=0.5, measured=DISKS
    ),
    "remote reads of given copies": on_r5(
        Ebs("gp2", 1_024, 2),
        Hdfs("hdfs-read", 1 * TB, replace(EBS, replicas=2), local_share=0.1),
        framework="unknown",
        measured=DISKS,
    ),
    "gp3 with more IOPS and throughput": on_r5(
        Ebs("gp3", 1_000, 2, 5_000, 600), Hdfs("hdfs-read", 1 * TB, EBS), measured=DISKS
    ),
    "gp3 as it comes": on_r5(Ebs("gp3", 1_000, 2), Hdfs("hdfs-read", 1 * TB, EBS), measured=DISKS),
    "io2 in its second tier": on_r5(
        Ebs("io2", 100, 1, 40_000),
        RandomIo(0.1 * TB, 16.0, 1.0, 16.0, 400 * 1e3, EBS),
        instance="r5d.24xlarge",
        measured=DISKS,
    ),
    "random I/O on gp2": on_r5(
        Ebs("gp2", 100, 1), RandomIo(0.3 * TB, 16.0, 0.7, 16.0, 200 * 1e3, replace(EBS, replicas=2)), measured=DISKS
    ),
    "random I/O on own disks": on_r5(
        InstanceStore(2, 0),
        RandomIo(0.1 * TB, 64.0, 0.7, 16.0, 1 * TB, Durability("application", 1)),
        instance="r5d.4xlarge",
        measured=replace(DISKS, storage_iops=20_000.0),
    ),
    "I/O that is paid for": on_r5(
        Ebs("standard", 500, 4), RandomIo(0.01 * TB, 16.0, 0.5, 1.0, 1 * TB, EBS), measured=DISKS
    ),
    "a log in the page cache of one node": on_r5(
        Ebs("gp3", 500, 1), AppendLog(20e3, 1.0, in_memory=0.5, snapshot=True, durability=EBS), nodes=1, measured=DISKS
    ),
    "a copied log that waits at each record": on_r5(
        Ebs("gp3", 500, 1),
        AppendLog(200e3, 1.0, "always", in_memory=0.5, durability=Durability("infrastructure", 1)),
        measured=DISKS,
    ),
    "a log on own disks with copies": on_r5(
        InstanceStore(2, 0),
        AppendLog(0.5 * TB, 1.0, "at the end", durability=Durability("application", 2)),
        instance="r5d.4xlarge",
        measured=DISKS,
    ),
    "a commitment made for one job alone": on_r5(
        Ebs("gp3", 500, 2),
        Hdfs("hdfs-write", 1 * TB, EBS),
        place=Place(purchase="1-year", commitment="alone"),
        runs_per_month=30.0,
    ),
    "an object store in two zones on spot": on_r5(
        ObjectStore(),
        MapReduce("mapreduce", 0.9 * TB, 0.9, 0.8, OBJECTS, skew=2.0, partitions=10),
        instance="r5d.4xlarge",
        measured=DISKS,
        place=Place(purchase="spot", zones=2, placement_group=False),
    ),
    "an object store that keeps, from one node": on_r5(
        ObjectStore(), MapReduce("sort", 0.5 * TB, durability=OBJECTS), 1, "r5d.4xlarge", measured=DISKS, kept_s=9e6
    ),
    "data from elsewhere onto one node": on_r5(
        InstanceStore(1, 1),
        MapReduce("sort", 0.1 * TB),
        1,
        "r5d.4xlarge",
        measured=DISKS,
        input=Elsewhere(900.0),
        output=Elsewhere(70.0),
    ),
    "data of a large node that goes elsewhere": on_r5(
        InstanceStore(2, 2), MapReduce("sort", 1 * TB), 2, "r5d.24xlarge", output=Elsewhere(1e4), measured=DISKS
    ),
    "an object store of the user's rate": on_r5(
        ObjectStore(),
        MapReduce("sort", 0.5 * TB, durability=OBJECTS),
        instance="r5d.4xlarge",
        measured=replace(DISKS, object_store_mb_per_s=300.0),
    ),
    "Hadoop's sort on disks of a relative": on_r5(
        InstanceStore(1, 0), MapReduce("sort", 0.2 * TB), instance="r5d.xlarge", framework="hadoop-dfsio"
    ),
    "EMR with another primary": on_r5(
        InstanceStore(1, 1),
        MapReduce("sort", 0.5 * TB),
        instance="r5d.4xlarge",
        place=Place(service="emr", primary="r5.xlarge"),
    ),
    "partitions without a word on CPUs": on_r5(
        InstanceStore(1, 1),
        MapReduce("sort", 0.5 * TB, partitions=10),
        instance="r5d.4xlarge",
        assume=Assumptions(cpu="ignored"),
    ),
    "compressed files in few tasks of a given memory": on_r5(
        InstanceStore(1, 1),
        MapReduce(
            *("mapreduce", 0.5 * TB, 0.5, 0.8),
            partitions=80,
            compressed_to=0.4,
            input_compressed_to=0.5,
            output_compressed_to=0.6,
            tasks=TaskSlots(3, 2_000.0),
        ),
        instance="r5d.4xlarge",
        measured=DISKS,
    ),
    "tasks that share the memory": on_r5(
        InstanceStore(1, 1),
        MapReduce("sort", 0.5 * TB, partitions=80, tasks=TaskSlots(4)),
        instance="r5d.4xlarge",
        assume=Assumptions(cpu="ignored"),
        measured=DISKS,
    ),
    "tasks that nothing waits for": on_r5(
        InstanceStore(1, 1),
        MapReduce("sort", 0.5 * TB, tasks=TaskSlots(4, 2_000.0)),
        instance="r5d.4xlarge",
        assume=Assumptions(cpu="ignored"),
        measured=DISKS,
    ),
    "phases that spill": on_r5(
        Ebs("gp2", 1_000, 1),
        FreePhases(
            1 * TB,
            (
                ("scan", {Role.INPUT_READ: 1 * TB, Role.RANDOM_READ: 0.01 * TB}),
                ("spill", {Role.INTERMEDIATE_WRITE: 1 * TB, Role.NETWORK_OUT: 1 * TB}),
            ),
            random_io_kib=8.0,
            durability=EBS,
        ),
        instance="r5d.4xlarge",
        measured=DISKS,
    ),
    "volumes restored from a snapshot": on_r5(
        Ebs("gp3", 1_000, 2, first_read_mib_per_s=5.0), Hdfs("hdfs-read", 1 * TB, EBS), measured=DISKS
    ),
    "slow nodes and a spare": on_r5(
        InstanceStore(1, 1),
        MapReduce("sort", 0.5 * TB),
        instance="r5d.4xlarge",
        stragglers=Stragglers(0.05, 3.0),
        spares=1,
    ),
}

COPIES = Durability("application", 3)
ONCE = Durability("application", 1)
NO_CPU = Assumptions(cpu="ignored")
CASES_EACH_WAY = {
    "divided disks that read and write": on_r5(InstanceStore(1, 1), MapReduce("sort", 0.5 * TB), 5, "i3en.2xlarge"),
    "a single disk shared by reads and writes": on_r5(
        InstanceStore(1, 0), MapReduce("sort", 0.1 * TB), 5, "i3en.large"
    ),
    "disks of a relative": on_r5(InstanceStore(1, 0), MapReduce("sort", 0.1 * TB), 5, "i3en.xlarge"),
    "HDFS writes one copy": on_r5(InstanceStore(2, 0), Hdfs("hdfs-write", 1 * TB, ONCE), 5, "i3en.2xlarge"),
    "HDFS writes three copies, which are read to be repaired": on_r5(
        InstanceStore(2, 0), Hdfs("hdfs-write", 1 * TB, COPIES), 5, "i3en.2xlarge"
    ),
    "HDFS reads": on_r5(InstanceStore(2, 0), Hdfs("hdfs-read", 1 * TB, ONCE), 5, "i3en.2xlarge"),
    "HDFS reads on disks whose rate is given": on_r5(
        InstanceStore(2, 0), Hdfs("hdfs-read", 1 * TB, ONCE), 5, "i3en.2xlarge", measured=DISKS
    ),
    "random I/O of both directions": on_r5(
        InstanceStore(2, 0), RandomIo(0.1 * TB, 4.0, 0.7, 16.0, 1 * TB, ONCE), 5, "i3en.2xlarge", assume=NO_CPU
    ),
    "random I/O that the CPUs hold back": on_r5(
        InstanceStore(1, 0), RandomIo(0.1 * TB, 64.0, 0.7, 16.0, 1 * TB, ONCE), 5, "is4gen.medium"
    ),
    "random reads of a relative's disks": on_r5(
        InstanceStore(1, 0), RandomIo(0.1 * TB, 4.0, 1.0, 16.0, 1 * TB, ONCE), 5, "i3en.xlarge", assume=NO_CPU
    ),
    "random I/O beside a given bandwidth": on_r5(
        InstanceStore(2, 0),
        RandomIo(0.1 * TB, 4.0, 0.7, 16.0, 1 * TB, ONCE),
        5,
        "i3en.2xlarge",
        assume=NO_CPU,
        measured=DISKS,
    ),
    "random I/O of a given number": on_r5(
        InstanceStore(2, 0),
        RandomIo(0.1 * TB, 64.0, 0.7, 16.0, 1 * TB, ONCE),
        5,
        "i3en.2xlarge",
        assume=NO_CPU,
        measured=Measured(storage_iops=9_000.0),
    ),
    "a log that is written alone": on_r5(
        InstanceStore(2, 0), AppendLog(1 * TB, 4.0, "at the end", durability=ONCE), 5, "i3en.2xlarge"
    ),
    "EBS with intermediate data on own disks": on_r5(
        Ebs("gp3", 1_000, 2), MapReduce("sort", 0.5 * TB, durability=EBS), 5, "i3en.2xlarge"
    ),
    "EBS with a spill that is never read": on_r5(
        Ebs("gp3", 1_000, 2),
        FreePhases(0.5 * TB, (("spill", {Role.INTERMEDIATE_WRITE: 1 * TB}),), durability=EBS),
        5,
        "i3en.2xlarge",
    ),
    "CPUs that burst": on_r5(Ebs("gp3", 1_000, 2), Hdfs("hdfs-read", 1 * TB, EBS), 5, "t3.xlarge"),
    "CPUs that burst and are ignored": on_r5(
        Ebs("gp3", 1_000, 2), Hdfs("hdfs-read", 1 * TB, EBS), 5, "t3.xlarge", assume=NO_CPU
    ),
    "io2 without Nitro": on_r5(
        Ebs("io2", 1_000, 1, 40_000), RandomIo(0.1 * TB, 16.0, 1.0, 16.0, 1 * TB, EBS), 5, "d2.8xlarge", assume=NO_CPU
    ),
    "io2 on Nitro": on_r5(
        Ebs("io2", 1_000, 1, 40_000), RandomIo(0.1 * TB, 16.0, 1.0, 16.0, 1 * TB, EBS), 5, "i3en.2xlarge", assume=NO_CPU
    ),
}


def fitted(name: str, value: float, unit: str = "1") -> Figure:
    return Figure(f"framework.ours.{name}", value, unit, "Fitted to ten finished jobs", "estimated", date(2026, 11, 21))


OURS = replace(
    IDEAL,
    name="ours",
    error=fitted("error", 0.08),
    network_efficiency=fitted("network_efficiency", 0.7),
    read_efficiency=fitted("read_efficiency", 0.8),
    write_efficiency=fitted("write_efficiency", 0.6),
    link_efficiency=fitted("link_efficiency", 0.9),
    object_store_efficiency=fitted("object_store_efficiency", 0.5),
    cpu_efficiency=fitted("cpu_efficiency", 0.9),
    start_up=fitted("start_up", 30.0, "s"),
    log_nodes=fitted("log_nodes", 4.0, "s"),
    per_node=fitted("per_node", 0.1, "s"),
    growth=fitted("growth", 0.1),
    growth_from=6.0,
    measured_nodes=(2.0, 20.0),
    extrapolation=fitted("extrapolation", 0.05),
)
CASES_CALIBRATED = {
    "a calibrated framework": on_r5(
        InstanceStore(1, 1), MapReduce("sort", 0.5 * TB), 5, "r5d.4xlarge", framework="ours", calibrated=OURS
    ),
    "a calibrated framework beyond its runs": on_r5(
        InstanceStore(1, 1), MapReduce("sort", 5 * TB), 50, "r5d.4xlarge", framework="ours", calibrated=OURS
    ),
    "a calibrated framework on EBS": on_r5(
        Ebs("gp3", 1_000, 2), Hdfs("hdfs-write", 1 * TB, EBS), measured=DISKS, framework="ours", calibrated=OURS
    ),
    "a calibrated framework with an object store": on_r5(
        ObjectStore(),
        MapReduce("sort", 0.5 * TB, durability=OBJECTS),
        5,
        "r5d.4xlarge",
        measured=DISKS,
        framework="ours",
        calibrated=OURS,
    ),
    "a calibrated framework on one node": on_r5(
        InstanceStore(1, 1),
        MapReduce("sort", 0.1 * TB),
        1,
        "r5d.4xlarge",
        framework="ours",
        calibrated=replace(OURS, measured_nodes=(1.0, 20.0), start_up=fitted("start_up", 0.0, "s")),
    ),
}
ALL_CASES = {**CASES, **CASES_2026, **CASES_EACH_WAY, **CASES_CALIBRATED}


@pytest.fixture(params=list(ALL_CASES.values()), ids=list(ALL_CASES))
def case(request: pytest.FixtureRequest) -> tuple[Configuration, Workload]:
    configuration, workload = request.param
    return configuration, workload.at(configuration.nodes)


CONSTANTS = {
    "dirty_ratio",
    "merge_fan_in",
    "sort_memory",
    "failure_detection_s",
    "object_loss_per_year",
    "emr_replication",
    "screening_s",
}
"""Figures that the model uses and that are not in `Inputs`; they have tests of their own."""


def test_a_looked_up_figure_is_listed_if_and_only_if_it_matters(case: tuple[Configuration, Workload]) -> None:
    configuration, workload = case
    inputs = inputs_of(configuration, workload)
    before = predicted(configuration, workload, known_of(configuration))
    mattering = {
        without_target(figure)
        for figure, changed in variations(inputs)
        if outcome(predict_from(changed, configuration, workload, sources=False)) != outcome(before)
    }
    # A measured rate that the user gives is looked up like any other; a value that is computed from other
    # figures (the network between measured cluster sizes) is no input, but shown with them.
    listed = {
        without_target(figure)
        for figure in before.provenance
        if (figure.kind != "given" or figure.quantity.startswith("measured."))
        and not worked_out(figure)
        and figure.quantity not in CONSTANTS
    }
    assert listed == mattering


def test_a_number_of_the_workload_or_configuration_is_listed_if_and_only_if_it_matters(
    case: tuple[Configuration, Workload],
) -> None:
    configuration, workload = case
    before = predicted(configuration, workload, known_of(configuration))
    listed = {
        figure.quantity
        for figure in before.provenance
        if figure.kind == "given" and not figure.quantity.startswith("measured.")
    }
    mattering = {
        quantity
        for quantity, changed_configuration, changed_workload in user_variations(configuration, workload)
        if outcome(again(changed_configuration, changed_workload)) != outcome(before)
    }
    assert listed == mattering


@pytest.mark.parametrize(
    ("nodes", "kinds"),
    [(178, ["measured"]), (100, ["estimated", "measured", "measured"]), (900, ["estimated", "measured", "measured"])],
)
def test_an_unmeasured_network_rate_is_shown_as_an_estimate(nodes: int, kinds: list[str]) -> None:
    provenance = predicted(on_own_disks(nodes, 4, 4), sort()).provenance
    network = [figure for figure in provenance if "network_mb_per_s" in figure.quantity]
    assert [figure.kind for figure in network] == kinds
    assert network[0].quantity == f"i2.8xlarge.network_mb_per_s at {nodes} nodes"
    inputs = inputs_of(on_own_disks(nodes, 4, 4), sort())
    assert isinstance(inputs.network, ScalingCurve)
    assert network[0].value == inputs.network.rate_mb_per_s(nodes)


def test_every_listed_number_says_where_it_comes_from(case: tuple[Configuration, Workload]) -> None:
    provenance = predicted(case[0], case[1], known_of(case[0])).provenance
    names = [figure.quantity for figure in provenance]
    assert len(set(names)) == len(names)
    for figure in provenance:
        assert figure.source
        assert figure.unit
        assert (figure.as_of is None) == (figure.kind == "given")


@pytest.mark.parametrize(
    ("quantity", "module", "held_by", "case_name"),
    [
        ("dirty_ratio", append_log, "DIRTY_RATIO", "a log in the page cache of one node"),
        ("sort_memory", task_slots, "SORT_MEMORY", "partitions without a word on CPUs"),
        ("merge_fan_in", mapreduce, "MERGE_FAN_IN", "partitions without a word on CPUs"),
    ],
)
def test_a_constant_of_the_flows_is_listed_where_it_matters(
    quantity: str, module: ModuleType, held_by: str, case_name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name, (configuration, workload) in CASES_2026.items():
        before = predicted(configuration, workload, AWS_2026)
        listed = quantity in {figure.quantity for figure in before.provenance}
        assert listed or name != case_name
        with monkeypatch.context() as world:
            figure = getattr(module, held_by)
            world.setattr(
                module, held_by, replace(figure, value=max(2.0, figure.value / 1000) if figure.value > 1 else 1e-4)
            )
            after = again(configuration, workload)
        assert listed or outcome(after) == outcome(before), name
        assert outcome(after) != outcome(before) or name != case_name


def test_figures_of_loss_are_listed_where_copies_are_repaired_or_objects_kept() -> None:
    found = {
        name: {figure.quantity for figure in predicted(CASES_2026[name][0], CASES_2026[name][1], AWS_2026).provenance}
        for name in ("remote reads of given copies", "gp3 as it comes", "an object store of the user's rate")
    }
    copies, single, objects = found.values()
    assert {"failure_detection_s", "workload.block_size"} <= copies
    assert not {"failure_detection_s", "workload.block_size", "object_loss_per_year"} & single
    assert "object_loss_per_year" in objects


def test_copies_that_emr_sets_are_emr_s_and_those_that_the_user_gives_the_user_s() -> None:
    configuration, workload = CASES_2026["st1 under HDFS with EMR's copies, bursting"]
    [of_emr] = [f for f in predicted(configuration, workload, AWS_2026).provenance if "replication" in f.quantity]
    assert (of_emr.value, of_emr.kind) == (2.0, "published")
    workload = replace(workload, job=Hdfs("hdfs-write", 1 * TB, EBS))
    [given] = [f for f in predicted(configuration, workload, AWS_2026).provenance if "replication" in f.quantity]
    assert (given.value, given.kind) == (1.0, "given")
