"""`stowage measure`: parsing of benchmark output, and upload to the service of `stowage login`."""

import json
import sys
import time
from collections.abc import Mapping, Sequence
from dataclasses import asdict
from pathlib import PurePath
from tempfile import SpooledTemporaryFile
from typing import Any, BinaryIO, cast
from uuid import uuid4

import click
from rich.console import Console
from rich.markup import escape
from rich.padding import Padding
from rich.progress import BarColumn, Progress, TextColumn
from rich.table import Table

from stowage.cli.server.configuration import configured
from stowage.cli.service import Refused, Service, refusals_answered, signed_in
from stowage.cli.statuses import BAD_INPUT, DONE
from stowage.features.measurements.measure_file import MeasureAnswer, MeasuredReading, read_said, understand
from stowage.measure.target import DiskTarget, VolumeTarget
from stowage.platform.errors import BadInput, Problem
from stowage.workloads.knowledge import packaged_knowledge

_IN_MEMORY_BYTES = 8 << 20
_PAGE = 500
_PATIENCE_S = 600.0
_MOST_SHOWN = 4
"""Metrics of a measurement that a terminal shows; `--json` has all."""


def run(
    files: Sequence[BinaryIO], fields: Mapping[str, str | int | bool | None], *, dry_run: bool, as_json: bool
) -> int:
    """Print the results parsed from files, or upload the files.

    Returns
    -------
    int
        Exit status: 0 parsed, and stored unless it is a dry run; 1 the service does not answer; 2 a file without
        results, not signed in, no permission, or missing details of the measured target.

    Raises
    ------
    BadInput
        An option is invalid.
    """
    said = read_said(fields)
    streams = [(name_of(file), sought(file)) for file in files]
    if dry_run:
        return _show(understand(streams, said, packaged_knowledge), as_json=as_json)
    with refusals_answered():
        service = signed_in(configured())
        kept = [_upload(service, name, stream, said, as_json=as_json) for name, stream in streams]
    if as_json:
        click.echo(json.dumps({"uploads": kept}, indent=2))
    return DONE if all(each["state"] == "kept" for each in kept) else BAD_INPUT


def name_of(file: BinaryIO) -> str:
    """Return the name of a file without its folder."""
    return PurePath(file.name).name if isinstance(file.name, str) and file.name != "<stdin>" else "standard input"


def sought(file: BinaryIO) -> BinaryIO:
    """Return a seekable stream of a file.

    The content of a pipe is copied to memory or, if it is large, to a temporary file.
    """
    if file.seekable():
        return file
    spooled = SpooledTemporaryFile(_IN_MEMORY_BYTES)  # noqa: SIM115 - closed at process exit
    while piece := file.read(1 << 16):
        spooled.write(piece)
    spooled.seek(0)
    return cast("BinaryIO", spooled)


def _show(answer: MeasureAnswer, *, as_json: bool) -> int:
    if as_json:
        click.echo(answer.model_dump_json(indent=2))
    else:
        _print(answer)
    return BAD_INPUT if answer.not_understood else DONE


def _print(answer: MeasureAnswer) -> None:
    console = Console(highlight=False)
    file = ""
    for reading in answer.measurements:
        if reading.file != file:
            file = reading.file
            console.print(f"[bold]{escape(file)}[/bold]")
        _print_reading(console, reading)
    for problem in answer.problems:
        line = "" if problem.line is None else f" line {problem.line}"
        console.print(f"[yellow]{escape(problem.file)}{line}:[/yellow] {escape(problem.message)}")
    good = sum(reading.judgement == "good" for reading in answer.measurements)
    count = len(answer.measurements)
    if count > 1:
        console.print(f"{count:,} measurements, {good:,} of them good. Nothing was stored.")


_COLOURS = {"good": "green", "doubtful": "yellow", "rejected": "red"}


def _print_reading(console: Console, reading: MeasuredReading) -> None:
    colour = _COLOURS[reading.judgement]
    version = reading.tool_version or reading.tool
    console.print(
        f"  {escape(reading.name)}  [dim]{escape(version)}, line {reading.line}[/dim]  "
        f"[{colour}]{reading.judgement}[/{colour}]  {escape(reading.target)}"
    )
    table = Table(box=None, show_header=False, pad_edge=False, padding=(0, 2))
    for metric in reading.metrics[:_MOST_SHOWN]:
        unit = "" if metric.unit == "1" else metric.unit
        table.add_row("   ", metric.name, f"{metric.value:,.6g} {unit}", f"[dim]{escape(metric.told)}[/dim]")
    console.print(table)
    left = len(reading.metrics) - _MOST_SHOWN
    if left > 0:
        console.print(f"     and {left:,} more: --json", style="dim")
    for words in (*reading.reasons, *reading.notes):
        console.print(Padding(escape(words), (0, 0, 0, 5)), style="dim")
    if reading.missing:
        options = ", ".join(f"--{field.replace('_', '-')}" for field in reading.missing)
        console.print(f"     To be kept it needs {options}", style="yellow")


def _upload(service: Service, name: str, stream: BinaryIO, said: Mapping[str, Any], *, as_json: bool) -> dict[str, Any]:
    """Upload a file, and accept its results if no required detail is missing.

    Otherwise, the user can add the details and accept the results on the page.
    """
    stream.seek(0, 2)
    size = stream.tell()
    stream.seek(0)
    if size == 0:
        raise BadInput([Problem(name, "is empty; accepted is what a benchmark tool wrote")])
    upload = service.ask("POST", "/uploads", {"name": name, "size_bytes": size}, {"Idempotency-Key": str(uuid4())})
    path = f"/uploads/{upload['id']}"
    try:
        upload = _sent(service, path, stream, upload, name, quiet=as_json)
    except KeyboardInterrupt:
        service.ask("DELETE", path)
        raise
    if upload["state"] == "refused":
        raise BadInput([Problem(name, upload["problem"])])
    if upload["jobs_total"]:
        found: dict[str, Any] = {"state": "read", "measurements": [], "known": 0, "missing": []}
    else:
        found = _kept(service, path, said)
    if not as_json:
        _tell(service, name, upload, found)
    return {"file": name, "id": upload["id"], **found}


def _page_of(service: Service, upload: Mapping[str, Any]) -> str:
    """Return the address of the page that reviews an upload."""
    return f"{service.address}/benchmarks/upload/{upload['id']}"


def _sent(
    service: Service, path: str, stream: BinaryIO, upload: Mapping[str, Any], name: str, *, quiet: bool
) -> dict[str, Any]:
    """Send a file in pieces and wait until a worker has parsed it."""
    size, piece_bytes = upload["size_bytes"], upload["piece_bytes"]
    shown = Progress(
        TextColumn("{task.description}"), BarColumn(), TextColumn("{task.percentage:>3.0f}%"), transient=True,
        console=Console(stderr=True), disable=quiet or not sys.stderr.isatty(),
    )  # fmt: skip
    with shown as progress:
        sending = progress.add_task(f"Sending {name}", total=size)
        for number in range(-(-size // piece_bytes)):
            piece = stream.read(piece_bytes)
            service.ask("PUT", f"{path}/pieces/{number}", content=piece)
            progress.advance(sending, len(piece))
        now = service.ask("POST", f"{path}/read")
        reading = progress.add_task(f"Reading {name}", total=now["job"]["total"])
        deadline, pause_s = time.monotonic() + _PATIENCE_S, 0.1
        while now["state"] == "reading":
            if now["job"] is not None and now["job"]["state"] in {"failed", "cancelled"}:
                raise Refused(f"{service.address}: {name} could not be read: {now['job']['reason']}")
            if time.monotonic() > deadline:
                raise Refused(f"{name} is still being read; see {_page_of(service, upload)}")
            time.sleep(pause_s)
            pause_s = min(1.0, 1.5 * pause_s)
            now = service.ask("GET", f"{path}?limit=1")
            if now["job"] is not None:
                progress.update(reading, completed=now["job"]["done"])
    return now


def _kept(service: Service, path: str, said: Mapping[str, Any]) -> dict[str, Any]:
    """Accept all results of an upload, or none if any of them lacks a required detail."""
    keeping, lacking = list[dict[str, Any]](), dict[str, None]()
    offset, total = 0, 1
    while offset < total:
        page = service.ask("GET", f"{path}?offset={offset}&limit={_PAGE}")
        total = page["readings_total"]
        for reading in page["readings"]:
            target = _target(reading, said)
            lacking |= {
                need["field"]: None
                for need in reading["needs"]
                if need["field"] != "nodes" and target[need["field"]] is None
            }
            keeping.append({"position": reading["position"], "target": target, "keep": True})
        offset += _PAGE
    if lacking:
        return {"state": "read", "measurements": [], "known": 0, "missing": list(lacking)}
    kept = service.ask("POST", f"{path}/keep", {"readings": keeping})
    return {"state": "kept", "measurements": kept["measurements"], "known": kept["known"], "missing": []}


def _target(reading: Mapping[str, Any], said: Mapping[str, Any]) -> dict[str, Any]:
    """Return the target of a result: the instance, storage and nodes that were measured.

    Details from the command line override the service's guesses.
    """
    needed = {need["field"] for need in reading["needs"]} | {"instance", "region", "zone"}
    target = {field: guessed["value"] for field, guessed in reading["guess"].items()}
    target |= {field: value for field, value in said.items() if field in needed}
    if isinstance(target["storage"], DiskTarget | VolumeTarget):
        target["storage"] = asdict(target["storage"])
    return {**target, "nodes": target["nodes"] or 1}


def _tell(service: Service, name: str, upload: Mapping[str, Any], found: Mapping[str, Any]) -> None:
    console = Console(highlight=False)
    address = _page_of(service, upload)
    if upload["jobs_total"]:
        jobs = f"{upload['jobs_total']:,} finished job{'' if upload['jobs_total'] == 1 else 's'}"
        console.print(f"{escape(name)}: a log of {jobs}; complete it at {escape(address)}", style="yellow")
        return
    if found["state"] != "kept":
        options = ", ".join(f"--{field.replace('_', '-')}" for field in found["missing"])
        console.print(f"{escape(name)}: say {options} too, or complete it at {escape(address)}", style="yellow")
        return
    new, known = len(found["measurements"]), found["known"]
    told = f"{new:,} measurement{'' if new == 1 else 's'} kept"
    if known:
        told += f", {known:,} known already"
    if upload["problems_total"]:
        told += f", {upload['problems_total']:,} lines not understood"
    console.print(f"{escape(name)}: {told}. {escape(address)}")
