"""Answers about finished jobs and calibrations."""

from datetime import datetime
from typing import Annotated, Literal
from uuid import UUID

from pydantic import Field

from stowage.measure.fits.finished_jobs import MOST_NODES
from stowage.measure.logs.from_logs import GivenJob
from stowage.measure.logs.logged_jobs import LoggedKind, LogSource
from stowage.measure.reading import MOST_READINGS
from stowage.platform.described import Answer
from stowage.platform.written import Key, Section
from stowage.workloads.answers import RangeAnswer

PredictedBy = Literal["calibration", "framework", "unknown"]
"""The team's newest calibration, the known framework of that name, or one of which nothing is known."""


class LineProblem(Answer):
    """A part of a file that was not understood."""

    line: int
    message: str


class FinishedJobRow(Answer):
    """A job that the team ran to its end."""

    id: UUID
    name: str
    job: str
    framework: str
    instance: str
    nodes: int
    data: str
    input_output: str
    measured_s: float
    started_at: datetime | None
    person: str
    created_at: datetime
    withdrawn_at: datetime | None
    """Since when it is left out of calibrations."""


class FinishedJobListAnswer(Answer):
    """Finished jobs, newest first."""

    jobs: list[FinishedJobRow]
    next_cursor: str | None


class KeptJobsAnswer(Answer):
    """Rows of a file of finished jobs that were stored, and those that were not."""

    kept: list[FinishedJobRow]
    problems: list[LineProblem]


class LoggedPhaseAnswer(Answer):
    """A phase of a job as a log describes it."""

    name: str
    measured_s: float


class LoggedJobAnswer(Answer):
    """A finished job that was parsed from a log and is not stored yet."""

    position: int
    member: str
    """Path in the archive; empty where it is none."""
    source: LogSource
    version: str
    framework: str
    """The framework of the model that wrote the log; a calibration can have another name."""
    name: str
    line: int
    """Line of the log with its end."""
    job: LoggedKind | None
    """Null where the log has times only: `job` and `data` must be given to keep it."""
    started_at: datetime
    measured_s: float
    nodes: int | None
    """Hosts that ran its tasks; null where the log does not say: `nodes` must be given to keep it."""
    region: str | None
    """From the hosts' names; null if they do not contain it."""
    input_output: Literal["object-store"] | None
    """From the log; null if it does not say."""
    input_mb: float
    shuffled_mb: float
    output_mb: float
    phases: list[LoggedPhaseAnswer]


class LoggedJobListAnswer(Answer):
    """Finished jobs that were read of an upload, in the order of the file: a page of them."""

    upload_id: UUID
    jobs: list[LoggedJobAnswer]
    total: int


class KeepLoggedJobs(Section):
    """Jobs of a log to store, with the details of their cluster that the log lacks."""

    positions: Annotated[list[Annotated[int, Field(ge=0)]], Field(min_length=1, max_length=MOST_READINGS)]
    instance: Annotated[str, Field(max_length=64)]
    """EC2 type of the nodes, as in i3.2xlarge."""
    input_output: Annotated[str, Field(max_length=200)]
    """As in instance-store, instance-store 4+4, object-store or 8 x gp3 500 GiB."""
    framework: Annotated[str, Field(max_length=60)]
    """The name that a calibration gets."""
    region: Annotated[str, Field(max_length=64)] | None = None
    """Unless given, that of the log, else us-east-1."""
    nodes: Annotated[int, Field(ge=1, le=MOST_NODES)] | None = None
    """Nodes that held data; unless given, the hosts that the log names."""
    replicas: Annotated[int, Field(ge=1, le=10)] = 1
    """Copies of the output that the application's file system kept."""
    job: GivenJob | None = None
    """Kind of the jobs of which the log has times only."""
    data: Annotated[str, Field(max_length=40)] | None = None
    """Size of the data of each job of which the log has times only, as in 100 GB."""


class JobPhaseAnswer(Answer):
    """A predicted phase."""

    name: str
    predicted_s: float
    from_s: float
    """Where it is laid over the measured job: phases share its time as measured, else as predicted."""
    to_s: float
    bottleneck: str
    measured_s: float | None
    """How long it took, where it is stated."""
    seen: str | None
    """The busiest resource that was recorded; null where none was."""
    agrees: bool | None


class ComparedPhaseAnswer(Answer):
    """A phase as predicted and as measured."""

    name: str
    predicted_s: float
    measured_s: float


class JobSeriesAnswer(Answer):
    """Series that a monitor recorded during the job."""

    measurement_id: UUID
    name: str
    what: str
    of: str
    unit: str
    resource: str | None
    """As bottlenecks are called; null where it is none of them."""
    times_s: list[float]
    """Since the job's start."""
    values: list[float]


class FinishedJobAnswer(FinishedJobRow):
    """A finished job with its prediction."""

    physical_limit_s: float | None
    """Time below which no framework can run the job on its nodes; null where it cannot be predicted."""
    predicted: RangeAnswer | None
    """By what `predicted_by` names; null where it cannot be predicted."""
    predicted_by: PredictedBy
    problem: str | None
    """Why it cannot be predicted."""
    compared: list[ComparedPhaseAnswer]
    """The measured phases that are predicted."""
    furthest_off: str | None
    """The one of them with the largest difference in seconds; null where all agree within 10%."""
    own_phases: list[LoggedPhaseAnswer]
    """As they were measured, also those that are not predicted."""
    phases: list[JobPhaseAnswer]
    series: list[JobSeriesAnswer]


class SeriesOfJob(Section):
    """Measurements recorded during a job."""

    measurements: Annotated[list[UUID], Field(max_length=100)]


class Calibrate(Section):
    """Which framework to fit."""

    framework: Key


class CalibrationRow(Answer):
    """Calibration fitted to a team's jobs of one framework."""

    id: UUID
    framework: str
    """Of the jobs."""
    name: str
    """By which `workload.framework` takes it."""
    runs: int
    median_error_before_pct: float
    """Of the physical bound."""
    median_error_pct: float
    """Each run predicted from the others."""
    evidence: str
    person: str
    created_at: datetime
    outdated: bool
    """Fitted to an earlier version of the physics; it is fitted again within minutes."""
    not_refitted: str | None
    """Why it could not be fitted again; null where it was not tried."""
    current: bool
    """Whether predictions take it: the newest of its framework."""


class FrameworkJobs(Answer):
    """Jobs of a framework that a calibration can take."""

    framework: str
    jobs: int


class CalibrationListAnswer(Answer):
    """Calibrations, newest first, and frameworks that could be calibrated."""

    calibrations: list[CalibrationRow]
    frameworks: list[FrameworkJobs]
    fewest_jobs: int
    """Below which nothing is fitted."""


class CoefficientAnswer(Answer):
    """A fitted number."""

    name: str
    what: str
    value: float
    unit: str
    low: float
    high: float
    """80% interval."""
    seen: bool
    """Whether some run was limited by it; else it is as the other efficiencies of the framework."""


class CalibrationPoint(Answer):
    """A run with its measured and predicted time."""

    name: str
    nodes: float
    predicted_before_s: float
    predicted_s: float
    measured_s: float
    low: float
    high: float
    """80% interval [s]."""
    left_out_s: float
    """Predicted from all other runs."""
    loo_error_pct: float
    weight: float
    """In the fit: little for a run that fits to no others."""


class NextRunAnswer(Answer):
    """A run that would teach much."""

    instance: str
    nodes: int
    data: str
    words: str
    predicted_s: float
    cost_usd: float | None
    narrows_pct: float


class LeftOutAnswer(Answer):
    """A job that the calibration could not take."""

    name: str
    reason: str


class CalibrationAnswer(CalibrationRow):
    """A calibration with all that it rests on."""

    coefficients: list[CoefficientAnswer]
    points: list[CalibrationPoint]
    next_runs: list[NextRunAnswer]
    left_out: list[LeftOutAnswer]
    extrapolates: str | None
    """Beyond what its runs cannot say anything."""
