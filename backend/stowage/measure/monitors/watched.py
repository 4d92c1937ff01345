"""Runs of monitoring tools: time series, their extremes, and the measurement made of them."""

from abc import abstractmethod
from collections.abc import Iterable
from typing import Any

from stowage.measure.files.clocks import UNKNOWN_ZONE, moment
from stowage.measure.files.compiled import maker
from stowage.measure.files.documents import Text
from stowage.measure.files.figures import LONGEST_NAME, told
from stowage.measure.files.reader import DocumentReader
from stowage.measure.files.spans import Recording
from stowage.measure.files.whole import ENDS_WITHIN_A_LINE
from stowage.measure.reading import Host, Metric, Reading
from stowage.measure.tool import Tool

_metric, _reading, _NO_HOST = maker(Metric), maker(Reading), Host()
_LOWEST = {"cpu_idle_share", "volume_burst_balance_share"}
"""Metrics whose minimum is of interest, not their maximum."""


class Figures(dict[str, Metric]):
    """Metrics of a run, by name, in the order in which they appeared."""

    def say(self, name: str, value: float, text: str, unit: str, label: str) -> None:
        """Store a metric, with the figure as printed."""
        self[name] = _metric(name, value, told(text, unit, label))

    def extreme(self, metric: str, value: float, text: str, unit: str, label: str, of: str = "") -> None:
        """Update the extreme of a metric, over time and over all devices; ``of`` names the device."""
        name, _, label, lowest = extreme_of(metric, unit, label, of)
        known = self.get(name)
        if known is None or (value < known.value if lowest else value > known.value):
            self.say(name, value, text, unit, label)


def extreme_of(metric: str, unit: str, label: str, of: str) -> tuple[str, str, str, bool]:
    """Return the name, unit and label of a metric's extreme, and whether it is the lowest figure."""
    lowest = metric in _LOWEST
    return f"{metric}.min" if lowest else f"{metric}.max", unit, labelled(label, of), lowest


def labelled(label: str, of: str) -> str:
    """Return the label of a figure of a device."""
    return (f"{label} of {of}" if of else label)[:LONGEST_NAME]


class WatchReader(DocumentReader[Reading]):
    """Reader of a monitoring tool. If a file ends in the middle of a line, its last run is incomplete."""

    problem: str | None = None

    def cut_line(self, _line: Text) -> tuple[()]:
        """Remember that the file ends in the middle of a line."""
        self.problem = ENDS_WITHIN_A_LINE
        return ()

    def end(self, *, cut: bool) -> Iterable[Reading]:  # noqa: ARG002 - a document may end without a newline
        """Process the end of the file."""
        return self.close(self.problem)

    @abstractmethod
    def close(self, problem: str | None) -> Iterable[Reading]:
        """Yield the result of the run that has ended."""


class Watched:
    """One run of a monitoring tool.

    Parameters
    ----------
    line : int
        Number of the first line of the run.
    host : Host
    notes : iterable of str
        Assumptions that are known from the beginning.
    zone_known : bool
        Whether all times so far had a time zone.
    """

    def __init__(self, line: int, host: Host | None = None, notes: Iterable[str] = (), *, zone_known: bool) -> None:
        self.line = line
        self.host = host or _NO_HOST
        self.notes = list(notes)
        self.zone_known = zone_known
        self.recording = Recording()
        self.figures = Figures()
        self.start: float | None = None
        self.end: float | None = None

    def extend(self, start: float, end: float) -> None:
        """Extend the time that the run covers to an interval [s]."""
        if self.start is None or start < self.start:
            self.start = start
        if self.end is None or end > self.end:
            self.end = end

    def made(
        self,
        tool: Tool,
        name: str | None,
        problem: str | None,
        *,
        dated: bool = True,
        assumed: Iterable[str | None] = (),
        **others: Any,  # noqa: ANN401 - fields of a reading
    ) -> Reading:
        """Return the measurement.

        Parameters
        ----------
        tool : Tool
        name : str or None
            Name of the measurement; None for the tool's name.
        problem : str or None
            Reason why the run is incomplete, for people; None if it is complete.
        dated : bool
            Whether the times have dates.
        assumed : iterable of str or None
            Further assumptions; None for those that do not apply.
        others
            Fields of the reading that differ from what the run recorded.
        """
        origin = self.start or 0.0
        started_at = moment(origin) if dated and self.start is not None else None
        if started_at is not None and not self.zone_known:
            self.notes.append(UNKNOWN_ZONE)
        take = others.get
        return _reading(
            tool,
            take("tool_version"),
            "partial" if problem else "ok",
            problem,
            take("name", name or tool),
            self.line,
            take("metrics", tuple(self.figures.values())),
            take("settings", {}),
            started_at,
            take("duration_s", self.end - origin if self.end is not None and self.end > origin else None),
            self.host,
            self.recording.series(started_at, origin),
            (*self.notes, *(note for note in assumed if note)),
        )
