"""A report: a document of sections that is composed once and shown everywhere as it is.

Whoever composes it knows of plans, sweeps, runs and validations; whoever shows it, as a page, as PDF or as a
spreadsheet, knows of nothing but what stands here. Each number carries the words in which people read it, so that it
reads alike wherever it is shown. All texts are plain texts: whoever shows one escapes it.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import date, datetime
from typing import Any, ClassVar, Literal

from stowage.model.figure import Kind

ReportKind = Literal["plan", "comparison", "sweep", "run", "validation"]
Standing = Kind | Literal["predicted"]
"""How a number was come by; ``predicted`` by the model from others."""
Tone = Literal["plain", "doubt"]
Scale = Literal["linear", "log", "categories"]
ChartKind = Literal["scatter", "stacked", "bars", "lines", "grid"]
Drawn = Literal["points", "line", "step", "band", "bars"]


class _Part:
    """Elements of a report; in JSON every field is present, those with a default too."""

    __slots__ = ()
    __pydantic_config__: ClassVar[Mapping[str, Any]] = {"json_schema_serialization_defaults_required": True}


@dataclass(frozen=True, slots=True)
class Amount(_Part):
    """A number as people read it, with all its digits behind it.

    Parameters
    ----------
    value : float
        Finite, in ``unit``.
    unit : str
        ``s``, ``USD``, ``USD/month``, ``1`` (chances and shares: 0 to 1), ``nodes``, ``GiB``, ``MB/s``, ``%``, ...
    words : str
        With its unit: ``16 min 50 s``, ``$325``, ``40 MiB/s``, ``99%``. Of a range the median.
    low, high : float or None
        p10 and p90 in ``unit``, where it is a range.
    range_words : str or None
        ``14–19 min``.
    standing : Standing or None
        None for a plain count or date.
    source : str or None
        Document and place in it.
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
class Paragraph(_Part):
    """Running text.

    Parameters
    ----------
    text : str
        Plain; a line break is a line break.
    tone : {'plain', 'doubt'}
        ``doubt`` for what must not be overlooked: a poor fit, an estimate that decides, a baseline that is exceeded.
    """

    text: str
    tone: Tone = "plain"
    kind: Literal["paragraph"] = "paragraph"


@dataclass(frozen=True, slots=True)
class Fact(_Part):
    """One line of a list of facts.

    Parameters
    ----------
    key : str
        By which a later report's line is held against this one; unique in its list: ``time``, ``cost``.
    label : str
    value : Amount or str
    better : {'less', 'more'} or None
        Which way is good, for the difference to another report.
    """

    key: str
    label: str
    value: Amount | str
    better: Literal["less", "more"] | None = None


@dataclass(frozen=True, slots=True)
class Facts(_Part):
    """Labels and what holds of each.

    Parameters
    ----------
    facts : tuple of Fact
    headline : bool
        Drawn large: the few numbers that a manager takes away, four to six of them.
    """

    facts: tuple[Fact, ...]
    headline: bool = False
    kind: Literal["facts"] = "facts"


@dataclass(frozen=True, slots=True)
class Column(_Part):
    """A column of a table.

    Parameters
    ----------
    key : str
        Unique in its table; the column's name in CSV, with the unit: ``time_s``, ``cost_usd``.
    head : str
    numeric : bool
        Its cells are amounts, and stand at the right.
    """

    key: str
    head: str
    numeric: bool = False


@dataclass(frozen=True, slots=True)
class Row(_Part):
    """A row of a table.

    Parameters
    ----------
    key : str
        Unique in its table, the same in a later report of the same thing.
    cells : tuple of (Amount or str or None)
        One for each column; None where there is nothing to say.
    chosen : bool
        The recommended one, or the winner: marked.
    """

    key: str
    cells: tuple[Amount | str | None, ...]
    chosen: bool = False


@dataclass(frozen=True, slots=True)
class Table(_Part):
    """A table.

    Parameters
    ----------
    key : str
        Unique in the report; names its CSV file and its sheet.
    caption : str
        What to see in it, in a sentence.
    columns : tuple of Column
        The first names the row.
    rows : tuple of Row
    sideways : bool
        A few options side by side, of which each row says one thing: on a phone the table becomes a card an option.
    """

    key: str
    caption: str
    columns: tuple[Column, ...]
    rows: tuple[Row, ...]
    sideways: bool = False
    kind: Literal["table"] = "table"


@dataclass(frozen=True, slots=True)
class Axis(_Part):
    """An axis.

    Parameters
    ----------
    label : str
        ``Time of one run``; the unit is written beside the ticks.
    unit : str
        ``s`` (ticks as durations), ``USD`` (as money), ``months``, ``1`` (shares, as percent), ``MB/s``, ... ; of
        categories empty.
    scale : {'linear', 'log', 'categories'}
    categories : tuple of str
        In their order; a point's place is its index.
    """

    label: str
    unit: str
    scale: Scale = "linear"
    categories: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Point(_Part):
    """A point of a series.

    Parameters
    ----------
    x, y : float
        In the axes' units, or the index of a category. Of a grid the cell's column and row.
    low, high : float or None
        Of y: a whisker, or the edges of a band.
    label : str or None
        Written beside the point; of a grid in the cell.
    value : float or None
        Of a grid: what colours the cell.
    ringed : bool
        The chosen one.
    """

    x: float
    y: float
    low: float | None = None
    high: float | None = None
    label: str | None = None
    value: float | None = None
    ringed: bool = False


@dataclass(frozen=True, slots=True)
class Series(_Part):
    """Group of a chart's elements.

    Parameters
    ----------
    name : str
        Written where the series is, not in a legend far away.
    points : tuple of Point
    drawn : {'points', 'line', 'step', 'band', 'bars'}
        Bars of a ``stacked`` chart lie one after another along x, a bar for each category of y.
    resource : str or None
        The limiting resource that gives it its colour and pattern: ``network``, ``local disk``, ``EBS link``,
        ``EBS volumes``, ``object store``, ``CPU``, ``other``; None for the next colour of the palette.
    faint : bool
        Background: candidates behind the frontier.
    """

    name: str
    points: tuple[Point, ...]
    drawn: Drawn = "points"
    resource: str | None = None
    faint: bool = False


@dataclass(frozen=True, slots=True)
class Limit(_Part):
    """A line across a chart: a deadline, a budget, a break-even.

    Parameters
    ----------
    axis : {'x', 'y'}
        On which ``value`` lies.
    value : float
    words : str
        ``deadline 30 min``.
    """

    axis: Literal["x", "y"]
    value: float
    words: str


@dataclass(frozen=True, slots=True)
class Chart(_Part):
    """A chart, as data: what draws it decides on the geometry.

    Parameters
    ----------
    key : str
        Unique in the report; names the files that are saved.
    title : str
    caption : str
        What to see in it, in a sentence; also read aloud in its place.
    chart : {'scatter', 'stacked', 'bars', 'lines', 'grid'}
        ``scatter``: cost over time. ``stacked``: phases of each option, horizontal. ``bars``: one value for each
        category of y, horizontal, with whiskers. ``lines``: over months or nodes. ``grid``: a sweep's cells.
    x, y : Axis
    series : tuple of Series
        At most some 5,000 points together.
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
class Step(_Part):
    """A line of a calculation: an input, or what follows from lines above it.

    Parameters
    ----------
    key : str
        A word of ``a-z``, digits and ``_``, beginning with a letter; unique in the calculation: ``nodes``,
        ``usd_per_hour``, ``instances_usd``.
    label : str
    amount : Amount
    formula : str or None
        Of keys above it, numbers, ``+ - * / ( )`` and ``max(a, b)``, ``min(a, b)``, ``ceil(a)``:
        ``nodes * billed_s / 3600 * usd_per_hour``. None for an input. It gives ``amount.value``, within a billionth.
    """

    key: str
    label: str
    amount: Amount
    formula: str | None = None


@dataclass(frozen=True, slots=True)
class Calculation(_Part):
    """How a sum comes about, line by line: in a spreadsheet its inputs can be changed.

    Parameters
    ----------
    key : str
        Unique in the report; names its sheet.
    caption : str
    steps : tuple of Step
    """

    key: str
    caption: str
    steps: tuple[Step, ...]
    kind: Literal["calculation"] = "calculation"


Block = Paragraph | Facts | Table | Chart | Calculation


@dataclass(frozen=True, slots=True)
class Section(_Part):
    """A part of a report.

    Parameters
    ----------
    key : str
        Unique in the report: ``options``, ``cost``, ``frontier``, ``time``, ``risk``, ``today``, ``outlook``,
        ``assumptions``, ``provenance``, ...
    heading : str
    blocks : tuple of Block
    detail : bool
        Behind the first page: for whoever asks questions.
    """

    key: str
    heading: str
    blocks: tuple[Block, ...]
    detail: bool = False


@dataclass(frozen=True, slots=True)
class Origin(_Part):
    """Origin of a report.

    Parameters
    ----------
    kind : ReportKind
    object_ids : tuple of str
        Of the plans, the sweep or the run; empty for the validation.
    names : tuple of str
        As they were called.
    """

    kind: ReportKind
    object_ids: tuple[str, ...]
    names: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Report(_Part):
    """A report; once it is published nothing of it changes.

    Parameters
    ----------
    title : str
    sentence : str
        What, how long, how much, how sure: what somebody reads who reads one line.
    words : str
        The author's; plain text, empty where there are none.
    author, team : str
        As they were called when it was published.
    made_at : datetime
        With a time zone.
    origin : Origin
    sections : tuple of Section
        The first is the summary; with those that are no detail it fits on a page.
    versions : tuple of Fact
        Of the model, the catalogue and the profiles, and their dates.
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
