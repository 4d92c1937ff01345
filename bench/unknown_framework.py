"""How wide the framework of which nothing is known is, and what it is derived from: the tables of docs/frameworks.md.

Prints them; with --write it puts them into the page. Everything is computed from what travels in the package.
"""

import argparse
import math
import re
from collections.abc import Iterator
from pathlib import Path

from stowage.catalog.snapshot import packaged
from stowage.model.jobs.frameworks import FRAMEWORKS, UNKNOWN
from stowage.model.uncertainty.scale import Z90
from stowage.validation.inputs import PublishedInputs
from stowage.validation.sources import packaged as packaged_sources
from stowage.validation.unknown import Piece, evidence, fit, left_out, needed_error, spread, unknown_range

PAGE = Path(__file__).resolve().parents[1] / "docs" / "frameworks.md"
BEGIN, END = "<!-- written by bench/unknown_framework.py -->", "<!-- to here -->"


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
