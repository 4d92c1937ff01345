"""Collector of the metrics of one run, which converts printed numbers to our units.

Text that should be a number is reported as a problem.
"""

from collections.abc import Mapping
from datetime import datetime
from decimal import Decimal
from typing import Final

from stowage.measure.files.compiled import make_metric, maker, product
from stowage.measure.files.figures import number_of, told
from stowage.measure.files.values import Number
from stowage.measure.metrics import kind_of
from stowage.measure.reading import Host, Metric, Reading, Series, Status
from stowage.measure.tool import Tool

BITS: Final = Decimal("0.000000125")
"""bit/s -> MB/s"""
BYTES: Final = Decimal("0.000001")
KIB: Final = Decimal("0.001024")
MIB: Final = Decimal("1.048576")
GIB: Final = Decimal("1073.741824")
TIB: Final = Decimal("1099511.627776")
PERCENT: Final = Decimal("0.01")
MILLISECONDS: Final = Decimal(1_000)
"""ms -> us"""

_PREFIXES_OF_BITS: Final = {
    "": BITS,
    "K": Decimal("0.000125"),
    "M": Decimal("0.125"),
    "G": Decimal(125),
    "T": Decimal(125_000),
}
_PREFIXES_OF_BYTES: Final = {"": BYTES, "K": KIB, "M": MIB, "G": GIB, "T": TIB}

_reading, _NO_HOST = maker(Reading), Host()


def iperf_factor(unit: str) -> Decimal | None:
    """Return the factor from a unit of iperf or iperf3 to MB/s.

    The result is None for an unknown unit. Prefixes of bits are powers of 1,000, those of bytes powers of 1,024:
    `Gbits/sec` is 10^9 bit/s and `MBytes/sec` is 2^20 B/s.

    **Source** iperf 3.12, `units.c` and iperf 2.1.8, `lib/stdio.c`: `conversion_bits` and `conversion_bytes`.

    Examples
    --------
    >>> iperf_factor("Gbits/sec"), iperf_factor("MBytes/sec")
    (Decimal('125'), Decimal('1.048576'))
    """
    amount, slash, time = unit.partition("/")
    if not slash or time != "sec":
        return None
    if amount.lower().endswith("bits"):
        return _PREFIXES_OF_BITS.get(amount[:-4].upper())
    return _PREFIXES_OF_BYTES.get(amount[:-5].upper()) if amount.lower().endswith("bytes") else None


def value_of(text: str, factor: Decimal = Decimal(1)) -> float | None:
    """Multiply a printed number by a factor, and round the exact product to a float.

    The result is None if the text is not a finite number.
    """
    if (plain := product(text, factor)) is not None:
        return plain
    if number_of(text) is None:
        return None
    value = Decimal(text.replace(",", ".")) * factor
    return float(value) if value.adjusted() < 300 else None


class Printed(dict[str, Metric]):
    """Collector of the metrics of one run. Each metric has a unique name.

    Attributes
    ----------
    problems : list of str
        Descriptions of text found in place of a number.
    """

    def __init__(self) -> None:
        self.problems: list[str] = []

    def add(
        self, name: str, text: str | Number | None, unit: str, tool_name: str, factor: Decimal = Decimal(1)
    ) -> None:
        """Add a metric.

        If the text is not a finite number of at least 0, a problem is added instead. If the text is None, nothing is
        added.

        Parameters
        ----------
        name : str
            Name of the metric.
        text : str, Number or None
            Number as printed.
        unit, tool_name : str
            The tool's unit of the figure, and the tool's name for it.
        factor : Decimal
            Factor from the tool's unit to our unit.
        """
        if text is None:
            return
        digits = text.text if isinstance(text, Number) else text
        if made := make_metric(name, digits, digits, unit, tool_name, factor):
            kind_of(name)
            self.setdefault(name, made)
            return
        value = value_of(digits, factor)
        if value is None or value < 0:
            self.problems.append(f"{tool_name} is {digits[:40]!r}; a number from 0 on was expected")
            return
        kind_of(name)
        self.setdefault(name, Metric(name, value, told(digits, unit, tool_name)))

    def outcome(self, problem: str | None, lack: str | None) -> tuple[Status, str | None]:
        """Return the status and failure of a run: failed if it lacks its result, partial if it has a problem."""
        if lack is not None:
            return "failed", problem or lack
        if problem or self.problems:
            return "partial", (problem or "; ".join(self.problems))[:500]
        return "ok", None

    def reading(  # noqa: PLR0913 - fields of a reading
        self,
        tool: Tool,
        name: str,
        line: int,
        outcome: tuple[Status, str | None],
        *,
        settings: Mapping[str, str],
        tool_version: str | None = None,
        started_at: datetime | None = None,
        duration_s: float | None = None,
        host: Host = _NO_HOST,
        series: tuple[Series, ...] = (),
        notes: tuple[str, ...] = (),
    ) -> Reading:
        """Return the measurement with these metrics, or without any if it failed.

        Parameters
        ----------
        tool : Tool
        name : str
            Name of the run in the file.
        line : int
            Number of the first line of the run.
        outcome : tuple
            Status, and the reason for a status other than ok.
        settings, tool_version, started_at, duration_s, host, series, notes
            Other fields of the measurement.
        """
        status, failure = outcome
        metrics = self.metrics() if status != "failed" else ()
        return _reading(
            tool,
            tool_version,
            status,
            failure,
            name,
            line,
            metrics,
            settings,
            started_at,
            duration_s,
            host,
            series,
            notes,
        )

    def metrics(self) -> tuple[Metric, ...]:
        """Return the metrics in the order in which they were added."""
        return tuple(self.values())
