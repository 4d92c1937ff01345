"""Variations of every figure of a prediction, one at a time, for the provenance tests."""

from collections.abc import Iterator
from dataclasses import fields, is_dataclass, replace
from typing import Any

from knowledge import AWS_2026, IN_2014, Known
from model.disks import EACH_WAY
from stowage.model.cluster import Configuration, Ebs, InstanceStore, Layout
from stowage.model.figure import Figure
from stowage.model.hardware.profile import Profile
from stowage.model.infeasible import Infeasible
from stowage.model.inputs import Inputs, gather
from stowage.model.jobs.hdfs import Hdfs
from stowage.model.jobs.mapreduce import MapReduce
from stowage.model.jobs.spelled import FreePhases
from stowage.model.jobs.workload import Elsewhere, Job, Workload
from stowage.model.prediction import Prediction, predict

FACTORS = (1e-3, 1e3)


def known_of(configuration: Configuration) -> Known:
    of_type = (known for known in (AWS_2026, EACH_WAY) if configuration.instance in known.catalog.instance_types)
    return next(of_type, IN_2014)


def inputs_of(configuration: Configuration, workload: Workload) -> Inputs:
    layout, known = configuration.layout, known_of(configuration)
    volume = known.catalog.volume_types[layout.volume_type] if isinstance(layout, Ebs) else None
    instance = known.catalog.instance_types[configuration.instance]
    inputs = gather(instance, volume, workload, known.catalog, known.profiles)
    assert isinstance(inputs, Inputs)
    return inputs


def again(configuration: Configuration, workload: Workload) -> Prediction | Infeasible:
    known = known_of(configuration)
    return predict(configuration, workload, known.catalog, known.profiles, sources=False)


def variations(node: Any) -> Iterator[tuple[Figure, Any]]:  # noqa: C901 - one branch for each shape of a tree
    """Yield every figure below a node, with the node rebuilt around a larger and a smaller one."""
    if isinstance(node, Figure):
        for factor in FACTORS:
            # The exponential of a width in the hundreds exceeds a float.
            value = node.value * factor
            yield node, replace(node, value=min(value, 300.0) if node.quantity.endswith(".error") else value)
    elif isinstance(node, Profile):
        for factor in FACTORS:
            yield node.figure(), replace(node, mean=node.mean * factor)
    elif isinstance(node, tuple):
        for index, item in enumerate(node):
            for figure, changed in variations(item):
                yield figure, (*node[:index], changed, *node[index + 1 :])
    elif is_dataclass(node) and not isinstance(node, type):
        for field in fields(node):
            for figure, changed in variations(getattr(node, field.name)):
                yield figure, replace(node, **{field.name: changed})


GIVEN_OF_JOB = {
    "map_selectivity": "workload.map_selectivity",
    "reduce_selectivity": "workload.reduce_selectivity",
    "data_mb": "workload.data",
    "skew": "workload.skew",
    "partitions": "workload.partitions",
    "compressed_to": "workload.compressed_to",
    "input_compressed_to": "workload.input_compressed_to",
    "output_compressed_to": "workload.output_compressed_to",
    "record_kib": "workload.record",
    "io_kib": "workload.io",
    "random_io_kib": "workload.io",
    "working_set_mb": "workload.working_set",
    "queue_depth": "workload.queue_depth",
    "block_mb": "workload.block_size",
    "intermediate_mb": "workload.intermediate",
}
SHARES_OF_JOB = {
    "local_share": "workload.local_share",
    "in_memory": "workload.in_memory",
    "read_share": "workload.read_share",
}
NOT_SAID = {
    "skew": 1.0,
    "local_share": 1.0,
    "in_memory": 0.0,
    "partitions": None,
    "random_io_kib": None,
    **dict.fromkeys(("compressed_to", "input_compressed_to", "output_compressed_to"), 1.0),
}
"""Defaults that apply if the user states nothing, and that are not listed then."""


def user_variations(configuration: Configuration, workload: Workload) -> Iterator[tuple[str, Configuration, Workload]]:
    """Vary the user's values of job, cluster and place, within their valid ranges."""
    for quantity, job in job_variations(workload.job):
        yield quantity, configuration, replace(workload, job=job)
    for quantity, changed in place_variations(workload):
        yield quantity, configuration, changed
    for factor in FACTORS:
        yield "cluster.nodes", replace(configuration, nodes=int(configuration.nodes * factor)), workload
    for quantity, layout in layout_variations(configuration.layout):
        yield quantity, replace(configuration, layout=layout), workload


def job_variations(job: Job) -> Iterator[tuple[str, Job]]:
    changed: Any
    for field in fields(job):
        value = getattr(job, field.name)
        if field.name in NOT_SAID and value == NOT_SAID[field.name]:
            continue
        if field.name in GIVEN_OF_JOB and not (
            isinstance(job, MapReduce) and job.kind == "sort" and "select" in field.name
        ):
            least = 1.0 if field.name in {"skew", "partitions", "queue_depth"} else 0.0
            for factor in FACTORS:
                changed = {field.name: max(least, value * factor)}
                yield GIVEN_OF_JOB[field.name], replace(job, **changed)
        if field.name in SHARES_OF_JOB:
            for share in (0.0, 1.0):
                changed = {field.name: share}
                yield SHARES_OF_JOB[field.name], replace(job, **changed)
    copies = replace(job.durability, replicas=job.durability.replicas * 1000)
    if isinstance(job, Hdfs) and not job.default_copies:
        yield "workload.replication", replace(job, durability=copies)
    elif job.durability.model == "application":
        yield "workload.durability.replicas", replace(job, durability=copies)
    yield from slot_variations(job) if isinstance(job, MapReduce) else ()
    yield from spelled_variations(job) if isinstance(job, FreePhases) else ()


def slot_variations(job: MapReduce) -> Iterator[tuple[str, MapReduce]]:
    tasks = job.tasks
    for factor in FACTORS:
        if tasks.per_node is not None:
            more = replace(tasks, per_node=max(1, int(tasks.per_node * factor)))
            yield "workload.tasks_per_node", replace(job, tasks=more)
        if tasks.memory_mb is not None:
            larger = replace(tasks, memory_mb=tasks.memory_mb * factor)
            yield "workload.memory_per_task", replace(job, tasks=larger)


def place_variations(workload: Workload) -> Iterator[tuple[str, Workload]]:
    for level in (0.0, 1.0):
        yield "credits", replace(workload, credits=level)
    if workload.place.zones > 1:
        yield "place.zones", replace(workload, place=replace(workload.place, zones=6))
    if workload.spares > 0:
        yield "cluster.spares", replace(workload, spares=workload.spares * 10)
    late = workload.stragglers
    for name in ("input", "output"):
        place = getattr(workload, name)
        for factor in FACTORS if isinstance(place, Elsewhere) else ():
            changed: dict[str, Any] = {name: Elsewhere(place.link_mb_per_s * factor)}
            yield f"workload.{name}.elsewhere", replace(workload, **changed)
    for factor in FACTORS:
        if workload.kept_s is not None:
            yield "workload.kept", replace(workload, kept_s=workload.kept_s * factor)
        if workload.kept_s is not None or workload.bears_commitment:
            yield "workload.runs_per_month", replace(workload, runs_per_month=workload.runs_per_month * factor)
        if late is not None:
            slower = replace(late, factor=max(1.0, late.factor * factor))
            yield "assume.stragglers.factor", replace(workload, stragglers=slower)
            more = replace(late, share=min(1.0, late.share * factor))
            yield "assume.stragglers.share", replace(workload, stragglers=more)


def spelled_variations(job: FreePhases) -> Iterator[tuple[str, FreePhases]]:
    for index, (name, moved) in enumerate(job.spelled):
        for role, flow_mb in moved.items():
            for factor in FACTORS:
                phase = (name, {**moved, role: flow_mb * factor})
                spelled = (*job.spelled[:index], phase, *job.spelled[index + 1 :])
                yield f"workload.phases.{name}.{role.value.replace(' ', '_')}", replace(job, spelled=spelled)


def layout_variations(layout: Layout) -> Iterator[tuple[str, Layout]]:
    if isinstance(layout, InstanceStore):
        more = replace(layout, input_output_disks=layout.input_output_disks * 1000)
        yield "cluster.storage.input_output_disks", more
        yield (
            "cluster.storage.intermediate_disks",
            replace(layout, intermediate_disks=layout.intermediate_disks * 1000 + 1),
        )
    elif isinstance(layout, Ebs):
        yield "cluster.storage.count", replace(layout, count=layout.count * 1000)
        yield "cluster.storage.size", replace(layout, size_gib=layout.size_gib * 1000)
        if layout.iops is not None:
            yield "cluster.storage.iops", replace(layout, iops=layout.iops * 1000)
        if layout.first_read_mib_per_s is not None:
            slower = replace(layout, first_read_mib_per_s=layout.first_read_mib_per_s / 1000)
            yield "cluster.storage.first_read", slower
        if layout.throughput_mib_per_s is not None:
            yield "cluster.storage.throughput", replace(layout, throughput_mib_per_s=1_000_000)


def outcome(answer: Prediction | Infeasible) -> object:
    if isinstance(answer, Infeasible):
        return "infeasible"
    return (
        answer.time_s,
        answer.cost_usd,
        answer.loss_probability,
        answer.meets_deadline,
        answer.meets_budget,
        answer.latency,
    )


def without_target(figure: Figure) -> tuple[str, float]:
    """Return a figure's name without its type, so that it is equal before and after naming."""
    parts = figure.quantity.split(".")
    return parts[-1], figure.value


def worked_out(figure: Figure) -> bool:
    return figure.source.startswith("Not measured at this cluster size")
