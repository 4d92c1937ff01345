"""A published figure, what the model makes of it, and how far the two are apart."""

from dataclasses import dataclass, replace
from datetime import date
from typing import Literal

Kind = Literal["reproduced", "predicted", "fitted", "context"]
"""reproduced: the inputs are from the same table, or it is arithmetic on published sizes and prices;
predicted: a performance figure from inputs that are independent of it; fitted: parameters are taken from
these rows, and the prediction is that of a fit without its own; context: shown, not held to."""

Group = Literal["job time", "device rate", "price", "arithmetic"]
"""What a job costs goes with its time, which it follows; ``price`` is a price by the month or hour."""

Relation = Literal["equal", "at least", "at most"]

MISS_PCT = 15.0
"""Beyond this a case has to say why [%]."""


@dataclass(frozen=True, slots=True)
class Published:
    """A figure as its source has it.

    Parameters
    ----------
    id : str
    experiment : str
        One tool on one author's set-up, however many volumes, sizes and rows it was run on: what shares a set-up
        shares its errors, and is counted once.
    source : str
        Document and place in it.
    source_date : date
    group : Group
    quantity : str
        In words.
    unit : str
    kind : Kind
    relation : {"equal", "at least", "at most"}
        Of the prediction to what was published.
    actual : float or None
        [unit]; None where the source gives no number.
    half_unit : float
        Half a unit of the last digit that is printed [unit]: what rounding explains.
    assumptions : tuple of str
    reason : str or None
        Why it misses.
    """

    id: str
    experiment: str
    source: str
    source_date: date
    group: Group
    quantity: str
    unit: str
    kind: Kind
    relation: Relation
    actual: float | None
    half_unit: float
    assumptions: tuple[str, ...]
    reason: str | None


@dataclass(frozen=True, slots=True)
class LeftOut:
    """Error [%] of a fitted row when the fit leaves out the row, or its whole layout."""

    row_error_pct: float
    layout_error_pct: float


@dataclass(frozen=True, slots=True)
class Predicted:
    """Prediction of the model.

    Parameters
    ----------
    value : float
        Median.
    p10, p90 : float or None
        None where the model gives no range: limits that a vendor enforces, prices, arithmetic.
    assumptions : tuple of str
        What was computed along the way and belongs beside it.
    left_out : LeftOut or None
        Of a fitted row.
    """

    value: float
    p10: float | None = None
    p90: float | None = None
    assumptions: tuple[str, ...] = ()
    left_out: LeftOut | None = None

    def over(self, divisor: float) -> "Predicted":
        """Divide the value and its range, for another unit."""
        p10, p90 = (None if quantile is None else quantile / divisor for quantile in (self.p10, self.p90))
        return replace(self, value=self.value / divisor, p10=p10, p90=p90)


@dataclass(frozen=True, slots=True)
class Case:
    """A published figure beside what the model says of it.

    Parameters
    ----------
    published : Published
    predicted : Predicted or None
        None where the model says nothing.
    error_pct : float or None
        Of the prediction, relative to the actual figure, with its sign [%]. An inequality has 0 where it holds.
    """

    published: Published
    predicted: Predicted | None
    error_pct: float | None

    @property
    def assumptions(self) -> tuple[str, ...]:
        """All that was assumed, what the source explains first."""
        computed = () if self.predicted is None else self.predicted.assumptions
        return (*self.published.assumptions, *computed)

    @property
    def misses(self) -> bool:
        """Return whether it is further off than `MISS_PCT`."""
        return self.error_pct is not None and abs(self.error_pct) > MISS_PCT


@dataclass(frozen=True, slots=True)
class Contradiction:
    """Where sources contradict themselves, each other, or what is possible.

    Parameters
    ----------
    title, text, source : str
    cases : tuple of str
        Reproduced cases that cannot agree within rounding because of it.
    """

    title: str
    text: str
    source: str
    cases: tuple[str, ...] = ()


def held_against(published: Published, predicted: Predicted | None) -> Case:
    """Put a prediction beside what was published.

    Examples
    --------
    >>> figure = Published(
    ...     "x", "x", "", date(2015, 8, 27), "job time", "time", "s", "predicted", "equal", 888.0, 0.5, (), None
    ... )
    >>> round(held_against(figure, Predicted(1010.0)).error_pct, 1)
    13.7
    """
    actual = published.actual
    if predicted is None or actual is None:
        return Case(published, predicted, None)
    apart = predicted.value - actual
    holds = (published.relation == "at least" and apart >= 0.0) or (published.relation == "at most" and apart <= 0.0)
    return Case(published, predicted, 0.0 if holds else 100.0 * apart / actual)
