"""Reports: documents of sections, composed once and rendered in several formats.

The composer knows plans, sweeps, runs and validations. A renderer (page, PDF, spreadsheet) knows only the types in
this module. Each number has its formatted text, so that it reads the same in every format. All texts are plain text,
which the renderer escapes.
"""

from dataclasses import dataclass
from datetime import date, datetime
from typing import Literal

from stowage.model.complete import Complete
from stowage.model.figure import Kind

ReportKind = Literal["plan", "comparison", "sweep", "run", "validation"]
Standing = Kind | Literal["predicted"]
"""Origin of a number; ``predicted``: computed by the model from others."""
Tone = Literal["plain", "doubt"]
Scale = Literal["linear", "log", "categories"]
ChartKind = Literal["scatter", "stacked", "bars", "lines", "grid"]
Drawn = Literal["points", "line", "step", "band", "bars"]


@dataclass(frozen=True, slots=True)
class Amount(Complete):
    """A number, as an exact value and as formatted text.

    Parameters
    ----------
    value : float
        Finite number, in ``unit``.
    unit : str
        ``s``, ``USD``, ``USD/month``, ``1`` (chances and shares: 0 to 1), ``nodes``, ``GiB``, ``MB/s``, ``%``, ...
    words : str
        Formatted number with its unit: ``16 min 50 s``, ``$325``, ``40 MiB/s``, ``99%``; for a range, the median.
    low, high : float or None
        p10 and p90 in ``unit``, if the amount is a range.
    range_words : str or None
        Formatted range: ``14–19 min``.
    standing : Standing or None
        Whether the number is predicted, measured or otherwise obtained; None for a plain count or date.
    source : str or None
        Source document, and place in the document.
    as_of : date or None
        Day of the measurement or publication.
    """

    value: float
    unit: str
    words: str
    low: float | None = None
    high: float | None = None
    range_words: str | None = None
    standing: Standing | None = None
    source: str | None = None
    as_of: date | None = None


@dataclass(frozen=True, slots=True)
class Paragraph(Complete):
    """Running text.

    Parameters
    ----------
    text : str
        Plain text; its line breaks are kept.
    tone : {'plain', 'doubt'}
        ``doubt`` for warnings, such as a poor fit, an estimate that decides the result, or an exceeded baseline.
    """

    text: str
    tone: Tone = "plain"
    kind: Literal["paragraph"] = "paragraph"


@dataclass(frozen=True, slots=True)
class Fact(Complete):
    """One labelled value in a list of facts.

    Parameters
    ----------
    key : str
        Key such as ``time`` or ``cost``: unique in its list, and the same in later reports, so that these can be
        compared.
    label : str
    value : Amount or str
    better : {'less', 'more'} or None
        Whether less or more of the value is better, for comparisons with another report; None if neither is better.
    """

    key: str
    label: str
    value: Amount | str
    better: Literal["less", "more"] | None = None


@dataclass(frozen=True, slots=True)
class Facts(Complete):
    """A list of labels and values.

    Parameters
    ----------
    facts : tuple of Fact
    headline : bool
        Whether the list is shown large: the four to six key numbers for a manager.
    """

    facts: tuple[Fact, ...]
    headline: bool = False
    kind: Literal["facts"] = "facts"


@dataclass(frozen=True, slots=True)
class Column(Complete):
    """A column of a table.

    Parameters
    ----------
    key : str
        Key that is unique in the table, and also the column's name in CSV, with the unit: ``time_s``, ``cost_usd``.
    head : str
    numeric : bool
        Whether the cells are amounts, aligned to the right.
    """

    key: str
    head: str
    numeric: bool = False


@dataclass(frozen=True, slots=True)
class Row(Complete):
    """A row of a table.

    Parameters
    ----------
    key : str
        Key that is unique in the table, and the same in a later report of the same plan, sweep or run.
    cells : tuple of (Amount or str or None)
        One cell for each column; None for an empty cell.
    chosen : bool
        Whether the row is highlighted: the recommended option, or the winner.
    """

    key: str
    cells: tuple[Amount | str | None, ...]
    chosen: bool = False


@dataclass(frozen=True, slots=True)
class Table(Complete):
    """A table of a report.

    Parameters
    ----------
    key : str
        Key that is unique in the report, and also the name of the table's CSV file and sheet.
    caption : str
        Main finding, in a sentence.
    columns : tuple of Column
        Columns; the first one has the names of the rows.
    rows : tuple of Row
    sideways : bool
        Whether the table compares a few options in columns, with one property in each row. On a phone, it becomes one
        card for each option.
    """

    key: str
    caption: str
    columns: tuple[Column, ...]
    rows: tuple[Row, ...]
    sideways: bool = False
    kind: Literal["table"] = "table"


@dataclass(frozen=True, slots=True)
class Axis(Complete):
    """An axis of a chart.

    Parameters
    ----------
    label : str
        ``Time of one run``; the unit is shown beside the ticks.
    unit : str
        ``s`` (ticks as durations), ``USD`` (as money), ``months``, ``1`` (shares, as percent), ``MB/s``, ... ; empty
        for categories.
    scale : {'linear', 'log', 'categories'}
    categories : tuple of str
        Categories in order; the coordinate of a point is the index of its category.
    """

    label: str
    unit: str
    scale: Scale = "linear"
    categories: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Point(Complete):
    """A point of a series.

    Parameters
    ----------
    x, y : float
        Coordinates in the units of the axes, or the index of a category; in a grid, the column and row of the cell.
    low, high : float or None
        Lower and upper end of the range of y, drawn as a whisker or as a band.
    label : str or None
        Text that is shown beside the point or, in a grid, in the cell.
    value : float or None
        In a grid, the value that sets the colour of the cell.
    ringed : bool
        Whether the point is marked as the chosen one.
    """

    x: float
    y: float
    low: float | None = None
    high: float | None = None
    label: str | None = None
    value: float | None = None
    ringed: bool = False


@dataclass(frozen=True, slots=True)
class Series(Complete):
    """A series of a chart.

    Parameters
    ----------
    name : str
        Name that is shown beside the series, not in a separate legend.
    points : tuple of Point
    drawn : {'points', 'line', 'step', 'band', 'bars'}
        The bars of all series of a ``stacked`` chart form one row for each category of y, one after another along x.
    resource : str or None
        Limiting resource that gives the series its colour and pattern: ``network``, ``local disk``, ``EBS link``,
        ``EBS volumes``, ``object store``, ``CPU``, ``other``; None for the next colour of the palette.
    faint : bool
        Whether the series is drawn as background, such as candidates behind the frontier.
    """

    name: str
    points: tuple[Point, ...]
    drawn: Drawn = "points"
    resource: str | None = None
    faint: bool = False


@dataclass(frozen=True, slots=True)
class Limit(Complete):
    """A line across a chart: a deadline, a budget, a break-even.

    Parameters
    ----------
    axis : {'x', 'y'}
        Axis of ``value``.
    value : float
    words : str
        Label of the line: ``deadline 30 min``.
    """

    axis: Literal["x", "y"]
    value: float
    words: str


@dataclass(frozen=True, slots=True)
class Chart(Complete):
    """A chart, as data: the renderer decides on the geometry.

    Parameters
    ----------
    key : str
        Key that is unique in the report, and also the name of the chart's files.
    title : str
    caption : str
        Main finding, in a sentence; also the text alternative of the chart.
    chart : {'scatter', 'stacked', 'bars', 'lines', 'grid'}
        ``scatter``: cost over time. ``stacked``: phases of each option, horizontal. ``bars``: one value for each
        category of y, horizontal, with whiskers. ``lines``: over months or nodes. ``grid``: a sweep's cells.
    x, y : Axis
    series : tuple of Series
        About 5,000 points in all, at most.
    limits : tuple of Limit
    """

    key: str
    title: str
    caption: str
    chart: ChartKind
    x: Axis
    y: Axis
    series: tuple[Series, ...]
    limits: tuple[Limit, ...] = ()
    kind: Literal["chart"] = "chart"


@dataclass(frozen=True, slots=True)
class Step(Complete):
    """A line of a calculation: an input, or a result computed from lines above it.

    Parameters
    ----------
    key : str
        A word of ``a-z``, digits and ``_``, beginning with a letter; unique in the calculation: ``nodes``,
        ``usd_per_hour``, ``instances_usd``.
    label : str
    amount : Amount
    formula : str or None
        Formula of the keys of lines above, numbers, ``+ - * / ( )`` and ``max(a, b)``, ``min(a, b)``, ``ceil(a)``:
        ``nodes * billed_s / 3600 * usd_per_hour``. None for an input. It yields ``amount.value``, within a billionth.
    """

    key: str
    label: str
    amount: Amount
    formula: str | None = None


@dataclass(frozen=True, slots=True)
class Calculation(Complete):
    """A calculation of an amount, line by line; in a spreadsheet, readers can change its inputs.

    Parameters
    ----------
    key : str
        Key that is unique in the report, and also the name of the calculation's sheet.
    caption : str
    steps : tuple of Step
    """

    key: str
    caption: str
    steps: tuple[Step, ...]
    kind: Literal["calculation"] = "calculation"


Block = Paragraph | Facts | Table | Chart | Calculation


@dataclass(frozen=True, slots=True)
class Section(Complete):
    """A part of a report.

    Parameters
    ----------
    key : str
        Key that is unique in the report: ``options``, ``cost``, ``frontier``, ``time``, ``risk``, ``today``,
        ``outlook``, ``assumptions``, ``provenance``, ...
    heading : str
    blocks : tuple of Block
    detail : bool
        Whether the section comes after the first page, for readers who want details.
    """

    key: str
    heading: str
    blocks: tuple[Block, ...]
    detail: bool = False


@dataclass(frozen=True, slots=True)
class Origin(Complete):
    """Origin of a report: the plans, sweep, run or validation that it was made from.

    Parameters
    ----------
    kind : ReportKind
    object_ids : tuple of str
        Identifiers of the plans, the sweep or the run; empty for the validation.
    names : tuple of str
        Names of the plans, the sweep or the run at the time at which the report was made.
    """

    kind: ReportKind
    object_ids: tuple[str, ...]
    names: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Report(Complete):
    """A report, which does not change after publication.

    Parameters
    ----------
    title : str
    sentence : str
        Summary in one line: the option, its time, cost and confidence.
    words : str
        Comment of the author, as plain text; empty if there is no comment.
    author, team : str
        Names of the author and of the team at publication.
    made_at : datetime
        Time at which the report was made, with a time zone.
    origin : Origin
    sections : tuple of Section
        Sections; the first is the summary. All sections without ``detail`` together fit on a page.
    versions : tuple of Fact
        Versions and dates of the model, the catalog and the profiles.
    """

    title: str
    sentence: str
    words: str
    author: str
    team: str
    made_at: datetime
    origin: Origin
    sections: tuple[Section, ...]
    versions: tuple[Fact, ...]
