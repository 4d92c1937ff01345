"""Reader of a team's finished jobs, from a CSV file with one line per job."""

import csv
import math
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import field
from datetime import UTC, datetime
from typing import Any, BinaryIO

from stowage.frozen import frozen
from stowage.measure.errors import Unreadable
from stowage.measure.files.text import lines_of
from stowage.measure.reading import MOST_READINGS, MOST_REMARKS, Remark
from stowage.model.hardware.volume_limits import VOLUME_KINDS
from stowage.model.units import parse_duration

REQUIRED = ("name", "job", "framework", "instance", "nodes", "data", "input_output", "measured_s")
"""Required columns."""
RATES = (
    *("storage_mb_per_s", "network_mb_per_s", "ebs_read_mb_per_s", "ebs_write_mb_per_s", "object_store_mb_per_s"),
    "cpu_mb_per_s_per_vcpu",
)
"""Columns of measured rates of a node, as in the section `measured` of a workload file."""
OPTIONS = (
    *("region", "placement_group", "catalog", "replicas", "replication", "block_size", "local_share"),
    *("map_selectivity", "reduce_selectivity", "skew", "partitions", "compressed_to", "intermediate"),
    *("input_compressed_to", "output_compressed_to", "tasks_per_node", "memory_per_task"),
    *("record", "fsync", "io", "read_share", "queue_depth", "credits"),
    *RATES,
)
"""Optional columns, with the same meaning as in a workload file."""
OLD_OPTIONS = {"catalogue": "catalog"}
"""Names of columns until November 2026 and today's: stored jobs have the old ones."""
_STORED_OPTIONS = {today: old for old, today in OLD_OPTIONS.items()}
JOBS = ("sort", "mapreduce", "hdfs-write", "hdfs-read", "append-log", "random-io")
"""Accepted values of ``job``."""
MOST_NODES = 10_000_000
_LONGEST_TEXT = 200
_VOLUME = re.compile(rf"(?<![a-z0-9])({'|'.join(VOLUME_KINDS)})(?![a-z0-9])")
_SIZE = re.compile(r"(?<!\d)(\d++(?:\.\d++)?)\s*(gib|gb|tib|tb)(?![a-z/])")
_COUNT = re.compile(r"(?<![\d.])(\d{1,3})\s*[x\u00d7*]|[x\u00d7*]\s*(\d{1,3})(?![\d.])")
_IOPS = re.compile(r"(\d{1,7})\s*iops")
_THROUGHPUT = re.compile(r"(\d{1,6})\s*mib/s")
_BETWEEN = re.compile(r"(?:ebs|[\s,:;/@+-])*")
_UNITS = {"gib": "GiB", "gb": "GB", "tib": "TiB", "tb": "TB"}
_DISKS = re.compile(r"instance-store(?:\s+(?P<outer>\d{1,3})\s*\+\s*(?P<inner>\d{1,3}))?")
_FRAMEWORK = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,59}")


@frozen
class FinishedJob:
    """One job that a team has run, with its measured time."""

    name: str
    """The team's name of the run."""
    job: str
    """One of `JOBS`."""
    framework: str
    """The framework that ran the job; also the name of the calibration."""
    instance: str
    nodes: int
    """Nodes that store data; at least 1."""
    data: str
    """Data size as in a workload file: `2 TB`."""
    input_output: str
    """Storage of input and output: `instance-store`, `instance-store 4+4`, `object-store` or EBS volumes such as `8 x
    gp2 135 GiB`. With provisioned rates: `8 x gp3 500 GiB 6000 IOPS 500 MiB/s`."""
    measured_s: float
    """Measured time of the job [s], above 0."""
    phases_s: tuple[tuple[str, float], ...] = ()
    """Names of phases and their measured times, as far as known [s]."""
    options: Mapping[str, str] = field(default_factory=dict)
    """Other fields of a workload file, by name (`OPTIONS`), as written."""
    started_at: datetime | None = None
    """With a time zone."""
    line: int | None = None
    """Number of the job's line in the CSV file, from 1."""

    def storage(self) -> dict[str, Any]:
        """Return the ``cluster.storage`` section of a workload file for the job.

        Examples
        --------
        >>> job = FinishedJob("a", "sort", "spark", "i2.8xlarge", 4, "1 TB", "8 x gp2 135 GiB", 100.0)
        >>> job.storage()
        {'kind': 'ebs', 'type': 'gp2', 'size': '135 GiB', 'count': 8}
        """
        disks = _DISKS.fullmatch(self.input_output)
        if disks is not None:
            section: dict[str, Any] = {"kind": "instance-store"}
            if disks["outer"] is not None:
                section |= {"input_output_disks": int(disks["outer"]), "intermediate_disks": int(disks["inner"])}
            return section
        return {"kind": "object-store"} if self.input_output == "object-store" else _volumes(self.input_output)

    def to_dict(self) -> dict[str, Any]:
        """Convert the job to JSON; inverse of `from_dict`."""
        return {
            **{name: getattr(self, name) for name in REQUIRED},
            "phases_s": [[name, seconds] for name, seconds in self.phases_s],
            # By the old names: the fingerprint of a stored job must not change.
            "options": {_STORED_OPTIONS.get(name, name): value for name, value in self.options.items()},
            "started_at": None if self.started_at is None else self.started_at.isoformat(),
        }

    @classmethod
    def from_dict(cls, document: Mapping[str, Any]) -> "FinishedJob":
        """Build a job from the JSON of `to_dict`."""
        started = document["started_at"]
        return cls(
            **{name: document[name] for name in REQUIRED},
            phases_s=tuple((str(name), float(seconds)) for name, seconds in document["phases_s"]),
            options={OLD_OPTIONS.get(name, name): value for name, value in document["options"].items()},
            started_at=None if started is None else datetime.fromisoformat(started),
        )


def read_jobs(stream: BinaryIO) -> Iterator[FinishedJob | Remark]:
    """Read a CSV file of finished jobs, line by line.

    Parameters
    ----------
    stream : BinaryIO
        CSV, separated by commas or semicolons. The first line names the columns: those of `REQUIRED`, and optionally
        those of `OPTIONS`, ``started_at`` and ``phase:NAME`` [s]. Other columns are ignored.

    Yields
    ------
    FinishedJob or Remark
        For a line with an invalid field, a remark with the column, the value and what is accepted.

    Raises
    ------
    Unreadable
        No header, or columns are missing.
    """
    lines = ((line.number, line.text) for line in lines_of(stream) if line.text.strip())
    number, header = next(lines, (1, ""))
    separator = ";" if header.count(";") > header.count(",") else ","
    columns = _columns(header, separator, number)
    found = remarks = 0
    for number, text in lines:
        try:
            job = _job(columns, _fields(text, separator, number), number)
        except (ValueError, Unreadable) as error:
            remarks += 1
            if remarks <= MOST_REMARKS:
                more = "" if remarks < MOST_REMARKS else "; further lines that are not understood are not listed"
                yield Remark(number, f"{error}{more}")
            continue
        found += 1
        if found > MOST_READINGS:
            raise Unreadable(f"more than {MOST_READINGS:,} finished jobs; split the file", number)
        yield job


def _columns(header: str, separator: str, line: int) -> list[str]:
    needed = ", ".join(REQUIRED)
    if not header:
        raise Unreadable(f"the file is empty; its first line must name the columns: {needed}", line)
    names = [name.strip() for name in _fields(header, separator, line)]
    columns = [OLD_OPTIONS.get(name, name) for name in names]
    missing = [name for name in REQUIRED if name not in columns]
    if missing:
        raise Unreadable(f"the columns {', '.join(missing)} are missing; needed: {needed}", line)
    twice = next((name for name in columns if columns.count(name) > 1), None)
    if twice is not None:
        raise Unreadable(f"the column {twice!a} is there twice", line)
    return columns


def _fields(text: str, separator: str, line: int) -> list[str]:
    try:
        # No column allows line breaks, so each line is parsed separately.
        return next(csv.reader([text], delimiter=separator, strict=True))
    except csv.Error as error:
        raise Unreadable(f"not a line of CSV: {error}", line) from None


def _job(columns: Sequence[str], values: Sequence[str], line: int) -> FinishedJob:
    if len(values) != len(columns):
        raise ValueError(f"{len(values)} fields, and the first line names {len(columns)} columns")
    written = {name: value.strip() for name, value in zip(columns, values, strict=True) if value.strip()}
    for name in REQUIRED:
        if name not in written:
            raise ValueError(f"{name} is empty")
    known = {name: value for name, value in written.items() if name in {*REQUIRED, *OPTIONS}}
    for name, value in known.items():
        accepted = accepted_instead(name, value)
        if accepted is not None:
            raise _wrong(name, value, accepted)
    nodes = written["nodes"]
    if not re.fullmatch(r"[0-9]{1,8}", nodes) or not 1 <= int(nodes) <= MOST_NODES:
        raise _wrong("nodes", nodes, f"a whole number from 1 to {MOST_NODES:,}")
    phases = [
        (name.removeprefix("phase:").strip()[:_LONGEST_TEXT], _seconds(name, value))
        for name, value in written.items()
        if name.startswith("phase:")
    ]
    started = written.get("started_at")
    return FinishedJob(
        **{name: written[name] for name in ("name", "job", "framework", "instance", "data", "input_output")},
        nodes=int(nodes),
        measured_s=_seconds("measured_s", written["measured_s"]),
        phases_s=tuple(phases),
        options={name: written[name] for name in OPTIONS if name in written},
        started_at=None if started is None else _instant(started),
        line=line,
    )


def accepted_instead(column: str, value: str) -> str | None:
    """Return the values that a text column accepts, for an error message.

    The result is None if the given value is accepted.

    Examples
    --------
    >>> accepted_instead("job", "sort") is None, accepted_instead("job", "dance")
    (True, 'sort, mapreduce, hdfs-write, hdfs-read, append-log, random-io')
    """
    if not value or len(value) > _LONGEST_TEXT or not value.isprintable():
        return f"up to {_LONGEST_TEXT} printable characters"
    if column == "job" and value not in JOBS:
        return ", ".join(JOBS)
    if column == "framework" and not _FRAMEWORK.fullmatch(value):
        return "a name of letters, digits, '.', '_' and '-', up to 60"
    if column == "input_output" and value != "object-store" and not _DISKS.fullmatch(value) and not _volumes(value):
        return "instance-store, instance-store 4+4, object-store, or as in 8 x gp2 135 GiB"
    return None


def _volumes(written: str) -> dict[str, Any]:
    """Parse a description of EBS volumes.

    The type, size, count and rates may be in any order. The result is an empty dict if the text describes no volumes.

    Examples
    --------
    >>> _volumes("8 x gp2 135 GiB") == _volumes("ebs: gp2, 135 GiB x 8")
    True
    >>> all(_volumes(f"8 x {name} 500 GiB")["type"] == name for name in VOLUME_KINDS)
    True
    """
    rest, found = written.lower(), dict[str, str]()
    # Parsed parts are removed, so that no figure is parsed twice.
    patterns = {"throughput": _THROUGHPUT, "iops": _IOPS, "size": _SIZE, "type": _VOLUME, "count": _COUNT}
    for name, pattern in patterns.items():
        match = pattern.search(rest)
        if match is not None:
            found[name] = match[0] if name == "size" else next(part for part in match.groups() if part)
            rest = rest[: match.start()] + " " + rest[match.end() :]
    if "type" not in found or "size" not in found or not _BETWEEN.fullmatch(rest):
        return {}
    size = _SIZE.fullmatch(found["size"])
    if size is None:
        raise RuntimeError("a size was found")
    section: dict[str, Any] = {
        "kind": "ebs",
        "type": found["type"],
        "size": f"{size[1]} {_UNITS[size[2]]}",
        "count": int(found.get("count", "1")),
    }
    if "iops" in found:
        section["iops"] = int(found["iops"])
    if "throughput" in found:
        section["throughput_mib_per_s"] = int(found["throughput"])
    return section


def _seconds(column: str, value: str) -> float:
    """Parse a duration, with or without a unit; without a unit, it is in seconds."""
    accepted = "seconds above 0 (888, 888.5), or a duration as in 15 min"
    read: tuple[Callable[[str], float], ...] = (float, parse_duration)
    for how in read:
        try:
            seconds = how(value)
        except ValueError:
            continue
        if math.isfinite(seconds) and 0.0 < seconds <= 1e9 and "_" not in value:
            return seconds
        break
    raise _wrong(column, value, accepted)


def _instant(value: str) -> datetime:
    try:
        found = datetime.fromisoformat(value)
    except ValueError:
        raise _wrong("started_at", value, "a time as in 2026-11-20T14:30:00+00:00") from None
    return found.replace(tzinfo=UTC) if found.tzinfo is None else found


def _wrong(column: str, value: str, accepted: str) -> ValueError:
    return ValueError(f"{column} is {value[:40]!a}; accepted: {accepted}")
