"""Loss probability of a configuration: alone, in arrays, and over exposure times."""

from dataclasses import replace

import numpy as np
import pytest

from knowledge import AWS_2026
from stowage.model.cluster import Configuration, Ebs, InstanceStore, Layout, ObjectStore
from stowage.model.infeasible import Infeasible
from stowage.model.inputs import Inputs, gather
from stowage.model.jobs.flows import Durability
from stowage.model.jobs.hdfs import Hdfs
from stowage.model.jobs.mapreduce import MapReduce
from stowage.model.jobs.workload import Job, Measured, Workload
from stowage.model.loss.durability import CopiedData, chance_of_loss, sets_of_blocks
from stowage.model.loss.exposure import loss_probabilities, loss_probability, rereplication_s
from stowage.model.offer import offer_of
from stowage.model.prediction import loss_from, predict
from stowage.model.units import Quantity

TYPE = "r5d.4xlarge"
DISKS = InstanceStore(1, 1)
SORT = MapReduce("sort", 40_000.0)
ARCHIVE = Hdfs("hdfs-write", 40_000.0)


def sort_kept(durability: Durability) -> MapReduce:
    return replace(SORT, durability=durability)


CASES: tuple[tuple[Job, Layout], ...] = (
    (SORT, DISKS),
    (sort_kept(Durability("application", 2)), DISKS),
    (ARCHIVE, InstanceStore(2, 0)),
    (sort_kept(Durability("infrastructure")), Ebs("gp3", 200, 2)),
    (sort_kept(Durability("object-store")), ObjectStore()),
)


def asked(job: Job) -> Workload:
    return Workload("", job, measured=Measured(storage_mb_per_s=900.0, network_mb_per_s=600.0))


def inputs_of(job: Job, layout: Layout) -> Inputs:
    volume = AWS_2026.catalog.volume_types[layout.volume_type] if isinstance(layout, Ebs) else None
    found = gather(AWS_2026.catalog.instance_types[TYPE], volume, asked(job), AWS_2026.catalog, AWS_2026.profiles)
    assert isinstance(found, Inputs)
    return found


def exposed(job: Job, layout: Layout, nodes: int) -> tuple[Inputs, Quantity, Configuration, Workload, float]:
    workload, inputs = asked(job), inputs_of(job, layout)
    offered = offer_of(inputs, layout, workload, float(nodes))
    return inputs, offered.repair_mb_per_s, Configuration(TYPE, nodes, layout), workload, workload.exposure_s(3_600.0)


def test_many_at_once_have_the_chances_that_each_has_alone() -> None:
    every = [exposed(job, layout, nodes) for job, layout in CASES for nodes in (3, 10, 200)]
    assert loss_probabilities(every) == [loss_probability(*one) for one in every]
    assert loss_probabilities([]) == []


@pytest.mark.parametrize(("job", "layout"), CASES)
def test_alone_it_is_what_a_prediction_gives(job: Job, layout: Layout) -> None:
    configuration = Configuration(TYPE, 10, layout)
    whole = predict(configuration, asked(job), AWS_2026.catalog, AWS_2026.profiles, sources=False)
    assert not isinstance(whole, Infeasible)
    assert loss_from(inputs_of(job, layout), configuration, asked(job)) == whole.loss_probability


def test_what_does_not_hold_the_data_has_none() -> None:
    layout = InstanceStore(2, 0)
    found = loss_from(inputs_of(ARCHIVE, layout), Configuration(TYPE, 2, layout), asked(ARCHIVE))
    assert isinstance(found, Infeasible)
    assert found.limit == "copies"


def test_the_time_until_copies_exist_again_is_the_one_that_the_chance_of_loss_takes() -> None:
    layout = InstanceStore(2, 0)
    inputs, repair_mb_per_s, configuration, workload, exposure_s = exposed(ARCHIVE, layout, 10)
    again_s = rereplication_s(workload, repair_mb_per_s, 10.0)
    # 120 GB on ten nodes: each of the nine others writes a ninth of 12 GB.
    assert again_s == pytest.approx(630.0 + 12_000.0 / (9.0 * min(600.0, 2.0 * 900.0)))
    data = CopiedData(
        10, 3, inputs.node_failures.value, float(again_s), "serial", sets_of_blocks(10, 3, 40_000.0 / 134.217728)
    )
    found = loss_probability(inputs, repair_mb_per_s, configuration, workload, exposure_s)
    assert found == chance_of_loss(data, exposure_s)


def test_for_many_node_counts_at_once_it_is_the_same() -> None:
    nodes = np.arange(1.0, 40.0)
    at_once = rereplication_s(asked(ARCHIVE), 333.3, nodes)
    each = [float(rereplication_s(asked(ARCHIVE), 333.3, float(number))) for number in nodes]
    assert np.asarray(at_once).tolist() == each
    assert np.isinf(np.asarray(at_once)).tolist() == [True, *[False] * 38]


def test_volumes_of_a_node_share_what_it_gives_to_repairs() -> None:
    of_volumes = rereplication_s(asked(ARCHIVE), 300.0, 10.0, 30.0)
    assert of_volumes == pytest.approx(630.0 + 4_000.0 / (29.0 * 100.0))


def test_re_replication_on_slow_volumes_runs_at_their_sustained_rate() -> None:
    """An st1 of 1 TiB sustains 40 MiB/s once its burst is over, a gp3 125 MiB/s, at any network rate."""
    for name, mib_per_s in (("st1", 40.0), ("gp3", 125.0)):
        job = Hdfs("hdfs-write", 1e6, Durability("infrastructure", 2))
        workload, layout = Workload("", job), Ebs(name, 1_024, 1)
        catalog = AWS_2026.catalog
        inputs = gather(
            catalog.instance_types["r5.xlarge"], catalog.volume_types[name], workload, catalog, AWS_2026.profiles
        )
        assert isinstance(inputs, Inputs)
        offered = offer_of(inputs, layout, workload, 5.0)
        assert offered.repair_mb_per_s == pytest.approx(mib_per_s * 1.048576)
