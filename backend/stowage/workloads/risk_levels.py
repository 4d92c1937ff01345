"""Levels of the risk of missing a deadline: the names and bounds that CLI, reports and the page share."""

from typing import Literal

from stowage.frozen import frozen

RiskName = Literal["low", "moderate", "high"]


@frozen
class RiskLevel:
    """A level of risk."""

    name: RiskName
    """Name within a sentence: a low risk."""
    most: float
    """Highest probability of missing the deadline [1], 0 to 1."""


RISK_LEVELS: tuple[RiskLevel, ...] = (RiskLevel("low", 0.05), RiskLevel("moderate", 0.20), RiskLevel("high", 1.0))
"""Levels of risk, lowest first. The page takes them from the API's description."""


def risk_level(met: float) -> RiskName:
    """Return the name of the level of risk.

    Parameters
    ----------
    met : float
        Probability of meeting the deadline [1], 0 to 1. A search for 95% may end a rounding error below it.

    Examples
    --------
    >>> [risk_level(met) for met in (0.99, 0.95, 0.94, 0.8, 0.53)]
    ['low', 'low', 'moderate', 'moderate', 'high']
    """
    return next((level.name for level in RISK_LEVELS if 1.0 - met <= level.most + 1e-9), RISK_LEVELS[-1].name)
