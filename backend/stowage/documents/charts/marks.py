"""What drawings are made of: shapes and words with coordinates, and the name of a style instead of a colour.

Whoever shows a drawing, a page or a file, decides what a style looks like, in the light and in the dark. All texts are
plain: whoever shows one escapes it.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar, Literal

Form = Literal["fill", "pale", "soft", "line", "bold", "dashed", "dots", "target"]
"""How a style's colour is laid on: over the shape; the same, paler; as a haze, for what lies behind; as a thin line, as
one that the eye follows, as a broken one; as dots where a path's parts begin; not at all, where it is for a pointer."""
Pattern = Literal["stripes", "bars", "rows", "dots", "crosses", "steps", "slants", "waves", "squares"]
"""What is laid over a filled shape, so that it is told from its neighbours without colour."""
Anchor = Literal["start", "middle", "end"]


class _Part:
    """What a drawing is made of; whoever reads it as JSON finds every field there, those with a default too."""

    __slots__ = ()
    __pydantic_config__: ClassVar[Mapping[str, Any]] = {"json_schema_serialization_defaults_required": True}


@dataclass(frozen=True, slots=True)
class Rect(_Part):
    """A rectangle.

    Parameters
    ----------
    x, y : float
        Of the upper left corner [px].
    width, height : float
        [px]
    style : str
    form : Form
    pattern : Pattern or None
    title : str or None
        Said where the pointer rests.
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
class Path(_Part):
    """A line, or an area within one.

    Parameters
    ----------
    d : str
        As SVG writes it, of ``M``, ``L`` and ``Z`` with absolute coordinates [px].
    style : str
    form : Form
    pattern : Pattern or None
    title : str or None
        Said where the pointer rests.
    """

    d: str
    style: str
    form: Form = "line"
    pattern: Pattern | None = None
    title: str | None = None
    kind: Literal["path"] = "path"


@dataclass(frozen=True, slots=True)
class Circle(_Part):
    """A circle.

    Parameters
    ----------
    cx, cy : float
        Of its centre [px].
    r : float
        [px]
    style : str
    form : Form
    pattern : Pattern or None
    title : str or None
        Said where the pointer rests.
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
class Label(_Part):
    """Words.

    Parameters
    ----------
    x, y : float
        Where their line begins, has its middle or ends [px]; y is that of the letters' feet.
    text : str
        One line.
    style : str
        ``text``, ``text-strong``, ``text-faint`` and ``text-on`` (on a filled shape), or that of what they name.
    size : float
        Of the letters [px].
    anchor : {'start', 'middle', 'end'}
    rotate : float
        About their place, clockwise [degrees].
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
class Drawing(_Part):
    """A chart as it is seen.

    Parameters
    ----------
    width, height : float
        [px]
    marks : tuple of Mark
        From the hindmost to the foremost; all within the frame.
    """

    width: float
    height: float
    marks: tuple[Mark, ...]
