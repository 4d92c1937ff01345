"""Calibration file: the calibrations of several frameworks as a JSON document.

`stowage calibrate` writes the file, and `stowage predict --calibration` reads it.
"""

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict
from datetime import date
from typing import Any, BinaryIO

from pydantic import ValidationError

from stowage.features.calibration.calibrating import Calibrated, ProposedRun, calibrate
from stowage.frozen import frozen
from stowage.measure.errors import Unreadable
from stowage.measure.fits.calibration import Calibration, Coefficient
from stowage.measure.fits.finished_jobs import FinishedJob, read_jobs
from stowage.measure.reading import Remark
from stowage.model.jobs.framework import Framework
from stowage.platform.described import Answer
from stowage.platform.errors import BadInput, Problem
from stowage.workloads.knowledge import KnowledgeSource

LARGEST_FILE_BYTES = 16 * 1024 * 1024


@frozen
class CalibratedCoefficient(Coefficient):
    """A coefficient of the fit of a calibration."""

    framework: str


class LeftOutRun(Answer):
    """A finished run, with its prediction from all other runs (leave-one-out)."""

    framework: str
    name: str
    predicted_s: float
    measured_s: float
    error_pct: float
    before_s: float
    """Physical limit [s]."""
    low_s: float
    high_s: float
    """Upper end of the 80% interval of such a run, fitted to all runs."""
    weight: float
    """Weight in the fit: low for an outlier."""


class RequestedRun(Answer):
    """A requested run, predicted by extrapolation from the finished runs."""

    nodes: int
    data: str
    predicted_s: float
    low_s: float
    high_s: float
    """Upper end of the 80% interval."""
    beyond: list[str]
    """Dimensions in which it is outside the range of the finished runs."""


class FrameworkCalibration(Answer):
    """Calibration of one framework."""

    framework: str
    """Value for `workload.framework`."""
    runs: int
    fewest_nodes: float
    most_nodes: float
    median_error_before_pct: float
    median_error_pct: float
    """Median over runs, each predicted from all others."""
    error_log_deviation: float
    evidence: str
    asked: RequestedRun
    next_runs: list[ProposedRun]
    profile: dict[str, Any]
    """Input of `--calibration`."""


class CalibrationProblem(Answer):
    """A rejected row of the file of finished jobs."""

    line: int | None
    message: str


class CalibrationFileAnswer(Answer):
    """Calibrations from a file of finished jobs."""

    coefficients: list[CalibratedCoefficient]
    leave_one_out: list[LeftOutRun]
    calibrations: list[FrameworkCalibration]
    problems: list[CalibrationProblem]


def calibrate_file(stream: BinaryIO, source: KnowledgeSource, today: date) -> CalibrationFileAnswer:
    """Calibrate each framework in a file of finished jobs.

    Raises
    ------
    BadInput
        The file is unreadable, or no framework has enough runs.
    """
    jobs: dict[str, list[FinishedJob]] = {}
    problems: list[CalibrationProblem] = []
    try:
        for found in read_jobs(stream):
            if isinstance(found, Remark):
                problems.append(CalibrationProblem(line=found.line, message=found.message))
            else:
                jobs.setdefault(found.framework, []).append(found)
    except Unreadable as error:
        raise BadInput([Problem("" if error.line is None else f"line {error.line}", error.message)]) from None
    done: list[Calibrated] = []
    for name, of_framework in jobs.items():
        try:
            calibrated = calibrate(of_framework, source, today)
        except BadInput as error:
            problems += [CalibrationProblem(line=None, message=f"{name}: {words}") for words in _words(error)]
            continue
        done.append(calibrated)
        lines = {job.name: job.line for job in of_framework}
        problems += [
            CalibrationProblem(line=lines[left], message=f"{left}: {why}") for left, why in calibrated.left_out
        ]
    if not done:
        raise BadInput(
            [Problem("" if problem.line is None else f"line {problem.line}", problem.message) for problem in problems]
            or [Problem("", "the file has a header and no finished job")]
        )
    return CalibrationFileAnswer(
        coefficients=[
            CalibratedCoefficient(**asdict(one), framework=each.calibration.framework)
            for each in done
            for one in each.calibration.coefficients
        ],
        leave_one_out=[row for each in done for row in _left_out(each.calibration)],
        calibrations=[_of_framework(each) for each in done],
        problems=problems,
    )


def read_calibrations(content: bytes) -> Mapping[str, Framework]:
    """Parse the profiles in the output of `stowage calibrate --json`.

    Raises
    ------
    BadInput
        The content has another format.
    """
    accepted = "the output of `stowage calibrate RUNS.csv --json`"
    if len(content) > LARGEST_FILE_BYTES:
        raise BadInput([Problem("--calibration", f"{len(content):,} bytes; accepted: {accepted}")])
    try:
        answer = CalibrationFileAnswer.model_validate_json(content)
        found = [Calibration.from_dict(each.profile) for each in answer.calibrations]
        frameworks = {calibration.framework: calibration.to_framework() for calibration in found}
    except (ValidationError, ValueError, KeyError, TypeError, RecursionError):
        raise BadInput([Problem("--calibration", f"cannot be read; accepted: {accepted}")]) from None
    if not frameworks:
        raise BadInput([Problem("--calibration", f"holds no calibration; accepted: {accepted}")])
    return frameworks


def _left_out(calibration: Calibration) -> Iterable[LeftOutRun]:
    for run in calibration.runs:
        yield LeftOutRun.from_fields(
            run,
            framework=calibration.framework,
            predicted_s=run.left_out_s,
            error_pct=run.left_out_error_pct,
            before_s=run.bound_s,
        )


def _of_framework(calibrated: Calibrated) -> FrameworkCalibration:
    calibration, asked, expected = calibrated.calibration, calibrated.asked, calibrated.asked_expected
    return FrameworkCalibration(
        framework=calibration.framework,
        runs=len(calibration.runs),
        fewest_nodes=calibration.fewest_nodes,
        most_nodes=calibration.most_nodes,
        median_error_before_pct=calibration.median_error_before_pct,
        median_error_pct=calibration.median_error_pct,
        error_log_deviation=calibration.error,
        evidence=calibration.evidence,
        asked=RequestedRun.from_fields(expected, nodes=asked.nodes, data=asked.data, predicted_s=expected.time_s),
        next_runs=list(calibrated.next_runs),
        profile=json.loads(json.dumps(calibration.to_dict())),
    )


def _words(error: BadInput) -> Sequence[str]:
    return [f"{problem.path}: {problem.message}" if problem.path else problem.message for problem in error.problems]
