"""Reader of fio's output in the formats JSON, terse and normal.

A file may have one or more of the formats of ``--output-format``. JSON may be with or without latency bins.

A run reported in several formats is one result; JSON is preferred to terse, and terse to normal. Intermediate reports
(``--status-interval``) are skipped with a remark. Entries of a client's ``client_stats`` are jobs, and the sum
``All clients`` is a separate result. K is 1024 in the bandwidths of JSON and terse, for any ``kb_base``; for the normal
format see `fio_text`. All figures exclude ``ramp_time``, as fio reports them.

Tested with: fio 3.33, run for this project in every format and terse version, including unified reporting (none, mixed,
both), client and server, percentiles of each kind, kb_base 1000, unit_base 1, errors, a full disk and status intervals;
hand-written files after published output of 2.0, 2.2 and 2.6 (JSON in KiB and microseconds, normal).
Not tested with: terse of 2.x, zoned and polled-only reports, steady state, latencies by priority (``prios``), 1.x.
"""

import re
from collections.abc import Iterable, Iterator
from itertools import chain

from stowage.measure.files.documents import Doubled, Ended, Piece, Started, Text
from stowage.measure.files.head import Head
from stowage.measure.files.reader import DocumentReader
from stowage.measure.files.shapes import Block
from stowage.measure.reading import Reading, Remark
from stowage.measure.tools.fio_json import Document
from stowage.measure.tools.fio_run import NO_JOB, Run, Runs
from stowage.measure.tools.fio_terse import fields_in, run_of
from stowage.measure.tools.fio_text import SHAPE, Listing, is_of_fio

_MOST_JOBS = 400
# Text copied from a terminal may lack the newline of its last line.
_LAST_LINE = re.compile(r"(?:%|msec)\s*\Z")


def recognises(head: Head) -> bool:
    """Return whether a file is output of fio."""
    if "fio version" in head.keys:
        return True
    lines = head.text.splitlines()
    return any((";" in line and fields_in(line) is not None) or is_of_fio(line) for line in lines[:2000])


class _Reader(DocumentReader[Reading]):
    """State of the reader of fio output."""

    opened = frozenset({(), ("jobs",), ("client_stats",), ("disk_util",)})
    shape = SHAPE

    def __init__(self) -> None:
        self._runs = Runs()
        self._listing = Listing()
        self._terse: list[Run] = []
        self._document: Document | None = None

    def text(self, line: Text) -> Iterable[Reading | Remark]:
        """Process a line of text."""
        number, text = line.line, line.text
        if text.startswith(" ") and self._goes_on(text):
            return ()
        if ";" in text and (fields := fields_in(text)) is not None:
            return self._take_terse(number, fields)
        ends = self._listing.begins_dump(text) or len(self._listing.runs) >= _MOST_JOBS
        if ends or self._terse:
            return self._take_behind(number, text, ends=ends)
        return self._take_line(number, text)

    def block(self, block: Block) -> Iterable[Reading | Remark]:
        """Process lines of a job."""
        return () if self._is_in_report() and self._listing.take_block(block) else super().block(block)

    def _is_in_report(self) -> bool:
        return not (self._terse or self._document is not None or len(self._listing.runs) >= _MOST_JOBS)

    def _goes_on(self, text: str) -> bool:
        """Process an indented line of text if it belongs to a job of a report; return whether it does."""
        return self._is_in_report() and ";" not in text and ": (g" not in text and self._listing.take_in_job(text)

    def started(self, started: Started) -> Iterable[Reading | Remark]:
        """Process the beginning of a document."""
        self._document = Document(started.line)
        return self._end_text()

    def piece(self, piece: Piece) -> Iterable[Reading | Remark]:
        """Process one value of a document."""
        document = self._document
        if document is None:
            return ()
        remark = document.take(piece.line, piece.path, piece.value)
        remarks = () if remark is None else (remark,)
        if len(document.runs) < _MOST_JOBS:
            return remarks
        runs, document.runs = document.end(None), []
        return chain(remarks, self._runs.dump(runs))

    def doubled(self, doubled: Doubled) -> Iterable[Remark]:
        """Process a key that stands twice in an object."""
        return (Remark(doubled.line, f"The key {doubled.key[:40]!r} stands twice: the last counts"),)

    def ended(self, ended: Ended) -> Iterable[Reading | Remark]:
        """Process the end of a document."""
        return self._end_document(ended.line, ended.first_line, ended.problem)

    def end(self, *, cut: bool) -> Iterator[Reading | Remark]:
        """Yield the results of the runs that remain at the end of the file.

        A file that has only errors becomes a failed run.
        """
        yield from self._end_text()
        last = self.last
        if cut and isinstance(last, Text) and last.text and not _LAST_LINE.search(last.text[-100:]):
            self._runs.doubt()
        yield from self._runs.end()
        errors, version = self._listing.errors, self._listing.version
        if not self._runs.count and (errors or version):
            failure = "; ".join(text for _, text in errors[:3])[:500] or "It ends before a result"
            line = errors[0][0] if errors else last.line if last else 1
            yield Reading("fio", version, "failed", failure, "fio", line, ())

    def _take_terse(self, line: int, fields: str) -> Iterable[Reading | Remark]:
        run = run_of(fields, line)
        ended: list[Run] = []
        if self._terse and not _goes_with(self._terse, run):
            ended, self._terse = self._terse, []
        self._listing.set_options(run)
        self._terse.append(run)
        return self._runs.dump(ended) if ended else ()

    def _take_behind(self, line: int, text: str, *, ends: bool) -> Iterator[Reading | Remark]:
        """Process a line behind other reports; ``ends`` if it ends those of the normal format."""
        if self._terse and is_of_fio(text):
            yield from self._end_terse()
        if ends:
            yield from self._runs.dump(self._listing.finished())
        yield from self._take_line(line, text)

    def _take_line(self, line: int, text: str) -> tuple[Remark, ...]:
        known = self._listing.take(line, text)
        if text.startswith("fio: "):
            return (Remark(line, f"fio says: {text[:200]}"),)
        if not known:
            return (Remark(line, f"{text[:80]!r} is no line that fio prints"),)
        if self._document is not None:
            return (Remark(line, f"{text[:80]!r} stands in the middle of a JSON document"),)
        return ()

    def _end_terse(self) -> Iterator[Reading | Remark]:
        terse, self._terse = self._terse, []
        return self._runs.dump(terse)

    def _end_text(self) -> Iterable[Reading | Remark]:
        terse, listed = self._end_terse(), self._listing.finished()
        return chain(terse, self._runs.dump(listed))

    def _end_document(self, line: int, first_line: int, problem: str | None) -> Iterator[Reading | Remark]:
        document, self._document = self._document, None
        if document is None:
            return
        runs = document.end(problem)
        for run in runs:
            self._listing.set_options(run)
        if problem:
            yield Remark(line, f"The JSON document of line {first_line} is not whole: {problem}")
        if not document.is_fio:
            yield Remark(first_line, "A JSON document without a 'fio version'")
        elif not runs:
            broken = Run("json", *NO_JOB, first_line, document.version)
            broken.problem, broken.cut = problem or "The document has no job", bool(problem)
            runs = [broken]
        if document.is_fio or runs:
            yield from self._runs.dump(runs)


def _goes_with(terse: list[Run], run: Run) -> bool:
    """Return whether a terse line belongs to the same dump as the lines before it.

    A dump is all reports that fio writes at one moment. Within a dump, the lines of one job name follow each other.
    """
    if len(terse) >= _MOST_JOBS:
        return False
    last = terse[-1]
    if (last.name, last.group) == (run.name, run.group):
        return _jobs_alike(last, run)
    return all((other.name, other.group) != (run.name, run.group) for other in terse)


def _jobs_alike(before: Run, after: Run) -> bool:
    """Return whether two lines with the same job name are from two concurrent jobs.

    Otherwise they are two states of one job.
    """
    if before.problem or after.problem:
        return False
    return before.runtimes_ms == after.runtimes_ms or any(
        after.amounts.get(direction, 0) < amount for direction, amount in before.amounts.items()
    )


read = _Reader.read
