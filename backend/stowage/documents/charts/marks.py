"""Marks of a drawing: shapes and text with coordinates.

A mark has the name of a style instead of a color. The page or file that shows a drawing maps styles to colors, in light
and dark mode. All texts are plain; the renderer escapes them.
"""

from typing import Literal

from stowage.frozen import frozen
from stowage.model.complete import Complete

Form = Literal["fill", "pale", "soft", "line", "bold", "dashed", "dots", "target"]
"""How a style's color is applied: `fill` covers the shape, `pale` is the same but paler, `soft` is faint, for areas in
the background; `line` is thin, `bold` stands out, `dashed` is broken; `dots` draws a dot at the start of each part of a
path; `target` is invisible, for the pointer only."""
Pattern = Literal["stripes", "bars", "rows", "dots", "crosses", "steps", "slants", "waves", "squares"]
"""Pattern over a filled shape, which distinguishes it from its neighbors without color."""
Anchor = Literal["start", "middle", "end"]


@frozen
class Rect(Complete):
    """A rectangle."""

    x: float
    """x of the upper left corner [px]."""
    y: float
    """y of the upper left corner [px]."""
    width: float
    """[px]"""
    height: float
    """[px]"""
    style: str
    form: Form = "fill"
    pattern: Pattern | None = None
    title: str | None = None
    """Tooltip."""
    kind: Literal["rect"] = "rect"


@frozen
class Path(Complete):
    """A line, or the area that a line encloses."""

    d: str
    """SVG path data of `M`, `L` and `Z` with absolute coordinates [px]."""
    style: str
    form: Form = "line"
    pattern: Pattern | None = None
    title: str | None = None
    """Tooltip."""
    kind: Literal["path"] = "path"


@frozen
class Circle(Complete):
    """A circle."""

    cx: float
    """x of the center [px]."""
    cy: float
    """y of the center [px]."""
    r: float
    """[px]"""
    style: str
    form: Form = "fill"
    pattern: Pattern | None = None
    title: str | None = None
    """Tooltip."""
    kind: Literal["circle"] = "circle"


@frozen
class Label(Complete):
    """A line of text."""

    x: float
    """x of the start, middle or end of the text, depending on `anchor` [px]."""
    y: float
    """y of the baseline [px]."""
    text: str
    """One line."""
    style: str = "text"
    """`text`, `text-strong`, `text-faint` and `text-on` (on a filled shape), or the style of the labeled mark."""
    size: float = 12.0
    """Font size [px]."""
    anchor: Anchor = "start"
    rotate: float = 0.0
    """Clockwise rotation about (x, y) [degrees]."""
    kind: Literal["label"] = "label"


Mark = Rect | Path | Circle | Label


@frozen
class Drawing(Complete):
    """A chart with the positions of all its marks."""

    width: float
    """[px]"""
    height: float
    """[px]"""
    marks: tuple[Mark, ...]
    """Marks from back to front; all lie within the frame."""
