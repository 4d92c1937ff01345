"""Uploads and measurements: requests and answers."""

from datetime import datetime
from typing import Annotated, Literal
from uuid import UUID

from pydantic import AfterValidator, Field

from stowage.features.measurements.tables import UploadState, VerdictWord
from stowage.measure.reading import Status, Tool
from stowage.platform.described import Answer
from stowage.platform.jobs.job_answers import JobAnswer
from stowage.platform.written import Count, Flag, Key, Name, Section

MOST_READINGS_KEPT = 10_000

Positive = Annotated[float, Field(gt=0, le=1e9, strict=True, allow_inf_nan=False)]


class OwnDisksSection(Section):
    """The node's own disks."""

    kind: Literal["instance-store"]
    disks: Annotated[int, Field(ge=1, le=1000, strict=True)]
    """How many of them took part."""


class VolumesSection(Section):
    """EBS volumes, all alike."""

    kind: Literal["ebs"]
    type: Key
    size_gib: Positive | None = None
    """Of one volume."""
    iops: Positive | None = None
    """Of one volume, as it was provisioned."""
    throughput_mib_per_s: Positive | None = None
    """Of one volume, as it was provisioned."""
    count: Annotated[int, Field(ge=1, le=1000, strict=True)] = 1
    """How many took part."""


StorageTarget = Annotated[OwnDisksSection | VolumesSection, Field(discriminator="kind")]


class TargetSection(Section):
    """Target of an upload, entered by the user where the file does not state it."""

    instance: Key | None = None
    """EC2 instance type."""
    region: Key | None = None
    zone: Key | None = None
    storage: StorageTarget | None = None
    """None for what is no measurement of storage."""
    nodes: Count = 1
    """Machines that took part at once."""
    placement_group: Flag | None = None


def _reason(text: str) -> str:
    """Check a reason: text on one line or several."""
    if not text.strip():
        raise ValueError("state the reason in words")
    if not all(line.isprintable() for line in text.splitlines()):
        raise ValueError("only printable characters are accepted")
    return text.strip()


class NewUpload(Section):
    """A file that is to come."""

    name: Annotated[Name, Field(min_length=1)]
    """What it is called; only shown."""
    size_bytes: Annotated[int, Field(ge=1, le=2**53, strict=True)]


class ReadingToJudge(Section):
    """A result with its stated target."""

    position: Annotated[int, Field(ge=0, le=MOST_READINGS_KEPT, strict=True)]
    target: TargetSection


class ReadingToKeep(ReadingToJudge):
    """A result with its target, and whether to store it."""

    keep: Flag = True


class Keeping(Section):
    """Results of an upload to store."""

    readings: Annotated[list[ReadingToKeep], Field(min_length=1, max_length=MOST_READINGS_KEPT)]
    source: Annotated[Name, Field(min_length=1)] | None = None
    """Who published it; none for what the team measured itself."""


class NewVerdict(Section):
    """A person's verdict on a measurement."""

    verdict: VerdictWord
    reason: Annotated[str, Field(max_length=1_000), AfterValidator(_reason)]
    """Reason in words."""


class PrintedValueAnswer(Answer):
    """A number as the tool printed it."""

    text: str
    unit: str
    name: str


class MetricAnswer(Answer):
    """A number of a measurement, in our unit."""

    name: str
    value: float
    unit: str
    what: str
    """What it means, for people."""
    told: PrintedValueAnswer


class SeriesAnswer(Answer):
    """A quantity over time."""

    name: str
    of: str
    """Device, interface or volume; empty where there is only one."""
    unit: str
    what: str
    started_at: datetime | None
    points: int
    """How many there are; a preview shows fewer."""
    times_s: list[float]
    values: list[float]
    peaks: list[float]


class HostAnswer(Answer):
    """Description of the machine as the file states it."""

    name: str | None
    kernel: str | None
    instance_type: str | None
    region: str | None
    zone: str | None
    nodes: int | None
    volume_type: str | None
    volume_id: str | None
    cpus: int | None
    memory_gib: float | None


class JudgementFigureAnswer(Answer):
    """A number that a judgement rests on."""

    name: str
    value: float
    unit: str
    source: str | None
    """Where it was published; none where it was measured."""


class ReasonAnswer(Answer):
    """A reason for the quality of a measurement."""

    code: str
    verdict: VerdictWord
    words: str
    figures: list[JudgementFigureAnswer]


class JudgementAnswer(Answer):
    """Quality of a measurement."""

    verdict: VerdictWord
    reasons: list[ReasonAnswer]
    """Empty where nothing speaks against it."""


class NeedAnswer(Answer):
    """Something that must be known of a measurement's target."""

    field: str
    """Of the target."""
    words: str
    accepted: str


class GuessedText(Answer):
    """A guess with its basis."""

    value: str | None
    why: str | None


class GuessedCount(Answer):
    """A guess with its basis."""

    value: int | None
    why: str | None


class GuessedFlag(Answer):
    """A guess with its basis."""

    value: bool | None
    why: str | None


class GuessedStorage(Answer):
    """A guess with its basis."""

    value: StorageTarget | None
    why: str | None


class GuessAnswer(Answer):
    """Likely target; empty fields are unknown."""

    instance: GuessedText
    region: GuessedText
    zone: GuessedText
    storage: GuessedStorage
    nodes: GuessedCount
    placement_group: GuessedFlag


class ReadingAnswer(Answer):
    """A result of an upload, with its missing fields."""

    position: int
    member: str
    """Path in the archive; empty where it is none."""
    tool: Tool
    tool_version: str | None
    status: Status
    failure: str | None
    name: str
    line: int
    metrics: list[MetricAnswer]
    settings: dict[str, str]
    host: HostAnswer
    started_at: datetime | None
    duration_s: float | None
    series: list[SeriesAnswer]
    notes: list[str]
    known: UUID | None
    """The measurement that it is already."""
    needs: list[NeedAnswer]
    guess: GuessAnswer
    judgement: JudgementAnswer | None
    """Of the guessed target; none where that lacks something that is needed."""


class UploadProblemAnswer(Answer):
    """A part of a file that no reader understood."""

    member: str
    line: int | None
    message: str


class UploadSummaryAnswer(Answer):
    """An upload, as a list shows it."""

    id: UUID
    name: str
    size_bytes: int
    received_bytes: int
    piece_bytes: int
    """Of each piece but the last."""
    state: UploadState
    sha256: str | None
    job: JobAnswer | None
    """That reads it."""
    problem: str | None
    """Why it was refused."""
    person: str
    created_at: datetime
    expires_at: datetime | None
    """When it goes unless it is kept."""
    readings_total: int
    jobs_total: int
    """Finished jobs of a log; an upload holds either measurements or these."""
    problems_total: int


class UploadAnswer(UploadSummaryAnswer):
    """An upload with its parsed or stored results."""

    readings: list[ReadingAnswer]
    """In the order of the file: a page of them."""
    problems: list[UploadProblemAnswer]
    """At most 200."""
    measurements: list[UUID]
    """That were kept of it."""


class UploadListAnswer(Answer):
    """Uploads that await review, newest first."""

    uploads: list[UploadSummaryAnswer]


class NotKeptAnswer(Answer):
    """A result that could not be stored."""

    position: int
    message: str


class KeptAnswer(Answer):
    """Outcome of an upload's results."""

    measurements: list[UUID]
    """Those that are new, in the order of the file."""
    known: int
    """How many the team had already."""
    refused: list[NotKeptAnswer]
    profiles: list[str]
    """Keys of the profiles that changed."""


class HeadlineAnswer(Answer):
    """A number that a list shows of a measurement."""

    name: str
    value: float
    unit: str
    what: str


class MeasurementSummaryAnswer(Answer):
    """A measurement, as a list shows it."""

    id: UUID
    tool: Tool
    tool_version: str | None
    status: Status
    name: str
    measured_at: datetime | None
    target: TargetSection
    target_words: str
    headline: list[HeadlineAnswer]
    verdict: VerdictWord
    """That counts: the newest of a person, else ours."""
    source: str | None
    """Who published it; none for what the team measured."""
    person: str
    created_at: datetime


class VerdictAnswer(Answer):
    """A person's verdict on a measurement."""

    verdict: VerdictWord
    reason: str
    person: str
    created_at: datetime


class MeasurementAnswer(MeasurementSummaryAnswer):
    """A measurement with all that is known of it."""

    upload_id: UUID
    member: str
    line: int
    failure: str | None
    duration_s: float | None
    metrics: list[MetricAnswer]
    settings: dict[str, str]
    host: HostAnswer
    series: list[SeriesAnswer]
    notes: list[str]
    judgement: JudgementAnswer
    """Ours, from when it was kept."""
    verdicts: list[VerdictAnswer]
    """People's, the newest first."""
    profiles: list[str]
    """Keys of the profiles that rest on it."""


class MeasurementListAnswer(Answer):
    """Measurements, newest first."""

    measurements: list[MeasurementSummaryAnswer]
    next_cursor: str | None
    """Give it as `cursor` for the next page."""
