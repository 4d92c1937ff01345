"""Reader of the ResourceManager's list of YARN applications.

The list has the times of applications, but no bytes and no phases.

**Source** Apache Hadoop 3.3.6, "ResourceManager REST API's", "Cluster Applications API" (2023). Tested with: responses
of a ResourceManager 3.3.6 with MapReduce applications. Not tested with: Spark applications.
"""

from collections import Counter
from collections.abc import Iterator
from typing import Final

from stowage.measure.files.documents import Piece
from stowage.measure.files.head import Head
from stowage.measure.logs.logged_jobs import LoggedJob, LogSource, timed_job
from stowage.measure.logs.rest_values import Members, RestReader, members, text, time_s
from stowage.measure.reading import Remark

_ACCEPTED: Final = "the JSON of /ws/v1/cluster/apps, or of one application below it"
_TYPES: Final[dict[str, LogSource]] = {"SPARK": "spark", "MAPREDUCE": "mapreduce"}
_PATHS: Final = {("app",), ("apps", "app")}
_MOST_TYPES: Final = 100


def recognises(head: Head) -> bool:
    """Return whether a file is a response of YARN's ResourceManager about applications."""
    return head.keys[:1] in {("app",), ("apps",)} and '"applicationType"' in head.text


class _Reader(RestReader):
    """Reader of the successful applications of Spark and MapReduce."""

    accepted = _ACCEPTED
    opened = frozenset({("apps", "app")})

    def __init__(self) -> None:
        self._left_out: Counter[str] = Counter()

    def take_value(self, piece: Piece) -> Iterator[LoggedJob]:
        """Process one application."""
        if tuple(step for step in piece.path if isinstance(step, str)) not in _PATHS:
            return
        job = _job(members(piece, _ACCEPTED), piece.line)
        if isinstance(job, LoggedJob):
            yield job
        elif len(self._left_out) < _MOST_TYPES or job in self._left_out:
            self._left_out[job] += 1

    def end(self, *, cut: bool) -> Iterator[Remark]:  # noqa: ARG002 - a document may end without a newline
        """Yield remarks on the applications that were left out."""
        for why, count in sorted(self._left_out.items()):
            yield Remark(self.last_line, f"applications left out because {why}: {count:,}")


read = _Reader.read


def _job(told: Members, line: int) -> LoggedJob | str:
    """Convert an application to a logged job.

    If the application is skipped, the result is the reason.
    """
    kind = text(told, "applicationType")
    if kind not in _TYPES:
        return f"their applicationType is {kind[:40]!a} (accepted: {', '.join(_TYPES)})"
    if text(told, "state") != "FINISHED" or text(told, "finalStatus") != "SUCCEEDED":
        return "they did not succeed"
    # The time starts at the launch of the ApplicationMaster: the wait in the queue does not depend on the cluster.
    began_s, ended_s = time_s(told, "launchTime") or time_s(told, "startedTime"), time_s(told, "finishedTime")
    if not 0.0 < began_s < ended_s:
        return "they have no times"
    name = text(told, "name") or text(told, "id") or "application"
    return timed_job(_TYPES[kind], name, line, (began_s, ended_s))
