"""Infrastructure files that build the cluster of a workload file. Nothing is stored."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Literal

from stowage.documents.deploy.deployment import (
    USUAL_BLOCK_BYTES,
    Deployment,
    Predicted,
    Primary,
    Rate,
    Role,
)
from stowage.documents.deploy.files import files
from stowage.documents.deploy.generation import asks_for_disks, processor_of
from stowage.documents.deploy.heading import what
from stowage.features.planning.deployment.schemas import (
    DeploymentAnswer,
    NewDeployment,
)
from stowage.features.planning.planning import predict_cluster
from stowage.model.cluster import Ebs, ordered
from stowage.model.hardware.instance import InstanceType
from stowage.model.hardware.volume import performance
from stowage.model.jobs.frameworks import FLINK, SPARK
from stowage.model.jobs.hdfs import Hdfs
from stowage.model.jobs.head import head_of
from stowage.model.sizes import MB_PER_MIB
from stowage.platform.errors import problems_at
from stowage.workloads import wording
from stowage.workloads.answers import InfeasibleAnswer, PredictionAnswer
from stowage.workloads.cluster_section import EbsSection, InstanceStoreSection, ObjectStoreSection
from stowage.workloads.knowledge import Knowledge, KnowledgeSource
from stowage.workloads.workload_file import WorkloadFile

_LEAST_BLOCK_BYTES, _BLOCK_STEP_BYTES = 1_048_576, 512
"""Minimum HDFS block size and its step, the size of a checksum chunk (hdfs-default.xml)."""


def deploy(asked: NewDeployment, source: KnowledgeSource) -> DeploymentAnswer | InfeasibleAnswer:
    """Return the files that build the cluster of a workload file, with notes and refusals.

    Raises
    ------
    BadInput
        As for `planning.predict_cluster`, with paths below ``file``.
    """
    file = asked.file
    if asked.purchase is not None:
        file = file.model_copy(update={"place": file.place.model_copy(update={"purchase": asked.purchase})})
    with problems_at("file.{}".format):
        found = predict_cluster(file, source)
    if isinstance(found, InfeasibleAnswer):
        return found
    knowledge = source(file.place.catalog, file.place.region)
    deployment, notes = deployment_of(asked.name, file, found, knowledge)
    made, refused = files(deployment)
    return DeploymentAnswer.from_fields(
        found,
        what=what(deployment),
        files=made,
        refusals=refused,
        notes=notes,
    )


_OF_EMR: Mapping[str, str] = {SPARK.name: "Spark", FLINK.name: "Flink"}
"""Application names of frameworks on EMR; MapReduce is part of EMR's Hadoop."""


def deployment_of(
    name: str, file: WorkloadFile, found: PredictionAnswer, knowledge: Knowledge
) -> tuple[Deployment, list[str]]:
    """Convert a prediction to a deployment with its notes.

    Parameters
    ----------
    name : str
        Name of the deployment; if empty, the name of the workload.
    file : WorkloadFile
        Workload file with a `cluster` section.
    found : PredictionAnswer
        Prediction for that cluster.
    knowledge : Knowledge
        Catalog and measurements with which the cluster was predicted.
    """
    if file.cluster is None:
        raise ValueError("a prediction has a cluster")
    types, place = knowledge.catalog.instance_types, file.place
    instance = types[found.instance]
    job, workload = file.workload.to_job(), file.to_workload()
    primary = head_of(workload, instance, types) if workload.head_nodes else None
    plain = Deployment(
        name=name or file.workload.name,
        region=place.region,
        instance=instance.name,
        processor=processor_of(instance),
        nodes=found.nodes + file.cluster.spares,
        predicted=_predicted(found, knowledge),
        primary=None if primary is None else Primary(primary.name, processor_of(primary)),
        zones=place.zones,
        placement_group=place.placement_group and instance.placement_group and place.zones == 1,
        spot=found.purchase == "spot",
        service=place.service,
        local_disks=int(instance.disk_count.value),
        bursts="burstable" in instance.traits,
        replication=found.replicas or 1,
        block_bytes=_block_bytes(job.block_mb) if isinstance(job, Hdfs) else USUAL_BLOCK_BYTES,
        stays=job.stays,
        application=_OF_EMR.get(file.framework, ""),
        tags=(
            (
                "stowage:configuration",
                f"{found.nodes} x {found.instance} {found.storage_words}".replace(",", "").replace("×", "x"),
            ),
            ("stowage:catalog", found.catalog_version),
            ("stowage:model", found.model_version),
        ),
    )
    deployment = _with_storage(plain, found, instance, knowledge)
    return deployment, [*_notes(deployment, file, found, instance)]


def _predicted(found: PredictionAnswer, knowledge: Knowledge) -> Predicted:
    time_s, cost = found.time_s, found.cost_usd
    digest = found.profiles_digest[:12]
    return Predicted(
        time=f"{wording.duration(time_s.p50)} ({wording.duration_range(time_s)})",
        cost=f"{wording.usd(cost.p50)} ({wording.usd(cost.p10)}–{wording.usd(cost.p90)})",
        sentence=found.sentence,
        basis=(
            f"Stowage's model {found.model_version}, catalog {found.catalog_version} of "
            f"{knowledge.catalog.as_of}, profiles {digest}"
        ),
    )


def _block_bytes(block_mb: float) -> int:
    asked = round(block_mb * 1e6)
    return max(_LEAST_BLOCK_BYTES, round(asked / _BLOCK_STEP_BYTES) * _BLOCK_STEP_BYTES)


def _with_storage(
    plain: Deployment, found: PredictionAnswer, instance: InstanceType, knowledge: Knowledge
) -> Deployment:
    storage, disks = found.storage, plain.local_disks
    outer, inner = 0, disks
    volumes: Ebs | None = None
    rates: Sequence[Rate] = ()
    if isinstance(storage, InstanceStoreSection):
        outer, inner = storage.input_output_disks or 0, storage.intermediate_disks or 0
    elif isinstance(storage, EbsSection):
        volumes = storage.layout()
        rates = tuple(_of_volumes(volumes, instance, knowledge))
    rates = (*rates, *_of_disks(found, instance, outer, inner))
    surcharge = instance.ebs_usd_per_hour
    return replace(
        plain,
        input_output_disks=outer,
        intermediate_disks=inner,
        ephemeral_mapping=outer + inner > 0 and asks_for_disks(instance),
        volumes=volumes,
        object_store=isinstance(storage, ObjectStoreSection),
        ebs_optimized=volumes is not None and surcharge is not None and surcharge.value > 0.0,
        rates=rates,
    )


def _of_disks(found: PredictionAnswer, instance: InstanceType, outer: int, inner: int) -> Iterator[Rate]:
    """Yield the expected rates of a node's disks, with which a benchmark of the node is compared.

    Rates are yielded separately for the disks with input and output, and for those with intermediate data. Each is a
    disk rate of the prediction, scaled to the number of these disks.

    Parameters
    ----------
    outer, inner : int
        Number of disks with input and output, and number of disks with intermediate data.
    """
    disks = instance.disk_count.value
    roles: tuple[tuple[Role, int], ...] = (("input-output", outer), ("intermediate", inner))
    for figure in found.provenance:
        quantity = figure.quantity.rpartition(".")[2]
        if quantity not in _OF_DISKS or figure.quantity.startswith("workload."):
            continue
        ways, unit, factor = _OF_DISKS[quantity]
        for role, count in roles:
            value = factor * figure.value * count / disks if disks else 0.0
            if value > 0.0:
                source = f"{figure.source}{'' if figure.as_of is None else f', {figure.as_of}'} ({figure.kind})"
                scaled = f"; {count} of the {disks:g} disks that {figure.value:,.6g} {unit} hold for"
                for way in ways:
                    words = f"{_WAYS[way, unit]}: {wording.three_digits(value)} {unit}{scaled}"
                    yield Rate(role, way, value, unit, words, source)


_Way = Literal["read", "write"]
_Unit = Literal["MB/s", "IOPS"]

_OF_DISKS: dict[str, tuple[tuple[_Way, ...], _Unit, float]] = {
    # DiskBench: half of the disks read while the other half writes at the same rate.
    "storage_mb_per_s": (("write", "read"), "MB/s", 2.0),
    "storage_read_mb_per_s": (("read",), "MB/s", 1.0),
    "storage_write_mb_per_s": (("write",), "MB/s", 1.0),
    "storage_iops": (("read",), "IOPS", 1.0),
    "storage_read_iops": (("read",), "IOPS", 1.0),
}
"""Quantity -> directions, unit, and ratio of the rate of all disks of a node to the figure."""

_WAYS: dict[tuple[_Way, _Unit], str] = {
    ("read", "MB/s"): "reading in order",
    ("write", "MB/s"): "writing in order",
    ("read", "IOPS"): "reading at random",
}


def _of_volumes(layout: Ebs, instance: InstanceType, knowledge: Knowledge) -> Iterator[Rate]:
    """Yield the total read and write rates of all volumes of a node, within the limits of its EBS link."""
    volume = knowledge.catalog.volume_types[layout.volume_type]
    reached = performance(ordered(volume, layout, nitro=instance.on_nitro))
    count, published = layout.count, volume.limits.smallest_gib
    source = f"{published.source}, {published.as_of}"
    steady = float(reached.baseline_mib_per_s) * MB_PER_MIB * count
    burst = float(reached.burst_mib_per_s) * MB_PER_MIB * count
    link = instance.ebs_baseline_mb_per_s
    limited = ""
    if link is not None and link.value < burst:
        limited = f"; the link to EBS carries {wording.three_digits(link.value)} MB/s for ever"
        steady = min(steady, link.value)
    ways: tuple[_Way, ...] = ("write", "read")
    for way in ways:
        more = f", {wording.three_digits(burst)} MB/s while credits last" if burst > steady and not limited else ""
        words = (
            f"{_WAYS[way, 'MB/s']}: {wording.three_digits(steady)} MB/s{more}, the limit of {count} volumes{limited}"
        )
        yield Rate("input-output", way, steady, "MB/s", words, source)
    iops = float(reached.baseline_iops) * count
    bound = instance.ebs_baseline_iops
    if bound is not None:
        iops = min(iops, bound.value)
    words = f"{_WAYS['read', 'IOPS']}: {wording.three_digits(iops)} IOPS, the limit of {count} volumes and their link"
    yield Rate("input-output", "read", iops, "IOPS", words, source)


def _notes(
    deployment: Deployment, file: WorkloadFile, found: PredictionAnswer, instance: InstanceType
) -> Iterator[str]:
    place = file.place
    yield from _on_payment(deployment, found)
    if file.cluster is not None and file.cluster.spares > 0:
        spares = f"{file.cluster.spares} of the {deployment.nodes:,} nodes are spares"
        yield f"{spares}: check all disks with fio, and end the slowest."
    if place.placement_group and not deployment.placement_group:
        why = f"{instance.name} takes none" if place.zones == 1 else "one does not reach over several zones"
        yield f"There is no cluster placement group: {why}."
    if place.service == "emr":
        yield "The prediction holds for EMR, with its fee; the other files build the nodes on EC2, without Hadoop."
    else:
        yield "The files for EC2 build the nodes and mount their disks; they install no Hadoop."
    yield from _on_storage(deployment, file, found)


def _on_payment(deployment: Deployment, found: PredictionAnswer) -> Iterator[str]:
    if found.purchase in {"1-year", "3-year"}:
        yield (
            "A commitment is bought in the account, not by a file: the nodes are launched on demand, and cost what "
            f"was predicted {wording.payment(found.purchase)} where the account has one for them."
        )
    if deployment.spot:
        yield "Spot nodes can be taken away at two minutes' notice; the price is that of the day when they start."
        if deployment.primary is not None:
            yield "The node that holds no data is launched on demand in every file: a cluster dies with it."


def _on_storage(deployment: Deployment, file: WorkloadFile, found: PredictionAnswer) -> Iterator[str]:
    if deployment.volumes is not None and deployment.stays:
        yield "The data stays: volumes outlive their nodes unless you say otherwise, and cost until they are deleted."
    if isinstance(found.storage, EbsSection) and found.storage.first_read_mib_per_s is not None:
        yield "The prediction counts on volumes restored from a snapshot; these files make new and empty ones."
    if deployment.object_store:
        yield "The bucket is yours: name it as a parameter, and the nodes may read and write it."
    job = file.workload.to_job()
    if isinstance(job, Hdfs) and deployment.block_bytes != round(job.block_mb * 1e6):
        size = f"{deployment.block_bytes:,} bytes"
        yield f"HDFS takes blocks of 1 MiB or more in whole steps of 512 bytes: they have {size}."
