"""Schedule of automatic catalog refreshes."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Schedule:
    """Schedule of automatic refreshes.

    Parameters
    ----------
    every_s : float or None
        Interval between the starts of two refreshes [s]; None for no automatic refreshes.
    regions : tuple of str
        Regions of scheduled refreshes, and of manual refreshes without given regions.
    """

    every_s: float | None = None
    regions: tuple[str, ...] = ("us-east-1",)
