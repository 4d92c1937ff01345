"""The work of `stowage measure`: parsing and judging local files of benchmark output, without a server.

Files are parsed and judged in the same way as uploads.
"""

from collections.abc import Iterable, Mapping
from contextlib import closing
from dataclasses import replace
from typing import Any, BinaryIO, Literal, cast

from stowage.features.measurements.targets import Market, read_target
from stowage.measure import recognise
from stowage.measure.asking import guess, missing, needs_of
from stowage.measure.errors import BadArchive, Unreadable
from stowage.measure.files.archive import files_of
from stowage.measure.files.strict import BadValue
from stowage.measure.judging.judgement import judge
from stowage.measure.logs.logged_jobs import LoggedJob
from stowage.measure.metrics import kind_of
from stowage.measure.reading import Reading, Status
from stowage.measure.target import Target, parse_storage
from stowage.measure.tool import Tool
from stowage.platform.described import Answer
from stowage.platform.errors import BadInput, Problem
from stowage.workloads.knowledge import KnowledgeSource

_LOG = "a log of finished jobs; `stowage finished-jobs` reads it, and so does the page under Measurements"


class MeasuredMetric(Answer):
    """A number that a benchmark tool printed, converted to the unit that Stowage uses."""

    name: str
    value: float
    unit: str
    told: str
    """The number as the tool printed it, with its unit."""


class MeasuredReading(Answer):
    """A measurement that was found in a file."""

    file: str
    """For a file in an archive, its path follows a colon."""
    tool: Tool
    tool_version: str | None
    status: Status
    failure: str | None
    name: str
    line: int
    target: str
    """Target of the measurement in words, as far as the file and the options name it."""
    missing: list[str]
    """Facts about the target that are required before the measurement can be stored."""
    judgement: Literal["good", "doubtful", "rejected"]
    """Judged with the known facts about the target."""
    reasons: list[str]
    metrics: list[MeasuredMetric]
    notes: list[str]


class MeasureProblem(Answer):
    """A part of a file that no reader recognized."""

    file: str
    line: int | None
    message: str


class MeasureAnswer(Answer):
    """Measurements found in the given files."""

    measurements: list[MeasuredReading]
    problems: list[MeasureProblem]
    not_understood: list[str]
    """Files without a measurement."""


def understand(
    files: Iterable[tuple[str, BinaryIO]], said: Mapping[str, Any], source: KnowledgeSource
) -> MeasureAnswer:
    """Return the measurements found in files of benchmark output, each with a judgement of its quality.

    Parameters
    ----------
    files : iterable of tuple of str and BinaryIO
        Name and content of each file. Streams must be seekable, because zip files are read from the end.
    said : mapping
        Fields of the target that apply to all results (from `read_said`); they override the fields in the files.

    Raises
    ------
    BadInput
        A field of the target is invalid.
    """
    market = Market(source)
    market.check(Target(**said))
    measurements, problems, not_understood = list[MeasuredReading](), list[MeasureProblem](), list[str]()
    for name, stream in files:
        member, of_file = name, list[MeasuredReading]()
        try:
            with closing(cast("Any", files_of(stream, name))) as members:
                for path, content in members:
                    member = name if path == name else f"{name}:{path}"
                    try:
                        for found in recognise.read(content):
                            if isinstance(found, Reading):
                                of_file.append(_answer(member, found, said, market))
                            elif isinstance(found, LoggedJob):
                                problems.append(MeasureProblem(file=member, line=found.line, message=_LOG))
                                break
                            else:
                                problems.append(MeasureProblem(file=member, line=found.line, message=found.message))
                    except Unreadable as error:
                        if isinstance(error, BadArchive):
                            raise
                        problems.append(MeasureProblem(file=member, line=error.line, message=error.message))
        except Unreadable as error:
            # Of an archive that is not what it seems nothing counts.
            of_file.clear()
            problems.append(MeasureProblem(file=member, line=error.line, message=error.message))
        measurements += of_file
        if not of_file:
            not_understood.append(name)
    return MeasureAnswer(measurements=measurements, problems=problems, not_understood=not_understood)


def read_said(fields: Mapping[str, Any]) -> dict[str, Any]:
    """Parse the fields of a target (the measured hardware) from text.

    Fields with the value None are left out.

    Parameters
    ----------
    fields : mapping
        ``instance``, ``region``, ``zone``, ``nodes``, ``placement_group`` and ``storage``, the last as in
        ``gp3 500 GiB 6,000 IOPS x 4``.

    Returns
    -------
    dict
        Fields of a `Target`.

    Raises
    ------
    BadInput
        A field is invalid; the error names the field, its value and the accepted values.
    """
    said = {name: value for name, value in fields.items() if value is not None}
    try:
        storage = parse_storage(said.pop("storage")) if "storage" in said else None
    except BadValue as error:
        raise BadInput([Problem(error.field, str(error).removeprefix(f"{error.field}: "))]) from None
    read_target(said)
    return said if storage is None else {**said, "storage": storage}


def said_of(reading: Reading, said: Mapping[str, Any]) -> Target:
    """Return the target (the measured hardware) of a result.

    Fields in ``said`` override the fields that the file states.
    """
    needed = {need.field for need in needs_of(reading)} | {"instance", "region", "zone"}
    return replace(guess(reading, {}).target(), **{name: value for name, value in said.items() if name in needed})


def _answer(file: str, reading: Reading, said: Mapping[str, Any], market: Market) -> MeasuredReading:
    target = said_of(reading, said)
    try:
        judged = market.judge(reading, target)
    except BadInput:
        # The file names an unknown region.
        judged = judge(reading, target, None)
    return MeasuredReading.from_fields(
        reading,
        file=file,
        target=target.words(),
        missing=[need.field for need in missing(target, needs_of(reading))],
        judgement=judged.verdict,
        reasons=[reason.words for reason in judged.reasons],
        metrics=[
            MeasuredMetric(
                name=metric.name,
                value=metric.value,
                unit=kind_of(metric.name).unit,
                told=f"{metric.told.text} {metric.told.unit}".strip(),
            )
            for metric in reading.metrics
        ],
    )
