"""Reading of an upload by a worker, as the work of jobs of kind `upload`.

A sandboxed process (`sandboxed_reading`) unpacks and reads the untrusted file. The worker sends pieces of the file to
this process and stores the results for review. It sends heartbeats even without progress, and kills the process before
its lease on the job expires.

If the worker is killed, the process ends as well. The next worker then discards the stored results and starts again. Of
a refused upload, only the reason is stored.
"""

import hashlib
import json
import logging
from typing import Any
from uuid import UUID

from stowage.features.measurements import sandboxed_reading
from stowage.features.measurements.store import uploads as store
from stowage.features.measurements.store.uploads import (
    PIECE_BYTES,
    StagedJob,
    StagedProblem,
    StagedReading,
    StoredUpload,
)
from stowage.features.measurements.stored_readings import LONGEST_TEXT, Fingerprints, written
from stowage.measure.errors import BadArchive, Unreadable
from stowage.measure.logs.logged_jobs import LoggedJob
from stowage.measure.reading import MOST_READINGS, MOST_REMARKS, Reading, Remark
from stowage.platform.jobs import store as job_store
from stowage.platform.jobs.jobs import ClaimedPart
from stowage.processes.sandboxed import Overdue, Stopped

log = logging.getLogger(__name__)

MOST_STAGED_BYTES = 64 << 20
"""Maximum size of all results of an upload as JSON."""

_BEAT_EVERY_S = 0.5
"""Time between two heartbeats [s]: a cancelled upload is read for at most this long."""
_KILLED_AFTER_S = 0.8 * job_store.LEASE_S
"""Time without a heartbeat after which the reading process is killed [s]: a second before the lease expires."""
_BATCH_BYTES = 1 << 20


def read_part(part: ClaimedPart) -> None:
    """Read an upload, and store its results and its unrecognized parts for review.

    Raises
    ------
    ClaimLost
        The upload was deleted, or another worker reads it.
    """
    with part.database.transaction(part.org_id) as connection:
        upload = store.get(connection, part.job.subject_id)
        if upload is None or upload.state != "reading":
            raise job_store.ClaimLost
    progress = _Progress(part)
    try:
        digest = _digest_of(part, upload, progress)
        staging = _read(part, upload, progress)
        staging.refuse_nothing()
    except Unreadable as error:
        _refuse(part, upload, error)
        return
    with part.database.transaction(part.org_id) as connection:
        staging.store(connection)
        job_store.advance(connection, part.claim, progress.rest())
        store.set_state(connection, upload.id, "read", sha256=digest)
        job_store.finish(connection, part.claim)


def _read(part: ClaimedPart, upload: StoredUpload, progress: "_Progress") -> "_Staging":
    """Read all files of an upload, and retry if the sandboxed reader was stopped.

    Raises
    ------
    Unreadable
        The upload is refused for its content, or because the reader was stopped too often.
    """
    stopped: list[Stopped] = []
    while len(stopped) < sandboxed_reading.MOST_FAILURES:
        with part.database.transaction(part.org_id) as connection:
            # Discard the results of an attempt that was stopped.
            store.unread(connection, upload.id)
            job_store.advance(connection, part.claim, 0)
        staging = _Staging(part, upload.id, progress)
        try:
            with sandboxed_reading.reader(progress.beat) as sandboxed:
                progress.keeps_alive(sandboxed)
                if not sandboxed.filtered:
                    log.warning("uploads are read without a system call filter: see `stowage doctor`")
                _take(part, upload, sandboxed, progress, staging)
        except Stopped as error:
            log.warning("reading upload %s was stopped: %s", upload.id, error)
            stopped.append(error)
        except Overdue:
            log.warning("reading upload %s was stopped: no heartbeat could be stored in time", upload.id)
            progress.beat(at_once=True)
        else:
            return staging
        finally:
            progress.keeps_alive(None)
    raise sandboxed_reading.refusal(stopped)


def _take(
    part: ClaimedPart,
    upload: StoredUpload,
    sandboxed: sandboxed_reading.SandboxedReader,
    progress: "_Progress",
    staging: "_Staging",
) -> None:
    """Send an upload to the sandboxed process, and store the returned results for review."""

    def piece(number: int) -> bytes:
        content = _piece(part, upload, number)
        progress.read_up_to(number + 1)
        return content

    for found in sandboxed.read(sandboxed_reading.Input(upload.name, upload.size_bytes, PIECE_BYTES, piece)):
        match found:
            case sandboxed_reading.FileBegun(path):
                staging.begin("" if path == upload.name else path)
            case sandboxed_reading.FileUnreadable(error):
                staging.give_up(error)
            case _:
                staging.add(found)


def _refuse(part: ClaimedPart, upload: StoredUpload, error: Unreadable) -> None:
    where = "" if error.line is None else f"Line {error.line:,}: "
    problem = f"{where}{error.message}"[:LONGEST_TEXT]
    with part.database.transaction(part.org_id) as connection:
        job_store.advance(connection, part.claim, 0)
        store.empty(connection, upload.id)
        store.set_state(connection, upload.id, "refused", problem=problem.replace("\0", "\N{REPLACEMENT CHARACTER}"))
        job_store.finish(connection, part.claim)


class _Progress:
    """Counts the pieces of an upload that are read, and stores heartbeats."""

    def __init__(self, part: ClaimedPart) -> None:
        self._part = part
        self._counted = part.job.done
        self._read = 0
        self._beat_at = part.clock()
        self._sandboxed: sandboxed_reading.SandboxedReader | None = None

    def keeps_alive(self, sandboxed: sandboxed_reading.SandboxedReader | None) -> None:
        """Set the sandboxed process whose timeout each heartbeat extends; None for no process."""
        self._sandboxed = sandboxed
        self._extend()

    def read_up_to(self, pieces: int) -> None:
        """Record, in memory only, that the first `pieces` pieces have been read."""
        self._read = max(self._read, pieces)

    def beat(self, *, at_once: bool = False) -> None:
        """Store a heartbeat if one is due.

        Raises
        ------
        ClaimLost
            Another worker reads the upload, or it was deleted.
        """
        if at_once or self._part.clock() - self._beat_at >= _BEAT_EVERY_S:
            with self._part.database.transaction(self._part.org_id) as connection:
                job_store.advance(connection, self._part.claim, self.units())
            self.note()
            self._part.queue.announce(self._part.job.id)
        self._extend()

    def units(self) -> int:
        """Return the number of pieces that were read since the last stored heartbeat."""
        return max(0, min(self._read, self._part.job.total) - self._counted)

    def rest(self) -> int:
        """Return the number of pieces that are missing from the stored progress of the job.

        It is added to the progress at the end, when all pieces have been read or skipped.
        """
        return self._part.job.total - self._counted

    def note(self) -> None:
        """Record, in memory only, that a heartbeat with the pieces read so far has been stored."""
        self._counted += self.units()
        self._beat_at = self._part.clock()

    def _extend(self) -> None:
        if self._sandboxed is not None:
            self._sandboxed.process.extend(_KILLED_AFTER_S - (self._part.clock() - self._beat_at))


class _Staging:
    """Collects the parsed results of one upload, and stores them in batches."""

    def __init__(self, part: ClaimedPart, upload_id: UUID, progress: _Progress) -> None:
        self._part = part
        self._upload_id = upload_id
        self._progress = progress
        self._readings: list[StagedReading] = []
        self._jobs: list[StagedJob] = []
        self._kinds: set[type[Reading | LoggedJob]] = set()
        self._problems: list[StagedProblem] = []
        self._member = ""
        self._fingerprints = Fingerprints()
        self._files = 0
        self._position = 0
        self._staged = 0
        self._staged_bytes = 0
        self._batch_bytes = 0
        self._said = 0
        self._first: Unreadable | None = None

    def begin(self, member: str) -> None:
        """Start the next file of the upload."""
        self._member = member
        self._fingerprints = Fingerprints()
        self._files += 1

    def add(self, found: Reading | LoggedJob | Remark) -> None:
        """Add a result or remark of a reader to the current batch."""
        self._progress.beat()
        if isinstance(found, Remark):
            self._say(found.line, found.message)
            return
        self._kinds.add(type(found))
        if len(self._kinds) > 1:
            raise BadArchive("It holds measurements and logs of finished jobs; upload them separately")
        document = found.to_dict() if isinstance(found, LoggedJob) else written(found)
        size = len(json.dumps(document))
        self._staged_bytes += size
        if self._staged >= MOST_READINGS:
            what = "finished jobs" if isinstance(found, LoggedJob) else "measurements"
            raise BadArchive(f"It holds more than {MOST_READINGS:,} {what}; upload it in parts")
        if self._staged_bytes > MOST_STAGED_BYTES:
            raise BadArchive("Its series are too long together; upload it in parts")
        if isinstance(found, LoggedJob):
            self._jobs.append(StagedJob(self._position, self._member, document))
        else:
            fingerprint = self._fingerprints.of(document)
            self._readings.append(StagedReading(self._position, self._member, document, fingerprint))
        self._position += 1
        self._staged += 1
        self._batch_bytes += size
        if self._batch_bytes >= _BATCH_BYTES:
            with self._part.database.transaction(self._part.org_id) as connection:
                self.store(connection)
                job_store.advance(connection, self._part.claim, self._progress.units())
            self._progress.note()
            self.forget()

    def give_up(self, error: Unreadable) -> None:
        """Discard the results of the current file, and add the reason to the problems of the upload."""
        self._readings = [each for each in self._readings if each.member != self._member]
        self._jobs = [each for each in self._jobs if each.member != self._member]
        with self._part.database.transaction(self._part.org_id) as connection:
            job_store.advance(connection, self._part.claim, 0)
            self._staged -= store.unread(connection, self._upload_id, member=self._member)
        self._staged = max(0, self._staged)
        self._say(error.line, error.message)
        self._first = self._first or error

    def refuse_nothing(self) -> None:
        """Check that the upload has at least one recognized result.

        Raises
        ------
        Unreadable
            The upload has neither a measurement nor a finished job.
        """
        if self._staged:
            return
        told = self._problems[0].message if self._problems else "there is nothing in it that a tool wrote"
        line = self._problems[0].line if self._problems else None
        if self._files > 1:
            none = f"None of its {self._files:,} files holds a measurement or a finished job"
            raise Unreadable(f"{none}. {self._problems[0].member}: {told}")
        raise self._first or Unreadable(f"It holds no measurement and no finished job: {told}", line)

    def store(self, connection: Any) -> None:  # noqa: ANN401 - of the store
        """Store the results collected since the last batch."""
        store.stage(connection, self._upload_id, self._readings, self._problems[self._said :], self._jobs)

    def forget(self) -> None:
        """Clear the collected results after the commit."""
        self._readings.clear()
        self._jobs.clear()
        self._batch_bytes = 0
        self._said = len(self._problems)

    def _say(self, line: int | None, message: str) -> None:
        if len(self._problems) < MOST_REMARKS:
            text = message[:LONGEST_TEXT].replace("\0", "\N{REPLACEMENT CHARACTER}").encode("utf-8", "replace").decode()
            self._problems.append(StagedProblem(self._member, line, text, len(self._problems)))


def _digest_of(part: ClaimedPart, upload: StoredUpload, progress: _Progress) -> bytes:
    digest = hashlib.sha256()
    for number in range(upload.pieces):
        digest.update(_piece(part, upload, number))
        progress.beat()
    return digest.digest()


def _piece(part: ClaimedPart, upload: StoredUpload, number: int) -> bytes:
    with part.database.transaction(part.org_id) as connection:
        content = store.piece(connection, upload.id, number)
    if content is None:
        # The upload has been deleted.
        raise job_store.ClaimLost
    return content
