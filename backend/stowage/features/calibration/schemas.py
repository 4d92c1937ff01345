"""Requests and answers about finished jobs and calibrations."""

from datetime import datetime
from typing import Annotated, Literal
from uuid import UUID

from pydantic import Field

from stowage.features.calibration.calibrating import NextRun
from stowage.fields import Key
from stowage.measure.fits.calibration import Coefficient
from stowage.measure.fits.compared_phases import ComparedPhase
from stowage.measure.fits.finished_jobs import MOST_NODES
from stowage.measure.logs.from_logs import GivenJob
from stowage.measure.logs.logged_jobs import LoggedKind, LogSource
from stowage.measure.reading import MOST_READINGS, Remark
from stowage.model.prediction import Range
from stowage.platform.described import Answer
from stowage.platform.written import Section

PredictedBy = Literal["calibration", "framework", "unknown"]
"""The team's newest calibration, the published framework of that name, or a framework without a known profile."""


class FinishedJobRow(Answer):
    """A finished job of the team."""

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
    """When it was excluded from calibrations; null if it is included."""


class FinishedJobListAnswer(Answer):
    """Finished jobs, newest first."""

    jobs: list[FinishedJobRow]
    next_cursor: str | None


class KeptJobsAnswer(Answer):
    """Stored and rejected rows of a file of finished jobs."""

    kept: list[FinishedJobRow]
    problems: list[Remark]


class LoggedPhaseAnswer(Answer):
    """A phase of a job, with its duration according to a log."""

    name: str
    measured_s: float


class LoggedJobAnswer(Answer):
    """A finished job that was parsed from a log and is not stored yet."""

    position: int
    member: str
    """Path in the archive; empty if the file is not an archive."""
    source: LogSource
    version: str
    framework: str
    """Framework of the model that wrote the log; a calibration may have another name."""
    name: str
    line: int
    """Line of the log on which the job ends."""
    job: LoggedKind | None
    """Null if the log has times only: `job` and `data` are then required to store it."""
    started_at: datetime
    measured_s: float
    nodes: int | None
    """Hosts that ran its tasks; null if the log does not state them: `nodes` is then required to store it."""
    region: str | None
    """From the host names; null if they do not contain it."""
    input_output: Literal["object-store"] | None
    """From the log; null if it does not state it."""
    input_mb: float
    shuffled_mb: float
    output_mb: float
    phases: list[LoggedPhaseAnswer]


class LoggedJobListAnswer(Answer):
    """One page of the finished jobs found in an upload, in the order of the file."""

    upload_id: UUID
    jobs: list[LoggedJobAnswer]
    total: int


class KeepLoggedJobs(Section):
    """The jobs of a log that are to be stored, and the details of their cluster that the log lacks."""

    positions: Annotated[list[Annotated[int, Field(ge=0)]], Field(min_length=1, max_length=MOST_READINGS)]
    instance: Annotated[str, Field(max_length=64)]
    """EC2 type of the nodes, e.g. i3.2xlarge."""
    input_output: Annotated[str, Field(max_length=200)]
    """E.g. instance-store, instance-store 4+4, object-store or 8 x gp3 500 GiB."""
    framework: Annotated[str, Field(max_length=60)]
    """Name of the framework, which its calibration will have."""
    region: Annotated[str, Field(max_length=64)] | None = None
    """By default the log's region, else us-east-1."""
    nodes: Annotated[int, Field(ge=1, le=MOST_NODES)] | None = None
    """Nodes that stored data; by default the hosts in the log."""
    replicas: Annotated[int, Field(ge=1, le=10)] = 1
    """Copies of the output in the application's file system."""
    job: GivenJob | None = None
    """Kind of the jobs for which the log has times only."""
    data: Annotated[str, Field(max_length=40)] | None = None
    """Data size of each job for which the log has times only, e.g. 100 GB."""


class JobPhaseAnswer(Answer):
    """A phase of a finished job, with its predicted and measured duration."""

    name: str
    predicted_s: float
    from_s: float
    """Start within the measured job: its time is divided as measured for each phase, else as predicted."""
    to_s: float
    bottleneck: str
    measured_s: float | None
    """Measured duration, if stated."""
    seen: str | None
    """The busiest recorded resource; null if none was recorded."""
    agrees: bool | None


class JobSeriesAnswer(Answer):
    """A time series of one resource that a monitor recorded during a job."""

    measurement_id: UUID
    name: str
    what: str
    of: str
    unit: str
    resource: str | None
    """Named as in bottlenecks; null if it is not one of their resources."""
    times_s: list[float]
    """Since the start of the job."""
    values: list[float]


class FinishedJobAnswer(FinishedJobRow):
    """A finished job with its prediction."""

    physical_limit_s: float | None
    """Time below which no framework can run the job on its nodes; null if it cannot be predicted."""
    predicted: Range | None
    """Predicted with the profile in `predicted_by`; null if it cannot be predicted."""
    predicted_by: PredictedBy
    problem: str | None
    """Why it cannot be predicted."""
    compared: list[ComparedPhase]
    """The measured phases that have a prediction."""
    furthest_off: str | None
    """The compared phase with the largest difference in seconds; null if all agree within 10%."""
    own_phases: list[LoggedPhaseAnswer]
    """All measured phases, including those without a prediction."""
    phases: list[JobPhaseAnswer]
    series: list[JobSeriesAnswer]


class SeriesOfJob(Section):
    """The measurements that were recorded during a job."""

    measurements: Annotated[list[UUID], Field(max_length=100)]


class Calibrate(Section):
    """Request to fit the calibration of a framework."""

    framework: Key


class CalibrationRow(Answer):
    """Calibration fitted to a team's jobs of one framework."""

    id: UUID
    framework: str
    """Framework name of the jobs."""
    name: str
    """Value for `workload.framework` to use it."""
    runs: int
    median_error_before_pct: float
    """Error of the physical limit."""
    median_error_pct: float
    """Median over runs, each predicted from all others."""
    evidence: str
    person: str
    created_at: datetime
    outdated: bool
    """Whether it was fitted with an earlier version of the physics; a refit follows within minutes."""
    not_refitted: str | None
    """Why the refit failed; null if there was none."""
    current: bool
    """Whether predictions use it: the newest of its framework."""


class FrameworkJobs(Answer):
    """A framework, with the number of finished jobs that its calibration can use."""

    framework: str
    jobs: int


class CalibrationListAnswer(Answer):
    """Calibrations, newest first, and all frameworks that have finished jobs."""

    calibrations: list[CalibrationRow]
    frameworks: list[FrameworkJobs]
    fewest_jobs: int
    """Minimum number of jobs for a fit."""


class CalibrationPoint(Answer):
    """A finished job that a calibration was fitted to, with its measured and predicted time."""

    name: str
    nodes: float
    predicted_before_s: float
    predicted_s: float
    measured_s: float
    low: float
    high: float
    """Upper end of the 80% interval [s]."""
    left_out_s: float
    """Predicted from all other runs."""
    loo_error_pct: float
    weight: float
    """Weight in the fit: low for an outlier."""


class LeftOutAnswer(Answer):
    """A job that the calibration could not use."""

    name: str
    reason: str


class CalibrationAnswer(CalibrationRow):
    """A calibration with its coefficients and the finished jobs that it was fitted to."""

    coefficients: list[Coefficient]
    points: list[CalibrationPoint]
    next_runs: list[NextRun]
    left_out: list[LeftOutAnswer]
    extrapolates: str | None
    """How the requested run extrapolates beyond the finished ones; null if it does not."""
