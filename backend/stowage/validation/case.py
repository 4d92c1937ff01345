"""Cases of the validation.

A case is a published figure with its prediction and the error of this prediction.
"""

from dataclasses import replace
from datetime import date
from typing import Literal

from stowage.frozen import frozen

Kind = Literal["reproduced", "predicted", "fitted", "context"]
"""reproduced: the inputs are from the same table, or it is arithmetic on published sizes and prices;
predicted: a performance figure from inputs that are independent of it; fitted: parameters are fitted to these rows, and
each row is predicted by a fit without it; context: shown, but not compared."""

Group = Literal["job time", "device rate", "price", "arithmetic"]
"""The cost of a job belongs to ``job time``, from which it follows; ``price`` is a monthly or hourly price."""

Relation = Literal["equal", "at least", "at most"]

MISS_PCT = 15.0
"""Error beyond which a case must state a reason [%]."""


@frozen
class Published:
    """A figure published by others, with which predictions are compared."""

    id: str
    experiment: str
    """Id shared by all figures that one author measured with one tool on one setup. Figures from the same setup share
    errors, so the experiment counts only once."""
    source: str
    """Document, and page or section in the document."""
    source_date: date
    group: Group
    quantity: str
    """Description of the quantity."""
    unit: str
    kind: Kind
    relation: Relation
    """Expected relation of the prediction to the published figure."""
    actual: float | None
    """Published value, in `unit`; None if the source has no number."""
    half_unit: float
    """Rounding error, in `unit`: half a unit of the last printed digit."""
    assumptions: tuple[str, ...]
    """Assumptions about facts that the source does not state."""
    reason: str | None
    """Reason why the error exceeds `MISS_PCT`; None if it does not."""


@frozen
class LeftOut:
    """Leave-one-out errors of one measured row."""

    row_error_pct: float
    """Error if the fit omits only this row [%]."""
    layout_error_pct: float
    """Error if the fit omits all rows with the same number of volumes per node [%]."""


@frozen
class Predicted:
    """The model's prediction of one published figure."""

    value: float
    """Predicted median."""
    p10: float | None = None
    """Lower end of the prediction's range; null for figures without a range: limits that a vendor enforces, prices, and
    results of arithmetic."""
    p90: float | None = None
    """Upper end of the prediction's range; null for figures without a range, as `p10`."""
    assumptions: tuple[str, ...] = ()
    """Assumptions and intermediate results, to be shown with the prediction."""
    left_out: LeftOut | None = None
    """Leave-one-out errors of a fitted row."""

    def over(self, divisor: float) -> "Predicted":
        """Return the prediction in another unit.

        Its value and range are divided by ``divisor``.
        """
        p10, p90 = (None if quantile is None else quantile / divisor for quantile in (self.p10, self.p90))
        return replace(self, value=self.value / divisor, p10=p10, p90=p90)


@frozen
class Case:
    """A published figure with its prediction."""

    published: Published
    predicted: Predicted | None
    """None if the model does not predict the published figure."""
    error_pct: float | None
    """Signed error of the prediction relative to the published value [%]; 0 for an inequality that is satisfied."""

    @property
    def assumptions(self) -> tuple[str, ...]:
        """Return the assumptions of the published figure, followed by those of the prediction."""
        computed = () if self.predicted is None else self.predicted.assumptions
        return (*self.published.assumptions, *computed)

    @property
    def misses(self) -> bool:
        """Return whether the prediction misses, i.e. its error is larger than `MISS_PCT`."""
        return self.error_pct is not None and abs(self.error_pct) > MISS_PCT


@frozen
class Contradiction:
    """A contradiction in published figures.

    It is within one source, between sources, or with physical limits.
    """

    title: str
    text: str
    source: str
    cases: tuple[str, ...] = ()
    """Ids of the cases that cannot agree within rounding because of the contradiction."""


def held_against(published: Published, predicted: Predicted | None) -> Case:
    """Compare a prediction with a published figure.

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
