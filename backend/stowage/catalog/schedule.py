"""Schedule of automatic catalog refreshes."""

from stowage.frozen import frozen


@frozen
class Schedule:
    """Schedule of automatic refreshes."""

    every_s: float | None = None
    """Interval between the starts of two refreshes [s]; None for no automatic refreshes."""
    regions: tuple[str, ...] = ("us-east-1",)
    """Regions of scheduled refreshes, and of manual refreshes without given regions."""
