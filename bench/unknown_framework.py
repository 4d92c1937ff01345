"""How wide the framework of which nothing is known is, and what it is derived from: the tables of docs/frameworks.md.

Prints them; with --write it puts them into the page. Everything is computed from what travels in the package.

`frameworks.UNKNOWN` states the figures of the profile. They are derived from all published times of known frameworks.
To check the method, each framework is left out in turn, and its times are predicted from the others. A piece of
evidence is the time of one run with its bound. The bound is the time that the framework `IDEAL` would take.
"""

import argparse
import math
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from stowage.catalog.snapshot import packaged
from stowage.model.jobs.frameworks import FRAMEWORKS, HADOOP_DFSIO, IDEAL, UNKNOWN
from stowage.model.uncertainty.scale import Z90
from stowage.validation.evaluations import EVALUATIONS, evaluation, spark_record
from stowage.validation.hierarchy import Width, of_another
from stowage.validation.inputs import PublishedInputs
from stowage.validation.sources import packaged as packaged_sources
from stowage.validation.st1 import DIRECTIONS, LAYOUTS, predicted_by

PAGE = Path(__file__).resolve().parents[1] / "docs" / "frameworks.md"
BEGIN, END = "<!-- written by bench/unknown_framework.py -->", "<!-- to here -->"
THEMIS, SPARK, HADOOP = "Themis", "Spark", "Hadoop"


@dataclass(frozen=True, slots=True)
class Piece:
    """One piece of evidence: the time of a run of a framework, with its bound."""

    framework: str
    name: str
    """Name of the case in the validation."""
    time_s: float
    """Time of the run [s]."""
    bound_s: float
    """Bound of the run, i.e. its time as predicted with the framework `IDEAL` [s]."""
    measured: bool = True
    """Whether the time was measured. If not, it was predicted with a packaged profile and is not used in fits."""

    @property
    def log_ratio(self) -> float:
        """Return ln(time / bound) of the run [1]."""
        return math.log(self.time_s / self.bound_s)


def evidence(inputs: PublishedInputs) -> tuple[Piece, ...]:
    """Return the evidence: 13 runs with their times and bounds.

    Ten of the times are published. Three are predicted with a packaged profile.
    """
    measured = [
        *(
            Piece(THEMIS, name, inputs.actual(f"{name}-time"), evaluation(inputs, name).time_s.p50)
            for name in EVALUATIONS
        ),
        Piece(SPARK, "sort-spark", inputs.actual("sort-spark-time"), spark_record(inputs, IDEAL.name).time_s.p50),
        *(
            Piece(
                HADOOP,
                f"st1-{direction}-{volumes}",
                inputs.actual(f"st1-{direction}-{volumes}"),
                predicted_by(inputs, IDEAL, direction, volumes).time_s.p50,
            )
            for direction in DIRECTIONS
            for volumes in LAYOUTS
        ),
    ]
    derived = (
        Piece(
            HADOOP,
            f"{HADOOP_DFSIO.name}: {name}",
            evaluation(inputs, name, framework=HADOOP_DFSIO.name).time_s.p50,
            evaluation(inputs, name).time_s.p50,
            measured=False,
        )
        for name in EVALUATIONS
    )
    return (*measured, *derived)


def fit(pieces: Sequence[Piece]) -> Width:
    """Fit the range of ln(time / bound) for a run of an unseen framework.

    Parameters
    ----------
    pieces : sequence of Piece
        Runs of at least two frameworks, with at least two runs of one framework. Only measured times count.
    """
    groups: dict[str, list[float]] = {}
    for piece in pieces:
        if piece.measured:
            groups.setdefault(piece.framework, []).append(piece.log_ratio)
    return of_another(list(groups.values()))


def left_out(pieces: Sequence[Piece], framework: str) -> Width:
    """Predict the range of ln(time / bound) for one framework from all other frameworks."""
    return fit([piece for piece in pieces if piece.framework != framework])


def spread(pieces: Sequence[Piece]) -> float:
    """Return the difference of ln(time / bound) between the slowest and the fastest run [1].

    The slowest run has the longest time relative to its bound.
    """
    ratios = [piece.log_ratio for piece in pieces]
    return max(ratios) - min(ratios)


def unknown_range() -> tuple[float, float]:
    """Return p10 and p90 of ln(time / bound) by the profile of an unknown framework [1].

    The profile is `frameworks.UNKNOWN`.
    """
    if UNKNOWN.efficiency is None or UNKNOWN.faster is None:
        raise TypeError("the framework of which nothing is known has an efficiency and two sides")
    median = -math.log(UNKNOWN.efficiency.value)
    return median - Z90 * UNKNOWN.faster.value, median + Z90 * UNKNOWN.error.value


def needed_error(pieces: Sequence[Piece]) -> float:
    """Return the error that the profile `frameworks.UNKNOWN` needs to include the slowest run [1].

    It is the standard deviation of ln(time) above the median with which p90 equals the time of the slowest run. The
    slowest run has the longest time relative to its bound.
    """
    if UNKNOWN.efficiency is None:
        raise TypeError("the framework of which nothing is known has an efficiency")
    return (max(piece.log_ratio for piece in pieces) + math.log(UNKNOWN.efficiency.value)) / Z90


def rate_columns() -> PublishedInputs:
    """Load the paper's catalog, profiles and all published cases from the package."""
    paper = packaged("paper-2014")
    return PublishedInputs(packaged_sources(), paper.in_region("us-east-1"), paper.profiles)


def tables(pieces: tuple[Piece, ...]) -> str:
    """Write evidence, widths and each framework left out as tables."""
    return "\n".join([*_evidence(pieces), "", *_widths(pieces), "", *_left_out(pieces)])


def _evidence(pieces: tuple[Piece, ...]) -> Iterator[str]:
    yield "| framework | run | time | bound | time / bound | |"
    yield "|---|---|---:|---:|---:|---|"
    for piece in pieces:
        kind = "measured" if piece.measured else "by the profile, not measured"
        ratio = math.exp(piece.log_ratio)
        times = f"{piece.time_s:,.0f} s | {piece.bound_s:,.0f} s | {ratio:.2f}"
        yield f"| {piece.framework} | {piece.name} | {times} | {kind} |"


def _widths(pieces: tuple[Piece, ...]) -> Iterator[str]:
    low, high = unknown_range()
    fitted, apart = fit(pieces), spread(pieces)
    yield "| | time / bound | width, ln(p90 / p10) |"
    yield "|---|---|---:|"
    yield f"| `unknown`, p10 to p90 | {math.exp(low):.2f} to {math.exp(high):.2f} | {high - low:.2f} |"
    for framework in FRAMEWORKS.values():
        if framework is not UNKNOWN:
            yield f"| `{framework.name}`, of its own time | | {2.0 * Z90 * framework.error.value:.2f} |"
    yield f"| the evidence, fastest to slowest | | {apart:.2f} |"
    yield f"| twice that, which `unknown` must not exceed | | {2.0 * apart:.2f} |"
    yield (
        f"| fit to the measured times | median {math.exp(fitted.median):.2f}, deviation {fitted.deviation:.2f} | "
        f"{fitted.range[1] - fitted.range[0]:.2f} |"
    )
    yield f"| deviation above the median that holds the slowest of all | {needed_error(pieces):.3f} | |"


def _left_out(pieces: tuple[Piece, ...]) -> Iterator[str]:
    yield "| left out | p10 to p90 of the others' fit | width | its measured times | held |"
    yield "|---|---|---:|---|---:|"
    for framework in dict.fromkeys(piece.framework for piece in pieces):
        low, high = left_out(pieces, framework).range
        own = [piece.log_ratio for piece in pieces if piece.framework == framework and piece.measured]
        held = sum(low <= ratio <= high for ratio in own)
        yield (
            f"| {framework} | {math.exp(low):.2f} to {math.exp(high):.2f} | {high - low:.2f} | "
            f"{math.exp(min(own)):.2f} to {math.exp(max(own)):.2f} | {held} of {len(own)} |"
        )


def write(page: str, written: str) -> str:
    """Put the tables into the page's text."""
    return re.sub(
        f"{re.escape(BEGIN)}.*?{re.escape(END)}", f"{BEGIN}\n\n{written}\n\n{END}", page, count=1, flags=re.DOTALL
    )


def main() -> None:
    """Print the tables, or put them into the page."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--write", action="store_true", help="put them into docs/frameworks.md")
    written = tables(evidence(rate_columns()))
    if parser.parse_args().write:
        PAGE.write_text(write(PAGE.read_text(), written))
    else:
        print(written)


if __name__ == "__main__":
    main()
