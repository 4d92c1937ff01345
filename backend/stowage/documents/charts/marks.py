"""Marks of a drawing: shapes and text with coordinates.

A mark has the name of a style instead of a color. The page or file that shows a drawing maps styles to colors, in light
and dark mode. All texts are plain; the renderer escapes them.
"""

from dataclasses import dataclass
from typing import Literal

from stowage.model.complete import Complete

Form = Literal["fill", "pale", "soft", "line", "bold", "dashed", "dots", "target"]
"""How a style's color is applied: `fill` covers the shape, `pale` is the same but paler, `soft` is faint, for areas in
the background; `line` is thin, `bold` stands out, `dashed` is broken; `dots` draws a dot at the start of each part of a
path; `target` is invisible, for the pointer only."""
Pattern = Literal["stripes", "bars", "rows", "dots", "crosses", "steps", "slants", "waves", "squares"]
"""Pattern over a filled shape, which distinguishes it from its neighbors without color."""
Anchor = Literal["start", "middle", "end"]


@dataclass(frozen=True, slots=True)
class Rect(Complete):
    """A rectangle.

    Parameters
    ----------
    x, y : float
        Upper left corner [px].
    width, height : float
        [px]
    style : str
    form : Form
    pattern : Pattern or None
    title : str or None
        Tooltip.
    """

    x: float
    y: float
    width: float
    height: float
    style: str
    form: Form = "fill"
    pattern: Pattern | None = None
    title: str | None = None
    kind: Literal["rect"] = "rect"


@dataclass(frozen=True, slots=True)
class Path(Complete):
    """A line, or the area that a line encloses.

    Parameters
    ----------
    d : str
        SVG path data of ``M``, ``L`` and ``Z`` with absolute coordinates [px].
    style : str
    form : Form
    pattern : Pattern or None
    title : str or None
        Tooltip.
    """

    d: str
    style: str
    form: Form = "line"
    pattern: Pattern | None = None
    title: str | None = None
    kind: Literal["path"] = "path"


@dataclass(frozen=True, slots=True)
class Circle(Complete):
    """A circle.

    Parameters
    ----------
    cx, cy : float
        Center [px].
    r : float
        [px]
    style : str
    form : Form
    pattern : Pattern or None
    title : str or None
        Tooltip.
    """

    cx: float
    cy: float
    r: float
    style: str
    form: Form = "fill"
    pattern: Pattern | None = None
    title: str | None = None
    kind: Literal["circle"] = "circle"


@dataclass(frozen=True, slots=True)
class Label(Complete):
    """A line of text.

    Parameters
    ----------
    x, y : float
        Position of the start, middle or end of the text, depending on ``anchor``; y is the baseline [px].
    text : str
        One line.
    style : str
        ``text``, ``text-strong``, ``text-faint`` and ``text-on`` (on a filled shape), or the style of the labeled mark.
    size : float
        Font size [px].
    anchor : {'start', 'middle', 'end'}
    rotate : float
        Clockwise rotation about (x, y) [degrees].
    """

    x: float
    y: float
    text: str
    style: str = "text"
    size: float = 12.0
    anchor: Anchor = "start"
    rotate: float = 0.0
    kind: Literal["label"] = "label"


Mark = Rect | Path | Circle | Label


@dataclass(frozen=True, slots=True)
class Drawing(Complete):
    """A chart with the positions of all its marks.

    Parameters
    ----------
    width, height : float
        [px]
    marks : tuple of Mark
        Marks from back to front; all lie within the frame.
    """

    width: float
    height: float
    marks: tuple[Mark, ...]
