"""Storage layouts of a cluster, and the kind of storage that each durability requires.

A layout states on which disks, volumes or object store a cluster stores its data.
"""

from collections.abc import Mapping

from stowage.model.cluster import InstanceStore, Layout, ObjectStore, StorageKind, divisions, storage_kind
from stowage.model.jobs.workload import Workload
from stowage.platform.errors import BadInput, Problem
from stowage.platform.problems import unknown
from stowage.workloads.cluster_section import EbsSection, InstanceStoreSection, ObjectStoreSection
from stowage.workloads.knowledge import Knowledge
from stowage.workloads.workload_file import WorkloadFile

_KINDS: dict[str, StorageKind] = {"infrastructure": "ebs", "object-store": "object-store"}
"""Storage kind of input and output by durability, where it is not instance store."""

KEPT_ON: Mapping[StorageKind, str] = {"instance-store": "none", **{kind: model for model, kind in _KINDS.items()}}
"""Durability of data on each storage kind, where the workload stores its data elsewhere."""


def layouts_of(file: WorkloadFile, knowledge: Knowledge) -> tuple[Layout, ...]:
    """Return the storage layouts that the cluster section of a workload file allows.

    For instance-store disks without given numbers of disks, these are all divisions of the disks between input/output
    and intermediate data. Otherwise there is a single layout.

    Raises
    ------
    BadInput
        The instance or volume type is unknown, or the durability requires another kind of storage.
    """
    cluster, catalog = file.cluster, knowledge.catalog
    if cluster is None:
        raise ValueError("checked before")
    instance = catalog.instance_types.get(cluster.instance)
    if instance is None:
        version, known = catalog.version, catalog.instance_types
        raise BadInput([unknown("cluster.instance", cluster.instance, "an instance type", version, known)])
    storage = cluster.storage
    kinds = kinds_of(file)
    if storage.kind not in kinds:
        model = file.workload.durability.model
        message = f"durability {model} keeps input and output elsewhere; accepted: {', '.join(sorted(kinds))}"
        raise BadInput([Problem("cluster.storage.kind", message)])
    if isinstance(storage, EbsSection):
        if storage.type not in catalog.volume_types:
            version, names = catalog.version, catalog.volume_types
            raise BadInput([unknown("cluster.storage.type", storage.type, "a volume type", version, names)])
        return (storage.layout(),)
    if isinstance(storage, ObjectStoreSection):
        return (ObjectStore(),)
    job = file.workload.to_job()
    return _divisions(storage, int(instance.disk_count.value), intermediate=job.intermediate_mb > 0.0)


def keeps_data_on(workload: Workload, layout: Layout) -> bool:
    """Return whether a layout stores input and output as the job's durability requires."""
    return storage_kind(layout) == where_kept(workload.job.durability.model)


def where_kept(model: str) -> StorageKind:
    """Return the kind of storage that a durability requires for input and output."""
    return _KINDS.get(model, "instance-store")


def kinds_of(file: WorkloadFile) -> set[StorageKind]:
    """Return the kinds of storage that the durabilities of a workload file require for input and output."""
    return {where_kept(job.durability.model) for job in file.workload.to_jobs()}


def _divisions(storage: InstanceStoreSection, disk_count: int, *, intermediate: bool) -> tuple[Layout, ...]:
    outer, inner = storage.input_output_disks, storage.intermediate_disks
    if outer is None and inner is None:
        return divisions(disk_count, intermediate=intermediate) if disk_count else (InstanceStore(1, 0),)
    if outer is None or inner is None:
        missing = "input_output_disks" if outer is None else "intermediate_disks"
        raise BadInput([Problem(f"cluster.storage.{missing}", "is missing: give both counts, or neither")])
    if outer < 1:
        raise BadInput([Problem("cluster.storage.input_output_disks", f"{outer} disks hold nothing; at least 1")])
    if inner == 0 and disk_count > 1 and intermediate:
        message = f"0 is accepted where a type has a single disk; this one has {disk_count}"
        raise BadInput([Problem("cluster.storage.intermediate_disks", message)])
    return (InstanceStore(outer, inner),)
