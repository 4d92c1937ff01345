"""Styles and patterns of the series of a chart.

A series that stands for a limiting resource, such as the network, has the fixed style of this resource. Any other
series has the next free style.
"""

from collections.abc import Sequence

from stowage.documents.charts.cell_colours import CELL_STYLES
from stowage.documents.charts.marks import Form, Pattern
from stowage.frozen import frozen
from stowage.model.report import Series

RESOURCES: dict[str, tuple[str, Pattern | None]] = {
    "network": ("network", None),
    "local disk": ("local-disk", "stripes"),
    "EBS link": ("ebs-link", "bars"),
    "EBS volumes": ("ebs-volumes", "crosses"),
    "object store": ("object-store", "dots"),
    "CPU": ("cpu", "rows"),
    "data link": ("data-link", "waves"),
    "launch": ("launch", "slants"),
    "loading": ("loading", "squares"),
    "other": ("other", "steps"),
}
"""Style and pattern of each limiting resource, as on the page; loading and unloading have their own, regardless of the
resource that limits them."""
_SAID = {"local disk": "local disks", "data link": "link to the data", "loading": "loading and unloading"}
_SERIES: tuple[tuple[str, Pattern | None], ...] = (
    ("series-1", None),
    ("series-2", "stripes"),
    ("series-3", "rows"),
    ("series-4", "bars"),
    ("series-5", "dots"),
    ("series-6", "crosses"),
)
HEAT = 7
"""Shades of a grid's cells in reports from before November 2026, ``heat-0`` to ``heat-6``."""
STYLES = (
    *("ground", "grid", "axis", "text", "text-strong", "text-faint", "frontier", "faint", "limit", "ring", "on-cell"),
    *(style for style, _ in (*RESOURCES.values(), *_SERIES)),
    *(f"on-{style}" for style, _ in (*RESOURCES.values(), *_SERIES)),
    *(f"heat-{shade}" for shade in range(HEAT)),
    *CELL_STYLES,
    *(f"on-{style}" for style in CELL_STYLES),
)
"""All styles that a drawing may name; ``on-network`` is for text on the network's color, ``on-cell`` for text on a pale
or shaded one."""


@frozen
class Look:
    """Appearance of a series."""

    style: str
    pattern: Pattern | None
    """Pattern over its filled shapes."""
    form: Form
    """Form of its filled shapes. They are paler if an earlier series has the same style."""
    turn: int
    """Number of the shape of its points, as for `marker`."""


def resource_words(resource: str) -> str:
    """Return the display name of a limiting resource."""
    return _SAID.get(resource, resource)


def looks(series: Sequence[Series]) -> tuple[Look, ...]:
    """Return the appearance of each series.

    Examples
    --------
    >>> sort, copies = Series("sort", (), resource="network"), Series("copies", (), resource="network")
    >>> [(look.style, look.form) for look in looks([sort, copies, Series("EBS", ())])]
    [('network', 'fill'), ('network', 'pale'), ('series-1', 'fill')]
    """
    chosen: list[Look] = []
    others = 0
    for each in series:
        if each.faint:
            chosen.append(Look("faint", None, "fill", 0))
            continue
        if each.resource is None:
            style, pattern = _SERIES[others % len(_SERIES)]
            turn = others
            others += 1
        else:
            name = each.resource if each.resource in RESOURCES else "other"
            style, pattern = RESOURCES[name]
            turn = list(RESOURCES).index(name)
        # Paler and without a pattern, so that text on it stays legible.
        again = sum(look.style == style for look in chosen) % 2 == 1
        chosen.append(Look(style, None if again else pattern, "pale" if again else "fill", turn))
    return tuple(chosen)
