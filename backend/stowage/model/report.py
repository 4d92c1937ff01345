"""Reports: documents of sections, composed once and rendered in several formats.

The composer knows plans, sweeps, runs and validations. A renderer (page, PDF, spreadsheet) knows only the types in
this module. Each number has its formatted text, so that it reads the same in every format. All texts are plain text,
which the renderer escapes.
"""

from datetime import date, datetime
from typing import Literal

from stowage.frozen import frozen
from stowage.model.complete import Complete
from stowage.model.figure import Kind

ReportKind = Literal["plan", "comparison", "sweep", "run", "validation"]
Standing = Kind | Literal["predicted"]
"""Origin of a number; ``predicted``: computed by the model from others."""
Tone = Literal["plain", "doubt"]
Scale = Literal["linear", "log", "categories"]
ChartKind = Literal["scatter", "stacked", "bars", "lines", "grid"]
Drawn = Literal["points", "line", "step", "band", "bars"]


@frozen
class Amount(Complete):
    """A number, as an exact value and as formatted text."""

    value: float
    """Finite number, in `unit`."""
    unit: str
    """`s`, `USD`, `USD/month`, `1` (chances and shares: 0 to 1), `nodes`, `GiB`, `MB/s`, `%`, ..."""
    words: str
    """Formatted number with its unit: `16 min 50 s`, `$325`, `40 MiB/s`, `99%`; for a range, the median."""
    low: float | None = None
    """p10 in `unit`, if the amount is a range."""
    high: float | None = None
    """p90 in `unit`, if the amount is a range."""
    range_words: str | None = None
    """Formatted range: `14–19 min`."""
    standing: Standing | None = None
    """Origin of the number: predicted, measured or other; None for a plain count or date."""
    source: str | None = None
    """Source document, and place in the document."""
    as_of: date | None = None
    """Day of the measurement or publication."""


@frozen
class Paragraph(Complete):
    """Running text."""

    text: str
    """Plain text; its line breaks are kept."""
    tone: Tone = "plain"
    """`doubt` for warnings, such as a poor fit, an estimate that decides the result, or an exceeded baseline."""
    kind: Literal["paragraph"] = "paragraph"


@frozen
class Fact(Complete):
    """One labelled value in a list of facts."""

    key: str
    """Key such as `time` or `cost`: unique in its list, and the same in later reports, so that these can be compared.
    """
    label: str
    value: Amount | str
    better: Literal["less", "more"] | None = None
    """Direction in which the value is better, for comparisons with another report; None if neither is better."""


@frozen
class Facts(Complete):
    """A list of labels and values."""

    facts: tuple[Fact, ...]
    headline: bool = False
    """True if the list is shown large: the four to eight key numbers for a manager."""
    kind: Literal["facts"] = "facts"


@frozen
class Column(Complete):
    """A column of a table."""

    key: str
    """Key that is unique in the table, and also the column's name in CSV, with the unit: `time_s`, `cost_usd`."""
    head: str
    numeric: bool = False
    """True if the cells are amounts, aligned to the right."""


@frozen
class Row(Complete):
    """A row of a table."""

    key: str
    """Key that is unique in the table, and the same in a later report of the same plan, sweep or run."""
    cells: tuple[Amount | str | None, ...]
    """One cell for each column; None for an empty cell."""
    chosen: bool = False
    """True if the row is highlighted: the recommended option, or the winner."""


@frozen
class Table(Complete):
    """A table of a report."""

    key: str
    """Key that is unique in the report, and also the name of the table's CSV file and sheet."""
    caption: str
    """Main finding, in a sentence."""
    columns: tuple[Column, ...]
    """Columns; the first one has the names of the rows."""
    rows: tuple[Row, ...]
    sideways: bool = False
    """True if the table compares a few options in columns, with one property in each row. On a phone, it becomes one
    card for each option."""
    kind: Literal["table"] = "table"


@frozen
class Axis(Complete):
    """An axis of a chart."""

    label: str
    """`Time of one run`; the unit is shown beside the ticks."""
    unit: str
    """`s` (ticks as durations), `USD` (as money), `months`, `1` (shares, as percent), `MB/s`, ... ; empty for
    categories."""
    scale: Scale = "linear"
    categories: tuple[str, ...] = ()
    """Categories in order; the coordinate of a point is the index of its category."""


@frozen
class Point(Complete):
    """A point of a series."""

    x: float
    """Coordinate in the unit of the x axis, or the index of a category; in a grid, the column of the cell."""
    y: float
    """Coordinate in the unit of the y axis, or the index of a category; in a grid, the row of the cell."""
    low: float | None = None
    """Lower end of the range of y, which is drawn as a whisker or as a band."""
    high: float | None = None
    """Upper end of the range of y, drawn as for `low`."""
    label: str | None = None
    """Text that is shown beside the point or, in a grid, in the cell."""
    value: float | None = None
    """In a grid, the value that sets the colour of the cell."""
    near_tie: bool = False
    """In a grid: true if another option is as good within the error of predictions; the cell is marked with ≈."""
    ringed: bool = False
    """True if the point is marked as the chosen one."""


@frozen
class Series(Complete):
    """A series of a chart."""

    name: str
    """Name that is shown beside the series, not in a separate legend."""
    points: tuple[Point, ...]
    drawn: Drawn = "points"
    """The bars of all series of a `stacked` chart form one row for each category of y, one after another along x."""
    resource: str | None = None
    """Limiting resource that gives the series its colour and pattern: `network`, `local disk`, `EBS link`, `EBS
    volumes`, `object store`, `CPU`, `other`; None for the next colour of the palette."""
    faint: bool = False
    """True if the series is drawn as background, such as candidates behind the frontier."""
    shades: Literal["steps", "ratios"] = "steps"
    """In a grid, the colours of `Point.value`: on the scale of `ratios`, equal steps of colour are equal ratios.
    Reports from before November 2026 have `steps`: seven shades of one colour."""
    family: int | None = None
    """In a grid, the number of the hue, which sizes of one instance family share; None for the colours of the palette.
    """
    strength: float = 0.5
    """Strength of the colour within the hue of the family, from 0 to 1: larger sizes are stronger."""


@frozen
class Limit(Complete):
    """A line across a chart: a deadline, a budget, a break-even."""

    axis: Literal["x", "y"]
    """Axis of `value`."""
    value: float
    words: str
    """Label of the line: `deadline 30 min`."""


@frozen
class Chart(Complete):
    """A chart, as data: the renderer decides on the geometry."""

    key: str
    """Key that is unique in the report, and also the name of the chart's files."""
    title: str
    caption: str
    """Main finding, in a sentence; also the text alternative of the chart."""
    chart: ChartKind
    """`scatter`: cost over time. `stacked`: phases of each option, horizontal. `bars`: one value for each category of
    y, horizontal, with whiskers. `lines`: over months or nodes. `grid`: a sweep's cells."""
    x: Axis
    y: Axis
    series: tuple[Series, ...]
    """About 5,000 points in all, at most."""
    limits: tuple[Limit, ...] = ()
    kind: Literal["chart"] = "chart"


@frozen
class Step(Complete):
    """A line of a calculation: an input, or a result computed from lines above it."""

    key: str
    """A word of `a-z`, digits and `_`, beginning with a letter; unique in the calculation: `nodes`, `usd_per_hour`,
    `instances_usd`."""
    label: str
    amount: Amount
    formula: str | None = None
    """Formula of the keys of lines above, numbers, `+ - * / ( )` and `max(a, b)`, `min(a, b)`, `ceil(a)`: `nodes *
    billed_s / 3600 * usd_per_hour`. None for an input. It yields `amount.value`, within a billionth."""


@frozen
class Calculation(Complete):
    """A calculation of an amount, line by line; in a spreadsheet, readers can change its inputs."""

    key: str
    """Key that is unique in the report, and also the name of the calculation's sheet."""
    caption: str
    steps: tuple[Step, ...]
    kind: Literal["calculation"] = "calculation"


Block = Paragraph | Facts | Table | Chart | Calculation


@frozen
class Section(Complete):
    """A part of a report."""

    key: str
    """Key that is unique in the report: `options`, `cost`, `frontier`, `time`, `risk`, `today`, `outlook`,
    `assumptions`, `provenance`, ..."""
    heading: str
    blocks: tuple[Block, ...]
    detail: bool = False
    """True if the section comes after the first page, for readers who want details."""


@frozen
class Origin(Complete):
    """Origin of a report: the plans, sweep, run or validation that it was made from."""

    kind: ReportKind
    object_ids: tuple[str, ...]
    """Identifiers of the plans, the sweep or the run; empty for the validation."""
    names: tuple[str, ...]
    """Names of the plans, the sweep or the run at the time at which the report was made."""


@frozen
class Report(Complete):
    """A report, which does not change after publication."""

    title: str
    sentence: str
    """Summary in one line: the option, its time, cost and confidence."""
    words: str
    """Comment of the author, as plain text; empty if there is no comment."""
    author: str
    """Name of the author at publication."""
    team: str
    """Name of the team at publication."""
    made_at: datetime
    """Time at which the report was made, with a time zone."""
    origin: Origin
    sections: tuple[Section, ...]
    """Sections; the first is the summary. All sections without `detail` together fit on a page."""
    versions: tuple[Fact, ...]
    """Versions and dates of the model, the catalog and the profiles."""
