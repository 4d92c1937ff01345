"""When the catalog is refreshed without a request."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Schedule:
    """When the catalog is refreshed unasked.

    Parameters
    ----------
    every_s : float or None
        From one start to the next [s]; None for never.
    regions : tuple of str
        Also the regions of a refresh that names none.
    """

    every_s: float | None = None
    regions: tuple[str, ...] = ("us-east-1",)
