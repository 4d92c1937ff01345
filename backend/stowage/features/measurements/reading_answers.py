"""Conversion of a measurement's metrics and time series to API answers."""

from collections.abc import Mapping, Sequence
from typing import Any

from stowage.features.measurements.schemas import MetricAnswer, SeriesAnswer
from stowage.measure.metrics import METRICS, kind_of
from stowage.measure.reading import PrintedValue
from stowage.workloads.answers import HeadlineAnswer

MOST_SHOWN_POINTS = 100
MOST_SHOWN_SERIES = 60
MOST_HEADLINES = 3


def metric_answers(metrics: Sequence[Mapping[str, Any]]) -> list[MetricAnswer]:
    """Convert stored metrics to answers, which include the meaning of each metric."""
    return [MetricAnswer(**_number(each), told=PrintedValue(**each["told"])) for each in metrics]


def headline(metrics: Sequence[Mapping[str, Any]]) -> list[HeadlineAnswer]:
    """Return the most important metrics of a measurement, for display in lists.

    Metrics for which higher values are better, such as rates, come first.
    """
    names = list(METRICS)
    shown = sorted(
        (each for each in metrics if "." not in each["name"]),
        key=lambda each: (METRICS[each["name"]].better != "more", names.index(each["name"])),
    )
    return [HeadlineAnswer(**_number(each)) for each in shown[:MOST_HEADLINES]]


def _number(metric: Mapping[str, Any]) -> dict[str, Any]:
    kind = kind_of(metric["name"])
    return {"name": metric["name"], "value": metric["value"], "unit": kind.unit, "what": kind.what}


def series_answers(series: Sequence[Mapping[str, Any]], *, thinned: bool) -> list[SeriesAnswer]:
    """Convert stored time series to answers.

    Parameters
    ----------
    thinned : bool
        Whether to return at most `MOST_SHOWN_SERIES` series of `MOST_SHOWN_POINTS` points. Each point then combines
        several original points: the mean of their means and the maximum of their peaks.
    """
    shown = series[:MOST_SHOWN_SERIES] if thinned else series
    return [_series(each, len(each["times_s"]) // MOST_SHOWN_POINTS + 1 if thinned else 1) for each in shown]


def _series(each: Mapping[str, Any], step: int) -> SeriesAnswer:
    points = len(each["times_s"])
    starts = range(0, points, step)
    values, peaks = each["values"], each["peaks"]
    return SeriesAnswer(
        name=each["name"],
        of=each["of"],
        unit=kind_of(each["name"]).unit,
        what=kind_of(each["name"]).what,
        started_at=each["started_at"],
        points=points,
        times_s=[each["times_s"][min(first + step, points) - 1] for first in starts],
        values=[_mean(values[first : first + step]) for first in starts],
        peaks=[max(peaks[first : first + step]) for first in starts],
    )


def _mean(values: Sequence[float]) -> float:
    return values[0] if len(values) == 1 else sum(values) / len(values)
