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

from stowage.model.cluster import Ebs, Layout
from stowage.model.units import MB_PER_GIB, UnitError, parse_duration, parse_money, parse_size
from stowage.model.workload import (
    Assumptions,
    Durability,
    Job,
    Limits,
    Measured,
    Place,
    Workload,
)
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


def _name(text: str) -> str:
    if not text.isprintable():
        raise ValueError("only printable characters are accepted")
    return text


Size = Annotated[str, Written(parse_size, "A data size: kB to EB, KiB to EiB.", ("100 TB", "512 GiB"))]
Duration = Annotated[str, Written(parse_duration, "A duration: s, min, h, d.", ("30 min", "1 h 30 min"))]
Money = Annotated[str, Written(parse_money, "US dollars.", ("500 USD", "$500"))]
VolumeSize = Annotated[str, Written(volume_gib, "Size of one EBS volume, whole GiB.", ("135 GiB",))]
Name = Annotated[str, Field(max_length=200), AfterValidator(_name)]
Key = Annotated[str, Field(max_length=64), AfterValidator(_name)]
"""Names something in a catalogue; what is not printable names nothing, and the database would not take it."""
Rate = Annotated[float, Field(ge=SMALLEST_RATE_MB_PER_S, le=LARGEST_RATE_MB_PER_S, strict=True, allow_inf_nan=False)]
Ratio = Annotated[float, Field(ge=1e-6, le=1000, strict=True, allow_inf_nan=False)]
Count = Annotated[int, Field(ge=1, le=MOST_NODES, strict=True)]
Disks = Annotated[int, Field(ge=0, le=1000, strict=True)]
Flag = Annotated[bool, Field(strict=True)]


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


class WorkloadSection(Section):
    """The job to be done."""

    name: Name = ""
    job: Literal["sort", "mapreduce"] = "sort"
    data: Size
    """Input of the job."""
    map_selectivity: Ratio = 1.0
    """Map output per input; mapreduce only."""
    reduce_selectivity: Ratio = 1.0
    """Output per map output; mapreduce only."""
    framework: Literal["ideal"] = "ideal"
    """Efficiency profile; `ideal` is the physical bound."""
    durability: Annotated[
        NoDurability | ApplicationDurability | InfrastructureDurability, Field(discriminator="model")
    ] = NoDurability()
    runs_per_month: Annotated[float, Field(gt=0, le=100_000, strict=True, allow_inf_nan=False)] = 1.0

    def to_job(self) -> Job:
        """Turn the section into the model's job."""
        durability = self.durability
        return Job(
            kind=self.job,
            data_mb=parse_size(self.data),
            map_selectivity=self.map_selectivity,
            reduce_selectivity=self.reduce_selectivity,
            durability=Durability(
                durability.model, durability.replicas if isinstance(durability, ApplicationDurability) else 1
            ),
        )

    @model_validator(mode="after")
    def _all_data_can_be_counted(self) -> Self:
        job = self.to_job()
        kept_mb = job.input_output_mb + job.map_output_mb
        if kept_mb > LARGEST_KEPT_MB:
            raise ValueError(
                f"input, intermediate data and all copies of the output are {kept_mb:.3g} MB, over 10^18 MB"
            )
        return self

    @field_validator("map_selectivity", "reduce_selectivity")
    @classmethod
    def _only_mapreduce_selects(cls, value: float, info: ValidationInfo) -> float:
        if info.data.get("job") == "sort" and value != 1.0:
            raise ValueError(f"{value} with job sort, which writes what it reads; accepted: 1, or job: mapreduce")
        return value


class PlaceSection(Section):
    """Where it runs."""

    region: Key = "us-east-1"
    placement_group: Flag = True
    catalogue: Key = "latest"
    """`latest`, or a version of the catalogue."""
    purchase: Literal["on-demand"] = "on-demand"
    """How instances are paid for; no catalogue has other prices yet."""


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
    intermediate: Literal["instance-store"] = "instance-store"


class ClusterSection(Section):
    """One configuration: `predict` needs it, `plan` searches for it."""

    instance: Key
    nodes: Annotated[int, Field(ge=1, le=10_000_000, strict=True)]
    storage: Annotated[InstanceStoreSection | EbsSection, Field(discriminator="kind")] = InstanceStoreSection()


class MeasuredSection(Section):
    """Rates of one node that are used instead of profiles [MB/s]."""

    storage_mb_per_s: Rate | None = None
    """DiskBench: half the disks read while the other half write at this rate."""
    network_mb_per_s: Rate | None = None
    ebs_read_mb_per_s: Rate | None = None
    ebs_write_mb_per_s: Rate | None = None


class AssumeSection(Section):
    """Effects to switch off, for reproducing others' arithmetic; the defaults come first."""

    network: Literal["measured", "baseline", "unlimited"] = "measured"
    shuffle: Literal["exact", "whole"] = "exact"
    capacity: Literal["divided", "pooled"] = "divided"
    cpu: Literal["modelled", "ignored"] = "modelled"
    spread: Literal["modelled", "ignored"] = "modelled"
    launch: Literal["billed", "ignored"] = "billed"
    billing: Literal["by-second", "prorated"] = "by-second"


class WorkloadFile(Section):
    """A workload with its place, limits, assumptions and, for a prediction, its cluster."""

    workload: WorkloadSection
    place: PlaceSection = PlaceSection()
    limits: LimitsSection = LimitsSection()
    cluster: ClusterSection | None = None
    credits: Literal["full"] = "full"
    """Burst credits at the start; no volume of the catalogue bursts yet, so nothing else is accepted."""
    measured: MeasuredSection = MeasuredSection()
    assume: AssumeSection = AssumeSection()

    def to_workload(self) -> Workload:
        """Turn the file into the model's workload."""
        job, limits = self.workload, self.limits
        return Workload(
            name=job.name,
            job=job.to_job(),
            framework=job.framework,
            runs_per_month=job.runs_per_month,
            place=Place(self.place.region, self.place.placement_group),
            limits=Limits(
                deadline_s=None if limits.deadline is None else parse_duration(limits.deadline),
                budget_usd=None if limits.budget is None else parse_money(limits.budget),
                max_nodes=limits.max_nodes,
            ),
            measured=Measured(
                **self.measured.model_dump(), instance=None if self.cluster is None else self.cluster.instance
            ),
            assume=Assumptions(**self.assume.model_dump()),
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
    return Ebs(storage.type, volume_gib(storage.size), storage.count)


def storage_section(layout: Layout) -> dict[str, Any]:
    """Write a layout as a storage section."""
    if isinstance(layout, Ebs):
        return {"kind": "ebs", "type": layout.volume_type, "size": f"{layout.size_gib} GiB", "count": layout.count}
    return {
        "kind": "instance-store",
        "input_output_disks": layout.input_output_disks,
        "intermediate_disks": layout.intermediate_disks,
    }


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
