"""Job section of a workload file: the kind of job, the amounts of data, and the durability."""

from collections.abc import Iterator, Mapping
from typing import Annotated, Literal, Self, get_args

from pydantic import (
    BeforeValidator,
    Discriminator,
    Field,
    Tag,
    ValidationInfo,
    field_validator,
    model_validator,
)

from stowage.fields import Flag
from stowage.model.jobs.append_log import AppendLog
from stowage.model.jobs.flows import MOVED, Durability, Role
from stowage.model.jobs.hdfs import Hdfs
from stowage.model.jobs.mapreduce import MapReduce
from stowage.model.jobs.random_io import RandomIo
from stowage.model.jobs.spelled import FreePhases
from stowage.model.jobs.task_slots import TaskSlots
from stowage.model.jobs.workload import DataPlace, Elsewhere, Job, JobName, NamedPlace
from stowage.model.sizes import MB_PER_MIB, MB_PER_TIB
from stowage.model.units import parse_rate, parse_size
from stowage.platform.problems import shown
from stowage.platform.written import Copies, Duration, FrameworkName, LinkRate, Name, Ratio, Section, Share, Size

LARGEST_KEPT_MB = 1e18
"""Largest amount of stored data; beyond it node counts are no longer exact as floats."""


MOST_TASKS = 10_000
"""Most tasks on a node: more than four on each vCPU of the largest type of AWS (1,920)."""
SMALLEST_TASK_MB, LARGEST_TASK_MB = 1.0, 32.0 * MB_PER_TIB

CompressedTo = Annotated[float, Field(ge=0.001, le=1, strict=True, allow_inf_nan=False)]
"""Bytes of compressed data for each byte of data [1]."""


class NoDurability(Section):
    """No replication: one copy of the data, on the nodes' instance-store disks."""

    model: Literal["none"] = "none"


class ApplicationDurability(Section):
    """Application-level replication: the job keeps copies on other nodes."""

    model: Literal["application"]
    replicas: Annotated[int, Field(ge=1, le=100, strict=True)] = 2
    """Copies of the output, counting the first."""


class InfrastructureDurability(Section):
    """Input and output on EBS volumes, which AWS replicates."""

    model: Literal["infrastructure"]


class ObjectStoreDurability(Section):
    """Input and output in an object store (S3)."""

    model: Literal["object-store"]


class ElsewhereSection(Section):
    """A place of data outside AWS, such as your data center or another cloud.

    All nodes share one link to this place.
    """

    elsewhere: LinkRate
    """End-to-end rate of the link in the direction of the transfer."""


_PLACES = get_args(NamedPlace)
ELSEWHERE_TAG = "elsewhere-section"
"""Tag of the section in pydantic's error locations; not part of a document."""


def _is_a_place(value: object) -> object:
    """Check that a value is a place of input or output.

    Accepted values are a known name, or a section that describes a place outside AWS.
    """
    if isinstance(value, Mapping | ElsewhereSection) or value in _PLACES:
        return value
    offered = ", ".join(map(repr, _PLACES))
    raise ValueError(
        f"{shown(value)} is not offered; accepted: {offered}, or elsewhere with a rate, as in {{elsewhere: 10 Gbit/s}}"
    )


def _tag_of_place(value: object) -> str:
    return "named" if isinstance(value, str) else ELSEWHERE_TAG


PlaceOfData = Annotated[
    Annotated[NamedPlace, Tag("named")] | Annotated[ElsewhereSection, Tag(ELSEWHERE_TAG)],
    Discriminator(_tag_of_place),
    BeforeValidator(_is_a_place),
]
"""Place of data before or after a job: a name, or elsewhere at a rate."""


def place_of_data(written: NamedPlace | ElsewhereSection) -> DataPlace:
    """Convert the place of input or output from its form in a workload file to the model's type."""
    return Elsewhere(parse_rate(written.elsewhere)) if isinstance(written, ElsewhereSection) else written


OneDurability = NoDurability | ApplicationDurability | InfrastructureDurability | ObjectStoreDurability


class AnyDurability(Section):
    """Choice of any durability that suits the job.

    The durability must meet the limit on the probability of data loss.
    """

    model: Literal["any"]


class PhaseSection(Section):
    """One phase of a job that is described by its phases.

    The fields are the bytes that the phase moves or processes on the whole cluster.
    """

    name: Name
    input_read: Size | None = None
    output_write: Size | None = None
    intermediate_read: Size | None = None
    intermediate_write: Size | None = None
    random_read: Size | None = None
    random_write: Size | None = None
    network_out: Size | None = None
    network_in: Size | None = None
    cpu: Size | None = None
    """Bytes that the CPUs process."""

    def flows_mb(self) -> dict[Role, float]:
        """Return the bytes of each flow that the section sets [MB].

        A flow is a use of one resource, such as reading from disks.
        """
        # Loading and unloading are phases of their own, which follow from the place of the data.
        named = (role for role in Role if role not in MOVED)
        written = {role: getattr(self, role.name.lower()) for role in named}
        return {role: parse_size(size) for role, size in written.items() if size is not None}


_FIELDS_OF: dict[tuple[JobName, ...], tuple[str, ...]] = {
    ("sort", "mapreduce"): (
        *("skew", "partitions", "compressed_to", "input_compressed_to", "output_compressed_to"),
        *("tasks_per_node", "memory_per_task", "input", "output"),
    ),
    ("hdfs-write", "hdfs-read"): ("replication", "block_size"),
    ("hdfs-read",): ("local_share",),
    ("append-log",): ("record", "fsync", "in_memory", "snapshot"),
    ("random-io", "phases"): ("io",),
    ("random-io",): ("read_share", "queue_depth", "working_set"),
    ("phases",): ("phases", "intermediate"),
}
_JOBS_OF = {name: jobs for jobs, names in _FIELDS_OF.items() for name in names}
"""Jobs that accept each field; other fields belong to every job."""

_DURABILITIES: dict[JobName, tuple[str, ...]] = {
    "hdfs-write": ("none", "application", "infrastructure"),
    "hdfs-read": ("none", "application", "infrastructure"),
    "append-log": ("none", "application", "infrastructure"),
    "random-io": ("none", "application", "infrastructure"),
    "phases": ("none", "infrastructure", "object-store"),
}
"""Durability models that make sense for each job; a job that is not listed accepts all."""

_KEPT: dict[str, tuple[Durability, ...]] = {
    "none": (Durability("none"),),
    "application": (Durability("application", 2), Durability("application", 3)),
    "infrastructure": (Durability("infrastructure"),),
    "object-store": (Durability("object-store"),),
}
"""Variants of each durability model that are tried where durability is open."""


def kept_in_each_way(workload: "WorkloadSection") -> Iterator[OneDurability]:
    """Yield each durability that suits a job.

    Application-level replication has the number of copies that the job states, or else two. It is left out for HDFS
    jobs: HDFS replicates data by itself, so its copies would be counted twice.
    """
    asked = workload.durability
    replicas = asked.replicas if isinstance(asked, ApplicationDurability) else 2
    is_hdfs = workload.job in _JOBS_OF["replication"]
    each = (
        NoDurability(),
        ApplicationDurability(model="application", replicas=replicas),
        InfrastructureDurability(model="infrastructure"),
        ObjectStoreDurability(model="object-store"),
    )
    accepted = _DURABILITIES.get(workload.job, tuple(_KEPT))
    for durability in each:
        if durability.model in accepted and not (is_hdfs and durability.model == "application"):
            yield durability


class WorkloadSection(Section):
    """Job of a workload: its kind, its data and its durability."""

    name: Name = ""
    job: JobName = "sort"
    data: Size
    """Input of the job, uncompressed. For hdfs jobs the data written or read, for append-log the data appended, for
    random-io the data moved in I/Os, for `phases` the data to be stored."""
    map_selectivity: Ratio = 1.0
    """Bytes of map output for each byte of input; mapreduce only."""
    reduce_selectivity: Ratio = 1.0
    """Bytes of output for each byte of map output; mapreduce only."""
    skew: Annotated[float, Field(ge=1, le=1000, strict=True, allow_inf_nan=False)] = 1.0
    """Data skew (max / mean): data received by the busiest node over the mean; sort and mapreduce."""
    partitions: Annotated[int, Field(ge=1, le=10_000_000, strict=True)] | None = None
    """Partitions of the intermediate data. A partition that does not fit in memory costs another pass. Unless given, as
    many as needed."""
    compressed_to: CompressedTo = 1.0
    """Bytes of intermediate data on disks and links for each byte of map output; 1 without compression. lz4 reached
    0.55 on the records of the laboratory (docs/guides/laboratory.md); sort and mapreduce."""
    input_compressed_to: CompressedTo = 1.0
    """Bytes of input in storage and on links for each byte of `data`: 0.3 for text compressed to 30%. CPUs process the
    uncompressed data; sort and mapreduce."""
    output_compressed_to: CompressedTo = 1.0
    """Bytes of output written, copied and stored for each byte of output; sort and mapreduce."""
    tasks_per_node: Annotated[int, Field(ge=1, le=MOST_TASKS, strict=True)] | None = None
    """Tasks that a node runs at once: executors times cores in Spark, containers in YARN. Unless given, one per vCPU.
    More tasks than vCPUs compute no faster and share the memory; sort and mapreduce."""
    memory_per_task: Size | None = None
    """Memory in which a task sorts before it spills: executor memory times `spark.memory.fraction` over its cores in
    Spark, `mapreduce.task.io.sort.mb` in MapReduce. Unless given, half of the node's memory divided by its tasks. A
    node runs at most as many tasks as half of its memory holds; a type that holds none is excluded; sort and
    mapreduce."""
    input: PlaceOfData | None = None
    """Place of the input at the start: in-place (the cluster's own disks or EBS volumes), object-store, or elsewhere at
    a rate, as in {elsewhere: 10 Gbit/s}. Input at the last two is loaded first. Unless given, the usual place of the
    job. A job whose durability is object-store reads the object store directly."""
    output: PlaceOfData | None = None
    """Place of the output at the end, as for the input; output to object-store or elsewhere is unloaded after the
    job."""
    replication: Copies | None = None
    """Replication factor of HDFS. Unless given: 3 (Hadoop's default); with service emr, EMR's default by cluster
    size."""
    block_size: Size = "128 MiB"
    """Block size of HDFS."""
    local_share: Share = 1.0
    """Share of an hdfs-read that comes from the reader's own disks."""
    record: Size = "1 KiB"
    """Size of one record of a log."""
    fsync: Literal["always", "every second", "never", "at the end"] = "every second"
    """When a log flushes to disk (fsync)."""
    in_memory: Share = 0.0
    """Share of a log that the program also keeps in memory."""
    snapshot: Flag = False
    """Whether the data in memory is written once more at the end."""
    io: Size = "16 KiB"
    """Size of a random I/O."""
    read_share: Share = 0.5
    """Share of the random I/Os that are reads."""
    queue_depth: Annotated[float, Field(ge=1, le=1_000_000, strict=True, allow_inf_nan=False)] = 1.0
    """I/Os outstanding on each node."""
    working_set: Size | None = None
    """Data over which the random I/Os are spread; unless given, `data`."""
    phases: Annotated[list[PhaseSection], Field(min_length=1, max_length=20)] | None = None
    """Each phase with its flows, for job `phases`."""
    intermediate: Size | None = None
    """Data that `phases` store on intermediate storage."""
    framework: FrameworkName | None = None
    """Framework that runs the job: `spark`, `hadoop-mapreduce`, `flink`, `hadoop-dfsio`, `ideal` (hardware limits
    only), `unknown`, and names of calibrations. Default: `spark` for sort and mapreduce, `hadoop-dfsio` for files in
    HDFS, else `ideal`."""
    durability: Annotated[
        NoDurability | ApplicationDurability | InfrastructureDurability | ObjectStoreDurability | AnyDurability,
        Field(discriminator="model"),
    ] = NoDurability()
    kept: Duration | None = None
    """How long the data is exposed to loss. Unless given, a year for data that stays, else the job's time."""
    runs_per_month: Annotated[float, Field(gt=0, le=100_000, strict=True, allow_inf_nan=False)] = 1.0

    def to_jobs(self) -> tuple[Job, ...]:
        """Convert the section to jobs of the model, one for each durability to try.

        If the section sets the durability, there is a single job.
        """
        durability = self.durability
        if not isinstance(durability, AnyDurability):
            copies = durability.replicas if isinstance(durability, ApplicationDurability) else 1
            return (self._job(Durability(durability.model, copies)),)
        models = (model for model in _DURABILITIES.get(self.job, tuple(_KEPT)) if not self._says_copies(model))
        return tuple(self._job(kept) for model in models for kept in _KEPT[model])

    def to_job(self) -> Job:
        """Convert the section to one job of the model.

        If the section leaves the durability open, the job has the first durability to try.
        """
        return self.to_jobs()[0]

    def _says_copies(self, model: str) -> bool:
        """Return whether a durability model would count the copies of HDFS twice.

        This is so for application-level replication if the section sets the replication of HDFS.
        """
        return model == "application" and self.replication is not None

    def _job(self, kept: Durability) -> Job:
        data_mb = parse_size(self.data)
        match self.job:
            case "sort" | "mapreduce":
                return MapReduce(
                    kind=self.job,
                    data_mb=data_mb,
                    map_selectivity=self.map_selectivity,
                    reduce_selectivity=self.reduce_selectivity,
                    durability=kept,
                    skew=self.skew,
                    compressed_to=self.compressed_to,
                    partitions=self.partitions,
                    input_compressed_to=self.input_compressed_to,
                    output_compressed_to=self.output_compressed_to,
                    tasks=TaskSlots(
                        self.tasks_per_node,
                        None if self.memory_per_task is None else parse_size(self.memory_per_task),
                    ),
                )
            case "hdfs-write" | "hdfs-read":
                given = kept.model == "application" or self.replication is not None
                return Hdfs(
                    kind=self.job,
                    data_mb=data_mb,
                    durability=Durability(kept.model, self.replication or kept.replicas),
                    block_mb=parse_size(self.block_size),
                    local_share=self.local_share,
                    default_copies=not given,
                )
            case "append-log":
                record_kib = parse_size(self.record) / MB_PER_MIB * 1024.0
                return AppendLog(data_mb, record_kib, self.fsync, self.in_memory, self.snapshot, kept)
            case "random-io":
                working_set_mb = data_mb if self.working_set is None else parse_size(self.working_set)
                return RandomIo(data_mb, self._io_kib(), self.read_share, self.queue_depth, working_set_mb, kept)
            case "phases":
                spelled = tuple((phase.name, phase.flows_mb()) for phase in self.phases or [])
                intermediate_mb = 0.0 if self.intermediate is None else parse_size(self.intermediate)
                return FreePhases(data_mb, spelled, intermediate_mb, self._random_io_kib(spelled), kept)

    def _io_kib(self) -> float:
        return parse_size(self.io) / MB_PER_MIB * 1024.0

    def _random_io_kib(self, spelled: tuple[tuple[str, Mapping[Role, float]], ...]) -> float | None:
        random = {Role.RANDOM_READ, Role.RANDOM_WRITE}
        return self._io_kib() if any(random & set(flows) for _, flows in spelled) else None

    @model_validator(mode="after")
    def _makes_sense_together(self) -> Self:
        if self.replication is not None and isinstance(self.durability, ApplicationDurability):
            raise ValueError("replication and durability.replicas say the same of HDFS; give one of them")
        if self.job == "phases":
            if self.phases is None:
                raise ValueError("job phases needs phases: a list, each with a name and what it moves")
            names = [phase.name for phase in self.phases]
            if len(set(names)) < len(names):
                raise ValueError("each phase needs a name of its own")
            idle = next((phase.name for phase in self.phases if not phase.flows_mb()), None)
            if idle is not None:
                raise ValueError(f"phase {shown(idle)} moves nothing; give at least one flow, as in input_read: 1 TB")
        return self

    @model_validator(mode="after")
    def _all_data_can_be_counted(self) -> Self:
        kept_mb = max(job.input_output_mb + job.intermediate_mb for job in self.to_jobs())
        if kept_mb > LARGEST_KEPT_MB:
            raise ValueError(
                f"input, intermediate data and all copies of the output are {kept_mb:.3g} MB, over 10^18 MB"
            )
        return self

    @field_validator("map_selectivity", "reduce_selectivity")
    @classmethod
    def _only_mapreduce_selects(cls, value: float, info: ValidationInfo) -> float:
        job = info.data.get("job")
        if job == "sort" and value != 1.0:
            raise ValueError(f"{value} with job sort, which writes what it reads; accepted: 1, or job: mapreduce")
        if job not in {"sort", "mapreduce", None} and value != 1.0:
            raise ValueError(f"{value} with job {job}; accepted: 1, or job: mapreduce")
        return value

    @field_validator("memory_per_task")
    @classmethod
    def _some_node_holds_a_task(cls, value: str | None) -> str | None:
        if value is not None and not SMALLEST_TASK_MB <= parse_size(value) <= LARGEST_TASK_MB:
            raise ValueError(f"{shown(value)} is out of range; accepted: 1 MB to 32 TiB")
        return value

    @field_validator("durability")
    @classmethod
    def _makes_sense_of_the_job(cls, value: NoDurability | AnyDurability, info: ValidationInfo) -> object:
        job = info.data.get("job")
        accepted = _DURABILITIES.get(job) if job is not None else None
        if accepted is not None and value.model not in {*accepted, "any"}:
            raise ValueError(f"{value.model} with job {job}; accepted: {', '.join(accepted)}")
        return value

    @field_validator(*_JOBS_OF)
    @classmethod
    def _belongs_to_the_job(cls, value: object, info: ValidationInfo) -> object:
        job, field = info.data.get("job"), str(info.field_name)
        if job is not None and job not in _JOBS_OF[field] and value != cls.model_fields[field].default:
            raise ValueError(f"{field} is not part of job {job}; it belongs to {' and '.join(_JOBS_OF[field])}")
        return value
