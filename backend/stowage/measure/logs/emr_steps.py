"""Reader of the logs of Amazon EMR steps: `syslog` and `controller`.

A `syslog` has the counters of MapReduce jobs, but no phases and no hosts. Its times are those of the client and include
the wait in a queue. A `controller` has only the times of Spark steps. The command of a step may contain secrets, so it
is never stored.

Not tested with: files of EMR, which needs an account. Our test files of `syslog` contain output of Hadoop 3.3.6, in the
layout that public programs parse.

**Source** of the controller: lines in public reports, of 2016 (github.com/delta-rho/install-emr, issue 19) and 2024 (a
README with five `Step succeeded` lines); read 2026-11-26.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import BinaryIO, Final

from stowage.measure.files.head import Head
from stowage.measure.files.text import Line, lines_of
from stowage.measure.logs.logged_jobs import LEAST_MB, MOST_TIME_S, LoggedJob, timed_job
from stowage.measure.logs.mapreduce_jobs import Ran, logged_job
from stowage.measure.reading import Remark
from stowage.measure.tools.hadoop_log import COMPLETED, RUNNING, counter_in, entry_of, failure_in

_SYSLOG: Final = re.compile(
    r"^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d,\d{3} [A-Z]{4,5} org\.apache\.hadoop\.[\w.$]+ \(main\): ", re.MULTILINE
)
_CONTROLLER: Final = re.compile(
    r"^(?:\S{20,30}Z )?INFO (?:startExec '|StepRunner: Created Runner for step )", re.MULTILINE
)
_FAILED: Final = re.compile(r"Job (job_\w{1,80}) failed with state ")
_MOVED: Final = re.compile(r"(\w{1,20}): Number of bytes (read|written)")
_NAMES: Final = {
    "Map output materialized bytes": "MAP_OUTPUT_MATERIALIZED_BYTES",
    "CPU time spent (ms)": "CPU_MILLISECONDS",
    "Launched reduce tasks": "TOTAL_LAUNCHED_REDUCES",
}
_MOST_COUNTERS: Final = 1_000
_MOST_OPEN: Final = 1_000
"""Maximum number of concurrent jobs, submitted by threads of one program."""
_LATEST: Final = datetime.fromtimestamp(MOST_TIME_S, UTC)
_COMMAND: Final = re.compile(r"(?:\S+Z )?INFO startExec '")
_SPARK: Final = re.compile(r"\b(?:spark-submit|spark-sql|spark-shell|spark-example|pyspark|run-example)\b")
_STEP: Final = re.compile(r"startRun\(\) called for (s-[A-Z0-9]{1,30})\b")
_ENDED: Final = re.compile(
    r"(\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3})Z (?:INFO|WARN) Step (succeeded|failed) with exitCode -?\d+ "
    r"and took (\d{1,9}) seconds"
)


def recognises(head: Head) -> bool:
    """Return whether a file is the `syslog` or the `controller` of an EMR step."""
    return bool(_SYSLOG.search(head.text) or _CONTROLLER.search(head.text))


def read(stream: BinaryIO) -> Iterator[LoggedJob | Remark]:
    """Read the jobs in a `syslog` file, or the times of the steps in a `controller` file."""
    syslog, controller, line = _Syslog(), _Controller(), Line(1, "")
    for line in lines_of(stream):
        yield from syslog.take(line)
        yield from controller.take(line)
    yield from syslog.close()
    if controller.begun:
        yield Remark(line.number, "the step had not ended; accepted: a controller with 'Step succeeded'")
    if not (syslog.found or controller.found):
        yield Remark(line.number, "no job; accepted: a syslog with 'Running job', a controller with 'Step succeeded'")


@dataclass(slots=True)
class _Job:
    """One MapReduce job that has begun."""

    name: str
    began_at: datetime
    line: int
    ended_at: datetime | None = None
    failed: bool = False
    unclear: bool = False
    counters: dict[str, float] = field(default_factory=dict)


class _Syslog:
    """Jobs of a `syslog`, by name.

    Counters do not state the name of their job. They follow the end of the job to which they belong.
    """

    def __init__(self) -> None:
        self.found = False
        self._jobs: dict[str, _Job] = {}
        self._counted: _Job | None = None

    def take(self, line: Line) -> Iterator[LoggedJob | Remark]:
        entry = entry_of(line.text)
        message, of_job = entry.message.strip(), entry.logger in {"Job", "JobClient"}
        running = RUNNING.match(message) if of_job else None
        completed = COMPLETED.match(message)
        if running and entry.at is not None:
            if running[1] in self._jobs or len(self._jobs) >= _MOST_OPEN:
                yield from self.close()
            self._jobs[running[1]] = _Job(running[1], entry.at, line.number)
            self.found = True
        elif completed and entry.at is not None:
            self._complete(completed["new"] or completed["old"], entry.at, line.number)
        elif of_job and failure_in(entry) is not None:
            named = _FAILED.match(message)
            for job in self._jobs.values():
                job.failed |= job.ended_at is None and (named is None or named[1] == job.name)
        elif self._counted is not None:
            self._count(self._counted, line.text)

    def close(self) -> Iterator[LoggedJob | Remark]:
        jobs, self._jobs, self._counted = self._jobs, {}, None
        for job in jobs.values():
            yield _of_syslog(job)

    def _complete(self, name: str, at: datetime, line: int) -> None:
        job, before = self._jobs.get(name), self._counted
        if job is None or job.ended_at is not None:
            return
        job.ended_at, job.line = at, line
        # If two jobs end before the counters of either, the counters may belong to each of them.
        if before is not None and not before.counters:
            before.unclear = job.unclear = True
        self._counted = job

    @staticmethod
    def _count(job: _Job, text: str) -> None:
        counter = counter_in(text)
        if counter is None or job.unclear:
            return
        moved = _MOVED.fullmatch(counter[0])
        name = f"{moved[1]}_BYTES_{moved[2].upper()}" if moved else _NAMES.get(counter[0])
        if name is not None and name not in job.counters and len(job.counters) < _MOST_COUNTERS:
            # A counter that overflowed is negative.
            job.counters[name] = min(1e18, max(0.0, float(counter[1])))


def _of_syslog(job: _Job) -> LoggedJob | Remark:
    if job.failed:
        return Remark(job.line, f"{job.name}: the job did not succeed; accepted: jobs that did")
    if job.ended_at is None:
        return Remark(job.line, f"{job.name}: the log ends before the job did; accepted: jobs that ended")
    if not job.began_at < job.ended_at < _LATEST:
        times = f"{job.began_at:%Y-%m-%d %H:%M:%S} to {job.ended_at:%Y-%m-%d %H:%M:%S}"
        return Remark(job.line, f"{job.name} ran from {times}; accepted: a beginning before an end, up to {_LATEST:%Y}")
    if job.unclear:
        return Remark(job.line, f"{job.name} ended beside another job: which counters are its own is not said")
    reduced = job.counters.get("TOTAL_LAUNCHED_REDUCES", 0.0) > 0.0
    ran = Ran(job.name, job.line, job.began_at.timestamp(), job.ended_at.timestamp(), reduced)
    # The log has no separate counters of map tasks; reduce tasks read no input.
    found = logged_job(ran, job.counters, job.counters)
    return found or Remark(job.line, f"{job.name}: the job did not move {LEAST_MB:g} MB or more")


class _Controller:
    def __init__(self) -> None:
        self.found = False
        self.begun = False
        self._spark, self._name = False, ""

    def take(self, line: Line) -> Iterator[LoggedJob | Remark]:
        if _COMMAND.match(line.text):
            self.begun = self.found = True
            self._spark, self._name = bool(_SPARK.search(line.text)), ""
        elif self.begun and (step := _STEP.search(line.text)):
            self._name = step[1]
        elif self.begun and (ended := _ENDED.match(line.text)):
            self.begun = False
            yield self._step(line.number, ended)

    def _step(self, line: int, ended: re.Match[str]) -> LoggedJob | Remark:
        name = f"step {self._name}".strip()
        took_s = float(ended[3])
        if ended[2] != "succeeded":
            return Remark(line, f"{name} did not succeed; accepted: steps that did")
        if not self._spark:
            return Remark(line, f"{name} does not run Spark; jobs of MapReduce are in its syslog")
        try:
            ended_s = datetime.fromisoformat(ended[1]).replace(tzinfo=UTC).timestamp()
        except ValueError:
            return Remark(line, f"{name} ended at {ended[1]!a}; accepted: a time as in 2026-11-26T08:00:00.000Z")
        if not 0.0 < took_s < ended_s <= MOST_TIME_S:
            return Remark(line, f"{name} took {ended[3]} seconds up to {ended[1]!a}; accepted: 1 second or more")
        return timed_job("spark", name, line, (ended_s - took_s, ended_s))
