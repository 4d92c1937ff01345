"""SVG paths, and the point shapes that distinguish series without color."""

import math
from collections.abc import Iterable, Sequence
from itertools import pairwise

from stowage.documents.charts.marks import Circle, Form, Path

Spot = tuple[float, float]
"""A position in a drawing [px], y downwards."""


def px(value: float) -> float:
    """Round a coordinate to the digits that make a visible difference [px]."""
    return round(value, 1) + 0.0


def line(spots: Iterable[Spot], *, closed: bool = False) -> str:
    """Return SVG path data of a line through positions.

    Examples
    --------
    >>> line([(0.0, 1.0), (2.0, 3.04)])
    'M0 1L2 3'
    """
    parts = [f"{px(x):g} {px(y):g}" for x, y in spots]
    return f"M{'L'.join(parts)}{'Z' if closed else ''}" if parts else ""


def steps(spots: Sequence[Spot]) -> list[Spot]:
    """Return the corners of a step line through positions.

    Between two positions, the line goes across first, then up or down.
    """
    corners = [(to[0], before[1]) for before, to in pairwise(spots)]
    return [*(each for pair in zip(spots, corners, strict=False) for each in pair), *spots[-1:]]


def dots(spots: Iterable[Spot]) -> str:
    """Return SVG path data of a dot at each position.

    Of several positions on the same pixel, only one is drawn.
    """
    seen = sorted({(round(x), round(y)) for x, y in spots})
    return "".join(f"M{x} {y}L{x} {y}" for x, y in seen)


def _star(x: float, y: float, r: float) -> list[Spot]:
    reach = [r * (1.25 if corner % 2 == 0 else 0.55) for corner in range(10)]
    turns = [math.pi * (corner / 5 - 0.5) for corner in range(10)]
    return [(x + far * math.cos(turn), y + far * math.sin(turn)) for far, turn in zip(reach, turns, strict=True)]


def marker(turn: int, x: float, y: float, r: float, style: str, form: Form, title: str | None) -> Circle | Path:
    """Draw a point as a circle, a square, a diamond, a triangle, a star, or a cross.

    Parameters
    ----------
    turn : int
        Index of the shape; the shapes repeat.
    x, y : float
        Center [px].
    r : float
        Approximate radius [px].
    style : str
    form : Form
    title : str or None
    """
    shapes: tuple[list[Spot], ...] = (
        [],
        [(x - r, y - r), (x + r, y - r), (x + r, y + r), (x - r, y + r)],
        [(x, y - 1.35 * r), (x + 1.35 * r, y), (x, y + 1.35 * r), (x - 1.35 * r, y)],
        [(x - 1.15 * r, y - r), (x + 1.15 * r, y - r), (x, y + 1.15 * r)],
        _star(x, y, r),
        [(x - 1.15 * r, y + r), (x + 1.15 * r, y + r), (x, y - 1.15 * r)],
    )
    shape = turn % (len(shapes) + 1)
    if shape == 0:
        return Circle(px(x), px(y), r, style, form, title=title)
    if shape == len(shapes):
        across = line([(x - r, y - r), (x + r, y + r)]) + line([(x - r, y + r), (x + r, y - r)])
        return Path(across, style, "bold", title=title)
    return Path(line(shapes[shape], closed=True), style, form, title=title)
