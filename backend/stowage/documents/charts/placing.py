"""Placement of labels near their points, where they cover the fewest other marks."""

from collections.abc import Iterable, Sequence

from stowage.documents.charts.lettering import text_width
from stowage.documents.charts.marks import Label
from stowage.frozen import frozen

_ASCENT, _DESCENT = 0.78, 0.24
_GAP = 8.0


@frozen
class Box:
    """An area of a drawing."""

    left: float
    """[px]"""
    top: float
    """[px], y downwards."""
    right: float
    """[px]"""
    bottom: float
    """[px], y downwards."""

    def meets(self, other: "Box") -> bool:
        """Return whether two areas overlap."""
        return (
            self.left < other.right and other.left < self.right and self.top < other.bottom and other.top < self.bottom
        )

    def within(self, other: "Box") -> bool:
        """Return whether this area lies completely within another."""
        return (
            self.left >= other.left
            and self.right <= other.right
            and self.top >= other.top
            and self.bottom <= other.bottom
        )


def box_of(label: Label) -> Box:
    """Return the area that a label covers, ignoring its rotation."""
    width = text_width(label.text, label.size, strong=label.style == "text-strong")
    left = label.x - {"start": 0.0, "middle": width / 2, "end": width}[label.anchor]
    return Box(left, label.y - _ASCENT * label.size, left + width, label.y + _DESCENT * label.size)


def beside(x: float, y: float, text: str, *, style: str, size: float) -> Iterable[Label]:
    """Yield labels at candidate positions near a point.

    The first positions are right and left of the point, then above and below it, then further away.
    """
    foot = y + 0.3 * size
    above, below = y - _GAP, y + _GAP + _ASCENT * size
    yield Label(x + _GAP, foot, text, style, size, "start")
    yield Label(x - _GAP, foot, text, style, size, "end")
    for line in (above, below):
        yield Label(x, line, text, style, size, "middle")
        yield Label(x + 2.0, line, text, style, size, "start")
        yield Label(x - 2.0, line, text, style, size, "end")
    for step in (1.3, 2.6, 3.9, 5.2):
        for line in (foot - step * size, foot + step * size):
            yield Label(x + _GAP, line, text, style, size, "start")
            yield Label(x - _GAP, line, text, style, size, "end")
            yield Label(x, line, text, style, size, "middle")


def freest(places: Iterable[Label], taken: Sequence[Box], inside: Box, *, bear: float) -> Label | None:
    """Return the candidate label that covers the fewest areas.

    If several labels cover as few areas, the first of them is returned. The result is None if every label covers too
    many areas or is not inside ``inside``.

    Parameters
    ----------
    places : iterable of Label
        Candidates: one label at several positions.
    taken : sequence of Box
        Areas that should stay visible.
    inside : Box
        Area that must contain the label.
    bear : float
        Greatest number of areas that the label may cover.
    """
    best: tuple[float, Label] | None = None
    for label in places:
        box = box_of(label)
        if not box.within(inside):
            continue
        covered = float(sum(box.meets(other) for other in taken))
        if covered == 0.0:
            return label
        if covered <= bear and (best is None or covered < best[0]):
            best = (covered, label)
    return None if best is None else best[1]


def apart(places: Sequence[float], gap: float, bottom: float) -> list[float]:
    """Return positions of lines of text, moved apart so that each is legible.

    Parameters
    ----------
    places : sequence of float
        Preferred positions [px].
    gap : float
        Minimum distance between two lines [px].
    bottom : float
        Lowest position allowed [px].

    Examples
    --------
    >>> apart([10.0, 12.0, 100.0], 15.0, 100.0), apart([98.0, 99.0], 15.0, 100.0)
    ([10.0, 25.0, 100.0], [85.0, 100.0])
    """
    order = sorted(range(len(places)), key=lambda index: places[index])
    moved = list(places)
    free = float("-inf")
    for index in order:
        moved[index] = max(places[index], free)
        free = moved[index] + gap
    lowest = bottom
    for index in reversed(order):
        moved[index] = min(moved[index], lowest)
        lowest = moved[index] - gap
    return moved
