"""Collector of sar's output for one machine: time series, their extremes, and the averages that sar prints."""

from collections.abc import Mapping, Sequence
from datetime import UTC, date, datetime, time
from functools import lru_cache

from stowage.measure.files.clocks import clock_of
from stowage.measure.files.compiled import record, record_row
from stowage.measure.monitors.sysstat import (
    CPU_COLUMNS,
    DEVICE_COLUMNS,
    INTERFACE_COLUMNS,
    MEMORY_COLUMNS,
    Banner,
    Column,
    SysstatRun,
    row_of,
    stored_of,
)
from stowage.measure.monitors.watched import Figures
from stowage.measure.reading import Reading

KEYS: Mapping[str, Mapping[str, Column]] = {"CPU": CPU_COLUMNS, "DEV": DEVICE_COLUMNS, "IFACE": INTERFACE_COLUMNS}
"""Columns that name the device of a row, each with the meaning of the other columns."""


class Section:
    """Columns of the rows that follow one header line.

    Parameters
    ----------
    columns : tuple of str
        Names of the columns.
    key : str
        Name of the column with the device's name; "" if the section has no column of devices.
    stored : Stored
        Columns whose values are stored.
    place : int
        Place of the column with the device's name; 0 if there is none.
    """

    def __init__(self, columns: tuple[str, ...]) -> None:
        self.columns = columns
        self.name = "\n".join(columns)
        places = [place for place in (0, len(columns) - 1) if columns[place] in KEYS]
        self.key = columns[places[0]] if places else ""
        self.stored = stored_of(columns, KEYS[self.key] if places else MEMORY_COLUMNS)
        # Of two columns with this name the last counts.
        self.place = len(columns) - 1 - columns[::-1].index(self.key) if places else 0

    def device_of(self, word: str) -> str | None:
        """Return the device of a row by the word at `place`.

        The result is "" for all CPUs together or if there is no device, and None for a row that is not stored: that of
        a single CPU, or one without stored columns.
        """
        if not self.stored.columns:
            return None
        if self.key == "CPU":
            return "" if word in {"all", "-1"} else None
        return word[:128] if self.key else ""


class Run(SysstatRun):
    """Output of one machine in one file.

    Parameters
    ----------
    dated : bool
        Whether its times have dates and time zones, as those of sadf.
    """

    def __init__(self, line: int, banner: Banner | None, *, dated: bool = False) -> None:
        super().__init__(line, banner, zone_known=dated)
        self.averages = Figures()
        self.dated = dated or self.day is not None
        self.restarts = 0
        self._ends: dict[tuple[str, str], float] = {}
        # Days since the first one, and the last time of day [s].
        self._clocks: dict[str, list[float]] = {}
        self._last: tuple[str, Section | None, float] = ("", None, 0.0)
        self._midnight = datetime.combine(self.day or date(1970, 1, 1), time(), UTC).timestamp()

    def at(self, text: str, section: Section) -> float | None:
        """Convert a time of day to seconds since 1970.

        If the time is 12 h or more before the previous one, it is on the next day.
        """
        if self._last[0] == text and self._last[1] is section:
            return self._last[2]
        seconds = _seconds_of(text)
        if seconds is None:
            return None
        known = self._clocks.get(section.name)
        if known is None:
            known = [0.0, seconds]
            if len(self._clocks) < 256:
                self._clocks[section.name] = known
        elif seconds < known[1] - 43_200:
            known[0] += 1
        known[1] = seconds
        at = self._midnight + known[0] * 86_400.0 + seconds
        self._last = text, section, at
        return at

    def row(
        self, section: Section, row: str | Sequence[str], of: str, end: float, length: float | None
    ) -> Sequence[tuple[str, str]]:
        """Store the cells of a row, which are words of a text or one by one.

        The result is the columns whose cells are not numbers, with these cells.
        """
        group = section.key, of
        start = end - length if length and length > 0 else self._ends.get(group, self.start)
        if start is None or start >= end:
            start = end - 1.0
        if len(self._ends) < 4_096:
            self._ends[group] = end
        self.extend(start, end)
        if isinstance(row, str):
            return self.put_text(section.stored, row, of, start, end)
        figures, wrong = row_of(section.stored, row)
        self.put(figures, of, start, end)
        return wrong

    def average(self, section: Section, text: str, of: str) -> None:
        """Store the means in a row that sar prints.

        If there are several devices or interfaces, the largest mean is stored.
        """
        stored = section.stored
        if record_row(None, self.averages, stored.means(of), stored.columns, text, 0.0, 0.0) is None:
            (stored, values, texts), _ = row_of(stored, text.split())
            record(None, self.averages, stored.means(of), values, texts, 0.0, 0.0)

    def reading(self, problem: str | None) -> Reading:
        """Return the result of the run."""
        if not self.figures:
            problem = problem or "no row of processors, devices, interfaces or memory stands in it"
        return self.made(
            "sar",
            self.host.name and f"sar on {self.host.name}",
            problem,
            dated=self.dated,
            assumed=(
                "No date stands in the file, only times of day" if self.start is not None and not self.dated else None,
                f"The machine was started again {self.restarts} times while it was watched" if self.restarts else None,
                f"{self.recording.left_out} values are left out: too many, or out of order"
                if self.recording.left_out
                else None,
            ),
            metrics=(*self.averages.values(), *self.figures.values()),
        )


@lru_cache(maxsize=256)
def _seconds_of(text: str) -> float | None:
    """Return a time of day [s]; None if the text is none."""
    clock = clock_of(text)
    return None if clock is None else clock.hour * 3_600.0 + clock.minute * 60.0 + clock.second
