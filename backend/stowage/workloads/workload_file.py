"""Workload file: the request of a user.

It is YAML, JSON or the body of an HTTP request. The CLI, the API and stored plans share one schema. The schema stores
quantities as they were written (``100 TB``). `to_workload` converts them to the model's types.
"""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from typing import Annotated, Any, Literal, get_args

import yaml
from pydantic import (
    Field,
    GetJsonSchemaHandler,
    ValidationError,
    ValidationInfo,
    field_validator,
    model_validator,
)
from pydantic.json_schema import JsonSchemaValue
from pydantic_core import CoreSchema

from stowage.fields import Flag, Key
from stowage.model.choice import Architecture, Generation, Objective, Quotas, Selection, VolumeQuota
from stowage.model.jobs.hdfs import Hdfs
from stowage.model.jobs.usual import NOTHING_USUAL, Usual, usual_of
from stowage.model.jobs.workload import Assumptions, Job, Launch, Measured, Payment, Place, Service, Workload
from stowage.model.money.price import Purchase
from stowage.model.uncertainty.straggler import Stragglers
from stowage.model.units import parse_duration, parse_size
from stowage.platform.errors import BadInput, Problem
from stowage.platform.problems import problems_in
from stowage.platform.written import (
    Count,
    Credits,
    Rate,
    Section,
    Share,
    Size,
    credit_level,
)
from stowage.workloads.cluster_section import ClusterSection, TodaySection
from stowage.workloads.job_section import WorkloadSection, place_of_data
from stowage.workloads.limits_section import LimitsSection, gib_of, time_limit_s

LARGEST_FILE_BYTES = 262_144


OLD_CATALOG = "catalogue"
"""Name of `place.catalog` in files and stored plans until November 2026; still accepted."""

AS_WORKERS = "workers"
"""Value of `place.primary` for a head node of the workers' instance type."""


class NamesCatalog(Section):
    """Base class of sections with the field `catalog`, which also has an old name."""

    @model_validator(mode="before")
    @classmethod
    def _rename_catalogue(cls, given: object) -> object:
        if not isinstance(given, dict) or OLD_CATALOG not in given:
            return given
        if "catalog" in given:
            raise ValueError(f"has both catalog and {OLD_CATALOG}, its old name; accepted: one of them")
        return {("catalog" if name == OLD_CATALOG else name): value for name, value in given.items()}

    @classmethod
    def __get_pydantic_json_schema__(cls, schema: CoreSchema, handler: GetJsonSchemaHandler) -> JsonSchemaValue:
        """Describe the field `catalog` under both of its names in the JSON Schema."""
        found = super().__get_pydantic_json_schema__(schema, handler)
        properties = handler.resolve_ref_schema(found)["properties"]
        if handler.mode == "validation":
            properties[OLD_CATALOG] = {
                "type": "string",
                "maxLength": 64,
                "description": "Old name of `catalog`.",
                "deprecated": True,
            }
        return found


class PlaceSection(NamesCatalog):
    """Place of the cluster, its purchase option, and the catalog version."""

    region: Key = "us-east-1"
    placement_group: Flag = True
    catalog: Key = "latest"
    """`latest`, or a version of the catalog. Older files write `catalogue` for it."""
    purchase: Payment = "on-demand"
    """Purchase option; types without a known price for it are not ranked. `any`: the best option for each type."""
    service: Service = "ec2"
    """EMR adds its fee to each node, and a primary node."""
    primary: Key | None = None
    """Instance type of the head node (HDFS' NameNode, EMR's primary), or `workers` for the workers' type. Unless given:
    the smallest general-purpose type whose memory holds the blocks, else the workers' type."""
    zones: Annotated[int, Field(ge=1, le=6, strict=True)] = 1
    """Availability zones that the nodes are spread over; traffic between zones is paid for."""

    @field_validator("zones")
    @classmethod
    def _a_group_lies_in_one_zone(cls, value: int, info: ValidationInfo) -> int:
        if value > 1 and info.data.get("placement_group"):
            raise ValueError(f"{value} zones in a placement group, which lies in one; accepted: placement_group: false")
        return value


Keys = Annotated[tuple[Key, ...], Field(max_length=1000)]


class ChooseSection(Section):
    """Filters on instance types and volume types. An empty list does not restrict the choice."""

    families: Keys = ()
    """Families: the part of a type's name before the dot, as in i3."""
    not_families: Keys = ()
    architectures: Annotated[tuple[Architecture, ...], Field(max_length=2)] = ()
    generation: Generation = "any"
    """`current` excludes types that AWS calls previous generation."""
    sizes: Keys = ()
    """Sizes: the part of a type's name after the dot, as in 16xlarge. `metal` stands for all sizes that begin with
    it."""
    not_sizes: Keys = ()
    instances: Keys = ()
    """Full names of instance types, as in i3.16xlarge."""
    not_instances: Keys = ()
    volumes: Keys = ()
    """EBS volume types, as in gp3."""
    not_volumes: Keys = ()
    min_vcpus: Annotated[float, Field(ge=0, le=10_000, strict=True, allow_inf_nan=False)] | None = None
    """Minimum vCPUs of a node; unless given, the job's default."""
    min_memory: Size | None = None
    """Minimum memory of a node; unless given, the job's default."""
    measured_only: Flag = False
    """Exclude types for which a required rate of disks, network or EBS link is neither measured nor given."""

    def to_selection(self, usual: Usual) -> Selection:
        """Convert the section to the model's selection, with the defaults ``usual`` for missing fields."""
        return Selection(
            **{name: value for name, value in self if name not in {"min_vcpus", "min_memory"}},
            min_vcpus=usual.value("choose.min_vcpus") if self.min_vcpus is None else self.min_vcpus,
            min_memory_gib=usual.value("choose.min_memory") if self.min_memory is None else gib_of(self.min_memory),
        )


Amount = Annotated[float, Field(gt=0, le=1e12, strict=True, allow_inf_nan=False)]


class VolumeQuotaSection(Section):
    """Quota of all volumes of one type together."""

    size: Size | None = None
    iops: Amount | None = None
    """Provisioned IOPS."""

    def to_quota(self) -> VolumeQuota:
        """Convert the section to the model's quota."""
        return VolumeQuota(None if self.size is None else gib_of(self.size), self.iops)


class QuotasSection(Section):
    """Service quotas of the account."""

    vcpus: Amount | None = None
    """Most vCPUs of all nodes together, including nodes that hold no data."""
    nodes: dict[Key, Count] = Field(default_factory=dict, max_length=1000)
    """Most nodes by instance type."""
    nodes_per_zone: Count | None = None
    """Most nodes, of all types together, in one availability zone."""
    volumes: dict[Key, VolumeQuotaSection] = Field(default_factory=dict, max_length=100)
    """Quotas by EBS volume type."""
    nodes_per_cluster: Count | None = None
    """Most nodes of a cluster, not counting those that hold no data; unless given, the limit of its service."""

    def to_quotas(self, usual: Usual) -> Quotas:
        """Convert the section to the model's quotas, with the defaults ``usual`` for missing fields."""
        volumes = {name: quota.to_quota() for name, quota in self.volumes.items()}
        of_service = int(usual.value("quotas.nodes_per_cluster")) or None
        of_cluster = of_service if self.nodes_per_cluster is None else self.nodes_per_cluster
        return Quotas(self.vcpus, dict(self.nodes), self.nodes_per_zone, volumes, of_cluster)


class MeasuredSection(Section):
    """Measured rates of one node, used in place of profiles [MB/s]."""

    storage_mb_per_s: Rate | None = None
    """DiskBench: half the disks read while the other half write at this rate."""
    network_mb_per_s: Rate | None = None
    ebs_read_mb_per_s: Rate | None = None
    ebs_write_mb_per_s: Rate | None = None
    object_store_mb_per_s: Rate | None = None
    storage_iops: Annotated[float, Field(ge=1, le=1e12, strict=True, allow_inf_nan=False)] | None = None
    """Random I/Os per second of a node's instance-store disks."""
    network_credit: Size | None = None
    """Data that a node sends above its network baseline before it falls back to it; AWS publishes no figure."""

    cpu_mb_per_s_per_vcpu: Rate | None = None
    """Rate at which one vCPU processes the job: bytes of a phase over the CPU time of its tasks."""

    def to_measured(self, instance: str | None) -> Measured:
        """Convert the section to measured rates of ``instance``, or of all types if it is None."""
        rates = self.model_dump(exclude={"network_credit"})
        credit_mb = None if self.network_credit is None else parse_size(self.network_credit)
        return Measured(**rates, instance=instance, network_credit_mb=credit_mb)


class StragglersSection(Section):
    """Slow nodes or volumes, in addition to the usual spread of their rates."""

    share: Share
    """Share that is slow."""
    factor: Annotated[float, Field(ge=1, le=1000, strict=True, allow_inf_nan=False)]
    """Factor by which they take longer."""
    of: Literal["nodes", "volumes"] = "nodes"


class AssumeSection(Section):
    """Effects of the model that can be switched off, to reproduce published arithmetic.

    The first value of each field is the default.
    """

    network: Literal["measured", "baseline", "unlimited"] = "measured"
    shuffle: Literal["exact", "whole"] = "exact"
    capacity: Literal["divided", "pooled"] = "divided"
    cpu: Literal["modelled", "ignored"] = "modelled"
    spread: Literal["modelled", "ignored"] = "modelled"
    launch: Launch | None = None
    """`counted`: launch and set-up are paid for and are part of the time; `billed`: they are paid for only. Unless
    given, the job's default."""
    billing: Literal["by-second", "prorated"] = "by-second"
    stragglers: StragglersSection | None = None
    usual: Literal["applied", "ignored"] = "applied"
    """Whether the job's defaults apply to fields that are not set: free space, room for a lost node, the smallest
    nodes, the place of the data, and whether the launch counts. The answer lists the defaults that applied."""


class WorkloadFile(Section):
    """Workload with its place, limits and assumptions, and the cluster to predict."""

    workload: WorkloadSection
    place: PlaceSection = PlaceSection()
    objective: Objective = "cost"
    """Objective of the search: lowest cost of a run, shortest time, or lowest monthly cost of an always-on cluster."""
    limits: LimitsSection = LimitsSection()
    choose: ChooseSection = ChooseSection()
    quotas: QuotasSection = QuotasSection()
    cluster: ClusterSection | None = None
    today: TodaySection | None = None
    """Current cluster with a measured time; without one, predictions are not scaled."""
    credits: Credits | None = None
    """Fill level of burst buckets at the start: full, empty, or a number from 0 to 1. Unless given, the job's default,
    or full where it has none."""
    measured: MeasuredSection = MeasuredSection()
    assume: AssumeSection = AssumeSection()

    @field_validator("objective")
    @classmethod
    def _of_nodes_that_stay(cls, value: Objective, info: ValidationInfo) -> Objective:
        place = info.data.get("place")
        if value == "month" and place is not None and place.purchase == "spot":
            raise ValueError("month with place.purchase spot, whose nodes do not stay; accepted: another way to pay")
        return value

    def to_workload(self) -> Workload:
        """Convert the file to one workload, with the first durability to try if several are open."""
        return self._workload(self.workload.to_job())

    def to_workloads(self) -> tuple[Workload, ...]:
        """Convert the file to workloads, one for each combination of the choices that it leaves open."""
        every = _each_once(self._workload(job) for job in self.workload.to_jobs())
        return tuple(of_one for workload in every for of_one in _by_payment(workload))

    def usual(self, of: Job) -> Usual:
        """Return the defaults of a job, for fields that the file does not set."""
        if self.assume.usual == "ignored":
            return NOTHING_USUAL
        job, service = self.workload, self.place.service
        found = usual_of(of, job.framework, self.objective, job.runs_per_month, service)
        if time_limit_s(self.limits.deadline, found.value("limits.deadline")) is None:
            return found
        return found.with_confidence(slow_nodes=self.assume.stragglers is not None)

    @property
    def framework(self) -> str:
        """Return the name of the framework, or that of the job's default framework."""
        return self.workload.framework or self.usual(self.workload.to_job()).framework

    def _workload(self, of: Job) -> Workload:
        job, late, usual = self.workload, self.assume.stragglers, self.usual(of)
        if isinstance(of, Hdfs) and of.default_copies and self.place.service != "emr":
            of = of.with_hadoop_copies()
        assume = self.assume.model_dump(exclude={"stragglers", "usual"})
        return Workload(
            name=job.name,
            job=of,
            framework=job.framework or usual.framework,
            runs_per_month=job.runs_per_month,
            place=Place(
                **self.place.model_dump(exclude={"catalog", "primary"}),
                primary=None if self.place.primary == AS_WORKERS else self.place.primary,
                head="workers" if self.place.primary is not None else usual.head,
            ),
            limits=self.limits.to_limits(usual),
            measured=self.measured.to_measured(None if self.cluster is None else self.cluster.instance),
            assume=Assumptions(**assume | {"launch": self.assume.launch or usual.launch}),
            credits=usual.credits.value if self.credits is None else credit_level(self.credits),
            credits_assumed=usual.credits if self.credits is None else None,
            kept_s=None if job.kept is None else parse_duration(job.kept),
            stragglers=None if late is None else Stragglers(late.share, late.factor),
            straggling="nodes" if late is None else late.of,
            objective=self.objective,
            selection=self.choose.to_selection(usual),
            quotas=self.quotas.to_quotas(usual),
            input=usual.input if job.input is None else place_of_data(job.input),
            output=usual.output if job.output is None else place_of_data(job.output),
        )

    def written(self) -> dict[str, Any]:
        """Return the document as the user wrote it, without fields that have default values.

        The document can be stored and shared. `assume.usual` and the framework are always included, and the confidence
        of meeting a deadline where defaults apply; a framework or confidence of null means the default. They
        distinguish the document from documents that were stored before these defaults existed.
        """
        document = self.model_dump(mode="json", exclude_defaults=True)
        document.setdefault("assume", {})["usual"] = self.assume.usual
        document["workload"]["framework"] = self.workload.framework
        if self.assume.usual == "applied":
            document.setdefault("limits", {})["chance"] = self.limits.chance
        for name, cluster in (("cluster", self.cluster), ("today", self.today)):
            storage = document.get(name, {}).get("storage")
            if cluster is not None and storage is not None:
                # Parsing needs the kind of a storage, even the default one.
                storage["kind"] = cluster.storage.kind
        if self.today is not None and self.today.durability is not None:
            document["today"]["durability"]["model"] = self.today.durability.model
        return document


def _each_once(workloads: Iterable[Workload]) -> Iterator[Workload]:
    """Yield workloads without duplicates.

    HDFS jobs with equal replication on instance-store disks are duplicates, whatever their durability model. Only the
    first of them is yielded.
    """
    seen: set[int] = set()
    for workload in workloads:
        kept = workload.job.durability
        if isinstance(workload.job, Hdfs) and kept.model in {"none", "application"} and not workload.job.default_copies:
            if kept.replicas in seen:
                continue
            seen.add(kept.replicas)
        yield workload


def _by_payment(workload: Workload) -> Iterator[Workload]:
    """Yield a copy of a workload for each purchase option, or the workload itself if it names its option."""
    if workload.place.purchase != "any":
        yield workload
        return
    for purchase in get_args(Purchase):
        # Spot nodes can be interrupted, so they cannot be always on.
        if purchase != "spot" or workload.objective != "month":
            yield replace(workload, place=replace(workload.place, purchase=purchase, commitment="alone"))


def read_workload_file(content: bytes) -> WorkloadFile:
    """Parse a workload file.

    Parameters
    ----------
    content : bytes
        YAML or JSON in UTF-8, at most 256 KiB.

    Raises
    ------
    BadInput
        The content is not readable, or a field is missing, unknown or out of range.
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
    """Convert a parsed document to a workload file, and check it against the schema.

    Raises
    ------
    BadInput
        The document does not conform to the schema; the error has one problem for each wrong field.
    """
    if not isinstance(document, Mapping):
        raise BadInput([Problem("", "a workload file starts with `workload:` and, below it, `data: 100 TB`")])
    try:
        return WorkloadFile.model_validate(document)
    except ValidationError as error:
        raise BadInput(problems_in(error.errors(include_url=False))) from None
    except RecursionError:
        raise BadInput([Problem("", "the document is nested too deeply")]) from None


class _PlainLoader(yaml.SafeLoader):
    """YAML loader that rejects aliases (which could expand a small file) and duplicate keys."""

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
