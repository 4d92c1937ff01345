"""SVG: a drawing as a standalone file with its colors."""

from html import escape

from stowage.documents.charts.cell_colours import CELL_STYLES
from stowage.documents.charts.marks import Circle, Drawing, Form, Label, Mark, Path, Pattern, Rect
from stowage.documents.text import one_line

_COLOURS = {
    "ground": "#ffffff",
    "grid": "#dbe2e4",
    "axis": "#8b9aa1",
    "text": "#1f282d",
    "text-strong": "#1f282d",
    "text-faint": "#4f5d64",
    "frontier": "#1f282d",
    "faint": "#b3bfc4",
    "limit": "#a3241c",
    "ring": "#1f282d",
    "network": "#0072b2",
    "local-disk": "#d55e00",
    "ebs-link": "#cc79a7",
    "ebs-volumes": "#e69f00",
    "object-store": "#56b4e9",
    "cpu": "#009e73",
    "data-link": "#7a6a00",
    "launch": "#6f5ca8",
    "loading": "#7f4f24",
    "other": "#8a8a8a",
    "series-1": "#14545c",
    "series-2": "#b5489a",
    "series-3": "#8a8a1f",
    "series-4": "#4a3aa8",
    "series-5": "#8f2f55",
    "series-6": "#5b6a71",
    "heat-0": "#f6f9f9",
    "heat-1": "#e7eff0",
    "heat-2": "#d7e4e5",
    "heat-3": "#c8d9db",
    "heat-4": "#b8ced0",
    "heat-5": "#a9c3c6",
    "heat-6": "#99b8bb",
    **{style: colour.light.fill for style, colour in CELL_STYLES.items()},
}
_LIGHT_ON = frozenset(
    {"network", "data-link", "launch", "loading", "series-1", "series-2", "series-4", "series-5", "series-6"}
)
_FONT = "'Source Sans 3', system-ui, -apple-system, 'Segoe UI', Roboto, 'Helvetica Neue', 'Liberation Sans', sans-serif"
_FORMS: dict[Form, str] = {
    "fill": 'fill="{colour}"',
    "pale": 'fill="{colour}" fill-opacity="0.5"',
    "soft": 'fill="{colour}" fill-opacity="0.25"',
    "line": 'fill="none" stroke="{colour}" stroke-width="1"',
    "bold": 'fill="none" stroke="{colour}" stroke-width="2" stroke-linejoin="round"',
    "dashed": 'fill="none" stroke="{colour}" stroke-width="1.5" stroke-dasharray="5 4"',
    "dots": 'fill="none" stroke="{colour}" stroke-width="3" stroke-linecap="round"',
}
_ROUND = ' stroke-linecap="round"'
_LINES: dict[Pattern, str] = {
    "stripes": "M-1 5L5 -1M3 9L9 3",
    "bars": "M2 0L2 8M6 0L6 8",
    "rows": "M0 2L8 2M0 6L8 6",
    "dots": "M2 2L2.01 2M6 6L6.01 6",
    "crosses": "M0 0L8 8M8 0L0 8",
    "slants": "M-1 3L5 9M3 -1L9 5",
    "steps": "M0 4L4 4L4 0M4 8L8 8L8 4",
    "waves": "M0 2L2 4L4 2L6 4L8 2M0 6L2 8L4 6L6 8L8 6",
    "squares": "M0 2L8 2M2 0L2 8",
}


def svg(drawing: Drawing, title: str) -> str:
    """Return a drawing as an SVG file.

    Parameters
    ----------
    drawing : Drawing
    title : str
        Title of the image, read by screen readers.

    Returns
    -------
    str
        Identical for identical drawings; light mode, on white.
    """
    width, height = f"{drawing.width:g}", f"{drawing.height:g}"
    used = sorted({mark.pattern for mark in drawing.marks if not isinstance(mark, Label) and mark.pattern})
    patterns = "".join(
        f'<pattern id="{name}" width="8" height="8" patternUnits="userSpaceOnUse">'
        f'<path d="{_LINES[name]}" fill="none" stroke="#ffffff" stroke-opacity="0.45" stroke-width="1.6"'
        f"{_ROUND if name == 'dots' else ''}/></pattern>"
        for name in used
    )
    shapes = "\n".join(_mark(mark) for mark in drawing.marks if _seen(mark))
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{width}" height="{height}" viewBox="0 0 {width} {height}" '
        f'role="img" font-family="{_FONT}">\n<title>{escape(one_line(title))}</title>\n'
        f"<defs>{patterns}</defs>\n"
        f'<rect width="{width}" height="{height}" fill="{_COLOURS["ground"]}"/>\n{shapes}\n</svg>\n'
    )


def _seen(mark: Mark) -> bool:
    return isinstance(mark, Label) or mark.form != "target"


def _colour(style: str) -> str:
    if style == "on-cell":
        return _COLOURS["text"]
    if style.startswith("on-"):
        on = style.removeprefix("on-")
        return CELL_STYLES[on].light.ink if on in CELL_STYLES else "#ffffff" if on in _LIGHT_ON else "#10171a"
    return _COLOURS[style]


def _mark(mark: Mark) -> str:
    if isinstance(mark, Label):
        return _label(mark)
    place = _place(mark)
    inside = f"<title>{escape(one_line(mark.title))}</title>" if mark.title else ""
    shape = f"<{place} {_FORMS[mark.form].format(colour=_colour(mark.style))}>{inside}</{place.split()[0]}>"
    return f'{shape}<{place} fill="url(#{mark.pattern})"/>' if mark.pattern else shape


def _place(mark: Rect | Path | Circle) -> str:
    if isinstance(mark, Rect):
        return f'rect x="{mark.x:g}" y="{mark.y:g}" width="{mark.width:g}" height="{mark.height:g}"'
    if isinstance(mark, Circle):
        return f'circle cx="{mark.cx:g}" cy="{mark.cy:g}" r="{mark.r:g}"'
    return f'path d="{escape(mark.d)}"'


def _label(label: Label) -> str:
    turned = f' transform="rotate({label.rotate:g} {label.x:g} {label.y:g})"' if label.rotate else ""
    weight = ' font-weight="600"' if label.style == "text-strong" else ""
    # An outline in the background color keeps letters legible over lines and patterns.
    behind = _COLOURS.get(label.style.removeprefix("on-"), _COLOURS["ground"])
    behind = behind if label.style.startswith("on-") else _COLOURS["ground"]
    wide = "5" if label.style.startswith("on-") else "3.5"
    rim = (
        ""
        if label.style == "on-cell" or label.style.removeprefix("on-") in CELL_STYLES
        else f' stroke="{behind}" stroke-width="{wide}" stroke-linejoin="round" paint-order="stroke"'
    )
    return (
        f'<text x="{label.x:g}" y="{label.y:g}" font-size="{label.size:g}" text-anchor="{label.anchor}" '
        f'fill="{_colour(label.style)}"{weight}{rim}{turned}>{escape(one_line(label.text))}</text>'
    )
