"""Text width: an estimate, since the typeface of the reader is not known."""

import unicodedata

from stowage.documents.text import one_line

# Widths of Helvetica's letters in thousandths of their size; other letters get the most common width.
_THOUSANDTHS = {
    **dict.fromkeys("ijl'|", 222),
    **dict.fromkeys("ft I!.,:;/\\[]", 278),
    **dict.fromkeys("r()-`", 333),
    **dict.fromkeys("Jcksvxyz", 500),
    **dict.fromkeys("BEKAVXPSY&", 680),
    **dict.fromkeys("<>=+~^#", 690),
    **dict.fromkeys("CDHRNUw", 722),
    **dict.fromkeys("GOQ", 778),
    **dict.fromkeys("mM", 833),
    **dict.fromkeys("W%@", 960),
}
_USUAL, _WIDE, _CAPITAL = 556, 1000, 690
# The typefaces of some systems are a fifth wider than Helvetica.
_AMPLE = 1.19
_MORE = "…"
LINE = 1.3
"""Line height: distance between two baselines, in multiples of the font size."""


def text_width(text: str, size: float, *, strong: bool = False) -> float:
    """Estimate the width of a line of text.

    The estimate is more often too wide than too narrow, so that text does not exceed its place.

    Parameters
    ----------
    text : str
    size : float
        Font size [px].
    strong : bool
        Bold letters.

    Returns
    -------
    float
        [px]

    Examples
    --------
    >>> text_width("", 12.0), round(text_width("16 min", 12.0)), round(text_width("データ", 12.0))
    (0.0, 43, 43)
    """
    thousandths = sum(_thousandths(letter) for letter in text)
    return thousandths / 1000 * size * _AMPLE * (1.06 if strong else 1.0)


def _thousandths(letter: str) -> int:
    known = _THOUSANDTHS.get(letter)
    if known is not None:
        return known
    if letter.isascii():
        return _CAPITAL if letter.isupper() else _USUAL
    if unicodedata.combining(letter) or unicodedata.category(letter) == "Cf":
        return 0
    if unicodedata.east_asian_width(letter) in "WF" or unicodedata.category(letter) in {"So", "Co", "Cn"}:
        return _WIDE
    return _CAPITAL


def shortened(text: str, size: float, room: float, *, strong: bool = False) -> str:
    """Shorten a text to the available width.

    A text that fits does not change. A shortened text ends in an ellipsis; it is empty if not even one letter fits.

    Parameters
    ----------
    text : str
    size : float
        Font size [px].
    room : float
        [px]
    strong : bool
        Bold letters.

    Examples
    --------
    >>> shortened("178 × i2.8xlarge on its own disks", 12.0, 120.0)
    '178 × i2.8xlarge…'
    """
    # Few visible letters are narrower than a fifth of the font size, so the rest of a long text need not be measured.
    most = int(5 * room / size) + 100
    line = one_line(text[: 4 * most])
    if len(line) <= most and text_width(line, size, strong=strong) <= room:
        return line
    fits, used = 0, text_width(_MORE, size, strong=strong)
    for letter in line[:most]:
        used += text_width(letter, size, strong=strong)
        if used > room:
            break
        fits += 1
    kept = line[:fits].rstrip()
    return kept + _MORE if kept else ""


def wrapped(text: str, size: float, room: float, lines: int, *, strong: bool = False) -> tuple[str, ...]:
    """Wrap a text into at most `lines` lines.

    If the text is longer, the last line is shortened.

    Parameters
    ----------
    text : str
    size : float
        Font size [px].
    room : float
        [px]
    lines : int
        At least 1.
    strong : bool
        Bold letters.

    Examples
    --------
    >>> wrapped("178 × i2.8xlarge on its own disks", 12.0, 120.0, 2)
    ('178 × i2.8xlarge', 'on its own disks')
    """
    words = one_line(text[:2_000]).split(" ")
    said: list[str] = []
    while words and len(said) < lines - 1:
        taken = 1
        while taken < len(words) and text_width(" ".join(words[: taken + 1]), size, strong=strong) <= room:
            taken += 1
        said.append(shortened(" ".join(words[:taken]), size, room, strong=strong))
        words = words[taken:]
    if words:
        said.append(shortened(" ".join(words), size, room, strong=strong))
    return tuple(said)
