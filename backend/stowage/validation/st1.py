"""Validation with a blog post about st1 volumes under HDFS.

It has a table of six times, peak rates of volumes, and AWS' formulas for their rates. The times are those of reads and
writes by the benchmark TestDFSIO, each with one, two and four volumes per node. If data flowed evenly over all volumes,
the times would not depend on the number of volumes. They do because k concurrent streams keep only the share
k / (k + v - 1) of v volumes busy (`model.framework.busy_share`). All six rows have the same k, and all rows of one
direction (reads or writes) have the same efficiency.
"""

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from datetime import date
from typing import Literal

import numpy as np

from stowage.frozen import frozen
from stowage.model.cluster import Configuration, Ebs
from stowage.model.figure import Figure
from stowage.model.hardware.volume import Volume, performance
from stowage.model.hardware.volume_limits import ThroughputBySize
from stowage.model.jobs.framework import Framework, busy_share
from stowage.model.jobs.frameworks import HADOOP_DFSIO, IDEAL
from stowage.model.jobs.hdfs import Hdfs
from stowage.model.jobs.workload import Measured, Workload
from stowage.model.money.price import volume_usd_per_month
from stowage.model.prediction import Prediction
from stowage.model.sizes import MB_PER_GIB
from stowage.validation.case import LeftOut, Predicted
from stowage.validation.inputs import PublishedInputs, limits_of, time_of

MEASURED_ON = date(2023, 2, 15)
LAYOUTS = (4, 2, 1)
_GIB_PER_TIB = 1_024.0
_FEWEST_STREAMS, _MOST_STREAMS = 1.0, 1_000.0
_NARROWINGS = 80
"""Number of golden-section steps; after these the bracket is as narrow as the precision of a double."""
_GOLDEN = (math.sqrt(5.0) - 1.0) / 2.0

Direction = Literal["write", "read"]
DIRECTIONS: tuple[Direction, ...] = ("write", "read")


@frozen
class Row:
    """One row of the table of times in the blog post about st1 volumes."""

    direction: Direction
    volumes: int
    """Volumes per node."""
    time_s: float
    """Measured time [s]."""
    bound_s: float
    """Predicted time if every volume reached its burst rate [s]."""


@frozen
class Fit:
    """Constants of the benchmark TestDFSIO, fitted to rows of the table."""

    streams: float
    """Concurrent requests per node, k [1]."""
    efficiencies: Mapping[Direction, float]
    """Share of the burst rate that TestDFSIO reaches in each direction [1]."""

    def framework(self) -> Framework:
        """Return the profile of TestDFSIO with the fitted constants."""
        return replace(
            HADOOP_DFSIO,
            streams=_figure("streams", self.streams),
            read_efficiency=_figure("read_efficiency", self.efficiencies["read"]),
            write_efficiency=_figure("write_efficiency", self.efficiencies["write"]),
        )


def predictions(published: PublishedInputs) -> dict[str, Predicted]:
    """Predict the figures in the blog post about st1 volumes."""
    return _times(published) | _throughputs(published) | _rates() | {"st1-cost": Predicted(_month_usd(published))}


def rows(published: PublishedInputs) -> tuple[Row, ...]:
    """Return the six rows of the table, each with a lower bound of its time."""
    return tuple(
        Row(direction, volumes, published.actual(f"st1-{direction}-{volumes}"), _bound_s(published, direction, volumes))
        for direction in DIRECTIONS
        for volumes in LAYOUTS
    )


def fit(measured: Sequence[Row]) -> Fit:
    """Fit the constants of TestDFSIO to rows of the table by least squares of ln(time).

    The constants are one number of streams k, and one efficiency for each direction.

    Parameters
    ----------
    measured : sequence of Row
        Rows of both directions. In one direction, there must be rows of at least two numbers of volumes.

    Notes
    -----
    For a given k, the best efficiency of a direction is the geometric mean over the rows of that direction. So only k
    must be searched for, by a golden-section search on a logarithmic scale.
    """

    def squares(log_streams: float) -> float:
        streams = math.exp(log_streams)
        efficiencies = _efficiencies(measured, streams)
        left = [
            math.log(row.bound_s / row.time_s)
            - math.log(efficiencies[row.direction] * busy_share(streams, row.volumes))
            for row in measured
        ]
        return float(np.square(left).sum())

    streams = math.exp(_smallest(squares, math.log(_FEWEST_STREAMS), math.log(_MOST_STREAMS)))
    return Fit(streams, _efficiencies(measured, streams))


def predicted_with(published: PublishedInputs, fitted: Fit, direction: Direction, volumes: int) -> Prediction:
    """Predict one row of the table with the constants of a fit."""
    return predicted_by(published, fitted.framework(), direction, volumes)


def _times(published: PublishedInputs) -> dict[str, Predicted]:
    measured = rows(published)
    whole = fit(measured)
    found: dict[str, Predicted] = {}
    for row in measured:
        without_row = fit([other for other in measured if other != row])
        without_layout = fit([other for other in measured if other.volumes != row.volumes])
        by_row, by_layout, by_all = (
            predicted_with(published, fitted, row.direction, row.volumes)
            for fitted in (without_row, without_layout, whole)
        )
        reached = without_row.efficiencies[row.direction]
        off, reading, writing = _off_pct(by_all, row), whole.efficiencies["read"], whole.efficiencies["write"]
        all_six = f"{whole.streams:.1f} streams, {reading:.1%} reading, {writing:.1%} writing; here {off:+.1f}% off"
        words = (
            f"Predicted by a fit without this row: {without_row.streams:.1f} streams, {reached:.1%} of the burst rate.",
            f"A fit to all six rows has {all_six}.",
        )
        left_out = LeftOut(_off_pct(by_row, row), _off_pct(by_layout, row))
        found[f"st1-{row.direction}-{row.volumes}"] = replace(time_of(by_row, *words), left_out=left_out)
    return found


def _throughputs(published: PublishedInputs) -> dict[str, Predicted]:
    files_mib = published.value("dfsio.files") * published.value("dfsio.file_gib") * _GIB_PER_TIB
    return {
        f"st1-{direction}-{volumes}-throughput": Predicted(files_mib / published.actual(f"st1-{direction}-{volumes}"))
        for direction in DIRECTIONS
        for volumes in LAYOUTS
    }


def _rates() -> dict[str, Predicted]:
    found: dict[str, Predicted] = {}
    limits = limits_of("st1", MEASURED_ON)
    for size_gib in (512, 1024, 2048):
        reached = performance(Volume(limits, float(size_gib)))
        burst = Predicted(float(reached.burst_mib_per_s))
        found |= {f"st1-{direction}-peak-{size_gib}": burst for direction in DIRECTIONS}
        found[f"st1-burst-{size_gib}"] = burst
        found[f"st1-baseline-{size_gib}"] = Predicted(float(reached.baseline_mib_per_s))
    by_size = limits.performance
    if not isinstance(by_size, ThroughputBySize):
        raise TypeError("st1 has throughput by size")
    return found | {
        "st1-burst-plateau": Predicted(by_size.largest_burst_mib_per_s.value / by_size.burst_mib_per_s_per_tib.value),
        "st1-baseline-plateau": Predicted(
            by_size.largest_baseline_mib_per_s.value / by_size.baseline_mib_per_s_per_tib.value
        ),
    }


def _month_usd(published: PublishedInputs) -> float:
    prices = published.volume_type("st1", MEASURED_ON).prices()
    return float(volume_usd_per_month(prices, published.value("dfsio.node_gib")))


def _bound_s(published: PublishedInputs, direction: Direction, volumes: int) -> float:
    """Return the time of a row if the volumes were the only limit [s]."""
    [phase] = predicted_by(published, IDEAL, direction, volumes).phases
    return float(dict(phase.resource_times_s)["EBS volumes"])


def predicted_by(published: PublishedInputs, framework: Framework, direction: Direction, volumes: int) -> Prediction:
    """Predict one row of the table with the profile of a framework."""
    nodes = published.count("dfsio.nodes")
    data_mb = published.value("dfsio.files") * published.value("dfsio.file_gib") * MB_PER_GIB
    kind: Literal["hdfs-write", "hdfs-read"] = "hdfs-write" if direction == "write" else "hdfs-read"
    credit = Measured(network_credit_mb=published.value("r5.xlarge.network_credit_mb"))
    workload = Workload("", Hdfs(kind, data_mb, default_copies=True), measured=credit, calibrated=framework).at(nodes)
    configuration = Configuration(
        "r5.xlarge", nodes, Ebs("st1", int(published.value("dfsio.node_gib")) // volumes, volumes)
    )
    others = published.without_profiles_of("r5.xlarge")
    return published.predict(configuration, workload, others, published.catalog("r5.xlarge", "st1", MEASURED_ON))


def _efficiencies(measured: Sequence[Row], streams: float) -> dict[Direction, float]:
    return {
        direction: math.exp(
            float(
                np.mean(
                    [
                        math.log(row.bound_s / row.time_s / busy_share(streams, row.volumes))
                        for row in measured
                        if row.direction == direction
                    ]
                )
            )
        )
        for direction in DIRECTIONS
    }


def _smallest(function: Callable[[float], float], low: float, high: float) -> float:
    """Return the argument that minimizes a function, by golden-section search.

    The function must have a single minimum between ``low`` and ``high``.
    """
    for _ in range(_NARROWINGS):
        inner_low, inner_high = high - _GOLDEN * (high - low), low + _GOLDEN * (high - low)
        if function(inner_low) <= function(inner_high):
            high = inner_high
        else:
            low = inner_low
    return 0.5 * (low + high)


def _off_pct(prediction: Prediction, row: Row) -> float:
    return 100.0 * (prediction.time_s.p50 - row.time_s) / row.time_s


def _figure(quantity: str, value: float) -> Figure:
    source = "Fitted to the times of the AWS Storage Blog on st1 and HDFS that a validation case is allowed to see"
    return Figure(f"framework.hadoop-dfsio.{quantity}", value, "1", source, "estimated", MEASURED_ON)
