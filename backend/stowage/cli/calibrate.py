"""`stowage calibrate`, which fits a framework's efficiency to finished jobs, and `stowage predict --calibration`."""

import csv
from collections.abc import Iterator, Mapping, Sequence
from contextlib import closing
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, BinaryIO, TextIO, cast

import click
from rich.console import Console
from rich.markup import escape
from rich.table import Table

from stowage.cli.measure import sought
from stowage.features.calibration.calibration_file import (
    LARGEST_FILE_BYTES,
    CalibrationFileAnswer,
    calibrate_file,
    read_calibrations,
)
from stowage.measure import recognise
from stowage.measure.errors import BadArchive, MissingPart, Unreadable
from stowage.measure.files.archive import LIMITS, is_beside, members_of
from stowage.measure.fits.finished_jobs import REQUIRED, FinishedJob
from stowage.measure.logs import rolled
from stowage.measure.logs.from_logs import ACCEPTED, ClusterOfLog, finished_job, is_size, lacking
from stowage.measure.logs.logged_jobs import FRAMEWORKS, LoggedJob
from stowage.measure.reading import Reading, Remark
from stowage.model.jobs.framework import Framework
from stowage.platform.errors import BadInput, Problem
from stowage.workloads.knowledge import Knowledge, KnowledgeSource, packaged_knowledge
from stowage.workloads.workload_file import WorkloadFile, parse_workload


def run(file: BinaryIO) -> CalibrationFileAnswer:
    """Return the calibration of each framework in a CSV file of finished jobs.

    Rates and prices come from the catalog snapshot in the package.

    Raises
    ------
    BadInput
    """
    return calibrate_file(file, packaged_knowledge, datetime.now(UTC).date())


def with_calibration(
    asked: WorkloadFile, file: BinaryIO, packaged: KnowledgeSource = packaged_knowledge
) -> tuple[WorkloadFile, KnowledgeSource]:
    """Prepare the prediction of a workload with the frameworks of a calibration file.

    Returns
    -------
    WorkloadFile
        The workload. If it has no framework, it gets that of the calibration file, provided the file has exactly one.
    KnowledgeSource
        Function that returns the inputs of a prediction: catalog, profiles and frameworks, including those of the file.

    Raises
    ------
    BadInput
    """
    found: Mapping[str, Framework] = read_calibrations(file.read(LARGEST_FILE_BYTES + 1))

    def source(version: str, region: str) -> Knowledge:
        known = packaged(version, region)
        return replace(known, frameworks={**known.frameworks, **found})

    written = asked.written()
    if asked.workload.framework is None and len(found) == 1:
        written["workload"] = {**written["workload"], "framework": next(iter(found))}
        asked = parse_workload(written)
    return asked, source


def write_jobs(logs: Sequence[str], target: TextIO, remarks: TextIO, *, framework: str, **told: Any) -> None:  # noqa: ANN401 - of `ClusterOfLog`
    """Write the finished jobs of logs as CSV, and remarks about jobs that cannot be used.

    Parameters
    ----------
    logs : sequence of str
        Paths of files, plain, compressed or in archives, and of folders of such files; "-" for standard input.
    target, remarks : TextIO
    framework : str
        Name of the calibration; "" for the name of the program that wrote each log.
    **told
        The other fields of `ClusterOfLog`.

    Raises
    ------
    BadInput
        A file is not a log of finished jobs, or no log contains a job that moved data.
    """
    if told.get("data") is not None and not is_size(told["data"]):
        raise BadInput([Problem("--data", f"{told['data'][:40]!a} is not accepted; accepted: {ACCEPTED['data']}")])
    jobs: list[FinishedJob] = []
    for log in logs:
        name = "standard input" if log == "-" else Path(log).name or log
        try:
            for found in _found_in(log, name):
                if isinstance(found, LoggedJob):
                    cluster = ClusterOfLog(framework=framework or FRAMEWORKS[found.source], **told)
                    if lack := lacking([found], cluster):
                        raise BadInput([_lacks(name, found, field) for field in lack])
                    jobs.append(finished_job(found, cluster))
                else:
                    remarks.write(f"{name}, line {found.line}: {found.message}\n")
        except Unreadable as error:
            where = name if error.line is None else f"{name} line {error.line}"
            raise BadInput([Problem(where, error.message)]) from None
    if not jobs:
        raise BadInput([Problem("LOG", "no job of these logs succeeded and moved 1 MB or more")])
    options = sorted({name for job in jobs for name in job.options})
    phases = list(dict.fromkeys(name for job in jobs for name, _ in job.phases_s))
    rows = csv.writer(target, lineterminator="\n")
    rows.writerow((*REQUIRED, "started_at", *options, *(f"phase:{name}" for name in phases)))
    for job in jobs:
        written, took = job.to_dict(), dict(job.phases_s)
        rows.writerow(
            (
                *(written[name] for name in (*REQUIRED, "started_at")),
                *(job.options.get(name, "") for name in options),
                *(took.get(name, "") for name in phases),
            )
        )


def _lacks(log: str, job: LoggedJob, field: str) -> Problem:
    return Problem(f"--{field}", f"{log} does not have it for {job.name!a}; accepted: {ACCEPTED[field]}")


def _found_in(log: str, name: str) -> Iterator[LoggedJob | Remark]:
    folder, known, unknown = Path(log), 0, list[tuple[str, int | None]]()
    with closing(cast("Any", _files_below(folder) if folder.is_dir() else _files_in(log, name))) as files:
        for path, stream in rolled.joined(files):
            try:
                reader, whole = recognise.recognise(stream)
            except (BadArchive, MissingPart):
                raise
            except Unreadable as error:
                unknown.append((path, error.line))
                continue
            known += 1
            for found in reader.read(whole):
                if isinstance(found, Reading):
                    raise Unreadable(f"output of {found.tool}: `stowage measure` reads it", found.line)
                yield found
    accepted = f"no log of finished jobs; accepted: {recognise.LOGS}"
    if unknown and not known:
        raise Unreadable(accepted, unknown[0][1])
    # A folder may contain other files, such as the standard output of a step.
    for path, line in unknown:
        yield Remark(line or 1, f"{path}: {accepted}")


def _files_in(log: str, name: str) -> Iterator[tuple[str, BinaryIO]]:
    with click.open_file(log, "rb") as file:
        yield from members_of(sought(cast("BinaryIO", file)), name)


def _files_below(folder: Path) -> Iterator[tuple[str, BinaryIO]]:
    """Yield the files below a folder.

    The parts of a rolled log (a log that is split into several files) are yielded in their order.

    Raises
    ------
    Unreadable
        The folder has more files than an archive may contain.
    """
    found: list[str] = []
    for path in folder.rglob("*"):
        relative = path.relative_to(folder).as_posix()
        if path.is_file() and not is_beside(relative):
            found.append(relative)
        if len(found) > LIMITS.members:
            raise Unreadable(f"more than {LIMITS.members:,} files; accepted: a folder of up to that many logs")
    for relative in sorted(sorted({*found} - rolled.replaced(found)), key=rolled.order):
        path = folder / relative
        with path.open("rb") as file:
            # A rolled log comes with an empty marker file; a single empty file would be an error.
            yield from members_of(file, relative) if path.stat().st_size else ((relative, file),)


def show(answer: CalibrationFileAnswer) -> None:
    """Print a calibration as text."""
    console = Console(highlight=False)
    for found in answer.calibrations:
        console.print(f"[bold]{escape(found.framework)}[/bold]  {escape(found.evidence)}")
        coefficients = Table("", "value", "80% interval", box=None, pad_edge=False)
        for one in answer.coefficients:
            if one.framework == found.framework:
                unit = "" if one.unit == "1" else f" {one.unit}"
                unseen = "" if one.seen else "  (not seen)"
                coefficients.add_row(
                    one.what, f"{one.value:.3g}{unit}", f"{one.low:.3g} to {one.high:.3g}{unit}{unseen}"
                )
        console.print(coefficients)
        runs = Table("run", "bound", "from the others", "measured", "error", box=None, pad_edge=False)
        for row in answer.leave_one_out:
            if row.framework == found.framework:
                seconds = (row.before_s, row.predicted_s, row.measured_s)
                runs.add_row(escape(row.name), *(f"{each:,.0f} s" for each in seconds), f"{row.error_pct:+.1f}%")
        console.print(runs)
        asked = found.asked
        console.print(
            f"{asked.data} on {asked.nodes:,} nodes: {asked.predicted_s:,.0f} s, "
            f"{asked.low_s:,.0f} to {asked.high_s:,.0f} s with 80%"
        )
        for words in asked.beyond:
            console.print(f"  [yellow]{escape(words)}[/yellow]")
        if found.next_runs:
            console.print("What teaches most:")
        for proposed in found.next_runs:
            cost = "" if proposed.cost_usd is None else f" (${proposed.cost_usd:,.2f})"
            console.print(f"  {escape(proposed.words)}{cost}")
        console.print()
    for problem in answer.problems:
        where = "" if problem.line is None else f"line {problem.line}: "
        console.print(f"[yellow]Not taken:[/yellow] {where}{escape(problem.message)}")
