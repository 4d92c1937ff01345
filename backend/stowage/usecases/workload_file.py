"""The workload file: what a user writes, as YAML, JSON or the body of a request.

One schema for the CLI, the API and stored plans. It keeps quantities as they were written
(``100 TB``); `to_workload` and `to_configuration` turn them into the model's types.
"""

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Annotated, Any, Literal, Self

import yaml
from pydantic import (
    AfterValidator,
    BaseModel,
    ConfigDict,
    Field,
    GetCoreSchemaHandler,
    GetJsonSchemaHandler,
    ValidationError,
    ValidationInfo,
    field_validator,
    model_validator,
)
from pydantic.json_schema import JsonSchemaValue
from pydantic_core import CoreSchema, core_schema

from stowage.model.append_log import AppendLog
from stowage.model.cluster import Ebs, InstanceStore, Layout
from stowage.model.flows import Durability, Role
from stowage.model.hdfs import Hdfs
from stowage.model.mapreduce import MapReduce
from stowage.model.price import Purchase
from stowage.model.random_io import RandomIo
from stowage.model.spelled import FreePhases
from stowage.model.straggler import Stragglers
from stowage.model.units import MB_PER_GIB, MB_PER_MIB, UnitError, parse_duration, parse_money, parse_size
from stowage.model.workload import Assumptions, Job, JobName, Limits, Measured, Place, Service, Workload
from stowage.usecases.errors import BadInput, Problem
from stowage.usecases.problems import problems_in, shown

LARGEST_FILE_BYTES = 262_144
MOST_NODES = 100_000
"""A bound on the work of one answer; Table 2's largest cluster has 75,000 nodes."""
LARGEST_KEPT_MB = 1e18
"""Beyond it node counts would no longer be exact as floats."""
SMALLEST_RATE_MB_PER_S = 1e-3
LARGEST_RATE_MB_PER_S = 1e9


@dataclass(frozen=True, slots=True)
class Written:
    """Marks text that holds a quantity: it is checked by its parser and kept as it was written."""

    parse: Callable[[str], object]
    description: str
    examples: tuple[str, ...]

    def __get_pydantic_core_schema__(self, source: object, handler: GetCoreSchemaHandler) -> CoreSchema:
        """Let bare numbers through to the parser, whose message about units says more than a type error."""
        checked = core_schema.no_info_after_validator_function(self._checked, handler(source))
        return core_schema.no_info_before_validator_function(_as_text, checked)

    def __get_pydantic_json_schema__(self, schema: CoreSchema, handler: GetJsonSchemaHandler) -> JsonSchemaValue:
        """Describe the text and show examples."""
        return {**handler(schema), "description": self.description, "examples": list(self.examples)}

    def _checked(self, text: str) -> str:
        if len(text) > 100:
            raise ValueError(f"{shown(text)} has {len(text)} characters; at most 100 are read")
        self.parse(text)
        return text


def _as_text(value: object) -> object:
    if isinstance(value, bool) or not isinstance(value, int | float):
        return value
    return shown(value)


def volume_gib(text: str) -> int:
    """Read the size of an EBS volume [GiB].

    Raises
    ------
    UnitError
        Not a size, or not a whole number of GiB, which is all that EBS takes.
    """
    size_gib = parse_size(text) / MB_PER_GIB
    if abs(size_gib - round(size_gib)) > 1e-9 * size_gib:
        raise UnitError(f"{text!r} is {size_gib:.2f} GiB; EBS volumes have whole GiB, as in {math.ceil(size_gib)} GiB")
    return round(size_gib)


def credit_level(text: str) -> float:
    """Read how full burst buckets are [1]: ``full``, ``empty``, or a number from 0 to 1.

    Raises
    ------
    ValueError
        Anything else.
    """
    words = {"full": 1.0, "empty": 0.0}
    if text in words:
        return words[text]
    try:
        level = float(text)
    except ValueError:
        level = math.nan
    if not 0.0 <= level <= 1.0:
        raise ValueError(f"{shown(text)} is not a level of credit; write full, empty, or a number from 0 to 1")
    return level


def _name(text: str) -> str:
    if not text.isprintable():
        raise ValueError("only printable characters are accepted")
    return text


Size = Annotated[str, Written(parse_size, "A data size: kB to EB, KiB to EiB.", ("100 TB", "512 GiB"))]
Duration = Annotated[str, Written(parse_duration, "A duration: s, min, h, d.", ("30 min", "1 h 30 min"))]
Money = Annotated[str, Written(parse_money, "US dollars.", ("500 USD", "$500"))]
VolumeSize = Annotated[str, Written(volume_gib, "Size of one EBS volume, whole GiB.", ("135 GiB",))]
Credits = Annotated[str, Written(credit_level, "How full burst buckets are at the start.", ("full", "empty", "0.4"))]
Name = Annotated[str, Field(max_length=200), AfterValidator(_name)]
Key = Annotated[str, Field(max_length=64), AfterValidator(_name)]
"""Names something in a catalogue; what is not printable names nothing, and the database would not take it."""
Rate = Annotated[float, Field(ge=SMALLEST_RATE_MB_PER_S, le=LARGEST_RATE_MB_PER_S, strict=True, allow_inf_nan=False)]
Ratio = Annotated[float, Field(ge=1e-6, le=1000, strict=True, allow_inf_nan=False)]
Count = Annotated[int, Field(ge=1, le=MOST_NODES, strict=True)]
Disks = Annotated[int, Field(ge=0, le=1000, strict=True)]
Flag = Annotated[bool, Field(strict=True)]
Share = Annotated[float, Field(ge=0, le=1, strict=True, allow_inf_nan=False)]
Copies = Annotated[int, Field(ge=1, le=100, strict=True)]


class Section(BaseModel):
    """A part of the file: unknown keys are errors, so that a typo is never ignored."""

    model_config = ConfigDict(extra="forbid", frozen=True, use_attribute_docstrings=True)


class NoDurability(Section):
    """One copy, on the nodes' own disks."""

    model: Literal["none"] = "none"


class ApplicationDurability(Section):
    """The job itself keeps copies on other nodes."""

    model: Literal["application"]
    replicas: Annotated[int, Field(ge=1, le=100, strict=True)] = 2
    """Copies of the output, counting the first."""


class InfrastructureDurability(Section):
    """Input and output on EBS volumes, which AWS replicates."""

    model: Literal["infrastructure"]


class ObjectStoreDurability(Section):
    """Input and output in an object store (S3)."""

    model: Literal["object-store"]


class PhaseSection(Section):
    """One phase of a job that is spelled out: what its flows move over the whole cluster."""

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
    """What the CPUs go through."""

    def flows_mb(self) -> dict[Role, float]:
        """Give the flows that are there [MB]."""
        written = {role: getattr(self, role.name.lower()) for role in Role}
        return {role: parse_size(size) for role, size in written.items() if size is not None}


_JOBS_OF: dict[str, tuple[JobName, ...]] = {
    "skew": ("sort", "mapreduce"),
    "partitions": ("sort", "mapreduce"),
    "replication": ("hdfs-write", "hdfs-read"),
    "block_size": ("hdfs-write", "hdfs-read"),
    "local_share": ("hdfs-read",),
    "record": ("append-log",),
    "fsync": ("append-log",),
    "in_memory": ("append-log",),
    "snapshot": ("append-log",),
    "io": ("random-io", "phases"),
    "read_share": ("random-io",),
    "queue_depth": ("random-io",),
    "working_set": ("random-io",),
    "phases": ("phases",),
    "intermediate": ("phases",),
}
"""Fields that belong to some jobs only."""

_DURABILITIES: dict[JobName, tuple[str, ...]] = {
    "hdfs-write": ("none", "application", "infrastructure"),
    "hdfs-read": ("none", "application", "infrastructure"),
    "append-log": ("none", "application", "infrastructure"),
    "random-io": ("none", "application", "infrastructure"),
    "phases": ("none", "infrastructure", "object-store"),
}
"""What makes sense of a job; any for those that are not named."""


class WorkloadSection(Section):
    """The job to be done."""

    name: Name = ""
    job: JobName = "sort"
    data: Size
    """Input of the job; what is written or read (hdfs), appended, or moved in I/Os; of `phases` what must be held."""
    map_selectivity: Ratio = 1.0
    """Map output per input; mapreduce only."""
    reduce_selectivity: Ratio = 1.0
    """Output per map output; mapreduce only."""
    skew: Annotated[float, Field(ge=1, le=1000, strict=True, allow_inf_nan=False)] = 1.0
    """What the node with the most keys receives, in shares of the mean; sort and mapreduce."""
    partitions: Annotated[int, Field(ge=1, le=10_000_000, strict=True)] | None = None
    """Parts of the intermediate data; one that does not fit in memory costs a pass. As many as needed, unless given."""
    replication: Copies | None = None
    """HDFS' replication factor; EMR's own by cluster size, unless given."""
    block_size: Size = "128 MiB"
    """Of HDFS."""
    local_share: Share = 1.0
    """Of an hdfs-read, what comes from the reader's own disks."""
    record: Size = "1 KiB"
    """Size of one record of a log."""
    fsync: Literal["always", "every second", "never", "at the end"] = "every second"
    """When a log waits for the disk."""
    in_memory: Share = 0.0
    """Of a log, what the program keeps in memory as well."""
    snapshot: Flag = False
    """Whether what is in memory is written once more at the end."""
    io: Size = "16 KiB"
    """Size of a random I/O."""
    read_share: Share = 0.5
    """Of the random I/Os, how many are reads."""
    queue_depth: Annotated[float, Field(ge=1, le=1_000_000, strict=True, allow_inf_nan=False)] = 1.0
    """I/Os outstanding on each node."""
    working_set: Size | None = None
    """What random I/Os are spread over; the data, unless given."""
    phases: Annotated[list[PhaseSection], Field(min_length=1, max_length=20)] | None = None
    """Each phase with its flows, for job `phases`."""
    intermediate: Size | None = None
    """What `phases` keep on intermediate storage."""
    framework: Literal["ideal", "hadoop-dfsio", "unknown"] = "ideal"
    """Efficiency profile; `ideal` is the physical bound."""
    durability: Annotated[
        NoDurability | ApplicationDurability | InfrastructureDurability | ObjectStoreDurability,
        Field(discriminator="model"),
    ] = NoDurability()
    kept: Duration | None = None
    """How long the data is exposed to loss; a year for what stays, the job's time for the rest, unless given."""
    runs_per_month: Annotated[float, Field(gt=0, le=100_000, strict=True, allow_inf_nan=False)] = 1.0

    def to_job(self) -> Job:
        """Turn the section into the model's job."""
        durability = self.durability
        copies = durability.replicas if isinstance(durability, ApplicationDurability) else 1
        kept, data_mb = Durability(durability.model, copies), parse_size(self.data)
        match self.job:
            case "sort" | "mapreduce":
                return MapReduce(
                    kind=self.job,
                    data_mb=data_mb,
                    map_selectivity=self.map_selectivity,
                    reduce_selectivity=self.reduce_selectivity,
                    durability=kept,
                    skew=self.skew,
                    partitions=self.partitions,
                )
            case "hdfs-write" | "hdfs-read":
                given = isinstance(durability, ApplicationDurability) or self.replication is not None
                return Hdfs(
                    kind=self.job,
                    data_mb=data_mb,
                    durability=Durability(kept.model, self.replication or copies),
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
        job = self.to_job()
        kept_mb = job.input_output_mb + job.intermediate_mb
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

    @field_validator("durability")
    @classmethod
    def _makes_sense_of_the_job(cls, value: NoDurability, info: ValidationInfo) -> object:
        job = info.data.get("job")
        accepted = _DURABILITIES.get(job) if job is not None else None
        if accepted is not None and value.model not in accepted:
            raise ValueError(f"{value.model} with job {job}; accepted: {', '.join(accepted)}")
        return value

    @field_validator(*_JOBS_OF)
    @classmethod
    def _belongs_to_the_job(cls, value: object, info: ValidationInfo) -> object:
        job, field = info.data.get("job"), str(info.field_name)
        if job is not None and job not in _JOBS_OF[field] and value != cls.model_fields[field].default:
            raise ValueError(f"{field} is not part of job {job}; it belongs to {' and '.join(_JOBS_OF[field])}")
        return value


class PlaceSection(Section):
    """Where it runs."""

    region: Key = "us-east-1"
    placement_group: Flag = True
    catalogue: Key = "latest"
    """`latest`, or a version of the catalogue."""
    purchase: Purchase = "on-demand"
    """How instances are paid for; types whose price that way is not known are not ranked."""
    service: Service = "ec2"
    """EMR adds its fee to each node, and a primary node."""
    primary: Key | None = None
    """Type of the node that holds no data (HDFS' NameNode, EMR's primary); that of the others, unless given."""
    zones: Annotated[int, Field(ge=1, le=6, strict=True)] = 1
    """Availability zones that the nodes are spread over; what crosses them is paid for."""

    @field_validator("zones")
    @classmethod
    def _a_group_lies_in_one_zone(cls, value: int, info: ValidationInfo) -> int:
        if value > 1 and info.data.get("placement_group"):
            raise ValueError(f"{value} zones in a placement group, which lies in one; accepted: placement_group: false")
        return value


class LimitsSection(Section):
    """What an answer must keep to; each is optional."""

    deadline: Duration | None = None
    """Held against the median time of the job."""
    budget: Money | None = None
    """Held against the median cost of one run."""
    max_nodes: Count | None = None


class InstanceStoreSection(Section):
    """Everything on the instance's own disks; without counts the best division."""

    kind: Literal["instance-store"] = "instance-store"
    input_output_disks: Disks | None = None
    intermediate_disks: Disks | None = None
    """0 where intermediate data shares the disks."""


class EbsSection(Section):
    """Input and output on EBS volumes."""

    kind: Literal["ebs"]
    type: Key
    size: VolumeSize
    count: Annotated[int, Field(ge=1, le=128, strict=True)]
    """Volumes of each node."""
    iops: Annotated[int, Field(ge=1, le=10_000_000, strict=True)] | None = None
    """Provisioned for each volume; gp3, io1 and io2."""
    throughput_mib_per_s: Annotated[int, Field(ge=1, le=1_000_000, strict=True)] | None = None
    """Provisioned for each volume; gp3."""
    first_read_mib_per_s: Annotated[float, Field(ge=0.001, le=1e6, strict=True, allow_inf_nan=False)] | None = None
    """Of volumes restored from a snapshot: what each reads for the first time; none, unless given."""
    intermediate: Literal["instance-store"] = "instance-store"


class ObjectStoreSection(Section):
    """Input and output in the object store, intermediate data on the instance's own disks."""

    kind: Literal["object-store"]


StorageSection = InstanceStoreSection | EbsSection | ObjectStoreSection


class ClusterSection(Section):
    """One configuration: `predict` needs it, `plan` searches for it."""

    instance: Key
    nodes: Annotated[int, Field(ge=1, le=10_000_000, strict=True)]
    storage: Annotated[StorageSection, Field(discriminator="kind")] = InstanceStoreSection()
    spares: Annotated[int, Field(ge=0, le=100, strict=True)] = 0
    """Nodes launched beyond those that work: all are measured, and the slowest given back."""


class MeasuredSection(Section):
    """Rates of one node that are used instead of profiles [MB/s]."""

    storage_mb_per_s: Rate | None = None
    """DiskBench: half the disks read while the other half write at this rate."""
    network_mb_per_s: Rate | None = None
    ebs_read_mb_per_s: Rate | None = None
    ebs_write_mb_per_s: Rate | None = None
    object_store_mb_per_s: Rate | None = None
    storage_iops: Annotated[float, Field(ge=1, le=1e12, strict=True, allow_inf_nan=False)] | None = None
    """Random I/Os a second of a node's own disks."""
    network_credit: Size | None = None
    """What a node sends above its network baseline before it falls back to it; AWS publishes no figure."""

    def to_measured(self, instance: str | None) -> Measured:
        """Turn the section into the model's; the rates hold for one type where one is named."""
        rates = self.model_dump(exclude={"network_credit"})
        credit_mb = None if self.network_credit is None else parse_size(self.network_credit)
        return Measured(**rates, instance=instance, network_credit_mb=credit_mb)


class StragglersSection(Section):
    """Nodes or volumes of which a part is slow by a factor, beside the spread that all have."""

    share: Share
    """How large that part is."""
    factor: Annotated[float, Field(ge=1, le=1000, strict=True, allow_inf_nan=False)]
    """How many times as long it takes."""
    of: Literal["nodes", "volumes"] = "nodes"


class AssumeSection(Section):
    """Effects to switch off, for reproducing others' arithmetic; the defaults come first."""

    network: Literal["measured", "baseline", "unlimited"] = "measured"
    shuffle: Literal["exact", "whole"] = "exact"
    capacity: Literal["divided", "pooled"] = "divided"
    cpu: Literal["modelled", "ignored"] = "modelled"
    spread: Literal["modelled", "ignored"] = "modelled"
    launch: Literal["billed", "ignored"] = "billed"
    billing: Literal["by-second", "prorated"] = "by-second"
    stragglers: StragglersSection | None = None


class WorkloadFile(Section):
    """A workload with its place, limits, assumptions and, for a prediction, its cluster."""

    workload: WorkloadSection
    place: PlaceSection = PlaceSection()
    limits: LimitsSection = LimitsSection()
    cluster: ClusterSection | None = None
    credits: Credits = "full"
    """How full burst buckets are at the start: full, empty, or a number from 0 to 1."""
    measured: MeasuredSection = MeasuredSection()
    assume: AssumeSection = AssumeSection()

    def to_workload(self) -> Workload:
        """Turn the file into the model's workload."""
        job, limits, late = self.workload, self.limits, self.assume.stragglers
        return Workload(
            name=job.name,
            job=job.to_job(),
            framework=job.framework,
            runs_per_month=job.runs_per_month,
            place=Place(
                region=self.place.region,
                placement_group=self.place.placement_group,
                service=self.place.service,
                primary=self.place.primary,
                purchase=self.place.purchase,
                zones=self.place.zones,
            ),
            limits=Limits(
                deadline_s=None if limits.deadline is None else parse_duration(limits.deadline),
                budget_usd=None if limits.budget is None else parse_money(limits.budget),
                max_nodes=limits.max_nodes,
            ),
            measured=self.measured.to_measured(None if self.cluster is None else self.cluster.instance),
            assume=Assumptions(**self.assume.model_dump(exclude={"stragglers"})),
            credits=credit_level(self.credits),
            kept_s=None if job.kept is None else parse_duration(job.kept),
            stragglers=None if late is None else Stragglers(late.share, late.factor),
            straggling="nodes" if late is None else late.of,
        )

    def written(self) -> dict[str, Any]:
        """Give what the user wrote, without what is default: the form in which it is stored and shared."""
        return self.model_dump(mode="json", exclude_defaults=True)


def read_workload_file(content: bytes) -> WorkloadFile:
    """Read a workload file.

    Parameters
    ----------
    content : bytes
        YAML or JSON in UTF-8, at most 256 KiB.

    Raises
    ------
    BadInput
        Not readable, or a field is missing, unknown or out of range.
    """
    if len(content) > LARGEST_FILE_BYTES:
        raise BadInput([Problem("", f"the file has {len(content):,} bytes; at most {LARGEST_FILE_BYTES:,} are read")])
    try:
        document = yaml.load(content.decode("utf-8"), Loader=_PlainLoader)  # noqa: S506 - a stricter SafeLoader
    except UnicodeDecodeError:
        raise BadInput([Problem("", "the file is not text in UTF-8")]) from None
    except (yaml.YAMLError, ValueError, RecursionError) as error:
        raise BadInput([Problem("", f"the file is neither YAML nor JSON: {_where(error)}")]) from None
    return parse_workload(document)


def parse_workload(document: object) -> WorkloadFile:
    """Check a parsed document against the schema.

    Raises
    ------
    BadInput
        With one problem for each field.
    """
    if not isinstance(document, Mapping):
        raise BadInput([Problem("", "a workload file starts with `workload:` and, below it, `data: 100 TB`")])
    try:
        return WorkloadFile.model_validate(document)
    except ValidationError as error:
        raise BadInput(problems_in(error.errors(include_url=False))) from None
    except RecursionError:
        raise BadInput([Problem("", "the document is nested too deeply")]) from None


def layout_of(storage: EbsSection) -> Ebs:
    """Turn a storage section on EBS into a layout."""
    return Ebs(
        volume_type=storage.type,
        size_gib=volume_gib(storage.size),
        count=storage.count,
        iops=storage.iops,
        throughput_mib_per_s=storage.throughput_mib_per_s,
        first_read_mib_per_s=storage.first_read_mib_per_s,
    )


def storage_section(layout: Layout) -> dict[str, Any]:
    """Write a layout as a storage section."""
    if isinstance(layout, Ebs):
        section = {"kind": "ebs", "type": layout.volume_type, "size": f"{layout.size_gib} GiB", "count": layout.count}
        provisioned = {
            "iops": layout.iops,
            "throughput_mib_per_s": layout.throughput_mib_per_s,
            "first_read_mib_per_s": layout.first_read_mib_per_s,
        }
        return section | {name: value for name, value in provisioned.items() if value is not None}
    if isinstance(layout, InstanceStore):
        return {
            "kind": "instance-store",
            "input_output_disks": layout.input_output_disks,
            "intermediate_disks": layout.intermediate_disks,
        }
    return {"kind": "object-store"}


class _PlainLoader(yaml.SafeLoader):
    """YAML without aliases and repeated keys: nothing grows when it is read, nothing is silently dropped."""

    def compose_node(self, parent: yaml.Node | None, index: int) -> yaml.Node | None:
        if self.check_event(yaml.AliasEvent):
            mark = self.get_mark()
            raise yaml.composer.ComposerError(None, None, "aliases are not accepted", mark)
        return super().compose_node(parent, index)

    def construct_mapping(self, node: yaml.MappingNode, deep: bool = False) -> dict[Any, Any]:  # noqa: FBT001, FBT002 - PyYAML's signature
        seen: set[object] = set()
        for key_node, _ in node.value:
            key = key_node.value
            if isinstance(key, str) and key in seen:
                message = f"{key!r} stands there twice"
                raise yaml.constructor.ConstructorError(None, None, message, key_node.start_mark)
            seen.add(key if isinstance(key, str) else None)
        return super().construct_mapping(node, deep)


def _where(error: Exception) -> str:
    mark = getattr(error, "problem_mark", None)
    problem = getattr(error, "problem", None)
    if mark is None:
        return "not readable"
    return f"line {mark.line + 1}, column {mark.column + 1}: {ascii(problem or 'not readable')[1:-1]}"
