"""Requests and answers of the routes for uploads and measurements."""

from datetime import datetime
from typing import Annotated, Literal
from uuid import UUID

from pydantic import AfterValidator, Field

from stowage.features.measurements.store.uploads import UploadProblem
from stowage.features.measurements.tables import UploadState, VerdictWord
from stowage.fields import Flag, Key
from stowage.measure.asking import Guess, Need
from stowage.measure.judging.judgement import Judgement
from stowage.measure.reading import Host, PrintedValue, Status
from stowage.measure.target import Target
from stowage.measure.tool import Tool
from stowage.platform.described import Answer
from stowage.platform.jobs.job import Job
from stowage.platform.written import Count, Name, Section
from stowage.workloads.answers import HeadlineAnswer

MOST_READINGS_KEPT = 10_000

Positive = Annotated[float, Field(gt=0, le=1e9, strict=True, allow_inf_nan=False)]


class OwnDisksSection(Section):
    """Local disks of a node that were measured together."""

    kind: Literal["instance-store"]
    disks: Annotated[int, Field(ge=1, le=1000, strict=True)]
    """Number of disks measured together."""


class VolumesSection(Section):
    """EBS volumes of equal type and size that were measured together."""

    kind: Literal["ebs"]
    type: Key
    size_gib: Positive | None = None
    """Size of one volume."""
    iops: Positive | None = None
    """Provisioned IOPS of one volume."""
    throughput_mib_per_s: Positive | None = None
    """Provisioned throughput of one volume."""
    count: Annotated[int, Field(ge=1, le=1000, strict=True)] = 1
    """Number of volumes measured together."""


StorageTarget = Annotated[OwnDisksSection | VolumesSection, Field(discriminator="kind")]


class TargetSection(Section):
    """Target of a measurement: the measured hardware, which the user enters if the file does not state it."""

    instance: Key | None = None
    """EC2 instance type."""
    region: Key | None = None
    zone: Key | None = None
    storage: StorageTarget | None = None
    """None if the measurement is not of storage."""
    nodes: Count = 1
    """Number of machines measured together."""
    placement_group: Flag | None = None


def _reason(text: str) -> str:
    """Check that the reason for a verdict is printable text, which may have several lines."""
    if not text.strip():
        raise ValueError("state the reason in words")
    if not all(line.isprintable() for line in text.splitlines()):
        raise ValueError("only printable characters are accepted")
    return text.strip()


class NewUpload(Section):
    """A file to upload."""

    name: Annotated[Name, Field(min_length=1)]
    """File name, for display only."""
    size_bytes: Annotated[int, Field(ge=1, le=2**53, strict=True)]


class ReadingToJudge(Section):
    """A result to judge, with the target that the user states."""

    position: Annotated[int, Field(ge=0, le=MOST_READINGS_KEPT, strict=True)]
    target: TargetSection


class ReadingToKeep(ReadingToJudge):
    """A result, with its target and the choice whether to store it."""

    keep: Flag = True


class Keeping(Section):
    """Request to store chosen results of an upload."""

    readings: Annotated[list[ReadingToKeep], Field(min_length=1, max_length=MOST_READINGS_KEPT)]
    source: Annotated[Name, Field(min_length=1)] | None = None
    """Publisher; none if the team measured it."""


class NewVerdict(Section):
    """A user's verdict on a measurement."""

    verdict: VerdictWord
    reason: Annotated[str, Field(max_length=1_000), AfterValidator(_reason)]
    """Reason in words."""


class MetricAnswer(HeadlineAnswer):
    """A number from a measurement."""

    told: PrintedValue


class SeriesAnswer(Answer):
    """Values of one quantity over time."""

    name: str
    of: str
    """Device, interface or volume; empty if there is only one."""
    unit: str
    what: str
    started_at: datetime | None
    points: int
    """Total number of points; a preview has fewer."""
    times_s: list[float]
    values: list[float]
    peaks: list[float]


class ReadingAnswer(Answer):
    """A parsed result of an upload, with the fields of its target that are still missing."""

    position: int
    member: str
    """Path in the archive; empty if the file is not an archive."""
    tool: Tool
    tool_version: str | None
    status: Status
    failure: str | None
    name: str
    line: int
    metrics: list[MetricAnswer]
    settings: dict[str, str]
    host: Host
    started_at: datetime | None
    duration_s: float | None
    series: list[SeriesAnswer]
    notes: list[str]
    known: UUID | None
    """The measurement with the same content, if already stored."""
    needs: list[Need]
    guess: Guess
    judgement: Judgement | None
    """Judgement for the guessed target; none if a required fact about it is missing."""


class UploadSummaryAnswer(Answer):
    """Summary of an upload, for display in lists."""

    id: UUID
    name: str
    size_bytes: int
    received_bytes: int
    piece_bytes: int
    """Size of each piece except the last."""
    state: UploadState
    sha256: str | None
    job: Job | None
    """The job that reads it."""
    problem: str | None
    """Why it was refused."""
    person: str
    created_at: datetime
    expires_at: datetime | None
    """When it is deleted unless its results are stored."""
    readings_total: int
    jobs_total: int
    """Finished jobs in a log; an upload has either measurements or finished jobs."""
    problems_total: int


class UploadAnswer(UploadSummaryAnswer):
    """An upload with its parsed or stored results."""

    readings: list[ReadingAnswer]
    """One page of results, in the order of the file."""
    problems: list[UploadProblem]
    """At most 200."""
    measurements: list[UUID]
    """Measurements stored from it."""


class UploadListAnswer(Answer):
    """Uploads that await review, newest first."""

    uploads: list[UploadSummaryAnswer]


class NotKeptAnswer(Answer):
    """An uploaded result that could not be stored."""

    position: int
    message: str


class KeptAnswer(Answer):
    """Outcome of storing an upload's results."""

    measurements: list[UUID]
    """New measurements, in the order of the file."""
    known: int
    """Number of results that the team had already stored."""
    refused: list[NotKeptAnswer]
    profiles: list[str]
    """Keys of the profiles that changed."""


class MeasurementSummaryAnswer(Answer):
    """Summary of a measurement, for display in lists."""

    id: UUID
    tool: Tool
    tool_version: str | None
    status: Status
    name: str
    measured_at: datetime | None
    target: Target
    target_words: str
    headline: list[HeadlineAnswer]
    verdict: VerdictWord
    """Current verdict: the newest of a user, else the automatic judgement."""
    source: str | None
    """Publisher; none if the team measured it."""
    person: str
    created_at: datetime


class VerdictAnswer(Answer):
    """A user's verdict on a measurement."""

    verdict: VerdictWord
    reason: str
    person: str
    created_at: datetime


class MeasurementAnswer(MeasurementSummaryAnswer):
    """A measurement with all details."""

    upload_id: UUID
    member: str
    line: int
    failure: str | None
    duration_s: float | None
    metrics: list[MetricAnswer]
    settings: dict[str, str]
    host: Host
    series: list[SeriesAnswer]
    notes: list[str]
    judgement: Judgement
    """The automatic judgement, from when it was stored."""
    verdicts: list[VerdictAnswer]
    """Verdicts of users, newest first."""
    profiles: list[str]
    """Keys of the profiles that use it."""


class MeasurementListAnswer(Answer):
    """Measurements, newest first."""

    measurements: list[MeasurementSummaryAnswer]
    next_cursor: str | None
    """Pass it as `cursor` to get the next page."""
