"""Colors of a grid's cells: a perceptual sequential scale, and hues of families.

The page takes them from here too (`stowage.api.registry`). Each color has a variant for each color scheme.
"""

import math
from typing import Literal

from stowage.frozen import frozen

_Rgb = tuple[float, float, float]

_STEPS = 41
"""Colors of the sequential scale."""
_STRENGTHS = 11
"""Colors of each hue."""
_HUES = (245.0, 70.0, 160.0, 350.0, 110.0, 30.0, 200.0, 295.0)
"""Hues that are apart for most forms of color blindness [degrees]."""


@frozen
class _Oklch:
    """A color in OKLCH, where equal steps of lightness look equal."""

    lightness: float
    """0 to 1."""
    chroma: float
    hue: float
    """[degrees]"""

    def rgb(self) -> _Rgb:
        """Convert to sRGB, 0 to 1 each, clipped (Ottosson, "A perceptual color space", 2020)."""
        turn = math.radians(self.hue)
        a, b = self.chroma * math.cos(turn), self.chroma * math.sin(turn)
        long = (self.lightness + 0.3963377774 * a + 0.2158037573 * b) ** 3
        medium = (self.lightness - 0.1055613458 * a - 0.0638541728 * b) ** 3
        short = (self.lightness - 0.0894841775 * a - 1.291485548 * b) ** 3
        return (
            _encoded(4.0767416621 * long - 3.3077115913 * medium + 0.2309699292 * short),
            _encoded(-1.2684380046 * long + 2.6097574011 * medium - 0.3413193965 * short),
            _encoded(-0.0041960863 * long - 0.7034186147 * medium + 1.707614701 * short),
        )


def _encoded(linear: float) -> float:
    value = 12.92 * linear if linear <= 0.0031308 else 1.055 * linear ** (1.0 / 2.4) - 0.055
    return min(1.0, max(0.0, value))


def _luminance(color: _Rgb) -> float:
    """Compute the relative luminance of a color (WCAG 2.2)."""
    red, green, blue = (c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in color)
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


@frozen
class Painted:
    """Fill of a cell, and the color of text on it."""

    fill: str
    """`#rrggbb`."""
    ink: str
    """Black or white, whichever has more contrast."""


@frozen
class CellColour:
    """Color of a cell in both color schemes."""

    light: Painted
    dark: Painted


def _painted(color: _Oklch) -> Painted:
    rgb = color.rgb()
    fill = "#" + "".join(f"{math.floor(255.0 * channel + 0.5):02x}" for channel in rgb)
    # Contrast with black is (luminance + 0.05) / 0.05, with white 1.05 / (luminance + 0.05).
    dark_ink = (_luminance(rgb) + 0.05) ** 2 >= 0.05 * 1.05
    return Painted(fill, "#000000" if dark_ink else "#ffffff")


def _sequential(share: float) -> CellColour:
    """Return the color of a share of a range, from 0 to 1.

    It goes in equal steps of lightness from yellow to blue on a light ground, and the reverse on a dark one, so that
    the highest value always stands out most.
    """

    def at(lightness: float, along: float) -> Painted:
        chroma = 0.05 + 0.08 * math.sin(math.pi * (0.15 + 0.7 * along))
        return _painted(_Oklch(lightness, chroma, 100.0 + 165.0 * along))

    return CellColour(at(0.96 - 0.56 * share, share), at(0.3 + 0.56 * share, 1.0 - share))


def _of_hue(hue: float, strength: float) -> CellColour:
    chroma = 0.04 + 0.06 * strength
    return CellColour(
        _painted(_Oklch(0.94 - 0.2 * strength, chroma, hue)), _painted(_Oklch(0.28 + 0.2 * strength, chroma, hue))
    )


SCALE = tuple(_sequential(step / (_STEPS - 1)) for step in range(_STEPS))
"""Sequential scale, from the lowest value to the highest."""

FAMILIES = tuple(tuple(_of_hue(hue, step / (_STRENGTHS - 1)) for step in range(_STRENGTHS)) for hue in _HUES)
"""Colors of each hue, from weak to strong."""

CELL_STYLES: dict[str, CellColour] = {
    **{f"scale-{step}": colour for step, colour in enumerate(SCALE)},
    **{f"hue-{hue}-{step}": colour for hue, colours in enumerate(FAMILIES) for step, colour in enumerate(colours)},
}
"""Colors by the name of their style."""


def scale_style(share: float) -> str:
    """Return the style of a share of a range, from 0 to 1."""
    return f"scale-{_step(share, _STEPS)}"


def family_style(family: int, strength: float) -> str:
    """Return the style of a member of a family, with a strength from 0 to 1."""
    return f"hue-{family % len(_HUES)}-{_step(strength, _STRENGTHS)}"


def _step(share: float, steps: int) -> int:
    return math.floor(min(1.0, max(0.0, share)) * (steps - 1) + 0.5)


def css(colour: CellColour, part: Literal["fill", "ink"]) -> str:
    """Return a color as CSS that follows the color scheme of the page."""
    return f"light-dark({getattr(colour.light, part)}, {getattr(colour.dark, part)})"
